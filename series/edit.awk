# SPDX-License-Identifier: GPL-2.0-or-later
#
# awk -v file=NAME -v base=BASE -f edit.awk STEP FILE: print FILE without what
# STEP adds to it.  series/README.md describes the commands of a step.  A text
# that does not occur exactly once is an error: exit code 2.

function complain(what, text)
{
    print step ": " file ": " what ": " text >"/dev/stderr"
    failed = 2
}

# Replace the whole lines `old` by `new`; both end with a line break, or are
# empty.
function replace(old, new,    at, rest)
{
    at = index("\n" all, "\n" old)
    if ( !at ) {
        complain("the file does not have", old)
        return
    }
    rest = substr(all, at + length(old))
    if ( index("\n" rest, "\n" old) )
        complain("the file has more than once", old)
    all = substr(all, 1, at - 1) new rest
}

function end_pair()
{
    if ( old != "" )
        replace(old, new)
    old = new = sign = ""
}

function count_of(text, char)
{
    return gsub(char, "", text)
}

# The lines of an item up to its name: without the comment before, and up to the
# first brace or semicolon; all of a page's paragraph.
function find_head(line)
{
    if ( file ~ /\.md$/ )
        return 1
    if ( in_comment || line ~ /^\/\*/ ) {
        in_comment = line !~ /\*\//
        return 0
    }
    return !body
}

# Items are separated by blank lines outside of braces.  Sets first[] and
# last[], lines of the items whose head has the text, and `found`, their number.
function find_items(text,    n, i, line, depth, begin, head)
{
    found = depth = begin = 0
    n = split(all, lines, "\n")
    for ( i = 1; i <= n; i++ ) {
        line = lines[i]
        if ( line == "" && depth == 0 ) {
            if ( begin && index(head, text) ) {
                first[++found] = begin
                last[found] = i
            }
            begin = 0
            continue
        }
        if ( !begin ) {
            begin = i
            head = ""
            in_comment = body = 0
        }
        if ( find_head(line) ) {
            head = head line "\n"
            body = line ~ /[{;]/
        }
        if ( file !~ /\.md$/ && !in_comment )
            depth += count_of(line, "[{]") - count_of(line, "[}]")
    }
}

# Remove an item and the blank line behind it.
function drop(text,    i, rest)
{
    find_items(text)
    if ( found != 1 ) {
        complain(found " items begin with", text)
        return
    }
    rest = ""
    for ( i = 1; i in lines; i++ )
        if ( i < first[1] || i > last[1] )
            rest = rest lines[i] (i + 1 in lines ? "\n" : "")
    all = rest
}

# The file comes first, so that each command finds it.
BEGIN {
    step = ARGV[1]
    while ( (rc = (getline line <ARGV[2])) > 0 )
        all = all line "\n"
    ARGV[2] = ""
}

/^file / {
    end_pair()
    mine = $2 == file && (NF == 2 || $3 == base)
    next
}

!mine { next }

/^-( |$)/ && sign != "+" {
    old = old substr($0, 3) "\n"
    sign = "-"
    next
}

/^\+( |$)/ && sign != "" {
    new = new substr($0, 3) "\n"
    sign = "+"
    next
}

{ end_pair() }

/^-( |$)/ {
    old = substr($0, 3) "\n"
    sign = "-"
    next
}

/^drop / {
    drop(substr($0, 6))
    next
}

/^base$/ || /^$/ { next }

{ complain("no command", $0) }

END {
    end_pair()
    sub(/\n+$/, "\n", all) # the last item may be gone
    printf "%s", all
    exit failed
}
