#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Formats for CI, read by a parser of their kind: JUnit by xmllint, annotations by GitHub's grammar.
set -eu
command -v xmllint >/dev/null || {
	echo "needs xmllint (libxml2-utils)"
	exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A name with all that XML and annotations must escape, and a byte that is no UTF-8.
trace=$scratch/$'a<b>&"c\'d%e:f,g\xff.dat'
cp "$DATA/slim_shm_c34.dat" "$trace"

whatif() {
	GITHUB_STEP_SUMMARY='' "$TLBTRACE" whatif --ceiling=31 --budget='tlbie<=50% of recorded' \
		--budget='promoted<=30' --budget='tlbie<=10/s' --min-fidelity=99% "$@" "$trace" "$trace"
}

expect() {
	[ "$2" = "$3" ] || {
		echo "$1: expected '$2', got '$3'"
		exit 1
	}
}

status=0
whatif --format=junit >"$scratch/junit.xml" || status=$?
expect "exit" 1 "$status"
xmllint --noout --schema "$(dirname "${BASH_SOURCE[0]}")/junit.xsd" "$scratch/junit.xml"
query() {
	xmllint --xpath "string($1)" "$scratch/junit.xml"
}
expect cases 8 "$(query 'count(//testcase)')"
expect failures 4 "$(query 'count(//failure)')"
expect "failures, as counted" "$(query 'count(//failure)')" "$(query '/testsuites/@failures')"
expect undecided 2 "$(query 'count(//failure[@type="undecided"])')"
expect check 'tlbie<=50% of recorded' "$(query '//testcase[1]/@name')"
expect name "${trace/$'\xff'/$'\xef\xbf\xbd'}" "$(query '//testsuite[1]/@name')"

status=0
whatif --format=github >"$scratch/annotations" || status=$?
expect "exit" 1 "$status"
expect annotations 8 "$(wc -l <"$scratch/annotations")"
# ::COMMAND title=PROPERTY::DATA; of '%' only %25, %0D, %0A, and in the property %3A and %2C.
escape='%(25|0D|0A)'
grammar="^::(notice|warning|error) title=([^%:,]|$escape|%3A|%2C)*::([^%]|$escape)*$"
if LC_ALL=C grep -avE "$grammar" "$scratch/annotations"; then
	echo "these are no annotations"
	exit 1
fi
expect errors 4 "$(grep -ac '^::error ' "$scratch/annotations")"
