# SPDX-License-Identifier: GPL-2.0-or-later
#
# field(): the value of a member of a JSON line, or "" if there is none.

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
