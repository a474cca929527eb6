/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Version 0: records of eight words, id, time and six arguments.  A string is
 * a pointer into the process, which no longer exists.
 */
#include <assert.h>

#include "libusertrace/simple-format.h"
#include "simpletrace/bytes.h"
#include "simpletrace/reader-private.h"

#define RECORD 64u
#define ARGS 16u                /* offset of the arguments */

static struct st_event *lookup_event_v0(struct st_reader *r, uint64_t id)
{
    if ( id == SIMPLE_DROPPED )
        return &r->events->dropped;
    return id < r->map_nr ? r->map[id] : NULL;
}

static int take_record_v0(struct st_reader *r, struct st_record *record,
                          struct st_event *event)
{
    const unsigned char *p = st_input_bytes(&r->in);

    assert(event && !r->version);
    *record = (struct st_record){
        .event = event, .from = r, .time = st_get64(p + 8, r->swapped),
        .is_dropped = event == &r->events->dropped,
        .args = p + ARGS, .bytes = RECORD - ARGS,
    };
    if ( record->is_dropped )
        r->lost += st_record_word(record, 0);
    r->records++;
    r->in.at += RECORD;
    return 1;
}

int st_reader_next_v0(struct st_reader *r, struct st_record *record,
                      struct err *e)
{
    struct st_event *event;
    int64_t have;

    for ( ; ; )
    {
        have = st_input_need(&r->in, RECORD, e);
        if ( have <= 0 || (have < (int64_t)RECORD && r->in.follow) )
            return have < 0 ? have : 0;
        event = have < (int64_t)RECORD ? NULL :
                lookup_event_v0(r, st_get64(st_input_bytes(&r->in),
                                            r->swapped));
        if ( event )
            return take_record_v0(r, record, event);
        if ( have > (int64_t)RECORD )
            have = RECORD;
        st_reader_report_damage(r, st_input_offset(&r->in), have);
        r->in.at += have;
    }
}
