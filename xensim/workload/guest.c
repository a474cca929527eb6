/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In and out of Xen, the idle vcpu's naps, and the pace of guests.
 *
 * The pace: a vcpu that computes leaves so many records a second of what it
 * does itself; scheduling comes on top.  The atoms of a phrase come in quick
 * succession.  How many records a phrase leaves is measured, and the gap to
 * the next one follows from that; at no particular rate there is hardly one.
 */
#include "xensim/workload/guest.h"

#include "xensim/workload/emit.h"
#include "xensim/workload/sched.h"
#include "xensim/workload/tell.h"

#define SHORTEST_GAP 480        /* cycles; a guest does something, too */
#define WITHIN_NS US(8)         /* between two atoms */

/* ---- idle ------------------------------------------------------------- */

/* The deeper, the longer it will last. */
static unsigned int cstate_for(uint32_t us)
{
    return us < 20 ? 1 : us < 300 ? 2 : 3;
}

/* The counter of the ACPI timer, which runs at 3.58 MHz. */
static uint32_t pm_timer(const struct sim_cpu *p)
{
    return to_ns(p->world, true_now(p)) * 3579 / 1000000;
}

static void fall_asleep(struct sim_cpu *p)
{
    if ( !p->world->config.cstates )
        return;
    p->cstate = cstate_for(p->guess);
    p->asleep = true;
    EMIT(p, trace_pm_idle_entry(p->cstate, pm_timer(p), 2 * p->guess,
                                p->guess));
    p->slept_at = p->stamp;
}

/* The next sleep will be as this one was, or as those before. */
static void wake_up(struct sim_cpu *p, unsigned int vector)
{
    uint32_t us = min(ns_since(p, p->slept_at) / 1000, (uint64_t)1000000);

    p->asleep = false;
    p->guess = (3 * p->guess + us) / 4;
    EMIT(p, trace_pm_idle_exit(p->cstate, pm_timer(p), vector, 0, 0, 0));
}

/* What the governor makes of how busy the pcpu is; not in a virtual machine. */
void set_speed(struct sim_cpu *p)
{
    uint32_t mhz = is_idle(p->runs) ? 1200 : p->guess < 100 ? 3000 : 2400;

    if ( !p->world->config.cstates || mhz == p->mhz )
        return;
    EMIT(p, trace_pm_freq_change(p->mhz, mhz));
    p->mhz = mhz;
}

/* ---- in and out ------------------------------------------------------- */

void enter_xen(struct sim_cpu *p, unsigned int vector)
{
    account_work(p, p->runs);
    if ( p->asleep )
        wake_up(p, vector);
    if ( p->in_guest )
        hvm_exit_for_interrupt(p, vector);
}

static bool has_more_to_say(const struct work *k)
{
    return k->phrase && k->atom < PHRASE_MAX && k->phrase->atoms[k->atom];
}

static uint64_t gap(struct sim_cpu *p)
{
    struct world *w = p->world;
    uint64_t each, within;

    if ( !w->config.rate )
        return random_around(&p->random, SHORTEST_GAP);
    each = w->khz * 1000 / w->config.rate;
    within = min(to_cycles(w, WITHIN_NS), each / 2);
    if ( !has_more_to_say(&p->runs->work) )
        within = (each - within) * p->per_phrase / PHRASE_ONE;
    return max(random_gap(&p->random, within), (uint64_t)SHORTEST_GAP);
}

static void plan_step(struct sim_cpu *p)
{
    uint64_t cycles = min(gap(p), p->runs->work.left);

    event_at(p, &p->step, true_now(p) + cycles);
}

void leave_xen(struct sim_cpu *p)
{
    while ( p->need_resched )
        schedule(p);

    if ( is_idle(p->runs) )
    {
        event_drop(p->world, &p->step);
        fall_asleep(p);
        return;
    }
    if ( is_hvm(p->runs) )
        hvm_enter(p);
    plan_step(p);
}

/* ---- steps ------------------------------------------------------------ */

static void booted(struct sim_cpu *p, struct sim_vcpu *v)
{
    v->work.booting = false;
    load_begin(p, v);
}

static void boot_step(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( !v->work.steps-- )
    {
        booted(p, v);
        return;
    }
    if ( v->work.steps % 64 == 63 && !v->id )
        life_bring_up(p, v);
    else
        ops_of(v)->boot(p, v);
}

static void wait_for_next(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t ns;

    if ( load_does_io(v) && !v->mail )
    {
        mail_send(p, v, MAIL_REQUEST);
        return;
    }
    if ( !load_does_io(v) )
    {
        ns = load_wait(p, v);
        event_at(v->cpu, &v->timer, true_now(p) + to_cycles(p->world, ns));
    }
    ops_of(v)->wait(p, v);
}

/* ---- what they say all the time --------------------------------------- */

static const struct phrase *choose(struct sim_vcpu *v,
                                   const struct phrase *phrases, size_t nr)
{
    bool tsc = v->dom->order->emulated_tsc;
    uint32_t total = 0, pick;
    size_t i;

    for ( i = 0; i < nr; i++ )
        total += phrase_weight(&phrases[i], v, tsc);
    pick = random_below(&v->random, total);
    for ( i = 0; pick >= phrase_weight(&phrases[i], v, tsc); i++ )
        pick -= phrase_weight(&phrases[i], v, tsc);
    return &phrases[i];
}

void guest_say(struct sim_cpu *p, struct sim_vcpu *v,
               const struct phrase *phrases, size_t nr)
{
    struct work *w = &v->work;
    uint64_t before;

    if ( !has_more_to_say(w) )
    {
        if ( w->phrase )
            p->per_phrase += ((int64_t)w->said * PHRASE_ONE -
                              p->per_phrase) / 64;
        w->said = 0;
        w->phrase = choose(v, phrases, nr);
        w->atom = 0;
    }
    before = p->tried;
    w->phrase->atoms[w->atom++](p, v);
    /* An HVM guest's entry is still to come. */
    w->said += p->tried - before + is_hvm(v);
}

void guest_step(struct sim_cpu *p, struct event *e)
{
    struct sim_vcpu *v = p->runs;

    (void)e;
    account_work(p, v);
    if ( v->dom->id == 0 && (mail_serve(p, v) || life_serve(p)) )
        ;
    else if ( life_ends(p, v) )
        ;
    else if ( v->work.booting )
        boot_step(p, v);
    else if ( v->work.left )
        ops_of(v)->act(p, v);
    else
        wait_for_next(p, v);
    leave_xen(p);
}

void guest_timer(struct sim_cpu *p, struct event *e)
{
    struct sim_vcpu *v = container_of(e, struct sim_vcpu, timer);

    enter_xen(p, TIMER_VECTOR);
    if ( v->blocked )
        load_begin(p, v);
    wake(p, v, BY_TIMER, NULL);
    leave_xen(p);
}
