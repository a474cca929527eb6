/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dump of small traces: times, the column of pcpus, the current vcpu,
 * marks, colours, records in hex and losses; and the same text for any number
 * of threads, with a filter and after a warm-up.
 */
#include <errno.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/line-job.h"
#include "xenalyze/lines/dump.h"

#define RUNS 0x21101            /* runnable -> running */
#define BLOCKS 0x21021          /* running -> blocked */
#define PREEMPTED 0x21011       /* running -> runnable */
#define IDLE(cpu) (0x7fff0000u | (cpu))

/* Dump the trace of a job: options and filter are the caller's. */
static int run_dump(struct job *j, struct dump_options *options,
                    unsigned int threads)
{
    struct dump *d;
    int rc;

    options->clock = j->source.clock;
    options->source = &j->source;
    j->job.threads = threads;
    if ( dump_new(&d, j->trace, j->catalogue, options) )
        return -ENOMEM;
    j->source.warmup = dump_warmup();
    j->source.warmup_arg = d;
    rc = job_run(j, dump_style(), d);
    dump_free(d);
    return rc;
}

/* --- lines ---------------------------------------------------------------- */

static const struct job_record schedule[] = {
    { 0, 0x28004, 1000, 2, { 1, 0 } },
    { 0, RUNS, 2000, 1, { 0x10000 } },
    { 0, 0x28004, 3000, 2, { 1, 1 } },
    { 2, RUNS, 3500, 1, { IDLE(2) } },
    { 2, 0x801002, 3600, 4, { 3, 0, 0, 0 } },
    { 2, 0x28004, 3700, 2, { 1, 1 } },
    { 0, PREEMPTED, 4000, 1, { 0x10000 } },
    { 0, RUNS, 1002001000, 1, { 0x10001 } },
    { 0, 0x28fff, 1002001100, 2, { 0xa, 0xb } },
};

/* A vcpu with exits; two CR3 writes; an RDTSC that goes backward; a loss. */
static const struct job_record exits[] = {
    { 0, RUNS, 1000, 1, { 0x10000 } },
    { 0, TRC_HVM_RDTSC, 1500, 2, { 50, 0 } },
    { 0, TRC_HVM_VMEXIT64, 2000, 3, { 12, 0x1234, 0 } },
    { 0, 0x82013, 2100, 1, { 1 } },
    { 0, TRC_HVM_VMENTRY, 2500, 0, { 0 } },
    { 0, TRC_HVM_VMEXIT64, 3000, 3, { 28, 0x1234, 0 } },
    { 0, TRC_HVM_CR_WRITE64, 3100, 3, { 3, 0x1000, 0 } },
    { 0, TRC_HVM_VMENTRY, 20000, 0, { 0 } },
    { 0, TRC_HVM_VMEXIT64, 21000, 3, { 28, 0x1234, 0 } },
    { 0, TRC_HVM_CR_WRITE64, 21100, 3, { 3, 0x2000, 0 } },
    { 0, TRC_HVM_RDTSC, 21150, 2, { 40, 0 } },
    { 0, TRC_HVM_VMENTRY, 21200, 0, { 0 } },
    { 0, 0x1f001, 30000, 4, { 9, 0x00020001, 25000, 0 } },
    { 0, 0x28004, 30100, 2, { 1, 2 } },
};

#define DIM "\033[2m"
#define RED "\033[31m"
#define VCPU "\033[0m\033[36m"
#define END "\033[0m"
#define RAW_END " ] |  "

