/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sleep states and frequencies of pcpus.
 */
#include "xenalyze/machine/pcpu.h"

#define MINOR(event) ((event) & 0xfff)

static void frequency(struct pcpu *p, const struct xt_record *r,
                      struct fact_power *f)
{
    (void)p;
    f->kind = POWER_FREQUENCY;
    f->before = word(r, 0);
    f->state = word(r, 1);
}

static void sleeps(struct pcpu *p, const struct xt_record *r,
                   struct fact_power *f)
{
    f->kind = POWER_SLEEP;
    f->state = word(r, 0);
    f->expected = word(r, 2);
    f->predicted = word(r, 3);
    p->asleep = true;
    p->c_state = f->state;
    p->asleep_since = p->time;
}

static void wakes(struct pcpu *p, const struct xt_record *r,
                  struct fact_power *f)
{
    f->kind = POWER_WAKE;
    f->state = word(r, 0);
    f->matched = p->asleep && p->c_state == f->state;
    f->cycles = f->matched ? p->time - p->asleep_since : 0;
    p->asleep = false;
}

static const struct
{
    void (*decode)(struct pcpu *p, const struct xt_record *r,
                   struct fact_power *f);
    uint8_t words;
} powers[] = { { NULL, 0 }, { frequency, 2 }, { sleeps, 1 }, { wakes, 1 } };

#define NR_POWERS (sizeof(powers) / sizeof(powers[0]))

void power_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int minor = MINOR(r->event);
    struct fact_power f = { .pcpu = p->id, .time = p->time };

    if ( minor >= NR_POWERS || !powers[minor].decode )
        event_record(p, r);
    else if ( has_words(p, r, powers[minor].words) )
    {
        powers[minor].decode(p, r, &f);
        emit_power(p->emit, &f);
    }
}
