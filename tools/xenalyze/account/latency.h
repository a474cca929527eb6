/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting: how long vcpus waited for a pcpu, who woke them, who ran instead.
 */
#ifndef XENALYZE_ACCOUNT_LATENCY_H
#define XENALYZE_ACCOUNT_LATENCY_H

#include <stdio.h>

#include "xenalyze/account/concurrency.h"
#include "xenalyze/account/request.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

/* Names in maps: an entity, or what is none. */
#define LATENCY_KEY(domain, vcpu) ((uint64_t)(domain) << 16 | (vcpu))
#define LATENCY_IDLE LATENCY_KEY(DOMID_IDLE, 0)     /* of all idle vcpus */
#define LATENCY_UNKNOWN UINT64_MAX

struct latency_vcpu
{
    uint16_t domain, id;
    struct stats wait[4];       /* by enum fact_why */
    struct stats_map rivals;    /* their cycles, a sample a wait */
    struct stats_map preemptors;        /* the same after preemptions only */
    struct stats_map wakers;    /* events: their wake-ups */
    uint64_t migrated;          /* ran elsewhere than before */
    uint64_t others;            /* cycles of rivals beyond the known ones */
};

#define LATENCY_RIVALS 3u

/* One of the longest waits; who is named by key. */
struct latency_wait
{
    uint64_t from, to;
    uint64_t vcpu, waker;
    uint32_t pcpu;
    uint8_t why;
    unsigned int nr_rivals;     /* the greatest first */
    struct { uint64_t key, cycles; } rivals[LATENCY_RIVALS];
};

struct latency
{
    struct stats_pool pool;
    struct latency_vcpu **vcpus;        /* by index; NULL: never waited */
    uint32_t nr_vcpus;
    struct latency_wait *worst;         /* the longest first, then earliest */
    size_t nr_worst, room;
    struct xt_clock clock;
    struct concurrency concurrency;   /* a sink by itself */
};

/* 0 or -ENOMEM.  `top`: how many of the worst are kept. */
int latency_new(struct latency **l, size_t top);
void latency_free(struct latency *l);

struct sink latency_sink(struct latency *l);

/* When all has been told: vcpus by id, and those that never waited are gone. */
void latency_close(struct latency *l);

#define LATENCY_NAME 32u

/* Of a key: "d1v0", "idle", "unknown". */
const char *latency_name(uint64_t key, char name[LATENCY_NAME]);

#endif /* XENALYZE_ACCOUNT_LATENCY_H */
