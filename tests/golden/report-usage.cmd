f=$DATA/slim_ranges_c33.dat
$TLBTRACE report --by=mms $f
$TLBTRACE report --fields=tlbiee $f 2>&1 | cut -c1-69
$TLBTRACE report --sort=tlbie,tlbiel $f
$TLBTRACE report --interval=0 $f
$TLBTRACE report --interval=10 --by=mm $f
$TLBTRACE report --limit=-1 $f
$TLBTRACE report --format=yaml $f
