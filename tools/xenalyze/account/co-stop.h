/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the vcpus of a domain got pcpus together: the time in each of the six
 * states of a domain (enum fact_domain_state), and spinning in CO-STOP, the
 * state in which some vcpus run while others of the domain wait for a pcpu.
 *
 *      d1v0  runs ------------------ spins: PAUSE exits, yields ----
 *      d1v1  runs ---|  waits: preempted, maybe with a lock  | runs
 *                    +-------------- co-stop ----------------+
 *                                    +----- spun, at most ---+
 *
 * A vcpu that spins exits for PAUSE, or yields.  This is probably because of
 * the co-stop if it happens more than five times as often there as elsewhere.
 *
 * Each change of a runstate in the domain cuts a co-stop into spans.  A vcpu
 * spins from its first PAUSE exit or yield on, to the end of the last span in a
 * row with any of these.
 */
#ifndef XENALYZE_ACCOUNT_CO_STOP_H
#define XENALYZE_ACCOUNT_CO_STOP_H

#include "xenalyze/model/model.h"

struct co_stop_vcpu
{
    uint16_t domain, id;
    bool is_seen;
    uint64_t spun, spins;       /* in co-stop */

    /* State in the current segment. */
    bool is_spinning;           /* in the list of its domain */
    uint32_t next;              /* in that list: index plus 1; 0: the last */
    uint64_t since;             /* begin of the spin that is not in `spun` */
    uint64_t recent;            /* PAUSE exits and yields in this span */
};

struct co_stop_domain
{
    uint16_t id;
    bool is_seen;
    uint32_t nr_vcpus;          /* the most that were known together */
    uint64_t times[DOMAIN_STATES];
    uint64_t worst_from, worst_to;      /* the longest co-stop */
    uint64_t spins, spins_elsewhere;    /* PAUSE exits and yields in co-stop,
                                           and outside */
    uint64_t spun;              /* co-stop, each from the first of these on */

    /* State in the current segment. */
    uint64_t recent;            /* PAUSE exits and yields in this state */
    uint64_t first_spin;        /* the first of them */
    uint64_t from, until;       /* the co-stop in progress; equal: none */
    bool is_spinning;           /* in it */
    uint32_t spinners;          /* list of vcpus: index plus 1; 0: none */
};

struct co_stops
{
    struct xt_clock clock;
    struct co_stop_domain *domains;     /* by index, until closed */
    uint32_t nr_domains;
    struct co_stop_vcpu *vcpus; /* by index, until closed */
    uint32_t nr_vcpus;
    bool failed;
};

/* A zeroed struct is empty. */
void co_stops_fini(struct co_stops *c);

struct sink co_stops_sink(struct co_stops *c);

/* After the last fact: sort domains and vcpus, drop those without facts. */
void co_stops_close(struct co_stops *c);

/* After closing; NULL: no facts about the domain. */
const struct co_stop_domain *co_stops_find(const struct co_stops *c,
                                           uint16_t domain);

/* Time in which the state is known. */
uint64_t co_stop_known_time(const struct co_stop_domain *d);

/* Did vcpus probably spin, because others of the domain waited? */
bool co_stop_has_spun(const struct co_stops *c,
                      const struct co_stop_domain *d);

/*
 * After closing: the vcpu, if it spun and vcpus of its domain probably did so
 * because others waited; else NULL.
 */
const struct co_stop_vcpu *co_stops_find_spinner(const struct co_stops *c,
                                                 uint16_t domain, uint16_t id);

#endif /* XENALYZE_ACCOUNT_CO_STOP_H */
