#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# completion.sh - in each shell, as somebody would type: a beginning, Tab, and what stands there then.
. "$(dirname "${BASH_SOURCE[0]}")/../tui/terminal.bash"
docs=${BUILD:-$(dirname "$TLBTRACE")}/generated/docs
mkdir "$scratch/fpath" "$scratch/home"
cp "$docs/_tlbtrace" "$scratch/fpath/"

# What is typed up to Tab, and what Tab makes of it.
cases=(
	'wha' 'whatif'
	'whatif --comp' 'whatif --compare='
	'whatif --policy=radix,local' 'whatif --policy=radix,local-ceiling='
	'whatif --policy=radix,ceiling=31,comp' 'whatif --policy=radix,ceiling=31,compare='
	'whatif --policy=radix,lazy=sh' 'whatif --policy=radix,lazy=shootdown'
	'whatif --policy=radix,lazy=shootdown,trim=n' 'whatif --policy=radix,lazy=shootdown,trim=none'
	'whatif --policy=e500mc,' 'whatif --policy=e500mc,variant='
	'whatif --policy=e5' 'whatif --policy=e500mc'
	'whatif --recorded=ceiling=33,set' 'whatif --recorded=ceiling=33,sets='
	'whatif --recorded=fixups=no' 'whatif --recorded=fixups=none'
	'whatif --budget=tlbie_pw' 'whatif --budget=tlbie_pwc'
	'whatif --cost=tlbie_pw' 'whatif --cost=tlbie_pwc='
	'whatif --format=ju' 'whatif --format=junit'
	'export --format=sq' 'export --format=sqlite'
	'report --by=cau' 'report --by=cause'
	'report --fields=tlbie,prom' 'report --fields=tlbie,promoted'
	'report --ignore=requests,sw' 'report --ignore=requests,switches'
	'report data/slim_ranges_c33.dat --mm=tr' 'report data/slim_ranges_c33.dat --mm=trace-cmd'
	'report data/slim_ranges_c33.dat --comm=ran' 'report data/slim_ranges_c33.dat --comm=ranges'
	'verify data/p9_shm_c34.dat --per=event:task' 'verify data/p9_shm_c34.dat --per=event:task:task_newtask'
	'verify data/p9_shm_c34.dat --per=sec' 'verify data/p9_shm_c34.dat --per=seconds'
	'info data/slim_4k_ranges' 'info data/slim_4k_ranges_c33.dat'
	'verify --actual=data/slim_4k_ranges' 'verify --actual=data/slim_4k_ranges_c33.dat'
)

# A prompt goes to standard error, which open_terminal keeps to itself.
begin_shell() {
	export PATH=${TLBTRACE%/*}:$PATH HOME=$scratch/home
	case $1 in
	bash)
		printf '%s\n' 'PS1="> "' ". $docs/tlbtrace.bash" >"$scratch/rc"
		open_terminal 200x20 "sh -c 'exec bash --noprofile --rcfile $scratch/rc -i 2>&1'"
		;;
	zsh)
		printf '%s\n' 'PS1="> "' "fpath=($scratch/fpath \$fpath)" \
			"autoload -Uz compinit; compinit -u -d $scratch/zcompdump" \
			"unsetopt beep" "bindkey '^U' kill-whole-line" >"$scratch/home/.zshrc"
		open_terminal 200x20 "sh -c 'exec env ZDOTDIR=$scratch/home zsh -o noglobalrcs -i 2>&1'"
		;;
	esac
	wait_for 20 prompts || die "$1: no prompt"
}

# The line with the cursor, without the prompt.
typed() {
	screen | sed -n 's/^> *\(.*[^ ]\) *$/\1/p' | tail -1
}

prompts() {
	screen | grep -q '^>'
}

is_typed() {
	[ "$(typed)" = "$1" ]
}

failures=0
check() { # SHELL BEGINNING WANTED
	keys C-u
	keys -l "tlbtrace $2"
	wait_for 10 is_typed "tlbtrace $2" || die "$1: what is typed does not appear"
	keys Tab
	wait_for 10 is_typed "tlbtrace $3" && return
	echo "$1: 'tlbtrace $2' becomes '$(typed)', not 'tlbtrace $3'"
	failures=$((failures + 1))
}

ran=0
for shell in bash zsh; do
	command -v $shell >/dev/null || continue
	begin_shell $shell
	for ((i = 0; i < ${#cases[@]}; i += 2)); do
		check $shell "${cases[i]}" "${cases[i + 1]}"
	done
	ran=$((ran + 1))
done

# fish says itself what it would offer.
if command -v fish >/dev/null; then
	cd "$scratch/cwd" || exit 1
	for ((i = 0; i < ${#cases[@]}; i += 2)); do
		wanted=${cases[i + 1]##* }
		offered=$(HOME=$scratch/home fish -N -c "source $docs/tlbtrace.fish; complete -C 'tlbtrace ${cases[i]}'" | cut -f1)
		# It adds the = of an option itself.
		[ "$offered" = "$wanted" ] || [ "$offered=" = "$wanted" ] || {
			echo "fish: 'tlbtrace ${cases[i]}' offers '$offered', not '$wanted'"
			failures=$((failures + 1))
		}
	done
	ran=$((ran + 1))
fi
echo "completion in $ran shells"
[ $failures -eq 0 ]
