/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vcpu of a guest has at most one trip of each kind in progress.  A trip
 * begins with the event that wakes a vcpu of a backend, or, if the backend is
 * awake, with the last event that the vcpu sends before it blocks; a trip to an
 * emulated device begins with the wake-up.  The trip ends when the backend has
 * woken the guest's vcpu and the vcpu runs.
 *
 * Backends are domain 0, and domains that use grants of others.  A wake-up by
 * a backend is an answer only in a hypercall that sends events: the guest's
 * timer may fire on the pcpu of the backend, and the toolstack in dom0 may end
 * a pause of the guest.  A pause ends the trips of the vcpu, since the time of
 * the answer is not known.  A vcpu is offline while it is paused, and while it
 * waits for an emulated device.
 *
 * Trips that begin before a selected span, or are answered behind it, are
 * followed like others.  Trips that end in the span are counted.
 *
 * Facts come in the order of time.  A wait is a fact at its end, so several
 * events may have been sent since; a hypercall of an HVM guest is a fact at the
 * end of its exit, when the backend may run already.
 */
#include "xenalyze/account/io-trips.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "common/fault.h"
#include "common/grow.h"

#define NEAR_NS 50000u          /* from a hypercall to a wake-up by it */

void io_trips_init(struct io_trips *t)
{
    assert(!t->vcpus && !t->domains && !t->paths);
    stats_pool_init(&t->pool);
    time_logs_init(&t->logs);
}

void io_trips_fini(struct io_trips *t)
{
    free(t->vcpus);
    free(t->domains);
    free(t->paths);
    time_logs_fini(&t->logs);
    stats_pool_fini(&t->pool);
}

const char *io_step_name(enum io_step step)
{
    static const char *const names[] = {
        [IO_WAKE] = "event sent -> backend woken",
        [IO_WAIT] = "backend woken -> runs",
        [IO_START] = "backend runs -> first grant",
        [IO_DEVICE] = "grants, device",
        [IO_WAIT_AGAIN] = "backend woken again -> runs",
        [IO_FINISH] = "backend runs -> event back",
        [IO_GUEST] = "event back -> guest runs",
    };

    assert(step < IO_STEPS);
    return names[step];
}

const char *io_unmatched_name(enum io_unmatched reason)
{
    static const char *const names[] = {
        [IO_NO_ANSWER] = "requests without an answer",
        [IO_NO_REQUEST] = "wake-ups by a backend without a request",
        [IO_LOST] = "requests while records were lost",
        [IO_OPEN] = "requests in progress at the end",
    };

    assert(reason < IO_UNMATCHED);
    return names[reason];
}

/* --- vcpus and domains ---------------------------------------------------- */

COLD
static struct io_vcpu *add_io_vcpu(struct io_trips *t, const struct vcpu *v)
{
    struct io_vcpu *own =
        grow_get_object(&t->vcpus, &t->nr_vcpus, v->index, &t->pool.arena,
                        sizeof(*own), _Alignof(struct io_vcpu));

    t->failed |= !own;
    if ( own )
        own->vcpu = v;
    return own;
}

static inline struct io_vcpu *get_io_vcpu(struct io_trips *t,
                                          const struct vcpu *v)
{
    struct io_vcpu *own = grow_find_object(&t->vcpus, t->nr_vcpus, v->index);

    return own ? own : add_io_vcpu(t, v);
}

const struct time_log *io_trips_get_waits(struct io_trips *t,
                                          const struct vcpu *v)
{
    struct io_vcpu *own = get_io_vcpu(t, v);

    return own ? &own->waits : NULL;
}

static struct io_domain *get_io_domain(struct io_trips *t,
                                       const struct domain *d)
{
    if ( grow_to_index(&t->domains, &t->nr_domains, d->index,
                       sizeof(*t->domains)) )
        return &t->domains[d->index];
    t->failed = true;
    return NULL;
}

static bool is_backend(const struct io_trips *t, const struct domain *d)
{
    return !d->id || (d->index < t->nr_domains &&
                      t->domains[d->index].is_backend);
}

/* May `backend` serve requests of the guest? */
static bool serves_guest(const struct io_trips *t,
                         const struct domain *backend,
                         const struct domain *guest)
{
    return backend != guest && guest->id && guest->id < XT_DOMAIN_IDLE &&
           is_backend(t, backend);
}

/* --- trips ---------------------------------------------------------------- */

