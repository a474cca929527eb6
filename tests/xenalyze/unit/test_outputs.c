/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The top of xenalyze: which outputs go together and need the trace twice, the
 * copy of an input that cannot be mapped, progress, and the explanation of a
 * filter that matches nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/line-job.h"
#include "xenalyze/no-match.h"
#include "xenalyze/outputs.h"
#include "xenalyze/pass-progress.h"
#include "xenalyze/spool.h"

/* --- the choice of outputs ------------------------------------------------ */

static const struct
{
    struct config config;
    int rc;
    bool summary;               /* chosen as the default, or wanted */
    bool reads_again;
} choices[] = {
    { { 0 }, 0, true, true },
    { { .dump_all = true }, 0, false, false },
    { { .dump_all = true, .dump_raw_process = true }, 0, false, false },
    { { .dump_raw_reads = true, .dump_no_processing = true }, 0, false,
      false },
    { { .dump_all = true, .records = true }, 0, false, true },
    { { .count = true, .info = true }, 0, false, true },
    { { .records = true, .reports.summary = true }, 0, true, true },
    { { .reports_wanted = true }, 0, false, true },
    { { .reports.json = true }, 0, true, true },
    { { .reports.json = true, .reports.csv = true }, -EINVAL, true, true },
    { { .reports.csv = true, .count = true }, -EINVAL, false, false },
};

START_TEST(outputs_are_chosen)
{
    for ( size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++ )
    {
        struct config config = choices[i].config;
        struct err e = ERR_INIT;

        ck_assert_int_eq(outputs_choose(&config, false, &e), choices[i].rc);
        ck_assert_int_eq(config.reports.summary, choices[i].summary);
        ck_assert(!config.reports.overview);
        ck_assert_int_eq(outputs_read_again(&config), choices[i].reads_again);
    }
}
END_TEST

/* On a terminal, another default; the same choice if any output is wanted. */
START_TEST(terminal_has_another_default)
{
    for ( size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++ )
    {
        struct config config = choices[i].config;
        struct err e = ERR_INIT;
        bool none = i == 0 || config.reports.json;

        ck_assert_int_eq(outputs_choose(&config, true, &e), choices[i].rc);
        ck_assert_int_eq(config.reports.overview, none);
        ck_assert_int_eq(config.reports.summary, choices[i].summary && !none);
    }
}
END_TEST

/* --- the copy of the input ------------------------------------------------ */

static struct make m;

static void make_small_trace(void)
{
    static const struct job_record records[] = {
        { 0, 0x28004, 1000, 2, { 1, 0 } },
        { 0, 0x21101, 2000, 1, { 0x10000 } },
        { 0, 0x21021, 3000, 1, { 0x10000 } },
        { 3, 0x21101, 2500, 1, { 0x20001 } },
    };

    m.size = 0;
    job_put_records(&m, JOB_RECORDS(records));
}

START_TEST(mapped_files_are_not_copied)
{
    struct err e = ERR_INIT;
    struct spool s;
    const char *use;
    char path[32];

    make_small_trace();
    trace_file(path, &m);
    ck_assert_int_eq(spool_open(&s, path, &use, &e), 0);
    ck_assert_ptr_eq(use, path);
    ck_assert_int_eq(s.fd, -1);
    spool_close(&s);
    ck_assert_int_eq(spool_open(&s, "no such file", &use, &e), -ENOENT);
    ck_assert_int_eq(e.code, -ENOENT);
    spool_close(&s);
    unlink(path);
}
END_TEST

/* A named pipe that a child fills with the trace. */
static void start_writer(char path[32])
{
    pid_t pid;

    snprintf(path, 32, "spool-%d", (int)getpid());
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if ( !pid )
    {
        int fd = open(path, O_WRONLY);

        for ( size_t i = 0; i < m.size; i += 7 )
            if ( write(fd, m.bytes + i, m.size - i < 7 ? m.size - i : 7) < 0 )
                _exit(1);
        _exit(0);
    }
}

static void read_copy(const char *path)
{
    char bytes[MAKE_MAX];
    FILE *f = fopen(path, "r");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fread(bytes, 1, sizeof(bytes), f), m.size);
    ck_assert_int_eq(memcmp(bytes, m.bytes, m.size), 0);
    fclose(f);
}

START_TEST(pipes_are_copied)
{
    static const enum fault_kind kinds[] = {
        FAULT_KINDS, FAULT_SHORT_WRITE, FAULT_SHORT_READ, FAULT_INTERRUPT,
    };

    make_small_trace();
    for ( size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++ )
    {
        struct err e = ERR_INIT;
        struct spool s;
        const char *use;
        char path[32];

        start_writer(path);
        if ( kinds[i] != FAULT_KINDS )
            fault_arm_from(kinds[i], 1);
        if ( kinds[i] == FAULT_INTERRUPT )
            fault_arm(kinds[i], 1);
        ck_assert_msg(!spool_open(&s, path, &use, &e), "%s", e.text);
        fault_disarm();
        ck_assert_str_eq(use, s.path);
        read_copy(use);
        /* The file has no name, and goes when it is closed. */
        spool_close(&s);
        ck_assert_int_eq(access(use, F_OK), -1);
        unlink(path);
    }
}
END_TEST

