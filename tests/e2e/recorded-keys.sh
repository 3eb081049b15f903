#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# recorded-keys.sh - --recorded=KEY=VALUE beats all evidence: the value is what info shows, said to be
# the user's, and what a prediction starts from; for each key, and each of its named values.
set -u
failed=0

# try FILE KEY VALUE
try() {
	local file=$DATA/$1 key=$2 value=$3 shown
	# One line, from there to where another source begins.
	shown=$("$TLBTRACE" info --recorded="$key=$value" "$file" | tr -s ' \n' '  ')
	shown=${shown#* from --recorded: }
	shown=${shown%% from the *}
	shown=${shown%% from its *}
	shown=${shown%% Open *}
	[[ ", $shown, " == *", $key $value, "* ]] && return
	echo "$1: --recorded=$key=$value shows as: $shown"
	failed=1
}

power=$(cat <<'END'
era v4.13 v4.15 v4.18 v5.4 v5.9 v5.12 v5.14 v6.3 v6.4 v6.6
ceiling 7 4000
local-ceiling 7 9000
compare gt ge
promote pages pmd entire-range
range mm va
tables all pwc
barriers page request
pwc off on
thp-pass off on
fixups none erat erat+stq old
sets 1 128
tlbie off on
gtse off on
trim none v4.18 v5.10 v5.12 v6.6
lazy refcount shootdown combined
page-size 4K 64K
END
)
x86=$(cat <<'END'
ceiling 7 4000
pti off on no-invpcid
lazy-skip off on
invlpgb 0 8
END
)

try_all() { # FILE TABLE
	local key values value
	while read -r key values; do
		for value in $values; do
			try "$1" "$key" "$value"
		done
	done <<<"$2"
}
# Their trims agree with v6.6 and with v5.12 alone.
try_all masks_612_build_truth.dat "$power"
try_all masks_mig_truth.dat "$power"
try_all x86_shoot3_c33.dat "$x86"

# And the one that is used: IPIs at the last mmdrop are those of the scheme.
shoots() { # LAZY
	"$TLBTRACE" whatif -p radix --recorded=lazy="$1" --format=json "$DATA/masks_612_build_truth.dat" |
		jq -r '.results[0].policies[0].counters.shoot_ipis | "\(.lo) \(.hi)"'
}
[ "$(shoots combined)" = "0 9" ] || { echo "combined: $(shoots combined)"; failed=1; }
[ "$(shoots shootdown)" = "20 30" ] || { echo "shootdown: $(shoots shootdown)"; failed=1; }
[ "$(shoots refcount)" = "0 0" ] || { echo "refcount: $(shoots refcount)"; failed=1; }
exit $failed
