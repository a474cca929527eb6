/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A filter has the same slots as its sink and no others, so that still no fact
 * is computed without need.
 *
 * Durations are cut at the borders of the span.  Facts with a single time are
 * passed whole if the time is within: for an exit its beginning, for a wait its
 * end.  A sink that has a slot for open waits gets the waits that reach beyond
 * the span as such, and without rivals: of these, a fact has only sums.
 * Volumes count records and not time: they are always passed.  Early facts are
 * the states at the begin of the span, late facts the ends of round trips.
 */
#include "xenalyze/engine/crop.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/machine/machine.h"

#define ANY_VCPU UINT32_MAX

struct crop
{
    struct sink_ops ops;
    struct sink sink;
    const struct analyze_options *options;
    uint64_t from, until;
    uint64_t stop;              /* records after this time may not be read */
};

bool crop_is_needed(const struct analyze_options *o)
{
    return o->bounded || o->wants_pcpu || o->wants_vcpu;
}

#define READ_BEHIND_NS 1000000000u

/*
 * Records up to this time, behind the selected span, name the pcpu of a wait
 * and the reason of a blocked time.
 */
static uint64_t find_crop_stop(const struct analyze_options *o,
                               const struct xt_clock *clock)
{
    uint64_t behind = xt_clock_cycles(clock, READ_BEHIND_NS);

    return o->bounded && o->until < UINT64_MAX - behind ? o->until + behind
                                                        : UINT64_MAX;
}

/* What sinks remember: see MEMORY_NS in machine-stall.c. */
#define EARLY_FACTS_NS 2000000000u

uint64_t crop_find_begin(const struct analyze_options *o,
                         const struct xt_clock *clock,
                         const struct sink *sinks, size_t nr)
{
    uint64_t early = xt_clock_cycles(clock, EARLY_FACTS_NS);

    if ( !o->bounded )
        return 0;
    for ( size_t i = 0; i < nr; i++ )
        if ( sinks[i].ops->early_facts )
            return o->from > early ? o->from - early : 0;
    return o->from;
}

/* Records before the first fact and behind the last one, to spare. */
#define SPARE_NS 10000000u

/* A fact of an interval that begins with a wake-up, which may be long ago. */
static bool wants_long_facts(const struct sink *sinks, size_t nr)
{
    for ( size_t i = 0; i < nr; i++ )
        if ( sinks[i].ops->early_facts || sinks[i].ops->wake_to_halt )
            return true;
    return false;
}

static bool needs_exit_ends(const struct sink *sinks, size_t nr)
{
    for ( size_t i = 0; i < nr; i++ )
        if ( sinks[i].ops->volume && sinks[i].ops->exit )
            return true;
    return false;
}

uint64_t crop_choose_stop(const struct analyze_options *o,
                          const struct xt_clock *clock,
                          const struct sink *sinks, size_t nr)
{
    return needs_exit_ends(sinks, nr) ? UINT64_MAX : find_crop_stop(o, clock);
}

bool analyze_find_needs(const struct analyze_options *options,
                        const struct xt_clock *clock, const struct sink *sinks,
                        size_t nr_sinks, uint64_t *from, uint64_t *until,
                        uint64_t *stop)
{
    uint64_t spare = xt_clock_cycles(clock, SPARE_NS), before = spare;

    assert(options->bounded);
    if ( wants_long_facts(sinks, nr_sinks) )
        before += xt_clock_cycles(clock, EARLY_FACTS_NS);
    *from = options->from > before ? options->from - before : 0;
    *until = find_crop_stop(options, clock);
    *stop = crop_choose_stop(options, clock, sinks, nr_sinks);
    *until += spare < UINT64_MAX - *until ? spare : UINT64_MAX - *until;
    return needs_exit_ends(sinks, nr_sinks);
}

static bool wants_time(const struct crop *c, uint64_t time)
{
    return time >= c->from && time <= c->until;
}

/* Is it before the span, and does the sink want it nevertheless? */
static bool is_early(const struct crop *c, uint64_t time)
{
    return time < c->from && c->sink.ops->early_facts;
}

