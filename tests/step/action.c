/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens between two instructions of a writer: other writers, in
 * interrupts on its CPU, and the reader, on another CPU.
 */
#include "tests/step/scene.h"

#include "tests/step/stepper.h"

static void act_record(struct world *w)
{
    world_emit_in(w, XENSIM_IRQ);
}

static void record_in_nmi(struct world *w)
{
    world_emit_in(w, XENSIM_NMI);
}

static void nmi_and_mce(void *arg)
{
    struct world *w = arg;

    world_emit(w);
    world_emit_in(w, XENSIM_MCE);
    world_emit(w);
}

static void record_in_mce_in_nmi(struct world *w)
{
    xensim_interrupt(XENSIM_NMI, nmi_and_mce, w);
}

static void act_drain(struct world *w)
{
    world_take_all(w);
}

static void drain_some(struct world *w)
{
    world_take(w, 1 + world_any(w, 5));
}

static void drain_then_record(struct world *w)
{
    world_take_all(w);
    act_record(w);
}

static void record_around_drain(struct world *w)
{
    act_record(w);
    world_take_all(w);
    act_record(w);
}

static void act_burst(struct world *w)
{
    unsigned int n = 5 + world_any(w, 30);

    while ( n-- )
        act_record(w);
}

/* Round the ring, and more than once. */
static void act_storm(struct world *w)
{
    unsigned int n = 200 + world_any(w, 300) * w->reader.pages;

    while ( n-- )
    {
        act_record(w);
        if ( world_any(w, 16) == 0 )
            world_take(w, world_any(w, 40));
    }
}

/* Full, with what is left to be lost. */
static void act_overflow(struct world *w)
{
    uint32_t lost = world_lost(w);

    while ( world_lost(w) < lost + 3 )
        act_record(w);
}

static void overflow_then_drain(struct world *w)
{
    act_overflow(w);
    world_take_all(w);
    act_record(w);
}

static void drain_then_overflow(struct world *w)
{
    world_take_all(w);
    act_overflow(w);
}

/* ---- writers that are interrupted in their turn ------------------------ */

struct inner
{
    struct world *w;
    unsigned long at;       /* the instruction where it happens */
    void (*act)(struct world *w);
};

static bool interrupt_inner(void *arg, unsigned long n)
{
    struct inner *inner = arg;

    if ( n != inner->at )
        return true;
    inner->act(inner->w);
    return false;
}

/* A writer takes some 100 to 400 instructions; later ones are none of his. */
static void step_inner(struct world *w, void (*act)(struct world *w))
{
    struct world_record act_record = world_draw(w);
    struct inner inner = {
        .w = w, .at = 1 + world_any(w, 400), .act = act,
    };

    step(world_put, &act_record, interrupt_inner, &inner);
}

static void record_in_record(struct world *w)
{
    step_inner(w, record_in_nmi);
}

static void burst_in_record(struct world *w)
{
    step_inner(w, act_burst);
}

static void drain_in_record(struct world *w)
{
    step_inner(w, drain_then_record);
}

static void overflow_in_record(struct world *w)
{
    step_inner(w, overflow_then_drain);
}

static const struct action actions[] = {
    { "one record", act_record },
    { "a record in an NMI", record_in_nmi },
    { "records in an NMI and an #MC in it", record_in_mce_in_nmi },
    { "the reader takes all", act_drain },
    { "the reader takes some", drain_some },
    { "the reader takes all, then a record", drain_then_record },
    { "a record, all taken, a record", record_around_drain },
    { "a burst", act_burst },
    { "records until some are lost", act_overflow },
    { "losses, all taken, a record", overflow_then_drain },
    { "all taken, records until some are lost", drain_then_overflow },
    { "hundreds of records, some taken", act_storm },
    { "a record, interrupted by a record", record_in_record },
    { "a record, interrupted by a burst", burst_in_record },
    { "a record, interrupted by a reader", drain_in_record },
    { "a record, interrupted by losses and a reader", overflow_in_record },
};

const struct action *action_row(unsigned int i)
{
    return i < ARRAY_SIZE(actions) ? &actions[i] : NULL;
}