static struct io_path *new_path(struct io_trips *t)
{
    size_t room = t->room ? 2 * t->room : 16;
    struct io_path **larger;

    assert(t->nr_paths <= t->room);
    if ( t->nr_paths == t->room )
    {
        larger = fault_realloc(t->paths, room * sizeof(*larger));
        if ( !larger )
            return NULL;
        t->paths = larger;
        t->room = room;
    }
    t->paths[t->nr_paths] = arena_zalloc(&t->pool.arena,
                                         sizeof(**t->paths), STATS_LINE);
    return t->paths[t->nr_paths] ? t->paths[t->nr_paths++] : NULL;
}

static struct io_path *get_path(struct io_trips *t, const struct io_trip *trip)
{
    struct io_domain *d = get_io_domain(t, trip->guest->domain);
    uint16_t backend = trip->backend->domain->id;
    struct io_path *p = d ? d->paths : NULL;

    while ( p && (p->backend != backend ||
                  p->is_emulated != trip->is_emulated) )
        p = p->next;
    if ( p || !d )
        return p;
    p = new_path(t);
    if ( !p )
    {
        t->failed = true;
        return NULL;
    }
    p->domain = trip->guest->domain->id;
    p->backend = backend;
    p->is_emulated = trip->is_emulated;
    p->next = d->paths;
    d->paths = p;
    return p;
}

static void keep_worst(struct io_trips *t, const struct io_trip *trip,
                       const struct io_parts *parts)
{
    struct io_worst w = {
        .domain = trip->guest->domain->id, .vcpu = trip->guest->id,
        .backend = trip->backend->domain->id,
        .backend_vcpu = trip->backend->id,
        .from = trip->times[0], .to = trip->times[IO_STEPS],
    };
    uint64_t length = w.to - w.from;
    size_t i = t->nr_worst;

    assert(i <= IO_WORST);
    if ( i == IO_WORST && io_worst_length(&t->worst[i - 1]) >= length )
        return;
    for ( unsigned int k = 0; k < IO_STEPS; k++ )
        w.steps[k] = parts->steps[k];
    if ( i < IO_WORST )
        t->nr_worst++;
    else
        i--;
    for ( ; i && io_worst_length(&t->worst[i - 1]) < length; i-- )
        t->worst[i] = t->worst[i - 1];
    t->worst[i] = w;
}

/*
 * Trips in progress at the same time have the same grants: each grant counts
 * for the first of these trips that ends.
 */
static uint64_t take_grants(struct io_trips *t, const struct io_trip *trip)
{
    struct io_domain *d = get_io_domain(t, trip->guest->domain);
    uint64_t grants = d && d->grants < trip->grants ? d->grants : trip->grants;

    assert(grants <= trip->grants);
    if ( d )
        d->grants -= grants;
    return grants;
}

static void add_to_series(struct io_path *p, struct io_trips *t,
                          const uint64_t *times, const uint64_t *steps)
{
    assert(p && times[0] <= times[IO_STEPS]);
    stats_add(&p->whole, &t->pool, io_trip_length(times), times[0]);
    for ( unsigned int i = 0; i < IO_STEPS; i++ )
        stats_add(&p->steps[i], &t->pool, steps[i], times[i]);
}

/* The same without percentiles. */
static void add_to_means(struct io_path *p, const uint64_t *times,
                         const uint64_t *steps)
{
    assert(p && times[0] <= times[IO_STEPS]);
    stats_add_to_mean(&p->whole, io_trip_length(times));
    for ( unsigned int i = 0; i < IO_STEPS; i++ )
        stats_add_to_mean(&p->steps[i], steps[i]);
}

/* Add a trip that ends in the selected span. */
static void count_trip(struct io_trips *t, const struct io_trip *trip,
                       const struct io_parts *parts, uint64_t grants)
{
    struct io_path *p = get_path(t, trip);

    if ( !p )
        return;
    p->grants += grants;
    p->estimated += trip->is_estimated;
    if ( t->wants_means )
        add_to_means(p, trip->times, parts->steps);
    else
    {
        add_to_series(p, t, trip->times, parts->steps);
        keep_worst(t, trip, parts);
    }
}

