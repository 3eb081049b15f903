# SPDX-License-Identifier: GPL-2.0-or-later
# common.sh - what the tests of `tlbtrace record` share; sourced by e2e/record-*.sh.
# Needs $TLBTRACE and $folder. What is recorded is the whole machine, where other tests may run as well:
# the workload has a name of its own, $work.
: "${TLBTRACE:?names the program}"
tracing=/sys/kernel/tracing
instances=$tracing/instances
export work=flush$$ # at most 15 letters

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

skip() {
	echo "skipped: $*"
	exit 77
}

# Skips the test where this machine does not let the backend record, with its own words.
need_backend() {
	local why
	why=$(timeout 60 "$TLBTRACE" record --with="$1" --requests=off -o "$folder/try" -- true 2>&1) ||
		skip "$why"
	rm -f "$folder"/try*
}

# A single-threaded program whose flushes are the same each time: N times mmap, touch, munmap of 1 to
# 30 pages, kept on one CPU.
build_workload() {
	command -v cc >/dev/null || skip "no C compiler"
	cc -O1 -D_GNU_SOURCE -x c -o "$folder/$work" - <<-'END'
	#include <sched.h>
	#include <stdlib.h>
	#include <sys/mman.h>
	int main(int argc, char **argv)
	{
		int n = argc > 1 ? atoi(argv[1]) : 300;
		cpu_set_t one;
		CPU_ZERO(&one);
		CPU_SET(sched_getcpu(), &one);
		sched_setaffinity(0, sizeof(one), &one);
		for (int i = 0; i < n; i++) {
			size_t len = 4096ul * (1 + i % 30);
			char *p = mmap(0, len, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			for (size_t at = 0; at < len; at += 4096)
				p[at] = 1;
			munmap(p, len);
		}
		return 0;
	}
	END
}

# What tracefs is set to, apart from our own instance.
settings() {
	(cd "$tracing" && cat tracing_on current_tracer trace_clock set_event buffer_size_kb \
		tracing_cpumask trace_options kprobe_events 2>/dev/null) || :
}

# No instance of the process $1, and nothing changed since $2.
check_clean() {
	[ ! -e "$instances/tlbtrace-$1" ] || fail "the instance tlbtrace-$1 is left"
	[ "$(settings)" = "$2" ] || fail "a setting of tracefs has changed"
	! ls "$folder"/*.cpu* >/dev/null 2>&1 || fail "files are left: $(ls "$folder")"
}

# Runs record in the background, its number in $pid, until it records.
begin() {
	"$TLBTRACE" record -q --with=tracefs "$@" 2>said &
	pid=$!
	local n=0
	until [ $((n += 1)) -gt 1200 ] || ! kill -0 $pid 2>/dev/null; do
		# A new instance is on until it is told otherwise; events come last but for that.
		[ "$(cd "$instances/tlbtrace-$pid" 2>/dev/null &&
			cat events/sched/sched_switch/enable tracing_on 2>/dev/null)" = "1
1" ] && return
		sleep 0.05
	done
	fail "it does not begin to record: $(cat said)"
}

# Flushes of the workload in trace $1; fewer where several may be one.
flushes() {
	"$TLBTRACE" whatif --format=json --comm="$work" "$1" |
		jq '.results[0] | .recorded.flushes // .derived.flushes.lo'
}

# Events of name $2 in trace $1, as whatif counts them.
events() {
	"$TLBTRACE" whatif --format=json "$1" | jq ".results[0].input.events[\"$2\"] // 0"
}
