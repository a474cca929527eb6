/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace points that keep books.
 *
 *     EMIT(p, event, TRACE_2D(event, a, b));
 *
 * Whether the hypervisor takes a record can change while the trace point
 * runs.  So it is asked before and after, and in between no control
 * operation may have moved: then the answer holds for the trace point, and
 * the record counts as emitted or does not.  What remains is counted as
 * unsure, so that always
 *
 *     emitted <= drained + lost <= emitted + unsure
 */
#ifndef XENSIM_EMIT_H
#define XENSIM_EMIT_H

#include "xensim/hypercall.h"
#include "xensim/workload/player.h"

#include <xen/trace.h>

struct emit_mark
{
    unsigned int epoch;
    bool wanted;
};

static inline struct emit_mark emit_look(uint32_t event)
{
    struct emit_mark m = { .epoch = hypercall_epoch() };

    m.wanted = trace_will_trace_event(event);
    return m;
}

/* Looks in the other order: the epoch last. */
static inline void emit_book(struct player *p, uint32_t event,
                             struct emit_mark before)
{
    bool wanted = trace_will_trace_event(event);
    bool quiet = !(before.epoch & 1) && hypercall_epoch() == before.epoch;

    if ( quiet && wanted && before.wanted )
        __atomic_add_fetch(&p->emitted, 1, __ATOMIC_RELAXED);
    else if ( wanted || before.wanted )
        __atomic_add_fetch(&p->unsure, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&p->tried, 1, __ATOMIC_RELAXED);
}

#define EMIT(p, event, trace_point)                                     \
    do {                                                                \
        struct emit_mark mark_ = emit_look(event);                      \
                                                                        \
        trace_point;                                                    \
        emit_book(p, event, mark_);                                     \
    } while ( 0 )

/* A record without a time stamp, as the HVM handlers' are. */
#define EMIT_UNTIMED(p, event, ...)                                     \
    do {                                                                \
        uint32_t words_[] = { __VA_ARGS__ };                            \
                                                                        \
        EMIT(p, event, trace_var(event, 0, sizeof(words_), words_));    \
    } while ( 0 )

#endif /* XENSIM_EMIT_H */
