/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file consists of windows, each of one pcpu; a window consists of records.
 */
#include <string.h>

#include "judge.h"

/* Decode the record at `at`; false if it does not end before `end`. */
static bool get_record(const uint8_t *data, size_t at, size_t end,
                       struct record *r)
{
    uint32_t header;

    memset(r, 0, sizeof(*r));
    if ( end - at < sizeof(header) )
        return false;
    memcpy(&header, data + at, sizeof(header));
    r->at = at;
    r->event = TRC_HD_TO_EVENT(header);
    r->words = TRC_HD_EXTRA(header);
    r->timed = TRC_HD_INCLUDES_CYCLE_COUNT(header);
    r->size = 4 + 8 * r->timed + 4 * r->words;
    if ( r->size > end - at )
        return false;
    if ( r->timed )
        memcpy(&r->tsc, data + at + 4, 8);
    memcpy(r->word, data + at + 4 + 8 * r->timed, 4 * r->words);

    return true;
}

/* Check a window: the records of one pcpu, from `at` to `end`. */
static void check_window(struct check *c, size_t at, size_t end)
{
    struct record r;

    c->windows++;
    if ( c->expected->cpu >= 0 && c->cpu != (unsigned long)c->expected->cpu )
        report_error(c, at, "unexpected window of this cpu");
    for ( ; at < end; at += r.size )
    {
        if ( !get_record(c->data, at, end, &r) )
        {
            report_error(c, at, "a record crosses the end of its window");
            return;
        }
        check_record(c, &r);
    }
}

void check_file(struct check *c)
{
    struct record r;
    size_t at = 0, end;

    while ( at < c->size )
    {
        if ( !get_record(c->data, at, c->size, &r) ||
             r.event != TRC_TRACE_CPU_CHANGE || r.words != 2 || r.timed ||
             r.word[0] >= MAX_CPUS || r.word[1] > c->size - at - r.size )
        {
            report_error(c, at, "not a complete window");
            return;
        }
        c->cpu = r.word[0];
        c->now = &c->pcpu[c->cpu];
        end = at + r.size + r.word[1];
        check_window(c, at + r.size, end);
        at = end;
    }
}
