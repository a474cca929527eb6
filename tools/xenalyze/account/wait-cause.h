/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why did a vcpu wait?  Each cycle that a vcpu was runnable gets one cause, so
 * the causes of a vcpu add up to its waiting time.
 *
 * A wait is cut where the use of its pcpu changes, which is the pcpu where the
 * vcpu ran afterwards:
 *
 *      runnable                                     runs
 *      |  d2v0 runs     |  idle, asleep  | idle     |
 *      +----------------+----------------+----------+
 *       WAIT_RIVAL       WAIT_SLEEP       WAIT_XEN
 *
 * The first cause that holds counts, in the order: lost records; the vcpu's own
 * cap; the use of the pcpu; of time that another vcpu ran: the rate limit, then
 * another pcpu that was idle.
 *
 * A vcpu without budget is runnable under RTDS.  Under credit2, the vcpu is
 * offline if it ran when the budget ended, and runnable, but in no queue, if it
 * waited.  Time offline counts as a wait if the scheduler's records say so.
 * Credit has no such records: a domain with a cap in the metadata is offline
 * only without credit, or if the toolstack pauses it.  A vcpu that the
 * toolstack pauses while it is offline without budget does not wait until the
 * pause ends.
 *
 * Besides the sums over the trace, each vcpu has those of its worst stretch.
 *
 * Memory: pcpu_uses for each pcpu, at most WAIT_SPANS spans in all; for each
 * vcpu a struct wait_vcpu; for each vcpu that waited a struct wait_stretches,
 * up to WAIT_RIVALS rivals with a struct wait_rival_index, and 1 KiB if
 * there were more rivals; for each of the longest waits its pieces.
 */
#ifndef XENALYZE_ACCOUNT_WAIT_CAUSE_H
#define XENALYZE_ACCOUNT_WAIT_CAUSE_H

#include "xenalyze/account/pcpu-uses.h"
#include "xenalyze/account/period.h"
#include "xenalyze/account/stretch.h"
#include "xenalyze/account/wait-pieces.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

enum wait_cause
{
    WAIT_RIVAL,                 /* a vcpu of another domain ran */
    WAIT_SIBLING,               /* a vcpu of the same domain ran */
    WAIT_CAP,                   /* the domain had used up its cap or budget */
    WAIT_RATELIMIT,             /* the scheduler let the running vcpu run on */
    WAIT_PLACEMENT,             /* another pcpu, used before or allowed by the
                                   metadata, was idle */
    WAIT_SLEEP,                 /* the pcpu was in a sleep state */
    WAIT_XEN,                   /* the pcpu was in Xen: interrupts, switching */
    WAIT_IDLE,                  /* the pcpu was idle; nothing else is known */
    WAIT_LOST,                  /* records were lost */
    WAIT_UNKNOWN,               /* nothing is known about the pcpu */
    WAIT_CAUSES
};

/* Name of a cause in JSON, such as "rival". */
const char *wait_cause_name(enum wait_cause cause);

#define WAIT_SPANS (1u << 21)   /* all pcpus together: 48 MiB */
#define WAIT_PCPU_SPANS (1u << 18)
#define WAIT_FIRST_SPANS (1u << 16)     /* kept from the begin on; of 16 pcpus
                                           and fewer 1/16 of each */
#define WAIT_RIVALS 64u         /* domains, per vcpu: each one with more than
                                   1/64 of the time; others are added up */
#define WAIT_PCPUS 16u          /* pcpus that a vcpu may run on, per vcpu */
#define WAIT_WORST 10u          /* longest waits, if no number is asked for */
#define WAIT_MOST_WORST 100u
#define WAIT_CAPS 4096u         /* spans without budget in one wait: Xen gives
                                   new budget every 10 ms; the time of more
                                   spans has other causes */
#define WAIT_CALM_NS 100000u    /* 99 % of the waits of a calm host are
                                   shorter */

/* Time that another domain ran on the pcpu of waiting vcpus. */
struct wait_rival
{
    struct wait_rival *next;
    uint16_t domain;
    uint64_t cycles;            /* since the row is the domain's */
    uint64_t inherited;         /* from domains that had the row before */
};

#define WAIT_RIVAL_BLOCK 4u     /* rows that are allocated together */

