/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers for people.  Accuracy at the boundaries of units matters, speed does
 * not: 999,950 is "1.0 M" and not "1000.0 k", so a value is rounded to tenths
 * of a unit first, and then compared with the next unit.
 */
#include <assert.h>

#include "common/num.h"

struct scale
{
    uint64_t step;              /* relative to the previous unit; 0: end */
    const char *prefix;
};

static const struct scale decimal[] = {
    { 1, "" }, { 1000, "k" }, { 1000, "M" }, { 1000, "G" }, { 1000, "T" },
    { 1000, "P" }, { 1000, "E" }, { 0, NULL },
};

static const struct scale binary[] = {
    { 1, "" }, { 1024, "Ki" }, { 1024, "Mi" }, { 1024, "Gi" }, { 1024, "Ti" },
    { 1024, "Pi" }, { 1024, "Ei" }, { 0, NULL },
};

static const struct scale from_ns[] = {
    { 1, "n" }, { 1000, "u" }, { 1000, "m" }, { 1000, "" }, { 0, NULL },
};

/*
 * value / unit in tenths, rounded to nearest.  Units are at most 2^60, so
 * 10 * rest + unit / 2 is below 2^64.
 */
static uint64_t in_tenths(uint64_t value, uint64_t unit)
{
    assert(unit <= 1ull << 60);
    return value / unit * 10 + (value % unit * 10 + unit / 2) / unit;
}

static char *put_scaled(char *p, uint64_t value, const struct scale *s,
                        const char *unit_name)
{
    uint64_t unit = 1, shown = value;

    while ( s[1].step != 0 && shown >= s[1].step * (unit > 1 ? 10 : 1) )
    {
        s++;
        unit *= s->step;
        shown = in_tenths(value, unit);
    }

    p = num_u64(p, unit > 1 ? shown / 10 : shown);
    if ( unit > 1 )
    {
        *p++ = '.';
        p = num_u64(p, shown % 10);
    }
    if ( *s->prefix != '\0' || *unit_name != '\0' )
        *p++ = ' ';
    p = num_text(p, s->prefix);
    return num_text(p, unit_name);
}

char *num_human(char *p, uint64_t value, const char *unit)
{
    return put_scaled(p, value, decimal, unit);
}

char *num_human_1024(char *p, uint64_t value, const char *unit)
{
    return put_scaled(p, value, binary, unit);
}

char *num_duration(char *p, uint64_t ns)
{
    const uint64_t second = 1000000000u;

    if ( ns < 60 * second - second / 20 )
        return put_scaled(p, ns, from_ns, "s");

    return num_clock(p, ns / second + (ns % second >= second / 2));
}

char *num_clock(char *p, uint64_t seconds)
{
    uint64_t minutes = seconds / 60;

    if ( minutes >= 60 )
    {
        p = num_u64(p, minutes / 60);
        *p++ = ':';
        p = num_u64_zero(p, minutes % 60, 2);
    }
    else
        p = num_u64(p, minutes);

    *p++ = ':';
    return num_u64_zero(p, seconds % 60, 2);
}

static unsigned int count_digits(uint64_t value)
{
    unsigned int digits = 1;

    while ( value >= 10 )
    {
        value /= 10;
        digits++;
    }
    return digits;
}

char *num_u64_fit(char *p, uint64_t value, unsigned int width)
{
    const char *unit = " kMGTPE";

    assert(width >= 4);
    if ( count_digits(value) <= width )
        return num_u64_right(p, value, width);
    while ( count_digits(value) >= width )
    {
        value /= 1000;
        unit++;
    }
    assert(*unit);
    p = num_u64_right(p, value, width - 1);
    *p++ = *unit;
    return p;
}

char *num_sec_fit(char *p, uint64_t ns, unsigned int width)
{
    unsigned int digits = count_digits(ns / 1000000000);
    unsigned int decimals = width > digits + 1 ? width - digits - 1 : 0;
    char *end = num_sec(p, ns);

    if ( decimals >= 9 )
        return end;
    return end - 9 + decimals - !decimals;
}

uint64_t num_per_second(uint64_t count, uint64_t ns)
{
    const uint64_t second = 1000000000u;
    double rate;

    if ( ns == 0 )
        return 0;
    if ( count <= UINT64_MAX / second )
        return count * second / ns;

    /* Counts above 18 G: the 53 bits of a double are precise enough. */
    rate = (double)count * second / ns;
    return rate < 0x1p64 ? (uint64_t)rate : UINT64_MAX;
}

const char *num_plural(uint64_t number)
{
    return number == 1 ? "" : "s";
}
