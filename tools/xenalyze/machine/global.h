/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The global machine: vcpus and domains over all pcpus.  The engine applies
 * the changes of all pcpus in the order of time; the machine emits the global
 * facts.
 */
#ifndef XENALYZE_MACHINE_GLOBAL_H
#define XENALYZE_MACHINE_GLOBAL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/arena.h"
#include "xenalyze/machine/change.h"
#include "xenalyze/machine/disorder.h"
#include "xenalyze/machine/emit.h"
#include "xenalyze/machine/history.h"
#include "xenalyze/machine/pcpu.h"
#include "xenalyze/model/model.h"

/*
 * A change of runstate that came before its cause, a change that another pcpu
 * makes: the clocks of the two pcpus differ.
 */
enum early_kind
{
    EARLY_NONE,
    EARLY_RUN,                  /* ran while blocked: the wake-up will follow */
    EARLY_WAKE,                 /* woken while running: it will block */
    EARLY_ARRIVE,               /* ran while running elsewhere: it will leave */
};

struct early_change
{
    uint8_t kind;               /* enum early_kind */
    uint32_t pcpu;
    uint64_t time;
};

/* A wake-up that was dropped, since its vcpu had run `lag` cycles before. */
struct late_wake
{
    uint64_t time, lag;         /* lag 0: none */
};

/*
 * The state of a domain or vcpu is the fact in progress: the fact to be
 * emitted at the next change, complete except for its end.
 */
struct domain_state
{
    struct fact_domain fact;    /* counts vcpus that have been seen running */
    bool known;
    uint64_t created;           /* time of the record; 0: none */
    bool dying;                 /* destroyed, and not created again: records of
                                   other pcpus may still follow */
    struct vcpu_state *vcpus;   /* list of those with a state */
};

struct vcpu_state
{
    struct fact_runstate fact;
    struct domain_state *domain;
    struct vcpu_state *sibling; /* in domain->vcpus */
    struct vcpu_state *next;    /* if listed: in global.off_cpu */
    bool listed;
    bool known, has_pcpu;
    bool ending, ended;         /* it ran when the pcpu's records ended: to be
                                   counted as ended, and counted */
    bool is_unnamed;            /* unknown until its next record */
    uint64_t pcpu_since;        /* on fact.pcpu, if has_pcpu */

    /* The last record with an old state that differs from the known one. */
    struct runstate_mismatch mismatch;
    uint64_t mismatch_at;
    struct early_change early;
    struct late_wake late_wake; /* the last */

    /* The last wake-up. */
    uint64_t woken_at;
    uint32_t waker_pcpu;
    bool awake;                 /* woken from blocked, no loss since */
    /* The first interrupt of each vector since then. */
    struct fact_interrupt *vectors;
    uint32_t nr_vectors, vectors_room;

    struct vcpu_order order;

    uint32_t scratch;           /* index in an array, during one call */

    struct open_exit *open_exit;        /* the exit in which the vcpu blocked;
                                           NULL: the vcpu never did */
    size_t exit_bytes;          /* allocated there */
};

struct global_pcpu
{
    const struct vcpu *current;
    bool inferred;              /* `current` is known from a loss only */
    bool lost;
    bool missing;               /* records may be missing, without a LOST */
    uint64_t since;             /* `current` runs, or records are lost */
    uint64_t first;             /* time stamp of the pcpu, once known */
    struct history history;
};

struct global
{
    struct emit emit;
    struct emit ordered;        /* of CHANGE_FACT: to ordered sinks only */
    struct guests *guests;
    struct global_pcpu *pcpus;
    unsigned int nr_pcpus, lost_pcpus;
    uint64_t first;             /* first time stamp of the segment */
    unsigned int missing_pcpus;
    uint64_t certain_since;     /* end of the last loss */
    uint64_t ordered_since;     /* ... or of missing records without a LOST */
    struct vcpu_state *off_cpu; /* list of all runnable and blocked vcpus; may
                                   contain running ones, which are skipped */
    uint64_t anomalies[ANOMALY_KINDS];
    struct xt_losses losses;    /* counted by the collector */
    struct disorder disorder;
    struct arena exits;         /* memory of open_exit and of vectors */
    bool failed;                /* out of memory: an exit or interrupt is
                                   missing */

    struct wait_begins waits;   /* empty unless a sink wants rivals */
    struct fact_rival *rivals;  /* buffer for the rivals of one wait */
    uint32_t rivals_room;
};

/* --- global.c ------------------------------------------------------------- */

void global_begin(struct global *g, uint64_t first);

/* The first time stamp of a pcpu is known.  0 or -ENOMEM. */
int global_add_pcpu(struct global *g, unsigned int pcpu, uint64_t first);

/*
 * Facts up to `time` were muted: emit the states of vcpus at that time, as if
 * these had been unknown before.
 */
void global_emit_states(struct global *g, uint64_t time);

/* After guests_sort(): emit the facts in progress at the segment's end. */
void global_end(struct global *g, uint64_t last);
void global_fini(struct global *g);

/* --- vcpu-runstate.c ------------------------------------------------------ */

void global_apply(struct global *g, const struct change *c);

/* Emit the fact in progress and begin the next one. */
void vcpu_enter(struct global *g, struct vcpu_state *v, unsigned int state,
                uint64_t time, uint32_t pcpu);

/* The state in progress is another one than assumed since its begin. */
void vcpu_correct_state(struct global *g, struct vcpu_state *v,
                        unsigned int state, uint64_t time);

/* No record since then is missing: an impossible order is one of clocks. */
static inline bool global_order_is_known(const struct global *g,
                                         uint64_t since)
{
    return !g->missing_pcpus && g->ordered_since <= since;
}

static inline bool state_is_unknown(unsigned int state)
{
    return state == STATE_LOST || state == STATE_NO_DATA;
}

static inline struct vcpu_state *vcpu_get_state(const struct vcpu *v)
{
    return v->machine;
}

/* Prefetch the state of a vcpu that is about to change. */
__attribute__((always_inline))
static inline void vcpu_prefetch_state(const struct vcpu *v)
{
    const char *state = v->machine;

    __builtin_prefetch(state);
    __builtin_prefetch(state + 64);
}

#endif /* XENALYZE_MACHINE_GLOBAL_H */
