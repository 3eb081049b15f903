#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Masks and scopes of real traces against their own records and against probes on the kernel.
# With TLBTRACE_TRACES naming a directory, all ppc64le traces below it are judged together too.
set -u
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT

# judge NAME EXPRESSION... - over the lines of $out that have NAME in their file's name; the
# expressions see each line's keys as v["key"] and the sums over all lines as s["key"].
judge() {
	local name=$1 expression
	shift
	for expression; do
		awk -v name="$name" '
			index($1, name) {
				lines++
				for (i = 2; i <= NF; i++) {
					split($i, a, "=")
					v[a[1]] = a[2]
					s[a[1]] += a[2]
				}
				better += v["agree"] < v["same"]
			}
			END { exit !(lines && ('"$expression"')) }' "$out" && continue
		echo "FAILED: $name: $expression"
		grep -F "$name" "$out"
		failed=1
	done
}

failed=0
"$FOLLOW" "$DATA"/masks_*.dat >"$out" || exit 1
# Told by the rules alone, one flush ahead; and trims, which only migrations cause here.
judge masks_mig 's["agree"] >= 0.99 * s["flushes"] && s["agree"] >= s["same"]' \
	's["changes_predicted"] >= 0.9 * s["changes"] && s["changes"] > 100' \
	's["changes_false"] < 0.05 * s["changes"]' \
	's["free_ipis"] <= 1.02 * s["trims_recorded"]' \
	's["free_ipis"] >= 0.98 * s["trims_recorded"]'
judge build 's["agree"] >= 0.99 * s["flushes"] && s["agree"] > s["same"] && better == 0' \
	's["changes_predicted"] >= 0.9 * s["changes"] && s["changes"] > 100' \
	's["changes_false"] < 0.05 * s["changes"]'
judge masks_shm 's["clock_trims"] == 1 && s["agree"] >= s["flushes"] - 1'
# Against the probes.
judge truth 's["read"] > 3000 && s["read"] == s["probed"] && s["masks"] >= 0.995 * s["read"]' \
	's["scopes"] >= 0.999 * s["probed"]' 's["predicted"] >= 0.98 * s["probed"]'
# v6.6 and later: probes counted 108 IPIs that trim, 7 shootdown IPIs to others, in 222 deaths.
judge masks_612_build 's["free_ipis"] >= 0.95 * 108 && s["free_ipis"] <= 1.05 * 108' \
	's["shots_lo"] <= 7 && s["shots_hi"] >= 7 && s["deaths"] >= 0.98 * 222' \
	's["ends_global"] == 0 && s["ends_global_combined"] == 0'
# No probe saw a shootdown by IPI, and two trims of 1 and 2 CPUs.
judge masks_612_ctxsw 's["free_ipis"] == 3 && s["shots_hi"] == 0 && s["deaths"] == 22'
# Where two threads unmap at once, this kernel trims the mask before a flush of the whole mm.
judge masks_612 's["trims_predicted"] >= 0.97 * s["trims_recorded"]'
# What 6.12 does to the ends of processes, foretold from a 6.1 kernel's trace.
judge masks_build_smp8 's["ends_global"] == 30 && s["ends_global_combined"] == 0' \
	's["tlbie"] == 90 && s["combined_tlbie_hi"] == 0' \
	's["combined_tlbiel"] > s["tlbiel"] && s["combined_ipis"] == 34 + 30'
# Before v4.18 the thread that moved on would have broadcast.
judge masks_mig 's["tlbie"] == 3 && s["none_tlbie"] > 2000 && s["none_ipis_hi"] == 0'
# Every kernel's trims are told by its local bits.
judge masks 's["inferred"] == s["trim"]'

if [ -n "${TLBTRACE_TRACES:-}" ]; then
	find "$TLBTRACE_TRACES" -path '*ppc64le*' -name '*.dat' -print0 | sort -z |
		xargs -0 "$FOLLOW" >"$out" || exit 1
	judge .dat 's["agree"] >= 0.98 * s["flushes"] && s["agree"] > s["same"] && better == 0'
	judge truth 's["masks"] >= 0.995 * s["read"] && s["scopes"] >= 0.999 * s["probed"]' \
		's["predicted"] >= 0.98 * s["probed"]'
	for name in build local; do
		judge "$name" 's["agree"] >= 0.99 * s["flushes"]' \
			's["changes_predicted"] >= 0.9 * s["changes"]' \
			's["changes_false"] < 0.05 * s["changes"]'
	done
	judge 6.12 's["trims_predicted"] >= 0.92 * s["trims_recorded"]' \
		's["changes_predicted"] >= 0.95 * s["changes"] && s["changes_false"] <= 2'
	# What a kernel with tlbie_enabled=0 did in two rounds of shm, from one round with tlbie: its
	# tlbiel but for the 259 of exec and exit, and 261 flushes by IPI to the three other CPUs.
	grep -q noipi_shm_c34.dat "$out" && judge /shm_c34_v6 \
		'2 * (s["multicast_tlbiel"] - 259) + 259 > 0.95 * 34683' \
		'2 * (s["multicast_tlbiel"] - 259) + 259 < 1.05 * 34683' \
		'2 * s["multicast_ipis_lo"] <= 783 && 2 * s["multicast_ipis_hi"] >= 783'
	awk '{ for (i = 2; i <= NF; i++) { split($i, a, "="); s[a[1]] += a[2] } }
	     END { printf "masks %d of %d, scope %d of %d, before evidence %d; agree %d of %d, same %d\n",
		   s["masks"], s["read"], s["scopes"], s["probed"], s["predicted"], s["agree"], s["flushes"],
		   s["same"] }' "$out"
fi
exit $failed
