$TLBTRACE report --by=cause --format=json $DATA/slim_4k_ranges_c33.dat
$TLBTRACE report --interval=500 --fields=flushes,tlbie,share --format=json $DATA/slim_ranges_c33.dat