/* The rows of a vcpu, by number and by domain. */
struct wait_rival_index
{
    struct wait_rival *blocks[WAIT_RIVALS / WAIT_RIVAL_BLOCK];
    uint8_t chains[WAIT_RIVALS];        /* by domain, modulo: 1 + number of the
                                           first row; 0: none */
    uint8_t next[WAIT_RIVALS];          /* by row: the same for the next row */
    struct wait_rival_tree *tree;       /* of all rows; NULL: there is room */
};

static inline struct wait_rival *
wait_rival_row(const struct wait_rival_index *x, unsigned int row)
{
    debug_assert(row < WAIT_RIVALS);
    return &x->blocks[row / WAIT_RIVAL_BLOCK][row % WAIT_RIVAL_BLOCK];
}

/* A wait, by the cycles of one cause in it. */
struct wait_moment
{
    uint64_t cycles, from, to;
};

/* Cycles of waits: of one wait, of a stretch, or of all waits of a vcpu. */
struct wait_sums
{
    uint64_t waited;            /* runnable, or offline without budget */
    uint64_t parked;            /* part of `waited`: offline without budget */
    uint64_t causes[WAIT_CAUSES];       /* the sum is `waited` */
    uint64_t others_ran;        /* others ran on the pcpu ... */
    uint64_t idle_elsewhere;    /* ... while any other pcpu was idle */
    uint64_t limited_siblings;  /* part of causes[WAIT_RATELIMIT] in which a
                                   vcpu of the same domain ran */
};

/* Cycles in which the state of a vcpu is known, and in which it ran. */
struct wait_times { uint64_t known, ran; };

/*
 * Domains that ran most in a stretch: each domain with more than a quarter of
 * the time, since the domain with the least time gives its row and its time to
 * a domain without row (space-saving algorithm).
 */
#define WAIT_TOP_RIVALS 4u

#define WAIT_DOMAIN_BITS 16u

struct wait_top_rivals
{
    uint64_t cycles[WAIT_TOP_RIVALS];   /* at most; 0: no domain */
    uint64_t domains;           /* WAIT_DOMAIN_BITS each, the first one in the
                                   lowest bits */
};

static inline uint16_t wait_top_rival_domain(const struct wait_top_rivals *r,
                                             unsigned int i)
{
    debug_assert(i < WAIT_TOP_RIVALS);
    return r->domains >> i * WAIT_DOMAIN_BITS & UINT16_MAX;
}

/* Sums over a stretch of waits. */
struct wait_stretch
{
    struct wait_sums sums;
    struct wait_times times;
    struct wait_top_rivals rivals;
};

struct wait_stretches
{
    struct stretch_search search;
    struct wait_times before;   /* of the vcpu, at the end of its last wait */
    struct wait_stretch now, worst;     /* those of the search */
    struct wait_rival *rows[WAIT_TOP_RIVALS];   /* that now.rivals had last; or
                                                   NULL */
};

struct wait_interval { uint64_t from, to; };

/* A vcpu has no budget. */
struct wait_cap
{
    uint64_t from, to;          /* `to` UINT64_MAX: no end is known */
    uint64_t tickled;           /* the pcpu that found out: its last tickle */
    uint32_t pcpu;              /* FACT_NO_PCPU: the vcpu's own pcpu */
};

struct wait_vcpu
{
    uint16_t domain, id;
    uint64_t times[STATES];     /* cycles in each runstate */
    struct wait_sums sums;      /* all waits; before closing without those of
                                   stretches->now */
    struct wait_moment worst[WAIT_CAUSES];
    struct wait_rival *rivals;
    struct wait_rival_index *rival_index;       /* NULL: there is no rival */
    uint32_t nr_rivals;
    uint64_t other_rivals;      /* cycles of domains without a row then */
    uint64_t long_placements;   /* waits with long_ns of WAIT_PLACEMENT */
    struct stats waits;         /* lengths of complete waits */
    struct period period;       /* begins of waits of 100 us and more */
    struct wait_stretches *stretches;   /* NULL: never waited */
    uint32_t nr_vcpus;          /* of its domain; after closing */

    /* State in the current segment. */
    const struct vcpu *vcpu;
    uint64_t waiting_since;     /* 0: not waiting */
    uint64_t idle_before;       /* wait_causes.idle_cycles at that time */
    uint64_t counted;           /* the end of the part of this state that is
                                   in `times` and `sums`; 0: no part is */
    bool has_facts;             /* of the selected span */
    bool is_paused;             /* by the toolstack, while it had no budget */
    uint8_t state;
    bool is_capped;             /* has spans without budget */
    uint8_t capped_state;       /* its state in these spans */
    struct wait_cap *caps;      /* in the order of time */
    uint32_t nr_caps, caps_room;
    bool has_credit_cap;        /* by the metadata, under credit */
    uint32_t pcpus[WAIT_PCPUS], nr_pcpus;       /* where it ran, last first;
                                                   then where it may run */
};

