#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Every kind of JSON that the commands write, from traces of every kind, against docs/schema.
set -eu
python3 -c 'import jsonschema' 2>/dev/null || {
	echo "needs python3-jsonschema"
	exit 77
}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
n=0

# Runs tlbtrace with these arguments, keeps its JSON, and expects exit 0, or 1 for a failed check.
json() {
	local status=0
	n=$((n + 1))
	"$TLBTRACE" "$@" -q --format=json >"$scratch/$n-$1.json" || status=$?
	[ "$status" -le 1 ] || {
		echo "exit $status: tlbtrace $*"
		exit 1
	}
}

json policies
json policies radix
for trace in slim_shm_c34.dat slim_4k_ranges_c33.dat truth_p10_shm_c34.dat x86_shoot3_c33.dat \
	x86_clk_counter.dat; do
	json info "$DATA/$trace"
	json whatif "$DATA/$trace"
	json whatif --ceiling=64 --sweep=ceiling=30:35 --budget='flushes<=3/s' --min-fidelity=99% \
		"$DATA/$trace"
	json report --by=mm "$DATA/$trace"
	json report --by=task "$DATA/$trace"
done
json info "$DATA/vcpu_standin.dat"
json whatif -p radix,ceiling=8 -p radix,era=v4.13 "$DATA/slim_shm_c34.dat" "$DATA/slim_shm_c31.dat"
json whatif -p radix,lazy=combined -p radix,tlbie=off -p arm64 -p riscv --isolated=1-3 --cost=tlbie=620ns \
	"$DATA/slim_shm_c34.dat"
json whatif -p e500mc,variant=v2 "$DATA/vcpu_standin.dat"
json whatif --ceiling=8 --baseline="$scratch/1.base" --update-baseline "$DATA/slim_shm_c34.dat"
json whatif --ceiling=8 --baseline="$scratch/1.base" "$DATA/slim_shm_c31.dat"
for by in cpu cause size time; do
	json report --by=$by "$DATA/slim_ranges_c33.dat"
done
"$TLBTRACE" summarize --recorded=ceiling=34,local-ceiling=256 --comm=shm "$DATA/slim_shm_c34.dat" \
	"$DATA/slim_shm_c34_v6.dat" "$DATA/slim_shm_c31.dat" --again -o "$scratch/sum.tlbsum"
json whatif -p radix,trim=none "$scratch/sum.tlbsum"
json info "$scratch/sum.tlbsum"
json report --by=cause "$scratch/sum.tlbsum"
json verify --ceiling=31 "$scratch/sum.tlbsum" --actual="$DATA/slim_shm_c31.dat" --per=seconds
json diff "$DATA/slim_shm_c34.dat" "$DATA/slim_shm_c31.dat"
json verify --ceiling=31 "$DATA/slim_shm_c34.dat" --actual="$DATA/slim_shm_c31.dat" --per=seconds
json verify --ceiling=8 "$DATA/x86_shoot3_c33.dat" --actual="$DATA/x86_shoot3_c8.dat"
for trace in slim_shm_c34.dat slim_4k_ranges_c33.dat truth_p10_shm_c34.dat x86_shoot3_c33.dat x86_truth.dat \
	masks_ctxsw.dat hash_ranges.dat; do
	"$TLBTRACE" export -q --format=jsonl -o "$scratch/$trace.jsonl" "$DATA/$trace"
done
# And what the golden files show, but for the page of documents, where outputs are cut.
python3 - "$scratch" "$here"/../golden/*.stdout <<'END'
import json
import pathlib
import sys

decoder, n = json.JSONDecoder(), 0
for path in map(pathlib.Path, sys.argv[2:]):
    text = "\n" + path.read_text(encoding="utf-8")
    at = text.find("\n{\n") if path.name != "docs.stdout" else -1
    while at >= 0:
        document, end = decoder.raw_decode(text, at + 1)
        n += 1
        pathlib.Path(sys.argv[1], f"golden-{n}.json").write_text(json.dumps(document))
        at = text.find("\n{\n", end)
sys.exit(f"only {n} documents in the golden files" if n < 10 else 0)
END
python3 "$here/schema.py" "$here/../../docs/schema" "$scratch"/*.json "$scratch"/*.jsonl
