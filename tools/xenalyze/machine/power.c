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
    f->before = RECORD_FIELD(r, pm_freq_change, from);
    f->state = RECORD_FIELD(r, pm_freq_change, to);
}

static void decode_sleep(struct pcpu *p, const struct xt_record *r,
                         struct fact_power *f)
{
    f->kind = POWER_SLEEP;
    f->state = RECORD_FIELD(r, pm_idle_entry, state);
    f->expected = RECORD_FIELD(r, pm_idle_entry, expected);
    f->predicted = RECORD_FIELD(r, pm_idle_entry, predicted);
    p->asleep = p->has_slept = p->has_fallen_asleep = true;
    p->c_state = f->state;
    p->asleep_since = p->time;
}

static void decode_wake(struct pcpu *p, const struct xt_record *r,
                        struct fact_power *f)
{
    f->kind = POWER_WAKE;
    f->state = RECORD_FIELD(r, pm_idle_exit, state);
    f->matched = p->asleep && p->c_state == f->state;
    f->cycles = f->matched ? p->time - p->asleep_since : 0;
    p->asleep = false;
    p->has_slept = true;
    p->started_asleep |= !p->has_fallen_asleep;
}

#define ROW(event) [(event) - TRC_HW_PM]

/* A record has at least the field `last`. */
static const struct
{
    void (*decode)(struct pcpu *p, const struct xt_record *r,
                   struct fact_power *f);
    struct xt_field_place last;
} powers[] = {
    ROW(TRC_PM_FREQ_CHANGE) = {
        decode_frequency, XT_PLACE(pm_freq_change, to) },
    ROW(TRC_PM_IDLE_ENTRY) = { decode_sleep, XT_PLACE(pm_idle_entry, state) },
    ROW(TRC_PM_IDLE_EXIT) = { decode_wake, XT_PLACE(pm_idle_exit, state) },
};

#define NR_POWERS (sizeof(powers) / sizeof(powers[0]))

_Static_assert((TRC_HW_PM & 0xfff) == 0, "event_minor() is the row");

void power_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int minor = event_minor(r->event);
    struct fact_power f = { .pcpu = p->id, .time = p->time };

    if ( minor >= NR_POWERS || !powers[minor].decode )
        pcpu_emit_event(p, r);
    else if ( record_has_field(p, r, powers[minor].last) )
    {
        powers[minor].decode(p, r, &f);
        if ( f.kind != POWER_FREQUENCY && !p->current )
            pcpu_use_sleep(p);
        emit_power(p->emit, &f);
    }
}
