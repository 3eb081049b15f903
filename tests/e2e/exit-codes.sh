#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# exit-codes.sh - every meaning of every exit status, from recorded traces.
set -u
dir=$(mktemp -d)
trap 'kill "${feeder:-}" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
p9=$DATA/p9_shm_c34.dat
failed=0

# STATUS 'WHAT IT SAYS' ARGUMENT...: ends so, and says that (nothing: '').
ends() {
	local want=$1 text=$2 got=0
	shift 2
	"$TLBTRACE" "$@" >out 2>err </dev/null || got=$?
	if [ $got != "$want" ] || { [ -n "$text" ] && ! cat out err | grep -qE -- "$text"; }; then
		echo "tlbtrace $*: exit $got, not $want with '$text'"
		cat err
		failed=1
	fi
}

# 0: done, and every check that was asked for holds.
ends 0 'tlbie .* 3936' whatif --ceiling=31 "$p9"
ends 0 'ok .*tlbie<=10k' whatif --ceiling=31 --budget='tlbie<=10k' --min-fidelity=99% --strict "$p9"
ends 0 'holds' verify --ceiling=31 --per=event:sys_exit_ipc "$p9" --actual="$DATA/p9_shm_c31.dat"
# The event was enabled, and nothing in what is selected fired.
ends 0 'tlbie +0' whatif --time=0,0.000001 "$p9"
ends 0 '' whatif --baseline=base.json --update-baseline "$DATA/p9_shm_c31.dat"
ends 0 'ok ' whatif --baseline=base.json --max-regress=0% "$DATA/p9_shm_c31.dat"

# 1: done, and a check does not hold, or nobody can tell.
ends 1 'EXCEEDED.*tlbie<=10k' whatif --budget='tlbie<=10k' "$p9"
ends 1 'UNDECIDED' whatif --ceiling=64 --budget='tlbie<=40500' "$p9"
ends 1 'EXCEEDED +baseline tlbie' whatif --baseline=base.json --max-regress=2% "$p9"
ends 1 'OUTSIDE' verify --ceiling=8 --per=event:sys_exit_ipc "$p9" --actual="$DATA/p9_shm_c31.dat"
ends 1 'EXCEEDED.*min-fidelity' whatif --recorded=fixups=none --min-fidelity=99% "$p9"

# 2: the command line.
ends 2 'did you mean' whatif --celing=31 "$p9"
ends 2 'ceiling' whatif --ceiling=many "$p9"
ends 2 'did you mean' wahtif "$p9"
ends 2 'tlbie' whatif --budget='tlbei<=5' "$p9"

# 3: no trace, or nothing that can be read in it.
ends 3 'No such file' whatif nowhere.dat
ends 3 'not a trace|neither|not.*trace' whatif "$DATA/MANIFEST.tsv"
ends 3 'powerpc:tlbie|tlb:tlb_flush' whatif -p radix,ceiling=31 "$DATA/vcpu_standin.dat"
head -c 3000 "$p9" >head.dat
ends 3 'head.dat: .*' whatif head.dat
head -c 300000 "$DATA/slim_shm_c34_v6.dat" >cut.dat
ends 0 'cut off|damaged' whatif cut.dat
ends 3 'strict' whatif --strict cut.dat
ends 0 'lost while recording: 36041' whatif "$DATA/lost_ranges_c512.dat"
ends 3 '36041 events were lost .--strict' whatif --strict "$DATA/lost_ranges_c512.dat"

# 4: where it runs.
ends 4 'No space left' whatif -o /dev/full "$p9"
ends 4 'No such file|not' whatif -o nowhere/out.txt "$p9"
"$TLBTRACE" whatif "$p9" >/dev/full 2>err
[ $? = 4 ] || { echo "standard output that is full"; failed=1; }
(ulimit -f 0 && exec "$TLBTRACE" info -o info.txt "$p9") 2>&1 | grep -q 'info.txt: File too large' || failed=1
[ ! -e info.txt ] || failed=1
ends 4 '' record -o none.dat -- ./nothing
[ ! -e none.dat ] || { echo "a recording of nothing"; failed=1; }

# 130: interrupted, with what was read until then.
mkfifo pipe
{ head -c 300000 "$DATA/slim_shm_c34_v6.dat"; exec sleep 100; } >pipe &
feeder=$!
env --default-signal=INT "$TLBTRACE" report --stdio pipe >out 2>err &
pid=$!
sleep 1.5
kill -INT $pid
wait $pid
[ $? = 130 ] && grep -q 'Reading was interrupted' out || { echo "an interrupted report"; cat err; failed=1; }
exit $failed
