/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the sinks' tables of callbacks, one table per sink, to targets, one
 * target per kind of fact.
 */
#include "xenalyze/machine/emit.h"

#include <assert.h>
#include <errno.h>

/* For facts without subscribers. */
#define EMIT_IGNORE(kind)                                                   \
static void ignore_##kind(void *state, const struct fact_##kind *fact)      \
{                                                                           \
    (void)state;                                                            \
    (void)fact;                                                             \
}
EMIT_KINDS(EMIT_IGNORE)
#undef EMIT_IGNORE

/* For several subscribers; a target without a function ends the array. */
#define EMIT_FAN_OUT(kind)                                                  \
static void fan_out_##kind(void *state, const struct fact_##kind *fact)     \
{                                                                           \
    for ( const struct emit_##kind##_target *t = state; t->deliver; t++ )   \
        t->deliver(t->state, fact);                                         \
}
EMIT_KINDS(EMIT_FAN_OUT)
#undef EMIT_FAN_OUT

#define EMIT_CONNECT(kind)                                                  \
static int connect_##kind(struct emit *e, struct arena *arena,              \
                          const struct sink *sinks, size_t nr_sinks)        \
{                                                                           \
    struct emit_##kind##_target *all;                                       \
    size_t nr = 0;                                                          \
                                                                            \
    all = arena_array(arena, nr_sinks + 1, sizeof(*all),                    \
                      _Alignof(struct emit_##kind##_target));               \
    if ( !all )                                                             \
        return -ENOMEM;                                                     \
    for ( size_t i = 0; i < nr_sinks; i++ )                                 \
        if ( sinks[i].ops->kind )                                           \
            all[nr++] = (struct emit_##kind##_target){                      \
                sinks[i].ops->kind, sinks[i].state, true };                 \
    e->kind = all[0];                                                       \
    if ( nr != 1 )                                                          \
        e->kind = (struct emit_##kind##_target){                            \
            nr ? fan_out_##kind : ignore_##kind, all, nr };                 \
    return 0;                                                               \
}
EMIT_KINDS(EMIT_CONNECT)
#undef EMIT_CONNECT

#define EMIT_COUNT(kind) + 1
_Static_assert(sizeof(struct sink_ops) ==
               offsetof(struct sink_ops, runstate) +
               (0 EMIT_KINDS(EMIT_COUNT)) * sizeof(void (*)(void)),
               "a kind for each callback of a sink");
#undef EMIT_COUNT

#define EMIT_LOCAL(kind)                                                    \
static void emit_local_##kind(const struct emit *e, const void *fact)       \
{                                                                           \
    emit_##kind(e, fact);                                                   \
}
EMIT_LOCAL_KINDS(EMIT_LOCAL)
#undef EMIT_LOCAL

void emit_local(const struct emit *e, enum emit_local_kind kind,
                const void *fact)
{
    static void (*const emit[])(const struct emit *e, const void *fact) = {
#define EMIT_ROW(kind) [EMIT_LOCAL_##kind] = emit_local_##kind,
        EMIT_LOCAL_KINDS(EMIT_ROW)
#undef EMIT_ROW
    };

    debug_assert(kind < EMIT_LOCAL_COUNT);
    emit[kind](e, fact);
}

int emit_init(struct emit *e, struct arena *arena, const struct sink *sinks,
              size_t nr_sinks)
{
    int rc = 0;

    assert(sinks || !nr_sinks);
    e->wants_rivals = false;
    for ( size_t i = 0; i < nr_sinks; i++ )
        e->wants_rivals |= sinks[i].ops->wait && !sinks[i].ops->no_rivals;
#define EMIT_CALL(kind)                                                     \
    rc = rc ? rc : connect_##kind(e, arena, sinks, nr_sinks);
    EMIT_KINDS(EMIT_CALL)
#undef EMIT_CALL
    return rc;
}
