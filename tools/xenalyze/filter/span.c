/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A span of time: parse the user's text, and convert it to time stamps when the
 * trace is open.
 */
#define _GNU_SOURCE
#include "xenalyze/filter/filter.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "common/opts.h"

#define SECOND UINT64_C(1000000000)
#define MAX_LENGTH 64u

/* The year 2200: far from the limit of 64 bits of nanoseconds. */
#define MAX_WALL (INT64_C(7258118400) * (int64_t)SECOND)

/* --- a moment ------------------------------------------------------------- */

/* Parse an optional fraction of a second, ".5"; returns its end. */
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

/* "12:00:03.5", or the same after a date and T or a blank. */
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

        if ( at < 0 || at >= MAX_WALL / (int64_t)SECOND )
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

    assert(length);
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
    char from[MAX_LENGTH], to[MAX_LENGTH];

    if ( !dots || (size_t)(dots - text) >= sizeof(from) ||
         strlen(dots + 2) >= sizeof(to) )
        return err_usage(e, "--time %s: expected A..B, such as 1.5..2 "
                         "or -10ms..", text);
    memcpy(from, text, dots - text);
    from[dots - text] = '\0';
    strcpy(to, dots + 2);
    if ( parse_moment(from, &s->from) && parse_moment(to, &s->to) )
        return 0;
    return err_usage(e, "--time %s: expected times such as 1.5, 3ms, "
                     "-10ms, 123456c, 12:00:03 or 2024-02-29T12:00:03", text);
}

/* --- conversion to time stamps -------------------------------------------- */

/* A time of day, on the day on which the trace begins or the next day. */
static int64_t resolve_time_of_day(const struct xt_clock *clock, uint64_t first,
                                   uint64_t value)
{
    int64_t start = xt_clock_wall(clock, first), at;
    time_t seconds;
    struct tm tm;

    if ( start < 0 || start > MAX_WALL )
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

    assert(m->kind == MOMENT_WALL || m->kind == MOMENT_CLOCK);
    assert(m->value <= (uint64_t)MAX_WALL);
    if ( !clock->has_wall )
        return err_set(e, -EINVAL, "--time: the trace has no wall clock time; "
                       "give seconds since its start");
    if ( m->kind == MOMENT_CLOCK )
        at = resolve_time_of_day(clock, first, m->value);
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
            return err_set(e, -EINVAL, "--time: the end is known only of an "
                           "uncompressed file; give a time since the start");
        *tsc = xt_clock_tsc(&from_first, xt_clock_ns(&from_first, last) -
                                         (int64_t)(m->value & INT64_MAX));
        break;
    case MOMENT_WALL:
    case MOMENT_CLOCK:
        return resolve_wall(m, clock, first, tsc, e);
    }
    return 0;
}
