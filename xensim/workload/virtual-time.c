/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual time: one thread runs the events in order, each on its pcpu. Nothing
 * depends on the host, so a seed always gives the same run.
 */
#include "xensim/workload/workload-private.h"

#include "xensim/hypercall.h"
#include "xensim/workload/ground-truth.h"
#include "xensim/workload/guest.h"

#define STOP_EVENTS 128u        /* between two questions for the end */

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

/* A span of time in which the machine stands still. */
struct stall
{
    struct sim *sim;
    uint64_t from, to;
};

/* The work of guests is delayed; timers and devices are due at the end. */
static uint64_t move_event(const struct event *e, void *arg)
{
    const struct stall *stall = arg;

    if ( e == &stall->sim->cpus[e->cpu].step )
        return max(e->at, stall->from) + stall->to - stall->from;
    return max(e->at, stall->to);
}

/* As in an SMI: all pcpus stop at once, but the clock goes on. */
static void stall_event(struct sim_cpu *p, struct event *e)
{
    struct sim *s = p->sim;
    struct stall stall = { .sim = s, .from = s->now };

    for ( unsigned int i = 0; i < s->config.cpus; i++ )
        stall.from = max(stall.from, s->cpus[i].now);
    stall.to = stall.from + to_cycles(s, s->config.stall_for);
    heap_move(&s->heap, move_event, &stall);
    for ( unsigned int i = 0; i < s->config.cpus; i++ )
    {
        struct sim_cpu *other = &s->cpus[i];

        other->now = stall.to;
        if ( !is_idle(other->runs) )
            other->runs->work.at += stall.to - stall.from;
    }
    truth_log_stall(s, stall.from, stall.to);
    event_at(p, e, s->now + to_cycles(s, s->config.stall));
}

void virtual_begin(struct sim *s)
{
    const struct workload_config *c = &s->config;

    spurious_begin(s);
    s->plug.callback = hotplug_event;
    s->jump.callback = jump_event;
    s->stall.callback = stall_event;
    if ( c->stall )
        event_at(&s->cpus[0], &s->stall, s->now + to_cycles(s, c->stall));
    if ( c->hotplug && c->cpus > 1 )
        event_at(&s->cpus[0], &s->plug, s->now + to_cycles(s, c->hotplug));
    if ( c->jump )
        event_at(&s->cpus[0], &s->jump, s->now + to_cycles(s, c->jump));
}

static void run_event(struct sim *s, struct event *e)
{
    struct sim_cpu *p = &s->cpus[e->cpu];

    ASSERT(e->cpu < s->config.cpus && s->config.virtual_time);
    ASSERT(p->online);
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
    unsigned int next_id = s->next_id;
    struct event *e;

    for ( ; most && virqs == xensim_virqs() && next_id == s->next_id; most-- )
    {
        /* With 100,000 vcpus, an event takes milliseconds. */
        if ( !(most % STOP_EVENTS) && sim_is_stopped(s) )
            return true;
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
