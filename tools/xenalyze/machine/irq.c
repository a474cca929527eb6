/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts of the host.
 */
#include "xenalyze/machine/pcpu.h"

#define MASK_WORDS 6u

/*
 * v: irq, vector, pcpu; m: irq and vector in one word, a mask; u: vector; h:
 * irq, times of begin and end.
 */
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

static void decode_irq(struct fact_irq *f, const struct xt_record *r,
                       char shape)
{
    f->irq = record_word(r, 0);
    switch ( shape )
    {
    case 'v':
        f->vector = record_word(r, 1);
        f->target = record_word(r, 2);
        break;
    case 'm':
        f->irq = record_word(r, 0) & 0xffff;
        f->vector = record_word(r, 0) >> 16;
        for ( unsigned int i = 0; i < MASK_WORDS; i++ )
            f->mask[i] = record_word(r, 1 + i);
        break;
    case 'u':
        f->irq = UINT32_MAX;
        f->vector = record_word(r, 0);
        break;
    case 'h':
        /* 0: tracing was switched on while the handler was running. */
        f->has_cycles = record_word(r, 1);
        f->cycles = f->has_cycles ? record_word(r, 2) - record_word(r, 1) : 0;
        break;
    }
}

void irq_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int kind = event_minor(r->event);
    struct fact_irq f = {
        .vcpu = p->current, .pcpu = p->id, .time = p->time, .kind = kind,
    };

    if ( kind >= IRQ_KINDS || !irqs[kind].shape )
    {
        pcpu_emit_event(p, r);
        return;
    }
    if ( !record_has_words(p, r, irqs[kind].words) || !emit_wants_irq(p->emit) )
        return;
    decode_irq(&f, r, irqs[kind].shape);
    emit_irq(p->emit, &f);
}
