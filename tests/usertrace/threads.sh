#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Threads that come and go: a ring is used again, so the memory of rings depends
# on the number of threads at a time, and not on the number of all threads.  No
# event is lost.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

echo 'sample_one(int number) "number %d"' >one.trace-events
cat >threads.c <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <trace/usertrace.h>

#include "trace-one.h"

#define AT_A_TIME 8
#define ROUNDS 2500

static void *trace_once(void *number)
{
    trace_sample_one((int)(intptr_t)number);
    return NULL;
}

static int run_round(intptr_t first)
{
    pthread_t threads[AT_A_TIME];
    int i;

    for ( i = 0; i < AT_A_TIME; i++ )
        if ( pthread_create(&threads[i], NULL, trace_once,
                            (void *)(first + i)) )
            return 1;
    for ( i = 0; i < AT_A_TIME; i++ )
        pthread_join(threads[i], NULL);
    return 0;
}

/* Wait for a line, so that the memory can be measured. */
int main(void)
{
    usertrace_init(NULL);
    for ( int i = 0; i < ROUNDS; i++ )
        if ( run_round((intptr_t)i * AT_A_TIME) )
            return 1;
    puts("done");
    fflush(stdout);
    getchar();
    return 0;
}
END
for format in h c; do
    "$tracetool" --backends=simple --group=one --format=$format \
        one.trace-events trace-one.$format || exit 1
done
# shellcheck disable=SC2086 # flags are words
$cc -std=gnu11 -Wall -Wextra -Werror $cflags -pthread -I. \
    "-I$top_srcdir/tools" "-I$top_srcdir/tools/libusertrace" \
    -o threads threads.c trace-one.c "-L$library" -lusertrace || exit 1

mkdir memory
mkfifo more
USERTRACE_RINGS=$scratch/memory TRACE='sample_one,file=f' ./threads <more \
    >out 2>err &
program=$!
exec 3>more
tries=0
until [ -s out ]; do
    tries=$((tries + 1))
    [ $tries -lt 1200 ] || { echo 'the program does not end'; break; }
    kill -0 $program 2>/dev/null || break
    sleep 0.1
done
# At most 8 rings of threads, 8 that are ready, and some that the drain has not
# read yet.
bytes=$(cat memory/*.rings | wc -c)
[ "$bytes" -gt $((256 << 10)) ] || fail "$bytes bytes of rings"
[ "$bytes" -lt $((64 * 256 << 10)) ] || fail "$bytes bytes of rings for 8 threads"
echo >&3
exec 3>&-
wait $program || fail "exit $?: $(cat err)"
"$simpletrace" --style=csv f >f.csv 2>err || fail "simpletrace: $(cat err)"
events=$(grep -c sample_one f.csv)
[ "$events" = 20000 ] || fail "$events of 20000 events"
[ -z "$(ls memory)" ] || fail "left: $(ls memory)"
exit $failed
