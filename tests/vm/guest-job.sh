#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# guest-job.sh - runs inside the virtual machine: records the workloads in every mode, into /mnt/out.
out=/mnt/out
ceilings=/sys/kernel/debug/powerpc
tracing=/sys/kernel/tracing
mkdir -p $out
uname -r >$out/uname
cat /proc/cpuinfo >$out/cpuinfo

say() {
	echo "=== $(cut -d' ' -f1 /proc/uptime) $*"
}

# NAME OPTIONS -- COMMAND…: recorded in memory, then copied.
rec() {
	name=$1
	shift
	say "$name"
	tlbtrace record -o /tmp/$name.dat "$@" >/tmp/said 2>&1
	code=$?
	cat /tmp/said
	cp /tmp/said $out/$name.said
	echo $code >$out/$name.code
	cp /tmp/$name.dat $out/ 2>/dev/null
	rm -f /tmp/$name.dat
}

# Hundredths of a second that a command takes.
hundredths() {
	t0=$(cut -d' ' -f1 /proc/uptime | tr -d .)
	"$@" >/dev/null 2>&1
	t1=$(cut -d' ' -f1 /proc/uptime | tr -d .)
	echo $((t1 - t0))
}

left() {
	ls $tracing/instances
	cat $tracing/kprobe_events 2>/dev/null
}

# Before debugfs is mounted: the ceilings are read all the same.
tlbtrace record --list >$out/list 2>&1
rec first -- true
mount -t debugfs debugfs /sys/kernel/debug
set_ceiling() {
	echo $1 >$ceilings/tlb_single_page_flush_ceiling
}

set_ceiling 34
rec shm_c34 --requests=auto -v -- shm 64 20 4
set_ceiling 31
rec shm_c31 --requests=off -- shm 64 20 4
rec shm_c31_again --requests=off -- shm 64 20 4
set_ceiling 33
rec ranges_c33 --requests=auto -- ranges 4 12
rec ranges_c33_off --requests=off -- ranges 4 12
rec ranges_c33_only --requests=only -- ranges 4 12
set_ceiling 8
rec ranges_c8 --requests=off -- ranges 4 12
rec ranges_c8_again --requests=off -- ranges 4 12
set_ceiling 33
left >$out/left

# Killed with its probes; the next run removes them.
say "killed"
tlbtrace record -q -o /tmp/killed.dat --requests=on --duration=60 &
pid=$!
n=0
while [ "$(cat $tracing/instances/tlbtrace-$pid/events/sched/sched_switch/enable 2>/dev/null)" != 1 ] &&
	[ $n -lt 100 ]; do
	sleep 0.2
	n=$((n + 1))
done
kill -9 $pid
wait $pid 2>/dev/null
left >$out/left_killed
rec after_kill --requests=off -- true
left >$out/left_after

# SIGTERM while it records with probes.
tlbtrace record -q -o /tmp/term.dat --requests=on --duration=60 &
pid=$!
sleep 6
kill -TERM $pid
wait $pid
echo $? >$out/term.code
left >$out/left_term

say "overhead"
for mode in none off auto only; do
	if [ $mode = none ]; then
		t=$(hundredths ranges 4 8)
	else
		# The recording's own preparation is not the workload's time.
		t=$(tlbtrace record -q -o /tmp/o.dat --requests=$mode -- sh -c '
			t0=$(cut -d" " -f1 /proc/uptime | tr -d .)
			ranges 4 8
			t1=$(cut -d" " -f1 /proc/uptime | tr -d .)
			echo $((t1 - t0))')
	fi
	echo "$mode $t"
done >$out/overhead
cat $out/overhead
