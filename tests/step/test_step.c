/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts, readers and control operations at single instructions of the
 * ring's code; kinds.h lists the kinds of trials.
 *
 *   test_step                         all kinds, rings of 1, 2 and 3 pages
 *   test_step KIND [PAGES [ROW [ROW]]]  one kind, limited to table rows with
 *                                     these words in their names; two words
 *                                     select every instruction
 *
 * By default a random sample is tested, and its seed printed; STEP_SEED sets
 * another seed.  STEP_FULL=1 tests every instruction, possibly for hours.
 * CHECK_FULL (of ./check --full) only draws a larger sample.
 *
 * Exits with 1 if a trial fails, with 2 if there is no such kind or row.
 */
#include "tests/step/kinds.h"
#include "tests/step/stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED 1
#define NO_TRIAL 2
#define SKIP 77

static const struct kind
{
    const char *name;
    void (*run)(const struct plan *plan, struct tally *tally);
    unsigned int trials;
} kinds[] = {
    { "writer", kind_writer, 3 },
    { "twice", kind_twice, 1 },
    { "recorder", kind_recorder, 4 },
    { "hostile", kind_hostile, 250 },
    { "ipi", kind_ipi, 1 },
    { "remote", kind_remote, 2 },
    { "order", kind_order, 10 },
    { "listing", kind_listing, 1 },
    { "start", kind_start, 1 },
};

static int run_kinds(const struct kind *kind, const struct plan *plan)
{
    struct tally tally = {};

    kind->run(plan, &tally);
    printf("%s, %u page%s, STEP_SEED=%u: %lu trials, %lu instructions\n",
           kind->name, plan->pages, plan->pages > 1 ? "s" : "", plan->seed,
           tally.trials, tally.steps);
    if ( tally.fault[0] )
        printf("FAILED: %s\n", tally.fault);
    else if ( !tally.trials )
        printf("FAILED: no such row\n");
    fflush(stdout);

    if ( tally.fault[0] )
        return FAILED;
    return tally.trials ? 0 : NO_TRIAL;
}

/* One machine per process. */
static int run_in_child(const struct kind *kind, const struct plan *plan)
{
    pid_t child = fork();
    int status = 0;

    if ( child == 0 )
        _exit(run_kinds(kind, plan));
    if ( child < 0 || waitpid(child, &status, 0) < 0 )
        return FAILED;
    if ( WIFSIGNALED(status) )
        printf("FAILED: %s, %u pages: signal %d\n", kind->name, plan->pages,
               WTERMSIG(status));

    return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

static int run_all(const char *name, unsigned int pages, struct plan plan)
{
    unsigned int i, from = pages ?: 1, to = pages ?: 3;
    const char *longer = getenv("CHECK_FULL");
    unsigned int samples = longer && *longer ? 10 : 1;
    int failed = 0, found = 0;

    for ( i = 0; i < ARRAY_SIZE(kinds); i++ )
    {
        if ( name && strcmp(name, kinds[i].name) )
            continue;
        plan.trials = kinds[i].trials * samples;
        for ( plan.pages = from; plan.pages <= to; plan.pages++ )
            failed |= run_in_child(&kinds[i], &plan);
        found = 1;
    }
    return found ? failed : NO_TRIAL;
}

int main(int argc, char **argv)
{
    const char *seed = getenv("STEP_SEED"), *full = getenv("STEP_FULL");
    struct plan plan = {
        .seed = seed ? strtoul(seed, NULL, 0) : 1,
        .full = argc > 4 || (full && *full && strcmp(full, "0")),
        .first = argc > 3 && *argv[3] ? argv[3] : NULL,
        .second = argc > 4 ? argv[4] : NULL,
    };

    setvbuf(stdout, NULL, _IOLBF, 0);
    if ( !stepper_works() )
    {
        printf("the trap flag does not step a program here\n");
        return SKIP;
    }
    return run_all(argc > 1 ? argv[1] : NULL,
                   argc > 2 ? strtoul(argv[2], NULL, 0) : 0, plan);
}
