/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The child's side of the protocol, common to all measured programs.  A program
 * measures one case at a time, so the timer is static.
 */
#include "tests/bench/pace.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static struct
{
    uint64_t begun, took; /* ns */
} pace;

static uint64_t pace_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * UINT64_C(1000000000) + t.tv_nsec;
}

void pace_begin(void)
{
    pace.begun = pace_now();
}

void pace_end(void)
{
    pace.took = pace_now() - pace.begun;
}

int pace_serve(pace_case_fn *measure)
{
    char line[80], name[32];
    unsigned int calls;

    while ( fgets(line, sizeof(line), stdin) )
    {
        if ( sscanf(line, "%31s %u", name, &calls) != 2 || calls == 0 ||
             !measure(name, calls) )
            puts("?");
        else
            printf("%" PRIu64 "\n", pace.took * 1000 / calls);
        if ( fflush(stdout) )
            return 1;
    }

    return ferror(stdin) ? 1 : 0;
}
