#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Formats for CI, read by a parser of their kind: JUnit by xmllint, annotations by GitHub's grammar, Markdown by
# its parser, CSV by Python's, JSON by its schema.
set -eu
command -v xmllint >/dev/null || {
	echo "needs xmllint (libxml2-utils)"
	exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# A name with all that XML and annotations must escape, and a byte that is no UTF-8.
trace=$scratch/$'a<b>&"c\'d%e:f,g|h\xff.dat'
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

# Markdown by GitHub's own parser, as a file and as the summary of a job; whole tables, and nothing of the name
# that is HTML.
html() { # file, XPath
	{
		echo '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">'
		cmark-gfm -e table --unsafe <"$1"
	} >"$scratch/html"
	xmllint --html --xpath "$2" "$scratch/html" 2>/dev/null
}
status=0
whatif --format=markdown >"$scratch/answer.md" || status=$?
expect "exit" 1 "$status"
status=0
GITHUB_STEP_SUMMARY=$scratch/summary.md "$TLBTRACE" whatif --ceiling=31 --budget='promoted<=30' --format=github \
	"$trace" >/dev/null || status=$?
expect "exit" 1 "$status"
if command -v cmark-gfm >/dev/null; then
	expect tables 3 "$(html "$scratch/answer.md" 'count(//table)')"
	expect "rows of checks" 8 "$(html "$scratch/answer.md" 'count(//table[3]/tbody/tr)')"
	expect "cells of checks" 40 "$(html "$scratch/answer.md" 'count(//table[3]/tbody/tr/td)')"
	expect "undecided" 2 "$(html "$scratch/answer.md" 'count(//table[3]//strong[.="undecided"])')"
	expect "elements of the name" 0 "$(html "$scratch/answer.md" 'count(//b)')"
	expect "name" "a<b>&\"c'd%e:f,g|h"$'\xef\xbf\xbd'.dat \
		"$(basename "$(html "$scratch/answer.md" 'string(//h3[1])')")"
	expect "tables of the summary" 2 "$(html "$scratch/summary.md" 'count(//table)')"
	expect "why" 1 "$(html "$scratch/summary.md" 'count(//table[2]//td[contains(., "To decide it")])')"
else
	echo "without cmark-gfm Markdown is not parsed"
fi

# CSV: one record a counter, each of as many fields as the head, with the name whole.
status=0
whatif --format=csv >"$scratch/answer.csv" || status=$?
expect "exit" 1 "$status"
python3 - "$scratch/answer.csv" <<'END'
import csv
import sys

with open(sys.argv[1], newline="", encoding="utf-8") as file:
    head, *rows = csv.reader(file, strict=True)
assert head[:4] == ["input", "policy", "counter", "lo"], head
assert all(len(row) == len(head) for row in rows)
found = {(row[1], row[2]): row[3:] for row in rows}
assert found["radix,ceiling=31", "tlbie"] == ["243", "243", "243"], found["radix,ceiling=31", "tlbie"]
assert len({row[0] for row in rows}) == 1 and rows[0][0].endswith("a<b>&\"c'd%e:f,g|h\ufffd.dat"), rows[0][0]
END

# JSON, by its schema.
status=0
whatif --format=json >"$scratch/answer.json" || status=$?
expect "exit" 1 "$status"
expect checks 8 "$(jq '.checks | length' "$scratch/answer.json")"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
! python3 -c 'import jsonschema' 2>/dev/null ||
	python3 "$here/schema.py" "$here/../../docs/schema" "$scratch/answer.json"
