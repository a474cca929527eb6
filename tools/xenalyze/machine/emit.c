/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From tables of slots, a sink each, to arrays of listeners, a fact each.
 */
#include "xenalyze/machine/emit.h"

#include <errno.h>

#define EMIT_FILL(kind)                                                     \
static int fill_##kind(struct emit *e, struct arena *arena,                 \
                       const struct sink *sinks, size_t nr_sinks)           \
{                                                                           \
    struct emit_##kind##_row *row;                                          \
                                                                            \
    e->kind = arena_array(arena, nr_sinks + 1, sizeof(*row),                \
                          _Alignof(void *));                                \
    if ( !e->kind )                                                         \
        return -ENOMEM;                                                     \
    row = e->kind;                                                          \
    for ( size_t i = 0; i < nr_sinks; i++ )                                 \
        if ( sinks[i].ops->kind )                                           \
            *row++ = (struct emit_##kind##_row){ sinks[i].ops->kind,        \
                                                 sinks[i].state };          \
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
