$TLBTRACE report --by=cpu --mm=ranges -C 1,2 --time=0%-50% $DATA/slim_ranges_c33.dat
echo
# Nothing is left: that is a result.
$TLBTRACE report --by=mm --mm=nobody $DATA/slim_ranges_c33.dat
