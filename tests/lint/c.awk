# SPDX-License-Identifier: GPL-2.0-or-later
#
# A scanner that finds functions of C sources by their shape: a head with a
# parenthesis, then a brace in column 0 (or at the end of the head's line), up to
# a brace in column 0.  Tables and types have no such head; directives, with all
# their lines, are not code.
#
# scan_c(file) reads a file and calls these functions of the caller's program:
#
#   comment_text(text, start)   a comment's part of a line; start: first line?
#   comment_end()               the comment ends
#   code_text(text)             a line without comments, including directives
#   function_begin(name, line)  name is "" where a table or a type begins
#   function_line(text)         a line of the body, comments removed
#   function_end(last)          last: the line number of the last brace
#
# c_line is the number of the current line, and at the end the number of lines.

# Remove comments, as any brace or parenthesis may occur there.
function c_uncomment(line,    at, end, code)
{
    code = ""
    while ( 1 )
    {
        if ( c_in_comment )
        {
            end = index(line, "*/")
            comment_text(end ? substr(line, 1, end - 1) : line, 0)
            if ( !end )
                return code
            comment_end()
            line = substr(line, end + 2)
            c_in_comment = 0
        }
        at = index(line, "/*")
        if ( !at )
            break
        code = code substr(line, 1, at - 1)
        line = substr(line, at + 2)
        end = index(line, "*/")
        comment_text(end ? substr(line, 1, end - 1) : line, 1)
        c_in_comment = !end
        if ( !end )
            return code
        comment_end()
        line = substr(line, end + 2)
    }
    sub(/\/\/.*/, "", line)
    return code line
}

# An attribute has parentheses and is no function.
function c_strip_attributes(head,    at, i, depth, c)
{
    while ( (at = index(head, "__attribute__")) )
    {
        depth = 0
        for ( i = at + 13; i <= length(head); i++ )
        {
            c = substr(head, i, 1)
            depth += (c == "(") - (c == ")")
            if ( depth == 0 && c == ")" )
                break
        }
        head = substr(head, 1, at - 1) " " substr(head, i + 1)
    }
    return head
}

# "static int put(struct s *s)" -> "put"; START_TEST(one) -> "one".
function c_name_of(head,    word)
{
    if ( !match(head, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/) )
        return ""
    word = substr(head, RSTART, RLENGTH - 1)
    if ( word ~ /^[A-Z0-9_]+$/ )
    {
        word = substr(head, RSTART + RLENGTH)
        sub(/[,)].*/, "", word)
    }
    sub(/[ \t]+$/, "", word)
    return word
}

# At an opening brace: is the preceding text the head of a function?
function c_open(    plain)
{
    plain = c_strip_attributes(c_head)
    function_begin(plain ~ /=[ \t]*$/ || plain !~ /\(/ ? "" : \
                   c_name_of(plain), c_first)
    c_inside = 1
}

function c_close()
{
    function_end(c_line)
    c_inside = 0
    c_head = ""
}

function c_scan_head(line)
{
    if ( line ~ /^{/ )
    {
        c_open()
        if ( line ~ /}/ )
            c_close()
        return
    }
    if ( line ~ /^[ \t]*$/ || line ~ /;[ \t]*$/ || line ~ /^}/ )
    {
        c_head = ""
        return
    }
    if ( c_head == "" )
        c_first = c_line
    c_head = c_head " " line
    if ( line ~ /\)[ \t]*{/ )
    {
        sub(/{.*/, "", c_head)
        c_open()
        if ( line ~ /}[ \t]*$/ )
            c_close()
    }
}

function scan_c(file,    text, line)
{
    c_line = c_in_comment = c_inside = c_directive = 0
    c_head = ""
    while ( (getline text < file) > 0 )
    {
        c_line++
        line = c_uncomment(text)
        code_text(line)
        if ( c_directive || line ~ /^[ \t]*#/ )
            c_directive = (text ~ /\\$/)
        else if ( !c_inside )
            c_scan_head(line)
        else
        {
            function_line(line)
            if ( line ~ /^}/ )
                c_close()
        }
    }
    close(file)
}
