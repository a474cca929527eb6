/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace: each byte belongs to a record or is counted as damage,
 * each style can print the records, and reading terminates.
 */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "simpletrace/trace-reader.h"
#include "simpletrace/sink.h"

static const struct st_sink *const sinks[] = {
    &st_style_text, &st_style_log, &st_style_qemu, &st_style_qemu_raw,
    &st_style_json, &st_style_csv, &st_style_stats, &st_style_locks,
    &st_style_9p,
};

#define NR_SINKS (sizeof(sinks) / sizeof(sinks[0]))

static void declare(struct st_events *events)
{
    static const char text[] =
        "first(int a, const char *s) \"a %+05d s %-9.3s|\"\n"
        "second(uint64_t x, char c, bool b) \"x %#20\" PRIx64 \" %3c %d\"\n"
        "qemu_mutex_lock(void *m, const char *file, int line) \"%p %s:%d\"\n";
    int fd = memfd_create("events", 0);
    char path[64], *paths[] = { path };

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    MUST(write(fd, text, sizeof(text) - 1) == sizeof(text) - 1);
    MUST(!st_events_read(events, paths, 1, NULL, NULL));
    close(fd);
}

static void print_all(struct st_reader *r, const struct st_sink *sink,
                      int null)
{
    struct st_print p = { .any = false };
    struct st_record record;
    int rc;

    MUST(!st_out_init(&p.out, null, NULL));
    arena_init(&p.arena, 0);
    if ( sink->begin )
        sink->begin(&p);
    while ( (rc = st_reader_next(r, &record, NULL)) > 0 )
    {
        MUST(record.args >= r->in.buffer);
        MUST(record.args + record.bytes <= r->in.buffer + r->in.end);
        sink->record(&p, &record);
        p.any = true;
        p.last = record.time;
    }
    MUST(!rc);
    if ( sink->end )
        sink->end(&p);
    MUST(!st_out_fini(&p.out, NULL));
    arena_fini(&p.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct st_reader_options how = { .no_header = size % 2 };
    int fd = memfd_create("trace", 0), null = open("/dev/null", O_WRONLY);
    struct st_events events;
    struct st_reader r;
    char path[64];
    size_t i = (size + (size ? bytes[size / 2] : 0)) % NR_SINKS;

    MUST(fd >= 0 && null >= 0);
    MUST(write(fd, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    st_events_init(&events);
    declare(&events);
    if ( !st_reader_open(&r, path, &events, &how, NULL) )
    {
        print_all(&r, sinks[i], null);
        MUST(r.skipped <= size);
        MUST(r.in.offset + r.in.at == size);
        st_reader_close(&r);
    }
    st_events_fini(&events);
    close(fd);
    close(null);
    return 0;
}
