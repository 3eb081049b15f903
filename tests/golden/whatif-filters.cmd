# SPDX-License-Identifier: GPL-2.0-or-later
# What each filter leaves of tlbie and tlbiel; parts of the trace add up to the whole.
trace=$DATA/slim_shm_c34.dat
show() {
	echo "$*: $("$TLBTRACE" whatif --format=csv "$@" "$trace" |
		sed -n 's/.*,recorded,\(tlbiel\?\),\([0-9]*\),.*/\1 \2/p' | tr '\n' ' ')"
}
show -q
show --mm=shm
show --mm=134
show --mm=135
show --comm=shm
show --comm=bash
show -C0
show --cpu=1-3
show --time=0%-80%
show --time=80%-100%
show --time=,9.790403848
show --time=9.790403848,