START_TEST(failing_copies_are_errors)
{
    static const struct
    {
        enum fault_kind kind;
        int code;
    } faults[] = {
        { FAULT_ALLOC, -ENOMEM }, { FAULT_READ, -EIO },
        { FAULT_WRITE, -ENOSPC },
    };

    make_small_trace();
    for ( size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++ )
        for ( uint64_t n = 1; n < 4; n++ )
        {
            struct err e = ERR_INIT;
            struct spool s;
            const char *use;
            char path[32];
            bool fired;
            int rc;

            start_writer(path);
            fault_arm(faults[i].kind, n);
            rc = spool_open(&s, path, &use, &e);
            fired = fault_fired(faults[i].kind);
            fault_disarm();
            ck_assert_int_eq(rc, fired ? faults[i].code : 0);
            ck_assert_int_eq(e.code, rc);
            spool_close(&s);
            unlink(path);
        }
}
END_TEST

/* --- progress ------------------------------------------------------------- */

START_TEST(progress_needs_a_terminal)
{
    struct pass_progress p = { 0 };
    struct run run = { 0 };
    struct job j;

    pass_progress_end(&p);
    make_small_trace();
    job_init(&j, &m, 0);
    run.trace = j.trace;
    ck_assert(!pass_progress_begin(&p, &run, true));
    pass_progress_end(&p);
    run.progress = tmpfile();
    ck_assert(!pass_progress_begin(&p, &run, true));
    pass_progress_end(&p);
    fclose(run.progress);
    job_fini(&j);
}
END_TEST

/* --- filters that match nothing ------------------------------------------- */

static const struct
{
    const char *pcpus, *domains, *vcpus;
    const char *reason;
} absent[] = {
    { "0", NULL, NULL, "no record of named matches --pcpu 0" },
    { "1-2", NULL, NULL, "--pcpu 1-2 matches nothing in named, which has 0,3" },
    { "2-3", NULL, NULL, "no record of named matches --pcpu 2-3" },
    { NULL, "7", NULL, "--domain 7 matches nothing in named, which has 1-2" },
    { NULL, "2,7", NULL, "no record of named matches --domain 2,7" },
    { NULL, NULL, "d1v1", "--vcpu d1v1 matches nothing in named, which has "
                          "d1v0,d2v1" },
    { NULL, "1", "d2v1", "no vcpu matches both --domain 1 and --vcpu d2v1" },
    { NULL, "2", "d2v1", "no record of named matches --domain 2 --vcpu "
                         "d2v1" },
    { "5", "7", NULL, "--pcpu 5 matches nothing in named, which has 0,3" },
};

START_TEST(absent_names_are_explained)
{
    make_small_trace();
    for ( size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++ )
    {
        const struct config config = {
            .pcpus = absent[i].pcpus, .domains = absent[i].domains,
            .vcpus = absent[i].vcpus, .threads = 1,
        };
        struct run run = { .config = &config, .name = "named" };
        struct job j;
        int rc;

        job_init(&j, &m, 0);
        run.trace = j.trace;
        ck_assert_int_eq(xt_trace_info(j.trace, &run.info, &j.err), 0);
        rc = no_match_explain(&run, &j.err);
        ck_assert_int_eq(rc, -ENOENT);
        ck_assert_str_eq(j.err.text, absent[i].reason);
        job_fini(&j);
    }
}
END_TEST

/* A long list ends in dots. */
START_TEST(long_lists_are_cut)
{
    const struct config config = { .pcpus = "1", .threads = 1 };
    struct run run = { .config = &config, .name = "named" };
    struct job j;

    m.size = 0;
    for ( unsigned int cpu = 2; cpu < 200; cpu += 2 )
    {
        struct job_record r = { cpu, 0x28004, 1000, 2, { 1, 0 } };

        job_put_records(&m, &r, 1);
    }
    job_init(&j, &m, 0);
    run.trace = j.trace;
    ck_assert_int_eq(xt_trace_info(j.trace, &run.info, &j.err), 0);
    ck_assert_int_eq(no_match_explain(&run, &j.err), -ENOENT);
    ck_assert_ptr_nonnull(strstr(j.err.text, "which has 2,4,6,8,10,"));
    ck_assert_str_eq(j.err.text + strlen(j.err.text) - 4, ",...");
    job_fini(&j);
}
END_TEST

UNIT_MAIN("outputs", outputs_are_chosen, terminal_has_another_default,
          mapped_files_are_not_copied, pipes_are_copied,
          failing_copies_are_errors, progress_needs_a_terminal,
          absent_names_are_explained, long_lists_are_cut)
