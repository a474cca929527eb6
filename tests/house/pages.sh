# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Run the commands of a page.  To be sourced after tests/tools/lib.sh, which has
# fail().
#
# Each indented block of a page is a terminal transcript: a line "$ COMMAND",
# then the expected output.  A command continues after a backslash or a "|" at
# the end of a line, and inside single quotes.  In output, "..." stands for any
# text, and a line "..." for any lines.  A command without output may print
# anything.  All commands of a page run in one shell and have to succeed.
# Comments in the page:
#
#   <!-- run by PATH -->      only this test (page_owner) runs the next block
#   <!-- check: COMMAND -->   run a command without showing it

page_owner=
page_folders=0

# page_cut PAGE FOLDER [HEADING]: write the commands to FOLDER/N.cmd, their
# expected output to N.want, and errors of the page to FOLDER/wrong.  HEADING
# selects the blocks below this heading.
page_cut()
{
    mkdir -p "$2" && awk -v folder="$2" -v heading="${3-}" \
        -v owner="$page_owner" '
    function add_to_command(text)
    {
        print text >cmd
        quotes += gsub(/\047/, "&", text)
        more = text ~ /[\\|]$/ || quotes % 2
    }

    function begin_command(text)
    {
        n++
        quotes = 0
        cmd = folder "/" n ".cmd"
        want = folder "/" n ".want"
        printf "" >want
        add_to_command(text)
    }

    function report_error(text)
    {
        print FNR ": " text >(folder "/wrong")
    }

    function take_line(text)
    {
        if ( more )
            add_to_command(text)
        else if ( text ~ /^\$ / )
            begin_command(substr(text, 3))
        else if ( cmd != "" )
            print text >want
    }

    function begin_block(text)
    {
        skip = runner != owner
        if ( runner != "" && system("test -e \"$top_srcdir/" runner "\"") )
            report_error("there is no test " runner)
        runner = ""
        if ( text !~ /^\$ / )
            report_error("a block that begins with no command")
    }

    /^## / { here = substr($0, 4) == heading }
    heading != "" && !here { next }
    /^<!-- check: .* -->$/ {
        if ( owner == "" )
            begin_command(substr($0, 13, length($0) - 16))
        next
    }
    /^<!-- run by .* -->$/ {
        runner = substr($0, 13, length($0) - 16)
        next
    }
    /^    / {
        text = substr($0, 5)
        if ( !inside )
            begin_block(text)
        inside = 1
        if ( !skip )
            take_line(text)
        next
    }
    !/^$/ { inside = 0; runner = "" }' "$1"
}

# page_match WANT GOT: does the output match?
page_match()
{
    awk '
    # The parts of the pattern between "..." occur in the line in this order.
    function is_like(line, pattern,    n, i, part, at)
    {
        n = split(pattern, part, /\.\.\./)
        if ( n == 1 )
            return line == pattern
        if ( index(line, part[1]) != 1 )
            return 0
        line = substr(line, length(part[1]) + 1)
        for ( i = 2; i < n; i++ )
        {
            at = index(line, part[i])
            if ( part[i] != "" && !at )
                return 0
            line = substr(line, at + length(part[i]))
        }
        at = length(line) - length(part[n]) + 1
        return part[n] == "" || (at > 0 && substr(line, at) == part[n])
    }

    FNR == NR { want[++wants] = $0; next }
    { sub(/\r$/, ""); got[++gots] = $0 }

    END {
        for ( w = 1; w <= wants; w++ )
        {
            if ( want[w] == "..." )
            {
                any = 1
                continue
            }
            for ( g++; any && g <= gots && !is_like(got[g], want[w]); g++ )
                continue
            any = 0
            if ( g > gots || !is_like(got[g], want[w]) )
            {
                print "not printed: " want[w]
                exit 1
            }
        }
        if ( !any && g < gots )
        {
            print "not shown: " got[g + 1]
            exit 1
        }
    }' "$1" "$2"
}

# page_run PAGE [HEADING]: run the commands in the working directory
page_run()
{
    page_name=${1##*/}
    page_folders=$((page_folders + 1))
    page_folder=$tmp/page-$page_folders
    rm -rf "$page_folder"
    page_cut "$1" "$page_folder" "${2-}"
    [ ! -s "$page_folder/wrong" ] ||
        fail "$page_name:$(head -n 1 "$page_folder/wrong")"
    page_nr=1
    while [ -f "$page_folder/$page_nr.cmd" ]; do
        page_step=$page_folder/$page_nr
        # shellcheck source=/dev/null
        . "$page_step.cmd" >"$page_step.got" 2>&1 </dev/null || {
            page_why=$?
            cp "$page_step.got" "$tmp/out"
            fail "$page_name: exit $page_why: $(cat "$page_step.cmd")"
        }
        if [ -s "$page_step.want" ]; then
            page_why=$(page_match "$page_step.want" "$page_step.got") || {
                cp "$page_step.got" "$tmp/out"
                fail "$page_name: $(cat "$page_step.cmd"): $page_why"
            }
        fi
        page_nr=$((page_nr + 1))
    done
    [ $page_nr -gt 1 ] || fail "$page_name: no command"
}
