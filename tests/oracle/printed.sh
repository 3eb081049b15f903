# SPDX-License-Identifier: GPL-2.0-or-later
# printed.sh - flushes and switches of a trace, one a line and sorted, as two programs print them: time
# in nanoseconds, CPU, task, event and fields. Sourced.

printed_by_us() {
	"$DUMP_EVENTS" -e "$1" |
		sed -nE '/ (tlbie|x86_flush|switch) /{ s/ \[0*([0-9]+)\]/ \1/; s/ @[0-9]+$//; p }' | sort
}

# $1 is a directory that perf converted: perf's names of the fields.
printed_by_babeltrace() {
	babeltrace2 --no-delta --clock-cycles "$1" 2>/dev/null | sed -nE '
		s/^\[0*([0-9]+)\] ([a-z]+:[a-z_]+): \{ cpu_id = ([0-9]+) \}, \{.* common_pid = ([0-9]+), (.*) \}$/\1 \3 \4 \2 \5/
		s/prev_comm = "(.*)", prev_pid = ([0-9]+), .*prev_state = ([0-9]+), next_comm = "(.*)", next_pid = ([0-9]+), .*/\1:\2 [\3] ==> \4:\5/
		s/ sched:sched_switch / switch /p
		/ (powerpc:tlbie|tlb:tlb_flush) /{
			s/ powerpc:tlbie / tlbie /; s/ tlb:tlb_flush / x86_flush /; s/ = /=/g; s/,//g
			s/=0x([0-9A-F]+)/=\L\1/g; p
		}' | sort
}
