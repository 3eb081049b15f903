#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# validate.sh - holds predictions and put-together requests against recordings of real kernels, and
# writes what came out as Markdown. Needs TLBTRACE (the program) and TLBTRACE_TRACES.
set -u
: "${TLBTRACE:?names the program}" "${TLBTRACE_TRACES:?names the folder of traces}"
TLBTRACE=$(realpath -e "$TLBTRACE") || exit 1
truth=$(dirname "$TLBTRACE")/tests/truth
follow=$(dirname "$TLBTRACE")/tests/masks/follow
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$TLBTRACE_TRACES" || exit 1
failed=0

# One row: RECORDED, a title, options, then the actual recordings.
compare() {
	local recorded=$1 title=$2 options=$3 actual=() json
	shift 3
	for file in "$@"; do
		[ -e "$file" ] || return 0
		actual+=("--actual=$file")
	done
	[ -e "$recorded" ] || return 0
	# shellcheck disable=SC2086 # options are several words
	json=$("$TLBTRACE" verify $options "${actual[@]}" --format=json "$recorded") ||
		[ $? -eq 1 ] || {
		failed=1
		return
	}
	jq -r --arg title "$title" '
		def per($side; $key): $side[$key] / $side.units;
		def show: if . == floor then tostring else . * 10 | round / 10 | tostring end;
		def range($from; $to): ($from | show) as $a | ($to | show) as $b |
			if $a == $b then $a else $a + " … " + $b end;
		. as $all | .recorded.units as $units |
		[ $title, .policy,
		  ( ("tlbie", "tlbiel") as $key | .predicted[$key] as $p |
		    [ $all.actual[] | per(.; $key) ] as $actual |
		    (if $p.likely then $p.likely / $units | show else "" end),
		    range($p.lo / $units; $p.hi / $units),
		    range($actual | min; $actual | max),
		    $p.because ) ] | "| " + join(" | ") + " |"' <<<"$json"
}

# What, when, on which commit, and how it ended: noted by hand, one a line.
longer_tests() {
	echo
	echo "| command | commit | date | ended |"
	echo "|---|---|---|---|"
	grep -v '^#' "$here/full/last.tsv" | sed 's/\t/ | /g; s/^/| /; s/$/ |/'
}

header() {
	echo
	echo "| predicted from | policy | tlbie | bounds | recorded | holds by | tlbiel | bounds | recorded | holds by |"
	echo "|---|---|---|---|---|---|---|---|---|---|"
}

# Every recording with the ceiling, the one with probes too: two of them are a spread.
recordings() {
	local file
	for file in "$1.dat" "$1.truth.dat"; do
		[ -e "$file" ] && echo "$file"
	done
}

