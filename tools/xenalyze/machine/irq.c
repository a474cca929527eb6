/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts of the host.
 */
#include "xenalyze/machine/pcpu.h"

#define MINOR(event) ((event) & 0xfff)
#define MASK_WORDS 6u

/* v: irq, vector, pcpu; m: irq and vector in one word, a mask; h: cycles. */
static const struct
{
    char shape;
    uint8_t words;
} irqs[IRQ_KINDS] = {
    [IRQ_MOVE_CLEANUP_DELAY] = { 'v', 3 }, [IRQ_MOVE_CLEANUP] = { 'v', 3 },
    [IRQ_BIND_VECTOR] = { 'm', 7 }, [IRQ_CLEAR_VECTOR] = { 'm', 7 },
    [IRQ_MOVE_FINISH] = { 'v', 3 }, [IRQ_ASSIGN_VECTOR] = { 'm', 7 },
    [IRQ_UNMAPPED_VECTOR] = { 'u', 1 }, [IRQ_HANDLED] = { 'h', 3 },
};

static void decode(struct fact_irq *f, const struct xt_record *r, char shape)
{
    f->irq = word(r, 0);
    switch ( shape )
    {
    case 'v':
        f->vector = word(r, 1);
        f->target = word(r, 2);
        break;
    case 'm':
        f->irq = word(r, 0) & 0xffff;
        f->vector = word(r, 0) >> 16;
        for ( unsigned int i = 0; i < MASK_WORDS; i++ )
            f->mask[i] = word(r, 1 + i);
        break;
    case 'u':
        f->irq = UINT32_MAX;
        f->vector = word(r, 0);
        break;
    case 'h':
        /* 0: tracing was switched on in the middle of it. */
        f->has_cycles = word(r, 1);
        f->cycles = f->has_cycles ? word(r, 2) - word(r, 1) : 0;
        break;
    }
}

void irq_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int kind = MINOR(r->event);
    struct fact_irq f = {
        .vcpu = p->current, .pcpu = p->id, .time = p->time, .kind = kind,
    };

    if ( kind >= IRQ_KINDS || !irqs[kind].shape )
    {
        event_record(p, r);
        return;
    }
    if ( !has_words(p, r, irqs[kind].words) || !emit_wants_irq(p->emit) )
        return;
    decode(&f, r, irqs[kind].shape);
    emit_irq(p->emit, &f);
}
