/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The book: what the summary, in whatever form, says of a trace.  A sink fills
 * it in (book_ops), and those that print only read it; so the text, JSON and
 * tables cannot disagree.
 *
 *     struct book *book;
 *
 *     book_new(&book, &want);
 *     ... analyze with book_sink(book) ...
 *     book_close(book);
 *     report_... print what is in it
 *     book_free(book);
 *
 * Local facts may come in threads, each with a book of its own; then those
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
struct book_want
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
struct book_times
{
    uint64_t open[STATES];      /* a domain has no more */
    uint64_t elapsed;
};

/*
 * Stays are put by pcpu a few at a time: a vcpu that moves about finds each of
 * its pcpus cold, but so it waits for all of them at once.
 */
#define BOOK_RECENT 16u

struct book_recent
{
    uint32_t pcpu;
    uint64_t from, cycles;
};

struct book_sched
{
    _Alignas(STATS_LINE)
    struct stats state[STATES]; /* runnable: after book_close() */
    struct stats why[4];        /* of runnable; enum fact_why */
    struct book_times time;
    struct stats stay;          /* on one pcpu; after book_close() */
    struct stats_map stays;     /* by pcpu, but for the most recent ones */
    uint64_t migrations;
    unsigned int nr_recent;
    struct book_recent recent[BOOK_RECENT];
};

/* What a guest's interrupts led to; made when one has been delivered. */
struct book_halts
{
    struct stats_map alone;     /* woken by this one only, until it halts */
    struct stats_map any;
    struct stats_map other;     /* came while it was awake */
};

/*
 * An exit's details: series of its cycles by what handled it.  The key is
 * BOOK_DETAIL(enum fact_handle_kind, which one, part, times); some have parts,
 * which may overlap, and some of these are told apart by how often something
 * came in an exit.  Keys in order are details in stock's order.
 */
#define BOOK_DETAIL(kind, at, part, times)                                  \
    ((uint64_t)(kind) << 56 | (uint64_t)(at) << 16 | (part) << 8 | (times))
#define BOOK_DETAIL_KIND(key) ((unsigned int)((key) >> 56))
#define BOOK_DETAIL_AT(key) ((uint32_t)((key) >> 16))
#define BOOK_DETAIL_PART(key) ((key) >> 8 & 0xff)
#define BOOK_DETAIL_TIMES(key) ((key) & 0xff)

/* A page fault that Xen mended, of a guest whose shadow events are off. */
#define BOOK_FAULT_MENDED SHADOW_KINDS

/* So many resyncs are told apart in a load of CR3, and in an unsync. */
#define BOOK_CR3_RESYNCS 17u
#define BOOK_UNSYNC_RESYNCS 2u

struct book_exit
{
    _Alignas(STATS_LINE) struct stats cost;
    struct stats_map details;
    unsigned int cause;
};

/* Of some hundred causes a guest has ten or so. */
#define BOOK_FEW_EXITS 16u      /* a power of two */

struct book_hvm
{
    /* Every exit comes by here, so this is first, and small. */
    uint64_t exit_cycles, guest_cycles;
    struct book_exit **exits;   /* [0] is NULL; room for a power of two */
    unsigned int nr_exits;      /* the first is [1] */
    struct book_exit *first[BOOK_FEW_EXITS];    /* exits, at first */
    uint16_t place[EXIT_CAUSES];        /* of a cause in exits; 0: none yet */
    struct stats_map others;    /* of cause EXIT_OTHER, by reason */
    struct stats_map interrupts;        /* delivered, by vector */
    struct stats_map io, mmio;  /* by address * 2 + write */
    struct stats_map mmio_va;   /* by address: where the guest has it */
    struct stats_map bars;      /* of the histogram, by number */
};

#define BOOK_HYPERCALLS 64u
#define BOOK_TRAPS 32u

struct book_pv
{
    uint64_t times[PV_KINDS];
    uint64_t hypercalls[BOOK_HYPERCALLS + 1];   /* the last: higher ones */
    uint64_t traps[BOOK_TRAPS + 1];
};

struct book_vcpu
{
    uint16_t domain, id;
    uint32_t index;
    struct book_sched *sched;   /* NULL: nothing is known; global */
    struct book_halts *halts;   /* likewise */
    struct book_hvm *hvm;       /* local, as the next */
    struct book_pv *pv;
};

/* --- of a domain ---------------------------------------------------------- */

#define BOOK_ORDERS 4u          /* of 2 MiB: orders 0, 9, 18, 27 */

struct book_memory
{
    uint64_t done_by[MEMORY_KINDS], done_for[MEMORY_KINDS];
    uint64_t populated[BOOK_ORDERS];
    uint64_t reclaimed[BOOK_ORDERS];
    uint64_t contexts[POD_CONTEXTS][BOOK_ORDERS];
};

struct book_domain_sched
{
    _Alignas(STATS_LINE) struct stats state[DOMAIN_STATES];
    struct book_times time;
};

struct book_domain
{
    uint16_t id;
    uint32_t index;
    struct book_domain_sched *sched;    /* NULL: nothing is known; global */
    char name[64];              /* local from here on; "": nobody says */
    uint64_t named;             /* when */
    struct book_memory memory;
    struct stats_map emulated;  /* shadow emulations by eip */
    struct stats_map hit;       /* by interrupts: want.eips */
};

/* --- of a pcpu ------------------------------------------------------------ */

#define BOOK_MAX_PCPU 65535u    /* a hostile trace names any */

struct book_pcpu
{
    uint32_t id;
    _Alignas(STATS_LINE)
    struct stats state[PCPU_STATES];    /* of which both ends are known */
    uint64_t time;              /* in all states */
    struct fact_volume volume;
    struct stats sleep;         /* power states */
    uint64_t interrupts, interrupt_cycles;      /* of devices, handled here */
    uint64_t losses, blind;     /* global: times and cycles */
};

