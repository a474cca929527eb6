/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A clip has the slots that its sink has, no more, so that still nothing is
 * worked out that nobody wants.
 *
 * Times that something took are cut at the borders.  What has a moment is told
 * whole if the moment is within: of an exit its beginning, of a wait its end.
 * Volumes are of records and not of time: they are always told.
 */
#include "xenalyze/engine/crop.h"

#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/machine/machine.h"

#define ANY_VCPU UINT32_MAX

struct clip
{
    struct sink_ops ops;
    struct sink sink;
    const struct analyze_options *options;
    uint64_t from, until;
};

bool clip_is_needed(const struct analyze_options *o)
{
    return o->from || o->until || o->wants_pcpu || o->wants_vcpu;
}

static bool wants_time(const struct clip *c, uint64_t time)
{
    return time >= c->from && time <= c->until;
}

static bool wants_pcpu(const struct clip *c, uint32_t pcpu)
{
    const struct analyze_options *o = c->options;

    return !o->wants_pcpu || o->wants_pcpu(o->filter, pcpu);
}

static bool wants_vcpu(const struct clip *c, const struct vcpu *v)
{
    const struct analyze_options *o = c->options;

    return !o->wants_vcpu ||
           (v && o->wants_vcpu(o->filter, v->domain->id, v->id));
}

static bool wants_domain(const struct clip *c, const struct domain *d)
{
    const struct analyze_options *o = c->options;

    return !o->wants_vcpu ||
           (d && o->wants_vcpu(o->filter, d->id, ANY_VCPU));
}

/* Cut it.  False: nothing is left. */
static bool cut(const struct clip *c, uint64_t *from, uint64_t *to)
{
    if ( *to < c->from || *from > c->until )
        return false;
    if ( *from < c->from )
        *from = c->from;
    if ( *to > c->until )
        *to = c->until;
    return true;
}

static uint64_t since(const struct clip *c, uint64_t time)
{
    return time < c->from ? c->from : time;
}

/* --- what took a time ---------------------------------------------------- */

static void clip_runstate(void *state, const struct fact_runstate *f)
{
    struct clip *c = state;
    struct fact_runstate g = *f;

    if ( !wants_vcpu(c, f->vcpu) || !cut(c, &g.from, &g.to) )
        return;
    /* What was cut off is as good as unknown. */
    g.before_first_run |= g.from != f->from;
    g.since = since(c, f->since);
    if ( g.to != f->to )
        g.next = STATES;
    c->sink.ops->runstate(c->sink.state, &g);
}

static void clip_domain(void *state, const struct fact_domain *f)
{
    struct clip *c = state;
    struct fact_domain g = *f;

    if ( !wants_domain(c, f->domain) || !cut(c, &g.from, &g.to) )
        return;
    g.last |= g.to != f->to;
    g.since = since(c, f->since);
    c->sink.ops->domain(c->sink.state, &g);
}

static void clip_residency(void *state, const struct fact_residency *f)
{
    struct clip *c = state;
    struct fact_residency g = *f;

    if ( !wants_vcpu(c, f->vcpu) || !wants_pcpu(c, f->pcpu) ||
         !cut(c, &g.from, &g.to) )
        return;
    if ( g.to != f->to )
        g.next = FACT_NO_PCPU;
    c->sink.ops->residency(c->sink.state, &g);
}

static void clip_loss(void *state, const struct fact_loss *f)
{
    struct clip *c = state;
    struct fact_loss g = *f;

    if ( wants_pcpu(c, f->pcpu) && cut(c, &g.from, &g.to) )
        c->sink.ops->loss(c->sink.state, &g);
}

static void clip_pcpu(void *state, const struct fact_pcpu *f)
{
    struct clip *c = state;
    struct fact_pcpu g = *f;

    if ( wants_pcpu(c, f->pcpu) && cut(c, &g.from, &g.to) )
        c->sink.ops->pcpu(c->sink.state, &g);
}

/* --- what has a moment --------------------------------------------------- */

#define MOMENT(kind, moment, wanted)                                        \
static void clip_##kind(void *state, const struct fact_##kind *f)           \
{                                                                           \
    struct clip *c = state;                                                 \
                                                                            \
    if ( wants_time(c, f->moment) && (wanted) )                             \
        c->sink.ops->kind(c->sink.state, f);                                \
}

MOMENT(wait, to, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))
MOMENT(wake_to_halt, to, wants_vcpu(c, f->vcpu))
MOMENT(exit, start, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))
MOMENT(handle, time, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))
MOMENT(cr3, time, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))
MOMENT(pv, time, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))
MOMENT(memory, time, wants_domain(c, f->target) && wants_pcpu(c, f->pcpu))
MOMENT(irq, time, wants_pcpu(c, f->pcpu))
MOMENT(power, time, wants_pcpu(c, f->pcpu))
MOMENT(event, time, wants_vcpu(c, f->vcpu) && wants_pcpu(c, f->pcpu))

/* What it is called does not depend on when that was said. */
static void clip_domain_name(void *state, const struct fact_domain_name *f)
{
    struct clip *c = state;

    if ( wants_domain(c, f->domain) )
        c->sink.ops->domain_name(c->sink.state, f);
}

static void clip_volume(void *state, const struct fact_volume *f)
{
    struct clip *c = state;

    if ( wants_pcpu(c, f->pcpu) )
        c->sink.ops->volume(c->sink.state, f);
}

/* --- a segment ----------------------------------------------------------- */

static void clip_begin(void *state, const struct fact_begin *f)
{
    struct clip *c = state;
    struct fact_begin g = *f;

    if ( g.first < c->from )
        g.first = c->from;
    c->sink.ops->begin(c->sink.state, &g);
}

static int clip_end(void *state, const struct fact_end *f, struct err *e)
{
    struct clip *c = state;
    struct fact_end g = *f;

    if ( !cut(c, &g.first, &g.last) )
        g.first = g.last;
    return c->sink.ops->end(c->sink.state, &g, e);
}

/* A shard is a clip of its own. */
static int clip_clone(void **shard, const void *state)
{
    const struct clip *c = state;
    struct clip *other = fault_malloc(sizeof(*other));
    int rc;

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

static int clip_merge(void *state, void *shard)
{
    struct clip *c = state, *other = shard;
    int rc = 0;

    if ( other->sink.state )
        rc = c->sink.ops->merge(c->sink.state, other->sink.state);
    free(other);
    return rc;
}

static void wrap(struct clip *c, const struct sink *sink,
                 const struct analyze_options *o)
{
    const struct sink_ops *has = sink->ops;

    c->sink = *sink;
    c->options = o;
    c->from = o->from;
    c->until = o->until ? o->until : UINT64_MAX;
    c->ops.name = has->name;
    c->ops.ordered = has->ordered;
#define WRAP(slot) c->ops.slot = has->slot ? clip_##slot : NULL;
    WRAP(clone) WRAP(merge) WRAP(begin) WRAP(end) EMIT_KINDS(WRAP)
#undef WRAP
}

int clip_sinks(struct arena *arena, const struct analyze_options *o,
               const struct sink *sinks, size_t nr, struct sink **out)
{
    struct clip *clips = arena_array(arena, nr, sizeof(*clips),
                                     _Alignof(struct clip));

    *out = arena_array(arena, nr, sizeof(**out), _Alignof(struct sink));
    if ( nr && (!clips || !*out) )
        return -ENOMEM;
    for ( size_t i = 0; i < nr; i++ )
    {
        wrap(&clips[i], &sinks[i], o);
        (*out)[i] = (struct sink){ &clips[i].ops, &clips[i] };
    }
    return 0;
}
