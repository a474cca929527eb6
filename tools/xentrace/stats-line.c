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

static char *format_rates(const struct stats_now *before,
                          const struct stats_now *now, char *p)
{
    uint64_t ns = (now->ms - before->ms) * 1000000;

    assert(now->ms >= before->ms && now->events >= before->events);
    p = num_human(p, num_per_second(now->events - before->events, ns),
                  "events/s");
    p = num_text(p, "  ");
    p = num_human(p, num_per_second(now->bytes - before->bytes, ns), "B/s");
    return num_text(p, "  ");
}

/* "1.0 MiB of 64.0 MiB in memory", "up to 2.0 MiB in Xen's rings" */
static char *format_place(const struct stats_now *now, char *p)
{
    static const char *const places[] = {
        [HOLDER_MEMORY] = " in memory", [HOLDER_RINGS] = " in Xen's rings",
    };

    if ( now->holder == HOLDER_FILE )
        return num_human_1024(p, now->bytes, "B");
    if ( now->holder == HOLDER_MEMORY )
        p = num_human_1024(p, now->held, "B");
    p = num_text(p, now->holder == HOLDER_MEMORY ? " of " : "up to ");
    p = num_human_1024(p, now->room, "B");
    return num_text(p, places[now->holder]);
}

/* The fill level of the rings, and the queue for the disk. */
static char *format_queues(const struct stats_now *now, char *p)
{
    p = num_text(p, ", rings ");
    p = num_u64(p, now->full);
    p = num_text(p, " % full");
    if ( now->holder == HOLDER_MEMORY )
        return p;
    p = num_text(p, ", ");
    p = num_human_1024(p, now->waiting, "B");
    return num_text(p, " queued");
}

/* Records that stay in Xen's rings have no rates, and no known number. */
static void format_progress(const struct stats_line *s,
                            const struct stats_now *before,
                            const struct stats_now *now, char *p)
{
    bool is_read = now->holder != HOLDER_RINGS;

    p = num_clock(p, (now->ms - s->begun_ms) / 1000);
    p = num_text(p, "  ");
    p = is_read ? format_rates(before, now, p) : p;
    p = format_place(now, p);
    p = num_text(p, ", ");
    p = num_u64(p, now->lost);
    p = num_text(p, " lost");
    p = is_read ? format_queues(now, p) : p;
    *p = '\0';
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
