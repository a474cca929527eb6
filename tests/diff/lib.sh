# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Build one program twice: with our trace.c and with stock's.  Both use the same
# machine (xensim), compiler and flags; only trace.c and its headers differ.
#
# To be sourced, with $top_srcdir and $top_builddir set as by `make check`.
# Sets $scratch, a folder that is removed at exit, $cc and $cflags.
: "${top_srcdir:?}" "${top_builddir:?}"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM

# The compiler and flags of the configured tree, with sanitizers, if any.
cc=cc
cflags='-O2 -g'
if [ -x "$top_builddir/config.status" ]; then
    eval "$(printf 'cc="@CC@"\ncflags="@CFLAGS@"\n' |
        ( cd "$top_builddir" && ./config.status -q --file=- ))"
fi

# Xen's code generation flags.
# shellcheck disable=SC2034 # for the sourcing script
like_xen='-fno-strict-aliasing -fomit-frame-pointer -fno-stack-protector'

# A release build, as Debian's is: no ASSERT.
# shellcheck disable=SC2034
release=-DNDEBUG

# compile FLAG...: warnings are left to the regular build
compile()
{
    # shellcheck disable=SC2086 # words are meant to split
    $cc -std=gnu11 -D_GNU_SOURCE -w $cflags "$@" \
        "-I$top_srcdir/xensim/include" "-I$top_srcdir" "-I$top_srcdir/tools"
}

# Compile the machine once for both flavours.
build_machine()
{
    mkdir "$scratch/machine"
    for file in "$top_srcdir"/xensim/runtime/*.c; do
        compile "-I$top_srcdir/xen/include" -c "$file" \
            -o "$scratch/machine/$(basename "$file" .c).o" || return
    done
}

# build FLAVOUR TRACE_C INCLUDES FLAGS SOURCE...: build $scratch/FLAVOUR.  FLAGS
# apply to trace.c and to sources with a leading "+", which stand for the rest
# of the hypervisor.
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

# build_ours FLAGS SOURCE..., build_stock STOCK FLAGS SOURCE...: the two
# flavours
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
