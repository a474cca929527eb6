/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The damage log: a table with the grade and the text of each kind, and totals.
 */
#include "libxentrace/damage.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct
{
    enum xt_grade grade;
    const char *text;
} kinds[XT_DAMAGE_KINDS] = {
    [XT_DAMAGE_TORN]   = { XT_GRADE_CUT, "the input ends inside a window" },
    [XT_DAMAGE_RECORD] = { XT_GRADE_RECORD, "impossible record" },
    [XT_DAMAGE_SIZE]   = { XT_GRADE_RECORD, "wrong window size" },
    [XT_DAMAGE_JUNK]   = { XT_GRADE_FILE, "not a window" },
    [XT_DAMAGE_SUM]    = { XT_GRADE_RECORD, "wrong checksum" },
    [XT_DAMAGE_GONE]   = { XT_GRADE_RECORD, "windows are missing" },
    [XT_DAMAGE_BACKWARD] = { XT_GRADE_RECORD, "time goes backwards" },
    [XT_DAMAGE_CHANGED] = { XT_GRADE_CUT, "the file was cut while read" },
    [XT_DAMAGE_REPEATED] = { XT_GRADE_RECORD, "repeated window" },
    [XT_DAMAGE_ORDER] = { XT_GRADE_RECORD, "windows in the wrong order" },
    [XT_DAMAGE_TWICE] = { XT_GRADE_RECORD, "the same capture again, counted "
                                           "twice" },
};

static bool place_is_before(const struct xt_damage_place *a,
                            const struct xt_damage_place *b)
{
    return a->offset != b->offset ? a->offset < b->offset
         : a->kind != b->kind     ? a->kind < b->kind
                                  : a->bytes < b->bytes;
}

/* Insert a place into the list of the first, if it is one of them. */
static void keep_place(struct xt_damage *d, const struct xt_damage_place *p)
{
    size_t at = d->nr_first;

    assert(at <= XT_DAMAGE_PLACES);
    if ( at == XT_DAMAGE_PLACES && !place_is_before(p, &d->first[--at]) )
        return;
    for ( ; at && place_is_before(p, &d->first[at - 1]); at-- )
        d->first[at] = d->first[at - 1];
    d->first[at] = *p;
    if ( d->nr_first < XT_DAMAGE_PLACES )
        d->nr_first++;
}

void xt_damage_add(struct xt_damage *d, enum xt_damage_kind kind,
                   uint64_t offset, uint64_t bytes)
{
    const struct xt_damage_place place = {
        .offset = offset, .bytes = bytes, .kind = kind,
    };

    assert(kind < XT_DAMAGE_KINDS && offset + bytes >= offset);
    d->times[kind]++;
    d->bytes[kind] += bytes;
    keep_place(d, &place);
}

void xt_damage_remove(struct xt_damage *d, enum xt_damage_kind kind,
                      uint64_t from, uint64_t to)
{
    size_t at = 0;

    assert(kind < XT_DAMAGE_KINDS && from < to);
    d->times[kind] -= !!d->times[kind];
    while ( at < d->nr_first && (d->first[at].kind != kind ||
                                 d->first[at].offset < from ||
                                 d->first[at].offset >= to) )
        at++;
    if ( at == d->nr_first )
        return;
    d->bytes[kind] -= d->first[at].bytes;
    d->nr_first--;
    memmove(&d->first[at], &d->first[at + 1],
            (d->nr_first - at) * sizeof(d->first[0]));
}

void xt_damage_merge(struct xt_damage *to, const struct xt_damage *from)
{
    assert(to != from);
    for ( size_t i = 0; i < XT_DAMAGE_KINDS; i++ )
    {
        to->times[i] += from->times[i];
        to->bytes[i] += from->bytes[i];
    }
    for ( size_t i = 0; i < from->nr_first; i++ )
        keep_place(to, &from->first[i]);
}

static uint64_t sum_kinds(const uint64_t *values)
{
    uint64_t total = 0;

    for ( size_t i = 0; i < XT_DAMAGE_KINDS; i++ )
        total += values[i];
    return total;
}

uint64_t xt_damage_times(const struct xt_damage *d)
{
    return sum_kinds(d->times);
}

uint64_t xt_damage_bytes(const struct xt_damage *d)
{
    return sum_kinds(d->bytes);
}

uint64_t xt_damage_gaps(const struct xt_damage *d)
{
    uint64_t all = xt_damage_times(d);

    assert(all >= d->times[XT_DAMAGE_BACKWARD]);
    return all - d->times[XT_DAMAGE_BACKWARD];
}

uint64_t xt_damage_backward(const struct xt_damage *d)
{
    assert(d->nr_first <= XT_DAMAGE_PLACES);
    return d->times[XT_DAMAGE_BACKWARD];
}

char *xt_damage_print(const struct xt_damage *d, char text[XT_DAMAGE_TEXT_MAX])
{
    uint64_t gaps = xt_damage_gaps(d), windows = xt_damage_backward(d);
    int length = 0;

    assert(gaps || !xt_damage_bytes(d));
    if ( gaps || !windows )
        length = snprintf(text, XT_DAMAGE_TEXT_MAX,
                          "%" PRIu64 " place%s, %" PRIu64 " bytes skipped%s",
                          gaps, gaps == 1 ? "" : "s", xt_damage_bytes(d),
                          windows ? "; " : "");
    assert(length >= 0 && length < XT_DAMAGE_TEXT_MAX);
    if ( windows )
        snprintf(text + length, XT_DAMAGE_TEXT_MAX - length,
                 "time goes backwards in %" PRIu64 " window%s", windows,
                 windows == 1 ? "" : "s");
    return text;
}

enum xt_grade xt_damage_grade(const struct xt_damage *d)
{
    enum xt_grade worst = XT_GRADE_NONE;

    for ( size_t i = 0; i < XT_DAMAGE_KINDS; i++ )
        if ( d->times[i] && kinds[i].grade > worst )
            worst = kinds[i].grade;
    return worst;
}

const char *xt_damage_text(enum xt_damage_kind kind)
{
    assert(kind < XT_DAMAGE_KINDS);
    return kinds[kind].text;
}
