/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record filter: spans of time and filters let through the records that a
 * plain comparison of each record selects; the warm-up sees the records before
 * the span, once and in order; and every failure is reported.
 */
#include <errno.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/line-job.h"

#define RECORDS 6000u
#define CPUS 3u
#define FIRST 1000u             /* time stamps: FIRST + 10 * number */

static struct make m;

static uint64_t time_of(uint32_t number)
{
    return FIRST + 10 * (uint64_t)number;
}

/* The record of this number: every 5th wakes a vcpu of domain 1 or 2. */
static struct job_record nth_record(uint32_t number)
{
    struct job_record r = {
        .cpu = number / 100 % CPUS, .event = 0x28001, .tsc = time_of(number),
        .nr = 2, .words = { 7, number },
    };

    if ( number % 5 == 0 )
    {
        r.event = 0x28004;
        r.words[0] = 1 + number % 2;
    }
    return r;
}

static void make_spans_trace(void)
{
    size_t opened = 0;

    m.size = 0;
    for ( uint32_t i = 0; i < RECORDS; i++ )
    {
        struct job_record r = nth_record(i);

        if ( i % 100 == 0 )
            opened = make_open(&m, r.cpu);
        job_put_record(&m, &r);
        make_close(&m, opened);
    }
}

/* --- spans and filters ---------------------------------------------------- */

struct wanted
{
    const char *span;           /* or NULL */
    uint32_t from, to;          /* the records in the span: from <= n < to */
    struct filter_texts texts;
    bool (*matches)(uint32_t number);
};

static bool is_on_pcpu_1(uint32_t number)
{
    return number / 100 % CPUS == 1;
}

static bool is_wake(uint32_t number)
{
    return number % 5 == 0;
}

static bool is_of_domain_2(uint32_t number)
{
    return number % 5 == 0 && number % 2 == 1;
}

static bool is_wake_on_pcpu_1(uint32_t number)
{
    return is_wake(number) && is_on_pcpu_1(number);
}

