/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines by rules of a file: each conversion, with the text of Python's %
 * operator; time stamps and their distances; files of rules with errors, which
 * name the line; and text that is not a file of rules.
 */
#include <errno.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/line-job.h"
#include "xenalyze/lines/formats.h"

static struct formats *read_rules(const char *text)
{
    struct err e = ERR_INIT;
    struct formats *f;

    ck_assert_msg(!formats_new(&f, text, strlen(text), "rules", &e), "%s",
                  e.text);
    return f;
}

/* --- conversions ---------------------------------------------------------- */

/* The record of all conversions: on pcpu 3, 300 cycles after the first. */
static const struct job_record conversion_records[] = {
    { 3, 0x28001, 1000, 0, { 0 } },
    { 3, 0x28004, 1300, 6, { 10, 255, 0xffffffff, 0, 65, 0x80000000 } },
};

static const struct
{
    const char *format, *text;
} conversions[] = {
    { "text only", "text only" },
    { "100%%", "100%" },
    { "%(cpu)d", "3" },
    { "%(cpu)4d|", "   3|" },
    { "%(cpu)-4d|", "3   |" },
    { "%(cpu)+d", "+3" },
    { "%(cpu)04d", "0003" },
    { "%(cpu) d", " 3" },
    { "%(tsc)d", "1300" },
    { "%(reltsc)d", "300" },
    { "%(reltsc)8d", "     300" },
    { "%(event)x", "28004" },
    { "%(event)08x", "00028004" },
    { "%(event)X", "28004" },
    { "%(event)#x", "0x28004" },
    { "%(1)d", "10" },
    { "%(1)x", "a" },
    { "%(1)X", "A" },
    { "%(1)o", "12" },
    { "%(1)i %(1)u %(1)ld %(1)hd", "10 10 10 10" },
    { "%(2)08x", "000000ff" },
    { "%(2)8x", "      ff" },
    { "%(2)4x", "  ff" },
    { "%(3)d", "4294967295" },
    { "%(3)08x", "ffffffff" },
    { "%(4)08x", "00000000" },
    { "%(5)c", "A" },
    { "%(5)s", "65" },
    { "%(5)5s|", "   65|" },
    { "%(5)-5s|", "65   |" },
    { "%(5)r", "65" },
    { "%(6)d", "2147483648" },
    { "%(6)e", "2.147484e+09" },
    { "%(6).2f", "2147483648.00" },
    { "%(1)g", "10" },
    { "%(7)d", "0" },                   /* the record has six words */
    { "%(7)08x", "00000000" },
    { "%(1).5d", "00010" },
    { "%(1)08.3d", "     010" },
    { "a%(1)db%(2)xc", "a10bffc" },
    { "%(1)d%(2)d%(1)d", "1025510" },
};

START_TEST(each_conversion)
{
    for ( size_t i = 0; i < sizeof(conversions) / sizeof(*conversions); i++ )
    {
        char rules[128], want[128];
        struct formats *f;
        struct job j;

        snprintf(rules, sizeof(rules), "0x28004  %s\n",
                 conversions[i].format);
        snprintf(want, sizeof(want), "%s\n", conversions[i].text);
        f = read_rules(rules);
        job_init_records(&j, JOB_RECORDS(conversion_records));
        ck_assert_int_eq(job_run(&j, formats_style(), f), 0);
        if ( strcmp(j.text, want) )
            ck_abort_msg("%s: \"%s\", not \"%s\"", conversions[i].format,
                         j.text, want);
        job_fini(&j);
        formats_free(f);
    }
}
END_TEST

/* Widths up to 200 fit, with any type. */
START_TEST(wide_fields_fit)
{
    struct formats *f = read_rules("0x28004 %(1)200d%(2)0200x%(3)200.100f\n");
    struct job j;

    job_init_records(&j, JOB_RECORDS(conversion_records));
    ck_assert_int_eq(job_run(&j, formats_style(), f), 0);
    ck_assert_uint_eq(strlen(j.text), 601);
    ck_assert_uint_eq(strspn(j.text, " "), 198);
    ck_assert_uint_eq(strspn(j.text + 200, "0"), 198);
    job_fini(&j);
    formats_free(f);
}
END_TEST

