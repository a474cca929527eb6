/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace files of the simple back end, as described in simple-format.h: a
 * second reader, for tests only, which checks everything.
 */
#ifndef TESTS_UNIT_LIBUSERTRACE_TRACEFILE_H
#define TESTS_UNIT_LIBUSERTRACE_TRACEFILE_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../common/unit.h"
#include "libusertrace/simple-format.h"
#include "libusertrace/trace/simple.h"
#include "libusertrace/trace/usertrace.h"

struct item
{
    uint64_t type, id, time;
    uint32_t pid, tid;          /* tid: as announced last */
    const char *bytes;          /* arguments, or text of a mapping */
    uint32_t length;
};

struct tracefile
{
    char *bytes, *at, *end;
    uint32_t tid;
};

static inline void tracefile_open(struct tracefile *t, const char *path)
{
    FILE *in = fopen(path, "rb");
    uint64_t header[3];
    long size;

    ck_assert_msg(in != NULL, "%s is not there", path);
    fseek(in, 0, SEEK_END);
    size = ftell(in);
    rewind(in);
    *t = (struct tracefile){ .bytes = malloc(size + 1) };
    ck_assert_uint_eq(fread(t->bytes, 1, size, in), size);
    fclose(in);
    t->end = t->bytes + size;
    ck_assert_uint_ge(size, sizeof(header));
    memcpy(header, t->bytes, sizeof(header));
    ck_assert_uint_eq(header[0], SIMPLE_HEADER_ID);
    ck_assert_uint_eq(header[1], SIMPLE_MAGIC);
    ck_assert_uint_eq(header[2], SIMPLE_VERSION);
    t->at = t->bytes + sizeof(header);
}

static inline void tracefile_close(struct tracefile *t)
{
    free(t->bytes);
}

static inline void tracefile_take(struct tracefile *t, void *to, size_t nr)
{
    UNIT_CHECK(nr <= (size_t)(t->end - t->at));
    memcpy(to, t->at, nr);
    t->at += nr;
}

/* False at the end of the file, which is behind a complete item. */
static inline bool tracefile_next(struct tracefile *t, struct item *i)
{
    uint32_t length;

    if ( t->at == t->end )
        return false;
    tracefile_take(t, &i->type, 8);
    tracefile_take(t, &i->id, 8);
    if ( i->type == SIMPLE_EVENT )
    {
        tracefile_take(t, &i->time, 8);
        tracefile_take(t, &length, 4);
        tracefile_take(t, &i->pid, 4);
        length -= SIMPLE_EVENT_MIN - 8;
    }
    else
    {
        UNIT_CHECK(i->type == SIMPLE_MAPPING);
        tracefile_take(t, &length, 4);
    }
    UNIT_CHECK(length <= (size_t)(t->end - t->at));
    i->bytes = t->at;
    i->length = length;
    t->at += length;
    if ( i->type == SIMPLE_MAPPING && i->id == SIMPLE_THREAD )
        t->tid = strtoul(i->bytes, NULL, 10);
    i->tid = t->tid;
    return true;
}

/* The next event, including dropped ones. */
static inline bool tracefile_event(struct tracefile *t, struct item *i)
{
    while ( tracefile_next(t, i) )
        if ( i->type == SIMPLE_EVENT )
            return true;
    return false;
}

static inline uint64_t item_word(const struct item *i, size_t nr)
{
    uint64_t word;

    UNIT_CHECK(8 * (nr + 1) <= i->length);
    memcpy(&word, i->bytes + 8 * nr, 8);
    return word;
}

/*
 * Checks events of several writers.  The first word of an event is its writer,
 * the second counts from 0: no event is there twice, out of order or missing,
 * except where as many were dropped.  `next` continues over several files.
 */
enum { MAX_WRITERS = 256 };

struct tally
{
    uint64_t next[MAX_WRITERS];
    uint32_t tid[MAX_WRITERS];
    uint64_t time[MAX_WRITERS];
    uint64_t gaps, dropped, events;
};

static inline void tally_file(struct tally *tally, const char *path)
{
    struct tracefile t;
    struct item i;
    uint64_t who, nr;

    tracefile_open(&t, path);
    while ( tracefile_event(&t, &i) )
    {
        if ( i.id == SIMPLE_DROPPED )
        {
            tally->dropped += item_word(&i, 0);
            continue;
        }
        who = item_word(&i, 0);
        nr = item_word(&i, 1);
        UNIT_CHECK(who < MAX_WRITERS);
        UNIT_CHECK(nr >= tally->next[who]);
        UNIT_CHECK(i.time >= tally->time[who]);
        UNIT_CHECK(!tally->tid[who] || tally->tid[who] == i.tid);
        tally->gaps += nr - tally->next[who];
        tally->next[who] = nr + 1;
        tally->time[who] = i.time;
        tally->tid[who] = i.tid;
        tally->events++;
    }
    tracefile_close(&t);
}

/* An event as generated code writes it. */
static inline void trace_two(uint32_t id, uint64_t who, uint64_t nr)
{
    struct usertrace_record record;
    char *at = usertrace_simple_begin(&record, id, 16);

    if ( !at )
        return;
    at = usertrace_simple_word(at, who);
    at = usertrace_simple_word(at, nr);
    usertrace_simple_end(&record, at);
}

/* A folder for the files of one test, removed if the test passes. */
static inline void scratch_begin(char *folder, size_t size)
{
    snprintf(folder, size, "usertrace.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
}

static inline void scratch_end(const char *folder)
{
    char command[64];

    ck_assert_int_eq(chdir(".."), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

#endif /* TESTS_UNIT_LIBUSERTRACE_TRACEFILE_H */
