/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The place of a field in a payload, for readers.h, which tracetool generates
 * from events/:
 *
 *     xt_field_load(r, XT_AT(sched_wake, dom))         one field
 *     { XT_PLACE(sched_wake, dom) }                    a cell of a table
 *     XT_VALUE(runstate, blocked)                      a constant of an enum
 *     xt_view_sched_wake(r)->dom                       the struct, or NULL
 *
 * A field beyond the end of the record reads as 0.
 */
#ifndef LIBXENTRACE_PLACE_H
#define LIBXENTRACE_PLACE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/record.h"

/* A field lies inside of one word, or is two whole words. */
struct xt_field_place
{
    uint8_t bit;                /* the first, in the payload */
    uint8_t bits;               /* 0: no such field, which reads as 0 */
};

/* Constants that tracetool generates, as unsigned numbers. */
#define XT_BIT(event, field) (XT_BIT_##event##__##field + 0u)
#define XT_BITS(event, field) (XT_BITS_##event##__##field + 0u)
#define XT_WORDS(event) (XT_WORDS_##event + 0u)
#define XT_ID_FIELDS(event) (XT_ID_FIELDS_##event + 0u)
#define XT_VALUE(type, value) (XT_VALUE_##type##__##value + 0u)

/* A struct xt_field_place: its initializer, and a value. */
#define XT_PLACE(event, field) { XT_BIT(event, field), XT_BITS(event, field) }
#define XT_AT(event, field) ((struct xt_field_place)XT_PLACE(event, field))

static inline bool xt_field_present(const struct xt_record *r,
                                    struct xt_field_place p)
{
    return p.bits && p.bit + p.bits <= 32u * r->words;
}

/* The bits of the field; not extended by its sign. */
static inline uint64_t xt_field_load(const struct xt_record *r,
                                     struct xt_field_place p)
{
    uint32_t word;

    if ( !xt_field_present(r, p) )
        return 0;
    if ( p.bits == 64 )
        return xt_load64(r->payload + p.bit / 8);
    word = xt_load32(r->payload + p.bit / 32 * 4) >> p.bit % 32;
    return p.bits < 32 ? word & ((UINT32_C(1) << p.bits) - 1) : word;
}

/* Number of words of a layout, without and with its tail. */
struct xt_sizes
{
    uint8_t min, max;
};

/*
 * Select one of `nr` layouts, in the order of age: `layout`, which the version
 * of Xen implies, unless the size of the record fits only another layout.
 */
static inline unsigned int xt_layout_fit(unsigned int layout,
                                         unsigned int words,
                                         const struct xt_sizes *sizes,
                                         unsigned int nr)
{
    assert(layout < nr);
    if ( words >= sizes[layout].min && words <= sizes[layout].max )
        return layout;
    for ( unsigned int i = 0; i < nr; i++ )
        if ( words >= sizes[i].min && words <= sizes[i].max )
            return i;
    return layout;
}

#endif /* LIBXENTRACE_PLACE_H */