static void add_trip(struct io_trips *t, const struct io_trip *trip,
                     const struct io_parts *parts)
{
    bool is_counted = fact_span_has(&t->span, trip->times[IO_STEPS]);
    uint64_t grants = take_grants(t, trip);

    if ( is_counted )
        count_trip(t, trip, parts, grants);
    if ( t->on_trip && (is_counted || t->wants_cut_trips) )
        t->on_trip(t->on_trip_arg, trip, parts);
}

/*
 * A device's interrupt on the pcpu of a guest looks as if the guest had woken
 * the backend; so a wake-up without an event is a request only in an exit for
 * an emulated device, or if the trace has no hypercalls.
 */
static bool is_request(const struct io_trips *t, const struct io_open *o)
{
    return !o->trip.is_emulated || o->trip.accesses || !t->has_calls;
}

/* The domain has the trip in its list. */
static void unlink_trip(struct io_domain *d, struct io_open *o)
{
    debug_assert(o->is_open && d->open && d->last_open);
    if ( o->previous )
        o->previous->next = o->next;
    else
        d->open = o->next;
    if ( o->next )
        o->next->previous = o->previous;
    else
        d->last_open = o->previous;
    o->is_open = false;
}

/* End a trip that has no answer, or none in the selected span. */
static void drop_trip(struct io_trips *t, struct io_domain *d,
                      struct io_open *o, enum io_unmatched reason)
{
    bool is_late = t->now > t->span.until;

    debug_assert(reason < IO_UNMATCHED);
    unlink_trip(d, o);
    if ( !o->woke_backend || !is_request(t, o) || t->now < t->span.first )
        return;
    if ( !is_late )
        t->unmatched[reason]++;
    else if ( o->trip.times[1] <= t->span.until )
        t->unmatched[IO_OPEN]++;
}

static void open_trip(struct io_trips *t, struct io_domain *d,
                      struct io_open *o, const struct io_trip *trip,
                      const struct domain *backend)
{
    debug_assert(trip->guest);
    if ( o->is_open )
        drop_trip(t, d, o, IO_NO_ANSWER);
    *o = (struct io_open){
        .is_open = true, .trip = *trip, .backend = backend,
        .woke_backend = backend != NULL, .previous = d->last_open,
    };
    if ( d->last_open )
        d->last_open->next = o;
    else
        d->open = o;
    d->last_open = o;
}

/* --- requests ------------------------------------------------------------- */

static void ring_add(struct io_ring *r, uint64_t at, uint64_t other)
{
    r->moments[r->nr++ % IO_MOMENTS] = (struct io_moment){ at, other };
}

/* The latest moment; the ring has one. */
static struct io_moment *ring_last(struct io_ring *r)
{
    debug_assert(r->nr);
    return &r->moments[(r->nr - 1) % IO_MOMENTS];
}

/*
 * The latest moment at `time` or before; NULL: none.  Sets *lost if the ring
 * may have had such a moment: a vcpu can send many events before another vcpu
 * runs.
 */
static const struct io_moment *ring_find(const struct io_ring *r,
                                         uint64_t time, bool *lost)
{
    uint64_t nr = r->nr < IO_MOMENTS ? r->nr : IO_MOMENTS;

    for ( uint64_t i = 1; i <= nr; i++ )
    {
        const struct io_moment *m = &r->moments[(r->nr - i) % IO_MOMENTS];

        if ( m->at <= time )
            return m;
    }
    *lost |= r->nr > IO_MOMENTS;
    return NULL;
}

/* A guest woke a backend, which now runs. */
static void note_request(struct io_trips *t, const struct fact_wait *f)
{
    struct io_domain *d = get_io_domain(t, f->waker->domain);
    struct io_vcpu *v = get_io_vcpu(t, f->waker);
    struct io_trip trip = { .guest = f->waker, .backend = f->vcpu };
    const struct io_moment *send;
    struct io_open *o;

    if ( !d || !v )
        return;
    send = ring_find(&v->sends, f->from, &trip.is_estimated);
    /* A vcpu that waits for an emulated device sends no events meanwhile. */
    trip.is_emulated = send ? send->other < f->woken : !trip.is_estimated;
    trip.times[0] = trip.is_emulated ? f->woken : send ? send->at : f->from;
    trip.times[1] = f->from;
    trip.times[2] = f->to;
    o = trip.is_emulated ? &v->emulated : &v->event;
    /*
     * Another vcpu of the backend may have reacted already.  A vcpu that waits
     * for an emulated device wakes nobody, so the last wake-up counts.
     */
    if ( o->is_open && o->backend && o->trip.times[0] >= trip.times[0] )
        return;
    open_trip(t, d, o, &trip, f->vcpu->domain);
}

