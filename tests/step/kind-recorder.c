/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flight recorder: a writer is interrupted by enough other writers to
 * overwrite the whole ring.  The others must not lap the interrupted record:
 * their records are lost and counted.  The frozen ring must be intact.
 */
#include "tests/step/kinds.h"

#include "tests/step/stepper.h"

#include <stdio.h>

struct trial
{
    struct step_state st;
    unsigned long at;
    unsigned int nest;      /* interrupting writers */
    bool interrupted;
};

static bool interrupt_recorder(void *arg, unsigned long n)
{
    struct trial *t = arg;
    unsigned int i;

    if ( n != t->at )
        return true;
    for ( i = 0; i < t->nest; i++ )
        state_emit_in(&t->st, i % 7 ? XENSIM_IRQ : XENSIM_NMI);
    t->interrupted = true;
    return false;
}

struct found
{
    uint32_t first;         /* first number of the other writers */
    uint32_t count;         /* records of the other writers */
    bool own;               /* the interrupted writer's record was found */
    uint32_t lost;          /* losses after `first`; earlier ones are gone */
};

/* Numbers rise; only the interrupted writer's record may come later. */
static void check_number(struct step_state *st, uint32_t number, uint32_t own,
                         uint32_t *last, struct found *found)
{
    if ( number == own )
    {
        if ( found->own )
            state_fault(st, "record %u was read twice", own);
        found->own = true;
        return;
    }
    if ( number <= *last )
        state_fault(st, "record %u is after %u", number, *last);
    if ( !found->count++ )
        found->first = number;
    *last = number;
}

static void read_frozen(struct step_state *st, uint32_t own,
                        struct found *found)
{
    struct kit_record record;
    uint32_t number, last = 0;

    *found = (struct found){};
    kit_forget(&st->reader);
    kit_snapshot(&st->reader);
    while ( kit_next(&st->reader, &record) )
        if ( record.event == TRC_LOST_RECORDS )
            found->lost += found->count ? record.word[0] : 0;
        else if ( record.event == TRC_TRACE_WRAP_BUFFER )
            continue;
        else if ( kit_is_emitted(&record, &number) )
            check_number(st, number, own, &last, found);
        else
            state_fault(st, "the record at %u is torn", record.at);
    if ( st->reader.fault[0] )
        state_fault(st, "%s", st->reader.fault);
    kit_consume(&st->reader);
    if ( last != st->number )
        state_fault(st, "the last record is %u, not %u", last, st->number);
}

/*
 * All numbers from the first on were found or counted as lost.  The interrupted
 * writer's number belongs to these if it is not older than the first; if not
 * found, it was lost or, being older, overwritten.
 */
static void check_found(struct step_state *st, const struct found *f,
                        uint32_t own)
{
    uint32_t due = st->number - f->first + 1 - (own >= f->first);
    uint32_t there = f->count + f->lost;

    if ( there != due && (f->own || there != due + 1) )
        state_fault(st, "from %u to %u: %u found, %u lost, %s", f->first,
                    st->number, f->count, f->lost,
                    f->own ? "the interrupted one found"
                           : "the interrupted one missing");
    if ( kit_left(&st->reader) || f->count == 0 )
        state_fault(st, "nothing was kept");
}

/* A ring of one page is empty right after prod has wrapped. */
static bool has_just_wrapped(const struct step_state *st)
{
    return st->reader.pages == 1 && state_position(st) == 0 &&
           !state_unread(st);
}

static bool run_recorder(struct trial *t, struct tally *tally)
{
    struct step_state *st = &t->st;
    unsigned int before = state_random(st, 400 * st->reader.pages);
    unsigned long virqs = xensim_virqs();
    struct test_record record;
    struct found found;

    kit_overwrite();
    while ( before-- )
        state_emit(st);
    t->interrupted = false;
    record = state_draw_record(st);
    tally->steps += step_function(write_test_record, &record,
                                  interrupt_recorder, t);
    tally->trials++;
    state_emit(st); /* flushes a pending LOST record */
    xensim_run_tasklets();
    if ( xensim_virqs() != virqs )
        state_fault(st, "dom0 got a VIRQ for records that it cannot read");
    kit_freeze();
    if ( !has_just_wrapped(st) )
    {
        read_frozen(st, record.number, &found);
        check_found(st, &found, record.number);
    }
    kit_enable();

    if ( st->fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault),
                 "%u writers at instruction %lu: %s", t->nest, t->at,
                 st->fault);
    return t->interrupted;
}

static unsigned int draw_nest(struct trial *t)
{
    unsigned int max = 300 * t->st.reader.pages;

    return 1 + state_random(&t->st, state_random(&t->st, 2) ? max : 20);
}

void kind_recorder(const struct plan *plan, struct tally *tally)
{
    static struct trial t;
    unsigned int i, trials = plan->trials * 24;

    state_init(&t.st, 1, plan->pages, plan->seed);
    for ( i = 1; !tally->fault[0] && i <= trials; i++ )
    {
        t.at = 1 + state_random(&t.st, 300);
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