static const struct wanted rows[] = {
    { NULL, 0, RECORDS, { 0 }, NULL },
    { "..", 0, RECORDS, { 0 }, NULL },
    { "0..", 0, RECORDS, { 0 }, NULL },
    { "10000ns..", 1000, RECORDS, { 0 }, NULL },
    { "9991ns..", 1000, RECORDS, { 0 }, NULL },
    { "..10000ns", 0, 1001, { 0 }, NULL },
    { "..9999ns", 0, 1000, { 0 }, NULL },
    { "10us..20us", 1000, 2001, { 0 }, NULL },
    { "11000c..11000c", 1000, 1001, { 0 }, NULL },
    { "11001c..11009c", 0, 0, { 0 }, NULL },
    { "0.00001..0.00002", 1000, 2001, { 0 }, NULL },
    { "1s..", 0, 0, { 0 }, NULL },
    { NULL, 0, RECORDS, { .pcpus = "1" }, is_on_pcpu_1 },
    { NULL, 0, RECORDS, { .events = "sched_wake" }, is_wake },
    { NULL, 0, RECORDS, { .domains = "2" }, is_of_domain_2 },
    { NULL, 0, RECORDS, { .pcpus = "1", .events = "0x28004" },
      is_wake_on_pcpu_1 },
    { "10us..20us", 1000, 2001, { .events = "sched_wake" }, is_wake },
    { "10us..20us", 1000, 2001, { .domains = "2" }, is_of_domain_2 },
    { "..20us", 0, 2001, { .pcpus = "1" }, is_on_pcpu_1 },
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Begin to filter a trace; flags are those of xt_trace_open(). */
static struct filter *begin_filter(struct job *j, const struct wanted *row,
                                   unsigned int flags)
{
    struct filter *f;

    job_init(j, &m, flags);
    if ( row->span )
        job_set_span(j, row->span);
    ck_assert_int_eq(filter_new(&f, &row->texts, &j->err), 0);
    j->source.filter = f;
    ck_assert_int_eq(record_filter_init(&j->source), 0);
    return f;
}

static void end_filter(struct job *j, struct filter *f)
{
    record_filter_fini(&j->source);
    filter_free(f);
    job_fini(j);
}

/* Read all batches and mark their records; each comes once. */
static void read_marks(struct job *j, bool *marks)
{
    struct xt_batch b;
    struct xt_record r;
    uint64_t last = 0;
    int rc;

    memset(marks, 0, RECORDS);
    while ( (rc = record_filter_next(&j->source, &b, &j->err)) > 0 )
        for ( size_t i = 0; i < b.nr; i++ )
        {
            xt_batch_record(&b, &b.items[i], &r);
            if ( r.event == TRC_TRACE_CPU_CHANGE )
                continue;
            UNIT_CHECK(r.words == 2 && xt_record_word(&r, 1) < RECORDS);
            UNIT_CHECK(!marks[xt_record_word(&r, 1)]);
            UNIT_CHECK(b.items[i].time >= last);
            last = b.items[i].time;
            marks[xt_record_word(&r, 1)] = true;
        }
    ck_assert_msg(rc == 0, "%s", j->err.text);
}

static void check_row(const struct wanted *row, unsigned int flags, bool file)
{
    static bool marks[RECORDS];
    struct filter *f;
    struct job j;

    f = begin_filter(&j, row, flags);
    if ( file )
        job_use_file_order(&j);
    read_marks(&j, marks);
    for ( uint32_t n = 0; n < RECORDS; n++ )
    {
        bool in_span = n >= row->from && n < row->to;
        bool matches = in_span && (!row->matches || row->matches(n));

        if ( marks[n] != matches )
            ck_abort_msg("--time %s, row %zu: record %u is %s", row->span,
                         row - rows, n, matches ? "missing" : "extra");
    }
    end_filter(&j, f);
}

START_TEST(spans_of_a_file)
{
    make_spans_trace();
    for ( size_t i = 0; i < NR_ROWS; i++ )
        check_row(&rows[i], 0, false);
}
END_TEST

START_TEST(spans_of_a_stream)
{
    make_spans_trace();
    for ( size_t i = 0; i < NR_ROWS; i++ )
        check_row(&rows[i], XT_SOURCE_STREAM, false);
}
END_TEST

START_TEST(spans_in_file_order)
{
    make_spans_trace();
    for ( size_t i = 0; i < NR_ROWS; i++ )
    {
        check_row(&rows[i], 0, true);
        check_row(&rows[i], XT_SOURCE_STREAM, true);
    }
}
END_TEST

/* The time before the end needs the last time stamp: not of a stream. */
START_TEST(time_before_the_end)
{
    const struct wanted row = {
        "-10us..", RECORDS - 1001, RECORDS, { 0 }, NULL,
    };
    struct xt_batch b;
    struct filter *f;
    struct job j;

    make_spans_trace();
    check_row(&row, 0, false);
    check_row(&row, 0, true);
    f = begin_filter(&j, &row, XT_SOURCE_STREAM);
    ck_assert_int_eq(record_filter_next(&j.source, &b, &j.err), -EINVAL);
    ck_assert_int_eq(j.err.code, -EINVAL);
    end_filter(&j, f);
}
END_TEST

/* --- the warm-up ---------------------------------------------------------- */

struct fed
{
    uint32_t records;           /* since the last reset */
    uint64_t last;              /* time of the latest */
    unsigned int resets;
    bool fail;
    bool ready;
};

static int feed_fed(void *arg, const struct xt_batch *b)
{
    struct fed *fed = arg;

    for ( size_t i = 0; i < b->nr; i++ )
    {
        UNIT_CHECK(b->items[i].time >= fed->last);
        fed->last = b->items[i].time;
    }
    fed->records += b->nr;
    return fed->fail ? -ENOMEM : 0;
}

static bool fed_is_ready(const void *arg)
{
    return ((const struct fed *)arg)->ready;
}

static void reset_fed(void *arg)
{
    struct fed *fed = arg;

    fed->records = fed->last = 0;
    fed->resets++;
}

static const struct warmup whole_warmup = {
    .feed = feed_fed, .is_ready = fed_is_ready, .reset = reset_fed,
};
static const struct warmup plain_warmup = { .feed = feed_fed };

/* All records before the span are fed: the trace is shorter than a warm-up. */
START_TEST(warmup_gets_all_before_the_span)
{
    static const struct
    {
        const char *span;
        uint32_t before;
        const char *events;
    } spans[] = {
        { NULL, 0, NULL }, { "..20us", 0, NULL }, { "0..", 0, NULL },
        { "10us..", 1000, NULL }, { "10us..20us", 1000, NULL },
        { "59990ns..", 5999, NULL }, { "1s..", RECORDS, NULL },
        { "10us..", 200, "sched_wake" },
    };

    make_spans_trace();
    for ( size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++ )
        for ( unsigned int kind = 0; kind < 4; kind++ )
        {
            const struct wanted row = {
                .span = spans[i].span, .texts = { .events = spans[i].events },
            };
            struct fed fed = { .ready = true };
            static bool marks[RECORDS];
            struct filter *f;
            struct job j;

            f = begin_filter(&j, &row, kind & 1 ? XT_SOURCE_STREAM : 0);
            j.source.warmup = kind & 2 ? &whole_warmup : &plain_warmup;
            j.source.warmup_arg = &fed;
            read_marks(&j, marks);
            ck_assert_uint_eq(fed.records, spans[i].before);
            if ( fed.records && !spans[i].events )
                ck_assert_uint_eq(fed.last, time_of(fed.records - 1));
            ck_assert_uint_eq(fed.resets, 0);
            end_filter(&j, f);
        }
}
END_TEST

START_TEST(failing_warmup_is_an_error)
{
    const struct wanted row = { .span = "10us.." };

    make_spans_trace();
    for ( unsigned int stream = 0; stream < 2; stream++ )
    {
        struct fed fed = { .fail = true };
        struct xt_batch b;
        struct filter *f;
        struct job j;

        f = begin_filter(&j, &row, stream ? XT_SOURCE_STREAM : 0);
        j.source.warmup = &plain_warmup;
        j.source.warmup_arg = &fed;
        ck_assert_int_eq(record_filter_next(&j.source, &b, &j.err), -ENOMEM);
        ck_assert_int_eq(j.err.code, -ENOMEM);
        end_filter(&j, f);
    }
}
END_TEST

/*
 * A trace of 40 MiB: the warm-up begins 16 MiB before the span; if the output
 * is not ready then, it is reset and fed again from further back.
 */
#define LARGE_WINDOWS 5000u
#define LARGE_RECORDS 500u      /* in each window, 16 bytes each */
#define LARGE_WINDOW (12u + 16u * LARGE_RECORDS)
#define LATE_RECORDS ((16u << 20) / LARGE_WINDOW * LARGE_RECORDS)

static void write_large_trace(const char *path)
{
    static uint32_t window[3 + 4 * LARGE_RECORDS];
    FILE *out = fopen(path, "w");
    uint64_t tsc = FIRST;

    ck_assert_ptr_nonnull(out);
    for ( uint32_t w = 0; w < LARGE_WINDOWS; w++ )
    {
        uint32_t *p = window;

        *p++ = 0x2001f003;
        *p++ = w % 2;
        *p++ = 16 * LARGE_RECORDS;
        for ( uint32_t i = 0; i < LARGE_RECORDS; i++, tsc += 10 )
        {
            *p++ = 0x80000000 | 1u << 28 | 0x28001;
            *p++ = (uint32_t)tsc;
            *p++ = tsc >> 32;
            *p++ = i;
        }
        ck_assert_uint_eq(fwrite(window, sizeof(window), 1, out), 1);
    }
    ck_assert_int_eq(fclose(out), 0);
}

START_TEST(warmup_begins_as_late_as_it_may)
{
    static const char *const span = "24ms..";   /* record 2,400,000 */

    for ( unsigned int ready = 0; ready < 2; ready++ )
    {
        struct fed fed = { .ready = ready };
        struct xt_batch b;
        struct job j;

        m.size = 0;
        job_init(&j, &m, 0);
        xt_trace_close(j.trace);
        write_large_trace(j.path);
        j.trace = trace_file_open(j.path, 0);
        j.source.trace = j.trace;
        job_set_span(&j, span);
        j.source.warmup = &whole_warmup;
        j.source.warmup_arg = &fed;
        ck_assert_int_eq(record_filter_init(&j.source), 0);
        ck_assert_int_eq(record_filter_next(&j.source, &b, &j.err), 1);
        ck_assert_uint_eq(b.items->time, FIRST + 24000000);
        ck_assert_uint_eq(fed.resets, ready ? 0 : 1);
        ck_assert_uint_eq(fed.last, FIRST + 24000000 - 10);
        if ( ready )
        {
            ck_assert_uint_ge(fed.records + LARGE_RECORDS, LATE_RECORDS);
            ck_assert_uint_lt(fed.records, 2400000);
        }
        else
            ck_assert_uint_eq(fed.records, 2400000);
        record_filter_fini(&j.source);
        job_fini(&j);
    }
}
END_TEST

/* --- the current vcpu ----------------------------------------------------- */

/* The vcpu before the span is known in it, from a file and from a stream. */
START_TEST(filter_knows_the_vcpu_from_before_the_span)
{
    static const struct job_record records[] = {
        { 0, 0x21111, 1000, 1, { 0x10000 } },   /* not a change to running */
        { 0, 0x21101, 1100, 1, { 0x10000 } },   /* d1v0 runs */
        { 0, 0x28001, 1200, 1, { 9 } },
        { 0, 0x28001, 2000, 1, { 9 } },         /* the span begins */
        { 0, 0x21021, 2100, 1, { 0x10000 } },   /* d1v0 blocks */
        { 0, 0x28001, 2200, 1, { 9 } },
        { 0, 0x21101, 2300, 1, { 0x10001 } },   /* d1v1 runs */
        { 0, 0x28001, 2400, 1, { 9 } },
    };
    static const uint64_t times[] = { 2000, 2100 };
    const struct wanted row = {
        .span = "1us..", .texts = { .vcpus = "d1v0" },
    };

    m.size = 0;
    job_put_records(&m, JOB_RECORDS(records));
    for ( unsigned int stream = 0; stream < 2; stream++ )
    {
        size_t nr = 0;
        struct xt_batch b;
        struct filter *f;
        struct job j;

        f = begin_filter(&j, &row, stream ? XT_SOURCE_STREAM : 0);
        while ( record_filter_next(&j.source, &b, &j.err) > 0 )
            for ( size_t i = 0; i < b.nr; i++ )
            {
                ck_assert_uint_lt(nr, 2);
                ck_assert_uint_eq(b.items[i].time, times[nr++]);
            }
        ck_assert_uint_eq(nr, 2);
        end_filter(&j, f);
    }
}
END_TEST

START_TEST(no_memory_is_reported)
{
    const struct wanted row = { .span = "10us..20us",
                                .texts = { .domains = "2" } };

    make_spans_trace();
    for ( uint64_t n = 1; ; n++ )
    {
        int rc = 1;
        bool fired;
        struct xt_batch b;
        struct filter *f;
        struct job j;

        f = begin_filter(&j, &row, 0);
        fault_arm(FAULT_ALLOC, n);
        while ( rc > 0 )
            rc = record_filter_next(&j.source, &b, &j.err);
        fired = fault_fired(FAULT_ALLOC);
        fault_disarm();
        ck_assert_int_eq(rc, fired ? -ENOMEM : 0);
        ck_assert_int_eq(j.err.code, rc);
        end_filter(&j, f);
        if ( !fired )
            break;
    }
}
END_TEST

UNIT_MAIN("record filter", spans_of_a_file, spans_of_a_stream,
          spans_in_file_order, time_before_the_end,
          warmup_gets_all_before_the_span, failing_warmup_is_an_error,
          warmup_begins_as_late_as_it_may,
          filter_knows_the_vcpu_from_before_the_span, no_memory_is_reported)
