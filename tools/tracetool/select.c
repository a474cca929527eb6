/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queries of a model by linear search: the largest set of hypervisor events has
 * some hundred events, and names are compared only if ids or constants agree.
 */
#include "tracetool/select.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

static int compare_ids(const void *a_, const void *b_)
{
    const struct tt_event *a = *(const struct tt_event *const *)a_;
    const struct tt_event *b = *(const struct tt_event *const *)b_;

    if ( a->id != b->id )
        return a->id < b->id ? -1 : 1;
    if ( a->since != b->since )
        return a->since < b->since ? -1 : 1;
    /* By order of declaration, so that the output is deterministic. */
    return a < b ? -1 : a > b;
}

int select_by_id(const struct tt_model *m, const struct tt_event ***events,
                 size_t *nr, struct err *why)
{
    const struct tt_event **sorted =
        fault_calloc(m->nr_events + 1, sizeof(*sorted));

    if ( !sorted )
        return err_set(why, -ENOMEM, "no memory for %zu events", m->nr_events);

    *nr = 0;
    for ( size_t i = 0; i < m->nr_events; i++ )
        if ( m->events[i].in_xen )
            sorted[(*nr)++] = &m->events[i];
    qsort(sorted, *nr, sizeof(*sorted), compare_ids);
    *events = sorted;
    return 0;
}

bool select_is_newest(const struct tt_model *m, const struct tt_event *e)
{
    assert(e->in_xen);
    if ( e->until == TT_ALWAYS )
        return true;
    for ( size_t i = 0; i < m->nr_events; i++ )
        if ( m->events[i].since > e->since &&
             !strcmp(m->events[i].name, e->name) )
            return false;
    return true;
}

const struct tt_event *select_owner(const struct tt_model *m,
                                    const struct tt_event *e)
{
    for ( size_t i = 0; e->constant && i < m->nr_events; i++ )
        if ( m->events[i].constant &&
             !strcmp(m->events[i].constant, e->constant) )
            return &m->events[i];
    return NULL;
}

bool select_is_main(const struct tt_class *c)
{
    assert(c->id & 0xf000);
    return (c->id & 0xf000) == 0xf000;
}

bool select_in_word(const struct tt_arg *a, unsigned int word)
{
    assert(a->bits && a->bits <= 64);
    assert(word < TT_MAX_WORDS);
    return !a->in_id && a->present < 0 && a->bit < 32 * (word + 1) &&
           a->bit + a->bits > 32 * word;
}

unsigned int select_fixed_words(const struct tt_event *e)
{
    assert(e->words <= e->max_words && e->max_words <= TT_MAX_WORDS);
    for ( size_t i = 0; i < e->nr_args; i++ )
        if ( e->args[i].present >= 0 )
            return e->args[i].bit / 32;
    return e->max_words;
}

bool select_is_whole(const struct tt_arg *a)
{
    return !a->in_id && a->present < 0 && a->bit % 32 == 0 &&
           (a->bits == 32 || a->bits == 64);
}

bool select_is_decimal(const struct tt_sem *sem)
{
    size_t i = 0;

    if ( !sem || sem->meaning != TT_ENUM )
        return false;
    while ( i < sem->nr_values && sem->values[i].value <= 0xff )
        i++;
    return i == sem->nr_values;
}

uint64_t select_mask(unsigned int bits)
{
    assert(bits && bits <= 64);
    return bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}
