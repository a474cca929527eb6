/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The styles without state of their own: records in hex, in the words of the
 * catalogue, and in the order of the file; and the information on a file.
 */
#include <errno.h>

#include "common/fault.h"
#include "libxentrace/counts.h"
#include "tests/xenalyze/unit/line-job.h"
#include "xenalyze/lines/catalogue-lines.h"
#include "xenalyze/lines/file-info.h"
#include "xenalyze/lines/raw.h"

/* Two pcpus; records with and without time stamp, of 0 to 7 words. */
static const struct job_record records[] = {
    { 0, 0x28004, 1000, 2, { 1, 2 } },
    { 0, 0x28fff, 1300, 7, { 1, 2, 3, 4, 5, 6, 0xdeadbeef } },
    { 0, 0x82013, 0, 1, { 1 } },
    { 12, 0x21101, 1100, 1, { 0x10002 } },
    { 12, 0x28001, 0, 0, { 0 } },
};

/* --- records in hex ------------------------------------------------------- */

static const char read_lines[] =
    "R p 0 o0000000000000000    1f003 2              - [        0       44"
    "                                              ] |  2001f003 00000000 "
    "00000044                                              |\n"
    "R p 0 o000000000000000c    28004 2           1000 [        1        2"
    "                                              ] |  a0028004 000003e8 "
    "00000000 00000001 00000002                            |\n"
    "R p 0 o0000000000000020    28fff 7           1300 [        1        2"
    "        3        4        5        6 deadbeef ] |  f0028fff 00000514 "
    "00000000 00000001 00000002 00000003 00000004 00000005 |\n"
    "R p 0 o0000000000000048    82013 1              - [        1         "
    "                                              ] |  10082013 00000001 "
    "                                                      |\n"
    "R p12 o0000000000000050    1f003 2              - [        c       14"
    "                                              ] |  2001f003 0000000c "
    "00000014                                              |\n"
    "R p12 o000000000000005c    21101 1           1100 [    10002         "
    "                                              ] |  90021101 0000044c "
    "00000000 00010002                                     |\n"
    "R p12 o000000000000006c    28001 0              - [                  "
    "                                              ] |  00028001          "
    "                                                      |\n";

START_TEST(raw_reads)
{
    struct job j;

    job_init_records(&j, JOB_RECORDS(records));
    job_use_file_order(&j);
    ck_assert_int_eq(job_run(&j, raw_read_style(), NULL), 0);
    job_expect_text(&j, read_lines);
    job_fini(&j);
}
END_TEST

/* A line never exceeds RAW_MAX, whatever the record holds. */
START_TEST(raw_lines_have_a_limit)
{
    uint64_t seed = unit_seed();
    char text[RAW_MAX + 64];

    for ( unsigned int i = 0; i < 20000; i++ )
    {
        unsigned char bytes[XT_RECORD_MAX_BYTES];
        struct xt_record r;
        char *end;

        for ( size_t k = 0; k < sizeof(bytes); k++ )
            bytes[k] = i % 3 ? unit_random(&seed) : 0xff;
        xt_record_view(&r, bytes);
        memset(text, '\x7f', sizeof(text));
        end = raw_put_processed(text, &r);
        UNIT_CHECK(end <= text + RAW_MAX && end[-1] == '\n');
        UNIT_CHECK(text[RAW_MAX] == '\x7f' && !strncmp(text, "* ", 2));
        UNIT_CHECK(strcspn(text, "\n") == (size_t)(end - text) - 1);
    }
}
END_TEST

/* --- the words of the catalogue ------------------------------------------- */

static const struct
{
    bool file_order;
    const char *text;
} catalogues[] = {
    { false,
      "   0               1000 sched_wake               d1v2\n"
      "  12               1100 sched_runstate_change    d1v2 runnable -> "
      "running\n"
      "  12                  - sched_dom_add            d?\n"
      "   0               1300 0x00028fff                00000001 00000002 "
      "00000003 00000004 00000005 00000006 deadbeef\n"
      "   0                  - hvm_hlt                  event pending: yes\n" },
    { true,
      "   0                  - trace_cpu_change         window of pcpu 0, 68 "
      "bytes\n"
      "   0               1000 sched_wake               d1v2\n"
      "   0               1300 0x00028fff                00000001 00000002 "
      "00000003 00000004 00000005 00000006 deadbeef\n"
      "   0                  - hvm_hlt                  event pending: yes\n"
      "  12                  - trace_cpu_change         window of pcpu 12, "
      "20 bytes\n"
      "  12               1100 sched_runstate_change    d1v2 runnable -> "
      "running\n"
      "  12                  - sched_dom_add            d?\n" },
};

