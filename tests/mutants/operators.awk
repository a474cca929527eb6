# SPDX-License-Identifier: GPL-2.0-or-later
#
# awk -f operators.awk trace.c: list small mutants of the code, a line each:
#
#   FUNCTION | OLD LINE | NEW LINE
#
# With a line of this list in the environment as `wanted`: print trace.c with this
# mutant.  Of equal lines in one function, the first is changed.
#
# A mutant changes one operator or constant, drops one statement, or swaps two
# neighbours, one of them an access with an order.  Assertions, messages
# and declarations are left alone.

{ line[NR] = $0 }

function trim(text)
{
    gsub(/^ +| +$/, "", text)
    return text
}

# A whole statement on a line of its own.
function is_statement(i)
{
    return line[i] ~ /^ +[a-z_][^{}]*;$/ && line[i] !~ skipped &&
        line[i] !~ /^ +(static|const|struct|union|enum|return|unsigned|bool|int|u?int[0-9]+_t|uint[0-9]+_t|goto|continue|case|cpumask_var_t|do|while|for) / &&
        line[i] !~ /^ +(return|continue|break);/ &&
        line[i] !~ /^ +(u?int[0-9]+_t|bool|unsigned int|int) \*?[a-z_, ]+(=.*)?;$/ &&
        line[i - 1] ~ /[;{}]$|^$|\*\/$|\)$|else$|do$/ &&
        line[i - 1] !~ /[^;{})]$/
}

function mutant(i, text, second,    id, j)
{
    id = name " | " trim(line[i]) " | " trim(text)
    if ( id in seen )
        return
    seen[id] = 1
    if ( wanted == "" )
        print id
    else if ( wanted == id ) {
        found = 1
        line[i] = text
        if ( second != "" )
            line[i + 1] = second
    }
}

# Change each occurrence of an operator on a line.
function change(i, from, to,    text, at, before)
{
    text = line[i]
    before = ""
    while ( !found && (at = index(text, from)) ) {
        mutant(i, before substr(text, 1, at - 1) to \
                  substr(text, at + length(from)))
        before = before substr(text, 1, at - 1) from
        text = substr(text, at + length(from))
    }
}

END {
    wanted = ENVIRON["wanted"]
    skipped = "ASSERT|BUILD_BUG_ON|printk|XENLOG|^ *\"|^ *\\*|^ */\\*"
    ordered = "barrier|wmb|depth|live|prod|cons|lock|init_done|->state|attached"
    nr = split("== != < <= > >= && || + - += -= << >>", from, " ")
    split("!= == <= < >= > || && - + -= += >> <<", to, " ")
    for ( i = 1; i <= NR && !found; i++ ) {
        if ( line[i] ~ /^[a-z].*\(/ ) {
            name = line[i]
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
        }
        if ( line[i] ~ /^\{/ )
            inside = 1
        if ( line[i] ~ /^\}/ )
            inside = 0
        if ( line[i] ~ /^#define/ )
            continue
        if ( line[i] ~ skipped ) {
            in_message = line[i] !~ /;$|\*\/$/
            continue
        }
        if ( in_message ) {
            in_message = line[i] !~ /;$|\*\/$/
            continue
        }
        if ( !inside )
            continue
        for ( j = 1; j <= nr && !found; j++ )
            change(i, " " from[j] " ", " " to[j] " ")
        change(i, "( !", "( ")
        change(i, "true", "false")
        change(i, "false", "true")
        if ( !is_statement(i) )
            continue
        indent = line[i]
        sub(/[^ ].*/, "", indent)
        mutant(i, indent ";")
        if ( is_statement(i + 1) && line[i + 1] ~ "^" indent "[^ ]" &&
             (line[i] line[i + 1]) ~ ordered )
            mutant(i, line[i + 1], line[i])
    }
    if ( wanted == "" )
        exit
    for ( i = 1; i <= NR; i++ )
        print line[i]
    exit !found
}
