/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vcpu of a guest has at most one trip in progress.  A trip begins with the
 * event that wakes a vcpu of a backend, or, if the backend is awake, with the
 * last event that the vcpu sends before it blocks.  The trip ends when the
 * backend has woken the guest's vcpu and the vcpu runs.
 *
 * Backends are domain 0, and domains that use grants of others.  Facts come in
 * the order of time.  A wait is a fact at its end, so several events may have
 * been sent since; a hypercall of an HVM guest is a fact at the end of its
 * exit, when the backend may run already.
 */
#include "xenalyze/account/io-trips.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/fault.h"
#include "xenalyze/account/grow.h"

#define EVENT_CHANNEL_OP 32u    /* number of the hypercall */

void io_trips_init(struct io_trips *t)
{
    stats_pool_init(&t->pool);
}

void io_trips_fini(struct io_trips *t)
{
    free(t->vcpus);
    free(t->domains);
    free(t->paths);
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

static struct io_vcpu *get_io_vcpu(struct io_trips *t, const struct vcpu *v)
{
    if ( !grow_to_index(&t->vcpus, &t->nr_vcpus, v->index,
                        sizeof(*t->vcpus)) )
    {
        t->failed = true;
        return NULL;
    }
    if ( !t->vcpus[v->index] )
    {
        t->vcpus[v->index] = arena_zalloc(&t->pool.arena,
                                          sizeof(**t->vcpus), 8);
        t->failed |= !t->vcpus[v->index];
    }
    if ( t->vcpus[v->index] )
        t->vcpus[v->index]->vcpu = v;
    return t->vcpus[v->index];
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

/* May `backend` serve requests of the guest? */
static bool serves_guest(struct io_trips *t, const struct domain *backend,
                         const struct domain *guest)
{
    const struct io_domain *d = get_io_domain(t, backend);

    return backend != guest && guest->id && guest->id < XT_DOMAIN_IDLE &&
           (!backend->id || (d && d->is_backend));
}

/* --- trips ---------------------------------------------------------------- */

static struct io_path *new_path(struct io_trips *t)
{
    size_t room = t->room ? 2 * t->room : 16;
    struct io_path **larger;

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

static void keep_worst(struct io_trips *t, const struct io_trip *trip)
{
    struct io_worst w = {
        .domain = trip->guest->domain->id, .vcpu = trip->guest->id,
        .backend = trip->backend->domain->id,
        .backend_vcpu = trip->backend->id,
    };
    uint64_t length = io_trip_length(trip->times);
    size_t i = t->nr_worst;

    if ( i == IO_WORST && io_trip_length(t->worst[i - 1].times) >= length )
        return;
    for ( unsigned int k = 0; k <= IO_STEPS; k++ )
        w.times[k] = trip->times[k];
    if ( i < IO_WORST )
        t->nr_worst++;
    else
        i--;
    for ( ; i && io_trip_length(t->worst[i - 1].times) < length; i-- )
        t->worst[i] = t->worst[i - 1];
    t->worst[i] = w;
}

static void add_trip(struct io_trips *t, const struct io_trip *trip)
{
    struct io_path *p = get_path(t, trip);

    if ( !p )
        return;
    p->grants += trip->grants;
    stats_add(&p->whole, &t->pool, io_trip_length(trip->times),
              trip->times[0]);
    for ( unsigned int i = 0; i < IO_STEPS; i++ )
        stats_add(&p->steps[i], &t->pool, trip->times[i + 1] - trip->times[i],
                  trip->times[i]);
    keep_worst(t, trip);
}

/*
 * A device's interrupt on the pcpu of a guest looks as if the guest had woken
 * the backend; so a wake-up without an event is a request only in an exit for
 * an emulated device, or if the trace has no hypercalls.
 */
static bool counts_as_request(const struct io_vcpu *v)
{
    return v->woke_backend && (!v->trip.is_emulated || v->trip.accesses);
}

/* The domain has the vcpu's trip in its list. */
static void unlink_trip(struct io_domain *d, struct io_vcpu *v)
{
    struct io_vcpu **at = &d->open;

    debug_assert(v->is_open);
    while ( *at != v )
        at = &(*at)->next;
    *at = v->next;
    v->is_open = false;
}

static void open_trip(struct io_trips *t, struct io_domain *d,
                      struct io_vcpu *v, const struct io_trip *trip,
                      const struct domain *backend)
{
    struct io_vcpu **at = &d->open;

    if ( v->is_open )
    {
        t->unmatched[IO_NO_ANSWER] += counts_as_request(v);
        unlink_trip(d, v);
    }
    while ( *at )
        at = &(*at)->next;
    *at = v;
    v->next = NULL;
    v->is_open = true;
    v->trip = *trip;
    v->backend = backend;
    v->woke_backend = backend != NULL;
    v->first_grant = v->last_grant = 0;
}

/* --- requests ------------------------------------------------------------- */

/* The latest event at `time` or before; NULL: none. */
static const struct io_send *find_send(const struct io_vcpu *v, uint64_t time)
{
    const struct io_send *found = NULL;
    unsigned int nr = v->nr_sends < IO_SENDS ? v->nr_sends : IO_SENDS;

    for ( unsigned int i = 1; i <= nr && !found; i++ )
    {
        const struct io_send *s = &v->sends[(v->nr_sends - i) % IO_SENDS];

        if ( s->from <= time )
            found = s;
    }
    return found;
}

/* A guest woke a backend, which now runs. */
static void note_request(struct io_trips *t, const struct fact_wait *f)
{
    struct io_domain *d = get_io_domain(t, f->waker->domain);
    struct io_vcpu *v = get_io_vcpu(t, f->waker);
    const struct io_send *s = v ? find_send(v, f->from) : NULL;
    struct io_trip trip = { .guest = f->waker, .backend = f->vcpu };

    if ( !d || !v )
        return;
    /* Another vcpu of the backend may have reacted already. */
    if ( v->is_open && v->backend && s && v->trip.times[0] >= s->from )
        return;
    trip.is_emulated = !s || s->until < f->woken;
    if ( trip.is_emulated && v->is_open && v->woke_backend )
        return;
    trip.times[0] = trip.is_emulated ? f->woken : s->from;
    trip.times[1] = f->from;
    trip.times[2] = f->to;
    open_trip(t, d, v, &trip, f->vcpu->domain);
}

/*
 * A hypercall of an HVM guest comes at the end of its exit, after the backend
 * that was woken in the exit began to run.
 */
static void add_late_send(struct io_vcpu *v, const struct io_send *s)
{
    if ( v->is_open && v->trip.is_emulated && s->from <= v->trip.times[1] &&
         s->until >= v->trip.times[0] )
    {
        v->trip.is_emulated = false;
        v->trip.times[0] = s->from;
    }
}

static void note_send(struct io_trips *t, const struct vcpu *vcpu,
                      uint64_t from, uint64_t until)
{
    struct io_vcpu *v = get_io_vcpu(t, vcpu);
    struct io_send s = { from, until };

    struct io_domain *d = get_io_domain(t, vcpu->domain);

    t->events++;
    if ( !v || !d )
        return;
    if ( until != UINT64_MAX )
        add_late_send(v, &s);
    if ( !v->is_open || !v->woke_backend )
        open_trip(t, d, v, &(struct io_trip){ .guest = vcpu,
                                              .times = { from, from } }, NULL);
    v->sends[v->nr_sends++ % IO_SENDS] = s;
    /* The ring stays full when the counter wraps. */
    if ( v->nr_sends == 2 * IO_SENDS )
        v->nr_sends = IO_SENDS;
}

/* --- grants --------------------------------------------------------------- */

/*
 * The backend was awake when the guest sent its event, so no wake-up shows the
 * request; the backend's vcpu may have waited for a pcpu since.
 */
static void note_reaction(struct io_vcpu *v, const struct io_vcpu *backend)
{
    uint64_t *times = v->trip.times;

    times[2] = backend->ran > times[1] ? backend->ran : times[1];
    v->backend = backend->vcpu->domain;
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

    if ( !is_grant(f) || !f->by || vcpu_is_idle(f->by) || !f->target ||
         f->by->domain == f->target )
        return;
    /* The arrays grow here; pointers into them are valid afterwards. */
    by = get_io_domain(t, f->by->domain);
    if ( by )
        by->is_backend = true;
    d = get_io_domain(t, f->target);
    backend = get_io_vcpu(t, f->by);
    if ( !by || !d || !backend ||
         !serves_guest(t, f->by->domain, f->target) )
        return;
    for ( struct io_vcpu *v = d->open; v; v = v->next )
    {
        if ( !v->backend && v->trip.times[1] <= f->time )
            note_reaction(v, backend);
        if ( v->backend != f->by->domain || f->time < v->trip.times[2] )
            continue;
        v->first_grant = v->trip.grants ? v->first_grant : f->time;
        v->last_grant = f->time;
        v->trip.grants++;
    }
}

/* --- answers -------------------------------------------------------------- */

/* No backend has reacted; the vcpu sent the event before it blocked last. */
static bool is_fresh(const struct io_vcpu *v)
{
    return !v->backend && v->trip.times[0] >= v->ran;
}

/* The trip that the wake-up ends: the vcpu's own, else the domain's oldest. */
static struct io_vcpu *find_trip(struct io_domain *d, struct io_vcpu *own,
                                 const struct domain *backend)
{
    struct io_vcpu *v = d->open;

    if ( own->is_open && (own->backend == backend || is_fresh(own)) )
        return own;
    while ( v && v->backend != backend )
        v = v->next;
    return v;
}

static uint64_t limit(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* The steps between the backend's first run and the answer. */
static void complete_trip(struct io_vcpu *v, const struct io_vcpu *backend,
                          const struct fact_wait *f)
{
    uint64_t *times = v->trip.times;
    const struct io_send *s = find_send(backend, f->woken);
    uint64_t first = v->trip.grants ? v->first_grant : times[2];
    uint64_t last = v->trip.grants ? v->last_grant : times[2];

    v->trip.backend = f->waker;
    times[7] = f->to;
    times[6] = limit(s && s->from > times[2] ? s->from : f->woken, times[2],
                     f->to);
    times[3] = limit(first, times[2], times[6]);
    if ( backend->ran > times[2] && backend->woken >= times[2] &&
         backend->ran <= times[6] )
    {
        times[4] = limit(backend->woken, times[3], times[6]);
        times[5] = limit(backend->ran, times[4], times[6]);
    }
    else
        times[4] = times[5] = limit(last, times[3], times[6]);
}

/* A backend woke a guest, which now runs. */
static void note_answer(struct io_trips *t, const struct fact_wait *f)
{
    struct io_vcpu *own = get_io_vcpu(t, f->vcpu);
    const struct io_vcpu *backend = get_io_vcpu(t, f->waker);
    struct io_domain *d = get_io_domain(t, f->vcpu->domain);
    struct io_vcpu *v;

    if ( !own || !backend || !d )
        return;
    v = find_trip(d, own, f->waker->domain);
    if ( v && !v->backend )
        note_reaction(v, backend);
    if ( !v || f->woken < v->trip.times[2] )
    {
        t->unmatched[IO_NO_REQUEST]++;
        return;
    }
    complete_trip(v, backend, f);
    unlink_trip(d, v);
    if ( !v->trip.is_emulated || v->trip.accesses || !t->hypercalls )
        add_trip(t, &v->trip);
    else
        t->unmatched[IO_NO_REQUEST]++;
}

static void io_add_wait(void *state, const struct fact_wait *f)
{
    struct io_trips *t = state;
    const struct domain *waker = f->waker ? f->waker->domain : NULL;
    struct io_vcpu *v;

    if ( f->why == WHY_WAKE && waker &&
         serves_guest(t, waker, f->vcpu->domain) )
        note_answer(t, f);
    else if ( f->why == WHY_WAKE && waker &&
              serves_guest(t, f->vcpu->domain, waker) )
        note_request(t, f);
    v = get_io_vcpu(t, f->vcpu);
    if ( !v )
        return;
    v->woken = f->from;
    v->ran = f->to;
}

/* --- other facts ---------------------------------------------------------- */

static void io_add_pv(void *state, const struct fact_pv *f)
{
    struct io_trips *t = state;
    bool is_call = f->kind == PV_HYPERCALL || f->kind == PV_HYPERCALL_V2 ||
                   f->kind == PV_HYPERCALL_SUBCALL;
    struct io_vcpu *v;

    t->hypercalls += is_call;
    if ( is_call && f->number == EVENT_CHANNEL_OP )
    {
        note_send(t, f->vcpu, f->time, UINT64_MAX);
        return;
    }
    /* The next record of a PV guest ends its hypercall. */
    v = f->vcpu->index < t->nr_vcpus ? t->vcpus[f->vcpu->index] : NULL;
    if ( v && v->nr_sends )
    {
        struct io_send *s = &v->sends[(v->nr_sends - 1) % IO_SENDS];

        if ( s->until == UINT64_MAX )
            s->until = f->time;
    }
}

/* An access to a device, at the end of its exit. */
static void note_access(struct io_trips *t, const struct fact_handle *f)
{
    struct io_vcpu *v = get_io_vcpu(t, f->vcpu);

    if ( v && v->is_open && v->trip.is_emulated &&
         f->exit->start <= v->trip.times[0] &&
         v->trip.times[0] <= f->exit->start + f->exit->cycles )
        v->trip.accesses++;
}

static void io_add_handle(void *state, const struct fact_handle *f)
{
    struct io_trips *t = state;

    if ( (f->kind == HANDLE_PIO || f->kind == HANDLE_MMIO) && f->exit )
        note_access(t, f);
    if ( f->kind != HANDLE_HYPERCALL )
        return;
    t->hypercalls++;
    if ( f->at == EVENT_CHANNEL_OP )
        note_send(t, f->vcpu, f->time,
                  f->exit ? f->exit->start + f->exit->cycles : f->time);
}

static void drop_trips(struct io_trips *t, enum io_unmatched reason)
{
    for ( uint32_t i = 0; i < t->nr_domains; i++ )
        while ( t->domains[i].open )
        {
            t->unmatched[reason] += counts_as_request(t->domains[i].open);
            unlink_trip(&t->domains[i], t->domains[i].open);
        }
}

static void io_add_loss(void *state, const struct fact_loss *f)
{
    (void)f;
    drop_trips(state, IO_LOST);
}

static void io_begin(void *state, const struct fact_begin *f)
{
    struct io_trips *t = state;

    if ( !f->segment )
        t->clock = *f->clock;
}

/* Times of the next segment cannot be compared. */
static int io_end(void *state, const struct fact_end *f, struct err *e)
{
    struct io_trips *t = state;

    (void)f;
    drop_trips(t, IO_OPEN);
    for ( uint32_t i = 0; i < t->nr_vcpus; i++ )
        if ( t->vcpus[i] )
            *t->vcpus[i] = (struct io_vcpu){ .vcpu = t->vcpus[i]->vcpu };
    return t->failed || t->pool.failed
           ? err_sys(e, -ENOMEM, "cannot keep round trips") : 0;
}

struct sink io_trips_sink(struct io_trips *t)
{
    static const struct sink_ops ops = {
        .name = "I/O", .ordered = true, .begin = io_begin, .end = io_end,
        .wait = io_add_wait, .loss = io_add_loss, .pv = io_add_pv,
        .handle = io_add_handle, .memory = io_add_memory,
    };

    return (struct sink){ &ops, t };
}
