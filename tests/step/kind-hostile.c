/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader that changes cons during a write.  The ring is full, and at any
 * instruction cons changes between a correct and an invalid value.  Whichever
 * value Xen reads, the record has to be counted as lost, no byte of the ring
 * may change, and a message on the console has to name the invalid value.
 */
#include "tests/step/kinds.h"

#include "tests/step/stepper.h"

#include <stdio.h>

#define MAX_PAGES 3

struct trial
{
    struct step_state st;
    uint32_t good, bad;
    unsigned long at;       /* instruction where cons changes; 0: each */
    bool to_good;           /* from the invalid to the correct value */
    unsigned char ring[MAX_PAGES * PAGE_SIZE];
};

static void set_cons(struct trial *t, bool good)
{
    __atomic_store_n(&t->st.reader.ring->cons, good ? t->good : t->bad,
                     __ATOMIC_RELAXED);
}

static bool change_cons(void *arg, unsigned long n)
{
    struct trial *t = arg;

    if ( !t->at )
        set_cons(t, state_random(&t->st, 2));
    else if ( n == t->at )
        set_cons(t, t->to_good);
    return !t->at || n < t->at;
}

static uint32_t draw_bad_cons(struct step_state *st)
{
    uint32_t twice = 2 * st->reader.size;
    uint32_t ahead = 4 + 4 * state_random(st, 100);
    const uint32_t values[] = {
        (st->reader.ring->prod + ahead) % twice,
        st->reader.ring->cons | (1 + state_random(st, 3)),
        twice + ahead,
        ~0U,
    };

    return values[state_random(st, ARRAY_SIZE(values))];
}

/* Fill the ring from a random position. */
static void fill_ring(struct trial *t)
{
    struct step_state *st = &t->st;

    state_consume_all(st);
    state_fill(st, 4 * state_random(st, st->reader.size / 4));
    state_consume_all(st);
    state_fill(st, st->reader.size);
    xensim_run_tasklets();
    xensim_capture_console();

    t->good = st->reader.ring->cons;
    t->bad = draw_bad_cons(st);
    memcpy(t->ring, st->reader.ring, st->reader.pages * PAGE_SIZE);
}

/* At most one message is on the console, and names the invalid cons. */
static void check_console(struct trial *t)
{
    const char *text, *at;
    unsigned int cons;

    xensim_run_tasklets();
    text = xensim_capture_console();
    at = strstr(text, "cons (");
    if ( !*text )
        return;
    if ( !at || sscanf(at, "cons (%x)", &cons) != 1 || cons != t->bad )
        state_fault(&t->st, "message for cons %08x: %s", t->bad, text);
    if ( strchr(text, '\n')[1] )
        state_fault(&t->st, "more than one message: %s", text);
}

static void run_hostile(struct trial *t, struct tally *tally)
{
    struct step_state *st = &t->st;
    struct test_record record;
    uint32_t lost;

    fill_ring(t);
    lost = state_lost(st);
    record = state_draw_record(st);
    set_cons(t, !t->to_good);
    tally->steps += step_function(write_test_record, &record, change_cons, t);
    tally->trials++;
    set_cons(t, true);

    if ( memcmp(t->ring, st->reader.ring, st->reader.pages * PAGE_SIZE) )
        state_fault(st, "the ring was written to");
    if ( state_lost(st) != lost + 1 )
        state_fault(st, "the record is not lost");
    if ( t->at )
        check_console(t);
    state_check_balance(st);

    if ( st->fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault),
                 "cons %08x, %s %08x at instruction %lu: %s", t->good,
                 t->to_good ? "was" : "becomes", t->bad, t->at, st->fault);
}

void kind_hostile(const struct plan *plan, struct tally *tally)
{
    static struct trial t;
    unsigned int i, trials = plan->full ? 4000 : plan->trials;

    ASSERT(plan->pages <= MAX_PAGES);
    state_init(&t.st, 1, plan->pages, plan->seed);
    for ( i = 0; i < trials && !tally->fault[0]; i++ )
    {
        t.at = i % 4 ? 1 + i % 250 : 0;
        t.to_good = i & 1;
        run_hostile(&t, tally);
    }
}
