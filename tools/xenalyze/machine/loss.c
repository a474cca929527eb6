/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * While a pcpu's records get lost, nobody knows what it does to whom: who ran
 * there is lost, and whoever did not run anywhere may have been woken there.
 * Only those that run elsewhere are known, until they stop.
 */
#include "xenalyze/machine/global.h"

void loss_begin(struct scene *s, const struct change *c)
{
    struct scene_pcpu *p = &s->pcpus[c->pcpu];
    const struct vcpu *current = p->current;
    struct vcpu_state *v;

    if ( p->lost )
        return;
    place_leave(s, c->pcpu, c->time);
    if ( current )
        vcpu_enter(s, vcpu_state(current), STATE_LOST, c->time, c->pcpu);
    p->lost = true;
    p->since = c->time;
    s->lost_pcpus++;
    while ( (v = s->sleepers) )
    {
        s->sleepers = v->next;
        v->listed = false;
        if ( !vcpu_sleeps(v->is.state) )
            continue;
        vcpu_enter(s, v, STATE_LOST, c->time, c->pcpu);
        fall_asleep(v);
        v->outside.open = false;
    }
}

void loss_end(struct scene *s, const struct change *c)
{
    struct scene_pcpu *p = &s->pcpus[c->pcpu];
    struct fact_loss f = {
        .pcpu = c->pcpu, .from = p->since, .to = c->time,
        .records = c->number, .vcpu = c->vcpu,
    };

    if ( !p->lost )
        return;
    p->lost = false;
    s->lost_pcpus--;
    s->certain = c->time;
    emit_loss(&s->emit, &f);
    if ( c->vcpu )
        vcpu_found(s, c);
}