static const struct
{
    const char *what;
    const struct job_record *rows;
    size_t nr;
    struct dump_options options;
    const char *text;
} dumps[] = {
    { "the column of pcpus", JOB_RECORDS(schedule), { .text = true },
      "                x . d32768v0 vcpu_wake d1v0\n"
      "   0.000001000 x . d32768v0 runstate_change d1v0 runnable->running\n"
      "   0.000002000 x . d1v0 vcpu_wake d1v1\n"
      "   0.000002500 | x d32768v2 runstate_change d32767v2 "
      "runnable->running\n"
      "   0.000002600 | x d32767v2 pm_idle_start c3\n"
      "   0.000002700 | x d32767v2 vcpu_wake d1v1\n"
      "   0.000003000 x - d1v0 runstate_change d1v0 running->runnable\n"
      "   1.002000000 x - d?v? runstate_change d1v1 runnable->running\n"
      "]  1.002000100 x - d1v1   28fff(2:8:fff) 2 [ a b ]\n" },
    { "C-states", JOB_RECORDS(schedule),
      { .text = true, .show_power = true },
      "                x . d32768v0 vcpu_wake d1v0\n"
      "   0.000001000 x . d32768v0 runstate_change d1v0 runnable->running\n"
      "   0.000002000 x . d1v0 vcpu_wake d1v1\n"
      "   0.000002500 | x d32768v2 runstate_change d32767v2 "
      "runnable->running\n"
      "   0.000002600 | x d32767v2 pm_idle_start c3\n"
      "   0.000002700 | x d32767v2 vcpu_wake d1v1\n"
      "   0.000003000 x 3 d1v0 runstate_change d1v0 running->runnable\n"
      "   1.002000000 x 3 d?v? runstate_change d1v1 runnable->running\n"
      "]  1.002000100 x 3 d1v1   28fff(2:8:fff) 2 [ a b ]\n" },
    { "records in hex", schedule, 2, { .raw = true },
      "*    28004 2           1000 [        1        0"
      "                                             " RAW_END
      "a0028004 000003e8 00000000 00000001 00000000                   "
      "         |\n"
      "*    21101 1           2000 [    10000         "
      "                                             " RAW_END
      "90021101 000007d0 00000000 00010000                            "
      "         |\n" },
    { "records in hex and lines", schedule, 1, { .raw = true, .text = true },
      "*    28004 2           1000 [        1        0"
      "                                             " RAW_END
      "a0028004 000003e8 00000000 00000001 00000000                   "
      "         |\n"
      "                x d32768v0 vcpu_wake d1v0\n" },
    { "exits and a loss", JOB_RECORDS(exits), { .text = true },
      "                x d32768v0 runstate_change d1v0 runnable->running\n"
      "!  0.000000500 x d1v0 rdtsc 32 50 \n"
      "]  0.000001000 x d1v0 vmexit exit_reason HLT eip 1234\n"
      "]  0.000001100 x d1v0 hlt [ 1 ]\n"
      "]  0.000001500 x d1v0 vmentry cycles 500 \n"
      "]  0.000002000 x d1v0 vmexit exit_reason CR_ACCESS eip 1234\n"
      "   0.000002100 x d1v0 cr_write cr3 val 1000\n"
      "]  0.000019000 x d1v0 vmentry cycles 17000 !\n"
      "]  0.000020000 x d1v0 vmexit exit_reason CR_ACCESS eip 1234\n"
      "   0.000020100 x d1v0 cr_write cr3 val 2000 oval 1000 switch\n"
      "   0.000020150 x d1v0 rdtsc 28 40 BACKWARDS\n"
      "]  0.000020200 x d1v0 vmentry cycles 200 \n"
      "   0.000029000 x d1v0 lost_records count 9 d1v2 (cur d1v0) first_tsc "
      "25000\n"
      "               x lost_records end ---\n"
      "               x lost_records end d1v2---\n"
      "   0.000029100 x d1v2 vcpu_wake d1v2\n" },
    { "colours", exits, 3, { .text = true, .colour = true },
      DIM "                x" VCPU " d32768v0 " END
      "runstate_change d1v0 runnable->running\n"
      RED "!  0.000000500 x" VCPU " d1v0 " END "rdtsc 32 50 \n"
      DIM "]  0.000001000 x" VCPU " d1v0 " END
      "vmexit exit_reason HLT eip 1234\n" },
};

START_TEST(lines_are_those_of_stock)
{
    for ( size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++ )
        for ( unsigned int threads = 1; threads <= 4; threads++ )
        {
            struct dump_options options = dumps[i].options;
            struct job j;

            job_init_records(&j, dumps[i].rows, dumps[i].nr);
            ck_assert_int_eq(run_dump(&j, &options, threads), 0);
            job_expect_text(&j, dumps[i].text);
            job_fini(&j);
        }
}
END_TEST

/* --- parts of a trace ----------------------------------------------------- */

/* In a span the columns are those of a full dump, and the times, too. */
START_TEST(spans_are_parts_of_the_whole)
{
    static const struct
    {
        const char *span, *text;
    } spans[] = {
        { "2us..",
          "   0.000002000 x . d1v0 vcpu_wake d1v1\n"
          "   0.000002500 | x d32768v2 runstate_change d32767v2 "
          "runnable->running\n"
          "   0.000002600 | x d32767v2 pm_idle_start c3\n"
          "   0.000002700 | x d32767v2 vcpu_wake d1v1\n"
          "   0.000003000 x - d1v0 runstate_change d1v0 running->runnable\n"
          "   1.002000000 x - d?v? runstate_change d1v1 runnable->running\n"
          "]  1.002000100 x - d1v1   28fff(2:8:fff) 2 [ a b ]\n" },
        { "2900ns..3us",
          "   0.000003000 x - d1v0 runstate_change d1v0 running->runnable\n" },
        { "4us..5us", "" },
    };

    for ( size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++ )
        for ( unsigned int stream = 0; stream < 2; stream++ )
        {
            struct dump_options options = { .text = true };
            static struct make m;
            struct job j;

            m.size = 0;
            job_put_records(&m, JOB_RECORDS(schedule));
            job_init(&j, &m, stream ? XT_SOURCE_STREAM : 0);
            job_set_span(&j, spans[i].span);
            ck_assert_int_eq(run_dump(&j, &options, 2), 0);
            job_expect_text(&j, spans[i].text);
            job_fini(&j);
        }
}
END_TEST

