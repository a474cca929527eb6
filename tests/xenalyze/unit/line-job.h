/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small traces from tables of records, and the text that a style makes of them:
 * for the unit tests of lines/.
 */
#ifndef TESTS_XENALYZE_UNIT_LINE_JOB_H
#define TESTS_XENALYZE_UNIT_LINE_JOB_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/common/unit.h"
#include "tests/unit/libxentrace/trace-files.h"
#include "xenalyze/lines/file-order.h"
#include "xenalyze/lines/pipeline.h"
#include "xenalyze/lines/record-filter.h"

/* A row of a table of records: consecutive rows of a pcpu share a window. */
struct job_record
{
    unsigned int cpu;
    uint32_t event;
    uint64_t tsc;               /* 0: without a time stamp */
    unsigned int nr;            /* words */
    uint32_t words[XT_RECORD_MAX_WORDS];
};

#define JOB_RECORDS(table) (table), sizeof(table) / sizeof((table)[0])

static inline void job_put_record(struct make *m, const struct job_record *r)
{
    make_record(m, r->event, r->tsc, r->nr);
    memcpy(m->bytes + m->size - 4 * r->nr, r->words, 4 * r->nr);
}

static inline void job_put_records(struct make *m, const struct job_record *r,
                                   size_t nr)
{
    size_t opened = 0;

    for ( size_t i = 0; i < nr; i++ )
    {
        if ( !i || r[i].cpu != r[i - 1].cpu )
            opened = make_open(m, r[i].cpu);
        job_put_record(m, &r[i]);
        make_close(m, opened);
    }
}

/* The job, its text, and all that they own. */
struct job
{
    char path[32];
    struct xt_trace *trace;
    struct xt_catalogue *catalogue;
    struct record_filter source;
    struct file_order file;
    struct pipeline_job job;
    struct err err;
    char *text;
    size_t size;
};

/* A job on a trace of these bytes, at 1 GHz: a cycle is a nanosecond. */
static inline void job_init(struct job *j, const struct make *m,
                            unsigned int flags)
{
    struct xt_dialect dialect = { .hardware = XT_HARDWARE_VMX };

    *j = (struct job){ .err = ERR_INIT };
    trace_file(j->path, m);
    j->trace = trace_file_open(j->path, flags);
    ck_assert_int_eq(xt_catalogue_new(&j->catalogue, &dialect), 0);
    j->source.trace = j->trace;
    j->source.catalogue = j->catalogue;
    xt_clock_init(&j->source.clock, 1000000000, 1000000000, 0);
    j->job.trace = j->trace;
    j->job.source = &j->source;
    j->job.threads = 1;
}

static inline void job_init_records(struct job *j, const struct job_record *r,
                                    size_t nr)
{
    static struct make m;

    m.size = 0;
    job_put_records(&m, r, nr);
    job_init(j, &m, 0);
}

/* Read in the order of the file instead of the order of time. */
static inline void job_use_file_order(struct job *j)
{
    file_order_init(&j->file, j->trace);
    j->source.next = file_order_next;
    j->source.next_arg = &j->file;
}

static inline void job_set_span(struct job *j, const char *span)
{
    ck_assert_int_eq(span_parse(span, &j->source.span, &j->err), 0);
}

/* Run the job and keep its text.  0 or -errno. */
static inline int job_run(struct job *j, const struct line_style *style,
                          void *state)
{
    int rc = record_filter_init(&j->source);

    free(j->text);
    j->text = NULL;
    j->job.out = open_memstream(&j->text, &j->size);
    ck_assert_ptr_nonnull(j->job.out);
    j->job.style = style;
    j->job.state = state;
    if ( !rc )
        rc = pipeline_run(&j->job, &j->err);
    record_filter_fini(&j->source);
    fclose(j->job.out);
    return rc;
}

static inline void job_fini(struct job *j)
{
    xt_trace_close(j->trace);
    xt_catalogue_free(j->catalogue);
    file_order_fini(&j->file);
    free(j->text);
    unlink(j->path);
}

/* check truncates long texts, so report the first line that differs. */
static inline void job_expect_text(const struct job *j, const char *want)
{
    const char *got = j->text;

    for ( unsigned int line = 1; *got || *want; line++ )
    {
        size_t g = strcspn(got, "\n"), w = strcspn(want, "\n");

        if ( g != w || memcmp(got, want, g) || got[g] != want[w] )
            ck_abort_msg("line %u:\n\"%.*s\" is not\n\"%.*s\"", line, (int)g,
                         got, (int)w, want);
        got += g + (got[g] != '\0');
        want += w + (want[w] != '\0');
    }
}

#endif /* TESTS_XENALYZE_UNIT_LINE_JOB_H */
