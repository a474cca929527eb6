/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Actions between two instructions of a writer: other writers in interrupts
 * on the same CPU, and the reader on another CPU.
 */
#include "tests/step/ring-setup.h"

#include "tests/step/stepper.h"

static void emit_record(struct step_state *st)
{
    state_emit_in(st, XENSIM_IRQ);
}

static void emit_in_nmi(struct step_state *st)
{
    state_emit_in(st, XENSIM_NMI);
}

static void nmi_and_mce(void *arg)
{
    struct step_state *st = arg;

    state_emit(st);
    state_emit_in(st, XENSIM_MCE);
    state_emit(st);
}

static void emit_in_mce_in_nmi(struct step_state *st)
{
    xensim_interrupt(XENSIM_NMI, nmi_and_mce, st);
}

static void drain_all(struct step_state *st)
{
    state_consume_all(st);
}

static void drain_some(struct step_state *st)
{
    state_consume(st, 1 + state_random(st, 5));
}

static void drain_then_emit(struct step_state *st)
{
    state_consume_all(st);
    emit_record(st);
}

static void emit_around_drain(struct step_state *st)
{
    emit_record(st);
    state_consume_all(st);
    emit_record(st);
}

static void emit_burst(struct step_state *st)
{
    unsigned int n = 5 + state_random(st, 30);

    while ( n-- )
        emit_record(st);
}

/* Fill the ring more than once. */
static void emit_storm(struct step_state *st)
{
    unsigned int n = 200 + state_random(st, 300) * st->reader.pages;

    while ( n-- )
    {
        emit_record(st);
        if ( state_random(st, 16) == 0 )
            state_consume(st, state_random(st, 40));
    }
}

/* Fill the ring until records are lost. */
static void overflow_ring(struct step_state *st)
{
    uint32_t lost = state_lost(st);

    while ( state_lost(st) < lost + 3 )
        emit_record(st);
}

static void overflow_then_drain(struct step_state *st)
{
    overflow_ring(st);
    state_consume_all(st);
    emit_record(st);
}

static void drain_then_overflow(struct step_state *st)
{
    state_consume_all(st);
    overflow_ring(st);
}

/* ---- writers that are interrupted themselves -------------------------- */

struct inner
{
    struct step_state *st;
    unsigned long at;       /* number of the instruction to interrupt */
    void (*act)(struct step_state *st);
};

static bool interrupt_inner(void *arg, unsigned long n)
{
    struct inner *inner = arg;

    if ( n != inner->at )
        return true;
    inner->act(inner->st);
    return false;
}

/* A writer takes 100 to 400 instructions; a later `at` has no effect. */
static void step_inner(struct step_state *st,
                       void (*act)(struct step_state *st))
{
    struct test_record record = state_draw_record(st);
    struct inner inner = {
        .st = st, .at = 1 + state_random(st, 400), .act = act,
    };

    step_function(write_test_record, &record, interrupt_inner, &inner);
}

static void emit_in_writer(struct step_state *st)
{
    step_inner(st, emit_in_nmi);
}

static void burst_in_writer(struct step_state *st)
{
    step_inner(st, emit_burst);
}

static void drain_in_writer(struct step_state *st)
{
    step_inner(st, drain_then_emit);
}

static void overflow_in_writer(struct step_state *st)
{
    step_inner(st, overflow_then_drain);
}

static const struct action actions[] = {
    { "one record", emit_record },
    { "a record in an NMI", emit_in_nmi },
    { "records in an NMI and an #MC in it", emit_in_mce_in_nmi },
    { "the reader drains the ring", drain_all },
    { "the reader drains a part", drain_some },
    { "drain, then a record", drain_then_emit },
    { "a record, drain, a record", emit_around_drain },
    { "a burst", emit_burst },
    { "records until some are lost", overflow_ring },
    { "losses, drain, a record", overflow_then_drain },
    { "drain, records until some are lost", drain_then_overflow },
    { "hundreds of records, partial drains", emit_storm },
    { "a record, interrupted by a record", emit_in_writer },
    { "a record, interrupted by a burst", burst_in_writer },
    { "a record, interrupted by a reader", drain_in_writer },
    { "a record, interrupted by losses and a reader", overflow_in_writer },
};

const struct action *action_row(unsigned int i)
{
    return i < ARRAY_SIZE(actions) ? &actions[i] : NULL;
}
