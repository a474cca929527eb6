/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A part of the trace, by time: reading what a user types, and finding the time
 * stamps when the trace is known.
 */
#define _GNU_SOURCE
#include "xenalyze/filter/filter.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "common/opts.h"

#define SECOND UINT64_C(1000000000)
#define MOST_LENGTH 64u

/* In 2200: far enough from what 64 bits of nanoseconds can say. */
#define MOST_WALL (INT64_C(7258118400) * (int64_t)SECOND)

/* --- a moment ------------------------------------------------------------- */

/* ".5": the fraction of a second.  NULL: something else. */
static const char *parse_fraction(const char *p, uint64_t *ns)
{
    uint64_t digit = SECOND / 10;

    *ns = 0;
    if ( *p != '.' )
        return p;
    for ( p++; isdigit((unsigned char)*p); p++ )
    {
        *ns += (*p - '0') * digit;
        digit /= 10;
    }
    return p;
}

/* "12:00:03.5", or a date, T or a blank, and that. */
static bool parse_wall(const char *text, struct moment *m)
{
    struct tm tm = { .tm_isdst = -1 };
    bool dated = strchr(text, 'T') || strchr(text, ' ');
    const char *p;
    uint64_t fraction;

    p = strptime(text, !dated ? "%H:%M:%S"
                       : strchr(text, 'T') ? "%Y-%m-%dT%H:%M:%S"
                                           : "%Y-%m-%d %H:%M:%S", &tm);
    p = p ? parse_fraction(p, &fraction) : NULL;
    if ( !p || *p )
        return false;
    if ( dated )
    {
        time_t at = mktime(&tm);

        if ( at < 0 || at >= MOST_WALL / (int64_t)SECOND )
            return false;
        *m = (struct moment){ MOMENT_WALL, at * SECOND + fraction };
        return true;
    }
    *m = (struct moment){
        MOMENT_CLOCK,
        (tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) * SECOND + fraction,
    };
    return true;
}

static bool parse_cycles(char *text, struct moment *m)
{
    size_t length = strlen(text);

    if ( text[length - 1] != 'c' )
        return false;
    text[length - 1] = '\0';
    m->kind = MOMENT_CYCLES;
    return !opts_number(text, &m->value);
}

static bool parse_moment(char *text, struct moment *m)
{
    if ( !*text )
    {
        m->kind = MOMENT_NONE;
        return true;
    }
    if ( strchr(text, ':') )
        return parse_wall(text, m);
    if ( text[strlen(text) - 1] == 'c' )
        return parse_cycles(text, m);
    m->kind = *text == '-' ? MOMENT_BEFORE_END : MOMENT_SINCE_START;
    return !opts_time(*text == '-' ? text + 1 : text, &m->value);
}

int span_parse(const char *text, struct span *s, struct err *e)
{
    const char *dots = strstr(text, "..");
    char from[MOST_LENGTH], to[MOST_LENGTH];

    if ( !dots || (size_t)(dots - text) >= sizeof(from) ||
         strlen(dots + 2) >= sizeof(to) )
        return err_set(e, -EINVAL, "--time %s: it takes A..B, as in 1.5..2 or "
                       "-10ms..", text);
    memcpy(from, text, dots - text);
    from[dots - text] = '\0';
    strcpy(to, dots + 2);
    if ( parse_moment(from, &s->from) && parse_moment(to, &s->to) )
        return 0;
    return err_set(e, -EINVAL, "--time %s: a time is 1.5, 3ms, -10ms, "
                   "123456c, 12:00:03 or 2024-02-29T12:00:03", text);
}

/* --- its time stamp ------------------------------------------------------- */

/* That time of day, on the day on which the trace begins, or on the next. */
static int64_t wall_of_clock(const struct xt_clock *clock, uint64_t first,
                             uint64_t value)
{
    int64_t start = xt_clock_wall(clock, first), at;
    time_t seconds;
    struct tm tm;

    if ( start < 0 || start > MOST_WALL )
        start = 0;
    seconds = start / (int64_t)SECOND;
    localtime_r(&seconds, &tm);
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_isdst = -1;
    at = (int64_t)mktime(&tm) * (int64_t)SECOND + (int64_t)value;
    return at < start - (int64_t)(12 * 3600 * SECOND)
           ? at + (int64_t)(24 * 3600 * SECOND) : at;
}

static int resolve_wall(const struct moment *m, const struct xt_clock *clock,
                        uint64_t first, uint64_t *tsc, struct err *e)
{
    int64_t at = (int64_t)m->value;

    if ( !clock->has_wall )
        return err_set(e, -EINVAL, "--time: this trace does not say what time "
                       "of day it was; seconds from its start are possible");
    if ( m->kind == MOMENT_CLOCK )
        at = wall_of_clock(clock, first, m->value);
    if ( __builtin_sub_overflow(at, clock->wall, &at) )
        at = clock->wall < 0 ? INT64_MAX : INT64_MIN;
    *tsc = xt_clock_tsc(clock, at);
    return 0;
}

int moment_resolve(const struct moment *m, const struct xt_clock *clock,
                   uint64_t first, uint64_t last, uint64_t *tsc,
                   struct err *e)
{
    struct xt_clock from_first = *clock;

    from_first.origin = first;
    switch ( m->kind )
    {
    case MOMENT_NONE:
        break;
    case MOMENT_CYCLES:
        *tsc = m->value;
        break;
    case MOMENT_SINCE_START:
        *tsc = xt_clock_tsc(&from_first, (int64_t)(m->value & INT64_MAX));
        break;
    case MOMENT_BEFORE_END:
        if ( !last )
            return err_set(e, -EINVAL, "--time: where the end is, one only "
                           "sees in a file that is not compressed");
        *tsc = xt_clock_tsc(&from_first, xt_clock_ns(&from_first, last) -
                                         (int64_t)(m->value & INT64_MAX));
        break;
    case MOMENT_WALL:
    case MOMENT_CLOCK:
        return resolve_wall(m, clock, first, tsc, e);
    }
    return 0;
}
