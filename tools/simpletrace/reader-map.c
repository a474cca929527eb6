/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the ids of a trace stand for, and what else a trace tells of itself:
 * its mappings.
 */
#include "simpletrace/reader-private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "libusertrace/simple-format.h"
#include "simpletrace/bytes.h"

#define HEADER 20u              /* of a mapping */
#define NUMBERS 64u             /* bytes that some numbers may take */

static int set(struct st_reader *r, uint64_t id, struct st_event *event)
{
    size_t nr = r->map_nr ? r->map_nr : 512;
    struct st_event **map;

    if ( !event || id >= ST_MOST_IDS )
        return -ENOMEM;
    if ( id >= r->map_nr )
    {
        while ( nr <= id )
            nr *= 2;
        map = fault_realloc(r->map, nr * sizeof(*map));
        if ( !map )
            return -ENOMEM;
        memset(map + r->map_nr, 0, (nr - r->map_nr) * sizeof(*map));
        r->map = map;
        r->map_nr = nr;
    }
    r->map[id] = event;
    return 0;
}

int st_reader_number(struct st_reader *r, bool also_disabled, struct err *e)
{
    size_t i, id = 0;

    for ( i = 0; i < r->events->nr; i++ )
        if ( (also_disabled || !r->events->all[i]->disabled) &&
             set(r, id++, r->events->all[i]) )
            return err_sys(e, -ENOMEM, "cannot read %s", r->in.name);
    return 0;
}

struct st_event *st_reader_unknown(struct st_reader *r, uint64_t id)
{
    char name[32];
    int n = snprintf(name, sizeof(name), "event-0x%llx",
                     (unsigned long long)id);
    struct st_event *event = st_events_named(r->events, name, n);

    if ( event && id < ST_MOST_IDS && set(r, id, event) )
        return NULL;
    return event;
}

static int take_name(struct st_reader *r, uint64_t id, const char *text,
                     size_t length)
{
    return set(r, id, st_events_named(r->events, text, length));
}

/* "ID DECLARATION"; one that cannot be read is passed over. */
static int take_declaration(struct st_reader *r, const char *text,
                            size_t length)
{
    size_t digits = strspn(text, "0123456789");
    uint64_t id = strtoull(text, NULL, 10);
    struct st_event *event;

    if ( !digits || digits > 9 || text[digits] != ' ' || id >= ST_MOST_IDS )
        return 0;
    event = st_events_declare(r->events, text + digits + 1,
                              length - digits - 1);
    return event ? set(r, id, event) : 0;
}

/* "MONOTONIC REALTIME" */
static int take_clock(struct st_reader *r, const char *text, size_t length)
{
    unsigned long long monotonic, realtime;

    (void)length;
    if ( sscanf(text, "%llu %llu", &monotonic, &realtime) == 2 )
        r->clock = (struct st_clock){ .known = true, .monotonic = monotonic,
                                      .realtime = realtime };
    return 0;
}

static int take_thread(struct st_reader *r, const char *text, size_t length)
{
    (void)length;
    r->tid = strtoul(text, NULL, 10);
    return 0;
}

static int take_process(struct st_reader *r, const char *text, size_t length)
{
    (void)length;
    if ( !r->about )
        r->about = fault_strdup(text);
    return r->about ? 0 : -ENOMEM;
}

static const struct
{
    uint64_t id;
    int (*take)(struct st_reader *r, const char *text, size_t length);
} ours[] = {
    { SIMPLE_DECLARE, take_declaration }, { SIMPLE_CLOCK, take_clock },
    { SIMPLE_PROCESS, take_process }, { SIMPLE_THREAD, take_thread },
};

/* Texts are given an end, so that they can be read as such. */
static int take_ours(struct st_reader *r, uint64_t id, const char *text,
                     size_t length)
{
    char *copy;
    size_t i;
    int rc = 0;

    for ( i = 0; i < sizeof(ours) / sizeof(ours[0]); i++ )
        if ( ours[i].id == id )
            break;
    if ( i == sizeof(ours) / sizeof(ours[0]) )
        return 0;
    copy = fault_malloc(length + NUMBERS);
    if ( !copy )
        return -ENOMEM;
    memcpy(copy, text, length);
    copy[length] = '\0';
    rc = ours[i].take(r, copy, length);
    fault_free(copy);
    return rc;
}

int st_reader_map(struct st_reader *r, size_t size, struct err *e)
{
    const unsigned char *p = st_input_bytes(&r->in);
    const char *text = (const char *)p + HEADER;
    uint64_t id = st_get64(p + 8, r->swapped);
    size_t length = size - HEADER;
    int rc = id < ST_MOST_IDS ? take_name(r, id, text, length) :
                                take_ours(r, id, text, length);

    if ( rc )
        return err_sys(e, rc, "cannot read %s", r->in.name);
    r->in.at += size;
    return 1;
}