/*
 * A hypercall of an HVM guest comes at the end of its exit, after the backend
 * that was woken in the exit began to run: the trip to an emulated device is
 * that of an event.
 */
static bool is_late_send(const struct io_open *o, uint64_t from,
                         uint64_t until)
{
    return o->is_open && until != UINT64_MAX &&
           from <= o->trip.times[1] && until >= o->trip.times[0];
}

static void note_send(struct io_trips *t, const struct vcpu *vcpu,
                      uint64_t from, uint64_t until)
{
    struct io_vcpu *v = get_io_vcpu(t, vcpu);
    struct io_domain *d = get_io_domain(t, vcpu->domain);
    struct io_trip trip = { .guest = vcpu, .times = { from, from } };
    const struct domain *backend = NULL;

    t->events += fact_span_has(&t->span, t->now);
    if ( !v || !d )
        return;
    if ( is_late_send(&v->emulated, from, until) )
    {
        trip = v->emulated.trip;
        trip.is_emulated = false;
        trip.times[0] = from;
        backend = v->emulated.backend;
        unlink_trip(d, &v->emulated);
    }
    if ( backend || !v->event.is_open || !v->event.woke_backend )
        open_trip(t, d, &v->event, &trip, backend);
    ring_add(&v->sends, from, until);
}

/* --- grants --------------------------------------------------------------- */

/*
 * The backend was awake when the guest sent its event, so no wake-up shows the
 * request; the backend's vcpu may have waited for a pcpu since.
 */
static void note_reaction(struct io_open *o, const struct io_vcpu *backend,
                          uint64_t time)
{
    const struct time_log *waits = &backend->waits;
    size_t n = time_log_count(waits, time);
    uint64_t *times = o->trip.times;

    debug_assert(o->is_open && !o->backend && backend->vcpu);
    times[2] = n > 1 && waits->points[n - 1].at > times[1]
               ? waits->points[n - 1].at : times[1];
    o->backend = backend->vcpu->domain;
    o->trip.backend = backend->vcpu;
}

static bool is_grant(const struct fact_memory *f)
{
    return f->kind == MEMORY_GRANT_MAP || f->kind == MEMORY_GRANT_UNMAP;
}

static void io_add_memory(void *state, const struct fact_memory *f)
{
    struct io_trips *t = state;
    const struct io_vcpu *backend;
    struct io_domain *by, *d;
    bool is_used = false;

    if ( !is_grant(f) || !f->by || vcpu_is_idle(f->by) || !f->target ||
         f->by->domain == f->target )
        return;
    t->now = f->time;
    /* The arrays grow here; pointers into them are valid afterwards. */
    by = get_io_domain(t, f->by->domain);
    if ( by )
        by->is_backend = true;
    d = get_io_domain(t, f->target);
    backend = get_io_vcpu(t, f->by);
    if ( !by || !d || !backend ||
         !serves_guest(t, f->by->domain, f->target) )
        return;
    for ( struct io_open *o = d->open; o; o = o->next )
    {
        if ( !o->backend && o->trip.times[1] <= f->time )
            note_reaction(o, backend, f->time);
        if ( o->backend != f->by->domain || f->time < o->trip.times[2] )
            continue;
        o->trip.first_grant = o->trip.grants ? o->trip.first_grant : f->time;
        o->trip.last_grant = f->time;
        o->trip.grants++;
        is_used = true;
    }
    d->grants += is_used;
}

/* --- answers -------------------------------------------------------------- */

/* No backend has reacted to the event, sent since the vcpu's last wake-up. */
static bool is_fresh(const struct io_vcpu *v)
{
    return !v->event.backend && v->event.trip.times[0] >= v->awake;
}

/*
 * The trip that the wake-up ends: the vcpu's own, to a device that the vcpu
 * waits for first; else the domain's oldest.  No event ends the time offline.
 */
