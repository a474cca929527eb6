/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of stock xenalyze for a series: scripts depend on widths and order
 * of the columns.
 */
#include "xenalyze/stats/stats.h"

#include "common/text-buffer.h"

static void add_count(struct text_buffer *t, char before, uint64_t n,
                      unsigned int width)
{
    text_reserve(t);
    *t->at++ = before;
    t->at = num_u64_right(t->at, n, width);
}

static void add_cents(struct text_buffer *t, double value, const char *unit)
{
    text_reserve(t);
    *t->at++ = ' ';
    if ( value < NUM_CENTS_LIMIT )
        t->at = num_cents(t->at, value, 5);
    else
        t->at += snprintf(t->at, NUM_U64_MAX + 8, "%.2f", value);
    t->at = num_text(t->at, unit);
}

static void begin_line(struct text_buffer *t, const char *name, FILE *out)
{
    fputs(name, out);
    text_begin(t, out);
}

static void end_line(struct text_buffer *t, const struct stats_scale *scale,
                     unsigned int width, const struct stats_percentiles *p)
{
    if ( scale->samples )
    {
        *t->at++ = ' ';
        add_count(t, '{', p->p5, width);
        add_count(t, '|', p->p50, width);
        add_count(t, '|', p->p95, width);
        *t->at++ = '}';
    }
    *t->at++ = '\n';
    text_end(t);
}

void stats_line_cost(FILE *out, const struct stats_scale *scale,
                     const char *name, const struct stats *s)
{
    struct stats_percentiles p = { 0 };
    struct text_buffer t;

    if ( !stats_events(s) )
        return;
    if ( s->count )
        stats_percentiles(s, &p);
    begin_line(&t, name, out);
    add_count(&t, ' ', stats_events(s), 7);
    add_cents(&t, stats_seconds(scale, s->sum), "s");
    add_cents(&t, stats_share(s->sum, scale->total), "%");
    add_count(&t, ' ', stats_mean(s), 5);
    t.at = num_text(t.at, " cyc");
    end_line(&t, scale, 5, &p);
}

void stats_line_time(FILE *out, const struct stats_scale *scale,
                     const char *name, const struct stats *s)
{
    struct stats_percentiles p;
    struct text_buffer t;

    if ( !s->count )
        return;
    stats_weighted_percentiles(s, &p);
    begin_line(&t, name, out);
    *t.at++ = ':';
    add_count(&t, ' ', s->count, 7);
    add_cents(&t, stats_seconds(scale, s->sum), "s");
    add_count(&t, ' ', stats_mean(s), 6);
    end_line(&t, scale, 6, &p);
}

void stats_line_share(FILE *out, const struct stats_scale *scale,
                      const char *name, const struct stats *s, uint64_t whole)
{
    struct stats_percentiles p;
    struct text_buffer t;

    if ( !s->count )
        return;
    stats_weighted_percentiles(s, &p);
    begin_line(&t, name, out);
    *t.at++ = ':';
    add_count(&t, ' ', s->count, 7);
    add_cents(&t, stats_seconds(scale, s->sum), "s");
    add_cents(&t, stats_share(s->sum, whole), "%");
    add_count(&t, ' ', stats_mean(s), 6);
    end_line(&t, scale, 6, &p);
}

void stats_line_spread(FILE *out, const struct stats_scale *scale,
                       const char *name, const struct stats *s)
{
    struct stats_percentiles p;
    struct text_buffer t;

    if ( !s->count )
        return;
    stats_percentiles(s, &p);
    begin_line(&t, name, out);
    *t.at++ = ':';
    add_count(&t, ' ', s->count, 7);
    add_count(&t, ' ', stats_mean(s), 6);
    end_line(&t, scale, 6, &p);
}
