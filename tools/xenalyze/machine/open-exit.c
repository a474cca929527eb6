/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An exit that has ended becomes facts: one for each handler record that was
 * kept, and one for the exit.
 */
#include "xenalyze/machine/pcpu.h"

void outside_tell_handles(const struct emit *e, const struct outside *o)
{
    const struct fact_exit *exit = &o->exit;
    bool booked = false;

    for ( unsigned int i = 0; i < o->nr_held; i++ )
    {
        const struct held *h = &o->held[i];
        struct xt_record r = {
            .event = h->event, .words = h->words,
            .payload = (const unsigned char *)h->payload,
        };
        struct fact_handle f = {
            .vcpu = exit->vcpu, .exit = exit, .time = exit->start,
            .pcpu = exit->pcpu, .event = h->event,
        };

        f.main = !booked && handler_is_main(h->event);
        booked |= f.main;
        if ( handler_decode(&f, &r) )
            emit_handle(e, &f);
    }
}
