/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary: what the summary, in whatever form, says of a trace.  A sink
 * fills it in (summary_ops), and those that print only read it; so the text,
 * JSON and tables cannot disagree.
 *
 *     struct summary *summary;
 *
 *     summary_new(&summary, &want);
 *     ... analyze with summary_sink(summary) ...
 *     summary_close(summary);
 *     report_... print what is in it
 *     summary_free(summary);
 *
 * Local facts may come in threads, each with a summary of its own; then those
 * are merged into the first, which alone gets global facts.  So of what global
 * facts are about, a shard has nothing, and a merge does not look at it.
 */
#ifndef XENALYZE_ACCOUNT_SUMMARY_H
#define XENALYZE_ACCOUNT_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/compiler.h"
#include "xenalyze/account/cr3-table.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

/* What costs and not everybody wants. */
struct summary_want
{
    bool eips;                  /* where interrupts of this vector hit */
    uint32_t eip_vector;
    uint64_t histogram;         /* bytes of a bar, of histogram_vector; or 0 */
    uint32_t histogram_vector;
};

/* --- of a vcpu ------------------------------------------------------------ */

/*
 * Series are of states that have ended, as stock's are.  `open` is the time
 * in the last one, to the end of the trace; `elapsed` is from when the vcpu
 * was first heard of.
 */
struct summary_times
{
    uint64_t open[STATES];      /* a domain has no more */
    uint64_t elapsed;
};

/*
 * Stays are put by pcpu a few at a time: a vcpu that moves about finds each of
 * its pcpus cold, but so it waits for all of them at once.
 */
#define SUMMARY_RECENT 16u

struct summary_recent
{
    uint32_t pcpu;
    uint64_t from, cycles;
};

struct summary_sched
{
    _Alignas(STATS_LINE)
    struct stats state[STATES]; /* runnable: after summary_close() */
    struct stats why[4];        /* of runnable; enum fact_why */
    struct summary_times time;
    struct stats residency;     /* on one pcpu; after summary_close() */
    struct stats_map stays;     /* by pcpu, but for the most recent ones */
    uint64_t migrations;
    unsigned int nr_recent;
    struct summary_recent recent[SUMMARY_RECENT];
};

/* What a guest's interrupts led to; made when one has been delivered. */
struct summary_halts
{
    struct stats_map alone;     /* woken by this one only, until it halts */
    struct stats_map any;
    struct stats_map other;     /* came while it was awake */
};

/*
 * An exit's details: series of its cycles by what handled it.  The key is
 * SUMMARY_DETAIL(enum fact_handle_kind, which one, part, times); some have
 * parts, which may overlap, and some of these are told apart by how often
 * something came in an exit.  Keys in order are details in stock's order.
 */
#define SUMMARY_DETAIL(kind, at, part, times)                                  \
    ((uint64_t)(kind) << 56 | (uint64_t)(at) << 16 | (part) << 8 | (times))
#define SUMMARY_DETAIL_KIND(key) ((unsigned int)((key) >> 56))
#define SUMMARY_DETAIL_AT(key) ((uint32_t)((key) >> 16))
#define SUMMARY_DETAIL_PART(key) ((key) >> 8 & 0xff)
#define SUMMARY_DETAIL_TIMES(key) ((key) & 0xff)

/* A page fault that Xen mended, of a guest whose shadow events are off. */
#define SUMMARY_FAULT_MENDED SHADOW_KINDS

/* So many resyncs are told apart in a load of CR3, and in an unsync. */
#define SUMMARY_CR3_RESYNCS 17u
#define SUMMARY_UNSYNC_RESYNCS 2u

struct summary_exit
{
    _Alignas(STATS_LINE) struct stats cost;
    struct stats_map details;
    unsigned int cause;
};

/* Of some hundred causes a guest has ten or so. */
#define SUMMARY_FEW_EXITS 16u      /* a power of two */

struct summary_hvm
{
    /* Every exit comes by here, so this is first, and small. */
    uint64_t exit_cycles, guest_cycles;
    struct summary_exit **exits;   /* [0] is NULL; room for a power of two */
    unsigned int nr_exits;      /* the first is [1] */
    struct summary_exit *first[SUMMARY_FEW_EXITS];    /* exits, at first */
    uint16_t place[EXIT_CAUSES];        /* of a cause in exits; 0: none yet */
    struct stats_map others;    /* of cause EXIT_OTHER, by reason */
    struct stats_map interrupts;        /* delivered, by vector */
    struct stats_map io, mmio;  /* by address * 2 + write */
    struct stats_map mmio_va;   /* by address: where the guest has it */
    struct stats_map bars;      /* of the histogram, by number */
};

