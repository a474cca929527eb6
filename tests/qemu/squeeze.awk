# SPDX-License-Identifier: GPL-2.0-or-later
# Removes redundant blanks: beside a star in types, and outside of strings in
# formats.  Columns: name, properties, arguments, format.

function squeeze_types(text)
{
    gsub(/[ \t]+/, " ", text)
    gsub(/ ?\* ?/, "*", text)
    return text
}

function squeeze_format(text,    out, i, c, inside)
{
    for ( i = 1; i <= length(text); i++ )
    {
        c = substr(text, i, 1)
        if ( c == "\\" && inside )
            c = c substr(text, ++i, 1)
        else if ( c == "\"" )
            inside = !inside
        if ( inside || (c != " " && c != "\t" && c != "\r") )
            out = out c
    }
    return out
}
