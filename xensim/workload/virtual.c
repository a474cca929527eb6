/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual time: one thread goes from event to event, playing each on its
 * pcpu.  Nothing depends on the machine below, so a seed is always the same
 * play.
 */
#include "xensim/workload/parts.h"

#include "xensim/hypercall.h"
#include "xensim/workload/guest.h"

static void plug(struct sim_cpu *p, struct event *e)
{
    struct world *w = p->world;
    unsigned int cpu = random_below(&w->random, w->config.cpus);

    if ( cpu && cpu_online(cpu) )
        hypercall_cpu_down(cpu);
    else if ( cpu )
        hypercall_cpu_up(cpu);
    event_at(p, e, w->now + to_cycles(w, random_around(&w->random,
                                                       w->config.hotplug)));
}

static void jump(struct sim_cpu *p, struct event *e)
{
    struct world *w = p->world;

    clock_jump(&w->cpus[random_below(&w->random, w->config.cpus)]);
    event_at(p, e, w->now + to_cycles(w, random_around(&w->random,
                                                       w->config.jump)));
}

void virtual_begin(struct world *w)
{
    const struct workload_config *c = &w->config;

    noise_begin(w);
    w->plug.happen = plug;
    w->jump.happen = jump;
    if ( c->hotplug && c->cpus > 1 )
        event_at(&w->cpus[0], &w->plug, w->now + to_cycles(w, c->hotplug));
    if ( c->jump )
        event_at(&w->cpus[0], &w->jump, w->now + to_cycles(w, c->jump));
}

static void play_event(struct world *w, struct event *e)
{
    struct sim_cpu *p = &w->cpus[e->cpu];

    w->now = e->at;
    p->now = max(p->now, e->at);
    heap_drop(&w->heap, e);
    xensim_become_cpu(p->id);
    e->happen(p, e);
    xensim_run_tasklets();
}

bool workload_play(struct workload *workload, uint64_t ns, unsigned int most)
{
    struct world *w = world_of(workload);
    uint64_t until = w->start + to_cycles(w, ns);
    unsigned long virqs = xensim_virqs();
    struct event *e;

    for ( ; most && virqs == xensim_virqs(); most-- )
    {
        e = heap_first(&w->heap);
        if ( !e || e->at >= until )
        {
            w->now = max(w->now, until);
            return false;
        }
        play_event(w, e);
    }
    return true;
}
