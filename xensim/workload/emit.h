/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace points that take time and keep books.
 *
 *     EMIT(p, trace_sched_wake(dom, vcpu));
 *     p->stamp: the true time that the record bears
 *
 * All records go through trace_record(), so that name is taken here, before
 * the generated trace points are included, and the books are kept there.
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
#include "xensim/workload/world.h"

#include <xen/trace.h>

/* What one record costs, in virtual time: a tenth of a microsecond. */
#define RECORD_CYCLES   160
#define RECORD_JITTER   127

struct emit_mark
{
    unsigned int epoch;
    bool wanted;
};

static inline struct emit_mark emit_look(uint32_t header)
{
    struct emit_mark m = { .epoch = hypercall_epoch() };

    m.wanted = trace_will_trace_event(header);
    return m;
}

/* Interrupt handlers count, too, at any instruction of this. */
static inline void emit_count(const struct sim_cpu *p, uint64_t *n)
{
    if ( p->world->config.virtual_time )
        ++*n;
    else
        __atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

/* Looks in the other order: the epoch last. */
static inline void emit_book(struct sim_cpu *p, uint32_t header,
                             struct emit_mark before)
{
    bool wanted = trace_will_trace_event(header);
    bool quiet = !(before.epoch & 1) && hypercall_epoch() == before.epoch;

    /* Not quiet: tracing may have stopped behind the trace point's own test. */
    if ( quiet && wanted && before.wanted )
        emit_count(p, &p->emitted);
    else if ( !quiet || wanted || before.wanted )
        emit_count(p, &p->unsure);
}

static inline void emit_record(uint32_t header, const void *words)
{
    struct emit_mark mark = emit_look(header);

    trace_record(header, words);
    emit_book(cpu_here(), header, mark);
}

#define trace_record(header, words) emit_record(header, words)
#include "xensim/trace-events.h"

/* Real time: the clock's hook leaves the stamp, if the record was wanted. */
static inline void emit_begin(struct sim_cpu *p)
{
    emit_count(p, &p->tried);
    if ( !p->world->config.virtual_time )
    {
        p->stamp = 0;
        return;
    }
    p->now += RECORD_CYCLES + (random_next(&p->irq_random) & RECORD_JITTER);
    p->stamp = p->now;
}

static inline void emit_end(struct sim_cpu *p)
{
    if ( !p->stamp )
        p->stamp = xensim_hardware_cycles();
}

/* This one makes its record itself. */
static inline void emit_hypercall(struct sim_cpu *p, uint32_t event,
                                  unsigned int op, const xen_ulong_t *args)
{
    struct emit_mark mark;

    if ( likely(!ACCESS_ONCE(tb_init_done)) )
        return;
    mark = emit_look(event);
    __trace_hypercall(event, op, args);
    emit_book(p, event, mark);
}

#define EMIT(p, trace_point)                                            \
    do {                                                                \
        emit_begin(p);                                                  \
        trace_point;                                                    \
        emit_end(p);                                                    \
    } while ( 0 )

#endif /* XENSIM_EMIT_H */
