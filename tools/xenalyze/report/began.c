/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From nanoseconds since 1970 to what --time takes.
 */
#include "xenalyze/report/began.h"

#include <inttypes.h>
#include <time.h>

void report_began(const struct xt_clock *clock, FILE *out)
{
    int64_t second = clock->wall / 1000000000;
    int64_t ns = clock->wall % 1000000000;
    time_t at = (time_t)second;
    char text[40];
    struct tm tm;

    if ( !clock->has_wall || clock->wall < 0 || !localtime_r(&at, &tm) ||
         !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) )
        return;
    fprintf(out, " seconds count from %s.%06" PRId64 "\n", text, ns / 1000);
}
