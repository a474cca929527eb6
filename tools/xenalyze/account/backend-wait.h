/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guests that wait for the pcpus of their backend: the time in which a vcpu was
 * blocked while the backend of its round trip of I/O waited for a pcpu.  The
 * guest itself waits for no pcpu, so this time is no wait of the guest.
 *
 *     event sent   woken          runs         woken again   runs      answer
 *     |            |              |            |             |         |
 *     +------------+--------------+------------+-------------+---------+
 *                   backend waits               backend waits
 *
 * Accesses to emulated devices are left out: device-access.h has these.
 *
 * Memory: for each vcpu that was blocked a struct backend_vcpu, and a log of
 * these times.
 */
#ifndef XENALYZE_ACCOUNT_BACKEND_WAIT_H
#define XENALYZE_ACCOUNT_BACKEND_WAIT_H

#include "xenalyze/account/io-trips.h"
#include "xenalyze/account/stretch.h"
#include "xenalyze/account/time-log.h"

/*
 * The domain with most of the time, if that is more than half (majority vote):
 * cycles of other domains count against the candidate.
 */
struct backend_vote
{
    uint64_t cycles;
    uint16_t domain;
};

struct backend_vcpu
{
    uint16_t domain, id;
    uint64_t trips;             /* round trips that end in the span */
    uint64_t waited;            /* blocked while the backend waited */
    struct backend_vote vote;   /* backends of this time */

    struct stretch_search search;
    struct backend_vote now, worst;     /* backends of the stretches */

    /* State in the current segment. */
    struct time_log blocked;
    uint64_t counted_until;     /* the end of the last loss */
};

struct backend_waits
{
    struct io_trips trips;
    struct time_logs logs;
    struct backend_vcpu **vcpus;        /* by index; NULL: never blocked */
    uint32_t nr_vcpus;
    struct stretch_scale scale;
    struct fact_span span;
    bool failed;
};

/* Requires a zeroed struct, which must not move. */
void backend_waits_init(struct backend_waits *b);
void backend_waits_fini(struct backend_waits *b);

/* Store the sinks in the array; both need facts in order. */
#define BACKEND_SINKS 2u

void backend_waits_get_sinks(struct backend_waits *b,
                             struct sink sinks[BACKEND_SINKS]);

/* After the last fact: sort vcpus by domain and id. */
void backend_waits_close(struct backend_waits *b);

/* After closing; NULL: the vcpu has no round trips. */
const struct backend_vcpu *backend_waits_find(const struct backend_waits *b,
                                              uint16_t domain, uint16_t id);

/* The round trips of the domain through the backend; NULL: none. */
const struct io_path *backend_waits_find_path(const struct backend_waits *b,
                                              uint16_t domain,
                                              uint16_t backend);

#endif /* XENALYZE_ACCOUNT_BACKEND_WAIT_H */
