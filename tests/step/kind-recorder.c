/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flight recorder, whose writer is interrupted by so many others that they
 * would write over it.  They may not lap it: they are lost instead, and that
 * is counted.  Frozen, the ring must be whole.
 */
#include "tests/step/kinds.h"

#include "tests/step/stepper.h"

#include <stdio.h>

struct trial
{
    struct world w;
    unsigned long at;
    unsigned int nest;      /* writers that interrupt */
    bool happened;
};

static bool interrupt_recorder(void *arg, unsigned long n)
{
    struct trial *t = arg;
    unsigned int i;

    if ( n != t->at )
        return true;
    for ( i = 0; i < t->nest; i++ )
        world_emit_in(&t->w, i % 7 ? XENSIM_IRQ : XENSIM_NMI);
    t->happened = true;
    return false;
}

struct found
{
    uint32_t first;         /* number that was not the interrupted writer's */
    uint32_t count;         /* of those */
    bool own;               /* his was there */
    uint32_t lost;          /* behind the first; what was before is gone */
};

/* Numbers rise, but for the interrupted writer's, which may come later. */
static void note_record(struct world *w, uint32_t number, uint32_t own,
                        uint32_t *last, struct found *found)
{
    if ( number == own )
    {
        if ( found->own )
            world_fault(w, "record %u came twice", own);
        found->own = true;
        return;
    }
    if ( number <= *last )
        world_fault(w, "record %u comes after %u", number, *last);
    if ( !found->count++ )
        found->first = number;
    *last = number;
}

static void read_frozen(struct world *w, uint32_t own, struct found *found)
{
    struct kit_record record;
    uint32_t number, last = 0;

    *found = (struct found){};
    kit_forget(&w->reader);
    kit_snapshot(&w->reader);
    while ( kit_next(&w->reader, &record) )
        if ( record.event == TRC_LOST_RECORDS )
            found->lost += found->count ? record.word[0] : 0;
        else if ( record.event == TRC_TRACE_WRAP_BUFFER )
            continue;
        else if ( kit_is_ours(&record, &number) )
            note_record(w, number, own, &last, found);
        else
            world_fault(w, "the record at %u is torn", record.at);
    if ( w->reader.fault[0] )
        world_fault(w, "%s", w->reader.fault);
    kit_consume(&w->reader);
    if ( last != w->number )
        world_fault(w, "it ends with %u, not with %u", last, w->number);
}

/*
 * Of the numbers from the first on all were found or lost; the interrupted
 * writer's counts if it is one of them, and if it was not found it may have
 * been lost or, being older, written over.
 */
static void check_found(struct world *w, const struct found *f, uint32_t own)
{
    uint32_t due = w->number - f->first + 1 - (own >= f->first);
    uint32_t there = f->count + f->lost;

    if ( there != due && (f->own || there != due + 1) )
        world_fault(w, "from %u to %u: %u found, %u lost, %s", f->first,
                    w->number, f->count, f->lost,
                    f->own ? "the interrupted one found" : "it is missing");
    if ( kit_left(&w->reader) || f->count == 0 )
        world_fault(w, "nothing was kept");
}

/* A ring of one page keeps nothing when its head has just come round. */
static bool just_came_round(const struct world *w)
{
    return w->reader.pages == 1 && world_place(w) == 0 && !world_unread(w);
}

static bool run_recorder(struct trial *t, struct tally *tally)
{
    struct world *w = &t->w;
    unsigned int before = world_any(w, 400 * w->reader.pages);
    unsigned long virqs = xensim_virqs();
    struct world_record record;
    struct found found;

    kit_overwrite();
    while ( before-- )
        world_emit(w);
    t->happened = false;
    record = world_draw(w);
    tally->steps += step(world_put, &record, interrupt_recorder, t);
    tally->trials++;
    world_emit(w); /* brings LOST, if some were */
    xensim_run_tasklets();
    if ( xensim_virqs() != virqs )
        world_fault(w, "dom0 was told, of what it cannot read");
    kit_freeze();
    if ( !just_came_round(w) )
    {
        read_frozen(w, record.number, &found);
        check_found(w, &found, record.number);
    }
    kit_enable();

    if ( w->fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault),
                 "%u writers at instruction %lu: %s", t->nest, t->at,
                 w->fault);
    return t->happened;
}

static unsigned int draw_nest(struct trial *t)
{
    unsigned int most = 300 * t->w.reader.pages;

    return 1 + world_any(&t->w, world_any(&t->w, 2) ? most : 20);
}

void kind_recorder(const struct plan *plan, struct tally *tally)
{
    static struct trial t;
    unsigned int i, trials = plan->trials * 24;

    world_start(&t.w, 1, plan->pages, plan->seed);
    for ( i = 1; !tally->fault[0] && i <= trials; i++ )
    {
        t.at = 1 + world_any(&t.w, 300);
        t.nest = draw_nest(&t);
        run_recorder(&t, tally);
    }

    for ( i = 1; plan->full && !tally->fault[0]; i++ )
    {
        t.at = i;
        t.nest = draw_nest(&t);
        if ( !run_recorder(&t, tally) && i > 450 )
            break;
    }
}
