/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine of the world: vcpus and domains over all pcpus.  It gets the
 * changes of all pcpus in the order of time, and tells the global facts.
 */
#ifndef XENALYZE_MACHINE_GLOBAL_H
#define XENALYZE_MACHINE_GLOBAL_H

#include <stdbool.h>
#include <stdint.h>

#include "xenalyze/machine/change.h"
#include "xenalyze/machine/emit.h"
#include "xenalyze/machine/pcpu.h"
#include "xenalyze/model/model.h"

/*
 * What is known of somebody is the fact that will be told when that ends: it
 * only lacks what will come then.
 */
struct domain_state
{
    struct fact_domain is;      /* of vcpus that are not early */
    bool known;
};

struct vcpu_state
{
    struct fact_runstate is;
    struct domain_state *domain;
    struct vcpu_state *next;    /* if listed: in the list of the scene */
    bool listed;
    bool known, placed;
    bool ending, ended;         /* it ran where records end: will be, is lost */
    uint64_t placed_at;         /* on is.pcpu */

    /* The last change that began with another state than we knew. */
    bool mismatch;
    bool fresh;                 /* and no record of it since */
    uint8_t said, knew;
    uint32_t mismatch_pcpu;
    uint64_t mismatch_at;

    /* The last wake-up. */
    uint64_t woken;
    const struct vcpu *waker;
    uint32_t waker_pcpu;
    bool awake;                 /* it was blocked before, and nothing is lost */
    struct fact_wake_to_halt halt; /* interrupts since then */

    struct outside outside;     /* an exit in which it blocked */
};

/* Who ran on a pcpu, newest at `at` - 1. */
#define PAST 64u

struct past
{
    const struct vcpu *vcpu;
    uint64_t from, to;
};

struct scene_pcpu
{
    const struct vcpu *current;
    bool inferred, lost;
    uint64_t since;             /* `current` runs, or records get lost */
    uint64_t first;             /* time stamp of the pcpu, once it is known */
    struct past *past;          /* PAST of them, if anybody asks for waits */
    unsigned int at;
};

/*
 * Records of `before` came at least `lag` cycles too late, beside those of
 * `after`: clocks that do not agree.
 */
struct skew
{
    uint32_t before, after;
    uint64_t lag;               /* the longest of them ... */
    uint64_t times;             /* ... so many */
};

#define SKEWS 512u
#define SKEW_MAX (UINT64_C(1) << 40)    /* cycles: more is damage */

struct skews
{
    struct skew pairs[SKEWS];   /* each once */
    unsigned int nr;
};

struct scene
{
    struct emit emit;
    struct guests *guests;
    const struct xt_dialect *dialect;
    struct arena *arena;
    struct scene_pcpu *pcpus;
    unsigned int nr_pcpus, lost_pcpus;
    uint64_t first;             /* of the segment */
    uint64_t certain;           /* since then nothing is lost */
    struct vcpu_state *sleepers;        /* all that wait or sleep, and some
                                           that did and are not looked for */
    uint64_t anomalies[ANOMALY_KINDS];
    struct skews *skews;        /* NULL: nobody asks */
};

void scene_begin(struct scene *s, uint64_t first);

/* The first time stamp of a pcpu is known.  0 or -ENOMEM. */
int scene_pcpu_begins(struct scene *s, unsigned int pcpu, uint64_t first);

void scene_change(struct scene *s, const struct change *c);

/* After guests_sort(): tell what goes on at the end of the segment. */
void scene_end(struct scene *s, uint64_t last);
void scene_fini(struct scene *s);

/* --- for the files of the room -------------------------------------------- */

static inline struct vcpu_state *vcpu_state(const struct vcpu *v)
{
    return v->machine;
}

/* It will change soon. */
__attribute__((always_inline))
static inline void scene_prefetch(const struct vcpu *v)
{
    const char *state = v->machine;

    __builtin_prefetch(state);
    __builtin_prefetch(state + 64);
}

/* What v was, up to a time; it does not change by that. */
void vcpu_tell(struct scene *s, struct vcpu_state *v, unsigned int next,
               uint64_t time, uint32_t pcpu);

/* It is in that state from now on. */
void vcpu_enter(struct scene *s, struct vcpu_state *v, unsigned int state,
                uint64_t time, uint32_t pcpu);

/* A domain counts it from now on. */
void domain_ripen(struct scene *s, const struct vcpu_state *v);
void domain_end(struct scene *s, struct domain *d, uint64_t last);

void loss_begin(struct scene *s, const struct change *c);
void loss_end(struct scene *s, const struct change *c);

void vcpu_found(struct scene *s, const struct change *c);

/* It neither runs nor is lost: it waits or sleeps. */
static inline bool vcpu_sleeps(unsigned int state)
{
    return state != STATE_RUNNING && state != STATE_LOST;
}

/* Whoever loses records wants all that wait or sleep: those are in a list. */
static inline void vcpu_list(struct scene *s, struct vcpu_state *v)
{
    if ( v->listed || !vcpu_sleeps(v->is.state) )
        return;
    v->next = s->sleepers;
    v->listed = true;
    s->sleepers = v;
}

/* Who ran on a pcpu, for those that want to know why others waited. */
void past_add(struct scene_pcpu *p, uint64_t time);

/* Who runs on a pcpu. */
static inline void place_leave(struct scene *s, uint32_t pcpu, uint64_t time)
{
    struct scene_pcpu *p = &s->pcpus[pcpu];

    if ( p->past && p->current )
        past_add(p, time);
    p->current = NULL;
    p->inferred = false;
}

static inline void place_enter(struct scene *s, uint32_t pcpu,
                               const struct vcpu *v, uint64_t time)
{
    struct scene_pcpu *p = &s->pcpus[pcpu];

    if ( p->current )
    {
        s->anomalies[ANOMALY_PREVIOUS] += !p->inferred;
        place_leave(s, pcpu, time);
    }
    p->current = v;
    p->since = time;
}

void wait_tell(struct scene *s, const struct vcpu_state *v, uint32_t pcpu,
               uint64_t time);

/* It is about to run. */
static inline void wait_end(struct scene *s, struct vcpu_state *v,
                            uint32_t pcpu, uint64_t time)
{
    /* Without a reason, not all of it is known. */
    if ( emit_wants_wait(&s->emit) && v->is.why != WHY_NONE )
        wait_tell(s, v, pcpu, time);
}

static inline void wake(struct scene *s, struct vcpu_state *v,
                        const struct change *c)
{
    v->waker = s->pcpus[c->pcpu].current;
    v->waker_pcpu = c->pcpu;
    v->woken = c->number ? c->number : c->time;
    if ( c->old != STATE_BLOCKED )
        return;
    v->awake = true;
    v->halt.nr_vectors = 0;
}

void inject(struct vcpu_state *v, const struct change *c);

/* It blocks; or records get lost, and it may have blocked since. */
static inline void fall_asleep(struct vcpu_state *v)
{
    v->awake = false;
    v->halt.nr_vectors = 0;
}

static inline void halt(struct scene *s, struct vcpu_state *v, uint64_t time)
{
    if ( v->halt.nr_vectors )
    {
        v->halt.vcpu = v->is.vcpu;
        v->halt.to = time;
        emit_wake_to_halt(&s->emit, &v->halt);
    }
    fall_asleep(v);
}

#endif /* XENALYZE_MACHINE_GLOBAL_H */
