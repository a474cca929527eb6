#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Make ./configure and what belongs to it.  None of that is kept in the
# repository.  ./check and ./quickstart call this with --if-needed: then it
# does nothing where what is there was made from the same sources.  They are
# compared by content, since copies of a tree do not keep times.  Outside of a
# repository ./configure without a note of that is a release: left alone.
set -eu
cd "$(dirname "$0")"

note=build-aux/made-from

sources()
{
    find . -name build -prune -o -name room.am -print | LC_ALL=C sort |
        xargs cat configure.ac Makefile.am m4/xt.m4 | cksum
}

is_made()
{
    [ -x configure ] && [ -f Makefile.in ] || return 1
    if [ -f "$note" ]; then
        [ "$(cat "$note")" = "$(sources)" ]
    else
        [ ! -e .git ]
    fi
}

case ${1-} in
--if-needed) is_made && exit 0 ;;
'') ;;
*) echo "usage: ./autogen.sh [--if-needed]" >&2; exit 1 ;;
esac

autoreconf --install --force --warnings=all
sources >"$note"
