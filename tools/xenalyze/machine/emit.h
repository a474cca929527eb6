/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dispatch of facts to sinks: one callback per kind of fact, so that emitting
 * a fact costs one call.  A single subscriber is called directly, several
 * through a fan-out function with an array of targets, and a fact without
 * subscribers goes to an empty function.  A machine asks emit_wants_KIND()
 * before expensive work.
 *
 * The macros below generate, for each KIND of model/facts.h:
 *
 *     bool emit_wants_KIND(const struct emit *e)
 *     void emit_KIND(const struct emit *e, const struct fact_KIND *fact)
 *
 * global:  emit_runstate()  emit_domain()  emit_residency()  emit_wait()
 *          emit_open_wait()  emit_wake_to_halt()  emit_domain_reuse()
 *          emit_loss()  emit_exit_pause()  emit_exit_block()
 * local:   emit_pcpu()  emit_volume()  emit_exit()  emit_handle()  emit_cr3()
 *          emit_pv()  emit_memory()  emit_irq()  emit_power()  emit_event()
 *          emit_domain_name()  emit_moment()
 */
#ifndef XENALYZE_MACHINE_EMIT_H
#define XENALYZE_MACHINE_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "xenalyze/model/model.h"

#define EMIT_GLOBAL_KINDS(each)                                             \
    each(runstate) each(domain) each(residency) each(wait)                  \
    each(open_wait) each(wake_to_halt) each(domain_reuse) each(loss)        \
    each(exit_pause) each(exit_block)

#define EMIT_LOCAL_KINDS(each)                                              \
    each(pcpu) each(volume) each(exit) each(handle) each(cr3) each(pv)      \
    each(memory) each(irq) each(power) each(event) each(domain_name)        \
    each(moment)

#define EMIT_KINDS(each) EMIT_GLOBAL_KINDS(each) EMIT_LOCAL_KINDS(each)

#define EMIT_TARGET(kind)                                                   \
struct emit_##kind##_target                                                 \
{                                                                           \
    void (*deliver)(void *state, const struct fact_##kind *fact);           \
    void *state;                                                            \
    bool wanted;                                                            \
};
EMIT_KINDS(EMIT_TARGET)
#undef EMIT_TARGET

#define EMIT_EVENT_BITS 8u

/* The place of an event in a direct-mapped cache. */
static inline uint32_t emit_event_hash(uint32_t event)
{
    return event * UINT32_C(0x9e3779b1) >> (32 - EMIT_EVENT_BITS);
}

struct runstate_fan;
struct wait_fan;

struct emit
{
#define EMIT_MEMBER(kind) struct emit_##kind##_target kind;
    EMIT_KINDS(EMIT_MEMBER)
#undef EMIT_MEMBER
    bool wants_rivals;          /* of waits */
    struct runstate_fan *runstates;     /* target of `runstate`, or NULL */
    struct wait_fan *waits;             /* target of `wait`, or NULL */
    /* Events that the only target of fact_event does not need, by hash. */
    uint32_t *ignored;
};

/* The targets of fan-out functions are allocated in `arena`.  0 or -ENOMEM. */
int emit_init(struct emit *e, struct arena *arena, const struct sink *sinks,
              size_t nr_sinks);

/*
 * The same for a time without facts: the machines do all their work, so that
 * later facts are what they are, but only facts that have no time are
 * delivered.
 */
struct emit emit_mute(const struct emit *e);

/*
 * An HVM guest has its first record: sinks that need runstates and waits from
 * then on get them.  Also of all copies of `e`.
 */
void emit_begin_hvm(const struct emit *e);

#define EMIT_FUNCTION(kind)                                                 \
static inline bool emit_wants_##kind(const struct emit *e)                  \
{                                                                           \
    return e->kind.wanted;                                                  \
}                                                                           \
static inline void emit_##kind(const struct emit *e,                        \
                               const struct fact_##kind *fact)              \
{                                                                           \
    e->kind.deliver(e->kind.state, fact);                                   \
}
EMIT_KINDS(EMIT_FUNCTION)
#undef EMIT_FUNCTION

/*
 * The event has no effect, except that its time is that of a record: a machine
 * need not emit it.
 */
static inline bool emit_ignores_event(const struct emit *e, uint32_t event)
{
    return e->ignored[emit_event_hash(event)] == event;
}

/* A local fact of a kind that is known at run time only. */
enum emit_local_kind
{
#define EMIT_LOCAL_KIND(kind) EMIT_LOCAL_##kind,
    EMIT_LOCAL_KINDS(EMIT_LOCAL_KIND)
#undef EMIT_LOCAL_KIND
    EMIT_LOCAL_COUNT
};

void emit_local(const struct emit *e, enum emit_local_kind kind,
                const void *fact);

#endif /* XENALYZE_MACHINE_EMIT_H */
