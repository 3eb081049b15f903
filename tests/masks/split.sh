#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A recording that begins in mid-run tells less of masks than the whole one, and must say so: under each
# policy of masks its intervals contain what is likely by the whole file.
set -u
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
for tool in trace-cmd jq python3; do
	command -v "$tool" >/dev/null || {
		echo "needs $tool"
		exit 77
	}
done
policies=(radix,tlbie=off radix,trim=none radix,trim=v4.18 radix,trim=v5.10 radix,trim=v5.12
	radix,lazy=combined radix,lazy=shootdown radix,trim=none,tlbie=off radix,trim=v4.18,tlbie=off
	radix,lazy=combined,tlbie=off)
asked=()
for policy in "${policies[@]}"; do
	asked+=(-p "$policy")
done

# Times in pauses between flushes, spread over the middle, and one behind the last record.
begins() {
	trace-cmd report -N "$1" 2>/dev/null | python3 -c '
import re, sys
at = sorted(m.group(1) for m in re.finditer(r" (\d+\.\d+): (?:powerpc:)?tlbie:", sys.stdin.read()))
ns = [int(t.replace(".", "")) * (1000 if len(t.split(".")[1]) == 6 else 1) for t in at]
ns.sort()
pauses = sorted(((ns[i] - ns[i - 1], i) for i in range(1, len(ns))), reverse=True)
pauses = [i for pause, i in pauses[:40]]
for part in (4, 6, 8, 10, 12):
    i = min(pauses, key=lambda i: abs(i - len(ns) * part / 16))
    begin = ns[i - 1] + 50000
    print(f"{begin // 10**9}.{begin % 10**9:09d}")
print(f"{ns[-1] // 10**9 + 2}.0")'
}

windows=0
failed=0
for file in truth_p9_shm_c34 truth_p9_ranges_thp truth_p10_shm_c34 truth_72_p9_shm_c34 truth_p9_ctxsw2 \
	masks_mig_truth masks_shm_truth masks_612_build_truth masks_612_ctxsw_truth truth_510_p9_misc; do
	mapfile -t at < <(begins "$DATA/$file.dat")
	end=${at[-1]}
	for begin in "${at[@]:0:5}"; do
		rm -f "$dir"/part*
		trace-cmd split -i "$DATA/$file.dat" -o "$dir/part" "$begin" "$end" >/dev/null 2>&1 || exit 1
		part=$(find "$dir" -name 'part*')
		kernel=$("$TLBTRACE" info --format=json "$DATA/$file.dat" |
			jq -r '.results[0].model | "trim=\(.trim.value),lazy=\(.lazy.value)"')
		"$TLBTRACE" whatif --format=json --time="$begin,$end" "${asked[@]}" "$DATA/$file.dat" \
			>"$dir/whole.json" || exit 1
		"$TLBTRACE" whatif --format=json --recorded="$kernel" "${asked[@]}" "$part" \
			>"$dir/split.json" || exit 1
		python3 - "$dir/whole.json" "$dir/split.json" "$file $begin" <<'END'
import json, sys
whole, split = (json.load(open(f))["results"][0] for f in sys.argv[1:3])
# A flush that the split cuts in two would differ under any policy.
if any(whole["recorded"][key] != split["recorded"][key] for key in ("tlbie", "tlbiel")):
    sys.exit(2)
whole, split = whole["policies"], split["policies"]
bad = 0
for w, s in zip(whole, split):
    for key in ("tlbie", "tlbiel", "ipis"):
        true, said = w["counters"][key], s["counters"][key]
        # Where the whole file has no likely value either, both must be possible at once.
        least, most = (true.get("likely", true[end]) for end in ("hi", "lo"))
        if said["lo"] > least or said["hi"] < most:
            print(sys.argv[3], s["policy"], key, said, "whole", true)
            bad = 1
sys.exit(bad)
END
		case $? in
		0) windows=$((windows + 1)) ;;
		1) failed=1 ;;
		esac
	done
done
echo "$windows windows"
[ "$windows" -ge 30 ] || failed=1
exit $failed
