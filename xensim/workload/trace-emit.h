/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace points with simulated time and record counts.
 *
 *     EMIT(p, trace_sched_wake(dom, vcpu));
 *     p->stamp: the true time of the record
 *
 * All records pass trace_record(), so a macro of that name, defined before the
 * generated trace points are included, adds the counting.
 *
 * The set of traced events can change during a trace point. So the state is
 * sampled before and after, together with a counter of control operations: if
 * the counter did not change, the sample is valid for the trace point, and the
 * record counts as emitted or as not traced. All other records count as
 * unsure, which gives the invariant
 *
 *     emitted <= drained + lost <= emitted + unsure
 */
#ifndef XENSIM_TRACE_EMIT_H
#define XENSIM_TRACE_EMIT_H

#include "xensim/hypercall.h"
#include "xensim/workload/sim.h"

#include <xen/trace.h>

/* Cost of a record in virtual time: about a tenth of a microsecond. */
#define RECORD_CYCLES   160
#define RECORD_JITTER   127

struct emit_mark
{
    unsigned int epoch;
    bool wanted;
};

static inline struct emit_mark emit_sample(uint32_t header)
{
    struct emit_mark m = { .epoch = hypercall_epoch() };

    m.wanted = trace_will_trace_event(header);
    return m;
}

/* Atomic: interrupt handlers increment the counts, too, at any instruction. */
static inline void emit_count(const struct sim_cpu *p, uint64_t *n)
{
    if ( p->sim->config.virtual_time )
        ++*n;
    else
        __atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

/* Sample again, in reverse order: the epoch last. */
static inline void emit_count_record(struct sim_cpu *p, uint32_t header,
                                     struct emit_mark before)
{
    bool wanted = trace_will_trace_event(header);
    bool quiet = !(before.epoch & 1) && hypercall_epoch() == before.epoch;

    /* If not quiet, tracing may have stopped after the trace point's test. */
    if ( quiet && wanted && before.wanted )
        emit_count(p, &p->emitted);
    else if ( !quiet || wanted || before.wanted )
        emit_count(p, &p->unsure);
}

static inline void emit_record(uint32_t header, const void *words)
{
    struct emit_mark mark = emit_sample(header);

    trace_record(header, words);
    emit_count_record(this_sim_cpu(), header, mark);
}

#define trace_record(header, words) emit_record(header, words)
#include "xensim/trace-events.h"

/* Real time: real_cycles() sets the stamp, if the record was traced. */
static inline void emit_begin(struct sim_cpu *p)
{
    ASSERT(p->id == smp_processor_id());
    emit_count(p, &p->attempted);
    if ( !p->sim->config.virtual_time )
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

/* Like emit_record(), for a trace point that builds its own record. */
static inline void emit_hypercall(struct sim_cpu *p, uint32_t event,
                                  unsigned int op, const xen_ulong_t *args)
{
    struct emit_mark mark;

    if ( likely(!ACCESS_ONCE(tb_init_done)) )
        return;
    mark = emit_sample(event);
    __trace_hypercall(event, op, args);
    emit_count_record(p, event, mark);
}

#define EMIT(p, trace_point)                                            \
    do {                                                                \
        emit_begin(p);                                                  \
        trace_point;                                                    \
        emit_end(p);                                                    \
    } while ( 0 )

#endif /* XENSIM_TRACE_EMIT_H */