/* The same behind the span, as far as the trace is read. */
static bool is_late(const struct crop *c, uint64_t time)
{
    return time > c->until && time <= c->stop && c->sink.ops->late_facts;
}

static bool wants_moment(const struct crop *c, uint64_t time)
{
    return wants_time(c, time) || is_early(c, time) || is_late(c, time);
}

static bool wants_pcpu(const struct crop *c, uint32_t pcpu)
{
    const struct analyze_options *o = c->options;

    return !o->wants_pcpu || o->wants_pcpu(o->filter, pcpu);
}

static bool wants_vcpu(const struct crop *c, const struct vcpu *v)
{
    const struct analyze_options *o = c->options;

    return !o->wants_vcpu ||
           (v && o->wants_vcpu(o->filter, v->domain->id, v->id));
}

static bool wants_domain(const struct crop *c, const struct domain *d)
{
    const struct analyze_options *o = c->options;

    return !o->wants_vcpu ||
           (d && o->wants_vcpu(o->filter, d->id, ANY_VCPU));
}

/* Crop an interval to the span until `until`.  False: nothing is left. */
static bool crop_until(const struct crop *c, uint64_t *from, uint64_t *to,
                       uint64_t until)
{
    if ( *to < c->from || *from > until )
        return false;
    if ( *from < c->from )
        *from = c->from;
    if ( *to > until )
        *to = until;
    return true;
}

static bool crop_span(const struct crop *c, uint64_t *from, uint64_t *to)
{
    return crop_until(c, from, to, c->until);
}

static uint64_t crop_since(const struct crop *c, uint64_t time)
{
    return time < c->from ? c->from : time;
}

/* --- facts with a duration ----------------------------------------------- */

static void crop_runstate(void *state, const struct fact_runstate *f)
{
    struct crop *c = state;
    struct fact_runstate g = *f;
    uint64_t until = c->sink.ops->late_facts ? c->stop : c->until;

    if ( !wants_vcpu(c, f->vcpu) )
        return;
    if ( is_early(c, f->to) )
        c->sink.ops->runstate(c->sink.state, f);
    if ( !crop_until(c, &g.from, &g.to, until) )
        return;
    /* The part before the span counts as unknown. */
    if ( g.from != f->from )
    {
        g.before_first_run = true;
        g.why = WHY_NONE;
    }
    g.since = crop_since(c, f->since);
    if ( g.to != f->to )
    {
        g.next = STATES;
        if ( f->next != STATE_RUNNING || f->to > c->stop )
            g.next_pcpu = FACT_NO_PCPU;
    }
    c->sink.ops->runstate(c->sink.state, &g);
}

static void crop_domain(void *state, const struct fact_domain *f)
{
    struct crop *c = state;
    struct fact_domain g = *f;

    if ( !wants_domain(c, f->domain) || !crop_span(c, &g.from, &g.to) )
        return;
    g.last |= g.to != f->to;
    g.since = crop_since(c, f->since);
    c->sink.ops->domain(c->sink.state, &g);
}

static void crop_residency(void *state, const struct fact_residency *f)
{
    struct crop *c = state;
    struct fact_residency g = *f;

    if ( !wants_vcpu(c, f->vcpu) || !wants_pcpu(c, f->pcpu) ||
         !crop_span(c, &g.from, &g.to) )
        return;
    if ( g.to != f->to )
        g.next = FACT_NO_PCPU;
    c->sink.ops->residency(c->sink.state, &g);
}

static void crop_loss(void *state, const struct fact_loss *f)
{
    struct crop *c = state;
    struct fact_loss g = *f;

    if ( !wants_pcpu(c, f->pcpu) )
        return;
    if ( is_early(c, f->to) || (f->from > c->until && is_late(c, f->to)) )
        c->sink.ops->loss(c->sink.state, f);
    else if ( crop_span(c, &g.from, &g.to) )
    {
        g.records = fact_loss_share(f, g.to - g.from);
        c->sink.ops->loss(c->sink.state, &g);
    }
}