predict_all() {
	local machine=$1 workload=$2 from=$3 to
	shift 3
	local recorded=$machine/${workload}_c$from.dat
	for to in "$@"; do
		local actual
		mapfile -t actual < <(recordings "$machine/${workload}_c$to")
		[ ${#actual[@]} -gt 0 ] || continue
		compare "$recorded" "${recorded%.dat}" "--ceiling=$to --ignore=requests" "${actual[@]}"
	done
}

downward() {
	local machine
	for machine in ppc64le-6.1/pseries-p9 ppc64le-6.1/pseries-p10 \
		ppc64le-other/6.12-POWER9-4K ppc64le-other/6.12-POWER9-64K ppc64le-7.2/*; do
		predict_all "$machine" ranges 512 33 8
		predict_all "$machine" ranges 33 8
		predict_all "$machine" shm 34 33 31 16 1
		predict_all "$machine" shm 600 31
		compare "$machine/local_l256.dat" "$machine/local_l256" \
			"--local-ceiling=16 --ignore=requests" "$machine/local_l16.dat"
	done
}

upward() {
	local machine=ppc64le-6.1/pseries-p9
	compare $machine/ranges_c8.truth.dat "$machine/ranges_c8.truth" --ceiling=33 \
		$machine/ranges_c33.dat $machine/ranges_c33.truth.dat
	compare $machine/ranges_c8.truth.dat "$machine/ranges_c8.truth" --ceiling=512 \
		$machine/ranges_c512.dat $machine/ranges_c512.truth.dat
	compare $machine/ranges_c33.truth.dat "$machine/ranges_c33.truth" --ceiling=512 \
		$machine/ranges_c512.dat $machine/ranges_c512.truth.dat
	compare $machine/shm_c1.truth.dat "$machine/shm_c1.truth" "--ceiling=34 --recorded=ceiling=1" \
		$machine/shm_c34.dat $machine/shm_c34.truth.dat
	for machine in ppc64le-6.1/pseries-p10 ppc64le-7.2/*; do
		compare "$machine/ranges_c33.truth.dat" "$machine/ranges_c33.truth" --ceiling=512 \
			"$machine/ranges_c512.dat"
	done
}

# A promoted flush without its probe: only the bounds are the answer.
unprobed() {
	local machine
	for machine in ppc64le-6.1/pseries-p9 ppc64le-6.1/pseries-p10 ppc64le-other/6.12-POWER9-64K \
		ppc64le-7.2/*; do
		predict_all "$machine" shm 31 33 34 600
		predict_all "$machine" ranges 8 33 512
	done
}

per_call() {
	local machine to
	for machine in ppc64le-6.1/pseries-p9 ppc64le-6.1/pseries-p10; do
		for to in 31 16 1; do
			compare $machine/shm_c34.dat "$machine/shm_c34, per shmdt" \
				"--ceiling=$to --per=event:sys_exit_ipc" $machine/shm_c$to.dat
		done
	done
}

# IPIs to other CPUs per call that detaches (ipc 0x16), as a probe on smp_call_function_many_cond saw
# them: CPUs of the mask beside the sender.
probed_ipis() {
	trace-cmd report "$1" 2>/dev/null | awk '
		function weight(hex, i, n, digit) {
			for (i = 1; i <= length(hex); i++)
				for (digit = index("123456789abcdef", substr(hex, i, 1)); digit > 0;
				     digit = int(digit / 2))
					n += digit % 2
			return n
		}
		/sys_enter_ipc:.*call: 0x00000016/ { inside[$1] = 1; calls++ }
		/sys_exit_ipc:/ { inside[$1] = 0 }
		/smp_call_many:/ && inside[$1] {
			match($0, /mask=0x[0-9a-f]+/)
			ipis += weight(substr($0, RSTART + 7, RLENGTH - 7)) - 1
		}
		END { if (calls) printf "%g", ipis / calls }'
}

# One row of a policy that flushes by IPI: RECORDED, options, probed IPIs, then the actual recordings.
by_ipi() {
	local recorded=$1 options=$2 probed=$3 actual=() json
	shift 3
	for file in "$@"; do
		[ -e "$file" ] && actual+=("--actual=$file")
	done
	[ -e "$recorded" ] && [ ${#actual[@]} -gt 0 ] || return 0
	# shellcheck disable=SC2086 # options are several words
	json=$("$TLBTRACE" verify $options --per=event:sys_exit_ipc "${actual[@]}" --format=json \
		"$recorded") || [ $? -eq 1 ] || {
		failed=1
		return
	}
	jq -r --arg title "${recorded%.dat}" --arg probed "$probed" '
		def show: . * 10 | round / 10 | tostring;
		.recorded.units as $n | .predicted as $p |
		([ .actual[] | .tlbiel / .units ] | add / length) as $actual |
		[ $title, .policy, ($p.tlbiel.likely / $n | show), ($actual | show),
		  ((($p.tlbiel.likely / $n) / $actual - 1) * 100 | show) + " %",
		  ($p.ipis.lo / $n | show) + " … " + ($p.ipis.hi / $n | show),
		  if $probed == "" then "not probed" else $probed end ] |
		"| " + join(" | ") + " |"' <<<"$json"
}

by_ipis() {
	local machine=ppc64le-6.1/pseries-p9 from probed
	probed=$(probed_ipis $machine/noipi_shm_c34.truth.dat)
	echo
	echo "| predicted from | policy | tlbiel | recorded | off | IPIs | probed |"
	echo "|---|---|---|---|---|---|---|"
	for from in shm_c34 shm_c34.truth shm_c34_v6 shm_c33; do
		by_ipi $machine/$from.dat "-p radix,tlbie=off" "$probed" \
			$machine/noipi_shm_c34.dat $machine/noipi_shm_c34.truth.dat
		by_ipi $machine/$from.dat "-p radix,tlbie=off,ceiling=31" "" $machine/noipi_shm_c31.dat
	done
	by_ipi $machine/shm_c31.dat "-p radix,tlbie=off" "" $machine/noipi_shm_c31.dat
}

known_ceilings() {
	local manifest file ceiling local
	for manifest in ppc64le-*/MANIFEST.tsv; do
		while IFS=$'\t' read -r file _ _ ceiling local _; do
			case $file in
			*.truth.dat) printf '%s\n' "--recorded=ceiling=$ceiling,local-ceiling=$local" \
				"$(dirname "$manifest")/$file" ;;
			esac
		done <"$manifest"
	done
}

put_together() {
	local arguments
	mapfile -t arguments < <(known_ceilings)
	echo
	echo "| trace | without | kind | requests | exact | % | seen | ambiguous | wrong, but seen | lost |"
	echo "|---|---|---|---|---|---|---|---|---|---|"
	"$truth" --slack=2 "${arguments[@]}" >"$scratch" || failed=1 # as in full/truth.sh
	tail -n +2 "$scratch" | grep -v '^#' | sed 's/\t/ | /g; s/^/| /; s/$/ |/'
	echo
	grep '^#' "$scratch" | sed 's/^#/-/'
}

scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT
# What the masks foretell, and what they are with evidence, by kernel: from tests/masks/follow.
masks() {
	local kernel name
	echo '| kernel | recordings | masks | scope | before evidence | one flush ahead | as last time | changes | false |'
	echo '|---|---|---|---|---|---|---|---|---|'
	for kernel in 6.1 6.12 7.2; do
		for name in all build local_mig; do
			find -L . -path "*ppc64le-*$kernel[-/]*" -name "$([ "$name" = all ] || echo "$name")*.dat" -print0 |
				sort -z | xargs -0 -r "$follow" | awk -v kernel="$kernel" -v name="$name" '
				{ for (i = 2; i <= NF; i++) { split($i, a, "="); s[a[1]] += a[2] } }
				function of(what, all) { return all ? s[what] " of " all : "not probed" }
				END { if (s["flushes"]) print "| " kernel " | " name " | " of("masks", s["read"]) " | " \
					of("scopes", s["probed"]) " | " of("predicted", s["probed"]) " | " \
					of("agree", s["flushes"]) " | " s["same"] " | " \
					of("changes_predicted", s["changes"]) " | " s["changes_false"] " |" }'
		done
	done
	printf '\n'
	find -L . -path '*ppc64le*' -name 'local_mig*.dat' -print0 | xargs -0 -r "$follow" | awk '
		{ for (i = 2; i <= NF; i++) { split($i, a, "="); v[a[1]] = a[2]; s[a[1]] += a[2] }
		  off += v["free_ipis"] != v["trims_recorded"] }
		END { printf "Of the %d recordings of one thread that moves, %d have as many trims as the machine ", NR, NR - off
		      printf "makes on switches alone: %d of %d in all.\n", s["free_ipis"], s["trims_recorded"] }'
}

cat <<'END'
# Validation

Made by `./run validate` from recordings of unmodified Debian kernels (6.1, 6.12 and 7.2, POWER9 and
POWER10 under QEMU), in which ceilings were set and the kernel's flush functions probed. Counts are
what those kernels did. *holds by* says what it takes to agree: `tolerance` is 3 % of the recorded
spread, `interval` lies between the bounds of the prediction, `trim clock` is explained by one trim
of a mask more or less on each CPU (their phase no trace tells), `undecided` the same where a trim
could have moved more than was counted, which decides nothing; `outside` is none of these.

Recordings of the same work differ by what the kernel chose anew: where a mapping begins within its
2M (the two ends of a shared segment are 14 and 18 pages in one run, 1 and 31 in the next: at a
ceiling of 16 that is 13 tlbie per shmdt), which page tables an munmap frees, where tasks ran. With
one recording there is no spread to hold that against.

## Predictions downward

Without the requests that probes saw, from one recording to others with a lower ceiling. Where the
kernel was recorded twice, the spread stands in the column *recorded*.
END
header
downward
cat <<'END'

## Predictions upward

What a promoted flush had asked for only its probe tells: these use the requests.
END
header
upward
cat <<'END'

Without the requests a promoted flush is open from the lowest ceiling that the trace allows, also at
the ceiling that mainline has and the recording perhaps had: only the bounds are an answer.
END
header
unprobed
cat <<'END'

## Per call

Calls that detach 256 MB of shared memory, those apart in which the trim clock turned the rest local.
END
header
per_call
cat <<'END'

## Broadcasts replaced by IPIs

The same calls of a kernel with `tlbie_enabled=0`: each CPU of the mask flushes by `tlbiel`. *probed* are
the CPUs that `smp_call_function_many_cond` was asked to interrupt; several requests may share an IPI,
which is the lower end of the interval.
END
by_ipis
cat <<'END'

## Masks

Which CPUs are in `mm_cpumask`, and what follows from it. *masks* are exactly as the probe on
`flush_type_needed()` saw them, *scope* is local, global or none as the kernel decided, with the evidence
of recorded trims and *before* it. The other columns need no probe: the scope told *one flush ahead*,
against guessing *as last time*; *changes* are trims and scopes that are not as last time, without the
trims of the clock, whose phase nobody knows, and *false* changes that did not come. On builds the guess
is as good on 7.2, where all flushes are local.

END
masks
cat <<'END'

Lazy TLB and vCPUs are held against other counts. On the recordings of wakeups and builds the atomics are
those that a script of its own counts in their text (tests/masks/lazy.sh). On 6.12 the recorded policy
gives the IPIs that probes counted: 108 that trim in a build, and 7 at the last mmdrop within 0 to 9; 3
and 0 in a run of wakeups. The loads, migrations and invalidations of vCPU threads are those that a
script counted from the raw switches, to the last one (tests/unit/test_e500mc.c).
END
cat <<'END'

## Requests put together without probes

Held against the probes of the same trace, request by request: *exact* has the same records and the
same range. The predictions from both are compared too: at 152 ceilings the one with requests lies
in the interval without.
END
put_together
cat <<'END'

## Longer tests

What `./run test` leaves out because it takes long, needs root or another machine, and how it last ended
(tests/full/last.tsv).
END
longer_tests
exit $failed
