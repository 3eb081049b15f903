#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ci-docs.sh - every command of docs/ci.md runs, ends with 0 or 1, and writes what its reader takes.
set -eu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cp "$DATA/p9_shm_c34.dat" trace.dat
cp "$DATA/p9_shm_c34.dat" before.dat
cp "$DATA/p9_shm_c31.dat" after.dat
mkdir bin
ln -s "$TLBTRACE" bin/tlbtrace
PATH=$dir/bin:$PATH

# Recording is for e2e/record-docs.sh; what they print is compared by golden/docs.
python3 "$here/../docs/commands.py" "$here/../../docs/ci.md" | grep -v '^tlbtrace record' >commands
[ "$(wc -l <commands)" -ge 11 ]
n=0
while read -r command; do
	n=$((n + 1))
	status=0
	GITHUB_STEP_SUMMARY=$dir/summary.md bash -c "$command" >"out.$n" 2>"err.$n" </dev/null || status=$?
	[ $status -le 1 ] || { echo "exit $status: $command"; cat "err.$n"; exit 1; }
	printf '%s\t%s\n' "$status" "$command" >>ends
done <commands

# What they end with: the trace keeps to these limits, and the kernel did what was predicted.
! grep -v '^0' ends | grep -v baseline=before.json || exit 1
grep -q '^0.*verify' ends
xmllint --noout --schema "$here/junit.xsd" tlb.xml 2>/dev/null
grep -q '^| *tlbie' comment.md && grep -q '^| *tlbie' summary.md
jq -e '.schema == "tlbtrace-whatif/1"' before.json >/dev/null
# A limit that does not hold ends all of them with 1.
while read -r command; do
	status=0
	bash -c "${command//10k/10}" >/dev/null 2>&1 </dev/null || status=$?
	[ $status = 1 ] || { echo "exit $status: ${command//10k/10}"; exit 1; }
done < <(grep 10k commands)
