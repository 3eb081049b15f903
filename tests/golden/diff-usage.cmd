$TLBTRACE diff $DATA/slim_shm_c34.dat
$TLBTRACE diff --by=time $DATA/slim_shm_c34.dat $DATA/slim_shm_c31.dat