#define SUMMARY_HYPERCALLS 64u
#define SUMMARY_TRAPS 32u

struct summary_pv
{
    uint64_t times[PV_KINDS];
    uint64_t hypercalls[SUMMARY_HYPERCALLS + 1];   /* the last: higher ones */
    uint64_t traps[SUMMARY_TRAPS + 1];
};

struct summary_vcpu
{
    uint16_t domain, id;
    uint32_t index;
    struct summary_sched *sched;   /* NULL: nothing is known; global */
    struct summary_halts *halts;   /* likewise */
    struct summary_hvm *hvm;       /* local, as the next */
    struct summary_pv *pv;
};

/* --- of a domain ---------------------------------------------------------- */

#define SUMMARY_ORDERS 4u          /* of 2 MiB: orders 0, 9, 18, 27 */

struct summary_memory
{
    uint64_t done_by[MEMORY_KINDS], done_for[MEMORY_KINDS];
    uint64_t populated[SUMMARY_ORDERS];
    uint64_t reclaimed[SUMMARY_ORDERS];
    uint64_t contexts[POD_CONTEXTS][SUMMARY_ORDERS];
};

struct summary_domain_sched
{
    _Alignas(STATS_LINE) struct stats state[DOMAIN_STATES];
    struct summary_times time;
};

struct summary_domain
{
    uint16_t id;
    uint32_t index;
    struct summary_domain_sched *sched;    /* NULL: nothing is known; global */
    char name[64];              /* local from here on; "": nobody says */
    uint64_t named;             /* when */
    struct summary_memory memory;
    struct stats_map emulated;  /* shadow emulations by eip */
    struct stats_map hit;       /* by interrupts: want.eips */
};

/* --- of a pcpu ------------------------------------------------------------ */

#define SUMMARY_MAX_PCPU 65535u    /* a hostile trace names any */

struct summary_pcpu
{
    uint32_t id;
    _Alignas(STATS_LINE)
    struct stats state[PCPU_STATES];    /* of which both ends are known */
    uint64_t time;              /* in all states */
    struct fact_volume volume;
    struct stats sleep;         /* power states */
    uint64_t interrupts, interrupt_cycles;      /* of devices, handled here */
    uint64_t losses, lost_cycles;     /* global: times and cycles */
};

/* --- the whole ------------------------------------------------------------ */

/* Arrays of pointers; [i] may be NULL, for an index that nobody used. */
struct summary
{
    struct summary_want want;
    struct stats_pool pool;

    uint64_t fault_va;          /* of MMIO in the exit that is being told */
    const struct vcpu *latest;          /* whose exit was told, ... */
    struct summary_hvm *latest_hvm;  /* ... and what is known of that one */
    struct summary_vcpu **vcpus;   /* by index; after summary_close(): by id, */
    uint32_t nr_vcpus;          /* and none is NULL */
    struct summary_domain **domains;
    uint32_t nr_domains;
    struct summary_pcpu **pcpus;   /* by id */
    uint32_t nr_pcpus;

    uint64_t hz;
    uint64_t total;             /* cycles of all segments */
    uint64_t first;             /* time stamp of the first one */
    unsigned int segments;
    uint64_t records, lost, open_exits;
    uint64_t losses, lost_cycles;     /* times; cycles of pcpus */
    uint64_t anomalies[ANOMALY_KINDS];
    struct xt_damage damage;
    struct stats_top loss_gaps;     /* the longest losses: tag: the pcpu */
    struct xt_clock clock;      /* of the first segment */

    struct cr3_table *cr3;       /* borrowed, to be printed with it; or NULL */
};

/* NULL: it had no exit of that cause. */
static inline struct summary_exit *
summary_exit_find(const struct summary_hvm *h, unsigned int cause)
{
    return h->exits[h->place[cause]];
}

struct sink summary_sink(struct summary *summary);

