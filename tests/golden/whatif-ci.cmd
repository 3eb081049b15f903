# SPDX-License-Identifier: GPL-2.0-or-later
# The same checks in each format for CI systems; the summary is appended to what other steps wrote.
ci() {
	"$TLBTRACE" whatif --ceiling=31 --budget='tlbie<=50% of recorded' --budget='promoted<=30' \
		--budget='tlbie<=10/s' --min-fidelity=99% "$@" "$DATA/slim_shm_c34.dat"
	echo "exit $?"
}
for format in markdown junit; do
	ci --format=$format
done
echo "another step" >summary.md
GITHUB_STEP_SUMMARY=summary.md ci --format=github
cat summary.md
ci --format=json | sed -n '/"checks"/,$p'
head -c 100000 "$DATA/slim_shm_c34_v6.dat" >cut.dat
GITHUB_STEP_SUMMARY= "$TLBTRACE" whatif -q --format=github cut.dat
GITHUB_STEP_SUMMARY=absent/summary.md ci --format=github 2>&1 | tail -n 2
