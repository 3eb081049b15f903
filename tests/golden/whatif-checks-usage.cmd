# SPDX-License-Identifier: GPL-2.0-or-later
# Slips in checks are exit 2, an unusable baseline is exit 3: neither passes for a check that holds.
try() {
	echo "\$ tlbtrace $*"
	"$TLBTRACE" "$@" 2>&1
	echo "exit $?"
}
trace=$DATA/slim_shm_c34.dat
try whatif --budget='tlbie' "$trace"
try whatif --budget='tlbie<=lots' "$trace"
try whatif --budget='tlbe<=3' "$trace"
try whatif --budget='invlpg<=3' "$trace"
try whatif --budget='tlbi<=3' "$trace"
try whatif --min-fidelity=99 "$trace"
try whatif --max-regress=2% "$trace"
try whatif --update-baseline "$trace"
try whatif --baseline=absent.json "$trace"
echo '{ "schema": "tlbtrace-report/1" }' >other.json
try whatif --baseline=other.json "$trace"
echo '{ "schema": ' >cut.json
try whatif --baseline=cut.json "$trace"