/* The first record of a pcpu may come after the span that its state fills. */
static void crop_pcpu(void *state, const struct fact_pcpu *f)
{
    struct crop *c = state;
    struct fact_pcpu g = *f;

    g.since = crop_since(c, f->since);
    if ( f->since <= c->until && f->from > c->until )
        g.from = c->until;
    if ( wants_pcpu(c, f->pcpu) && crop_span(c, &g.from, &g.to) )
        c->sink.ops->pcpu(c->sink.state, &g);
}

static void crop_open_wait(void *state, const struct fact_open_wait *f)
{
    struct crop *c = state;
    struct fact_open_wait g = *f;
    struct fact_wait *w = &g.wait;
    bool is_cut;

    if ( !crop_span(c, &w->from, &w->to) || w->from == w->to )
        return;
    g.no_begin |= w->from != f->wait.from;
    g.no_end |= w->to != f->wait.to;
    is_cut = w->to - w->from != f->wait.to - f->wait.from;
    if ( g.no_end )
        w->pcpu = w->pcpu_before;
    if ( is_cut )
    {
        w->nr_rivals = 0;
        w->others = 0;
        w->unknown = w->to - w->from;
    }
    if ( wants_vcpu(c, w->vcpu) && wants_pcpu(c, w->pcpu) )
        c->sink.ops->open_wait(c->sink.state, &g);
}

/* A wait with an end in the span is complete for a sink of such waits only. */
static void crop_wait(void *state, const struct fact_wait *f)
{
    struct crop *c = state;
    bool is_whole = f->from >= c->from && f->to <= c->until;

    if ( !is_whole && c->sink.ops->open_wait )
        crop_open_wait(state, &(struct fact_open_wait){ .wait = *f });
    else if ( wants_moment(c, f->to) && wants_vcpu(c, f->vcpu) &&
              wants_pcpu(c, f->pcpu) )
        c->sink.ops->wait(c->sink.state, f);
}

/* --- facts with a single time -------------------------------------------- */

#define CROP_MOMENT(kind, moment, wanted)                                   \
static void crop_##kind(void *state, const struct fact_##kind *f)           \
{                                                                           \
    struct crop *c = state;                                                 \
                                                                            \
    if ( wants_moment(c, f->moment) && (wanted) )                           \
        c->sink.ops->kind(c->sink.state, f);                                \
}

CROP_MOMENT(wake_to_halt, to, wants_vcpu(c, f->vcpu))
/* At the begin or end of the span, one of the two domains is outside. */
CROP_MOMENT(domain_reuse, time, wants_domain(c, f->domain) &&
            f->time != c->from && f->time != c->until)
CROP_MOMENT(exit, start, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))
CROP_MOMENT(exit_pause, start, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))
CROP_MOMENT(exit_block, exit->start,
            wants_vcpu(c, f->exit->vcpu) && wants_pcpu(c, f->exit->pcpu))
CROP_MOMENT(handle, time, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))
CROP_MOMENT(cr3, time, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))
CROP_MOMENT(pv, time, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))
CROP_MOMENT(irq, time, wants_pcpu(c, f->pcpu))
CROP_MOMENT(power, time, wants_pcpu(c, f->pcpu))
CROP_MOMENT(event, time, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))
CROP_MOMENT(moment, from, wants_pcpu(c, f->pcpu))

/* Selected vcpus use the memory of any domain: other owners are hidden. */
static void crop_memory(void *state, const struct fact_memory *f)
{
    struct crop *c = state;
    struct fact_memory g = *f;

    if ( !wants_moment(c, f->time) || !wants_pcpu(c, f->pcpu) )
        return;
    if ( !wants_domain(c, f->target) )
        g.target = NULL;
    if ( g.target || !c->options->wants_vcpu || wants_vcpu(c, f->by) )
        c->sink.ops->memory(c->sink.state, &g);
}

