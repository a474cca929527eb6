/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recent uses of a pcpu: a gapless list of spans, each with its use, to explain
 * the time of a vcpu that waited for the pcpu.  A span begins with a gap of
 * unknown time, in which the pcpu switched from one vcpu to the next.
 *
 *      begin                                              end
 *      |  d1v0 runs  |gap idle | asleep | idle |gap d2v0 runs|  (in progress)
 *
 * Spans are kept back to the begin of the oldest wait in progress, up to a
 * bound; time before `begin` is unknown.  The first spans are kept anyway: a
 * vcpu has no fact before its first change of state, but may have waited until
 * then.
 */
#ifndef XENALYZE_ACCOUNT_PCPU_USES_H
#define XENALYZE_ACCOUNT_PCPU_USES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/debug.h"
#include "xenalyze/model/model.h"

enum pcpu_use
{
    USE_UNKNOWN,
    USE_LOST,                   /* records were lost */
    USE_IDLE,                   /* awake, as far as known */
    USE_ASLEEP,                 /* in a sleep state */
    USE_XEN,                    /* idle, but in an interrupt handler */
    USE_RUN,                    /* a vcpu of a guest runs ... */
    USE_LIMITED,                /* ... protected by the rate limit */
};

static inline bool use_is_idle(enum pcpu_use use)
{
    return use == USE_IDLE || use == USE_ASLEEP || use == USE_XEN;
}

struct pcpu_span
{
    uint64_t to;                /* begins where the previous span ends */
    const struct vcpu *vcpu;    /* USE_RUN, USE_LIMITED */
    uint32_t gap;               /* cycles at the begin: USE_UNKNOWN */
    uint16_t domain;            /* 0: no vcpu */
    uint8_t use;                /* enum pcpu_use */
};

struct pcpu_uses
{
    struct pcpu_span *spans;
    uint32_t nr, allocated;
    uint32_t room;              /* a full room is a reason to drop old spans;
                                   small, so that it stays in the cache */
    bool has_begun, has_dropped;
    uint64_t begin, end;        /* first and last time of all spans */
};

#define PCPU_USES_FIRST 32u     /* spans; the number doubles */

void pcpu_uses_fini(struct pcpu_uses *u);

/* Forget all spans. */
static inline void pcpu_uses_reset(struct pcpu_uses *u)
{
    u->nr = 0;
    u->has_begun = u->has_dropped = false;
}

/*
 * Drop spans that end at `oldest` or before; if few do, let the list grow up to
 * `limit` spans, and then drop a quarter.  A list that has become short gets a
 * small room.  False: no memory; nothing changed.
 */
bool pcpu_uses_make_room(struct pcpu_uses *u, uint64_t oldest, uint32_t limit);

static inline bool pcpu_uses_are_full(const struct pcpu_uses *u)
{
    debug_assert(u->nr <= u->room);
    return u->nr == u->room;
}

/* There is no span yet: time before `at` is unknown, and so is the next. */
static inline void pcpu_uses_begin(struct pcpu_uses *u, uint64_t at)
{
    debug_assert(!u->has_begun && !u->nr);
    u->begin = u->end = at;
    u->has_begun = true;
}

/* Does a gap fit before a span that begins at `at`? */
static inline bool pcpu_uses_may_begin(const struct pcpu_uses *u, uint64_t at)
{
    return u->has_begun && at >= u->end && at - u->end <= UINT32_MAX;
}

/*
 * Append a span from the end of the last one to `to`, with a gap up to `from`.
 * The list has begun and is not full.
 */
static inline void pcpu_uses_add_fast(struct pcpu_uses *u, uint64_t from,
                                      uint64_t to, enum pcpu_use use,
                                      const struct vcpu *vcpu)
{
    debug_assert(u->nr < u->room && u->has_begun);
    debug_assert((use >= USE_RUN) == (vcpu != NULL));
    debug_assert(!u->nr || u->spans[u->nr - 1].to == u->end);
    debug_assert(from <= u->end || from - u->end <= UINT32_MAX);
    if ( to <= u->end )
        return;
    u->spans[u->nr++] = (struct pcpu_span){
        .to = to, .vcpu = vcpu, .use = use,
        .gap = from > to ? to - u->end : from > u->end ? from - u->end : 0,
        .domain = vcpu ? vcpu->domain->id : 0,
    };
    u->end = to;
}

/* Index of the first span that ends after `time`; u->nr: none. */
uint32_t pcpu_uses_find(const struct pcpu_uses *u, uint64_t time);

/* The end of the gap at the begin of the span. */
static inline uint64_t pcpu_span_from(const struct pcpu_uses *u, uint32_t i)
{
    return (i ? u->spans[i - 1].to : u->begin) + u->spans[i].gap;
}

#endif /* XENALYZE_ACCOUNT_PCPU_USES_H */
