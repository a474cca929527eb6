/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events that are on or off for each vcpu: the "vcpu" property.  Their trace
 * points take the vcpu as first argument, a void pointer.
 *
 * A vcpu is a struct trace_vcpu, alone or as the first member of the program's
 * own struct; a program without a CPUState may use the typedef below.
 *
 * A program with another layout of vcpus, as QEMU's CPUState, defines
 * USERTRACE_OWN_CPUSTATE before it includes this header.  The library then
 * keeps the states, and finds a vcpu by its address.
 */
#ifndef TRACE_CONTROL_VCPU_H
#define TRACE_CONTROL_VCPU_H

#include "control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct trace_vcpu
{
    uint32_t index;             /* as shown to users */
    uint32_t dstate;            /* one bit per vcpu event */
    struct trace_vcpu *next;    /* of the library */
};

#if !defined(USERTRACE_NO_CPUSTATE) && !defined(USERTRACE_OWN_CPUSTATE)
typedef struct trace_vcpu CPUState;
#endif

/*
 * Register a vcpu until usertrace_vcpu_fini(): one of "all vcpus", initially
 * with the events that were switched on for all.  The caller owns the memory.
 */
void usertrace_vcpu_init(struct trace_vcpu *vcpu, uint32_t index);
void usertrace_vcpu_fini(struct trace_vcpu *vcpu);

/* The vcpu with this index, or NULL.  Valid until its owner unregisters it. */
struct trace_vcpu *usertrace_vcpu(uint32_t index);

/*
 * Get or set the state of an event on the vcpu with this index, atomically
 * with respect to usertrace_vcpu_fini(). get: 1 on, 0 off; set: 0.  -ENOENT:
 * no such vcpu, or no longer.
 */
int usertrace_vcpu_get_state(uint32_t index, const TraceEvent *ev);
int usertrace_vcpu_set_state(uint32_t index, TraceEvent *ev, bool state);

struct err;

/*
 * The same for a vcpu of any type; its address must be unique.  -EEXIST,
 * -ENOMEM.  Trace points search for the address, without a lock, and only while
 * the event is on for any vcpu.
 */

int usertrace_vcpu_add(const void *vcpu, uint32_t index, struct err *e);
void usertrace_vcpu_remove(const void *vcpu);

/* The state of a vcpu that was added, or NULL. */
struct trace_vcpu *usertrace_vcpu_of(const void *vcpu);

#ifndef USERTRACE_OWN_CPUSTATE
/* QEMU's names for these functions; the index must be set. */
void trace_init_vcpu(struct trace_vcpu *vcpu);
void trace_fini_vcpu(struct trace_vcpu *vcpu);
void trace_event_set_vcpu_state_dynamic(struct trace_vcpu *vcpu,
                                        TraceEvent *ev, bool state);
#endif

#ifdef USERTRACE_OWN_CPUSTATE
#define USERTRACE_VCPU(vcpu) usertrace_vcpu_of(vcpu)
#else
#define USERTRACE_VCPU(vcpu) ((const struct trace_vcpu *)(vcpu))
#endif

/* A vcpu that was not added, or no longer is, has all events off. */
static inline bool
trace_event_get_vcpu_state_dynamic_by_vcpu_id(const void *vcpu, uint32_t id)
{
    const struct trace_vcpu *v = USERTRACE_VCPU(vcpu);

    return v && __atomic_load_n(&v->dstate, __ATOMIC_RELAXED) >> (id & 31) & 1;
}

static inline bool
trace_event_get_vcpu_state_dynamic(const void *vcpu, const TraceEvent *ev)
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
