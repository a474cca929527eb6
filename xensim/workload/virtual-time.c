/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual time: one thread runs the events in order, each on its pcpu. Nothing
 * depends on the host, so a seed always gives the same run.
 */
#include "xensim/workload/workload-private.h"

#include "xensim/hypercall.h"
#include "xensim/workload/guest.h"

static void hotplug_event(struct sim_cpu *p, struct event *e)
{
    struct sim *s = p->sim;
    unsigned int cpu = random_below(&s->random, s->config.cpus);

    if ( cpu && cpu_online(cpu) )
        hypercall_cpu_down(cpu);
    else if ( cpu )
        hypercall_cpu_up(cpu);
    event_at(p, e, s->now + to_cycles(s, random_around(&s->random,
                                                       s->config.hotplug)));
}

static void jump_event(struct sim_cpu *p, struct event *e)
{
    struct sim *s = p->sim;

    clock_jump(&s->cpus[random_below(&s->random, s->config.cpus)]);
    event_at(p, e, s->now + to_cycles(s, random_around(&s->random,
                                                       s->config.jump)));
}

void virtual_begin(struct sim *s)
{
    const struct workload_config *c = &s->config;

    spurious_begin(s);
    s->plug.callback = hotplug_event;
    s->jump.callback = jump_event;
    if ( c->hotplug && c->cpus > 1 )
        event_at(&s->cpus[0], &s->plug, s->now + to_cycles(s, c->hotplug));
    if ( c->jump )
        event_at(&s->cpus[0], &s->jump, s->now + to_cycles(s, c->jump));
}

static void run_event(struct sim *s, struct event *e)
{
    struct sim_cpu *p = &s->cpus[e->cpu];

    ASSERT(e->cpu < s->config.cpus && s->config.virtual_time);
    s->now = e->at;
    p->now = max(p->now, e->at);
    heap_drop(&s->heap, e);
    xensim_become_cpu(p->id);
    e->callback(p, e);
    xensim_run_tasklets();
}

bool workload_advance(struct workload *workload, uint64_t ns, unsigned int most)
{
    struct sim *s = sim_of(workload);
    uint64_t until = s->start + to_cycles(s, ns);
    unsigned long virqs = xensim_virqs();
    struct event *e;

    for ( ; most && virqs == xensim_virqs(); most-- )
    {
        e = heap_first(&s->heap);
        if ( !e || e->at >= until )
        {
            s->now = max(s->now, until);
            return false;
        }
        run_event(s, e);
    }
    return true;
}
