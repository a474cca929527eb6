/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The line is formatted in a buffer and truncated to the width of the terminal,
 * since a carriage return cannot erase a wrapped line.  Blanks erase the line,
 * which works on terminals without escape sequences.
 */
#include <assert.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "common/num.h"
#include "common/progress.h"

#define REDRAW_NS 100000000u    /* ten updates a second */
#define MAX_COLUMNS 120u
#define MAX_NAME 64             /* bytes used of `what` and of `unit` */

static uint64_t get_time(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

unsigned int progress_count_columns(int fd)
{
    struct winsize size;

    if ( ioctl(fd, TIOCGWINSZ, &size) || size.ws_col == 0 )
        return 80;

    return size.ws_col;
}

void progress_init(struct progress *p, FILE *out, const char *what,
                   const char *unit, uint64_t total)
{
    assert(strlen(what) <= MAX_NAME && strlen(unit) <= MAX_NAME);
    *p = (struct progress){ .what = what, .unit = unit, .total = total };
    if ( !isatty(fileno(out)) )
        return;

    p->out = out;
    p->columns = progress_count_columns(fileno(out));
    p->start_ns = get_time();
}

static char *put_amount(char *at, const struct progress *p, uint64_t done)
{
    at = num_human(num_text(at, "  "), done, p->unit);
    if ( p->total == 0 )
        return at;

    return num_human(num_text(at, " of "), p->total, p->unit);
}

static char *put_speed(char *at, const struct progress *p, uint64_t done,
                       uint64_t spent_ns)
{
    uint64_t rate = num_per_second(done, spent_ns);

    if ( rate == 0 )
        return at;

    at = num_text(num_human(num_text(at, "  "), rate, p->unit), "/s");
    if ( p->total <= done )
        return at;

    at = num_clock(num_text(at, "  "), (p->total - done) / rate);
    return num_text(at, " left");
}

/* Write the line without a NUL; return its length. */
static size_t make_line(char *line, const struct progress *p, uint64_t done,
                        uint64_t spent_ns)
{
    char *at = num_text(line, p->what);

    if ( p->total != 0 )
    {
        uint64_t part = done < p->total ? done : p->total;

        at = num_u64_right(num_text(at, " "), (double)part * 100 / p->total, 3);
        at = num_text(at, " %");
    }
    at = put_amount(at, p, done);
    at = put_speed(at, p, done, spent_ns);
    return at - line;
}

void progress_tick(struct progress *p, uint64_t done, uint64_t now_ns)
{
    char line[4 * (MAX_NAME + NUM_HUMAN_MAX) + NUM_CLOCK_MAX + 64];
    size_t len, room;

    if ( p->out == NULL || now_ns < p->next_ns )
        return;

    assert(now_ns >= p->start_ns);
    assert(p->columns != 0);
    len = make_line(line, p, done, now_ns - p->start_ns);
    assert(len <= sizeof(line));
    room = p->columns < MAX_COLUMNS ? p->columns - 1 : MAX_COLUMNS;
    if ( len > room )
        len = room;

    /* Blanks erase the rest of a longer previous line. */
    fprintf(p->out, "\r%-*.*s", (int)(p->shown > len ? p->shown : len),
            (int)len, line);
    fflush(p->out);
    p->shown = len;
    p->next_ns = now_ns + REDRAW_NS;
}

void progress_update(struct progress *p, uint64_t done)
{
    if ( p->out != NULL )
        progress_tick(p, done, get_time());
}

void progress_hide(struct progress *p)
{
    assert(p->shown <= MAX_COLUMNS);
    if ( p->out == NULL || p->shown == 0 )
        return;

    fprintf(p->out, "\r%*s\r", (int)p->shown, "");
    fflush(p->out);
    p->shown = 0;
    p->next_ns = 0;
}

void progress_fini(struct progress *p)
{
    progress_hide(p);
    p->out = NULL;
}
