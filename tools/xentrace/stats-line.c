/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each line is formatted into a buffer and written with one call.
 */
#include "xentrace/stats-line.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

#include "common/num.h"
#include "common/progress.h"

void stats_line_begin(struct stats_line *s, FILE *out, uint64_t now_ms)
{
    assert(out);
    *s = (struct stats_line){
        .out = out, .in_place = isatty(fileno(out)), .begun_ms = now_ms,
        .before = { .ms = now_ms },
    };
}

static void format_progress(const struct stats_line *s,
                            const struct stats_now *before,
                            const struct stats_now *now, char *p)
{
    uint64_t ns = (now->ms - before->ms) * 1000000;

    assert(now->ms >= before->ms && now->events >= before->events);
    p = num_clock(p, (now->ms - s->begun_ms) / 1000);
    p = num_text(p, "  ");
    p = num_human(p, num_per_second(now->events - before->events, ns),
                  "events/s");
    p = num_text(p, "  ");
    p = num_human(p, num_per_second(now->bytes - before->bytes, ns), "B/s");
    p = num_text(p, "  ");
    p = num_human_1024(p, now->bytes, "B");
    p = num_text(p, ", ");
    p = num_u64(p, now->lost);
    p = num_text(p, " lost, rings ");
    p = num_u64(p, now->full);
    p = num_text(p, " % full, ");
    p = num_human_1024(p, now->waiting, "B");
    *num_text(p, " queued") = '\0';
}

void stats_line_format(const struct stats_line *s, const struct stats_now *now,
                       char *text)
{
    const struct stats_now begin = { .ms = s->begun_ms };

    format_progress(s, &begin, now, text);
}

void stats_line_print(struct stats_line *s, const struct stats_now *now)
{
    char line[STATS_TEXT];
    unsigned int columns;

    format_progress(s, &s->before, now, line);
    /* A line that wraps would stay when the next one is printed. */
    columns = s->in_place ? progress_count_columns(fileno(s->out)) : 0;
    if ( columns && columns <= strlen(line) )
        line[columns - 1] = '\0';
    fprintf(s->out, "%s%s%s", s->in_place ? "\r" : "", line,
            s->in_place ? "\033[K" : "\n");
    fflush(s->out);
    s->shown = s->in_place;
    s->before = *now;
}

void stats_line_end(struct stats_line *s)
{
    if ( s->out && s->shown )
        fputc('\n', s->out);
    s->shown = false;
}
