#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# guest-job.sh - runs inside the virtual machine: records the workloads in every mode, into /mnt/out,
# and ends recordings in every way; of that, what /mnt/parts names. check.sh judges what came out.
out=/mnt/out
tracing=/sys/kernel/tracing
mkdir -p $out
uname -r >$out/uname
cat /proc/cpuinfo >$out/cpuinfo
# Where a mapping crosses the bounds of page tables decides how its flush is cut: the same in each run.
echo 0 >/proc/sys/kernel/randomize_va_space

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
	cp /tmp/$name.dat /tmp/$name.dat.tlbmeta $out/ 2>/dev/null
	rm -f /tmp/$name.dat*
}

# NAME COMMAND…: one run recorded twice, NAME_alone by its requests alone, NAME_both with everything.
# What the second recording itself flushes is in the first: both are read for the command only.
rec_twice() {
	both=$1_both
	name=$1_alone
	shift
	rec $name --requests=only -- tlbtrace record -q --requests=on -o /tmp/$both.dat -- "$@"
	cp /tmp/$both.dat $out/
	rm -f /tmp/$both.dat
}

# COMMAND…: runs it, and notes how many IPIs for flushes the CPUs received meanwhile, where the kernel
# counts them.
cat >/bin/counting <<'END'
#!/bin/sh
ipis() {
	awk '$1 == "TLB:" { for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' \
		/proc/interrupts
}
before=$(ipis)
"$@"
echo $(($(ipis) - before)) >/mnt/out/ipis
END
chmod +x /bin/counting

left() {
	ls $tracing/instances
	cat $tracing/kprobe_events 2>/dev/null
}

# Before debugfs is mounted: the ceilings are read all the same.
say list
tlbtrace record --list >$out/list 2>&1
rec first -- true
mount -t debugfs debugfs /sys/kernel/debug
ceiling=$(echo /sys/kernel/debug/*/tlb_single_page_flush_ceiling)
if [ -d /sys/kernel/debug/x86 ]; then
	shm="shm 4 5 4" shm_high=600 shm_low=31 shmdt=shmdt loops=4
else
	shm="shm 64 20 4" shm_high=34 shm_low=31 shmdt=ipc loops=12
fi
set_ceiling() {
	echo $1 >$ceiling
}

part_shm() {
	set_ceiling $shm_high
	rec shm_high --requests=on -v -- $shm
	rec shm_only --requests=only -e "syscalls:sys_*_$shmdt" -- $shm
	rec_twice shm $shm
	set_ceiling $shm_low
	rec shm_low --requests=off -- $shm
	rec shm_low_again --requests=off -- $shm
}

part_ranges() {
	set_ceiling 512
	rec ranges_high --requests=on -v -- ranges 4 $loops
	rec ranges_high_off --requests=off -- ranges 4 $loops
	rec ranges_only --requests=only -v -- ranges 4 $loops
	rec_twice together counting ranges 4 $loops together
	set_ceiling 8
	rec ranges_low --requests=off -- ranges 4 $loops
	rec ranges_low_again --requests=off -- ranges 4 $loops
}

# By the other recorders.
part_recorders() {
	set_ceiling 33
	rec tracefs --with=tracefs --requests=on -- ranges 1 $loops
	rec perf --with=perf --requests=on -- ranges 1 $loops
	rec tracecmd --with=trace-cmd --requests=on -- ranges 1 $loops
	left >$out/left
}

# Waits until the recording with this id has begun: a new instance is on until it is told otherwise,
# and on again when all events are enabled.
begun() {
	n=0
	while [ "$(cd $tracing/instances/tlbtrace-$1 2>/dev/null &&
		cat events/sched/sched_switch/enable tracing_on 2>/dev/null)" != "1
1" ] && [ $n -lt 300 ]; do
		sleep 0.2
		n=$((n + 1))
	done
}

# The processes that this one has started.
children() {
	for stat in /proc/[0-9]*/stat; do
		awk -v parent=$1 '$4 == parent { print $1 }' $stat 2>/dev/null
	done
}

part_endings() {
	# Killed with its probes; the next run removes them.
	say "killed"
	tlbtrace record -q -o /tmp/killed.dat --requests=on --duration=60 &
	pid=$!
	begun $pid
	kill -9 $pid
	wait $pid 2>/dev/null
	left >$out/left_killed
	rec after_kill --requests=off -- true
	left >$out/left_after

	# SIGTERM while it records with probes.
	tlbtrace record -q -o /tmp/term.dat --requests=on --duration=60 &
	pid=$!
	begun $pid
	kill -TERM $pid
	wait $pid
	echo $? >$out/term.code
	left >$out/left_term

	# trace-cmd is killed while it records with our probes.
	say "trace-cmd killed"
	tlbtrace record -o /tmp/child.dat --with=trace-cmd --requests=on --duration=60 >$out/child.said 2>&1 &
	pid=$!
	begun $pid
	kill -9 $(children $pid)
	wait $pid
	echo $? >$out/child.code
	sleep 1
	left >$out/left_child
	grep -lx trace-cmd /proc/[0-9]*/comm >>$out/left_child
	rm -f /tmp/child.dat*

	# tracefs vanishes while it records: it ends, with whatever it can save.
	say "tracefs gone"
	tlbtrace record -o /tmp/gone.dat --duration=20 >$out/gone.said 2>&1 &
	pid=$!
	begun $pid
	umount -l $tracing
	wait $pid
	echo $? >$out/gone.code
	mount -t tracefs tracefs $tracing
}

# How many hundredths of a second the workload takes, by itself and recorded; what the recording itself
# needs to begin and to end is not its time.
export loops
timed='t0=$(cut -d" " -f1 /proc/uptime | tr -d .)
	ranges 1 $loops
	t1=$(cut -d" " -f1 /proc/uptime | tr -d .)
	echo $((t1 - t0))'
part_overhead() {
	for round in 1 2 3; do
		echo "none $(sh -c "$timed")"
		for mode in off on only; do
			echo "$mode $(tlbtrace record -q --requests=$mode -o /tmp/o.dat -- sh -c "$timed")"
		done
		for with in perf trace-cmd; do
			echo "$with $(tlbtrace record -q --with=$with --requests=off -o /tmp/o.dat -- sh -c "$timed")"
			rm -f /tmp/o.dat*
		done
	done >$out/overhead
	cat $out/overhead
}

for part in $(cat /mnt/parts); do
	say "part $part"
	part_$part
done