static struct io_open *find_trip(const struct io_trips *t, struct io_domain *d,
                                 struct io_vcpu *own,
                                 const struct domain *backend,
                                 const struct fact_wait *f)
{
    struct io_open *o = d->open;

    if ( own->emulated.is_open && own->emulated.backend == backend &&
         is_request(t, &own->emulated) )
        return &own->emulated;
    if ( own->resumed == f->from )
        return NULL;
    if ( own->event.is_open &&
         (own->event.backend == backend || is_fresh(own)) )
        return &own->event;
    while ( o && (o->backend != backend || o->trip.times[0] > f->woken ||
                  o->trip.is_emulated) )
        o = o->next;
    return o;
}

static uint64_t limit(uint64_t value, uint64_t low, uint64_t high)
{
    debug_assert(low <= high);
    return value < low ? low : value > high ? high : value;
}

/*
 * The waits between the backend's first run and the answer.  While the guest
 * waits for a pcpu, the backend may wait again.  If another vcpu answers than
 * the one that the guest woke, it may have waited before, but not for the trip.
 */
static void find_waits(struct io_trip *trip, struct io_parts *parts,
                       const struct time_log *waits, bool is_same)
{
    size_t n = time_log_count(waits, trip->times[6]);

    parts->waits = waits;
    parts->last_wait = n;
    while ( n > 1 && waits->points[n - 1].at > trip->times[2] )
        n--;
    if ( !is_same && n < parts->last_wait &&
         time_log_begin(&waits->points[n]) < trip->times[2] )
        n++;
    parts->first_wait = n;
    trip->is_estimated |= trip->times[2] < waits->dropped_until;
}

/* The last wait after a wake-up, or else the last one; NULL: none. */
static const struct time_log_point *
find_second_wait(const struct io_parts *parts)
{
    const struct time_log_point *points = parts->waits->points;
    size_t i = parts->last_wait;

    if ( i == parts->first_wait )
        return NULL;
    while ( i > parts->first_wait )
        if ( points[--i].is_marked )
            return &points[i];
    return &points[parts->last_wait - 1];
}

/*
 * When the vcpu that answers works for the trip, after its first wait.  A vcpu
 * that was woken since, and is not the one that the guest woke, worked for
 * others before.
 */
static void find_busy_ranges(struct io_parts *parts, const uint64_t *times,
                             const struct time_log_point *second, bool is_same)
{
    const struct time_log_point *p = parts->waits->points + parts->first_wait;
    uint64_t until = times[4];

    if ( second && second->is_marked )
    {
        while ( !p->is_marked )
            p++;
        until = is_same ? limit(time_log_begin(p), times[2], times[4])
                        : times[2];
    }
    parts->busy[0] = (struct io_range){ times[2], until };
    parts->busy[1] = (struct io_range){ times[4], times[6] };
}

/* The part of a wait in from..to, while the backend works for the trip. */
static uint64_t waited_in_step(const struct io_parts *parts,
                               struct io_range wait, uint64_t from,
                               uint64_t to)
{
    uint64_t sum = 0;

    if ( from < wait.from )
        from = wait.from;
    if ( to > wait.to )
        to = wait.to;
    for ( unsigned int i = 0; i < IO_RANGES; i++ )
    {
        struct io_range r = io_crop_busy(parts, i, from, to);

        sum += r.from < r.to ? r.to - r.from : 0;
    }
    return sum;
}

/* A wait belongs to no other step. */
static void move_wait(struct io_parts *parts, const uint64_t *times,
                      struct io_range wait)
{
    static const enum io_step others[] = { IO_START, IO_DEVICE, IO_FINISH };

    for ( unsigned int i = 0; i < sizeof(others) / sizeof(*others); i++ )
    {
        enum io_step step = others[i];
        uint64_t waited = waited_in_step(parts, wait, times[step],
                                         times[step + 1]);

        debug_assert(waited <= parts->steps[step]);
        parts->steps[step] -= waited;
        parts->steps[IO_WAIT_AGAIN] += waited;
    }
}

static void set_steps(struct io_parts *parts, const uint64_t *times)
{
    const struct time_log *waits = parts->waits;

    for ( unsigned int i = 0; i < IO_STEPS; i++ )
        parts->steps[i] = times[i + 1] - times[i];
    for ( size_t i = parts->first_wait; i < parts->last_wait; i++ )
    {
        const struct time_log_point *p = &waits->points[i];
        struct io_range wait = { time_log_begin(p), p->at };

        if ( wait.from < times[4] || wait.to > times[5] )
            move_wait(parts, times, wait);
    }
}

