/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sinks that draw bars: the vcpus that ran on each pcpu and its idle time, or
 * the runstates of each vcpu.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>

#include "common/debug.h"

static void timeline_begin(void *state, const struct fact_begin *f)
{
    struct timeline *t = state;

    t->clock = *f->clock;
}

static void add_fact_bar(struct timeline *t, uint64_t row, uint64_t key,
                         uint64_t from, uint64_t to)
{
    plot_add_bar(t->plot, row, key, xt_clock_ns(&t->clock, from),
                 xt_clock_ns(&t->clock, to));
}

static uint64_t vcpu_key(const struct vcpu *v)
{
    return PLOT_VCPU_ID(v->domain->id, v->id);
}

static void draw_running(void *state, const struct fact_runstate *f)
{
    if ( f->state == STATE_RUNNING && !vcpu_is_idle(f->vcpu) &&
         f->from < f->to && f->pcpu != FACT_NO_PCPU )
        add_fact_bar(state, f->pcpu, PLOT_KEY(PLOT_OF_VCPU, vcpu_key(f->vcpu)),
                     f->from, f->to);
}

/* A pcpu on which no vcpu ran has a row, too. */
static void draw_idle(void *state, const struct fact_pcpu *f)
{
    struct timeline *t = state;

    debug_assert(f->state < PCPU_STATES);
    plot_add_row(t->plot, f->pcpu);
    if ( f->state == PCPU_IDLE && f->from < f->to )
        add_fact_bar(t, f->pcpu, PLOT_KEY(PLOT_OF_IDLE, 0), f->from, f->to);
}

static void draw_loss(void *state, const struct fact_loss *f)
{
    add_fact_bar(state, f->pcpu, PLOT_KEY(PLOT_OF_LOST, 0), f->from, f->to);
}

struct sink timeline_sink(struct timeline *t)
{
    static const struct sink_ops ops = {
        .name = "timeline", .ordered = true, .begin = timeline_begin,
        .runstate = draw_running, .loss = draw_loss, .pcpu = draw_idle,
    };

    assert(t->plot);
    return (struct sink){ &ops, t };
}

/* The default domain is no domain: its vcpus are not known yet. */
static void draw_runstate(void *state, const struct fact_runstate *f)
{
    debug_assert(f->state < STATES);
    if ( !vcpu_is_idle(f->vcpu) && f->vcpu->domain->id != XT_DOMAIN_DEFAULT &&
         f->from < f->to )
        add_fact_bar(state, vcpu_key(f->vcpu),
                     PLOT_KEY(PLOT_OF_STATE, f->state),
                     f->from, f->to);
}

struct sink states_sink(struct timeline *t)
{
    static const struct sink_ops ops = {
        .name = "states", .ordered = true, .begin = timeline_begin,
        .runstate = draw_runstate,
    };

    return (struct sink){ &ops, t };
}
