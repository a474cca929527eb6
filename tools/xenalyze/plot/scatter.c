/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One callback for each kind of scatterplot.  All sinks are ordered: the points
 * come in the order in which their facts end (point-order.h).
 */
#include "xenalyze/plot/scatter.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/grow.h"
#include "xenalyze/account/account.h"

static void scatter_begin(void *state, const struct fact_begin *f)
{
    struct scatter *s = state;

    s->clock = *f->clock;
}

static int scatter_end(void *state, const struct fact_end *f, struct err *e)
{
    struct scatter *s = state;

    (void)f;
    free(s->seen);
    s->seen = NULL;
    s->nr_seen = 0;
    if ( s->points.end )
        s->points.end(s->points.state);
    if ( s->failed )
        return err_sys(e, -ENOMEM, "cannot keep the vcpus of a scatterplot");
    return 0;
}

static void emit_point(struct scatter *s, const struct point *p)
{
    s->nr_points++;
    s->points.put(s->points.state, p);
}

static void put_point_as(struct scatter *s, enum point_owner owner,
                         enum point_unit unit, const struct vcpu *v,
                         uint64_t time, int64_t value)
{
    const struct point p = {
        .owner = owner, .unit = unit, .domain = v->domain->id, .vcpu = v->id,
        .at = time, .time = xt_clock_ns(&s->clock, time), .value = value,
    };

    emit_point(s, &p);
}

/* A number of cycles, drawn as a time from the field `duration`. */
static void put_cycles(struct scatter *s, enum point_owner owner,
                       const struct vcpu *v, uint64_t time, uint64_t cycles)
{
    const struct point p = {
        .owner = owner, .unit = POINT_CYCLES, .domain = v->domain->id,
        .vcpu = v->id, .at = time, .time = xt_clock_ns(&s->clock, time),
        .value = (int64_t)cycles,
        .duration = (int64_t)xt_clock_duration(&s->clock, cycles),
    };

    emit_point(s, &p);
}

static void put_point(struct scatter *s, enum point_owner owner,
                      const struct vcpu *v, uint64_t time, int64_t value)
{
    put_point_as(s, owner, POINT_NUMBER, v, time, value);
}

/* --- scheduling ----------------------------------------------------------- */

static const int8_t levels[STATES] = {
    [STATE_RUNNING] = 3, [STATE_RUNNABLE] = 2, [STATE_OFFLINE] = 1,
    [STATE_BLOCKED] = 0, [STATE_LOST] = -1, [STATE_QUEUED] = -2,
    [STATE_INIT] = -2, [STATE_NO_DATA] = -1,
};

/* True for the first fact of a vcpu: stock prints a change from INIT. */
static bool is_first_fact(struct scatter *s, const struct vcpu *v)
{
    if ( !grow_to_index(&s->seen, &s->nr_seen, v->index, sizeof(*s->seen)) )
    {
        s->failed = true;
        return false;
    }
    if ( s->seen[v->index] )
        return false;
    return s->seen[v->index] = true;
}

/*
 * Is the record of this pcpu selected?  A runstate is the vcpu's, so no filter
 * of facts has checked the pcpu.
 */
static bool is_pcpu_selected(const struct scatter *s, uint32_t pcpu)
{
    return !s->wants_pcpu || s->wants_pcpu(s->filter, pcpu);
}

static void plot_runstate(void *state, const struct fact_runstate *f)
{
    debug_assert(f->state < STATES && f->next <= STATES);
    if ( f->before_first_run )
        return;
    if ( is_first_fact(state, f->vcpu) && is_pcpu_selected(state, f->pcpu) )
    {
        put_point(state, POINT_VCPU, f->vcpu, f->from, levels[STATE_INIT]);
        put_point(state, POINT_VCPU, f->vcpu, f->from, levels[f->state]);
    }
    if ( f->next == STATES || !is_pcpu_selected(state, f->next_pcpu) )
        return;
    put_point(state, POINT_VCPU, f->vcpu, f->to, levels[f->state]);
    put_point(state, POINT_VCPU, f->vcpu, f->to, levels[f->next]);
}

static void plot_runstate_time(void *state, const struct fact_runstate *f)
{
    struct scatter *s = state;
    const struct point p = {
        .owner = POINT_VCPU, .unit = POINT_TIME, .at = f->to,
        .domain = f->vcpu->domain->id, .vcpu = f->vcpu->id,
        .time = xt_clock_ns(&s->clock, f->to), .by_state = true,
        .state = f->state,
        .value = (int64_t)xt_clock_duration(&s->clock, f->to - f->from),
    };

    if ( f->next != STATES && f->state != STATE_INIT &&
         !f->before_first_run && is_pcpu_selected(s, f->next_pcpu) )
        emit_point(s, &p);
}

static void put_pcpu(struct scatter *s, const struct fact_runstate *f,
                     uint32_t pcpu)
{
    if ( pcpu != FACT_NO_PCPU && is_pcpu_selected(s, pcpu) )
        put_point(s, POINT_VCPU, f->vcpu, f->to, pcpu);
}

static void plot_pcpu(void *state, const struct fact_runstate *f)
{
    if ( f->next != STATE_RUNNING || f->state == STATE_RUNNING ||
         f->state == STATE_INIT || f->before_first_run ||
         vcpu_is_idle(f->vcpu) )
        return;
    put_pcpu(state, f, f->pcpu);
    put_pcpu(state, f, f->next_pcpu);
}

