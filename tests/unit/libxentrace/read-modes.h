/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The modes of reading a trace, and a comparable result of each.  For unit
 * tests and fuzzers.
 */
#ifndef TESTS_UNIT_LIBXENTRACE_READ_MODES_H
#define TESTS_UNIT_LIBXENTRACE_READ_MODES_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "libxentrace/libxentrace.h"

static inline void ways_must(bool holds, const char *what)
{
    if ( holds )
        return;
    fprintf(stderr, "ways.h: this does not hold: %s\n", what);
    abort();
}

static inline struct xt_trace *ways_open(const char *path, unsigned int flags)
{
    struct err e = ERR_INIT;
    struct xt_trace *t;

    ways_must(!xt_trace_open(&t, path, flags, &e), e.text);
    return t;
}

/* A set of records: independent of the order and of the thread that reads. */
struct set
{
    uint64_t records, sum;
    uint64_t skipped, places;   /* damage, but for the kinds that only order
                                   detects */
    uint64_t order;             /* a hash of the order, by time */
    bool sure;                  /* the order of a stream is reliable */
};

static inline uint64_t set_mix(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* True if a stream has the order of the file, or is not reliable. */
static inline bool set_ordered(const struct set *stream,
                               const struct set *file)
{
    return !stream->sure || stream->order == file->order;
}

static inline void set_add(struct set *s, unsigned int cpu, uint64_t offset)
{
    s->records++;
    s->sum += set_mix(offset << 14 | cpu);
}

static inline void set_end(struct set *s, struct xt_trace *t)
{
    const struct xt_damage *d = xt_trace_damage(t);
    struct xt_trace_bounds b;

    xt_trace_bounds(t, &b);
    s->sure = !b.late && !d->times[XT_DAMAGE_BACKWARD];
    s->skipped = xt_damage_bytes(d);
    s->places = xt_damage_times(d) - d->times[XT_DAMAGE_BACKWARD];
    xt_trace_close(t);
}

static inline struct set read_by_window(const char *path, unsigned int flags)
{
    struct xt_trace *t = ways_open(path, flags);
    struct err e = ERR_INIT;
    struct set s = { 0 };
    struct xt_window w;

    while ( xt_trace_next_window(t, &w, &e) > 0 )
    {
        struct xt_records records;
        struct xt_record r;
        const unsigned char *at = w.bytes;

        xt_trace_begin_records(t, &w, &records);
        for ( ; xt_records_next(&records, &r); at = records.at )
            set_add(&s, w.cpu, w.at + XT_WINDOW_HEADER + (at - w.bytes));
    }
    set_end(&s, t);
    return s;
}

static inline struct set read_by_time(const char *path, unsigned int flags)
{
    struct xt_trace *t = ways_open(path, flags);
    unsigned int segment = 0;
    struct err e = ERR_INIT;
    struct set s = { 0 };
    uint64_t last = 0;
    struct xt_batch b;

    for ( ; xt_trace_next_batch(t, &b, &e) > 0; segment = b.segment )
        for ( size_t i = 0; i < b.nr; i++ )
        {
            ways_must(b.items[i].time >= last || b.segment != segment,
                      "time rises");
            last = b.items[i].time;
            segment = b.segment;
            s.order = set_mix(s.order ^ last) ^
                      set_mix(xt_batch_offset(&b, &b.items[i]) + segment);
            set_add(&s, xt_item_cpu(&b.items[i]),
                    xt_batch_offset(&b, &b.items[i]));
        }
    set_end(&s, t);
    return s;
}

struct worker
{
    struct xt_trace *t;
    struct xt_walk walk[2];     /* for pcpus first and first + 2 */
    unsigned int first;
    struct set set;
};

static inline void *walk_two_cpus(void *arg)
{
    struct worker *w = arg;

    for ( unsigned int i = 0; i < 2; i++ )
    {
        struct xt_walk *walk = &w->walk[i];
        struct xt_record r;

        xt_trace_begin_walk(w->t, w->first + 2 * i, walk);
        while ( xt_walk_next(walk, &r) )
            set_add(&w->set, w->first + 2 * i,
                    xt_walk_offset(walk, walk->at) -
                    xt_record_size((r.has_tsc ? 1u << 31 : 0) |
                                   (uint32_t)r.words << 28));
    }
    return NULL;
}

/* Read by pcpu in two threads.  False if a pcpu beyond 3 was left out. */
static inline bool read_by_pcpu(const char *path, struct set *s)
{
    struct xt_trace *t = ways_open(path, 0);
    struct err e = ERR_INIT;
    bool all = true;
    unsigned int nr;

    *s = (struct set){ 0 };
    do
    {
        struct worker w[2] = { { .t = t }, { .t = t, .first = 1 } };
        pthread_t thread;

        ways_must(!xt_trace_cpus(t, &nr, &e), "count pcpus");
        all = all && nr <= 4;
        ways_must(!pthread_create(&thread, NULL, walk_two_cpus, &w[0]),
                  "thread");
        walk_two_cpus(&w[1]);
        pthread_join(thread, NULL);
        for ( unsigned int i = 0; i < 4; i++ )
            xt_trace_end_walk(t, &w[i % 2].walk[i / 2]);
        s->records += w[0].set.records + w[1].set.records;
        s->sum += w[0].set.sum + w[1].set.sum;
    } while ( xt_trace_next_segment(t, &e) > 0 );
    set_end(s, t);
    return all;
}

#endif /* TESTS_UNIT_LIBXENTRACE_READ_MODES_H */
