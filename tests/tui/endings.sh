#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# endings.sh - however it ends, the terminal is as before; and no size of it is too odd.
. "$(dirname "${BASH_SOURCE[0]}")/terminal.bash"

trace=data/slim_ranges_c33.dat

begin() {
	open_terminal 80x24 '"$TLBTRACE"' report "$trace"
	wait_for 20 shows overview || die "it does not begin"
}

gone() {
	! kill -0 "$(cat "$scratch/pid")" 2>/dev/null
}

begin
keys q
expect_end 0

for signal in TERM HUP; do
	begin
	kill -$signal "$(cat "$scratch/pid")"
	expect_end 0
done

# Ctrl-C only stops what is going on.
begin
keys C-c
wait_for 5 shows 'q quits' || die "Ctrl-C is not answered"
keys q
expect_end 0

# The terminal goes away, and nobody says so: only reading tells.
# LeakSanitizer's helper can wait for ever where a hang-up meets it, so it stays away here.
open_terminal 80x24 \
	"sh -c 'trap \"\" HUP; ASAN_OPTIONS=detect_leaks=0 exec \"\$TLBTRACE\" report $trace'"
wait_for 20 shows overview || die "it does not begin"
close_terminal
wait_for 10 gone || die "it runs on without a terminal"

# Sizes, at once and one after the other.
for size in 1x1 2x2 5x3 10x24 300x100; do
	open_terminal $size '"$TLBTRACE"' report "$trace"
	wait_for 20 test -e "$scratch/pid" || die "it does not begin at $size"
	sleep 0.3
	keys 1 2 Enter Enter 3 4 Left a e '?' 5
	sleep 0.3
	keys q
	expect_end 0
done

begin
RANDOM=1
for _ in {1..60}; do
	in_tmux resize-window -x $((1 + RANDOM % 300)) -y $((1 + RANDOM % 100))
	keys $((1 + RANDOM % 5))
done
keys 1
in_tmux resize-window -x 80 -y 24
same() { screen | cmp -s - "$tui/screens/overview.80x24"; }
wait_for 5 same || die "after the storm the screen is another"
keys q
expect_end 0

# Where the cursor cannot be moved, or there is no terminal, it is text.
open_terminal 80x24 env TERM=dumb PAGER=cat '"$TLBTRACE"' report --by=mm "$trace"
expect_end 0
shows 'ranges/210' || die "no text on a dumb terminal"
open_terminal 80x24 env TERM=dumb PAGER=cat '"$TLBTRACE"' report "$trace"
expect_end 0
shows 'By CPU that asked' || die "no text on a dumb terminal"
# A pager that does not exist hides nothing.
open_terminal 80x24 env PAGER=no-such-pager '"$TLBTRACE"' report --stdio "$trace"
expect_end 0
shows 'By CPU that asked' || die "no text without a pager"

# Without UTF-8, and without colours.
open_terminal 80x24 env LC_ALL=C NO_COLOR=1 '"$TLBTRACE"' report "$trace"
wait_for 20 shows overview || die "it does not begin"
screen | grep -q '[^ -~]' && die "more than ASCII on the screen"
keys q
expect_end 0

# From a pipe: keys come from the terminal, and the flushes cannot be listed.
open_terminal 80x24 sh -c "'cat $trace | \"\$TLBTRACE\" report -'"
if wait_for 5 shows overview; then
	keys 3
	wait_for 5 shows 'cannot be read again' || die "flushes of a pipe"
	keys q
	expect_end 0
else
	shows 'trace.dat' || die "a pipe is neither shown nor refused"
fi

# A file that is no trace.
open_terminal 80x24 '"$TLBTRACE"' report /dev/null
expect_end 3