/* The steps between the backend's first run and the answer. */
static void complete_trip(struct io_open *o, const struct io_vcpu *backend,
                          const struct fact_wait *f, struct io_parts *parts)
{
    struct io_trip *trip = &o->trip;
    uint64_t *times = trip->times;
    uint64_t first = trip->grants ? trip->first_grant : times[2];
    bool is_same = trip->backend == f->waker;
    const struct time_log_point *second;
    const struct io_moment *send;

    debug_assert(o->backend && f->woken >= times[2]);
    trip->backend = f->waker;
    times[7] = f->to;
    send = ring_find(&backend->sends, f->woken, &trip->is_estimated);
    times[6] = limit(send && send->at > times[2] ? send->at : f->woken,
                     times[2], f->to);
    times[3] = limit(first, times[2], times[6]);
    find_waits(trip, parts, &backend->waits, is_same);
    second = find_second_wait(parts);
    times[4] = limit(second ? time_log_begin(second)
                            : trip->grants ? trip->last_grant : times[2],
                     times[3], times[6]);
    times[5] = second ? limit(second->at, times[4], times[6]) : times[4];
    find_busy_ranges(parts, times, second, is_same);
    set_steps(parts, times);
}

/*
 * Did the backend send an event?  Hypercalls of HVM guests may follow.  Without
 * a later record, the end of a hypercall is not known: the wake-up may be in an
 * interrupt long after it.
 */
static bool sends_answer(const struct io_trips *t,
                         const struct io_vcpu *backend, uint64_t woken)
{
    bool is_lost = false;
    const struct io_moment *send = ring_find(&backend->sends, woken, &is_lost);

    debug_assert(backend->vcpu);
    if ( !backend->has_calls || is_lost )
        return true;
    return send && send->other >= woken &&
           xt_clock_duration(&t->clock, woken - send->at) <= NEAR_NS;
}

static void drop_trips_of_vcpu(struct io_trips *t, struct io_domain *d,
                               struct io_vcpu *v)
{
    debug_assert(v->vcpu);
    if ( v->event.is_open )
        drop_trip(t, d, &v->event, IO_NO_ANSWER);
    if ( v->emulated.is_open )
        drop_trip(t, d, &v->emulated, IO_NO_ANSWER);
}

/* A backend woke a guest, which now runs. */
static void note_answer(struct io_trips *t, const struct fact_wait *f)
{
    struct io_vcpu *own = get_io_vcpu(t, f->vcpu);
    const struct io_vcpu *backend = get_io_vcpu(t, f->waker);
    struct io_domain *d = get_io_domain(t, f->vcpu->domain);
    struct io_parts parts;
    struct io_open *o;

    if ( !own || !backend || !d )
        return;
    if ( !sends_answer(t, backend, f->woken) )
    {
        if ( own->resumed == f->from )
            drop_trips_of_vcpu(t, d, own);
        return;
    }
    o = find_trip(t, d, own, f->waker->domain, f);
    if ( o && !o->backend )
        note_reaction(o, backend, f->woken);
    if ( !o || f->woken < o->trip.times[2] )
    {
        t->unmatched[IO_NO_REQUEST] += fact_span_has(&t->span, t->now);
        return;
    }
    complete_trip(o, backend, f, &parts);
    if ( t->now > t->span.until )
        drop_trip(t, d, o, IO_OPEN);
    else
        unlink_trip(d, o);
    add_trip(t, &o->trip, &parts);
}

/* A vcpu woke another one, which now runs. */
static void note_wake_up(struct io_trips *t, const struct fact_wait *f)
{
    const struct domain *waker = f->waker->domain, *woken = f->vcpu->domain;

    if ( serves_guest(t, waker, woken) )
        note_answer(t, f);
    else if ( serves_guest(t, woken, waker) )
        note_request(t, f);
}

NOINLINE
static void add_wait_after_wake(struct io_trips *t, const struct fact_wait *f)
{
    struct io_vcpu *v;

    if ( f->waker )
        note_wake_up(t, f);
    v = get_io_vcpu(t, f->vcpu);
    if ( !v )
        return;
    v->awake = f->to;
    time_log_add(&v->waits, &t->logs, f->from, f->to, true);
}

static void io_add_wait(void *state, const struct fact_wait *f)
{
    struct io_trips *t = state;
    struct io_vcpu *v;

    t->now = f->to;
    if ( f->why == WHY_WAKE )
    {
        add_wait_after_wake(t, f);
        return;
    }
    v = get_io_vcpu(t, f->vcpu);
    if ( v )
        time_log_add(&v->waits, &t->logs, f->from, f->to, false);
}

