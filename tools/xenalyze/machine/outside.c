/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An exit that has ended becomes facts: one for each handler record that was
 * kept, and one for the exit.
 */
#include <string.h>

#include "xenalyze/machine/pcpu.h"
#include "xenalyze/model/exits.h"

static void tell_handles(const struct emit *e, const struct outside *o,
                         const struct fact_exit *exit)
{
    bool booked = false;

    for ( unsigned int i = 0; i < o->nr_held; i++ )
    {
        const struct held *h = &o->held[i];
        struct xt_record r = {
            .event = h->event, .words = h->words,
            .payload = (const unsigned char *)h->payload,
        };
        struct fact_handle f = {
            .vcpu = exit->vcpu, .exit = exit, .time = o->start,
            .pcpu = o->pcpu, .event = h->event,
        };

        f.main = !booked && handler_is_main(h->event);
        booked |= f.main;
        if ( handler_decode(&f, &r) )
            emit_handle(e, &f);
    }
}

void outside_tell(const struct emit *e, const struct world_vcpu *v,
                  const struct outside *o, const struct xt_dialect *dialect,
                  uint64_t end, unsigned int how)
{
    unsigned int hardware = outside_hardware(o, dialect);
    struct fact_exit f = {
        .vcpu = v, .pcpu = o->pcpu, .reason = o->reason,
        .cause = exit_cause(hardware, o->reason), .hardware = hardware,
        .end = how, .nested = o->nested, .wide = o->wide,
        .levels = o->levels, .handler = o->handler, .start = o->start,
        .cycles = end > o->start ? end - o->start : 0, .guest = o->guest,
        .rip = o->rip, .seen = o->seen, .resyncs = o->resyncs,
        .unpinned = o->unpinned, .brute_force = o->brute_force,
    };

    if ( o->nr_held )
        tell_handles(e, o, &f);
    emit_exit(e, &f);
}
