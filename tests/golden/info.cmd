# SPDX-License-Identifier: GPL-2.0-or-later
# About ten lines per trace: POWER9 and POWER10 at 64K, 4K pages, probes, x86, perf.data, no flush at all.
for trace in slim_shm_c34.dat truth_p10_shm_c34.dat slim_4k_ranges_c33.dat x86_shoot3_c33.dat \
	x86_612_single_c8.dat vcpu_standin.dat; do
	"$TLBTRACE" info "$DATA/$trace"
done
