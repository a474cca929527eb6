#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Threads that come and go: a ring is used again, so the memory of rings depends
# on the number of threads at a time, and not on the number of all threads.
# Rings that stay free return their memory.  No event is lost, also if the
# process is killed.
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

#define MAX_THREADS 1000

static pthread_barrier_t all_have_traced;

static void *trace_once(void *number)
{
    trace_sample_one((int)(intptr_t)number);
    pthread_barrier_wait(&all_have_traced);
    return NULL;
}

static int run_round(unsigned int nr)
{
    pthread_t threads[MAX_THREADS];
    unsigned int i;

    pthread_barrier_init(&all_have_traced, NULL, nr);
    for ( i = 0; i < nr; i++ )
        if ( pthread_create(&threads[i], NULL, trace_once,
                            (void *)(intptr_t)i) )
            return 1;
    for ( i = 0; i < nr; i++ )
        pthread_join(threads[i], NULL);
    return 0;
}

/* For each line "THREADS ROUNDS", run so many threads at a time. */
int main(void)
{
    unsigned int nr, rounds;

    usertrace_init(NULL);
    while ( scanf("%u %u", &nr, &rounds) == 2 )
    {
        if ( nr > MAX_THREADS )
            return 2;
        for ( ; rounds; rounds-- )
            if ( run_round(nr) )
                return 1;
        puts("done");
        fflush(stdout);
    }
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

begin_program()
{
    done=0
    : >out              # the program before may have left lines
    USERTRACE_RINGS=$scratch/memory TRACE='sample_one,file=f' ./threads <more \
        >out 2>err &
    program=$!
    exec 3>more
}

end_program()
{
    exec 3>&-
    wait $program || fail "exit $?: $(cat err)"
}

# run_threads THREADS ROUNDS
run_threads()
{
    echo "$1 $2" >&3
    done=$((done + 1))
    tries=0
    until [ "$(wc -l <out)" = $done ]; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || { fail 'the program does not end'; break; }
        kill -0 $program 2>/dev/null || break
        sleep 0.1
    done
}

# Memory of the rings, in units of a ring.
count_rings()
{
    # shellcheck disable=SC2012 # no other command has the blocks
    echo $(($(ls -s --block-size=1 memory/*.rings | cut -d' ' -f1) >> 18))
}

# check_events FILE NR
check_events()
{
    "$simpletrace" --style=csv "$1" >f.csv 2>err ||
        fail "simpletrace: $(cat err)"
    events=$(grep -c sample_one f.csv)
    [ "$events" = "$2" ] || fail "$events of $2 events"
    grep -q Dropped_Event f.csv && fail 'losses'
    [ -z "$(ls memory)" ] || fail "left: $(ls memory)"
}

# At most 8 rings of threads, 8 that are ready, and some that the drain has not
# read yet.
begin_program
run_threads 8 2500
rings=$(count_rings)
[ "$rings" -gt 0 ] && [ "$rings" -lt 64 ] || fail "$rings rings for 8 threads"
end_program
check_events f 20000

# A thousand rings at once, most of which are trimmed; the next threads allocate
# their memory again.  The headers of 1000 rings are as large as 16 rings.
begin_program
for round in 1 2 3; do
    run_threads 1000 1
    rings=$(count_rings)
    [ "$rings" -gt 900 ] || fail "$round: $rings rings for 1000 threads"
    tries=0
    until [ "$(count_rings)" -lt 32 ]; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] ||
            { fail "$round: $(count_rings) rings for no thread"; break; }
        sleep 0.1
    done
    # The first threads take free rings, the others trimmed rings.
    run_threads 8 10
done
end_program
check_events f 3240

# The same, killed: the last events are in rings of both kinds.
begin_program
run_threads 1000 1
tries=0
until [ "$(count_rings)" -lt 32 ] || [ $tries = 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
run_threads 100 1
kill -9 $program
wait $program 2>/dev/null
exec 3>&-
"$simpletrace" --recover=whole f 2>err || fail "--recover: $(cat err)"
check_events whole 1100
exit $failed
