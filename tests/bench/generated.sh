#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# generated.sh GENERATE - what the generator knows of its traces is what whatif says of them.
set -eu

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0

# FORMAT EVENTS CPUS PROCESSES MACHINE
check() {
	local said wanted found
	said=$("$generate" "$@" 1 "$dir/trace")
	wanted=$(sed -E 's/.*tlbie=([0-9]+) tlbiel=([0-9]+) tlbie_at_31=([0-9]+).*/\1 \2 \3/' <<<"$said")
	found=$("$TLBTRACE" whatif --ceiling=31 --format=json "$dir/trace" | python3 -c '
import json, sys
machine, true = sys.argv[1], int(sys.argv[2])
r = json.load(sys.stdin)["results"][0]
new = r["policies"][0]["counters"]["tlbie"]
# Without fixups nothing stands between some requests of POWER10: then only an interval is known.
held = new["lo"] <= true <= new["hi"] <= true * 1.1
exact = machine == "p10" or new["lo"] == new["hi"]
print(r["recorded"]["tlbie"], r["recorded"]["tlbiel"],
      true if held and exact and r["fidelity"]["share"] == 1 else [new, r["fidelity"]["share"]])
' "$5" "${wanted##* }")
	[ "$found" = "$wanted" ] || {
		echo "$*: wanted $wanted, found $found"
		bad=1
	}
}

# EVENTS CPUS PROCESSES: each short process makes 4 flushes, whether it is kept apart or counted with
# those that ended.
check_ended() {
	local said
	said=$("$generate" v6 "$1" "$2" "$3" p10 1 "$dir/trace")
	"$TLBTRACE" report --by=mm --format=json "$dir/trace" | python3 -c '
import json, sys
processes = int(sys.argv[1])
rows = json.load(sys.stdin)["results"][0]["rows"]
short = [row for row in rows if row.get("tgid", 0) >= 10000]
ended = [row for row in rows if "mms" in row]
wrong = [row for row in short if row["flushes"] > 4]
flushes = sum(row["flushes"] for row in short + ended)
if wrong or not ended or flushes != 4 * processes:
    sys.exit(f"{processes} processes: {flushes} flushes, {ended}, {wrong[:3]}")
print(short[-1]["tgid"])
' "${said##*=}" >"$dir/last" || bad=1
	# One that is kept apart behind those that ended can have a budget of its own.
	"$TLBTRACE" whatif --budget="mm:$(cat "$dir/last") tlbiel<=4" "$dir/trace" >"$dir/out" || {
		tail -3 "$dir/out"
		bad=1
	}
}

generate=$1
for format in v6 v7 perf perfz; do
	check $format 60000 4 30 p9
done
check v6 60000 4 30 p10
check v6 60000 64 500 p9
check v7 120000 3 6000 p10 # more processes than are kept apart
check_ended 120000 3 6000
exit $bad
