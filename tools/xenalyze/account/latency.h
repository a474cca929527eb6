/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scheduling latency: waiting time of each vcpu for a pcpu, the wakers, and the
 * rivals that ran instead.
 */
#ifndef XENALYZE_ACCOUNT_LATENCY_H
#define XENALYZE_ACCOUNT_LATENCY_H

#include <stdio.h>

#include "xenalyze/account/concurrency.h"
#include "xenalyze/account/request.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

/* Map keys: a vcpu, or one of two special values. */
#define LATENCY_KEY(domain, vcpu) ((uint64_t)(domain) << 16 | (vcpu))
/* Shared by all idle vcpus. */
#define LATENCY_IDLE LATENCY_KEY(XT_DOMAIN_IDLE, 0)
#define LATENCY_UNKNOWN UINT64_MAX

#define LATENCY_WIDTH 10u       /* a column of vcpus without names */
#define LATENCY_WIDEST 16u      /* a column with names */

/* Cycles; the sums add up to the length of the waits. */
struct latency_rivals
{
    struct stats_map vcpus;     /* one sample per wait */
    uint64_t others;            /* beyond the FACT_RIVALS longest of a wait,
                                   or STATS_MAP_MAX */
    uint64_t unknown;           /* no vcpu is known to have run */
};

struct latency_vcpu
{
    uint16_t domain, id;
    struct stats wait[4];       /* array by enum fact_why */
    struct latency_rivals rivals;
    struct latency_rivals preemptors;   /* subset: waits after preemption */
    struct stats_map wakers;    /* wake-ups by waking vcpu */
    uint64_t migrated;          /* waits that ended on another pcpu */
};

/* Open waits of a vcpu.  Small: a trace may begin with one of each vcpu. */
struct latency_open
{
    uint16_t domain, id;
    uint64_t times, no_begin, no_end;
    uint64_t cycles, max, max_at;
};

/*
 * Complete waits of all vcpus of a domain, by the domain of the rivals.  The
 * sums add up to the length of the waits.
 */
struct latency_domain
{
    uint16_t id;
    uint64_t waited;
    struct latency_domain_rival { uint16_t id; uint64_t cycles; } *rivals;
    size_t nr_rivals;           /* sorted by cycles, descending */
    uint64_t others, unknown;   /* as in struct latency_rivals */
};

/* Entry of the list of longest waits; vcpus by key. */
struct latency_wait
{
    uint64_t from, to;
    uint64_t vcpu, waker;
    uint32_t pcpu;
    uint8_t reason;             /* WHY_NONE: unknown */
    bool no_begin, no_end;      /* as in struct fact_open_wait */
    unsigned int nr_rivals;     /* sorted by cycles, descending */
    struct { uint64_t key, cycles; } rivals[FACT_RIVALS];
    uint64_t others, unknown;   /* as in struct fact_wait */
};

struct latency
{
    struct stats_pool pool;
    struct latency_vcpu **vcpus;        /* array by index; NULL: no waits */
    uint32_t nr_vcpus;
    struct latency_open **opens;        /* array by index; NULL: none */
    uint32_t nr_opens;
    struct latency_domain *domains;     /* by id; after latency_close() */
    size_t nr_domains;
    struct latency_wait *worst;         /* sorted by length, then by time */
    size_t nr_worst, room;
    struct xt_clock clock;
    const struct xt_domain_names *names;        /* NULL: the trace has none */
    struct concurrency concurrency;   /* a separate sink */
    bool closed;                /* no more facts; sorted */
};

/* 0 or -ENOMEM.  `top`: length of the list of longest waits. */
int latency_new(struct latency **l, size_t top);
void latency_free(struct latency *l);

struct sink latency_sink(struct latency *l);

/*
 * Call after the last fact: sorts the arrays by id, drops NULL pointers, and
 * sums the waits of each domain.
 */
void latency_close(struct latency *l);

/* Length of all complete waits. */
uint64_t latency_vcpu_waited(const struct latency_vcpu *v);

#define LATENCY_NAME XT_LABEL_MAX

/* "no begin", "no end", "no begin or end"; NULL: the wait is complete. */
const char *latency_open_text(const struct latency_wait *w);

/* Format a key: "d1v0", "idle", "unknown". */
const char *latency_name(uint64_t key, char name[LATENCY_NAME]);

/*
 * The same with the domain's name, "web1/0", cut to fit a column of `width`
 * characters; 0: complete.
 */
const char *latency_label(const struct xt_domain_names *names, uint64_t key,
                          unsigned int width, char name[LATENCY_NAME]);

/* The width of a column of vcpus. */
static inline unsigned int
latency_width(const struct xt_domain_names *names)
{
    return xt_vcpu_column_width(names, LATENCY_WIDTH, LATENCY_WIDEST);
}

#endif /* XENALYZE_ACCOUNT_LATENCY_H */
