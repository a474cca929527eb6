/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline: the text has the order of the records for any number of
 * threads, from a mapped file and from a stream whose records are copied; and
 * each failure of a stage ends the job with its reason, and with no text behind
 * the failure.
 */
#include <errno.h>

#include "common/fault.h"
#include "common/num.h"
#include "tests/xenalyze/unit/line-job.h"

#define RECORDS 40000u          /* some twenty chunks */
#define CPUS 3u

static struct make m;

/* A trace in passes of the collector: windows of 400 records. */
static void make_long_trace(void)
{
    uint64_t tsc = 1000;

    m.size = 0;
    for ( uint32_t n = 0; n < RECORDS; )
    {
        uint32_t cpu = n / 400 % CPUS;
        size_t opened = make_open(&m, cpu);

        for ( uint32_t i = 0; i < 400 && n < RECORDS; i++, n++ )
        {
            struct job_record r = {
                .event = 0x28001 + n % 7, .tsc = tsc += 2, .nr = 1,
                .words = { n },
            };

            job_put_record(&m, &r);
        }
        make_close(&m, opened);
    }
}

/* --- a style that fails where it is told to ------------------------------- */

struct numbers
{
    uint32_t skip;              /* records without a line, of 10 */
    size_t fail_read;           /* the chunk that fails, counted from 1 */
    size_t nr_read;
    uint32_t lose_text;         /* its chunk has no memory */
    bool slow;                  /* chunks take different times to format */
    bool fresh;                 /* chunks without records are formatted, too */
};

static ssize_t numbers_read(void *state, struct chunk *c,
                            const struct xt_batch *b, size_t at)
{
    struct numbers *s = state;
    struct xt_record r;
    size_t i = at;

    if ( ++s->nr_read == s->fail_read )
        return -EOVERFLOW;
    c->fresh = s->fresh;
    for ( ; i < b->nr && c->nr < c->most; i++ )
    {
        xt_batch_record(b, &b->items[i], &r);
        if ( r.words && xt_record_word(&r, 0) % 10 >= s->skip )
            chunk_add(c, b, &b->items[i]);
    }
    return i - at;
}

static void spend_time(uint32_t number)
{
    for ( volatile uint32_t i = 0; i < number % 5 * 20000; i++ )
        continue;
}

static void numbers_format(const void *state, struct chunk *c)
{
    const struct numbers *s = state;
    struct xt_record r;
    char *p = c->text;

    if ( c->fresh )
        *p++ = '-';
    for ( size_t i = 0; i < c->nr; i++ )
    {
        p = chunk_reserve(c, p, 16);
        if ( !p )
            return;
        xt_record_view(&r, c->bytes + xt_item_offset(&c->items[i]));
        if ( s->slow && !i )
            spend_time(xt_record_word(&r, 0));
        if ( s->lose_text && xt_record_word(&r, 0) == s->lose_text )
            c->no_memory = true;
        p = num_u64(p, xt_record_word(&r, 0));
        *p++ = ' ';
    }
    c->used = p - c->text;
}

static const struct line_style numbers_style = {
    .read = numbers_read, .format = numbers_format,
};

/* The text has the numbers from 0 on in order.  Returns how many. */
static uint32_t expect_numbers(const struct job *j, uint32_t skip)
{
    const char *p = j->text;
    uint32_t n = 0, lines = 0;

    for ( ; n < RECORDS && *p; n++ )
    {
        char *end;

        if ( n % 10 < skip )
            continue;
        if ( strtoul(p, &end, 10) != n || *end != ' ' )
            ck_abort_msg("record %u: %.10s", n, p);
        p = end + 1;
        lines++;
    }
    ck_assert_str_eq(p, "");
    return lines;
}

/* --- order ---------------------------------------------------------------- */

