for by in mm task cpu cause size time caller; do
	$TLBTRACE report --by=$by $DATA/slim_4k_ranges_c33.dat
	echo
done