/* --- other facts ---------------------------------------------------------- */

static bool io_needs_runstate(unsigned int state, unsigned int next)
{
    return state == STATE_OFFLINE && next == STATE_RUNNABLE;
}

static void io_add_runstate(void *state, const struct fact_runstate *f)
{
    struct io_trips *t = state;
    struct io_vcpu *v;

    if ( !io_needs_runstate(f->state, f->next) )
        return;
    v = get_io_vcpu(t, f->vcpu);
    if ( v )
        v->resumed = f->to;
}

static void io_add_pv(void *state, const struct fact_pv *f)
{
    struct io_trips *t = state;
    bool is_call = fact_pv_is_call(f);
    struct io_vcpu *v;

    t->now = f->time;
    t->has_calls |= is_call;
    v = get_io_vcpu(t, f->vcpu);
    if ( !v )
        return;
    v->has_calls |= is_call;
    if ( is_call && f->number == CALL_EVENT_CHANNEL )
        note_send(t, f->vcpu, f->time, UINT64_MAX);
    /* The next record of a PV guest ends its hypercall. */
    else if ( v->sends.nr && ring_last(&v->sends)->other == UINT64_MAX )
        ring_last(&v->sends)->other = f->time;
}

/* The answer to an access to a device. */
static void io_add_exit_block(void *state, const struct fact_exit_block *f)
{
    struct io_vcpu *v = get_io_vcpu(state, f->exit->vcpu);

    if ( v && f->is_access && v->emulated.is_open &&
         f->exit->start <= v->emulated.trip.times[0] &&
         v->emulated.trip.times[0] <= f->exit->start + f->exit->cycles )
        v->emulated.trip.accesses++;
}

static void io_add_handle(void *state, const struct fact_handle *f)
{
    struct io_trips *t = state;

    if ( f->kind != HANDLE_HYPERCALL )
        return;
    t->now = f->time;
    t->has_calls = true;
    if ( f->at == CALL_EVENT_CHANNEL )
        note_send(t, f->vcpu, f->time,
                  f->exit ? f->exit->start + f->exit->cycles : f->time);
}

static void drop_trips(struct io_trips *t, enum io_unmatched reason)
{
    for ( uint32_t i = 0; i < t->nr_domains; i++ )
        while ( t->domains[i].open )
            drop_trip(t, &t->domains[i], t->domains[i].open, reason);
}

static void io_add_loss(void *state, const struct fact_loss *f)
{
    struct io_trips *t = state;

    t->now = f->to;
    drop_trips(t, IO_LOST);
}

static void io_begin(void *state, const struct fact_begin *f)
{
    struct io_trips *t = state;

    t->span = fact_begin_span(f);
    if ( !f->segment )
        t->clock = *f->clock;
}

static void clear_io_vcpu(struct io_vcpu *v)
{
    time_log_clear(&v->waits);
    *v = (struct io_vcpu){ .vcpu = v->vcpu, .waits = v->waits };
}

/* Times of the next segment cannot be compared. */
static int io_end(void *state, const struct fact_end *f, struct err *e)
{
    struct io_trips *t = state;

    (void)f;
    t->now = UINT64_MAX;
    drop_trips(t, IO_OPEN);
    for ( uint32_t i = 0; i < t->nr_vcpus; i++ )
        if ( t->vcpus[i] )
            clear_io_vcpu(t->vcpus[i]);
    return t->failed || t->pool.failed || t->logs.failed
           ? err_sys(e, -ENOMEM, "cannot keep round trips") : 0;
}

struct sink io_trips_sink(struct io_trips *t)
{
    static const struct sink_ops ops = {
        .name = "I/O", .ordered = true, .no_rivals = true,
        .early_facts = true, .late_facts = true,
        .begin = io_begin, .end = io_end,
        .runstate = io_add_runstate, .wait = io_add_wait, .loss = io_add_loss,
        .pv = io_add_pv, .handle = io_add_handle, .memory = io_add_memory,
        .exit_block = io_add_exit_block,
        .needs_runstate = io_needs_runstate,
        .handle_needs = 1u << HANDLE_HYPERCALL,
        .pv_need = NEED_PV_SENDS,
    };

    return (struct sink){ &ops, t };
}
