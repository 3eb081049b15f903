# SPDX-License-Identifier: GPL-2.0-or-later
# What verify refuses.
for options in "--ceiling=31" "--ceiling=31 --ceiling=8" "-p radix --compare=ge" "--per=hour" \
	"--tolerance=3" "--tolerance=-1%" "--actual=$DATA/slim_shm_c31.dat --per=event:nothing" \
	"--actual=-" "--actual=$DATA/slim_shm_c31.dat $DATA/slim_shm_c31.dat"; do
	"$TLBTRACE" verify $options "$DATA/slim_shm_c34.dat" 2>&1
	echo "exit $?"
done
