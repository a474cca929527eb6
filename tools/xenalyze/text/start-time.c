/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nanoseconds since 1970 as the text format of --time.
 */
#define _GNU_SOURCE
#include "xenalyze/text/start-time.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#define ZONE_MAX 16u

/* " UTC" or "+01:00". */
static void format_zone(const struct tm *tm, char zone[ZONE_MAX])
{
    unsigned int minutes = (unsigned int)labs(tm->tm_gmtoff) / 60;

    if ( minutes )
        snprintf(zone, ZONE_MAX, "%c%02u:%02u", tm->tm_gmtoff < 0 ? '-' : '+',
                 minutes / 60 % 100, minutes % 60);
    else
        snprintf(zone, ZONE_MAX, " UTC");
}

bool start_time_text(const struct xt_clock *clock, char text[START_TIME_MAX])
{
    int64_t second = clock->wall / 1000000000;
    int64_t ns = clock->wall % 1000000000;
    time_t at = (time_t)second;
    char zone[ZONE_MAX];
    size_t length = 0;
    struct tm tm;

    if ( clock->has_wall && clock->wall >= 0 && localtime_r(&at, &tm) )
        length = strftime(text, START_TIME_MAX - ZONE_MAX - 8,
                          "%Y-%m-%dT%H:%M:%S", &tm);
    assert(length < START_TIME_MAX - ZONE_MAX - 8);
    text[length] = '\0';
    if ( !length )
        return false;
    format_zone(&tm, zone);
    snprintf(text + length, START_TIME_MAX - length, ".%06" PRId64 "%s",
             ns / 1000, zone);
    return true;
}

void text_print_start_time(const struct xt_clock *clock, FILE *out)
{
    char text[START_TIME_MAX];

    if ( start_time_text(clock, text) )
        fprintf(out, " trace start (t=0): %s\n", text);
}
