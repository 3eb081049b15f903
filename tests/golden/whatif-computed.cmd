# SPDX-License-Identifier: GPL-2.0-or-later
# Requests alone: the instructions of a truth trace are left out, and what it ran with is said.
said=ceiling=33,local-ceiling=256,fixups=none,sets=1
"$TLBTRACE" whatif --ignore=instructions --recorded=$said --ceiling=8 "$DATA/truth_p10_ranges_c33.dat"
echo ==
"$TLBTRACE" whatif --ignore=instructions "$DATA/truth_p10_ranges_c33.dat"
echo == x86
"$TLBTRACE" whatif --ignore=instructions --ceiling=8 "$DATA/x86_truth.dat"
echo == csv
"$TLBTRACE" whatif --ignore=instructions --recorded=$said --format=csv "$DATA/truth_p10_ranges_c33.dat"
echo == json
"$TLBTRACE" whatif --ignore=instructions --recorded=$said --format=json "$DATA/truth_p10_ranges_c33.dat" |
	jq -c '.total, (.results[0] | .recorded, .fidelity, .computed, .derived.tlbie)'
echo == checks
"$TLBTRACE" whatif --ignore=instructions --recorded=$said --budget='tlbie<=2041' --budget='tlbie<2041' \
	"$DATA/truth_p10_ranges_c33.dat" | sed -n '/^Checks/,$p'
echo == without requests nothing is left
"$TLBTRACE" whatif --ignore=instructions "$DATA/p9_shm_c34.dat"