/* --- guests --------------------------------------------------------------- */

static void plot_rdtsc(void *state, const struct fact_handle *f)
{
    if ( f->kind == HANDLE_RDTSC )
        put_point_as(state, POINT_VCPU, POINT_LARGE, f->vcpu, f->time,
                     (int64_t)f->value);
}

static bool is_interrupt(const struct scatter *s, const struct fact_handle *f)
{
    return f->kind == HANDLE_INTERRUPT && f->has_value && f->exit &&
           f->at == s->which;
}

#define ADDRESS_BITS ((1ull << 48) - 1)

static void plot_interrupt_eip(void *state, const struct fact_handle *f)
{
    if ( is_interrupt(state, f) )
        put_point(state, POINT_D_VCPU, f->vcpu, f->exit->start,
                  (int64_t)(f->exit->rip & ADDRESS_BITS));
}

static void plot_extint_cycles(void *state, const struct fact_handle *f)
{
    if ( is_interrupt(state, f) )
        put_cycles(state, POINT_D_VCPU, f->vcpu,
                   f->exit->start + f->exit->cycles, f->exit->cycles);
}

static void plot_io(void *state, const struct fact_handle *f)
{
    struct scatter *s = state;

    if ( f->kind == HANDLE_PIO && f->exit && f->at == s->which )
        put_cycles(s, POINT_NO_OWNER, f->vcpu,
                   f->exit->start + f->exit->cycles, f->exit->cycles);
}

static void plot_vmexit_eip(void *state, const struct fact_exit *f)
{
    put_point(state, POINT_NO_OWNER, f->vcpu, f->start, (int64_t)f->rip);
}

/* The sink of the CR3 table comes first, so the table has this exit. */
static void plot_cr3_switch(void *state, const struct fact_exit *f)
{
    struct scatter *s = state;
    const struct cr3_row *row;

    debug_assert(s->cr3);
    row = cr3_table_current_row(s->cr3, f->vcpu);
    if ( !cr3_table_has_switched(s->cr3) )
        return;
    put_point(s, POINT_NO_OWNER, f->vcpu, f->start,
              !row ? 0 : s->cr3_ids ? (int64_t)row->id : (int64_t)row->frame);
}

/* Wake-ups by an interrupt only. */
static void plot_wake_to_halt(void *state, const struct fact_wake_to_halt *f)
{
    if ( f->to >= f->vectors[0].time )
        put_cycles(state, POINT_NO_OWNER, f->vcpu, f->to,
                   f->to - f->vectors[0].time);
}

/* Changes of shadow page tables in emulations and fixups. */
static void plot_unpin_promote(void *state, const struct fact_handle *f)
{
    struct scatter *s = state;
    const struct fact_shadow *shadow = &f->shadow;
    const struct cr3_row *row = cr3_table_current_row(s->cr3, f->vcpu);

    if ( f->kind != HANDLE_SHADOW || !f->exit || !f->main ||
         (shadow->kind != SHADOW_EMULATE && shadow->kind != SHADOW_FIXUP) )
        return;
    if ( shadow->kind == SHADOW_EMULATE &&
         shadow->flags & SHADOW_FLAG_EARLY_UNSHADOW )
        put_point(s, POINT_NO_OWNER, f->vcpu, f->exit->start, -10);
    if ( f->exit->unpinned )
        put_point(s, POINT_NO_OWNER, f->vcpu, f->exit->start, 0);
    if ( shadow->flags & SHADOW_FLAG_PROMOTE && (row || !s->cr3_ids) )
        put_point(s, POINT_NO_OWNER, f->vcpu, f->exit->start,
                  s->cr3_ids ? (int64_t)row->id : 2);
}

/* --- hardware ------------------------------------------------------------- */

static void plot_irq(void *state, const struct fact_irq *f)
{
    struct scatter *s = state;
    const struct point p = {
        .owner = POINT_IRQ, .vcpu = f->irq, .at = f->time,
        .time = xt_clock_ns(&s->clock, f->time), .value = f->pcpu,
    };

    if ( f->kind == IRQ_HANDLED )
        emit_point(s, &p);
}

/* --- the table ------------------------------------------------------------ */

struct scatter_row
{
    const char *name;
    struct plot_about about;
    struct sink_ops ops;
    const char *source, *classes;
};

#define SCATTER_ROW(kind, option, arg, help, title, label, unit, slot,      \
                    function, source, classes)                              \
    [SCATTER_##kind] = {                                                    \
        option, { title, label, unit },                                     \
        { .name = "scatterplot", .ordered = true, .begin = scatter_begin,   \
          .end = scatter_end, .slot = function }, source, classes },

static const struct scatter_row rows[SCATTER_KINDS] = {
    SCATTER_TABLE(SCATTER_ROW)
};

const char *scatter_name(enum scatter_kind kind)
{
    assert(kind < SCATTER_KINDS);
    return rows[kind].name;
}

const char *scatter_source(enum scatter_kind kind, const char **classes)
{
    assert(kind < SCATTER_KINDS);
    *classes = rows[kind].classes;
    return rows[kind].source;
}

const struct plot_about *scatter_about(enum scatter_kind kind)
{
    assert(kind < SCATTER_KINDS);
    return &rows[kind].about;
}

struct sink scatter_sink(struct scatter *s, enum scatter_kind kind)
{
    assert(kind < SCATTER_KINDS && s->points.put);
    return (struct sink){ &rows[kind].ops, s };
}
