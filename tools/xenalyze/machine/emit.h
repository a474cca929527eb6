/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is told what: for each kind of fact a function, and what it is told with,
 * so that a fact costs one call.  A lone listener is called directly, several
 * by a fan that has an array of them, and of what nobody wants to hear a
 * function that does nothing.  A machine asks emit_wants_...() before it works
 * hard.
 */
#ifndef XENALYZE_MACHINE_EMIT_H
#define XENALYZE_MACHINE_EMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "xenalyze/model/model.h"

#define EMIT_GLOBAL_KINDS(each)                                             \
    each(runstate) each(domain) each(residency) each(wait)                  \
    each(wake_to_halt) each(loss)

#define EMIT_LOCAL_KINDS(each)                                              \
    each(pcpu) each(volume) each(exit) each(handle) each(cr3) each(pv)      \
    each(memory) each(irq) each(power) each(event) each(domain_name)

#define EMIT_KINDS(each) EMIT_GLOBAL_KINDS(each) EMIT_LOCAL_KINDS(each)

#define EMIT_WHO(kind)                                                      \
struct emit_##kind##_who                                                    \
{                                                                           \
    void (*tell)(void *state, const struct fact_##kind *fact);              \
    void *state;                                                            \
    bool wanted;                                                            \
};
EMIT_KINDS(EMIT_WHO)
#undef EMIT_WHO

struct emit
{
#define EMIT_MEMBER(kind) struct emit_##kind##_who kind;
    EMIT_KINDS(EMIT_MEMBER)
#undef EMIT_MEMBER
};

/* What fans need stands in `arena`.  0 or -ENOMEM. */
int emit_init(struct emit *e, struct arena *arena, const struct sink *sinks,
              size_t nr_sinks);

#define EMIT_FUNCTION(kind)                                                 \
static inline bool emit_wants_##kind(const struct emit *e)                  \
{                                                                           \
    return e->kind.wanted;                                                  \
}                                                                           \
static inline void emit_##kind(const struct emit *e,                        \
                               const struct fact_##kind *fact)              \
{                                                                           \
    e->kind.tell(e->kind.state, fact);                                      \
}
EMIT_KINDS(EMIT_FUNCTION)
#undef EMIT_FUNCTION

#endif /* XENALYZE_MACHINE_EMIT_H */
