/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events that are on or off for each vcpu by itself: the "vcpu" property.
 * Their trace points take the vcpu first, as a void pointer.
 *
 * QEMU looks into its own CPUState.  Here a vcpu is a struct trace_vcpu, as a
 * whole or as the first member of what a program calls a vcpu; a program that
 * has no CPUState of its own may use ours.
 */
#ifndef TRACE_CONTROL_VCPU_H
#define TRACE_CONTROL_VCPU_H

#include "control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct trace_vcpu
{
    uint32_t index;             /* as people count vcpus */
    uint32_t dstate;            /* a bit for each vcpu event */
    struct trace_vcpu *next;    /* the library's */
};

#ifndef USERTRACE_NO_CPUSTATE
typedef struct trace_vcpu CPUState;
#endif

/*
 * From here to _fini, the vcpu is one of "all vcpus"; it begins with the
 * events on that were switched on for all.  The memory stays the caller's.
 */
void usertrace_vcpu_init(struct trace_vcpu *vcpu, uint32_t index);
void usertrace_vcpu_fini(struct trace_vcpu *vcpu);

/* By index, or NULL.  Good as long as whoever owns it leaves it alone. */
struct trace_vcpu *usertrace_vcpu(uint32_t index);

/*
 * By index at one go, whoever owns the vcpu: 1 or 0, is the event on there?
 * And: switch it there, 0.  -ENOENT: there is no such vcpu (any more).
 */
int usertrace_vcpu_get_state(uint32_t index, const TraceEvent *ev);
int usertrace_vcpu_set_state(uint32_t index, TraceEvent *ev, bool state);

/* QEMU's names for both; the index must be set. */
void trace_init_vcpu(struct trace_vcpu *vcpu);
void trace_fini_vcpu(struct trace_vcpu *vcpu);

/* Both events must be compiled in, and of the vcpu kind. */
void trace_event_set_vcpu_state_dynamic(struct trace_vcpu *vcpu,
                                        TraceEvent *ev, bool state);

static inline bool
trace_event_get_vcpu_state_dynamic_by_vcpu_id(const void *vcpu, uint32_t id)
{
    const struct trace_vcpu *v = (const struct trace_vcpu *)vcpu;

    return (__atomic_load_n(&v->dstate, __ATOMIC_RELAXED) >> (id & 31)) & 1;
}

static inline bool
trace_event_get_vcpu_state_dynamic(const struct trace_vcpu *vcpu,
                                   const TraceEvent *ev)
{
    return trace_event_get_vcpu_state_dynamic_by_vcpu_id(vcpu, ev->vcpu_id);
}

#define trace_event_get_vcpu_state(vcpu, id) \
    ((id ## _ENABLED) && trace_event_get_state_dynamic_by_id(id) && \
     trace_event_get_vcpu_state_dynamic_by_vcpu_id( \
         (vcpu), _ ## id ## _EVENT.vcpu_id))

#ifdef __cplusplus
}
#endif

#endif /* TRACE_CONTROL_VCPU_H */
