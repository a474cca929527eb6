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
#include <stdio.h>
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

/* Parse an optional zone: Z, UTC, +01:00, +0100, +01.  False: text is left. */
static bool parse_zone(const char *p, bool *has_zone, int32_t *zone)
{
    unsigned int hours, minutes = 0;
    int length = 0, sign = *p == '-' ? -1 : 1;

    p += *p == ' ';
    *zone = 0;
    *has_zone = *p;
    if ( !*p || !strcmp(p, "Z") || !strcmp(p, "UTC") )
        return true;
    if ( (*p != '+' && *p != '-') || !isdigit((unsigned char)p[1]) ||
         sscanf(p + 1, "%2u%n", &hours, &length) != 1 || length != 2 )
        return false;
    sign = *p == '-' ? -1 : 1;
    p += 3;
    p += *p == ':' && p[1];
    if ( *p && (!isdigit((unsigned char)*p) ||
                sscanf(p, "%2u%n", &minutes, &length) != 1 || length != 2 ||
                p[2]) )
        return false;
    *zone = sign * (int32_t)(hours * 3600 + minutes * 60);
    return hours <= 14 && minutes < 60;
}

/* timegm() changes February 30 into March 1 or 2. */
static bool date_exists(const struct tm *tm)
{
    struct tm date = {
        .tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday,
    };

    timegm(&date);
    return date.tm_mday == tm->tm_mday;
}

static int make_date(struct tm *tm, bool has_zone, int32_t zone,
                     uint64_t fraction, struct moment *m)
{
    bool exists = date_exists(tm);
    int64_t at = has_zone ? (int64_t)timegm(tm) - zone : (int64_t)mktime(tm);

    if ( !exists || at < 0 || at >= MAX_WALL / (int64_t)SECOND )
        return -EDOM;
    *m = (struct moment){ MOMENT_WALL, at * SECOND + fraction, false, 0 };
    return 0;
}

/* "12:00", "12:00:03.5", or the same after a date and T or a blank. */
static int parse_wall(const char *text, struct moment *m)
{
    static const struct { const char *text; bool dated, seconds; } formats[] = {
        { "%Y-%m-%dT%H:%M:%S", true, true }, { "%Y-%m-%dT%H:%M", true, false },
        { "%Y-%m-%d %H:%M:%S", true, true }, { "%Y-%m-%d %H:%M", true, false },
        { "%H:%M:%S", false, true }, { "%H:%M", false, false },
    };

    for ( size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++ )
    {
        struct tm tm = { .tm_isdst = -1 };
        const char *p = strptime(text, formats[i].text, &tm);
        uint64_t fraction = 0;
        bool has_zone;
        int32_t zone;

        if ( p && formats[i].seconds )
            p = parse_fraction(p, &fraction);
        if ( !p || !parse_zone(p, &has_zone, &zone) )
            continue;
        if ( formats[i].dated )
            return make_date(&tm, has_zone, zone, fraction, m);
        *m = (struct moment){
            MOMENT_CLOCK, (tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec) *
                          SECOND + fraction, has_zone, zone,
        };
        return 0;
    }
    return -EINVAL;
}

static int parse_cycles(char *text, struct moment *m)
{
    size_t length = strlen(text);

    assert(length);
    if ( text[length - 1] != 'c' )
        return -EINVAL;
    text[length - 1] = '\0';
    m->kind = MOMENT_CYCLES;
    return opts_number(text, &m->value);
}

/* -ERANGE: a number is too large; -EDOM: no date; -EINVAL: no time. */
static int parse_moment(char *text, struct moment *m)
{
    int rc;

    assert(text && m);
    if ( !*text )
    {
        *m = (struct moment){ .kind = MOMENT_NONE };
        return 0;
    }
    if ( strchr(text, ':') )
        return parse_wall(text, m);
    if ( text[strlen(text) - 1] == 'c' )
        return parse_cycles(text, m);
    m->kind = *text == '-' ? MOMENT_BEFORE_END : MOMENT_SINCE_START;
    rc = opts_time(*text == '-' ? text + 1 : text, &m->value);
    return !rc && m->value > INT64_MAX ? -ERANGE : rc;
}

/* Both moments count from the same moment, and the end comes first. */
static bool span_is_inverted(const struct span *s)
{
    if ( s->from.kind != s->to.kind || s->from.kind == MOMENT_CLOCK )
        return false;
    return s->from.kind == MOMENT_BEFORE_END ? s->from.value < s->to.value
                                             : s->from.value > s->to.value;
}

static int refuse_inverted(const struct span *s, struct err *e)
{
    return err_usage(e, "--%s %s: the end is before the begin", s->option,
                     s->text);
}

static int refuse_moment(const struct span *s, int rc, struct err *e)
{
    if ( rc == -ERANGE )
        return err_usage(e, "--%s %s: a number is too large", s->option,
                         s->text);
    if ( rc == -EDOM )
        return err_usage(e, "--%s %s: there is no such date from 1970 to 2199",
                         s->option, s->text);
    return err_usage(e, "--%s %s: expected times such as 1.5, 3ms, "
                     "-10ms, 123456c, 12:00:03 or 2024-02-29T12:00Z",
                     s->option, s->text);
}

