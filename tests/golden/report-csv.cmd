$TLBTRACE report --by=size --format=csv $DATA/slim_shm_c34.dat $DATA/slim_shm_c31.dat
