# The table that perf stat -I 1000 -e powerpc:tlbie gives in the mail of August 2021, from a trace.
$TLBTRACE report --interval=100 --fields=tlbie,tlbiel,flushes,ipis $DATA/slim_shm_c34.dat
echo
$TLBTRACE report --interval=100 --fields=tlbie,tlbiel,flushes,ipis $DATA/slim_shm_c31.dat