/* --- which rule ----------------------------------------------------------- */

START_TEST(rules_are_found)
{
    struct formats *f = read_rules("# a comment\n"
                                   "\n"
                                   "  \t\n"
                                   "0x28004  first\n"
                                   "0x28001  one\r\n"
                                   "163844  second, and last\n"
                                   "0  any %(event)x");
    static const struct job_record records[] = {
        { 0, 0x28001, 1, 0, { 0 } }, { 0, 0x28004, 2, 0, { 0 } },
        { 0, 0x28005, 3, 0, { 0 } },
    };
    struct job j;

    job_init_records(&j, JOB_RECORDS(records));
    ck_assert_int_eq(job_run(&j, formats_style(), f), 0);
    job_expect_text(&j, "one\nsecond, and last\nany 28005\n");
    job_fini(&j);
    formats_free(f);
    /* Without a rule 0, other events have no line. */
    f = read_rules("1 x");
    ck_assert_ptr_null(formats_find_rule(f, 2));
    formats_free(f);
}
END_TEST

/* The hash table grows, and still finds each of many rules. */
START_TEST(many_rules_are_found)
{
    enum { RULES = 5000 };
    char *text = malloc(RULES * 32), *p = text;
    struct formats *f;

    for ( uint32_t i = 1; i <= RULES; i++ )
        p += sprintf(p, "%#x r%u\n", i * 4096 + i % 7, i);
    f = read_rules(text);
    for ( uint32_t i = 1; i <= RULES; i++ )
    {
        const struct formats_rule *rule =
            formats_find_rule(f, i * 4096 + i % 7);

        UNIT_CHECK(rule && rule->nr_steps == 1);
        UNIT_CHECK(strtoul(rule->steps->text + 1, NULL, 10) == i);
    }
    formats_free(f);
    free(text);
}
END_TEST

/* --- time ----------------------------------------------------------------- */

/* Per pcpu: a first record, a gap, a time stamp that goes backward. */
static const struct job_record time_records[] = {
    { 0, 0x28004, 5000, 0, { 0 } }, { 1, 0x28004, 5100, 0, { 0 } },
    { 0, 0x28004, 5200, 0, { 0 } }, { 0, 0x28004, 0, 0, { 0 } },
    { 0, 0x28004, 5190, 0, { 0 } }, { 1, 0x28004, 5400, 0, { 0 } },
};

static const struct
{
    const char *format;
    uint64_t mhz;
    const char *text;
} times[] = {
    { "%(cpu)d %(tsc)d %(reltsc)d", 0,
      "0 5000 0\n1 5100 0\n0 5200 200\n0 0 0\n"
      "TSC stepped backward cpu 0 !  5190 5200\n0 5190 -10\n1 5400 300\n" },
    { "%(reltsc)x", 0, "0\n0\nc8\n0\nTSC stepped backward cpu 0 !  5190 5200\n"
                       "-a\n12c\n" },
    { "%(reltsc)6d|%(reltsc)06x", 0,
      "     0|000000\n     0|000000\n   200|0000c8\n     0|000000\n"
      "TSC stepped backward cpu 0 !  5190 5200\n   -10|-0000a\n"
      "   300|00012c\n" },
    { "%(tsc).6f %(tsc)d", 1000,
      "0.000005 0\n0.000005 0\n0.000005 0\n0.000000 0\n"
      "TSC stepped backward cpu 0 !  5190 5200\n0.000005 0\n0.000005 0\n" },
    { "%(tsc)s", 1, "0.005\n0.0051\n0.0052\n0\n"
                    "TSC stepped backward cpu 0 !  5190 5200\n0.00519\n"
                    "0.0054\n" },
};

/* In the order of the file, so that the time that goes backward stays. */
START_TEST(time_stamps_and_distances)
{
    for ( size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++ )
        for ( unsigned int threads = 1; threads <= 2; threads++ )
        {
            char rules[64];
            struct formats *f;
            struct job j;

            snprintf(rules, sizeof(rules), "0x28004 %s\n", times[i].format);
            f = read_rules(rules);
            formats_set_mhz(f, times[i].mhz);
            job_init_records(&j, JOB_RECORDS(time_records));
            job_use_file_order(&j);
            j.job.threads = threads;
            ck_assert_int_eq(job_run(&j, formats_style(), f), 0);
            job_expect_text(&j, times[i].text);
            job_fini(&j);
            formats_free(f);
        }
}
END_TEST

