/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts of the host.
 */
#include "xenalyze/machine/pcpu.h"

#define NR_MASK_WORDS 6u

struct layout
{
    uint8_t words;
    struct xt_field_place irq, vector, target;
    struct xt_field_place mask;       /* the first of NR_MASK_WORDS words */
    struct xt_field_place in, out;    /* the handler's cycle counts */
};

#define IRQ_VECTOR(name) \
    .words = XT_WORDS(name), .irq = XT_PLACE(name, irq), \
    .vector = XT_PLACE(name, vector)
#define MOVE(name) { IRQ_VECTOR(name), .target = XT_PLACE(name, cpu) }
#define MASK(name) { IRQ_VECTOR(name), .mask = XT_PLACE(name, cpus0) }

static const struct layout layouts[IRQ_KINDS] = {
    [IRQ_MOVE_CLEANUP_DELAY] = MOVE(hw_irq_move_cleanup_delay),
    [IRQ_MOVE_CLEANUP] = MOVE(hw_irq_move_cleanup),
    [IRQ_BIND_VECTOR] = MASK(hw_irq_bind_vector),
    [IRQ_CLEAR_VECTOR] = MASK(hw_irq_clear_vector),
    [IRQ_MOVE_FINISH] = MOVE(hw_irq_move_finish),
    [IRQ_ASSIGN_VECTOR] = MASK(hw_irq_assign_vector),
    [IRQ_UNMAPPED_VECTOR] = {
        .words = XT_WORDS(hw_irq_unmapped_vector),
        .vector = XT_PLACE(hw_irq_unmapped_vector, vector),
    },
    [IRQ_HANDLED] = {
        .words = XT_WORDS(hw_irq_handled),
        .irq = XT_PLACE(hw_irq_handled, irq),
        .in = XT_PLACE(hw_irq_handled, in),
        .out = XT_PLACE(hw_irq_handled, out),
    },
};

ASSERT_KIND(IRQ_MOVE_CLEANUP_DELAY, TRC_HW_IRQ_MOVE_CLEANUP_DELAY);
ASSERT_KIND(IRQ_MOVE_CLEANUP, TRC_HW_IRQ_MOVE_CLEANUP);
ASSERT_KIND(IRQ_BIND_VECTOR, TRC_HW_IRQ_BIND_VECTOR);
ASSERT_KIND(IRQ_CLEAR_VECTOR, TRC_HW_IRQ_CLEAR_VECTOR);
ASSERT_KIND(IRQ_MOVE_FINISH, TRC_HW_IRQ_MOVE_FINISH);
ASSERT_KIND(IRQ_ASSIGN_VECTOR, TRC_HW_IRQ_ASSIGN_VECTOR);
ASSERT_KIND(IRQ_UNMAPPED_VECTOR, TRC_HW_IRQ_UNMAPPED_VECTOR);
ASSERT_KIND(IRQ_HANDLED, TRC_HW_IRQ_HANDLED);
_Static_assert(XT_BIT(hw_irq_bind_vector, cpus5) -
               XT_BIT(hw_irq_bind_vector, cpus0) == 32 * (NR_MASK_WORDS - 1),
               "the words of a mask are one behind the other");

_Static_assert(sizeof(((struct fact_irq *)0)->mask) ==
               NR_MASK_WORDS * sizeof(uint32_t), "all words fit");

static void decode_irq(struct fact_irq *f, const struct xt_record *r,
                       const struct layout *l)
{
    struct xt_field_place mask = l->mask;

    f->irq = l->irq.bits ? xt_field_load(r, l->irq) : UINT32_MAX;
    f->vector = xt_field_load(r, l->vector);
    f->target = xt_field_load(r, l->target);
    for ( unsigned int i = 0; mask.bits && i < NR_MASK_WORDS; i++ )
    {
        f->mask[i] = xt_field_load(r, mask);
        mask.bit += 32;
    }
    /* 0: tracing was switched on while the handler was running. */
    f->has_cycles = xt_field_load(r, l->in);
    if ( f->has_cycles )
        f->cycles = xt_field_load(r, l->out) - xt_field_load(r, l->in);
}

void irq_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int kind = event_minor(r->event);
    struct fact_irq f = {
        .vcpu = p->current, .pcpu = p->id, .time = p->time, .kind = kind,
    };

    if ( kind >= IRQ_KINDS || !layouts[kind].words )
    {
        pcpu_emit_event(p, r);
        return;
    }
    if ( !record_has_words(p, r, layouts[kind].words) ||
         !emit_wants_irq(p->emit) )
        return;
    decode_irq(&f, r, &layouts[kind]);
    emit_irq(p->emit, &f);
}
