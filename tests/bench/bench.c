/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a trace point.  Ours, stock's and LTTng-UST's are separate
 * programs, since a process has one trace.c.  This program measures them in
 * turn, case by case and round by round, so that a slowdown of the machine
 * affects all alike.  All run on one processor, one at a time.
 *
 *    bench [--check] ROUNDS OURS [STOCK [LTTNG]]      "-": not available
 *
 * Returns 0 when all available programs were measured.  With --check, returns 1
 * when a bar is missed, 77 when none is but some could not be measured.
 */
#define _GNU_SOURCE
#include "tests/bench/child.h"
#include "tests/bench/report.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 16384

/* Use the last available processor: the first ones serve interrupts. */
static void stay_on_one_cpu(void)
{
    cpu_set_t may, one;
    int cpu = CPU_SETSIZE;

    if ( sched_getaffinity(0, sizeof(may), &may) )
        return;
    while ( --cpu >= 0 && !CPU_ISSET(cpu, &may) )
        ;
    if ( cpu < 0 )
        return;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if ( sched_setaffinity(0, sizeof(one), &one) )
        printf("not allowed to stay on one processor: expect noise\n");
}

/* Measure one case.  False: the child did not answer. */
static bool measure_cell(struct child *child, struct cell *cell, enum row row)
{
    double ns = child_measure(child, report_case(row), CALLS);

    if ( ns >= 0 )
        cell->ns[cell->nr++] = ns;
    else if ( ns != CHILD_KNOWS_NOT )
        fprintf(stderr, "bench: %s, %s: no answer\n", child->name,
                report_case(row));

    return ns != CHILD_FAILED;
}

/* Measure one case in all children, alternating their order. */
static bool measure_row(struct results *r, struct child *child, enum row row,
                        bool backwards)
{
    for ( unsigned int i = 0; i < NR_COLUMNS; i++ )
    {
        unsigned int column = backwards ? NR_COLUMNS - 1 - i : i;

        if ( child[column].pid &&
             !measure_cell(&child[column], cell_at(r, row, column), row) )
            return false;
    }

    return true;
}

static bool measure_round(struct results *r, struct child *child)
{
    unsigned int round, row;

    for ( round = 0; round < r->rounds; round++ )
        for ( row = 0; row < NR_ROWS; row++ )
            if ( !measure_row(r, child, row, round & 1) )
                return false;

    return true;
}

static bool results_init(struct results *r, unsigned int rounds)
{
    r->rounds = rounds;
    r->calls = CALLS;
    for ( struct cell *c = r->cells; c < r->cells + NR_CELLS; c++ )
    {
        c->ns = calloc(rounds, sizeof(*c->ns));
        if ( !c->ns )
            return false;
    }

    return true;
}

static void results_fini(struct results *r)
{
    for ( struct cell *c = r->cells; c < r->cells + NR_CELLS; c++ )
        free(c->ns);
}

/* False: an available program could not be measured completely. */
static bool measure_all(struct results *r, char **programs)
{
    static const char *const names[NR_COLUMNS] = { "ours", "stock", "lttng" };
    struct child child[NR_COLUMNS] = { 0 };
    unsigned int column;
    bool ok = true;

    for ( column = 0; column < NR_COLUMNS && programs[column]; column++ )
        if ( strcmp(programs[column], "-") &&
             child_open(&child[column], names[column], programs[column]) )
            ok = false;

    ok = ok && measure_round(r, child);

    for ( column = 0; column < NR_COLUMNS; column++ )
        if ( child[column].pid && child_close(&child[column]) )
            ok = false;

    return ok;
}

int main(int argc, char **argv)
{
    bool check = argc > 1 && !strcmp(argv[1], "--check");
    struct results r = { 0 };
    struct verdicts v;
    long rounds;
    int rc = 1;

    argv += 1 + check;
    argc -= 1 + check;
    rounds = argc < 2 ? 0 : strtol(argv[0], NULL, 10);
    if ( rounds < 1 || rounds > 1000000 )
    {
        fprintf(stderr,
                "usage: bench [--check] ROUNDS OURS [STOCK [LTTNG]]\n");
        return 1;
    }

    stay_on_one_cpu();
    if ( results_init(&r, rounds) && measure_all(&r, argv + 1) )
    {
        report_reduce(&r);
        report_table(&r);
        v = report_bars(&r);
        rc = !check ? 0 : v.miss ? 1 : v.unknown ? 77 : 0;
    }
    results_fini(&r);

    return rc;
}
