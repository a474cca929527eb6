# SPDX-License-Identifier: GPL-2.0-or-later
# The columns of dump, squeezed; behind squeeze.awk.
BEGIN { FS = OFS = "\t" }
{ print $1, $2, squeeze_types($3), squeeze_format($4) }
