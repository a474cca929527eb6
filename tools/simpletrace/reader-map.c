/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mappings of a trace: names of ids, and the extensions of simple-format.h
 * (declarations, clock, process, threads, number of the file).
 */
#include "simpletrace/reader-private.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "libusertrace/simple-format.h"
#include "simpletrace/bytes.h"

#define HEADER 20u              /* size of a mapping without its text */
#define NUMBERS 64u             /* bytes of padding behind the text */

static int map_set_event(struct st_reader *r, uint64_t id,
                         struct st_event *event)
{
    size_t nr = r->map_nr ? r->map_nr : 512;
    struct st_event **map;

    if ( !event || id >= ST_MAX_IDS )
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
    assert(id < r->map_nr);
    r->map[id] = event;
    return 0;
}

int st_reader_number_ids(struct st_reader *r, bool also_disabled, struct err *e)
{
    size_t i, id = 0;

    for ( i = 0; i < r->events->nr; i++ )
        if ( (also_disabled || !r->events->all[i]->disabled) &&
             map_set_event(r, id++, r->events->all[i]) )
            return err_sys(e, -ENOMEM, "cannot read %s", r->in.name);
    return 0;
}

struct st_event *st_reader_add_unknown(struct st_reader *r, uint64_t id)
{
    char name[32];
    int n = snprintf(name, sizeof(name), "event-0x%llx",
                     (unsigned long long)id);
    struct st_event *event = st_events_find_or_add(r->events, name, n);

    assert(id >= r->map_nr || !r->map[id]);
    if ( event && id < ST_MAX_IDS && map_set_event(r, id, event) )
        return NULL;
    return event;
}

static int parse_name(struct st_reader *r, uint64_t id, const char *text,
                      size_t length)
{
    return map_set_event(r, id, st_events_find_or_add(r->events, text, length));
}

/* "ID DECLARATION"; a declaration with errors is ignored. */
static int parse_declaration(struct st_reader *r, const char *text,
                             size_t length)
{
    size_t digits = strspn(text, "0123456789");
    uint64_t id = strtoull(text, NULL, 10);
    struct st_event *event;

    if ( !digits || digits > 9 || text[digits] != ' ' || id >= ST_MAX_IDS )
        return 0;
    assert(digits < length);    /* the text ends with a NUL */
    event = st_events_add_declaration(r->events, text + digits + 1,
                                      length - digits - 1);
    return event ? map_set_event(r, id, event) : 0;
}

/* "MONOTONIC REALTIME" */
static int parse_clock(struct st_reader *r, const char *text, size_t length)
{
    unsigned long long monotonic, realtime;

    (void)length;
    if ( sscanf(text, "%llu %llu", &monotonic, &realtime) == 2 )
        r->clock = (struct st_clock){ .known = true, .monotonic = monotonic,
                                      .realtime = realtime };
    return 0;
}

static int parse_thread(struct st_reader *r, const char *text, size_t length)
{
    (void)length;
    r->tid = strtoul(text, NULL, 10);
    return 0;
}

static int parse_process(struct st_reader *r, const char *text, size_t length)
{
    (void)length;
    if ( !r->process )
        r->process = fault_strdup(text);
    return r->process ? 0 : -ENOMEM;
}

/* "PID NUMBER" */
static int parse_file(struct st_reader *r, const char *text, size_t length)
{
    unsigned long long pid, number;

    (void)length;
    if ( sscanf(text, "%llu %llu", &pid, &number) == 2 )
        st_reader_set_file_number(r, pid, number);
    return 0;
}

_Static_assert(SIMPLE_DECLARE >= ST_MAX_IDS && SIMPLE_CLOCK >= ST_MAX_IDS &&
               SIMPLE_PROCESS >= ST_MAX_IDS && SIMPLE_THREAD >= ST_MAX_IDS &&
               SIMPLE_FILE >= ST_MAX_IDS,
               "no event has the id of an extension");

static const struct
{
    uint64_t id;
    int (*parse)(struct st_reader *r, const char *text, size_t length);
} extensions[] = {
    { SIMPLE_DECLARE, parse_declaration }, { SIMPLE_CLOCK, parse_clock },
    { SIMPLE_PROCESS, parse_process }, { SIMPLE_THREAD, parse_thread },
    { SIMPLE_FILE, parse_file },
};

/* The text is copied and NUL-terminated for the parsers. */
static int parse_extension(struct st_reader *r, uint64_t id, const char *text,
                           size_t length)
{
    char *copy;
    size_t i;
    int rc = 0;

    assert(id >= ST_MAX_IDS);
    for ( i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++ )
        if ( extensions[i].id == id )
            break;
    if ( i == sizeof(extensions) / sizeof(extensions[0]) )
        return 0;
    copy = fault_malloc(length + NUMBERS);
    if ( !copy )
        return -ENOMEM;
    memcpy(copy, text, length);
    copy[length] = '\0';
    rc = extensions[i].parse(r, copy, length);
    fault_free(copy);
    return rc;
}

int st_reader_take_mapping(struct st_reader *r, size_t size, struct err *e)
{
    const unsigned char *p = st_input_bytes(&r->in);
    const char *text = (const char *)p + HEADER;
    uint64_t id = st_get64(p + 8, r->swapped);
    size_t length = size - HEADER;
    int rc = id < ST_MAX_IDS ? parse_name(r, id, text, length) :
                                parse_extension(r, id, text, length);

    assert(size > HEADER);
    if ( rc )
        return err_sys(e, rc, "cannot read %s", r->in.name);
    r->in.at += size;
    return 1;
}
