/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sum-events FILE...: print the number of events of each pcpu in all files
 * together, as "PCPU EVENTS".
 *
 * The files are consecutive captures, any of which may have been killed.  A
 * window can then be in two files, if it was written but not yet consumed from
 * Xen's ring, and is counted once.  The end of a file can be torn, which is
 * reported; any other damage is an error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxentrace/libxentrace.h"
#include "libxentrace/meta-event.h"

#define CPUS 64u
#define MAX_REPEATED 8u /* windows of a pcpu that may be repeated */

/* The bytes of a window, without its seal. */
struct window_bytes
{
    unsigned char *bytes;
    size_t size;
};

struct cpu
{
    uint64_t events;
    /* Windows of the previous file, and of this file, newest last. */
    struct window_bytes last[MAX_REPEATED];
    unsigned int nr_last;
    struct window_bytes now[MAX_REPEATED];
    unsigned int nr_now;
    bool started;           /* this file has a window of the pcpu */
};

static struct cpu cpus[CPUS];

static bool is_metadata(const struct xt_record *r)
{
    return r->event == TRC_LOST_RECORDS ||
           r->event == TRC_TRACE_WRAP_BUFFER ||
           (xt_event_is_meta(r->event));
}

static uint64_t count_events(const unsigned char *at, size_t size)
{
    const unsigned char *end = at + size;
    struct xt_record r;
    uint64_t nr = 0;

    for ( size_t n; (n = xt_record_decode(&r, at, end)); at += n )
        nr += !is_metadata(&r);
    return nr;
}

static void push_window(struct window_bytes *list, unsigned int *nr,
                        const unsigned char *bytes, size_t size)
{
    if ( *nr == MAX_REPEATED )
    {
        free(list[0].bytes);
        memmove(list, list + 1, (MAX_REPEATED - 1) * sizeof(*list));
        --*nr;
    }
    list[*nr].bytes = malloc(size);
    list[*nr].size = size;
    memcpy(list[*nr].bytes, bytes, size);
    ++*nr;
}

/* The length of the window's prefix that repeats the previous file's end. */
static size_t repeated_bytes(const struct cpu *c, const unsigned char *bytes,
                             size_t size)
{
    for ( unsigned int i = 0; i < c->nr_last; i++ )
    {
        size_t done = 0;
        unsigned int k = i;

        while ( k < c->nr_last && done + c->last[k].size <= size &&
                !memcmp(c->last[k].bytes, bytes + done, c->last[k].size) )
            done += c->last[k++].size;
        if ( done && k == c->nr_last )
            return done;
    }
    return 0;
}

static void count_window(const struct xt_window *w)
{
    const unsigned char *bytes = w->bytes;
    size_t size = w->size, repeated = 0;
    struct cpu *c = &cpus[w->cpu];
    struct xt_record r;

    /* Windows of metadata contain no other records. */
    if ( size >= 12 && xt_record_decode(&r, bytes, bytes + size) &&
         r.event == TRC_META_WINDOW )
    {
        bytes += 12;
        size -= 12;
    }
    if ( !size || !xt_record_decode(&r, bytes, bytes + size) ||
         (r.event != TRC_META_WINDOW && xt_event_is_meta(r.event)) )
        return;
    if ( !c->started )
        repeated = repeated_bytes(c, bytes, size);
    c->started = true;
    c->events += count_events(bytes + repeated, size - repeated);
    push_window(c->now, &c->nr_now, bytes, size);
}

/* The current file becomes the previous one. */
static void start_next_file(void)
{
    for ( unsigned int i = 0; i < CPUS; i++ )
    {
        struct cpu *c = &cpus[i];

        c->started = false;
        if ( !c->nr_now )
            continue;
        for ( unsigned int k = 0; k < c->nr_last; k++ )
            free(c->last[k].bytes);
        memcpy(c->last, c->now, sizeof(c->now));
        c->nr_last = c->nr_now;
        c->nr_now = 0;
    }
}

static int count_file(const char *path)
{
    const struct xt_damage *d;
    struct err e = ERR_INIT;
    struct xt_trace *t;
    struct xt_window w;

    if ( xt_trace_open(&t, path, 0, &e) )
    {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    while ( xt_trace_next_window(t, &w, &e) > 0 )
        if ( w.cpu < CPUS && !w.cut )
            count_window(&w);
    start_next_file();
    d = xt_trace_damage(t);
    if ( xt_damage_grade(d) > XT_GRADE_CUT )
        fprintf(stderr, "%s: damaged at byte %" PRIu64 ": %s\n", path,
                d->first[0].offset, xt_damage_text(d->first[0].kind));
    else if ( xt_damage_times(d) )
        fprintf(stderr, "torn: %s at byte %" PRIu64 "\n", path,
                d->first[0].offset);
    e.code = xt_damage_grade(d) > XT_GRADE_CUT;
    xt_trace_close(t);
    return e.code;
}

int main(int argc, char **argv)
{
    int failed = 0;

    for ( int i = 1; i < argc; i++ )
        failed |= count_file(argv[i]);
    for ( unsigned int i = 0; i < CPUS; i++ )
        if ( cpus[i].nr_last )
            printf("%u %" PRIu64 "\n", i, cpus[i].events);
    return failed;
}
