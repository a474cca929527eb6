/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A round trip is complete when the guest's vcpu runs, so its blocked times are
 * facts already.  If the trip reaches beyond the selected span, the part in the
 * span counts.
 */
#include "xenalyze/account/backend-wait.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "common/grow.h"
#include "xenalyze/account/vcpu-array.h"

void backend_waits_fini(struct backend_waits *b)
{
    free(b->vcpus);
    time_logs_fini(&b->logs);
    io_trips_fini(&b->trips);
}

static struct backend_vcpu *get_backend_vcpu(struct backend_waits *b,
                                             const struct vcpu *v)
{
    return vcpu_array_get(&b->vcpus, &b->nr_vcpus, v, &b->trips.pool.arena,
                          sizeof(struct backend_vcpu),
                          _Alignof(struct backend_vcpu), &b->failed);
}

/* --- one round trip ------------------------------------------------------- */

static void add_vote(struct backend_vote *v, uint16_t domain, uint64_t cycles)
{
    if ( v->cycles && v->domain != domain )
    {
        if ( v->cycles >= cycles )
        {
            v->cycles -= cycles;
            return;
        }
        cycles -= v->cycles;
        v->cycles = 0;
    }
    v->domain = domain;
    v->cycles += cycles;
}

/* Time in which the vcpu was blocked, and not counted before. */
static uint64_t count_blocked(const struct backend_waits *b,
                              struct backend_vcpu *v, uint64_t from,
                              uint64_t to)
{
    if ( from < v->counted_until )
        from = v->counted_until;
    if ( to > b->span.until )
        to = b->span.until;
    if ( from >= to )
        return 0;
    v->counted_until = to;
    return time_log_between(&v->blocked, from, to);
}

/* The same for a wait of the backend's vcpu, where it works for the trip. */
static uint64_t count_wait(const struct backend_waits *b,
                           struct backend_vcpu *v,
                           const struct io_parts *parts, size_t wait)
{
    const struct time_log_point *p = &parts->waits->points[wait];
    uint64_t from = time_log_begin(p), sum = 0;

    for ( unsigned int i = 0; i < IO_RANGES; i++ )
    {
        struct io_range r = io_crop_busy(parts, i, from, p->at);

        sum += count_blocked(b, v, r.from, r.to);
    }
    return sum;
}

static void add_to_stretch(struct backend_waits *b, struct backend_vcpu *v,
                           uint64_t from, uint64_t waited, uint16_t backend)
{
    struct stretch_search *s = &v->search;
    uint64_t to = v->counted_until;

    debug_assert(from < to && waited <= to - from);
    if ( stretch_begin_loss(s, &b->scale, from, stretch_cost(s, from)) )
        v->now = (struct backend_vote){ .cycles = 0 };
    add_vote(&v->now, backend, waited);
    if ( stretch_end_loss(s, to, waited, (double)waited -
                          STRETCH_CALM * (double)(to - from)) )
        v->worst = v->now;
}

/* The callback of the round trips. */
static void add_backend_trip(void *state, const struct io_trip *trip,
                             const struct io_parts *parts)
{
    struct backend_waits *b = state;
    struct backend_vcpu *v = get_backend_vcpu(b, trip->guest);
    uint16_t backend = trip->backend->domain->id;
    uint64_t end = trip->times[IO_STEPS], from, waited;

    if ( !v || (trip->is_emulated && trip->accesses) || end < b->span.first )
        return;
    v->trips += end <= b->span.until;
    if ( v->counted_until < b->span.first )
        v->counted_until = b->span.first;
    from = trip->times[IO_WAIT] > v->counted_until ? trip->times[IO_WAIT]
                                                   : v->counted_until;
    waited = count_blocked(b, v, trip->times[IO_WAIT], trip->times[IO_START]);
    for ( size_t i = parts->first_wait; i < parts->last_wait; i++ )
        waited += count_wait(b, v, parts, i);
    if ( !waited )
        return;
    v->waited += waited;
    add_vote(&v->vote, backend, waited);
    add_to_stretch(b, v, from, waited, backend);
}

