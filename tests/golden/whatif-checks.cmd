# SPDX-License-Identifier: GPL-2.0-or-later
# Budgets, fidelity and a baseline: what holds is exit 0, what does not or cannot be decided exit 1.
checks() {
	echo "\$ tlbtrace whatif $*"
	"$TLBTRACE" whatif "$@" | sed -n '/^Checks/,$p'
	echo "exit ${PIPESTATUS[0]}"
}
trace=$DATA/slim_shm_c34.dat
checks --budget='tlbie<=1111' --budget='tlbiel<=0.9k/s' --min-fidelity=100% "$trace"
checks --budget='tlbie<1111' "$trace"
checks --ceiling=31 --budget='tlbie<=21.88% of recorded' --budget='tlbie<=21.87% of recorded' "$trace"
checks --ceiling=40 --budget='tlbie<=1200' --budget='tlbie<=1111' --budget='tlbie<=1110' "$trace"
checks --ceiling=40 --budget='tlbie<=1400' "$trace"
checks --budget='mm:shm tlbie<=1100' --budget='mm:postgres tlbie<=5' "$trace"
checks -p radix,ceiling=31 -p radix,ceiling=16 --budget='tlbie<=200' "$trace" "$DATA/slim_shm_c31.dat"
checks --recorded=ceiling=1 --min-fidelity=99% "$trace"
checks --time=9.75,9.8 --budget='tlbie<=15k/s' --budget='tlbie<=14k/s' "$trace"
checks --budget='invlpg<=7033' --budget='ipis<=700' --budget='ipis<=600' "$DATA/x86_shoot3_c33.dat"
checks --budget='cr3_writes<=1/s' "$DATA/x86_clk_counter.dat"
"$TLBTRACE" whatif -q --ceiling=31 --baseline=base.json --update-baseline --format=csv "$trace" >table.csv
checks --ceiling=31 --baseline=base.json "$trace"
checks --ceiling=31 --time=9.75, --baseline=base.json --max-regress=1.5% "$trace"
checks --ceiling=16 --baseline=base.json "$trace"
checks --baseline=base.json "$DATA/slim_4k_ranges_c33.dat"
# Every policy by what it costs; and what is not there is no improvement.
baseline() {
	rm -f base.json
	"$TLBTRACE" whatif -q --baseline=base.json --update-baseline --format=csv "$@" >table.csv
	checks --baseline=base.json "$@"
}
for policy in arm64 riscv radix,gtse=off radix,tlbie=off; do
	baseline --policy=$policy "$trace"
done
baseline --policy=e500mc "$DATA/vcpu_qemu.dat"
baseline --policy=x86,invlpgb=8 "$DATA/x86_shoot3_c33.dat"
baseline "$DATA/slim_shm_c34_v6.dat"
head -c 300000 "$DATA/slim_shm_c34_v6.dat" >cut.dat
checks --baseline=base.json cut.dat
checks --baseline=base.json --mm=nope "$DATA/slim_shm_c34_v6.dat"
