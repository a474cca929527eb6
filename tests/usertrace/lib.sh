# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Builds examples/sample as a user does: tracetool generates code, which is
# compiled with the program and linked with the library of this build.
#
# Source this file with $top_srcdir and $top_builddir set.  It sets $scratch,
# which becomes the working directory, and sources tests/diff/lib.sh.
# shellcheck source=tests/diff/lib.sh
. "$top_srcdir/tests/diff/lib.sh"

here=$top_srcdir/tests/usertrace
example=$top_srcdir/examples/sample
tracetool=$(cd "$top_builddir" && pwd -P)/tools/tracetool/tracetool
simpletrace=$(cd "$top_builddir" && pwd -P)/tools/simpletrace/simpletrace
library=$(cd "$top_builddir" && pwd -P)/tools/libusertrace
export LD_LIBRARY_PATH="$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
source=$example/sample.c        # another program with the same events
failed=0

cd "$scratch" || exit 99

fail()
{
    echo "$*"
    failed=1
}

skip()
{
    echo "$*"
    exit 77
}

# --- LTTng's session daemon --------------------------------------------------

session=
daemon=

lttng_quietly()
{
    lttng --no-sessiond "$@" >>lttng.log 2>&1 </dev/null
}

lttng_ends()
{
    [ -z "$session" ] || lttng_quietly destroy "$session"
    [ -z "$daemon" ] || kill "$daemon" 2>/dev/null
    session=
    daemon=
}

# lttng_begins PROVIDER OPTION...: start a session with all events of PROVIDER,
# and a daemon unless one is running.  On failure, see lttng.log.
lttng_begins()
{
    provider=$1
    shift
    export LTTNG_HOME="$scratch"
    # a program waits for the daemon before main()
    export LTTNG_UST_REGISTER_TIMEOUT=-1
    trap 'lttng_ends; rm -rf "$scratch"' EXIT
    if ! lttng_quietly list; then
        lttng-sessiond --no-kernel >>lttng.log 2>&1 </dev/null &
        daemon=$!
        tries=0
        until lttng_quietly list; do
            tries=$((tries + 1))
            [ $tries -lt 100 ] || return
            sleep 0.1
        done
    fi
    session=$provider
    lttng_quietly create "$session" --output="$scratch/out" "$@" &&
        lttng_quietly enable-event -s "$session" --userspace "$provider:*" &&
        lttng_quietly start "$session"
}

# --- the sample --------------------------------------------------------------

# generate FORMAT FILE OPTION...
generate()
{
    format=$1
    file=$2
    shift 2
    "$tracetool" --format="$format" --group=sample "$@" \
        "$example/sample.trace-events" "$file" || exit 1
}

# make_sample BACKENDS [--provider=P] [SOURCE or FLAG...]: build ./sample
make_sample()
{
    backends=$1
    provider=--provider=qemu
    shift
    case ${1-} in
    --provider=*) provider=$1; shift ;;
    esac
    generate h trace-sample.h --backends="$backends" "$provider"
    generate c trace-sample.c --backends="$backends" "$provider"
    case ,$backends, in
    *,ust,*)
        generate ust-events-h trace-ust-sample.h "$provider"
        generate ust-events-c trace-ust-sample.c "$provider"
        set -- trace-ust-sample.c "$@" -llttng-ust -ldl ;;
    esac
    # shellcheck disable=SC2086 # flags are words
    $cc -std=gnu11 -Wall -Wextra -Werror $cflags -pthread -I. \
        "-I$top_srcdir/tools" "-I$top_srcdir/tools/libusertrace" \
        -o sample "$source" trace-sample.c "$@" \
        "-L$library" -lusertrace
}
