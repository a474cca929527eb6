# SPDX-License-Identifier: GPL-2.0-or-later
#
# A member of a line of the truth; nothing if the line has none of that name.

function field(name,    at, text)
{
    at = index($0, "\"" name "\":")
    if ( !at )
        return ""
    text = substr($0, at + length(name) + 3)
    sub(/[,}].*/, "", text)
    gsub(/"/, "", text)
    return text
}
