#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Man pages without a complaint of mandoc, with every option of --help; completions that complete.
set -u
here=$(dirname "${BASH_SOURCE[0]}")
docs=$BUILD/generated/docs
commands=$("$TLBTRACE" --help | sed -n '/^Commands/,$s/^  \([a-z]*\) .*/\1/p')
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
	echo "$*"
	failed=1
}

# The examples of --help, which golden/docs and e2e/record-docs.sh run, are those of the page.
check_examples() {
	local command=$1 example n=0
	"$TLBTRACE" "$command" --help >"$scratch/help"
	while IFS= read -r example; do
		n=$((n + 1))
		tr '\n' ' ' <"$docs/tlbtrace-$command.1" | sed -E 's/\\e +/ /g; s/\\-/-/g; s/\\\(aq/'\''/g; s/ +/ /g' |
			grep -qF -- "$example" || fail "tlbtrace-$command.1 lacks the example: $example"
	done < <(python3 "$here/../docs/commands.py" "$scratch/help")
	[ $n -gt 0 ] || fail "$command has no examples"
}

check_page() {
	local command=$1 page=$docs/tlbtrace-$1.1 option
	[ -s "$page" ] || fail "$page does not exist"
	for option in $("$TLBTRACE" "$command" --help | grep -o '^  \(-., \|    \)--[a-z-]*' | grep -o -e '--[a-z-]*'); do
		grep -qF -- "${option//-/\\-}" "$page" || fail "$page lacks $option"
	done
	! grep -qF '(default: text)' "$page" || "$TLBTRACE" "$command" --help | grep -q 'FORMAT  *text' ||
		fail "$page has a default that is none"
	grep -qF "tlbtrace\\-$command (1)" "$docs/tlbtrace.1" || fail "tlbtrace.1 lacks $command"
}

[ "$(wc -w <<<"$commands")" -ge 5 ] || fail "no commands: $commands"
for command in $commands; do
	check_page "$command"
	check_examples "$command"
done
# What is generated from the catalogue, and what is written by hand, has all of what it describes.
for word in $("$TLBTRACE" policies --format=json | jq -r '.policies[] | .name, (.keys | keys[])'); do
	grep -qF -- "${word//-/\\-}" "$docs/tlbtrace-policies.7" || fail "policies(7) lacks $word"
done
for word in $("$TLBTRACE" export --format=csv "$DATA/slim_shm_c31.dat" | head -1 | tr , ' ') \
	$(sed -n 's/.*"CREATE [TV][A-Z]* \([a-z_]*\) .*/\1/p' "$here/../../cmd/export_sqlite.c"); do
	sed 's/\\f[BIR]//g' "$docs/tlbtrace-formats.5" | grep -qw -- "$word" || fail "formats(5) lacks $word"
	grep -qw -- "$word" "$here/../../docs/export.md" || [[ $word != flushes_* ]] ||
		fail "export.md lacks $word"
done
if command -v mandoc >/dev/null; then
	mandoc -Tlint "$docs"/*.[157] || fail "mandoc complains"
else
	echo "without mandoc the pages are not linted"
fi

# $1 is the line up to the cursor, $2 what is offered.
completes() {
	COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
	_tlbtrace
	[ "${COMPREPLY[*]}" = "$2" ] || fail "'$1' offers '${COMPREPLY[*]}', not '$2'"
}

. "$docs/tlbtrace.bash"
completes 'tlbtrace wha' whatif
completes 'tlbtrace whatif --comp' --compare=
completes 'tlbtrace whatif --compare=' 'gt ge'
completes 'tlbtrace whatif -v --policy=r' 'radix riscv'
completes 'tlbtrace whatif --policy=radix,local' radix,local-ceiling=
completes 'tlbtrace whatif --policy=radix,ceiling=31,comp' 31,compare=
completes 'tlbtrace whatif --recorded=se' sets=
completes 'tlbtrace whatif --budget=tlbie_pw' tlbie_pwc
completes 'tlbtrace whatif --format=j' 'json junit'
completes 'tlbtrace info --format=' 'text json'
completes 'tlbtrace whatif trace' ''
for shell in zsh fish; do
	file=$docs/tlbtrace.fish
	[ $shell = fish ] || file=$docs/_tlbtrace
	! command -v $shell >/dev/null || $shell -n "$file" || fail "$shell does not take $file"
done
if command -v fish >/dev/null; then
	offered=$(fish -c "source $docs/tlbtrace.fish; complete -C 'tlbtrace whatif --compare='" | cut -f1)
	[ "$offered" = $'--compare=ge\n--compare=gt' ] || fail "fish offers: $offered"
fi
exit $failed
