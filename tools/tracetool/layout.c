/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout: the bits of each argument.  The payload is packed:
 *
 *     uint16_t a:4, uint16_t b:12, uint32_t c, [uint64_t d]
 *
 *     bit 0  4       16              48 ..     -> error: d must begin at 32*n
 *         | a |  b   |      c       |
 *
 * Bit fields fill units of their type from bit 0 up.  A unit has to be filled:
 * C's padding of a partial unit depends on compiler and ABI.
 */
#include "tracetool/event.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define MAX_BITS (TT_MAX_WORDS * 32u)

struct layout
{
    struct tt_build *b;
    const struct tt_member *member;
    struct tt_event *event;
    struct tt_arg *args;
    size_t nr;
    unsigned int bit;           /* next free bit of the payload */
    unsigned int unit, used;    /* bits of the current unit; 0, 0: none */
    unsigned int base;          /* bits before the tail, if in_tail */
    bool in_tail;
    unsigned int varying;       /* number of "?" arguments, 0 to 2 words */
};

static unsigned int count_bits_words(unsigned int bits)
{
    return (bits + 31) / 32;
}

static int end_unit(struct layout *l, const struct tt_place *at)
{
    assert(l->used <= l->unit);
    if ( l->used == l->unit )
    {
        l->unit = l->used = 0;
        return 0;
    }
    tt_errors_add(l->b->errors, at, "bit fields fill %u of %u bits "
                  "before this: add 'uint%u_t :%u' for the rest", l->used,
                  l->unit, l->unit, l->unit - l->used);
    return -EINVAL;
}

static int take_bits(struct layout *l, const struct tt_written_arg *from,
                     unsigned int bits, unsigned int *bit)
{
    assert(bits && bits <= 64);
    assert(l->bit <= MAX_BITS);
    if ( l->bit + bits > MAX_BITS )
    {
        tt_errors_add(l->b->errors, &from->at, "this does not fit: a "
                      "record has %u words for its arguments; leave some "
                      "out, or split the event", TT_MAX_WORDS);
        return -EINVAL;
    }
    *bit = l->bit;
    l->bit += bits;
    return 0;
}

/* A bit field: continues the current unit or begins a unit. */
static int take_field(struct layout *l, const struct tt_written_arg *from,
                      unsigned int width, unsigned int *bit)
{
    unsigned int bits = from->bits;

    assert(bits && bits <= width);
    assert(from->has_bits);
    if ( l->unit && l->unit == width && l->used + bits > width )
    {
        tt_errors_add(l->b->errors, &from->bits_at, "only %u bit%s "
                      "left of these %u: shorten it, or add 'uint%u_t :%u' "
                      "before", width - l->used,
                      width - l->used == 1 ? " is" : "s are", width, width,
                      width - l->used);
        return -EINVAL;
    }
    if ( l->unit != width && end_unit(l, &from->at) )
        return -EINVAL;
    l->unit = width;
    l->used += bits;
    assert(l->used <= l->unit);
    if ( l->used == l->unit )
        l->unit = l->used = 0;
    return take_bits(l, from, bits, bit);
}

static int begin_tail(struct layout *l, const struct tt_written_arg *from)
{
    assert(!l->in_tail);
    if ( end_unit(l, &from->at) )
        return -EINVAL;
    if ( l->bit % 32 )
    {
        tt_errors_add(l->b->errors, &from->at, "what may be absent "
                      "must begin at a whole word, or nobody sees if it "
                      "is there: put %u bits before the '[', as in "
                      "'uint16_t :16'", 32 - l->bit % 32);
        return -EINVAL;
    }
    l->in_tail = true;
    l->base = l->bit;
    return 0;
}

static int find_present(struct layout *l, const struct tt_written_arg *from,
                        struct tt_arg *arg)
{
    size_t i;

    assert(from->present);
    for ( i = 0; i < l->nr; i++ )
        if ( !strcmp(l->args[i].name, from->present) )
        {
            arg->present = i;
            return 0;
        }
    tt_errors_add(l->b->errors, &from->present_at, "no argument before "
                  "this one is called '%.40s'", from->present);
    return -EINVAL;
}

