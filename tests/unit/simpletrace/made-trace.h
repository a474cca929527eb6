/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of any version and byte order, made word by word, and the output of a
 * style for them.
 */
#ifndef TESTS_UNIT_SIMPLETRACE_MADE_TRACE_H
#define TESTS_UNIT_SIMPLETRACE_MADE_TRACE_H

#include <stdio.h>
#include <unistd.h>

#include "../common/unit.h"
#include "libusertrace/simple-format.h"
#include "simpletrace/merge.h"
#include "simpletrace/sink.h"

struct made
{
    unsigned char bytes[1u << 16];
    size_t size;
    bool swapped;
    unsigned int version;
    size_t length_at;           /* length field of the current event */
};

static inline void made_u64(struct made *m, uint64_t value)
{
    if ( m->swapped )
        value = __builtin_bswap64(value);
    memcpy(m->bytes + m->size, &value, 8);
    m->size += 8;
}

static inline void made_u32(struct made *m, uint32_t value)
{
    if ( m->swapped )
        value = __builtin_bswap32(value);
    memcpy(m->bytes + m->size, &value, 4);
    m->size += 4;
}

static inline void made_string(struct made *m, const char *text)
{
    made_u32(m, strlen(text));
    memcpy(m->bytes + m->size, text, strlen(text));
    m->size += strlen(text);
}

static inline void made_begin(struct made *m, unsigned int version,
                              bool swapped)
{
    *m = (struct made){ .version = version, .swapped = swapped };
    made_u64(m, SIMPLE_HEADER_ID);
    made_u64(m, SIMPLE_MAGIC);
    made_u64(m, version);
    for ( int i = 0; i < 5 && !version; i++ )
        made_u64(m, 0);
}

static inline void made_mapping(struct made *m, uint64_t id, const char *text)
{
    made_u64(m, SIMPLE_MAPPING);
    made_u64(m, id);
    made_string(m, text);
}

/* Arguments follow, then made_end(). */
static inline void made_event(struct made *m, uint64_t id, uint64_t time,
                              uint32_t pid)
{
    if ( m->version == 4 )
        made_u64(m, SIMPLE_EVENT);
    m->length_at = m->size + 16;
    made_u64(m, id);
    made_u64(m, time);
    if ( !m->version )
        return;
    made_u32(m, 0);
    made_u32(m, pid);
}

static inline void made_end(struct made *m)
{
    struct made length = { .swapped = m->swapped };
    size_t begin = m->length_at - 16;

    if ( !m->version )
        while ( m->size - begin < 64 )
            made_u64(m, 0);
    else
    {
        made_u32(&length, m->size - begin);
        memcpy(m->bytes + m->length_at, length.bytes, 4);
    }
}

/* A new file; the name is valid until the next call. */
static inline const char *made_file(const void *bytes, size_t size)
{
    static char path[4096];
    int fd;

    snprintf(path, sizeof(path), "%s/simpletrace-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, size), size);
    close(fd);
    return path;
}

struct printed
{
    char text[1u << 16];
    uint64_t records, lost, gaps, skipped, undeclared;
};

static inline void made_declare(struct st_events *events, const char *text)
{
    struct err e = ERR_INIT;
    char *path = (char *)made_file(text, strlen(text));

    ck_assert_int_eq(st_events_read(events, &path, 1, NULL, &e), 0);
    unlink(path);
}

/* Print a trace in a style; how NULL: defaults. */
static inline void made_print(const struct made *m, const char *declared,
                              const struct st_sink *sink,
                              const struct st_reader_options *how,
                              struct printed *got)
{
    static const struct st_reader_options usual;
    struct st_print p = { .any = false };
    struct err e = ERR_INIT;
    struct st_events events;
    struct st_reader r;
    struct st_record record;
    const char *path;
    FILE *file = tmpfile();
    int rc;

    st_events_init(&events);
    if ( declared )
        made_declare(&events, declared);
    path = made_file(m->bytes, m->size);
    rc = st_reader_open(&r, path, &events, how ? how : &usual, &e);
    unlink(path);
    ck_assert_msg(!rc, "%s", e.text);
    ck_assert_int_eq(st_out_init(&p.out, fileno(file), &e), 0);
    arena_init(&p.arena, 0);
    while ( (rc = st_reader_next(&r, &record, &e)) > 0 )
    {
        if ( !p.any )
            p.first = p.last = record.time;
        sink->record(&p, &record);
        p.any = true;
        p.last = record.time;
    }
    ck_assert_int_eq(rc, 0);
    ck_assert_int_eq(st_out_fini(&p.out, &e), 0);
    arena_fini(&p.arena);
    rewind(file);
    *got = (struct printed){ .records = r.records, .lost = r.lost,
                             .gaps = r.gaps, .skipped = r.skipped,
                             .undeclared = p.undeclared };
    got->text[fread(got->text, 1, sizeof(got->text) - 1, file)] = '\0';
    fclose(file);
    st_reader_close(&r);
    st_events_fini(&events);
}

#endif /* TESTS_UNIT_SIMPLETRACE_MADE_TRACE_H */
