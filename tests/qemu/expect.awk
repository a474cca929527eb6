# SPDX-License-Identifier: GPL-2.0-or-later
# Parses a declaration of QEMU by its shape: words, the last of which is the
# name; the contents of the first ( ); and the rest of the line.

function trim(text)
{
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    return text
}

# "const char *s" -> "const char*,s": the name is the last word
function split_arg(text,    at)
{
    text = trim(text)
    at = match(text, /[A-Za-z0-9_]+$/)
    return squeeze_types(trim(substr(text, 1, at - 1))) "," substr(text, at)
}

/^[ \t]*(#|$)/ { next }

{
    open = index($0, "(")
    close_at = index($0, ")")
    n = split(substr($0, 1, open - 1), word, /[ \t]+/)
    disable = vcpu = ""
    for ( i = 1; i < n; i++ )
        if ( word[i] == "disable" )
            disable = "disable "
        else if ( word[i] == "vcpu" )
            vcpu = "vcpu "
        else if ( word[i] != "" )
            vcpu = "unknown property " word[i]

    args = ""
    list = trim(substr($0, open + 1, close_at - open - 1))
    m = list == "void" ? 0 : split(list, arg, ",")
    for ( i = 1; i <= m; i++ )
        args = args (i > 1 ? ";" : "") split_arg(arg[i])

    format = squeeze_format(substr($0, close_at + 1))
    print word[n] "\t" disable vcpu "\t" args "\t" \
        (format == "" ? "\"\"" : format)
}