/* 0 or -ENOMEM. */
int summary_new(struct summary **summary, const struct summary_want *want);
void summary_free(struct summary *summary);

/* Nothing comes any more: put it in order for printing.  0 or -ENOMEM. */
int summary_close(struct summary *summary);

/* Time in a state, that of the last one included. */
static inline uint64_t summary_state_time(const struct stats *state,
                                          const struct summary_times *time,
                                          unsigned int i)
{
    return state[i].sum + time->open[i];
}

static inline bool summary_is_idle(const struct summary_vcpu *v)
{
    return v->domain == DOMID_IDLE;
}

/* What tells a detail apart, in words: "npf", "cr3", "fixup: unsync". */
#define SUMMARY_DETAIL_NAME 64u
#define SUMMARY_DETAIL_WRITE " (write)"    /* ends it, of accesses */

const char *summary_detail_name(uint64_t key, char name[SUMMARY_DETAIL_NAME]);

/*
 * Of a part by itself; NULL: it is told by its times, of which
 * summary_part_most() stands for all from there on.
 */
const char *summary_part_name(uint64_t key);
unsigned int summary_part_most(uint64_t key);

/* --- this room's: how facts get in ---------------------------------------- */

/* NULL, and the pool knows, without memory. */
struct summary_vcpu *summary_add_vcpu(struct summary *b,
                                      const struct vcpu *v);
struct summary_domain *summary_add_domain(struct summary *b,
                                          const struct domain *d);
struct summary_pcpu *summary_add_pcpu(struct summary *b, uint32_t pcpu);

/* NULL: it is not in the summary so far. */
static inline struct summary_vcpu *summary_find_vcpu(const struct summary *b,
                                                     const struct vcpu *v)
{
    return v->index < b->nr_vcpus ? b->vcpus[v->index] : NULL;
}

static inline struct summary_vcpu *summary_vcpu(struct summary *b,
                                                const struct vcpu *v)
{
    struct summary_vcpu *own = summary_find_vcpu(b, v);

    return own ? own : summary_add_vcpu(b, v);
}

static inline struct summary_domain *
summary_find_domain(const struct summary *b, const struct domain *d)
{
    return d->index < b->nr_domains ? b->domains[d->index] : NULL;
}

static inline struct summary_domain *
summary_domain(struct summary *b, const struct domain *d)
{
    struct summary_domain *own = summary_find_domain(b, d);

    return own ? own : summary_add_domain(b, d);
}

static inline struct summary_pcpu *summary_pcpu(struct summary *b,
                                                uint32_t pcpu)
{
    return pcpu < b->nr_pcpus && b->pcpus[pcpu] ? b->pcpus[pcpu]
                                                : summary_add_pcpu(b, pcpu);
}

/* The slots of the sink, and how their parts are merged. */
void summary_runstate(void *state, const struct fact_runstate *f);
void summary_domain_state(void *state, const struct fact_domain *f);
void summary_stay(void *state, const struct fact_residency *f);
void summary_halt(void *state, const struct fact_wake_to_halt *f);
void summary_loss(void *state, const struct fact_loss *f);
/* of close */
void summary_finish_sched(struct summary *b, struct summary_sched *v);

/* The details that an exit under this handler counts for. */
#define SUMMARY_DETAILS 16u

unsigned int summary_detail_keys(const struct fact_handle *f,
                                 uint64_t keys[SUMMARY_DETAILS]);

void summary_exit(void *state, const struct fact_exit *f);
void summary_handle(void *state, const struct fact_handle *f);
void summary_merge_hvm(struct summary *to, struct summary_vcpu *v,
                       const struct summary_hvm *from);

void summary_pv(void *state, const struct fact_pv *f);
void summary_memory(void *state, const struct fact_memory *f);
void summary_irq(void *state, const struct fact_irq *f);
void summary_power(void *state, const struct fact_power *f);
void summary_pcpu_state(void *state, const struct fact_pcpu *f);
void summary_volume(void *state, const struct fact_volume *f);
void summary_merge_pv(struct summary *to, struct summary_vcpu *v,
                      const struct summary_pv *from);
void summary_merge_memory(struct summary_memory *to,
                          const struct summary_memory *from);
void summary_merge_pcpu(struct summary *to, const struct summary_pcpu *from);

#endif /* XENALYZE_ACCOUNT_SUMMARY_H */