/* A name is valid for all times. */
static void crop_domain_name(void *state, const struct fact_domain_name *f)
{
    struct crop *c = state;

    if ( wants_domain(c, f->domain) )
        c->sink.ops->domain_name(c->sink.state, f);
}

static void crop_volume(void *state, const struct fact_volume *f)
{
    struct crop *c = state;

    if ( wants_pcpu(c, f->pcpu) )
        c->sink.ops->volume(c->sink.state, f);
}

/* --- a segment ----------------------------------------------------------- */

static void crop_begin(void *state, const struct fact_begin *f)
{
    struct crop *c = state;
    struct fact_begin g = *f;

    if ( g.first < c->from )
        g.first = c->from;
    g.until = c->options->bounded ? c->until : 0;
    c->stop = find_crop_stop(c->options, f->clock);
    c->sink.ops->begin(c->sink.state, &g);
}

static int crop_end(void *state, const struct fact_end *f, struct err *e)
{
    struct crop *c = state;
    struct fact_end g = *f;

    if ( !crop_span(c, &g.first, &g.last) )
        g.first = g.last;
    return c->sink.ops->end(c->sink.state, &g, e);
}

/* A shard has a filter of its own. */
static int crop_clone(void **shard, const void *state)
{
    const struct crop *c = state;
    struct crop *other = fault_malloc(sizeof(*other));
    int rc;

    assert(c->sink.ops->clone);
    if ( !other )
        return -ENOMEM;
    *other = *c;
    rc = c->sink.ops->clone(&other->sink.state, c->sink.state);
    if ( rc )
    {
        free(other);
        return rc;
    }
    *shard = other;
    return 0;
}

static int crop_merge(void *state, void *shard)
{
    struct crop *c = state, *other = shard;
    int rc = 0;

    assert(c->sink.ops == other->sink.ops);
    if ( other->sink.state )
        rc = c->sink.ops->merge(c->sink.state, other->sink.state);
    free(other);
    return rc;
}

static void wrap_sink(struct crop *c, const struct sink *sink,
                      const struct analyze_options *o)
{
    const struct sink_ops *has = sink->ops;

    /* A sink has both functions or neither. */
    assert(!has->clone == !has->merge);
    assert(has->wait || !has->open_wait);
    c->sink = *sink;
    c->options = o;
    c->from = o->bounded ? o->from : 0;
    c->until = o->bounded ? o->until : UINT64_MAX;
    c->stop = UINT64_MAX;
    /* Any state may last beyond the span: needs_runstate() stays empty. */
    c->ops.name = has->name;
    c->ops.ordered = has->ordered;
    c->ops.early_facts = has->early_facts;
    c->ops.late_facts = has->late_facts;
    c->ops.no_rivals = has->no_rivals;
    c->ops.from_hvm = has->from_hvm;
    c->ops.exit_needs = has->exit_needs;
    c->ops.handle_needs = has->handle_needs;
    c->ops.pv_need = has->pv_need;
    c->ops.needs_event = has->needs_event;
    c->ops.event_filter = has->event_filter;
#define WRAP_SLOT(slot) c->ops.slot = has->slot ? crop_##slot : NULL;
    WRAP_SLOT(clone) WRAP_SLOT(merge) WRAP_SLOT(begin) WRAP_SLOT(end)
    EMIT_KINDS(WRAP_SLOT)
#undef WRAP_SLOT
}

int crop_sinks(struct arena *arena, const struct analyze_options *o,
               const struct sink *sinks, size_t nr, struct sink **out)
{
    struct crop *crops = arena_array(arena, nr, sizeof(*crops),
                                     _Alignof(struct crop));

    *out = arena_array(arena, nr, sizeof(**out), _Alignof(struct sink));
    if ( nr && (!crops || !*out) )
        return -ENOMEM;
    for ( size_t i = 0; i < nr; i++ )
    {
        wrap_sink(&crops[i], &sinks[i], o);
        (*out)[i] = (struct sink){ &crops[i].ops, &crops[i] };
    }
    return 0;
}