/* A "?" argument; l->bit stays, since its width depends on the record. */
static int take_varying(struct layout *l, const struct tt_written_arg *from,
                        struct tt_arg *arg)
{
    int rc = l->varying ? 0 : end_unit(l, &from->at);

    if ( !rc && l->bit % 32 )
    {
        tt_errors_add(l->b->errors, &from->at, "the first argument "
                      "with '?' must begin at a whole word");
        rc = -EINVAL;
    }
    if ( !rc && l->bit / 32 + ++l->varying > TT_MAX_WORDS )
    {
        tt_errors_add(l->b->errors, &from->at, "this does not fit: a "
                      "record has %u words for its arguments",
                      TT_MAX_WORDS);
        rc = -EINVAL;
    }
    return rc ? rc : find_present(l, from, arg);
}

static int place_in_payload(struct layout *l, const struct tt_written_arg *from,
                            struct tt_arg *arg, unsigned int width)
{
    unsigned int bit = l->bit;
    int rc = 0;

    assert(l->event->in_xen);
    if ( from->present )
        rc = take_varying(l, from, arg);
    else if ( l->varying )
    {
        tt_errors_add(l->b->errors, &from->at, "behind an argument "
                      "with '?' there may only be more of them: move this "
                      "one forward");
        rc = -EINVAL;
    }
    else if ( from->optional && !l->in_tail )
        rc = begin_tail(l, from);
    if ( rc || from->present )
        ;
    else if ( from->has_bits )
        rc = take_field(l, from, width, &bit);
    else
    {
        rc = end_unit(l, &from->at);
        if ( !rc )
            rc = take_bits(l, from, width, &bit);
    }
    arg->bits = from->has_bits ? from->bits : width;
    arg->bit = bit;
    return rc;
}

static void place_in_id(struct layout *l, const struct tt_written_arg *from,
                        struct tt_arg *arg)
{
    assert(from->bits && from->bits + from->shift <= 12);
    assert(from->in_id);
    arg->bits = from->bits;
    arg->bit = from->shift;
    arg->in_id = true;
    l->event->id_fields |= ((1u << from->bits) - 1) << from->shift;
}

static int place_arg(struct layout *l, const struct tt_written_arg *from)
{
    unsigned int width = tt_family_width(&from->type, l->member);
    struct tt_arg arg = {
        .sem = tt_find_sem(l->b, from->sem), .name = from->name,
        .type = from->type.sized ? tt_ctype_unsigned(width) : from->type.text,
        .kind = from->type.kind, .is_signed = from->type.is_signed,
        .width = width, .at = from->name_at, .optional = from->optional,
        .present = -1,
    };
    int rc = 0;

    assert(!from->in_id || l->event->in_xen);
    assert(!from->sem || arg.sem);
    assert(l->nr < TT_MAX_WRITTEN);
    if ( from->in_id )
        place_in_id(l, from, &arg);
    else if ( l->event->in_xen )
        rc = place_in_payload(l, from, &arg, width);
    if ( !rc && from->name )
        l->args[l->nr++] = arg;
    return rc;
}

/* The maximum of words is bounded by the size of a record. */
static void count_words(const struct layout *l, struct tt_event *event)
{
    unsigned int most = count_bits_words(l->bit) + 2 * l->varying;

    event->words = count_bits_words(l->in_tail ? l->base : l->bit);
    event->max_words = most < TT_MAX_WORDS ? most : TT_MAX_WORDS;
    assert(event->words <= event->max_words);
}

int tt_layout(struct tt_build *b, const struct tt_written_event *e,
              const struct tt_member *member, struct tt_event *event)
{
    struct layout l = { .b = b, .member = member, .event = event };
    size_t i;
    int rc = 0;

    assert(e->nr_args <= TT_MAX_WRITTEN);
    l.args = arena_array(b->arena, e->nr_args, sizeof(*l.args),
                         _Alignof(struct tt_arg));
    if ( !l.args )
        return -ENOMEM;
    for ( i = 0; i < e->nr_args && !rc; i++ )
        rc = place_arg(&l, &e->args[i]);
    if ( !rc )
        rc = end_unit(&l, &e->at);
    assert(l.nr <= e->nr_args && l.bit <= MAX_BITS);
    event->args = l.args;
    event->nr_args = l.nr;
    count_words(&l, event);
    return rc;
}
