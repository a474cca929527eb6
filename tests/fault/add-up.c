/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * add-up FILE...: the events of each pcpu in all of them, as "PCPU EVENTS".
 *
 * The files are of captures that followed each other, each of which may have
 * been killed.  Then a window can be in two of them: it was in the first, and
 * Xen had not been told yet; such a one is counted once.  And the end of a
 * file can be torn, which is said; other damage is a failure.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxentrace/libxentrace.h"

#define CPUS 64u
#define LAST 8u         /* windows of a pcpu that may come twice */

/* One that was seen, without seal. */
struct seen
{
    unsigned char *bytes;
    size_t size;
};

struct cpu
{
    uint64_t events;
    struct seen last[LAST]; /* of the file before: the newest is the last */
    unsigned int nr_last;
    struct seen now[LAST];
    unsigned int nr_now;
    bool begun;             /* the first window of this file was seen */
};

static struct cpu cpus[CPUS];

static bool is_note(const struct xt_record *r)
{
    return r->event == TRC_LOST_RECORDS ||
           r->event == TRC_TRACE_WRAP_BUFFER ||
           (r->event >= TRC_META_WINDOW && r->event <= TRC_META_LOST);
}

static uint64_t count(const unsigned char *at, size_t size)
{
    const unsigned char *end = at + size;
    struct xt_record r;
    uint64_t nr = 0;

    for ( size_t n; (n = xt_record_decode(&r, at, end)); at += n )
        nr += !is_note(&r);
    return nr;
}

static void push(struct seen *list, unsigned int *nr,
                 const unsigned char *bytes, size_t size)
{
    if ( *nr == LAST )
    {
        free(list[0].bytes);
        memmove(list, list + 1, (LAST - 1) * sizeof(*list));
        --*nr;
    }
    list[*nr].bytes = malloc(size);
    list[*nr].size = size;
    memcpy(list[*nr].bytes, bytes, size);
    ++*nr;
}

/* How much of the first window is what the file before ended with? */
static size_t again(const struct cpu *c, const unsigned char *bytes,
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

static void take(const struct xt_window *w)
{
    const unsigned char *bytes = w->bytes;
    size_t size = w->size, twice = 0;
    struct cpu *c = &cpus[w->cpu];
    struct xt_record r;

    /* Windows of notes have nothing else in them. */
    if ( size >= 12 && xt_record_decode(&r, bytes, bytes + size) &&
         r.event == TRC_META_WINDOW )
    {
        bytes += 12;
        size -= 12;
    }
    if ( !size || !xt_record_decode(&r, bytes, bytes + size) ||
         (r.event > TRC_META_WINDOW && r.event <= TRC_META_LOST) )
        return;
    if ( !c->begun )
        twice = again(c, bytes, size);
    c->begun = true;
    c->events += count(bytes + twice, size - twice);
    push(c->now, &c->nr_now, bytes, size);
}

/* What is of this file is now of the file before. */
static void turn(void)
{
    for ( unsigned int i = 0; i < CPUS; i++ )
    {
        struct cpu *c = &cpus[i];

        c->begun = false;
        if ( !c->nr_now )
            continue;
        for ( unsigned int k = 0; k < c->nr_last; k++ )
            free(c->last[k].bytes);
        memcpy(c->last, c->now, sizeof(c->now));
        c->nr_last = c->nr_now;
        c->nr_now = 0;
    }
}

static int add(const char *path)
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
            take(&w);
    turn();
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
        failed |= add(argv[i]);
    for ( unsigned int i = 0; i < CPUS; i++ )
        if ( cpus[i].nr_last )
            printf("%u %" PRIu64 "\n", i, cpus[i].events);
    return failed;
}