int span_parse_option(const char *option, const char *text, struct span *s,
                      struct err *e)
{
    const char *dots = strstr(text, "..");
    char from[MAX_LENGTH], to[MAX_LENGTH];
    int rc;

    if ( !dots || (size_t)(dots - text) >= sizeof(from) ||
         strlen(dots + 2) >= sizeof(to) )
        return err_usage(e, "--%s %s: expected A..B, such as 1.5..2 "
                         "or -10ms..", option, text);
    memcpy(from, text, dots - text);
    from[dots - text] = '\0';
    strcpy(to, dots + 2);
    s->text = text;
    s->option = option;
    rc = parse_moment(from, &s->from);
    rc = rc ? rc : parse_moment(to, &s->to);
    if ( rc )
        return refuse_moment(s, rc, e);
    return span_is_inverted(s) ? refuse_inverted(s, e) : 0;
}

int span_parse(const char *text, struct span *s, struct err *e)
{
    return span_parse_option("time", text, s, e);
}

/* --- conversion to time stamps -------------------------------------------- */

/* The last midnight before a time, in local time or in the moment's zone. */
static int64_t find_midnight(const struct moment *m, time_t seconds)
{
    struct tm tm;

    if ( m->has_zone )
        seconds += m->zone;
    if ( !(m->has_zone ? gmtime_r : localtime_r)(&seconds, &tm) )
        return 0;
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_isdst = -1;
    return m->has_zone ? (int64_t)timegm(&tm) - m->zone : (int64_t)mktime(&tm);
}

/* A time of day, on the day on which the trace begins or the next day. */
static int64_t resolve_time_of_day(const struct xt_clock *clock, uint64_t first,
                                   const struct moment *m)
{
    int64_t start = xt_clock_wall(clock, first), at;

    if ( start < 0 || start > MAX_WALL )
        start = 0;
    at = find_midnight(m, start / (int64_t)SECOND) * (int64_t)SECOND +
         (int64_t)m->value;
    return at < start - (int64_t)(12 * 3600 * SECOND)
           ? at + (int64_t)(24 * 3600 * SECOND) : at;
}

static int resolve_wall(const struct moment *m, const struct xt_clock *clock,
                        uint64_t first, uint64_t *tsc, bool *early,
                        struct err *e)
{
    int64_t at = (int64_t)m->value;

    assert(m->kind == MOMENT_WALL || m->kind == MOMENT_CLOCK);
    assert(m->value <= (uint64_t)MAX_WALL);
    if ( !clock->has_wall )
        return err_set(e, -EINVAL, "--time: the trace has no wall clock time; "
                       "give seconds since its start");
    if ( m->kind == MOMENT_CLOCK )
        at = resolve_time_of_day(clock, first, m);
    if ( __builtin_sub_overflow(at, clock->wall, &at) )
        at = clock->wall < 0 ? INT64_MAX : INT64_MIN;
    *tsc = xt_clock_tsc(clock, at);
    *early = at < xt_clock_ns(clock, 0);
    return 0;
}

/* *early: the moment is before time stamp 0. */
static int resolve_moment(const struct moment *m, const struct xt_clock *clock,
                          uint64_t first, uint64_t last, uint64_t *tsc,
                          bool *early, struct err *e)
{
    struct xt_clock from_first = *clock;
    int64_t ns;

    from_first.origin = first;
    *early = false;
    switch ( m->kind )
    {
    case MOMENT_NONE:
        break;
    case MOMENT_CYCLES:
        *tsc = m->value;
        break;
    case MOMENT_SINCE_START:
        *tsc = xt_clock_tsc(&from_first, (int64_t)m->value);
        break;
    case MOMENT_BEFORE_END:
        if ( !last )
            return err_set(e, -EINVAL, "--time: the end is known only of an "
                           "uncompressed file; give a time since the start");
        ns = xt_clock_ns(&from_first, last) - (int64_t)m->value;
        *tsc = xt_clock_tsc(&from_first, ns);
        *early = ns < xt_clock_ns(&from_first, 0);
        break;
    case MOMENT_WALL:
    case MOMENT_CLOCK:
        return resolve_wall(m, clock, first, tsc, early, e);
    }
    return 0;
}

static bool is_wall(const struct moment *m)
{
    return m->kind == MOMENT_WALL || m->kind == MOMENT_CLOCK;
}

int span_resolve(const struct span *s, const struct xt_clock *clock,
                 uint64_t first, uint64_t last, uint64_t *from,
                 uint64_t *until, struct err *e)
{
    bool early;
    int rc;

    *from = 0;
    *until = UINT64_MAX;
    rc = resolve_moment(&s->from, clock, first, last, from, &early, e);
    rc = rc ? rc : resolve_moment(&s->to, clock, first, last, until, &early, e);
    if ( rc )
        return rc;
    if ( *from > *until && is_wall(&s->from) && is_wall(&s->to) )
        return refuse_inverted(s, e);
    if ( early )
    {
        *from = 1;
        *until = 0;
    }
    return 0;
}
