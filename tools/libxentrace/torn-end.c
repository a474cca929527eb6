/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "libxentrace/torn-end.h"

#include <assert.h>

#include "libxentrace/trace-private.h"

struct xt_torn_end xt_trace_get_torn_end(const struct xt_trace *t)
{
    const struct xt_damage *d = &t->damage;
    const struct xt_gaps *gaps = &t->index.gaps;
    struct xt_torn_end end = { .is_torn = false };

    assert(t->have_span);
    for ( size_t i = 0; i < d->nr_first; i++ )
        if ( d->first[i].kind == XT_DAMAGE_TORN )
            end = (struct xt_torn_end){
                .is_torn = true, .offset = d->first[i].offset,
                .bytes = d->first[i].bytes,
            };
    if ( end.is_torn && gaps->nr )
        end.from = gaps->items[gaps->nr - 1].from;
    return end;
}

void xt_trace_set_torn_end(struct xt_trace *t, const struct xt_torn_end *end)
{
    assert(t->source->map && t->mode == MODE_NONE && !t->kept.valid);
    t->torn_end = *end;
}

int trace_add_known_damage(struct xt_trace *t)
{
    const struct xt_torn_end *end = &t->torn_end;
    struct xt_index *i = &t->index;
    uint64_t from = end->from < i->horizon ? end->from : i->horizon;

    assert(t->complete);
    if ( t->damage_is_known )
        t->damage = t->known_damage;
    else if ( end->is_torn )
        xt_damage_add(&t->damage, XT_DAMAGE_TORN, end->offset, end->bytes);
    if ( !end->is_torn )
        return 0;
    return xt_gaps_add(&i->gaps, i->dropped + i->nr, from);
}
