/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bars: who ran on which pcpu, or in which state each vcpu was.
 */
#include "xenalyze/plot/plot-draw.h"

static void begin(void *state, const struct fact_begin *f)
{
    struct timeline *t = state;

    t->clock = *f->clock;
}

static void bar(struct timeline *t, uint64_t row, uint64_t key, uint64_t from,
                uint64_t to)
{
    plot_bar(t->plot, row, key, xt_clock_ns(&t->clock, from),
             xt_clock_ns(&t->clock, to));
}

static uint64_t id_of(const struct vcpu *v)
{
    return PLOT_VCPU_ID(v->domain->id, v->id);
}

static void runs(void *state, const struct fact_runstate *f)
{
    if ( f->state == STATE_RUNNING && !vcpu_is_idle(f->vcpu) &&
         f->from < f->to && f->pcpu != FACT_NO_PCPU )
        bar(state, f->pcpu, PLOT_KEY(PLOT_OF_VCPU, id_of(f->vcpu)), f->from,
            f->to);
}

/* One on which nobody ever ran has a row, too. */
static void is_there(void *state, const struct fact_pcpu *f)
{
    struct timeline *t = state;

    plot_row(t->plot, f->pcpu);
}

static void loses(void *state, const struct fact_loss *f)
{
    bar(state, f->pcpu, PLOT_KEY(PLOT_OF_LOST, 0), f->from, f->to);
}

struct sink timeline_sink(struct timeline *t)
{
    static const struct sink_ops ops = {
        .name = "timeline", .ordered = true, .begin = begin,
        .runstate = runs, .loss = loses, .pcpu = is_there,
    };

    return (struct sink){ &ops, t };
}

/* Those that nobody has named yet are no vcpus. */
static void is_in(void *state, const struct fact_runstate *f)
{
    if ( !vcpu_is_idle(f->vcpu) && f->vcpu->domain->id != DOMID_DEFAULT &&
         f->from < f->to )
        bar(state, id_of(f->vcpu), PLOT_KEY(PLOT_OF_STATE, f->state),
            f->from, f->to);
}

struct sink states_sink(struct timeline *t)
{
    static const struct sink_ops ops = {
        .name = "states", .ordered = true, .begin = begin, .runstate = is_in,
    };

    return (struct sink){ &ops, t };
}
