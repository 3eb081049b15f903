# SPDX-License-Identifier: GPL-2.0-or-later
# terminal.bash - a real terminal for the tests of the UI: tmux, one server per terminal.
#
# To be sourced. The program runs in an empty directory whose `data` is tests/data, so that no path
# of this machine is on the screen.
set -u

command -v tmux >/dev/null || {
	echo "tmux is not installed"
	exit 77
}
tui=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
DATA=${DATA:-$tui/../data}
TLBTRACE=$(realpath -e "${TLBTRACE:-$tui/../../build/tlbtrace}") || exit 1
scratch=$(mktemp -d) || exit 1
terminals=0
mkdir "$scratch/cwd"
ln -s "$(realpath -e "$DATA")" "$scratch/cwd/data"
printf 'set -g %s\n' 'status off' 'escape-time 0' 'default-terminal screen-256color' \
	'remain-on-exit on' >"$scratch/tmux.conf"

in_tmux() {
	env -u TMUX LC_ALL=C.UTF-8 tmux -S "$scratch/tmux.$terminals" -f "$scratch/tmux.conf" "$@"
}

close_terminal() {
	in_tmux kill-server 2>/dev/null || :
}
trap 'close_terminal; rm -rf "$scratch"' EXIT

# open_terminal WxH COMMAND: runs the shell command in a terminal of that size. Its exit code goes
# to $scratch/exit, what it says on standard error to $scratch/stderr.
open_terminal() {
	rm -f "$scratch/exit" "$scratch/stderr" "$scratch/pid"
	close_terminal
	terminals=$((terminals + 1)) # the old server may still be on its way out
	cat >"$scratch/run" <<-END
		cd '$scratch/cwd'
		export LC_ALL=C.UTF-8 TZ=UTC TLBTRACE='$TLBTRACE'
		unset NO_COLOR LINES COLUMNS
		stty -a >'$scratch/before'
		sh -c 'echo \$\$ >$scratch/pid; exec "\$@"' - ${*:2} 2>'$scratch/stderr'
		echo \$? >'$scratch/code'
		stty -a >'$scratch/after'
		mv '$scratch/code' '$scratch/exit'
	END
	in_tmux new-session -d -x "${1%x*}" -y "${1#*x}" "bash '$scratch/run'"
}

keys() {
	in_tmux send-keys "$@"
}

# The screen, trailing blank lines left out.
screen() {
	in_tmux capture-pane -p | sed -e 's/[ ]*$//'
}

# wait_for SECONDS COMMAND…: until the command succeeds; an emulator has ten times as long.
wait_for() {
	local deadline=$((SECONDS + $1 * (${TLBTRACE_SLOW:-0} ? 10 : 1)))
	shift
	until "$@"; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.03
	done
}

shows() {
	screen | grep -qF -- "$1"
}

ended() {
	[ -e "$scratch/exit" ]
}

die() {
	echo "$*"
	screen
	cat "$scratch/stderr" 2>/dev/null
	exit 1
}

# The program has ended with exit code $1 and left the terminal's settings as they were.
expect_end() {
	wait_for 10 ended || die "it did not end"
	[ "$(cat "$scratch/exit")" = "$1" ] || die "exit $(cat "$scratch/exit"), not $1"
	cmp -s "$scratch/before" "$scratch/after" || die "the terminal's settings have changed"
}
