# The same program at ceiling 34 and at 31.
$TLBTRACE diff $DATA/slim_shm_c34.dat $DATA/slim_shm_c31.dat
$TLBTRACE diff --by=size --by=cause --fields=flushes,tlbie --format=csv $DATA/slim_shm_c34.dat $DATA/slim_shm_c31.dat
$TLBTRACE diff --by=mm --fields=tlbie --format=json $DATA/slim_shm_c34.dat $DATA/slim_ranges_c33.dat