START_TEST(catalogue_lines)
{
    for ( size_t i = 0; i < 2; i++ )
        for ( unsigned int threads = 1; threads <= 4; threads += 3 )
        {
            struct job j;

            job_init_records(&j, JOB_RECORDS(records));
            if ( catalogues[i].file_order )
                job_use_file_order(&j);
            j.job.threads = threads;
            ck_assert_int_eq(job_run(&j, catalogue_lines_style(),
                                     j.catalogue), 0);
            job_expect_text(&j, catalogues[i].text);
            job_fini(&j);
        }
}
END_TEST

/* --- the order of the file ------------------------------------------------ */

/* A record without a time stamp has the time of the one before or behind it. */
START_TEST(file_order_has_times)
{
    static const struct job_record rows[] = {
        { 0, 0x28001, 0, 0, { 0 } }, { 0, 0x28001, 500, 0, { 0 } },
        { 0, 0x28001, 0, 0, { 0 } }, { 0, 0x28001, 700, 0, { 0 } },
        { 1, 0x28001, 0, 0, { 0 } }, { 1, 0x28001, 0, 0, { 0 } },
        { 0, 0x28001, 0, 0, { 0 } }, { 0, 0x28001, 900, 0, { 0 } },
    };
    static const struct
    {
        unsigned int cpu;
        size_t nr;
        uint64_t times[5];
    } windows[] = {
        { 0, 5, { 500, 500, 500, 500, 700 } },
        { 1, 3, { 0, 0, 0 } },
        { 0, 3, { 700, 700, 900 } },
    };
    struct xt_batch b;
    struct job j;

    job_init_records(&j, JOB_RECORDS(rows));
    job_use_file_order(&j);
    for ( size_t w = 0; w < 3; w++ )
    {
        ck_assert_int_eq(file_order_next(&j.file, &b, &j.err), 1);
        ck_assert_uint_eq(b.nr, windows[w].nr);
        for ( size_t i = 0; i < b.nr; i++ )
        {
            struct xt_record r;

            xt_batch_record(&b, &b.items[i], &r);
            ck_assert_uint_eq(b.items[i].time, windows[w].times[i]);
            ck_assert_uint_eq(xt_item_cpu(&b.items[i]), windows[w].cpu);
            ck_assert_uint_eq(r.event, i ? 0x28001 : TRC_TRACE_CPU_CHANGE);
        }
    }
    ck_assert_int_eq(file_order_next(&j.file, &b, &j.err), 0);
    job_fini(&j);
}
END_TEST

START_TEST(file_order_may_lack_memory)
{
    for ( uint64_t n = 1; ; n++ )
    {
        struct xt_batch b;
        struct job j;
        bool fired;
        int rc;

        job_init_records(&j, JOB_RECORDS(records));
        job_use_file_order(&j);
        fault_arm(FAULT_ALLOC, n);
        do
            rc = file_order_next(&j.file, &b, &j.err);
        while ( rc > 0 );
        fired = fault_fired(FAULT_ALLOC);
        fault_disarm();
        ck_assert_int_eq(rc, fired ? -ENOMEM : 0);
        ck_assert_int_eq(j.err.code, rc);
        job_fini(&j);
        if ( !fired )
            break;
    }
}
END_TEST

/* --- information on a file ------------------------------------------------ */

static void count_windows(struct job *j, struct xt_counts *c)
{
    struct xt_records walk;
    struct xt_window w;

    ck_assert_int_eq(xt_counts_init(c), 0);
    while ( xt_trace_next_window(j->trace, &w, &j->err) > 0 )
    {
        xt_trace_begin_records(j->trace, &w, &walk);
        ck_assert_int_eq(xt_counts_add_window(c, &w, walk.damage), 0);
    }
    ck_assert_int_eq(xt_counts_finish(c, xt_trace_position(j->trace),
                                      xt_trace_damage(j->trace)), 0);
}

