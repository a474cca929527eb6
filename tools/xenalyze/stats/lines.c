/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of stock xenalyze for a series: scripts depend on widths and order
 * of the columns.
 */
#include "xenalyze/stats/stats.h"

#include <inttypes.h>

static void end_line(FILE *out, const struct stats_scale *scale, int width,
                     const struct stats_percentiles *p)
{
    if ( scale->samples )
        fprintf(out, " {%*" PRIu64 "|%*" PRIu64 "|%*" PRIu64 "}", width,
                p->p5, width, p->p50, width, p->p95);
    putc('\n', out);
}

void stats_line_cost(FILE *out, const struct stats_scale *scale,
                     const char *name, const struct stats *s)
{
    struct stats_percentiles p = { 0 };

    if ( !stats_events(s) )
        return;
    if ( s->count )
        stats_percentiles(s, &p);
    fprintf(out, "%s %7" PRIu64 " %5.2fs %5.2f%% %5" PRIu64 " cyc", name,
            stats_events(s), stats_seconds(scale, s->sum),
            stats_share(s->sum, scale->total), stats_mean(s));
    end_line(out, scale, 5, &p);
}

void stats_line_time(FILE *out, const struct stats_scale *scale,
                     const char *name, const struct stats *s)
{
    struct stats_percentiles p;

    if ( !s->count )
        return;
    stats_weighted_percentiles(s, &p);
    fprintf(out, "%s: %7" PRIu64 " %5.2fs %6" PRIu64, name, s->count,
            stats_seconds(scale, s->sum), stats_mean(s));
    end_line(out, scale, 6, &p);
}

void stats_line_share(FILE *out, const struct stats_scale *scale,
                      const char *name, const struct stats *s, uint64_t whole)
{
    struct stats_percentiles p;

    if ( !s->count )
        return;
    stats_weighted_percentiles(s, &p);
    fprintf(out, "%s: %7" PRIu64 " %5.2fs %5.2f%% %6" PRIu64, name, s->count,
            stats_seconds(scale, s->sum), stats_share(s->sum, whole),
            stats_mean(s));
    end_line(out, scale, 6, &p);
}

void stats_line_spread(FILE *out, const struct stats_scale *scale,
                       const char *name, const struct stats *s)
{
    struct stats_percentiles p;

    if ( !s->count )
        return;
    stats_percentiles(s, &p);
    fprintf(out, "%s: %7" PRIu64 " %6" PRIu64, name, s->count, stats_mean(s));
    end_line(out, scale, 6, &p);
}