/* --- the whole ------------------------------------------------------------ */

/* Arrays of pointers; [i] may be NULL, for an index that nobody used. */
struct book
{
    struct book_want want;
    struct stats_pool pool;

    uint64_t fault_va;          /* of MMIO in the exit that is being told */
    const struct world_vcpu *latest;    /* whose exit was told, ... */
    struct book_hvm *latest_hvm;        /* ... and what is known of that one */
    struct book_vcpu **vcpus;   /* by index; after book_close(): by id, */
    uint32_t nr_vcpus;          /* and none is NULL */
    struct book_domain **domains;
    uint32_t nr_domains;
    struct book_pcpu **pcpus;   /* by id */
    uint32_t nr_pcpus;

    uint64_t hz;
    uint64_t total;             /* cycles of all segments */
    uint64_t first;             /* time stamp of the first one */
    unsigned int segments;
    uint64_t records, lost, open_exits;
    uint64_t losses, blind;     /* times; cycles of pcpus */
    uint64_t strange[STRANGE_KINDS];
    struct xt_damage damage;
    struct stats_top holes;     /* the longest losses: tag: the pcpu */
    struct xt_clock clock;      /* of the first segment */

    struct cr3_list *cr3;       /* borrowed, to be printed with it; or NULL */
};

/* NULL: it had no exit of that cause. */
static inline struct book_exit *book_exit_find(const struct book_hvm *h,
                                               unsigned int cause)
{
    return h->exits[h->place[cause]];
}

struct sink book_sink(struct book *book);

/* 0 or -ENOMEM. */
int book_new(struct book **book, const struct book_want *want);
void book_free(struct book *book);

/* Nothing comes any more: put it in order for printing.  0 or -ENOMEM. */
int book_close(struct book *book);

/* Time in a state, that of the last one included. */
static inline uint64_t book_state_time(const struct stats *state,
                                       const struct book_times *time,
                                       unsigned int i)
{
    return state[i].sum + time->open[i];
}

static inline bool book_idle(const struct book_vcpu *v)
{
    return v->domain == WORLD_IDLE;
}

/* What tells a detail apart, in words: "npf", "cr3", "fixup: unsync". */
#define BOOK_DETAIL_NAME 64u
#define BOOK_DETAIL_WRITE " (write)"    /* ends it, of accesses */

const char *book_detail_name(uint64_t key, char name[BOOK_DETAIL_NAME]);

/*
 * Of a part by itself; NULL: it is told by its times, of which book_part_most()
 * stands for all from there on.
 */
const char *book_part_name(uint64_t key);
unsigned int book_part_most(uint64_t key);

/* --- this room's: how facts get in ---------------------------------------- */

/* NULL, and the pool knows, without memory. */
struct book_vcpu *book_new_vcpu(struct book *b, const struct world_vcpu *v);
struct book_domain *book_new_domain(struct book *b,
                                    const struct world_domain *d);
struct book_pcpu *book_new_pcpu(struct book *b, uint32_t pcpu);

/* NULL: it is not in the book so far. */
static inline struct book_vcpu *book_find_vcpu(const struct book *b,
                                               const struct world_vcpu *v)
{
    return v->index < b->nr_vcpus ? b->vcpus[v->index] : NULL;
}

static inline struct book_vcpu *book_vcpu(struct book *b,
                                          const struct world_vcpu *v)
{
    struct book_vcpu *own = book_find_vcpu(b, v);

    return own ? own : book_new_vcpu(b, v);
}

static inline struct book_domain *
book_find_domain(const struct book *b, const struct world_domain *d)
{
    return d->index < b->nr_domains ? b->domains[d->index] : NULL;
}

static inline struct book_domain *book_domain(struct book *b,
                                              const struct world_domain *d)
{
    struct book_domain *own = book_find_domain(b, d);

    return own ? own : book_new_domain(b, d);
}

static inline struct book_pcpu *book_pcpu(struct book *b, uint32_t pcpu)
{
    return pcpu < b->nr_pcpus && b->pcpus[pcpu] ? b->pcpus[pcpu]
                                                : book_new_pcpu(b, pcpu);
}

/* The slots of the sink, and how their parts are merged. */
void book_runstate(void *state, const struct fact_runstate *f);
void book_domain_state(void *state, const struct fact_domain *f);
void book_stay(void *state, const struct fact_stay *f);
void book_halt(void *state, const struct fact_halt *f);
void book_loss(void *state, const struct fact_loss *f);
void book_sum(struct book *b, struct book_sched *v);    /* of close */

/* The details that an exit under this handler counts for. */
#define BOOK_DETAILS 16u

unsigned int book_detail_keys(const struct fact_handle *f,
                              uint64_t keys[BOOK_DETAILS]);

void book_exit(void *state, const struct fact_exit *f);
void book_handle(void *state, const struct fact_handle *f);
void book_merge_hvm(struct book *to, struct book_vcpu *v,
                    const struct book_hvm *from);

void book_pv(void *state, const struct fact_pv *f);
void book_memory(void *state, const struct fact_memory *f);
void book_irq(void *state, const struct fact_irq *f);
void book_power(void *state, const struct fact_power *f);
void book_pcpu_state(void *state, const struct fact_pcpu *f);
void book_volume(void *state, const struct fact_volume *f);
void book_merge_pv(struct book *to, struct book_vcpu *v,
                   const struct book_pv *from);
void book_merge_memory(struct book_memory *to, const struct book_memory *from);
void book_merge_pcpu(struct book *to, const struct book_pcpu *from);

#endif /* XENALYZE_ACCOUNT_SUMMARY_H */
