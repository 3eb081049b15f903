# Summaries in the place of traces: what they are, sums of one kernel and groups of several.
cp $DATA/slim_shm_c34.dat a.dat
"$TLBTRACE" summarize a.dat -o a.tlbsum
"$TLBTRACE" info a.tlbsum
for n in 34 31; do
	"$TLBTRACE" summarize --recorded=ceiling=$n,local-ceiling=256 $DATA/p9_shm_c$n.dat -o $n.tlbsum
done
"$TLBTRACE" summarize --recorded=ceiling=34,local-ceiling=256 --comm=shm $DATA/slim_shm_c34.dat -o shm.tlbsum
"$TLBTRACE" summarize --recorded=ceiling=34,local-ceiling=256 $DATA/slim_shm_c34.dat -o slim.tlbsum
echo
"$TLBTRACE" merge -o all.tlbsum ??.tlbsum slim.tlbsum
"$TLBTRACE" whatif --ceiling=31 all.tlbsum
echo
"$TLBTRACE" info all.tlbsum#2 shm.tlbsum
echo
"$TLBTRACE" report --stdio slim.tlbsum
echo
"$TLBTRACE" merge -o x.tlbsum all.tlbsum slim.tlbsum 2>&1
"$TLBTRACE" whatif --cpu=1 slim.tlbsum 2>&1
"$TLBTRACE" summarize --help
"$TLBTRACE" merge --help
"$TLBTRACE" merge 2>&1
