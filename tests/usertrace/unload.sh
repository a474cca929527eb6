#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program unloads a library that has events: control, tracing and the end of
# the program go on as before.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

for format in h c; do
    generate $format trace-sample.$format --backends=simple
done
cat >plugin.c <<'END'
#include <trace/usertrace.h>
#include <trace-sample.h>
void run_plugin(void);
void run_plugin(void)
{
    trace_sample_text("from the library");
}
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <trace/usertrace.h>
int main(void)
{
    for ( int i = 0; i < 3; i++ )
    {
        void *library = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
        void (*run)(void) = library ? dlsym(library, "run_plugin") : NULL;

        if ( !run )
            return fprintf(stderr, "%s\n", dlerror()), 1;
        if ( !i )
            usertrace_init(NULL);
        run();
        dlclose(library);
        usertrace_enable("sample_*", NULL);
        trace_list_events(stdout);
    }
    return 0;
}
END
# shellcheck disable=SC2086 # flags are words
set -- -std=gnu11 -Wall -Wextra -Werror $cflags -I. "-I$top_srcdir/tools" \
    "-I$top_srcdir/tools/libusertrace"
$cc "$@" -fPIC -shared -o plugin.so plugin.c trace-sample.c \
    "-L$library" -lusertrace || exit 1
$cc "$@" -o host host.c "-L$library" -lusertrace -ldl || exit 1

TRACE='sample_text,file=f' ./host >names 2>err || fail "exit $?: $(cat err)"
[ "$(grep -c '^sample_text$' names)" = 3 ] || fail "names: $(cat names)"
[ "$("$simpletrace" f | grep -c 'from the library')" = 3 ] ||
    fail "the trace is not complete: $("$simpletrace" f)"
exit $failed
