# SPDX-License-Identifier: GPL-2.0-or-later
# No alternative: the recorded policy, with all that is known of it.
"$TLBTRACE" whatif -v "$DATA/slim_4k_ranges_c33.dat"
