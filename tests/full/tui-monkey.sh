#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# tui-monkey.sh - 5,000 random keys (SEED=…) and some resizing, under ASan where it is built.
asan=$(dirname "$TLBTRACE")/../build-asan/tlbtrace
[ -x "$asan" ] && export TLBTRACE=$asan
. "$(dirname "${BASH_SOURCE[0]}")/../tui/terminal.bash"

# Everything but q, and w, which would write files of random names.
words=(1 2 3 4 5 Tab Enter BSpace Up Down Left Right PPage NPage Home End s S R / n f c e z m a r
	'?' C-l Escape k j h l g G x Space = . , F1 F4 C-c C-u m m = c p u)
RANDOM=${SEED:-1}
for trace in slim_4k_ranges_c33.dat x86_v7_zstd.dat; do
	open_terminal 80x24 '"$TLBTRACE"' report "data/$trace"
	wait_for 60 shows overview || die "it does not begin"
	for _ in {1..50}; do
		batch=()
		for _ in {1..50}; do batch+=("${words[RANDOM % ${#words[@]}]}"); done
		keys "${batch[@]}"
		ended && die "$trace: it ended (SEED=${SEED:-1})"
		in_tmux resize-window -x $((1 + RANDOM % 200)) -y $((1 + RANDOM % 60))
	done
	in_tmux resize-window -x 80 -y 24
	sleep 2
	keys Escape
	sleep 0.5
	keys C-u Enter
	sleep 0.5
	keys q
	expect_end 0
	grep -q . "$scratch/stderr" && die "it complained"
done
exit 0
