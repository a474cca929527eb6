/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One event is read ahead.  The columns are those of the records' lines:
 *
 *     *  0.001234567        qemu/4711 dma_start sector 7       dump
 *        -        2962961 dma_start     qemu/4711 sector 7     records
 */
#include "xenalyze/lines/program-lines.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/num.h"

#define LINE_ROOM 8192u
#define TIME_WIDTH 13u
#define TSC_WIDTH 18u
#define NAME_WIDTH 24u

/* Texts and names are shorter; the line is cut in any case. */
static char *put_limited(char *p, const char *end, const char *text)
{
    size_t length = strlen(text), left = end - p;

    assert(p <= end);
    length = length < left ? length : left;
    memcpy(p, text, length);
    return p + length;
}

static char *put_thread(const struct program_lines *l, char *p,
                        const struct program_event *event)
{
    const struct program_process *process =
        programs_process(l->programs, event->process);

    p = num_text(p, process->label);
    if ( process->pid || event->tid )
    {
        *p++ = '/';
        p = num_u64(p, event->tid ? event->tid : process->pid);
    }
    return p;
}

static char *put_what(const struct program_lines *l, char *p,
                      const struct program_event *event)
{
    if ( !event->lost )
        return num_text(p, programs_event_name(l->programs, event->name));
    p = num_u64(num_text(p, "lost "), event->lost);
    return num_text(p, event->lost == 1 ? " event" : " events");
}

static char *put_dump_columns(const struct program_lines *l, char *p,
                              const struct program_event *event)
{
    uint64_t cycles = event->time > l->start ? event->time - l->start : 0;

    assert(l->clock);
    *p++ = event->lost ? '!' : '*';
    p = num_sec_right(p, xt_clock_duration(l->clock, cycles), TIME_WIDTH);
    p = num_fill(p, ' ', 1 + (l->column_width < LINE_ROOM / 4
                               ? l->column_width : 0));
    *p++ = ' ';
    p = put_thread(l, p, event);
    *p++ = ' ';
    return put_what(l, p, event);
}

static char *put_record_columns(const struct program_lines *l, char *p,
                                const struct program_event *event)
{
    char *name;

    p = num_u64_right(num_text(p, "   - "), event->time, TSC_WIDTH);
    *p++ = ' ';
    name = p;
    p = put_what(l, p, event);
    if ( p - name < (ptrdiff_t)NAME_WIDTH )
        p = num_fill(p, ' ', NAME_WIDTH - (p - name));
    *p++ = ' ';
    return put_thread(l, p, event);
}

static int add_program_line(struct program_lines *l, struct chunk *c,
                            size_t item)
{
    char line[LINE_ROOM], *p, *end = line + sizeof(line) - 1;

    p = l->in_cycles ? put_record_columns(l, line, l->next)
                     : put_dump_columns(l, line, l->next);
    if ( *l->next->text )
    {
        *p++ = ' ';
        p = put_limited(p, end, l->next->text);
    }
    *p++ = '\n';
    assert(p <= line + sizeof(line));
    l->shown++;
    return chunk_insert(c, item, line, p - line);
}

static bool is_shown(const struct program_lines *l)
{
    const struct program_event *event = l->next;

    return event->time >= l->start && event->time >= l->from &&
           event->time <= l->until &&
           (!l->filter || event->lost ||
            filter_wants_name(l->filter,
                              programs_event_name(l->programs, event->name)));
}

/* Read the next event to be shown. */
static int read_next_event(struct program_lines *l)
{
    int rc;

    do
    {
        rc = programs_next(l->programs, &l->next, &l->err);
        if ( rc <= 0 )
            l->next = NULL;
    } while ( rc > 0 && !is_shown(l) );
    return rc < 0 ? rc : 0;
}

/* Add the lines before a time in front of an item, up to the maximum. */
static int add_until(struct program_lines *l, struct chunk *c, uint64_t time,
                     size_t item)
{
    int rc = 0;

    if ( !l->begun )
        rc = read_next_event(l);
    l->begun = true;
    while ( !rc && l->next && l->next->time < time &&
            c->used_inserted < PROGRAM_LINES_MAX )
    {
        rc = add_program_line(l, c, item);
        if ( rc )
            return err_sys(&l->err, rc, "cannot print the events of programs");
        rc = read_next_event(l);
    }
    return rc;
}

int program_lines_add_before(struct program_lines *l, struct chunk *c,
                             uint64_t time)
{
    int rc = add_until(l, c, time, 0);

    assert(!c->nr);
    return rc ? rc : l->next && l->next->time < time;
}

int program_lines_add(struct program_lines *l, struct chunk *c)
{
    int rc = 0;

    l->column_width = c->column_width;
    for ( size_t i = 0; !rc && i < c->nr; i++ )
    {
        assert(!l->begun || !i || c->items[i - 1].time <= c->items[i].time);
        rc = add_until(l, c, c->items[i].time, i);
    }
    return rc;
}

int program_lines_end(struct program_lines *l, uint64_t last, FILE *out)
{
    struct chunk c = { .nr = 0 };       /* only its inserts are used */
    uint64_t until = last + (last < UINT64_MAX);
    int rc;

    do
    {
        c.nr_inserts = c.used_inserted = 0;
        rc = add_until(l, &c, until, 0);
        if ( !rc && c.used_inserted &&
             fwrite(c.inserted, 1, c.used_inserted, out) !=
                    c.used_inserted )
            rc = err_sys(&l->err, -errno, "cannot write the events of "
                         "programs");
    } while ( !rc && c.used_inserted );
    assert(rc || !l->next || l->next->time >= until);
    chunk_fini(&c);
    return rc;
}