/* A filter removes lines, and changes nothing in the others. */
START_TEST(filters_remove_lines)
{
    static const struct
    {
        struct filter_texts texts;
        const char *text;
    } filters[] = {
        { { .vcpus = "d1v0" },
          "                x . d32768v0 vcpu_wake d1v0\n"
          "   0.000001000 x . d32768v0 runstate_change d1v0 "
          "runnable->running\n"
          "   0.000002000 x . d1v0 vcpu_wake d1v1\n"
          "   0.000003000 x - d1v0 runstate_change d1v0 "
          "running->runnable\n" },
        { { .vcpus = "d1v1", .events = "vcpu_w?ke",
            .has_dump_name = dump_has_name },
          "   0.000002000 x . d1v0 vcpu_wake d1v1\n"
          "   0.000002700 | x d32767v2 vcpu_wake d1v1\n" },
        { { .pcpus = "2", .events = "pm_idle_entry" },
          "   0.000002600 | x d32767v2 pm_idle_start c3\n" },
        { { .events = "0x28fff" },
          "]  1.002000100 x - d1v1   28fff(2:8:fff) 2 [ a b ]\n" },
        { { .domains = "77" }, "" },
    };

    for ( size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++ )
    {
        struct dump_options options = { .text = true };
        struct filter *f;
        struct job j;

        job_init_records(&j, JOB_RECORDS(schedule));
        ck_assert_int_eq(filter_new(&f, &filters[i].texts, &j.err), 0);
        options.filter = f;
        ck_assert_int_eq(run_dump(&j, &options, 2), 0);
        job_expect_text(&j, filters[i].text);
        filter_free(f);
        job_fini(&j);
    }
}
END_TEST

/* --- many records --------------------------------------------------------- */

/* Random records of 40 pcpus, of which one appears late. */
static void make_random_trace(struct make *m)
{
    static const uint32_t events[] = {
        RUNS, BLOCKS, PREEMPTED, 0x28004, TRC_HVM_VMENTRY, 0x82013,
        TRC_HVM_CR_WRITE64, TRC_HVM_RDTSC, 0x1f001, 0x801002, 0x28fff,
    };
    uint64_t seed = unit_seed(), tsc = 1000;

    m->size = 0;
    for ( uint32_t n = 0; n < 300; n++ )
    {
        uint32_t cpu = n == 200 ? 39 : unit_random(&seed) % 30;
        size_t opened = make_open(m, cpu);

        for ( uint32_t i = 0; i < 60; i++ )
        {
            uint32_t event = events[unit_random(&seed) % 11];
            struct job_record r = {
                .cpu = cpu, .event = event, .tsc = tsc += 5,
                .nr = event == TRC_HVM_VMENTRY ? 0 : event == 0x1f001 ? 4 : 3,
                .words = { unit_random(&seed) % 4 << 16 | n % 3, 7, 9, 0 },
            };

            job_put_record(m, &r);
        }
        make_close(m, opened);
    }
}

/* A trace of several chunks, among them one that ends for a new column. */
START_TEST(threads_do_not_matter)
{
    struct dump_options options = { .text = true, .show_power = true };
    static struct make m;
    char *first = NULL;

    make_random_trace(&m);
    for ( unsigned int threads = 1; threads <= 4; threads++ )
        for ( unsigned int stream = 0; stream < 2; stream++ )
        {
            struct job j;

            job_init(&j, &m, stream ? XT_SOURCE_STREAM : 0);
            ck_assert_int_eq(run_dump(&j, &options, threads), 0);
            if ( first )
                job_expect_text(&j, first);
            else
                first = strdup(j.text);
            job_fini(&j);
        }
    ck_assert_uint_gt(strlen(first), 300 * 60 * 40);
    free(first);
}
END_TEST

START_TEST(every_allocation_may_fail)
{
    for ( unsigned int threads = 1; threads <= 2; threads++ )
        for ( uint64_t n = 1; ; n++ )
        {
            struct dump_options options = { .text = true };
            struct job j;
            bool fired;
            int rc;

            job_init_records(&j, JOB_RECORDS(exits));
            fault_arm(FAULT_ALLOC, n);
            rc = run_dump(&j, &options, threads);
            fired = fault_fired(FAULT_ALLOC);
            fault_disarm();
            ck_assert_int_eq(rc, fired ? -ENOMEM : 0);
            job_fini(&j);
            if ( !fired )
                break;
        }
}
END_TEST

UNIT_MAIN("dump", lines_are_those_of_stock, spans_are_parts_of_the_whole,
          filters_remove_lines, threads_do_not_matter,
          every_allocation_may_fail)
