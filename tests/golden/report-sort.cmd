$TLBTRACE report --by=size --sort=flushes --limit=3 --fields=flushes,tlbie $DATA/slim_ranges_c33.dat
echo
$TLBTRACE report --by=size --sort=+flushes --fields=flushes,tlbie $DATA/slim_ranges_c33.dat
