/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The waits of the HTML page, from the statistics of --why: the waiting time of
 * each domain by what had the pcpu, and the longest waits in pieces.  All times
 * are in nanoseconds.  The columns of each array are in html/waits.js.
 *
 *     matrix: [domain, label, waited, [[rival, time], ...], time of others,
 *              [[cause, time], ...]]
 *     pieces: [vcpu, begin, length, pcpu or null, [[rival or null, cause,
 *              begin, length, rate limit, placement], ...], time of shorter
 *              pieces, number of these]
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/account/account.h"
#include "xenalyze/viewers/html.h"
#include "xenalyze/viewers/viewer-text.h"

#define MAX_ROWS 64u            /* domains that waited */
#define MAX_CELLS 64u           /* domains in a row */

struct waits_writer
{
    FILE *out;
    const struct xt_domain_names *names;
    struct wait_causes *waits;
};

static void write_time(const struct waits_writer *w, uint64_t cycles)
{
    fprintf(w->out, ",%" PRIu64, xt_clock_duration(&w->waits->clock, cycles));
}

/* Before the begin of the trace: 0. */
static void write_moment(const struct waits_writer *w, uint64_t tsc)
{
    int64_t ns = xt_clock_ns(&w->waits->clock, tsc);

    fprintf(w->out, ",%" PRId64, ns > 0 ? ns : 0);
}

static void write_vcpu_name(const struct waits_writer *w, uint16_t domain,
                            uint16_t id)
{
    char name[LATENCY_NAME];

    viewer_write_json(w->out, latency_label(w->names, LATENCY_KEY(domain, id),
                                            0, name));
}

/* --- the matrix ----------------------------------------------------------- */

/* The longest wait first; equal ones by domain, for any sort(). */
static int compare_waited(const void *a, const void *b)
{
    const struct wait_matrix_row *x = a, *y = b;

    assert(x && y);
    if ( x->waited != y->waited )
        return x->waited > y->waited ? -1 : 1;
    return (int)x->domain - y->domain;
}

static void write_cells(const struct waits_writer *w,
                        const struct wait_matrix_row *row)
{
    uint64_t others = row->others;

    fputs(",[", w->out);
    for ( size_t i = 0; i < row->nr_cells; i++ )
    {
        const struct wait_matrix_cell *c = &row->cells[i];

        if ( i >= MAX_CELLS )
        {
            others += c->cycles;
            continue;
        }
        fprintf(w->out, "%s[%u", i ? "," : "", c->domain);
        write_time(w, c->cycles);
        putc(']', w->out);
    }
    putc(']', w->out);
    write_time(w, others);
    assert(others >= row->others);
}

static void write_row(const struct waits_writer *w,
                      const struct wait_matrix_row *row)
{
    char label[XT_LABEL_MAX];
    bool more = false;

    fprintf(w->out, "[%u,", row->domain);
    viewer_write_json(w->out, xt_domain_label(w->names, row->domain, label));
    write_time(w, row->waited);
    write_cells(w, row);
    fputs(",[", w->out);
    for ( unsigned int i = 0; i < WAIT_CAUSES; i++ )
    {
        if ( !row->causes[i] )
            continue;
        fprintf(w->out, "%s[\"%s\"", more ? "," : "", wait_cause_name(i));
        write_time(w, row->causes[i]);
        putc(']', w->out);
        more = true;
    }
    fputs("]]", w->out);
}

/* 0 or -ENOMEM. */
static int write_matrix(const struct waits_writer *w)
{
    struct wait_matrix_row *rows = fault_calloc(w->waits->nr_vcpus + 1,
                                                sizeof(*rows));
    bool ok = rows;
    size_t nr = 0;

    for ( uint32_t i = 0; ok && i < w->waits->nr_vcpus; )
    {
        ok = wait_matrix_next(w->waits, &i, &rows[nr]);
        nr += ok && rows[nr].waited;
    }
    if ( ok && nr )
        qsort(rows, nr, sizeof(*rows), compare_waited);
    fputs(",\n\"matrix\":[", w->out);
    for ( size_t i = 0; ok && i < nr && i < MAX_ROWS; i++ )
    {
        fputs(i ? ",\n" : "\n", w->out);
        write_row(w, &rows[i]);
    }
    fprintf(w->out, "],\n\"matrix_hidden\":%zu",
            nr > MAX_ROWS ? nr - MAX_ROWS : 0);
    free(rows);
    return ok ? 0 : -ENOMEM;
}

/* --- the longest waits in pieces ------------------------------------------ */

static void write_piece(const struct waits_writer *w,
                        const struct wait_piece *p)
{
    assert(p->from < p->to && p->limited + p->placed <= p->to - p->from);
    putc('[', w->out);
    if ( p->has_rival )
        write_vcpu_name(w, p->domain, p->vcpu);
    else
        fputs("null", w->out);
    fprintf(w->out, ",\"%s\"", wait_cause_name(p->cause));
    write_moment(w, p->from);
    write_time(w, p->to - p->from);
    write_time(w, p->limited);
    write_time(w, p->placed);
    putc(']', w->out);
}

static void write_wait(const struct waits_writer *w,
                       const struct wait_worst *wait,
                       const struct wait_pieces *pieces)
{
    assert(wait->from < wait->to);
    putc('[', w->out);
    write_vcpu_name(w, wait->domain, wait->vcpu);
    write_moment(w, wait->from);
    write_time(w, wait->to - wait->from);
    if ( wait->is_complete )
        fprintf(w->out, ",%" PRIu32 ",[", wait->pcpu);
    else
        fputs(",null,[", w->out);
    for ( uint32_t i = 0; i < pieces->nr; i++ )
    {
        if ( i )
            putc(',', w->out);
        write_piece(w, &pieces->list[i]);
    }
    putc(']', w->out);
    write_time(w, pieces->shorter);
    fprintf(w->out, ",%" PRIu64 "]", pieces->nr_shorter);
}

int html_write_waits(FILE *out, const struct viewer_options *options)
{
    const struct waits_writer w = {
        .out = out, .names = options->names, .waits = options->numbers->waits,
    };
    int rc;

    if ( !w.waits )
    {
        fputs(",\n\"matrix\":[],\"matrix_hidden\":0,\"pieces\":[]", out);
        return 0;
    }
    assert(w.waits->nr_worst <= WAIT_MOST_WORST);
    rc = write_matrix(&w);
    fputs(",\n\"pieces\":[", out);
    for ( size_t i = 0; i < w.waits->nr_worst; i++ )
    {
        fputs(i ? ",\n" : "\n", out);
        write_wait(&w, &w.waits->worst[i], &w.waits->pieces[i]);
    }
    putc(']', out);
    return rc;
}