static const struct
{
    const struct job_record *rows;
    size_t nr;
    const char *text;
} infos[] = {
    { records, 5,
      "trace named\n"
      "  bytes:   112 in 2 windows\n"
      "  records: 5: 5 events, 0 losses, 0 fillers, 0 metadata\n"
      "  lost:    0 records\n"
      "  time:    300 cycles, 1000 .. 1300\n"
      "\n"
      "  pcpu      records       events       lost  first .. last time stamp\n"
      "     0            3            3          0  1000 .. 1300\n"
      "    12            2            2          0  1100 .. 1100\n"
      "\n"
      "class               records\n"
      "sched                     4\n"
      "  00021101                1  sched_runstate_change\n"
      "  00028001                1  sched_dom_add\n"
      "  00028004                1  sched_wake\n"
      "  00028fff                1\n"
      "hvm                       1\n"
      "  00082013                1  hvm_hlt\n"
      "\n"
      "damage: none\n" },
    { records + 2, 1,
      "trace named\n"
      "  bytes:   20 in 1 window\n"
      "  records: 1: 1 event, 0 losses, 0 fillers, 0 metadata\n"
      "  lost:    0 records\n"
      "  time:    no record has a time stamp\n"
      "\n"
      "  pcpu      records       events       lost  first .. last time stamp\n"
      "     0            1            1          0  -\n"
      "\n"
      "class               records\n"
      "hvm                       1\n"
      "  00082013                1  hvm_hlt\n"
      "\n"
      "damage: none\n" },
};

START_TEST(file_information)
{
    for ( size_t i = 0; i < sizeof(infos) / sizeof(infos[0]); i++ )
    {
        static const struct file_texts texts = { .nr_marks = 0 };
        static const struct report_request request = { .style = STYLE_STOCK };
        static const struct xt_clock clock;
        struct xt_counts c;
        const struct file_info info = {
            .counts = &c, .texts = &texts, .clock = &clock, .name = "named",
            .start = "",
        };
        struct job j;
        FILE *out;

        job_init_records(&j, infos[i].rows, infos[i].nr);
        count_windows(&j, &c);
        out = open_memstream(&j.text, &j.size);
        file_info_print(&info, &request, out);
        fclose(out);
        job_expect_text(&j, infos[i].text);
        xt_counts_fini(&c);
        job_fini(&j);
    }
}
END_TEST

/* Moments before the first record, of a foreign writer, and past the limit. */
START_TEST(marks_have_moments)
{
    static struct file_texts texts = {
        .nr_marks = FILE_TEXT_MARKS + 7,
        .marks = {
            { (char *)"early", true, { .tsc = 500, .wall = 3600000000000 } },
            { (char *)"late\n", true, { .tsc = 2500, .wall = 86399999999999 } },
            { (char *)"foreign", false, { .tsc = 0 } },
        },
    };
    static const struct report_request request = { .style = STYLE_STOCK };
    char *text, *line;
    struct xt_clock clock;
    size_t size;
    FILE *out;

    for ( size_t i = 3; i < FILE_TEXT_MARKS; i++ )
        texts.marks[i].text = (char *)"more";
    setenv("TZ", "UTC0", 1);
    xt_clock_init(&clock, 1000, 1000000000, 1000);
    out = open_memstream(&text, &size);
    file_texts_print(&texts, &clock, &request, out);
    fclose(out);
    line = strstr(text, "  mark:    more\n");
    ck_assert_ptr_nonnull(line);
    ck_assert_ptr_nonnull(strstr(line, "  mark:    and 7 more\n"));
    *line = '\0';
    ck_assert_str_eq(text, "  mark:    -0.500000000 s, 01:00:00: early\n"
                           "  mark:    1.500000000 s, 23:59:59: late?\n"
                           "  mark:    foreign\n");
    free(text);
}
END_TEST

UNIT_MAIN("line styles", raw_reads, raw_lines_have_a_limit, catalogue_lines,
          file_order_has_times, file_order_may_lack_memory, file_information,
          marks_have_moments)
