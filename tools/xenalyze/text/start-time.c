/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nanoseconds since 1970 as the text format of --time.
 */
#include "xenalyze/text/start-time.h"

#include <inttypes.h>
#include <time.h>

bool start_time_text(const struct xt_clock *clock, char text[START_TIME_MAX])
{
    int64_t second = clock->wall / 1000000000;
    int64_t ns = clock->wall % 1000000000;
    time_t at = (time_t)second;
    size_t length = 0;
    struct tm tm;

    if ( clock->has_wall && clock->wall >= 0 && localtime_r(&at, &tm) )
        length = strftime(text, START_TIME_MAX - 8, "%Y-%m-%dT%H:%M:%S", &tm);
    text[length] = '\0';
    if ( length )
        snprintf(text + length, START_TIME_MAX - length, ".%06" PRId64,
                 ns / 1000);
    return length;
}

void text_print_start_time(const struct xt_clock *clock, FILE *out)
{
    char text[START_TIME_MAX];

    if ( start_time_text(clock, text) )
        fprintf(out, " seconds count from %s\n", text);
}
