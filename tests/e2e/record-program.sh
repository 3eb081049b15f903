#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record-program.sh - recording by trace-cmd, whatever happens to it: a program of that name stands in,
# which makes an instance and records nothing, for machines on which trace-cmd itself may not record.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
. "$(dirname "$0")/../record/common.sh"
need_backend tracefs
cd "$folder"
before=$(settings)
mkdir bin
cat >bin/trace-cmd <<'END'
#!/usr/bin/env bash
[ "$1" = record ] || exit 0
printf '%s\n' "$@" >>"$FOLDER/args"
shift
events=()
while [ $# -gt 0 ]; do
	case $1 in
	-B) instance=/sys/kernel/tracing/instances/$2 ;;
	-o) output=$2 ;;
	-e) events+=("${2/:/\/}") ;;
	-A) echo "guest $2 not found" >&2 && exit 1 ;;
	esac
	shift
done
mkdir "$instance"
echo 0 >"$instance/tracing_on"
: >"$output.${instance##*/}.cpu0"
for event in "${events[@]}"; do
	echo 1 >"$instance/events/$event/enable"
done
trap 'rmdir "$instance"; rm "$output".*.cpu0; exit 0' INT
# A recorder, where asked for: it is gone a while after it was killed.
[ ! -e "$FOLDER/linger" ] || setsid sh -c 'while kill -0 $1 2>/dev/null; do sleep 0.1; done; sleep 1' - $$ \
	<"$instance/tracing_on" >/dev/null 2>&1 &
echo $BASHPID >"$FOLDER/pid"
echo 1 >"$instance/tracing_on"
while :; do sleep 0.1; done
END
chmod +x bin/trace-cmd
export FOLDER=$folder PATH=$folder/bin:$PATH

# Its arguments, the guests' last: each with the events, none with probes.
code=0
"$TLBTRACE" record -q --agent=guest1 --agent=3:823 -o guest.dat -- true 2>said || code=$?
[ $code = 4 ] && [ "$(cat said)" = "tlbtrace: trace-cmd: cannot record here: guest guest1 not found" ] ||
	fail "an agent that is not there: exit $code: $(cat said)"
[ "$(grep -c '^sched:sched_switch$' args)" = 3 ] || fail "arguments: $(cat args)"
[ "$(grep -A1 -x -e -A args | grep -v -e '^-' | tr '\n' ' ')" = "guest1 3:823 " ] || fail "agents: $(cat args)"
[ "$(sed -n '/^-A$/,$p' args | grep -c '^tlbtrace_')" = 0 ] || fail "our probes for a guest: $(cat args)"
"$TLBTRACE" record --agent=guest1 --dry-run | grep -q 'runs .* -A guest1 -e ' || fail "--dry-run hides the agent"
for with in perf tracefs; do
	code=0
	"$TLBTRACE" record -q --agent=guest1 --with=$with -- true 2>said || code=$?
	[ $code = 2 ] && grep -q -- '--agent: only with --with=trace-cmd' said || fail "$with: exit $code: $(cat said)"
done
check_clean 0 "$before"

# The instance of the recording that runs in the background as $pid.
await_program() {
	local n=0
	until [ "$(cat "$instances/tlbtrace-$pid/tracing_on" 2>/dev/null)" = 1 ] && [ -e pid ]; do
		[ $((n += 1)) -lt 600 ] && kill -0 "$pid" 2>/dev/null || fail "it does not begin: $(cat said)"
		sleep 0.05
	done
}

# Killed while it records: said, and what it left is removed as soon as its recorders let go of it; the
# command is not left running either.
touch linger
"$TLBTRACE" record -q --with=trace-cmd -o killed.dat -- sleep 62.75 2>said &
pid=$!
await_program
until pgrep -fx 'sleep 62.75' >/dev/null; do kill -0 "$pid" && sleep 0.05; done
kill -KILL "$(cat pid)"
code=0
wait "$pid" || code=$?
[ $code = 4 ] && grep -q '^tlbtrace: trace-cmd: stopped recording: it was ended by signal 9' said ||
	fail "trace-cmd was killed: exit $code: $(cat said)"
rm linger
! pgrep -f 'sleep 62.75' >/dev/null || fail "the command still runs"
check_clean "$pid" "$before"

# We are killed: it is told to end; if that was killed too, the next recording cleans up.
rm pid
"$TLBTRACE" record -q --with=trace-cmd -o killed.dat --duration=60 2>said &
pid=$!
await_program
kill -STOP "$(cat pid)"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || :
kill -KILL "$(cat pid)"
[ -e "$instances/tlbtrace-$pid" ] || fail "nothing was left to clean up"
"$TLBTRACE" record -q --with=tracefs -o next.dat -- true
rm -f killed.dat.*
check_clean "$pid" "$before"

# tracefs may not be written to (for it alone): it says so, and changes nothing.
PATH=${PATH#"$folder/bin:"}
if unshare -m true 2>/dev/null; then
	code=0
	unshare -m sh -c 'mount -o remount,ro,bind /sys/kernel/tracing 2>/dev/null ||
		{ mount --bind /sys/kernel/tracing /sys/kernel/tracing && mount -o remount,ro,bind /sys/kernel/tracing; }
		exec "$TLBTRACE" record -q --with=tracefs -o readonly.dat -- true' 2>said || code=$?
	[ $code = 4 ] && [ "$(wc -l <said)" = 1 ] && grep -q 'Read-only file system' said ||
		fail "tracefs is read-only: exit $code: $(cat said)"
	[ ! -e readonly.dat ] || fail "tracefs is read-only: a file is left"
	check_clean 0 "$before"
fi

# A full disk, with perf.
if command -v perf >/dev/null && mkdir small && mount -t tmpfs -o size=1m none small 2>/dev/null; then
	code=0
	"$TLBTRACE" record -q --with=perf -o small/full.data -- sh -c '
		n=0; while [ $n -lt 3000 ]; do : | :; n=$((n + 1)); done' 2>said || code=$?
	umount small || { sleep 1 && umount small; }
	[ $code = 4 ] && grep -q '^tlbtrace: perf: .*No space left' said || fail "a full disk: exit $code: $(cat said)"
fi
echo "record-program: nothing is left of it"