/* Distances go on from chunk to chunk. */
START_TEST(distances_cross_chunks)
{
    enum { RECORDS = 10000 };
    static struct make m;
    struct formats *f = read_rules("0x28004 %(reltsc)d\n");

    m.size = 0;
    for ( uint32_t n = 0; n < RECORDS; n += 100 )
    {
        size_t opened = make_open(&m, n / 100 % 2);

        for ( uint32_t i = 0; i < 100; i++ )
            make_record(&m, 0x28004, 1000 + 3 * (n + i), 0);
        make_close(&m, opened);
    }
    for ( unsigned int threads = 1; threads <= 4; threads += 3 )
    {
        uint64_t sum = 0;
        struct job j;

        job_init(&j, &m, 0);
        j.job.threads = threads;
        ck_assert_int_eq(job_run(&j, formats_style(), f), 0);
        for ( char *p = j.text; *p; p++ )
            sum += strtoul(p, &p, 10);
        /* From the first record of each pcpu to its last. */
        ck_assert_uint_eq(sum, 3 * (RECORDS - 101) + 3 * (RECORDS - 101));
        job_fini(&j);
        formats_free(f);
        f = read_rules("0x28004 %(reltsc)d\n");
    }
    formats_free(f);
}
END_TEST

/* The first distance in a span is from a record before the span. */
START_TEST(warmup_knows_the_time_before)
{
    struct formats *f = read_rules("0x28004 %(tsc)d %(reltsc)d\n");
    static const struct job_record records[] = {
        { 0, 0x28004, 5000, 0, { 0 } }, { 0, 0x28004, 5300, 0, { 0 } },
        { 0, 0x28004, 5900, 0, { 0 } },
    };
    struct job j;

    job_init_records(&j, JOB_RECORDS(records));
    job_set_span(&j, "500ns..");
    j.source.warmup = formats_warmup();
    j.source.warmup_arg = f;
    ck_assert_int_eq(job_run(&j, formats_style(), f), 0);
    job_expect_text(&j, "5900 600\n");
    job_fini(&j);
    formats_free(f);
}
END_TEST

/* A hypercall's first word has more than its number: only that is shown. */
START_TEST(hypercall_numbers)
{
    struct formats *f = read_rules("0x20100d %(1)d %(2)d\n"
                                   "0x28004 %(1)d\n");
    static const struct job_record records[] = {
        { 0, TRC_PV_HYPERCALL_V2, 1, 2, { 0x1230001d, 0x1230001d } },
        { 0, 0x28004, 2, 1, { 0x1230001d } },
    };
    struct job j;

    ck_assert_uint_eq(TRC_PV_HYPERCALL_V2, 0x20100d);
    job_init_records(&j, JOB_RECORDS(records));
    ck_assert_int_eq(job_run(&j, formats_style(), f), 0);
    job_expect_text(&j, "29 305135645\n305135645\n");
    job_fini(&j);
    formats_free(f);
}
END_TEST

/* --- files of rules that are wrong ---------------------------------------- */

static const struct
{
    const char *text, *reason;
} errors[] = {
    { "0x28004", "line 1: not a rule" },
    { "# fine\n0x28004 fine\nwake %(cpu)d\n", "line 3: not a rule" },
    { "0x1g %(cpu)d", "line 1: not a rule" },
    { "1111111111111111111111111111111111 x", "line 1: not a rule" },
    { "0x10000000 x", "line 1: the id of an event has at most 28 bits" },
    { "1 %(pcpu)d", "line 1: unknown field" },
    { "1 %(8)d", "line 1: unknown field" },
    { "1 %(0)d", "line 1: unknown field" },
    { "1 %()d", "line 1: unknown field" },
    { "1 %(cpu", "line 1: unknown field" },
    { "1 100%", "line 1: a % has to be part" },
    { "1 %d", "line 1: a % has to be part" },
    { "1 %(cpu)", "line 1: invalid conversion" },
    { "1 %(cpu)n", "line 1: invalid conversion" },
    { "1 %(cpu)ll", "line 1: invalid conversion" },
    { "1 %(cpu)*d", "line 1: invalid conversion" },
    { "1 %(cpu)201d", "line 1: width or precision" },
    { "1 %(cpu).201d", "line 1: width or precision" },
    { "1 %(cpu)99999999999999999999d", "line 1: width or precision" },
};