static const struct
{
    unsigned int threads;
    unsigned int flags;         /* for xt_trace_open() */
    uint32_t skip;
} orders[] = {
    { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 }, { 4, 0, 0 }, { 9, 0, 0 },
    { 1, XT_SOURCE_STREAM, 0 }, { 2, XT_SOURCE_STREAM, 0 },
    { 4, XT_SOURCE_STREAM, 0 },
    { 1, 0, 9 }, { 4, 0, 9 }, { 4, XT_SOURCE_STREAM, 9 },
    { 1, 0, 10 }, { 4, 0, 10 },
};

START_TEST(order_is_kept)
{
    make_long_trace();
    for ( size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++ )
        for ( unsigned int slow = 0; slow < 2; slow++ )
        {
            struct numbers s = { .skip = orders[i].skip, .slow = slow };
            struct job j;

            job_init(&j, &m, orders[i].flags);
            j.job.threads = orders[i].threads;
            ck_assert_int_eq(job_run(&j, &numbers_style, &s), 0);
            ck_assert_uint_eq(expect_numbers(&j, s.skip),
                              RECORDS / 10 * (10 - s.skip));
            job_fini(&j);
        }
}
END_TEST

/* Threads that cannot be created are no error. */
START_TEST(threads_are_optional)
{
    make_long_trace();
    for ( unsigned int n = 1; n <= 4; n++ )
    {
        struct numbers s = { .skip = 0 };
        struct job j;

        job_init(&j, &m, 0);
        j.job.threads = 4;
        fault_arm_from(FAULT_OPEN, n);
        ck_assert_int_eq(job_run(&j, &numbers_style, &s), 0);
        fault_disarm();
        ck_assert_uint_eq(expect_numbers(&j, 0), RECORDS);
        job_fini(&j);
    }
}
END_TEST

START_TEST(empty_trace_has_no_text)
{
    for ( unsigned int threads = 1; threads <= 4; threads++ )
    {
        struct numbers s = { .skip = 0 };
        struct job j;

        m.size = 0;
        job_init(&j, &m, 0);
        j.job.threads = threads;
        ck_assert_int_eq(job_run(&j, &numbers_style, &s), 0);
        ck_assert_str_eq(j.text, "");
        ck_assert_uint_eq(s.nr_read, 0);
        job_fini(&j);
    }
}
END_TEST

/* A chunk that begins a segment is formatted even without records. */
START_TEST(fresh_chunks_are_formatted)
{
    struct numbers s = { .skip = 10, .fresh = true };
    struct job j;

    make_long_trace();
    job_init(&j, &m, 0);
    ck_assert_int_eq(job_run(&j, &numbers_style, &s), 0);
    ck_assert_uint_eq(strlen(j.text), s.nr_read);
    ck_assert_uint_eq(strspn(j.text, "-"), s.nr_read);
    job_fini(&j);
}
END_TEST

/* --- progress ------------------------------------------------------------- */

struct seen
{
    uint64_t last, calls;
};

static void note_progress(void *arg, uint64_t time)
{
    struct seen *seen = arg;

    UNIT_CHECK(time >= seen->last);
    seen->last = time;
    seen->calls++;
}

START_TEST(progress_rises)
{
    make_long_trace();
    for ( unsigned int threads = 1; threads <= 4; threads += 3 )
    {
        struct numbers s = { .skip = 10 };
        struct seen seen = { 0, 0 };
        struct job j;

        job_init(&j, &m, 0);
        j.job.threads = threads;
        j.job.progress = note_progress;
        j.job.progress_arg = &seen;
        ck_assert_int_eq(job_run(&j, &numbers_style, &s), 0);
        ck_assert_uint_ge(seen.calls, RECORDS / CHUNK_ITEMS);
        ck_assert_uint_eq(seen.last, 1000 + 2 * RECORDS);
        job_fini(&j);
    }
}
END_TEST

/* --- failures ------------------------------------------------------------- */

