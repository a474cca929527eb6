/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sleep states and frequencies of pcpus.
 */
#include "xenalyze/machine/pcpu.h"

static void decode_frequency(struct pcpu *p, const struct xt_record *r,
                             struct fact_power *f)
{
    (void)p;
    f->kind = POWER_FREQUENCY;
    f->before = record_word(r, 0);
    f->state = record_word(r, 1);
}

static void decode_sleep(struct pcpu *p, const struct xt_record *r,
                         struct fact_power *f)
{
    f->kind = POWER_SLEEP;
    f->state = record_word(r, 0);
    f->expected = record_word(r, 2);
    f->predicted = record_word(r, 3);
    p->asleep = true;
    p->c_state = f->state;
    p->asleep_since = p->time;
}

static void decode_wake(struct pcpu *p, const struct xt_record *r,
                        struct fact_power *f)
{
    f->kind = POWER_WAKE;
    f->state = record_word(r, 0);
    f->matched = p->asleep && p->c_state == f->state;
    f->cycles = f->matched ? p->time - p->asleep_since : 0;
    p->asleep = false;
}

static const struct
{
    void (*decode)(struct pcpu *p, const struct xt_record *r,
                   struct fact_power *f);
    uint8_t words;
} powers[] = {
    { NULL, 0 }, { decode_frequency, 2 }, { decode_sleep, 1 },
    { decode_wake, 1 },
};

#define NR_POWERS (sizeof(powers) / sizeof(powers[0]))

void power_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int minor = event_minor(r->event);
    struct fact_power f = { .pcpu = p->id, .time = p->time };

    if ( minor >= NR_POWERS || !powers[minor].decode )
        pcpu_emit_event(p, r);
    else if ( record_has_words(p, r, powers[minor].words) )
    {
        powers[minor].decode(p, r, &f);
        emit_power(p->emit, &f);
    }
}
