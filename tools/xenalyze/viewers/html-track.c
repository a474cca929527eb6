/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The open slice of a track absorbs short slices until the next quantum
 * begins, so slices are condensed as they arrive, and a track is condensed
 * again by adding its slices to a new one.
 */
#include "xenalyze/viewers/html-track.h"

#include <assert.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/fault.h"

#define NUMBER_MAX 10u          /* bytes of 64 bits */
#define SLICE_MAX ((4 + 2 * HTML_SHARES) * NUMBER_MAX)
#define FIRST_ROOM 64u

/* --- bytes ---------------------------------------------------------------- */

static uint8_t *put_leb128(uint8_t *p, uint64_t number)
{
    for ( ; number >= 0x80; number >>= 7 )
        *p++ = number | 0x80;
    *p++ = number;
    return p;
}

/* Only bytes of put_leb128() are read. */
static const uint8_t *get_leb128(const uint8_t *p, uint64_t *number)
{
    unsigned int shift = 0;

    for ( *number = 0; *p & 0x80; shift += 7 )
        *number |= (uint64_t)(*p++ & 0x7f) << shift;
    debug_assert(shift < 64);
    *number |= (uint64_t)*p++ << shift;
    return p;
}

static bool is_exact(const struct html_slice *s)
{
    return s->count == 1 && s->nr == 1 && s->shares[0].ns == s->to - s->from;
}

static uint8_t *put_slice(uint8_t *p, const struct html_slice *s, uint64_t end)
{
    bool exact = is_exact(s);

    assert(end <= s->from && s->from <= s->to && s->nr <= HTML_SHARES);
    p = put_leb128(p, (s->from - end) << 1 | !exact);
    p = put_leb128(p, s->to - s->from);
    if ( exact )
        return put_leb128(p, s->shares[0].key);
    p = put_leb128(p, s->count);
    p = put_leb128(p, s->nr);
    for ( unsigned int i = 0; i < s->nr; i++ )
    {
        p = put_leb128(p, s->shares[i].key);
        p = put_leb128(p, s->shares[i].ns);
    }
    return p;
}

const uint8_t *html_track_read(const uint8_t *p, struct html_slice *s)
{
    uint64_t gap, length, number = 1;

    p = get_leb128(get_leb128(p, &gap), &length);
    s->from = s->to + (gap >> 1);
    s->to = s->from + length;
    s->count = 1;
    if ( gap & 1 )
        p = get_leb128(get_leb128(p, &s->count), &number);
    assert(number && number <= HTML_SHARES);
    s->nr = number;
    for ( unsigned int i = 0; i < s->nr; i++ )
    {
        p = get_leb128(p, &number);
        s->shares[i].key = number;
        s->shares[i].ns = length;
        if ( gap & 1 )
            p = get_leb128(p, &s->shares[i].ns);
    }
    return p;
}

/* --- condensed slices ----------------------------------------------------- */

static unsigned int find_share(const struct html_slice *s, uint32_t key)
{
    unsigned int i = 0;

    assert(s->nr <= HTML_SHARES);
    while ( i < s->nr && s->shares[i].key != key )
        i++;
    return i;
}

/* The smallest share that is not of the others. */
static unsigned int find_least_share(const struct html_slice *s)
{
    unsigned int least = s->nr;

    for ( unsigned int i = 0; i < s->nr; i++ )
        if ( s->shares[i].key != HTML_OTHERS &&
             (least == s->nr || s->shares[i].ns < s->shares[least].ns) )
            least = i;
    assert(least < s->nr);
    return least;
}

/* The smallest shares of a full slice become the others. */
static void free_share(struct html_slice *s)
{
    unsigned int others = find_share(s, HTML_OTHERS), least;

    if ( others == s->nr )
    {
        others = find_least_share(s);
        s->shares[others].key = HTML_OTHERS;
    }
    least = find_least_share(s);
    s->shares[others].ns += s->shares[least].ns;
    s->shares[least] = s->shares[--s->nr];
    assert(s->nr && s->nr < HTML_SHARES);
}

