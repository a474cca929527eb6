/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The book of damage: one table says what each kind is called and how bad it
 * is, the rest is sums over it.
 */
#include "libxentrace/damage.h"

#include <assert.h>

static const struct
{
    enum xt_grade grade;
    const char *text;
} kinds[XT_DAMAGE_KINDS] = {
    [XT_DAMAGE_TORN]   = { XT_GRADE_CUT, "the input ends inside a window" },
    [XT_DAMAGE_RECORD] = { XT_GRADE_RECORD, "impossible record" },
    [XT_DAMAGE_SIZE]   = { XT_GRADE_RECORD, "wrong window size" },
    [XT_DAMAGE_JUNK]   = { XT_GRADE_FILE, "not a window" },
};

void xt_damage_add(struct xt_damage *d, enum xt_damage_kind kind,
                   uint64_t offset, uint64_t bytes)
{
    assert(kind < XT_DAMAGE_KINDS);
    d->times[kind]++;
    d->bytes[kind] += bytes;
    if ( d->nr_first < XT_DAMAGE_PLACES )
        d->first[d->nr_first++] = (struct xt_damage_place){
            .offset = offset, .bytes = bytes, .kind = kind,
        };
}

static uint64_t sum(const uint64_t *values)
{
    uint64_t total = 0;

    for ( size_t i = 0; i < XT_DAMAGE_KINDS; i++ )
        total += values[i];
    return total;
}

uint64_t xt_damage_times(const struct xt_damage *d)
{
    return sum(d->times);
}

uint64_t xt_damage_bytes(const struct xt_damage *d)
{
    return sum(d->bytes);
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