START_TEST(failing_read_ends_the_job)
{
    make_long_trace();
    for ( unsigned int threads = 1; threads <= 4; threads++ )
        for ( size_t chunk = 1; chunk <= 9; chunk += 4 )
        {
            struct numbers s = { .fail_read = chunk };
            struct job j;

            job_init(&j, &m, 0);
            j.job.threads = threads;
            ck_assert_int_eq(job_run(&j, &numbers_style, &s), -EOVERFLOW);
            ck_assert_int_eq(j.err.code, -EOVERFLOW);
            ck_assert_ptr_nonnull(strstr(j.err.text, "cannot print"));
            /* Output before the failure is in order. */
            expect_numbers(&j, 0);
            ck_assert_uint_eq(s.nr_read, chunk);
            job_fini(&j);
        }
}
END_TEST

/* A chunk without a complete text is not printed, and none after it. */
START_TEST(no_memory_for_text_ends_the_job)
{
    make_long_trace();
    for ( unsigned int threads = 1; threads <= 4; threads++ )
    {
        struct numbers s = { .lose_text = 20000 };
        struct job j;

        job_init(&j, &m, 0);
        j.job.threads = threads;
        ck_assert_int_eq(job_run(&j, &numbers_style, &s), -ENOMEM);
        ck_assert_uint_le(expect_numbers(&j, 0), 20000);
        job_fini(&j);
    }
}
END_TEST

/* The output is a full device: the error is that of the write. */
START_TEST(failing_write_ends_the_job)
{
    make_long_trace();
    for ( unsigned int threads = 1; threads <= 4; threads++ )
    {
        struct numbers s = { .skip = 0 };
        struct job j;

        job_init(&j, &m, 0);
        ck_assert_int_eq(record_filter_init(&j.source), 0);
        j.job.out = fopen("/dev/full", "w");
        ck_assert_ptr_nonnull(j.job.out);
        setvbuf(j.job.out, NULL, _IONBF, 0);
        j.job.threads = threads;
        j.job.style = &numbers_style;
        j.job.state = &s;
        ck_assert_int_eq(pipeline_run(&j.job, &j.err), -ENOSPC);
        ck_assert_ptr_nonnull(strstr(j.err.text, "cannot write"));
        record_filter_fini(&j.source);
        fclose(j.job.out);
        job_fini(&j);
    }
}
END_TEST

/* An error that the caller has is the first reason, and stays. */
START_TEST(first_reason_wins)
{
    struct numbers s = { .fail_read = 1 };
    struct job j;

    make_long_trace();
    job_init(&j, &m, 0);
    err_set(&j.err, -EIO, "an earlier failure");
    ck_assert_int_eq(job_run(&j, &numbers_style, &s), -EOVERFLOW);
    ck_assert_int_eq(j.err.code, -EIO);
    ck_assert_str_eq(j.err.text, "an earlier failure");
    job_fini(&j);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    make_long_trace();
    for ( unsigned int threads = 1; threads <= 4; threads += 3 )
        for ( uint64_t n = 1; ; n++ )
        {
            struct numbers s = { .skip = 0 };
            struct job j;
            bool fired;
            int rc;

            job_init(&j, &m, XT_SOURCE_STREAM);
            j.job.threads = threads;
            fault_arm(FAULT_ALLOC, n);
            rc = job_run(&j, &numbers_style, &s);
            fired = fault_fired(FAULT_ALLOC);
            fault_disarm();
            ck_assert_int_eq(rc, fired ? -ENOMEM : 0);
            job_fini(&j);
            if ( !fired )
                break;
            ck_assert_uint_lt(n, 1000);
        }
}
END_TEST

UNIT_MAIN("pipeline", order_is_kept, threads_are_optional,
          empty_trace_has_no_text, fresh_chunks_are_formatted, progress_rises,
          failing_read_ends_the_job, no_memory_for_text_ends_the_job,
          failing_write_ends_the_job, first_reason_wins,
          every_allocation_may_fail)