/* A long wait, in its parts. */
struct wait_worst
{
    uint64_t from, to;
    uint16_t domain, vcpu;
    uint32_t pcpu;
    uint64_t causes[WAIT_CAUSES];
    bool has_rival;
    uint16_t rival;             /* the domain that ran longest */
    uint64_t rival_cycles;
    bool is_complete;           /* then the vcpu ran on `pcpu` */
};

struct wait_pcpu
{
    struct pcpu_uses uses;
    const struct vcpu *current; /* since the end of `uses`, or `since`, which
                                   may be later; NULL: unknown */
    uint64_t since;
    bool runs_idle;             /* `current` is an idle vcpu */
    bool asleep, is_idle;       /* now */
    uint64_t idle_until;        /* no span of `uses` behind it is idle ... */
    uint64_t lost_until;        /* ... or USE_LOST */
    bool limited;               /* the rate limit protects `current` */
    bool is_early;              /* has events before the selected span */
    const struct wait_vcpu *candidate;  /* credit2 looks at it; or NULL */
    uint64_t tickled;           /* the last time; 0: never */
};

struct wait_causes
{
    struct stats_pool pool;
    struct xt_clock clock;
    struct wait_vcpu **vcpus;   /* by index; NULL: no facts */
    struct wait_pcpu *pcpus;
    uint32_t nr_vcpus, nr_pcpus;
    uint32_t spans_allocated;   /* all pcpus together */
    struct wait_worst *worst;   /* longest first; those asked for */
    struct wait_pieces *pieces; /* of worst[i]; then of the wait in progress */
    size_t nr_worst, worst_room;
    uint64_t too_short;         /* a wait of this length has no place there */
    struct guests *guests;
    const struct xt_host *host; /* metadata, set by the owner; or NULL */
    uint64_t long_ns;           /* set by the owner; 0: count none */
    bool has_domain, has_vcpu;  /* set by the owner: asked for are only ... */
    uint64_t domain, id;        /* ... this domain, and this vcpu */
    uint64_t first;             /* begin of the segment, or of the span */
    uint64_t cycles;            /* length of all segments */
    struct stretch_scale scale;
    uint64_t calm;              /* WAIT_CALM_NS in cycles */

    /* Classes of records that the trace has. */
    bool has_power, has_irq, has_scheduler, has_tickles;
    uint64_t lost;              /* records */
    uint32_t longest_limited_ns;        /* the rate limit is at least this */
    uint32_t nr_capped;         /* vcpus without budget */
    uint32_t nr_paused;         /* vcpus with is_paused */

    uint32_t nr_idle;           /* pcpus */
    uint64_t idle_cycles, idle_since;   /* while at least one is idle */
    uint32_t nr_running_idle;   /* pcpus with runs_idle */
    uint64_t idle_until;        /* the latest one of all pcpus */
    struct wait_interval *idles;        /* other pcpus during a wait */
    size_t nr_idles, idles_room;
    bool failed;
};

/* Requires a zeroed struct. */
void wait_causes_init(struct wait_causes *w);

/*
 * Keep the `nr` longest waits with their pieces, at most WAIT_MOST_WORST.
 * Without a call, none are kept.  0 or -ENOMEM.
 */
int wait_causes_keep_longest(struct wait_causes *w, size_t nr);

/* The list of longest waits is empty again. */
void wait_causes_forget_longest(struct wait_causes *w);

void wait_causes_fini(struct wait_causes *w);

struct sink wait_causes_sink(struct wait_causes *w);

/* After the last fact: sort vcpus by domain and id, rivals by time. */
void wait_causes_close(struct wait_causes *w);

/* Cycles of all runstates. */
static inline struct wait_times wait_times_of(const struct wait_vcpu *v)
{
    return (struct wait_times){
        .known = v->times[STATE_RUNNING] + v->times[STATE_RUNNABLE] +
                 v->times[STATE_BLOCKED] + v->times[STATE_OFFLINE],
        .ran = v->times[STATE_RUNNING],
    };
}

#endif /* XENALYZE_ACCOUNT_WAIT_CAUSE_H */
