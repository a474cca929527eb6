/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces as files, and the expected order in time: every record of the input,
 * by a plain stable sort.
 */
#ifndef TESTS_UNIT_LIBXENTRACE_TRACE_FILES_H
#define TESTS_UNIT_LIBXENTRACE_TRACE_FILES_H

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "libxentrace/libxentrace.h"

#include "tests/unit/libxentrace/make-trace.h"

/* Write a trace to a temporary file. path[32] receives its name. */
static inline void trace_file(char *path, const struct make *m)
{
    int fd;

    strcpy(path, "test_trace.XXXXXX");
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, m->bytes, m->size), m->size);
    close(fd);
}

/* --- expected order ------------------------------------------------------- */

struct expected
{
    uint64_t time;
    uint64_t offset;            /* offset in the input */
    unsigned int cpu;
};

#define EXPECTED_MAX (1u << 18)

/* An assertion of `check` is a system call: too slow for each record. */
static inline void expect_room(size_t nr)
{
    if ( nr >= EXPECTED_MAX )
        ck_abort_msg("more than %u records", EXPECTED_MAX);
}

static inline int expected_compare(const void *a, const void *b)
{
    const struct expected *x = a, *y = b;

    if ( x->time != y->time )
        return x->time < y->time ? -1 : 1;
    if ( x->cpu != y->cpu )
        return x->cpu < y->cpu ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* True if the first record but metadata has no time stamp. */
static inline bool inherits_time(const struct xt_window *w)
{
    struct xt_damage ignored = { 0 };
    struct xt_records records;
    struct xt_record r;

    xt_records_init(&records, w, &ignored);
    while ( xt_records_next(&records, &r) )
        if ( xt_record_is_timed(&r) || r.event >> 16 != 1 )
            return !xt_record_is_timed(&r);
    return false;
}

static inline uint64_t first_time(const struct xt_window *w)
{
    struct xt_damage ignored = { 0 };
    struct xt_records records;
    struct xt_record r;

    xt_records_init(&records, w, &ignored);
    while ( xt_records_next(&records, &r) )
        if ( xt_record_is_timed(&r) )
            return r.tsc;
    return 0;
}

/* The state of a pcpu, and the passes of the collector. */
struct expected_cpu
{
    uint64_t time;
    unsigned int pass;          /* pass of the last timed window, from 1 */
};

/* Begin a window; returns the time of its untimed first records. */
static inline uint64_t begin_window(struct expected_cpu *cpu,
                                    const struct xt_window *w,
                                    uint64_t window_time, unsigned int pass)
{
    bool inherits = cpu->pass && pass - cpu->pass <= 1 && inherits_time(w);

    cpu->pass = first_time(w) ? pass : cpu->pass;
    return inherits || cpu->time > window_time ? cpu->time : window_time;
}

/*
 * Sort an input with rising time stamps per pcpu; returns the record count.
 */
static inline size_t expect_order(const struct make *m, struct expected *all)
{
    static struct expected_cpu cpus[XT_MAX_CPUS];
    unsigned int pass = 1, last = 0;
    struct xt_damage damage = { 0 };
    struct xt_windows windows;
    uint64_t window_time = 0;
    struct xt_window w;
    size_t nr = 0;

    memset(cpus, 0, sizeof(cpus));
    xt_windows_init(&windows, m->bytes, m->size, &damage);
    while ( xt_windows_next(&windows, &w) )
    {
        struct xt_records records;
        struct xt_record r;
        const unsigned char *at = w.bytes;
        uint64_t *time = &cpus[w.cpu].time;

        pass += w.cpu < last;
        last = w.cpu;
        window_time = first_time(&w) ? first_time(&w) : window_time;
        *time = begin_window(&cpus[w.cpu], &w, window_time, pass);
        xt_records_init(&records, &w, &damage);
        for ( ; xt_records_next(&records, &r); at = records.at )
        {
            if ( xt_record_is_timed(&r) )
                *time = r.tsc;
            expect_room(nr);
            all[nr++] = (struct expected){ .time = *time, .cpu = w.cpu,
                                           .offset = at - m->bytes };
        }
    }
    qsort(all, nr, sizeof(*all), expected_compare);
    return nr;
}

/* --- actual order --------------------------------------------------------- */

/* Read the rest of a trace.  Returns the number of records. */
static inline size_t read_order(struct xt_trace *t, struct expected *all)
{
    struct err e = ERR_INIT;
    struct xt_batch b;
    size_t nr = 0;
    int rc;

    while ( (rc = xt_trace_next_batch(t, &b, &e)) > 0 )
    {
        ck_assert_uint_gt(b.nr, 0);
        for ( size_t i = 0; i < b.nr; i++ )
        {
            expect_room(nr);
            all[nr++] = (struct expected){
                .time = b.items[i].time, .cpu = xt_item_cpu(&b.items[i]),
                .offset = xt_batch_offset(&b, &b.items[i]),
            };
        }
    }
    ck_assert_msg(rc == 0, "%s", e.text);
    return nr;
}

static inline void expect_same(const struct expected *got, size_t nr_got,
                               const struct expected *want, size_t nr)
{
    ck_assert_uint_eq(nr_got, nr);
    for ( size_t i = 0; i < nr; i++ )
        if ( got[i].time != want[i].time || got[i].cpu != want[i].cpu ||
             got[i].offset != want[i].offset )
            ck_abort_msg("record %zu: %llu of cpu %u at %llu, not %llu of "
                         "cpu %u at %llu", i, (long long)got[i].time,
                         got[i].cpu, (long long)got[i].offset,
                         (long long)want[i].time, want[i].cpu,
                         (long long)want[i].offset);
}

static inline struct xt_trace *trace_file_open(const char *path,
                                               unsigned int flags)
{
    struct err e = ERR_INIT;
    struct xt_trace *t;

    ck_assert_msg(!xt_trace_open(&t, path, flags, &e), "%s", e.text);
    return t;
}

#endif /* TESTS_UNIT_LIBXENTRACE_TRACE_FILES_H */
