/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Round trips of I/O through split drivers: a guest sends an event, a vcpu of
 * the backend domain wakes up, runs, uses grants and sends an event back, and
 * the guest runs again.
 *
 *     sent   woken   runs    grant   woken    runs    event   guest
 *     |      |       |       |       again    again   back    runs
 *     +------+-------+-------+-------+--------+-------+-------+
 *      wake   wait    start   device  wait 2   finish  guest
 *
 * The times never fall.  The backend's vcpu may be preempted in between: these
 * waits count as the second wait, and no longer as the step in which they are.
 * So the steps add up to the whole.
 *
 * Waits of the vcpu that answers count while the vcpu works for the trip, which
 * no record shows.  Work between two wake-ups may be for other guests:
 *
 *     runs        blocked   woken, runs   blocked   woken      event back
 *     |           |         |             |         |          |
 *     +-----------+---------+-------------+---------+----------+
 *      count                 do not                  count
 *
 * Memory: for each vcpu a log of its waits.
 */
#ifndef XENALYZE_ACCOUNT_IO_TRIPS_H
#define XENALYZE_ACCOUNT_IO_TRIPS_H

#include "xenalyze/account/time-log.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

enum io_step
{
    IO_WAKE, IO_WAIT, IO_START, IO_DEVICE, IO_WAIT_AGAIN, IO_FINISH, IO_GUEST,
    IO_STEPS
};

/* Events that belong to no complete round trip. */
enum io_unmatched
{
    IO_NO_ANSWER,               /* the guest sent the next event before, or
                                   was paused */
    IO_NO_REQUEST,              /* a backend woke a guest that sent nothing */
    IO_LOST,                    /* records were lost meanwhile */
    IO_OPEN,                    /* not answered at the end */
    IO_UNMATCHED
};

struct io_trip
{
    uint64_t times[IO_STEPS + 1];       /* begin of each step, and the end */
    const struct vcpu *guest, *backend; /* the backend's vcpu that answered */
    uint64_t grants, first_grant, last_grant;   /* number, and times */
    uint64_t accesses;          /* to an emulated device, in its exit */
    bool is_emulated;           /* no event of the guest: a device model */
    bool is_estimated;          /* a moment of a step was no longer known */
};

struct io_range { uint64_t from, to; };

#define IO_RANGES 2u

/* The parts of a complete trip. */
struct io_parts
{
    uint64_t steps[IO_STEPS];   /* cycles of each: all waits after the first one
                                   belong to IO_WAIT_AGAIN */
    /* Waits of the backend's vcpu after times[2], and where they count. */
    const struct time_log *waits;
    size_t first_wait, last_wait;       /* indices of the first of its points,
                                           and behind the last one */
    struct io_range busy[IO_RANGES];    /* in the order of time */
};

/* The part of a time in a range of `busy`; from >= to: none. */
static inline struct io_range io_crop_busy(const struct io_parts *parts,
                                           unsigned int i, uint64_t from,
                                           uint64_t to)
{
    const struct io_range *r = &parts->busy[i];

    return (struct io_range){ from > r->from ? from : r->from,
                              to < r->to ? to : r->to };
}

/* Round trips of a domain through a backend, of one kind. */
struct io_path
{
    uint16_t domain, backend;
    bool is_emulated;
    uint64_t grants;
    uint64_t estimated;         /* trips with an estimated step */
    struct io_path *next;       /* of the same domain */
    struct stats whole, steps[IO_STEPS];
};

/* A copy of a trip that outlives the segment. */
struct io_worst
{
    uint64_t from, to, steps[IO_STEPS];
    uint16_t domain, vcpu, backend, backend_vcpu;
};

#define IO_MOMENTS 16u          /* hypercalls of a vcpu */
#define IO_WORST 10u

/* A hypercall on event channels: its begin, and its end at the latest. */
struct io_moment { uint64_t at, other; };

/* The latest moments, in a ring. */
struct io_ring
{
    struct io_moment moments[IO_MOMENTS];
    uint64_t nr;                /* added so far */
};

/* A trip in progress. */
struct io_open
{
    bool is_open;
    struct io_trip trip;
    bool woke_backend;
    const struct domain *backend;       /* NULL: none has reacted yet */
    struct io_open *previous, *next;    /* of the domain */
};

struct io_vcpu
{
    struct io_ring sends;
    struct time_log waits;      /* for a pcpu; marked: after a wake-up */
    const struct vcpu *vcpu;    /* NULL: no facts yet */
    bool has_calls;             /* PV hypercalls */
    uint64_t awake;             /* first run since the last wake-up */
    uint64_t resumed;           /* runnable after being offline; 0: never */
    struct io_open event, emulated;     /* trips of this guest's vcpu */
};

struct io_domain
{
    struct io_open *open, *last_open;   /* trips in progress, oldest first */
    bool is_backend;
    uint64_t grants;            /* not counted yet, in open trips */
    struct io_path *paths;
};

struct io_trips
{
    struct stats_pool pool;
    struct time_logs logs;
    struct xt_clock clock;
    struct io_vcpu **vcpus;     /* by index; of the current segment */
    struct io_domain *domains;
    uint32_t nr_vcpus, nr_domains;
    struct io_path **paths;     /* in the order of their first trip */
    size_t nr_paths, room;
    struct io_worst worst[IO_WORST];    /* longest first */
    size_t nr_worst;
    uint64_t unmatched[IO_UNMATCHED];
    bool has_calls;             /* hypercalls ... */
    uint64_t events;            /* ... and those on event channels */
    struct fact_span span;
    uint64_t now;               /* time of the current fact */
    bool failed;

    /* Set by the owner: counts and sums of paths are enough, no percentiles
       and no longest trips. */
    bool wants_means;

    /* on_trip() also gets trips that end outside of the selected span. */
    bool wants_cut_trips;

    /* Called with `on_trip_arg` for each complete trip; or NULL. */
    void (*on_trip)(void *arg, const struct io_trip *trip,
                    const struct io_parts *parts);
    void *on_trip_arg;
};

/* Requires a zeroed struct. */
void io_trips_init(struct io_trips *t);
void io_trips_fini(struct io_trips *t);

struct sink io_trips_sink(struct io_trips *t);

/*
 * The log of the vcpu's waits for a pcpu in the segment, as far as the sink got
 * facts.  The log does not move.  NULL: no memory.
 */
const struct time_log *io_trips_get_waits(struct io_trips *t,
                                          const struct vcpu *v);

static inline uint64_t io_trip_length(const uint64_t times[IO_STEPS + 1])
{
    return times[IO_STEPS] - times[0];
}

static inline uint64_t io_worst_length(const struct io_worst *w)
{
    return w->to - w->from;
}

const char *io_step_name(enum io_step step);
const char *io_unmatched_name(enum io_unmatched reason);

#endif /* XENALYZE_ACCOUNT_IO_TRIPS_H */
