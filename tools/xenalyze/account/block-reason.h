/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What did a blocked vcpu wait for?  Each time that a vcpu was blocked gets one
 * reason, so the reasons of a vcpu add up to its blocked time.
 *
 * The reason follows from the context of the wake-up, on its pcpu: a vcpu that
 * ran there, or an interrupt.  Records that decide come later as well: of the
 * interrupt, of the VM exit in progress, and of the vector that the vcpu gets.
 * So the reason is fixed when the vcpu blocks again.
 *
 *      blocks            woken   runs         injected     blocks again
 *      |                 |       |            |            |
 *      +--- blocked -----+       records that decide       reason is fixed
 */
#ifndef XENALYZE_ACCOUNT_BLOCK_REASON_H
#define XENALYZE_ACCOUNT_BLOCK_REASON_H

#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

enum block_reason
{
    BLOCK_TIMER,
    BLOCK_SIBLING,              /* another vcpu of its domain */
    BLOCK_EVENT,                /* an event from another domain */
    BLOCK_EMULATED,             /* a device model, in an access to a device */
    BLOCK_DEVICE,               /* an interrupt of the host */
    BLOCK_PAUSED,               /* paused by the toolstack */
    BLOCK_OPEN,                 /* still blocked at the end */
    BLOCK_UNKNOWN,
    BLOCK_REASONS
};

/* Name of a reason in JSON, such as "timer". */
const char *block_reason_name(enum block_reason reason);

#define BLOCK_WAKERS 1024u      /* domains, and interrupts, per vcpu */
#define BLOCK_CACHED 64u        /* rows of wakers, found without a search */
#define BLOCK_VECTORS 256u

struct block_source
{
    uint8_t reason;
    bool has_domain;            /* for events and device models */
    bool has_irq;               /* for interrupts of the host */
    uint16_t domain;
    uint32_t irq;               /* Xen's number */
};

struct wake_path;

/* Blocked times with one reason, ended by one domain or interrupt. */
struct block_waker
{
    struct block_waker *next;
    struct block_source source;
    struct wake_path *path;     /* their wake-ups (interrupt-path.h); NULL:
                                   not wanted */
    struct stats stats;
};

/* A blocked time whose reason is not fixed yet. */
struct block_open
{
    bool is_open;
    uint64_t from, to;
    uint32_t pcpu;              /* of the wake-up */
    const struct vcpu *waker;   /* ran there; NULL: none, or unknown */
    bool in_interrupt;          /* no vcpu is the waker */
    bool has_irq;               /* an interrupt of the host was handled ... */
    uint32_t irq;               /* ... the first; Xen's number */
    uint64_t irq_from;          /* its handler began */
    bool has_timer;             /* an emulated timer fired */
    bool is_emulated;           /* blocked in an access to a device */
    bool has_vector;
    uint8_t vector;             /* the first that was injected */
};

struct block_vcpu
{
    uint16_t domain, id;
    uint32_t index;             /* of struct vcpu */
    struct block_waker *wakers; /* one for each source */
    struct block_waker *cached[BLOCK_CACHED];   /* index: a hash */
    unsigned int nr_domains, nr_irqs;   /* in `wakers` */
    uint64_t blocked;           /* the sum of all */
    struct block_open open;
    struct block_vcpu *newer, *older;   /* in the list of open.pcpu */
    bool is_listed;
    bool is_pv;                 /* has records of hypercalls as a PV guest */
    uint32_t last_call;         /* hypercall, or UINT32_MAX: another record */
    uint64_t called;            /* time of this record */
    uint32_t *timer_vectors;    /* by vector: wake-ups with an emulated timer
                                   and all, as pairs; NULL: no vectors */
};

struct block_pcpu
{
    uint64_t timer;             /* an emulated timer fired; 0: never */
    struct block_vcpu *newest;  /* list: vcpus last woken here */
};

struct block_reasons
{
    struct stats_pool pool;
    struct xt_clock clock;
    const struct xt_host *host; /* NULL: not known */
    struct block_vcpu **vcpus;  /* by index; NULL: no facts */
    struct block_pcpu *pcpus;
    uint8_t *domains;           /* by index: enum block_domain */
    uint32_t nr_vcpus, nr_pcpus, nr_domains;
    struct fact_span span;
    bool has_irq, has_handlers, has_pv; /* the trace has such records */
    bool failed;

    /*
     * Set by the owner; or NULL.  Called when the reason of a blocked time is
     * fixed: v->open is the blocked time, `w` the row of its reason.
     */
    void (*on_block)(void *arg, const struct block_vcpu *v,
                     struct block_waker *w);
    void *on_block_arg;

    /* The same, also for blocked times that no wake-up ended. */
    void (*on_reason)(void *arg, const struct block_vcpu *v,
                      const struct block_source *s, uint64_t from,
                      uint64_t to);
    void *on_reason_arg;
};

/* Requires a zeroed struct. */
void block_reasons_init(struct block_reasons *b);
void block_reasons_fini(struct block_reasons *b);

struct sink block_reasons_sink(struct block_reasons *b);

/* After the last fact: sort vcpus by domain and id, their wakers by time. */
void block_reasons_close(struct block_reasons *b);

/* After closing; NULL: no facts about the vcpu. */
const struct block_vcpu *block_reasons_find(const struct block_reasons *b,
                                            uint16_t domain, uint16_t id);

#endif /* XENALYZE_ACCOUNT_BLOCK_REASON_H */
