#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# record-docs.sh - the command lines of the documents that record, run as they stand but for shorter times
# and this machine's event: what they leave can be asked.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../record/common.sh"
need_backend tracefs
build_workload
cd "$folder"
mkdir bin help
ln -s "$TLBTRACE" bin/tlbtrace
PATH=$folder/bin:$PATH
tlbtrace record --help >help/record
event=tlb:tlb_flush
[ ! -e $tracing/events/powerpc/tlbie ] || event=powerpc:tlbie
python3 "$here/../docs/commands.py" "$here"/../../README.md "$here"/../../docs/*.md help/record |
	grep -E '^(tlbtrace|trace-cmd|perf) record' | sort -u >commands
[ "$(wc -l <commands)" -ge 11 ]

# A folder of its own for each, with the programs that are named.
prepare() {
	rm -rf work
	mkdir work
	for name in program workload a.out; do
		cp "$work" work/$name
	done
	printf 'all:\n\t./program 300\n' >work/Makefile
}

ran=0
while IFS= read -r line; do
	prepare
	command=$(sed -E "s/--duration=10/--duration=1/; s/powerpc:tlbie/$event/" <<<"$line")
	case $command in
	*--dry-run*) ;;
	*" -- "* | *--duration=* | *./program) ;;
	*) command="$command --duration=1" ;; # until Ctrl-C, as it stands
	esac
	tool=${command%% *}
	status=0
	(cd work && eval "$command" >../out 2>../err </dev/null) || status=$?
	if [ $status != 0 ]; then
		# This machine lacks what it asks for: one line of tlbtrace says what, the others exit as they do.
		[ "$tool" != tlbtrace ] || { [ $status = 4 ] && grep -qE '^tlbtrace: (perf|requests)' err; } ||
			fail "$line: exit $status: $(cat err)"
		echo "not possible here: $line: $(tail -1 err)"
		continue
	fi
	ran=$((ran + 1))
	case $command in
	*--dry-run*)
		[ ! -e work/trace.dat ] && grep -q "$event" out err || fail "$line: $(cat out err)"
		continue
		;;
	*production.dat*) file=production.dat ;;
	*perf*) file=perf.data ;;
	*) file=trace.dat ;;
	esac
	[ -s work/$file ] || fail "$line: no $file: $(cat out err)"
	tlbtrace info --format=json work/$file >info || fail "$line: $file cannot be read"
	jq -e --arg event $event '.results[0].input.events | has($event)' info >/dev/null ||
		fail "$line: $file lacks $event: $(jq -c '.results[0].input.events | keys' info)"
	[ "$tool" = tlbtrace ] || continue
	# What was recorded, and what to ask next.
	grep -qE "^Recorded [0-9.]+ s with [a-z-]+: $file, [0-9.]+ MB$" err && grep -qE " [1-9][0-9]*  $event$" err ||
		fail "$line: $(cat err)"
	next=$(sed -n 's/^Next: //p' err)
	(cd work && eval "$next" >../out 2>../err) || fail "$line: next: $next: $(cat err)"
done <commands
[ $ran -ge 6 ] || fail "only $ran of $(wc -l <commands) command lines ran"
echo "record-docs: $ran of $(wc -l <commands) command lines ran"