static void add_share(struct html_slice *s, uint32_t key, uint64_t ns)
{
    unsigned int i = find_share(s, key);

    if ( i == s->nr && s->nr == HTML_SHARES )
    {
        free_share(s);
        i = s->nr;
    }
    if ( i == s->nr )
    {
        s->shares[i].key = key;
        s->shares[i].ns = 0;
        s->nr++;
    }
    s->shares[i].ns += ns;
}

static bool can_join(const struct html_track *t, const struct html_slice *s)
{
    const struct html_slice *o = &t->open;

    return t->quantum && o->nr && o->to - o->from < t->quantum &&
           s->to - s->from < t->quantum &&
           o->from / t->quantum == s->from / t->quantum;
}

static void join_slice(struct html_track *t, const struct html_slice *s)
{
    struct html_slice old = t->open, *o = &t->open;

    assert(old.nr && old.to <= s->from);
    o->nr = 0;
    for ( unsigned int i = 0; i < old.nr; i++ )
        add_share(o, old.shares[i].key & t->key_mask, old.shares[i].ns);
    for ( unsigned int i = 0; i < s->nr; i++ )
        add_share(o, s->shares[i].key & t->key_mask, s->shares[i].ns);
    o->to = s->to;
    o->count += s->count;
}

/* --- tracks --------------------------------------------------------------- */

static bool make_track_room(struct html_track *t)
{
    size_t room = t->room ? 2 * t->room : FIRST_ROOM;
    uint8_t *bytes;

    if ( t->room - t->used >= SLICE_MAX )
        return true;
    while ( room < t->used + SLICE_MAX )
        room *= 2;
    bytes = fault_realloc(t->bytes, room);
    if ( !bytes )
        return false;
    t->bytes = bytes;
    t->room = room;
    return true;
}

bool html_track_flush(struct html_track *t)
{
    if ( !t->open.nr )
        return true;
    if ( !make_track_room(t) )
        return false;
    t->used = put_slice(t->bytes + t->used, &t->open, t->end) - t->bytes;
    assert(t->used <= t->room);
    t->end = t->open.to;
    t->open.nr = 0;
    t->nr++;
    return true;
}

static void cut_slice(const struct html_track *t, struct html_slice *s)
{
    uint64_t end = t->open.nr ? t->open.to : t->end;

    if ( s->from >= end )
        return;
    s->from = end;
    if ( s->to < end )
        s->to = end;
    for ( unsigned int i = 0; i < s->nr; i++ )
        if ( s->shares[i].ns > s->to - s->from )
            s->shares[i].ns = s->to - s->from;
}

bool html_track_add(struct html_track *t, const struct html_slice *s)
{
    struct html_slice cut = *s;

    assert(s->from <= s->to && s->nr && s->count);
    cut_slice(t, &cut);
    if ( can_join(t, &cut) )
    {
        join_slice(t, &cut);
        return true;
    }
    if ( !html_track_flush(t) )
        return false;
    t->open = cut;
    return true;
}

bool html_track_condense(const struct html_track *from, uint64_t quantum,
                         struct html_track *to)
{
    const uint8_t *p = from->bytes;
    struct html_slice s = { .to = 0 };
    bool good = true;

    assert(!from->open.nr);
    *to = (struct html_track){
        .key_mask = from->key_mask, .quantum = quantum,
    };
    while ( good && p < from->bytes + from->used )
    {
        p = html_track_read(p, &s);
        good = html_track_add(to, &s);
    }
    good = good && html_track_flush(to);
    if ( !good )
        html_track_fini(to);
    return good;
}

void html_track_fini(struct html_track *t)
{
    assert(!t->bytes || t->used <= t->room);
    free(t->bytes);
    t->bytes = NULL;
    t->used = t->room = 0;
}
