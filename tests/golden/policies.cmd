# SPDX-License-Identifier: GPL-2.0-or-later
# The catalogue: brief, one policy at length, as JSON, and a name that is none.
"$TLBTRACE" policies
"$TLBTRACE" policies radix
"$TLBTRACE" policies --format=json x86
"$TLBTRACE" policies arm 2>&1
echo "exit $?"
"$TLBTRACE" policies radix x86 2>&1
echo "exit $?"
