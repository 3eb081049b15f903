gunzip -c "$DATA/perf_ranges_c33_g.perf.data.gz" >g.perf.data
echo "-- functions by the kernel's symbols"
"$TLBTRACE" report --by=caller --kallsyms="$DATA/kallsyms_6.1_ppc64le.txt" g.perf.data
echo "-- the same kernel, booted at another address"
sed 's/^c0000000/c0000001/' "$DATA/kallsyms_6.1_ppc64le.txt" >moved
"$TLBTRACE" report --by=caller --kallsyms=moved --format=csv --limit=2 g.perf.data
echo "-- without symbols"
"$TLBTRACE" report --by=caller --limit=4 g.perf.data
