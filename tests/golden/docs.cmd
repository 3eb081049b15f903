# Every command line of README.md, CONTRIBUTING.md, docs/*.md and of the examples of man pages, run as it
# stands: its output, cut after some lines, and how it ends. docs.elsewhere has those that need another
# machine, an hour or root, with the test that runs them and what to find there.
top=$(dirname "$0")/../..
for name in trace before c34 a old node7; do
	ln -s "$DATA/p9_shm_c34.dat" $name.dat
done
for name in after after2 c31 b; do
	ln -s "$DATA/p9_shm_c31.dat" $name.dat
done
export LINES=24 COLUMNS=80 NO_COLOR=
tlbtrace() { "$TLBTRACE" "$@"; }

elsewhere() { # command
	awk -F '\t' -v wanted="$1" '$1 == wanted { print $2 "\t" $3; found = 1; exit } END { exit !found }' \
		"$top/tests/golden/docs.elsewhere"
}

run_here() { # command
	local status=0
	eval "$1" >out 2>err </dev/null || status=$?
	cat out err | sed -E 's/^(.{100}).*/\1.../' >all
	if [ "$(wc -l <all)" -gt 16 ]; then
		head -10 all
		echo "... $(($(wc -l <all) - 15)) lines ..."
		tail -5 all
	else
		cat all
	fi
	[ $status = 0 ] || echo "exit $status"
}

# The test that runs it has this text.
name_test() { # file, text
	grep -qF -- "$2" "$top/$1" && echo "run by $1" || echo "NOT RUN: $1 has no '$2'"
}

mkdir help
for command in $(tlbtrace --help | sed -n '/^Commands/,$s/^  \([a-z]*\) .*/\1/p'); do
	tlbtrace $command --help >help/$command
done
for page in "$top"/README.md "$top"/CONTRIBUTING.md "$top"/docs/*.md help/*; do
	echo "== ${page#"$top/"}"
	python3 "$top/tests/docs/commands.py" "$page" >commands || echo "cannot be read"
	while IFS= read -r line; do
		# What a page says again is not run again: its files are there.
		grep -qxF -- "$line" seen 2>/dev/null && continue
		printf '%s\n' "$line" >>seen
		echo "\$ $line"
		if test=$(elsewhere "$line"); then
			name_test "${test%%	*}" "${test#*	}"
		elif [[ $line == SELECT* ]]; then
			run_here "sqlite3 -box flushes.db \"${line//\$/\\\$}\""
		else
			run_here "$line"
		fi
	done <commands
done
echo "== of docs.elsewhere in no document"
cut -f1 "$top/tests/golden/docs.elsewhere" | grep -v '^#' | grep -vxFf seen
ls