/* --- facts ---------------------------------------------------------------- */

COLD
static void add_first_blocked_time(struct backend_waits *b,
                                   const struct fact_runstate *f)
{
    struct backend_vcpu *v = vcpu_is_idle(f->vcpu)
                             ? NULL : get_backend_vcpu(b, f->vcpu);

    if ( v )
        time_log_add(&v->blocked, &b->logs, f->from, f->to, false);
}

static bool backend_needs_runstate(unsigned int state, unsigned int next)
{
    debug_assert(next <= STATES);
    return state == STATE_BLOCKED;
}

static void backend_add_runstate(void *state, const struct fact_runstate *f)
{
    struct backend_waits *b = state;
    struct backend_vcpu *v = grow_find_object(&b->vcpus, b->nr_vcpus,
                                              f->vcpu->index);

    if ( f->state != STATE_BLOCKED )
        return;
    if ( v )
        time_log_add(&v->blocked, &b->logs, f->from, f->to, false);
    else
        add_first_blocked_time(b, f);
}

static void backend_begin(void *state, const struct fact_begin *f)
{
    struct backend_waits *b = state;

    b->span = fact_begin_span(f);
    if ( !f->segment )
        b->scale = stretch_scale_make(f->clock);
}

/* Times of the next segment cannot be compared. */
static int backend_end(void *state, const struct fact_end *f, struct err *e)
{
    struct backend_waits *b = state;

    (void)f;
    for ( uint32_t i = 0; i < b->nr_vcpus; i++ )
        if ( b->vcpus[i] )
        {
            stretch_close(&b->vcpus[i]->search, &b->scale);
            time_log_clear(&b->vcpus[i]->blocked);
            b->vcpus[i]->counted_until = 0;
        }
    return b->failed || b->logs.failed
           ? err_sys(e, -ENOMEM, "cannot keep waits of backends") : 0;
}

void backend_waits_init(struct backend_waits *b)
{
    assert(!b->vcpus);
    io_trips_init(&b->trips);
    time_logs_init(&b->logs);
    b->trips.on_trip = add_backend_trip;
    b->trips.on_trip_arg = b;
    b->trips.wants_means = b->trips.wants_cut_trips = true;
}

void backend_waits_get_sinks(struct backend_waits *b,
                             struct sink sinks[BACKEND_SINKS])
{
    static const struct sink_ops ops = {
        .name = "backend waits", .ordered = true, .begin = backend_begin,
        .end = backend_end, .runstate = backend_add_runstate,
        .needs_runstate = backend_needs_runstate, .early_facts = true,
    };

    assert(b->trips.on_trip_arg == b);
    sinks[0] = (struct sink){ &ops, b };
    sinks[1] = io_trips_sink(&b->trips);
}

/* --- order ---------------------------------------------------------------- */

void backend_waits_close(struct backend_waits *b)
{
    vcpu_array_sort(&b->vcpus, &b->nr_vcpus);
}

const struct backend_vcpu *backend_waits_find(const struct backend_waits *b,
                                              uint16_t domain, uint16_t id)
{
    const struct backend_vcpu *v = vcpu_array_find(b->vcpus, b->nr_vcpus,
                                                   domain, id);

    return v && (v->trips || v->waited) ? v : NULL;
}

const struct io_path *backend_waits_find_path(const struct backend_waits *b,
                                              uint16_t domain,
                                              uint16_t backend)
{
    const struct io_path *found = NULL;

    for ( size_t i = 0; i < b->trips.nr_paths; i++ )
    {
        const struct io_path *p = b->trips.paths[i];

        assert(p);
        if ( p->domain == domain && p->backend == backend &&
             (!found || p->whole.sum > found->whole.sum) )
            found = p;
    }
    return found;
}
