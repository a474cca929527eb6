# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Build one program twice: around our trace.c, and around stock's.  Both get
# the same machine (xensim), the same compiler, the same flags; only trace.c
# and the headers it goes by differ.
#
# Sourced with $top_srcdir and $top_builddir set, as `make check` does it.
# Sets $scratch, a folder that goes when the script ends, $cc and $cflags.
: "${top_srcdir:?}" "${top_builddir:?}"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM

# What the tree was configured with.  An instrument (ASan ...) is in CFLAGS,
# and so goes into these programs as well.
cc=cc
cflags='-O2 -g'
if [ -x "$top_builddir/config.status" ]; then
    eval "$(printf 'cc="@CC@"\ncflags="@CFLAGS@"\n' |
        ( cd "$top_builddir" && ./config.status -q --file=- ))"
fi

# How Xen is compiled, as far as it shapes the code.
# shellcheck disable=SC2034 # for who sources this
like_xen='-fno-strict-aliasing -fomit-frame-pointer -fno-stack-protector'

# A release build, as Debian's is: no ASSERT.
# shellcheck disable=SC2034
release=-DNDEBUG

# compile FLAG...: warnings are the business of the real build
compile()
{
    # shellcheck disable=SC2086 # words are meant to split
    $cc -std=gnu11 -D_GNU_SOURCE -w $cflags "$@" \
        "-I$top_srcdir/xensim/include" "-I$top_srcdir" "-I$top_srcdir/tools"
}

# The machine, once, for both: it does not know what it runs.
build_machine()
{
    mkdir "$scratch/machine"
    for file in "$top_srcdir"/xensim/runtime/*.c; do
        compile "-I$top_srcdir/xen/include" -c "$file" \
            -o "$scratch/machine/$(basename "$file" .c).o" || return
    done
}

# build FLAVOUR TRACE_C INCLUDES FLAGS SOURCE...: makes $scratch/FLAVOUR.  The
# flags are for trace.c and for sources with a "+" in front: those that stand
# for the rest of the hypervisor.
build()
{
    program=$scratch/$1
    trace_c=$2
    includes=$3
    flags=$4
    shift 4
    mkdir "$program.o"
    for source in "+$trace_c" "$@"; do
        file=${source#+}
        special=
        [ "$file" = "$source" ] || special=$flags
        # shellcheck disable=SC2086
        compile $special "-I$includes" -c "$file" \
            -o "$program.o/$(basename "$file" .c).o" || return
    done
    # shellcheck disable=SC2086
    $cc $cflags -pthread -o "$program" "$program.o"/*.o "$scratch"/machine/*.o
}

# build_ours, build_stock STOCK: the two flavours; FLAGS SOURCE... as above
build_ours()
{
    build ours "$top_srcdir/xen/common/trace.c" "$top_srcdir/xen/include" "$@"
}

build_stock()
{
    folder=$1
    shift
    build stock "$folder/trace.c" "$folder" "$@"
}
