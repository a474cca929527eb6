/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An action at the nth instruction of a writer, or two actions.  Meanwhile all
 * published records are read and checked, before each instruction and, in half
 * of the trials, after the action too.  At the end the counts of records have
 * to balance.
 */
#include "tests/step/kinds.h"

#include "tests/step/ring-setup.h"
#include "tests/step/stepper.h"

#include <stdio.h>

#define WRITERS 4

struct trial
{
    struct step_state st;
    const struct action *action;
    unsigned long at;       /* instruction where the action happens */
    unsigned long gap;      /* distance to the second action; 0: only one */
    unsigned long length;   /* instructions of the writer */
    bool acted;
    bool check_after;       /* check after the action too */
};

static bool interrupt_writer(void *arg, unsigned long n)
{
    struct trial *t = arg;

    if ( n == t->at || (t->gap && n == t->at + t->gap) )
    {
        t->action->act(&t->st);
        t->acted = true;
    }
    state_check(&t->st);
    return n <= t->at + t->gap || t->check_after;
}

/* Returns false when the writer ended before instruction `at`. */
static bool run_writer(struct trial *t, const struct ring_setup *setup,
                       struct tally *tally)
{
    struct test_record record;

    setup_apply(&t->st, setup);
    record = state_draw_record(&t->st);
    t->acted = false;
    t->check_after = t->gap || state_random(&t->st, 2);
    t->length = step_function(write_test_record, &record, interrupt_writer, t);
    tally->steps += t->length;
    tally->trials++;
    state_check_balance(&t->st);

    if ( t->st.fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault),
                 "%s; %s at instruction %lu (and %lu later): %s",
                 setup->name, t->action->name, t->at, t->gap, t->st.fault);
    return t->acted;
}

/* Run the same writer once for each of its instructions. */
static void run_through(struct trial *t, const struct ring_setup *setup,
                        struct tally *tally)
{
    uint32_t random = t->st.random;

    t->at = 0;
    do
    {
        t->at++;
        t->st.random = random;
    } while ( run_writer(t, setup, tally) && !tally->fault[0] );
}

/* All instructions of a few writers, or a sample: a writer has 150 to 450. */
static void run_pair(struct trial *t, const struct ring_setup *setup,
                     const struct plan *plan, struct tally *tally)
{
    unsigned int i, max = plan->full ? WRITERS : plan->trials;

    for ( i = 0; !tally->fault[0] && i < max; i++ )
        if ( plan->full )
            run_through(t, setup, tally);
        else
        {
            t->at = 1 + state_random(&t->st, 400);
            run_writer(t, setup, tally);
        }
}

/* Two actions near the end of the writer, where the record is published. */
static void run_twice(struct trial *t, const struct ring_setup *setup,
                      const struct plan *plan, struct tally *tally)
{
    unsigned int i, max = plan->full ? 600 : plan->trials;
    unsigned long behind;

    t->at = t->gap = 0;
    run_writer(t, setup, tally);
    for ( i = 0; !tally->fault[0] && i < max; i++ )
    {
        behind = plan->full ? 1 + i / 10 : 1 + state_random(&t->st, t->length);
        t->gap = 1 + (plan->full ? i % 10 : state_random(&t->st, 20));
        t->at = t->length > behind ? t->length - behind : 1;
        run_writer(t, setup, tally);
    }
    t->gap = 0;
}

static void run_all_pairs(const struct plan *plan, struct tally *tally,
                          void (*pair)(struct trial *t,
                                       const struct ring_setup *setup,
                                       const struct plan *plan,
                                       struct tally *tally))
{
    static struct trial t;
    const struct ring_setup *setup;
    unsigned int i, j;

    state_init(&t.st, 1, plan->pages, plan->seed);
    for ( i = 0; (setup = setup_row(i)); i++ )
        for ( j = 0; (t.action = action_row(j)); j++ )
            if ( kind_matches(plan->first, setup->name) &&
                 kind_matches(plan->second, t.action->name) )
                pair(&t, setup, plan, tally);
}

void kind_writer(const struct plan *plan, struct tally *tally)
{
    run_all_pairs(plan, tally, run_pair);
}

void kind_twice(const struct plan *plan, struct tally *tally)
{
    run_all_pairs(plan, tally, run_twice);
}
