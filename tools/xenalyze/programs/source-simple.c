/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of the simple back end: QEMU's own, and those of libusertrace with
 * threads, declarations, boot id and wall clock.
 */
#include "xenalyze/programs/program-source.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/utf8.h"
#include "simpletrace/record-text.h"
#include "xenalyze/programs/programs.h"

struct simple
{
    struct st_events events;
    struct st_reader reader;
    struct st_record_text text;
    bool is_open;               /* the reader */
};

static void close_simple(struct source *s)
{
    struct simple *f = s->state;

    if ( !f )
        return;
    if ( f->is_open )
        st_reader_close(&f->reader);
    st_record_text_fini(&f->text);
    st_events_fini(&f->events);
    free(f);
    s->state = NULL;
}

static int open_files(struct source *s, struct simple *f, struct err *e)
{
    static const struct st_reader_options how = { .follow = false };
    char *declarations[] = { (char *)s->declarations };
    int rc = st_events_init(&f->events);

    if ( rc )
        return err_sys(e, rc, "cannot read %s", s->path);
    rc = st_record_text_init(&f->text, e);
    if ( !rc && s->declarations )
        rc = st_events_read(&f->events, declarations, 1, NULL, e);
    rc = rc ? rc : st_reader_open(&f->reader, s->path, &f->events, &how, e);
    f->is_open = !rc;
    return rc;
}

int programs_check_declarations(const char *path, struct err *e)
{
    char *declarations[] = { (char *)path };
    struct st_events events;
    int rc = st_events_init(&events);

    assert(path);
    rc = rc ? err_sys(e, rc, "cannot read %s", path)
            : st_events_read(&events, declarations, 1, NULL, e);
    st_events_fini(&events);
    return rc;
}

static int open_simple(struct source *s, struct err *e)
{
    struct simple *f = fault_calloc(1, sizeof(*f));
    int rc = f ? 0 : err_sys(e, -ENOMEM, "cannot read %s", s->path);

    assert(!s->state);
    if ( rc )
        return rc;
    s->state = f;
    rc = open_files(s, f, e);
    if ( rc )
        close_simple(s);
    return rc;
}

/* --- identity ------------------------------------------------------------- */

/* 32 hexadecimal digits, with dashes between them. */
static bool parse_uuid(const char *text, unsigned char bytes[16])
{
    unsigned int digits = 0;

    memset(bytes, 0, 16);
    for ( ; digits < 32 && *text; text++ )
    {
        const char *hex = "0123456789abcdef", *digit = strchr(hex, *text);

        if ( *text == '-' )
            continue;
        if ( !digit )
            return false;
        bytes[digits / 2] |= (digit - hex) << (digits % 2 ? 0 : 4);
        digits++;
    }
    assert(digits <= 32);
    return digits == 32;
}

/* "pid N host NAME boot UUID program NAME" */
static void read_process(struct source *s, const char *process)
{
    const char *boot = process ? strstr(process, " boot ") : NULL;
    const char *program = process ? strstr(process, " program ") : NULL;

    assert(s->state);
    s->has_boot = boot && parse_uuid(boot + strlen(" boot "), s->boot);
    if ( !program )
        return;
    program += strlen(" program ");
    if ( strrchr(program, '/') )
        program = strrchr(program, '/') + 1;
    if ( *program )
    {
        snprintf(s->label, sizeof(s->label), "%s", program);
        utf8_clean(s->label);
    }
}

static void read_identity(struct source *s)
{
    const struct simple *f = s->state;
    const struct st_clock *clock = &f->reader.clock;

    read_process(s, f->reader.process);
    s->has_wall = clock->known;
    s->mono = clock->monotonic;
    s->wall = clock->realtime;
}

/* --- events --------------------------------------------------------------- */

static uint64_t count_lost(const struct st_record *record)
{
    uint64_t lost = record->bytes >= 8 ? st_record_word(record, 0) : 1;

    assert(record->is_dropped);
    return lost ? lost : 1;
}

static int read_simple(struct source *s, bool wants_text,
                       struct source_event *event, struct err *e)
{
    struct simple *f = s->state;
    struct st_record record;
    int rc = st_reader_next(&f->reader, &record, e);

    assert(f->is_open);
    s->skipped = f->reader.skipped;
    s->gaps = f->reader.gaps;
    if ( rc <= 0 )
        return rc;
    if ( !s->events && !s->lost )
        read_identity(s);
    *event = (struct source_event){
        .time = record.time, .pid = record.pid, .tid = record.tid,
        .name = record.event->name, .text = "",
        .lost = record.is_dropped ? count_lost(&record) : 0,
    };
    if ( wants_text && !record.is_dropped )
        event->text = st_record_text(&f->text, &record);
    s->undeclared = f->text.print.undeclared;
    return 1;
}

const struct source_kind *source_simple(void)
{
    static const struct source_kind kind = {
        .recognises = st_is_trace, .open = open_simple, .read = read_simple,
        .close = close_simple,
    };

    return &kind;
}
