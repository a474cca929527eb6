/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader that changes its word amid a writer.  The ring is full, and cons
 * says so or is nonsense, from one instruction to the next: whichever of them
 * Xen saw, it saw one of them, so the record is lost, not a byte of the ring
 * has changed, and a complaint names the nonsense.
 */
#include "tests/step/kinds.h"

#include "tests/step/stepper.h"

#include <stdio.h>

#define MOST_PAGES 3

struct trial
{
    struct world w;
    uint32_t sane, nonsense;
    unsigned long at;       /* the word changes here; 0: at each */
    bool back;              /* from nonsense to sense */
    unsigned char ring[MOST_PAGES * PAGE_SIZE];
};

static void report_case(struct trial *t, bool sane)
{
    __atomic_store_n(&t->w.reader.ring->cons, sane ? t->sane : t->nonsense,
                     __ATOMIC_RELAXED);
}

static bool change_cons(void *arg, unsigned long n)
{
    struct trial *t = arg;

    if ( !t->at )
        report_case(t, world_any(&t->w, 2));
    else if ( n == t->at )
        report_case(t, t->back);
    return !t->at || n < t->at;
}

static uint32_t draw_nonsense(struct world *w)
{
    uint32_t twice = 2 * w->reader.size;
    uint32_t ahead = 4 + 4 * world_any(w, 100);
    const uint32_t values[] = {
        (w->reader.ring->prod + ahead) % twice,
        w->reader.ring->cons | (1 + world_any(w, 3)),
        twice + ahead,
        ~0U,
    };

    return values[world_any(w, ARRAY_SIZE(values))];
}

/* Full, from any place on. */
static void prepare_cons(struct trial *t)
{
    struct world *w = &t->w;

    world_take_all(w);
    world_fill(w, 4 * world_any(w, w->reader.size / 4));
    world_take_all(w);
    world_fill(w, w->reader.size);
    xensim_run_tasklets();
    xensim_capture_console();

    t->sane = w->reader.ring->cons;
    t->nonsense = draw_nonsense(w);
    memcpy(t->ring, w->reader.ring, w->reader.pages * PAGE_SIZE);
}

/* At most one complaint, and of what was wrong. */
static void check_console(struct trial *t)
{
    const char *text, *at;
    unsigned int cons;

    xensim_run_tasklets();
    text = xensim_capture_console();
    at = strstr(text, "cons (");
    if ( !*text )
        return;
    if ( !at || sscanf(at, "cons (%x)", &cons) != 1 || cons != t->nonsense )
        world_fault(&t->w, "of cons %08x: %s", t->nonsense, text);
    if ( strchr(text, '\n')[1] )
        world_fault(&t->w, "complaints: %s", text);
}

static void run_hostile(struct trial *t, struct tally *tally)
{
    struct world *w = &t->w;
    struct world_record record;
    uint32_t lost;

    prepare_cons(t);
    lost = world_lost(w);
    record = world_draw(w);
    report_case(t, !t->back);
    tally->steps += step(world_put, &record, change_cons, t);
    tally->trials++;
    report_case(t, true);

    if ( memcmp(t->ring, w->reader.ring, w->reader.pages * PAGE_SIZE) )
        world_fault(w, "the ring was written to");
    if ( world_lost(w) != lost + 1 )
        world_fault(w, "the record is not lost");
    if ( t->at )
        check_console(t);
    world_balance(w);

    if ( w->fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault),
                 "cons %08x, %s %08x at instruction %lu: %s", t->sane,
                 t->back ? "was" : "becomes", t->nonsense, t->at, w->fault);
}

void kind_hostile(const struct plan *plan, struct tally *tally)
{
    static struct trial t;
    unsigned int i, trials = plan->full ? 4000 : plan->trials;

    ASSERT(plan->pages <= MOST_PAGES);
    world_start(&t.w, 1, plan->pages, plan->seed);
    for ( i = 0; i < trials && !tally->fault[0]; i++ )
    {
        t.at = i % 4 ? 1 + i % 250 : 0;
        t.back = i & 1;
        run_hostile(&t, tally);
    }
}
