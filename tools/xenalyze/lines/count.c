/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All records are counted window by window, in the order of the file.  Records
 * that match a filter are counted in the pipeline: the read callback counts the
 * records of a batch and adds none to the chunk, so nothing is formatted or
 * written.  One thread at a time reads, so the counters need no lock.
 */
#include "xenalyze/lines/count.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "libxentrace/internal.h"
#include "xenalyze/account/account.h"
#include "xenalyze/lines/count-trace.h"

struct count
{
    struct xt_counts counts;
    uint64_t records;
};

int count_new(struct count **out)
{
    struct count *c = fault_calloc(1, sizeof(*c));

    *out = NULL;
    if ( !c || xt_counts_init(&c->counts) )
    {
        free(c);
        return -ENOMEM;
    }
    *out = c;
    return 0;
}

void count_free(struct count *c)
{
    if ( !c )
        return;
    xt_counts_fini(&c->counts);
    free(c);
}

static ssize_t count_read(void *state, struct chunk *chunk,
                          const struct xt_batch *b, size_t at)
{
    struct count *c = state;
    struct xt_record r;

    assert(at <= b->nr);
    (void)chunk;
    for ( size_t i = at; i < b->nr; i++ )
    {
        xt_batch_record(b, &b->items[i], &r);
        if ( xt_event_counts_add(&c->counts.events, r.event) )
            return -ENOMEM;
    }
    c->records += b->nr - at;
    return b->nr - at;
}

static void count_format(const void *state, struct chunk *c)
{
    (void)state;
    (void)c;
}

static const struct line_style style = {
    .read = count_read, .format = count_format,
};

const struct line_style *count_style(void)
{
    return &style;
}

struct count_progress
{
    void (*fn)(void *arg, uint64_t time);
    void *arg;
};

static int show_counted(void *arg, const struct xt_window *w, uint64_t nr)
{
    const struct count_progress *p = arg;

    (void)w;
    (void)nr;
    p->fn(p->arg, 0);
    return 0;
}

int count_windows(struct count *c, struct xt_trace *t,
                  void (*progress)(void *arg, uint64_t time), void *arg,
                  const struct xt_damage **damage, struct err *e)
{
    struct count_progress p = { progress, arg };
    int rc = count_trace(&c->counts, t, progress ? show_counted : NULL, &p, e);

    assert(!c->records);
    if ( rc )
        return err_sys(e, rc, "cannot count %s", xt_trace_name(t));
    c->records = c->counts.total.records;
    *damage = &c->counts.damage;
    return 0;
}

int count_copy(struct count *c, const struct xt_counts *known)
{
    const struct xt_event_counts *from = &known->events;
    struct xt_event_counts *to = &c->counts.events;
    struct xt_event_count *rows = fault_malloc(from->used * sizeof(*rows));

    assert(!c->records && from->used);
    if ( !rows )
        return -ENOMEM;
    memcpy(rows, from->rows, from->used * sizeof(*rows));
    free(to->rows);
    *to = *from;
    to->rows = rows;
    to->nr_rows = from->used;
    c->records = known->total.records;
    return 0;
}

uint64_t count_records(const struct count *c)
{
    return c->records;
}

/* The most records first; events with equal numbers by id. */
static int compare_counts(const void *a, const void *b)
{
    const struct xt_event_count *x = a, *y = b;

    if ( x->times != y->times )
        return x->times < y->times ? 1 : -1;
    return x->event < y->event ? -1 : 1;
}

void count_print(struct count *c, const struct report_request *request,
                 FILE *out)
{
    struct xt_event_counts *t = &c->counts.events;
    size_t n = sort_limit(request, t->used);

    assert(c->records >= t->others);
    xt_event_counts_sort(t);
    if ( request->sort != SORT_NAME )
        qsort(t->rows, t->used, sizeof(*t->rows), compare_counts);
    fprintf(out, "%14s  %8s  %8s  %s\n", "records", "share", "id", "event");
    for ( size_t i = 0; i < n; i++ )
    {
        const struct xt_event *e = xt_catalogue_by_id(t->rows[i].event);

        fprintf(out, "%14" PRIu64 "  %6.2f %%  %08" PRIx32 "  %s\n",
                t->rows[i].times, 100.0 * t->rows[i].times / c->records,
                t->rows[i].event, e ? e->name : "-");
    }
    if ( t->others )
        fprintf(out, "%14" PRIu64 "  %6.2f %%  %8s  of ids beyond the "
                "limit of the table\n", t->others,
                100.0 * t->others / c->records, "");
    fprintf(out, "%14" PRIu64 "  in all\n", c->records);
}
