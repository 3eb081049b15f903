$TLBTRACE report $DATA/slim_ranges_c33.dat
