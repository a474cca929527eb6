/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace for all reports: the reports terminate, and are the same
 * in one thread and in two, and in slices of time; scatterplots and intervals,
 * which use one thread, terminate, too; as text, JSON and CSV.  So do files for
 * viewers.
 */
#define _GNU_SOURCE /* memfd_create */

#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xenalyze/outputs.h"

struct text
{
    char *bytes;
    size_t size;
    int rc;
};

static struct text say(const char *path, unsigned int flags,
                       const struct config *config)
{
    struct run run = { .config = config, .name = "trace" };
    struct err e = ERR_INIT;
    struct text t = { 0 };

    MUST(!xt_trace_open(&run.trace, path, flags, &e));
    MUST(!xt_trace_info(run.trace, &run.info, &e));
    run.out = open_memstream(&t.bytes, &t.size);
    MUST(run.out);
    t.rc = reports_pass(&run, &e);
    MUST((t.rc >= 0) == !e.code);
    MUST(t.rc >= 0 || e.text[0]);
    MUST(t.rc != PASS_NO_MATCH || config->domains || config->pcpus);
    MUST(!fclose(run.out));
    xt_trace_close(run.trace);
    return t;
}

static void set_form(struct config *c, unsigned int form)
{
    c->reports.json = form % 3 == 1;
    c->reports.csv = form % 3 == 2;
}

static void reports(const char *path, unsigned int sort, unsigned int form)
{
    struct config c = {
        .threads = 1,
        .reports = {
            .summary = true, .pcpus = true, .latency = true, .exits = true,
            .wakeups = true, .io = true, .why = true, .migrations = true,
            .timers = true, .interrupts = true, .storms = true,
            .critical_path = "d1v0",
            .check_scheduler = true, .allow_late = 1000000,
            .request = { .sample_size = 1024, .eips = true,
                         .eip_vector = 0xd1, .histogram = 4096,
                         .histogram_vector = 0xd1, .top = 3,
                         .sort = sort },
        },
    };
    struct text one, two;

    set_form(&c, form);
    one = say(path, 0, &c);
    c.threads = 2;
    two = say(path, 0, &c);
    MUST(one.rc == two.rc && one.size == two.size);
    MUST(!memcmp(one.bytes, two.bytes, one.size));
    free(one.bytes);
    free(two.bytes);
    free(say(path, XT_SOURCE_STREAM, &c).bytes);
    c.time = "10us..2ms";
    c.domains = "0,1";
    c.reports.check_scheduler = c.reports.why = c.reports.io = false;
    free(say(path, 0, &c).bytes);
}

/*
 * All kinds of intervals, or one as text: with damaged time stamps, short
 * intervals can be a million, or a gigabyte of JSON.
 */
static void lists(const char *path, unsigned int kind, unsigned int form)
{
    struct config c = {
        .threads = 1,
        .reports = { .interval_length = kind == INTERVAL_KINDS
                       ? UINT64_C(1000000000000000) : 1000000,
                   .request = { .cr3 = true } },
    };

    memset(c.reports.scatter, true, sizeof(c.reports.scatter));
    for ( unsigned int i = 0; i < INTERVAL_KINDS; i++ )
    {
        c.reports.interval[i] = kind == INTERVAL_KINDS || kind == i;
        c.reports.ids[i].nr = 1;
    }
    set_form(&c, kind == INTERVAL_KINDS ? form : 0);
    free(say(path, 0, &c).bytes);
    free(say(path, XT_SOURCE_STREAM, &c).bytes);
}

/* A file for viewers: with all of the trace, and with a part. */
static void files(const char *path, const char *format)
{
    struct config c = {
        .threads = 1,
        .reports = {
            .nr_exports = 1,
            .exports = { { viewer_find(format, strlen(format)), "-" } },
        },
    };

    MUST(c.reports.exports[0].format);
    free(say(path, 0, &c).bytes);
    c.time = "10us..2ms";
    c.pcpus = "0,2-4";
    free(say(path, 0, &c).bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const formats[] = { VIEWER_TABLE(VIEWER_WORD) };
    int fd = memfd_create("trace", MFD_CLOEXEC);
    char path[64];

    MUST(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    reports(path, size % (SORT_AUTO + 1), (unsigned int)size / 16);
    /* A prime, since many inputs are as long as a seed. */
    lists(path, size % 61 ? INTERVAL_KINDS : size / 61 % INTERVAL_KINDS,
          (unsigned int)size / 16 + 1);
    for ( size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++ )
        files(path, formats[i]);
    close(fd);
    return 0;
}