START_TEST(errors_name_the_line)
{
    for ( size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++ )
    {
        struct err e = ERR_INIT;
        struct formats *f;

        ck_assert_int_eq(formats_new(&f, errors[i].text,
                                     strlen(errors[i].text), "rules", &e),
                         -EINVAL);
        ck_assert_ptr_null(f);
        if ( !strstr(e.text, errors[i].reason) )
            ck_abort_msg("\"%s\" is not \"%s\"", e.text, errors[i].reason);
    }
}
END_TEST

START_TEST(rules_have_a_limit)
{
    char text[2000] = "1 ";
    struct err e = ERR_INIT;
    struct formats *f;

    for ( unsigned int i = 0; i < 257; i++ )
        strcat(text, "%(1)d");
    ck_assert_int_eq(formats_new(&f, text, strlen(text), "rules", &e),
                     -EINVAL);
    ck_assert_ptr_nonnull(strstr(e.text, "more than 256"));
    text[strlen(text) - 5] = '\0';
    formats_free(read_rules(text));
}
END_TEST

static const struct
{
    const char *text;
    bool suspected;
} suspects[] = {
    { "0x28004 CPU%(cpu)d", true },
    { "# comment\n\n0x28004 wake\n", true },
    { "# comment", true },
    { "   \n0x1 x", true },
    { "0x28004", false },
    { "wake up", false },
    { "", false },
    { "\n\n", false },
    { "0x1 a\x01" "b", false },
    { "\x03\xf0\x01\x20", false },
};

START_TEST(rules_are_told_from_traces)
{
    for ( size_t i = 0; i < sizeof(suspects) / sizeof(suspects[0]); i++ )
        if ( formats_suspected(suspects[i].text, strlen(suspects[i].text)) !=
             suspects[i].suspected )
            ck_abort_msg("row %zu: %s", i, suspects[i].text);
}
END_TEST

/* --- the file ------------------------------------------------------------- */

static const struct
{
    enum fault_kind kind;
    int code;                   /* 0: harmless */
} faults[] = {
    { FAULT_ALLOC, -ENOMEM }, { FAULT_OPEN, -EMFILE }, { FAULT_READ, -EIO },
    { FAULT_INTERRUPT, 0 }, { FAULT_SHORT_READ, 0 },
};

/* 400 rules: the table grows once. */
static void write_rules(const char *path)
{
    FILE *out = fopen(path, "w");

    ck_assert_ptr_nonnull(out);
    for ( uint32_t i = 1; i <= 400; i++ )
        fprintf(out, "%#x rule %%(1)d %u\n", i, i);
    ck_assert_int_eq(fclose(out), 0);
}

START_TEST(failing_reads_are_errors)
{
    char path[32];

    snprintf(path, sizeof(path), "rules-%d", (int)getpid());
    write_rules(path);
    for ( size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++ )
        for ( uint64_t n = 1; ; n++ )
        {
            struct err e = ERR_INIT;
            struct formats *f;
            bool fired;
            int rc;

            fault_arm(faults[i].kind, n);
            rc = formats_read(&f, path, &e);
            fired = fault_fired(faults[i].kind);
            fault_disarm();
            ck_assert_int_eq(rc, fired ? faults[i].code : 0);
            ck_assert_int_eq(e.code, rc);
            ck_assert(!f == !!rc);
            formats_free(f);
            if ( !fired )
                break;
        }
    unlink(path);
}
END_TEST

UNIT_MAIN("formats", each_conversion, wide_fields_fit, rules_are_found,
          many_rules_are_found, time_stamps_and_distances,
          distances_cross_chunks, warmup_knows_the_time_before,
          hypercall_numbers, errors_name_the_line, rules_have_a_limit,
          rules_are_told_from_traces, failing_reads_are_errors)
