/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From tables of slots, a sink each, to those that are told, a fact each.
 */
#include "xenalyze/machine/emit.h"

#include <errno.h>

/* A fan's array ends with one that has no function. */
#define EMIT_FILL(kind)                                                     \
static void nobody_##kind(void *state, const struct fact_##kind *fact)      \
{                                                                           \
    (void)state;                                                            \
    (void)fact;                                                             \
}                                                                           \
                                                                            \
static void fan_##kind(void *state, const struct fact_##kind *fact)         \
{                                                                           \
    for ( const struct emit_##kind##_who *w = state; w->tell; w++ )         \
        w->tell(w->state, fact);                                            \
}                                                                           \
                                                                            \
static int fill_##kind(struct emit *e, struct arena *arena,                 \
                       const struct sink *sinks, size_t nr_sinks)           \
{                                                                           \
    struct emit_##kind##_who *all;                                          \
    size_t nr = 0;                                                          \
                                                                            \
    all = arena_array(arena, nr_sinks + 1, sizeof(*all),                    \
                      _Alignof(struct emit_##kind##_who));                  \
    if ( !all )                                                             \
        return -ENOMEM;                                                     \
    for ( size_t i = 0; i < nr_sinks; i++ )                                 \
        if ( sinks[i].ops->kind )                                           \
            all[nr++] = (struct emit_##kind##_who){ sinks[i].ops->kind,     \
                                                    sinks[i].state, true }; \
    e->kind = all[0];                                                       \
    if ( nr != 1 )                                                          \
        e->kind = (struct emit_##kind##_who){ nr ? fan_##kind               \
                                                 : nobody_##kind,           \
                                              all, nr };                    \
    return 0;                                                               \
}
EMIT_KINDS(EMIT_FILL)
#undef EMIT_FILL

int emit_init(struct emit *e, struct arena *arena, const struct sink *sinks,
              size_t nr_sinks)
{
    int rc = 0;

#define EMIT_CALL(kind)                                                     \
    rc = rc ? rc : fill_##kind(e, arena, sinks, nr_sinks);
    EMIT_KINDS(EMIT_CALL)
#undef EMIT_CALL
    return rc;
}
