/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace that is converted: to trace.dat and to CTF, all of the
 * trace and a part.  A conversion ends, and fails with a message or not at all.
 * A part that is cut of any bytes can be read to its end, and all of it; but
 * its times may go backwards, and windows repeat, as those of the input do.
 */
#define _GNU_SOURCE /* memfd_create */

#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "xenalyze/outputs.h"

static int convert(const char *path, const struct config *config, pass_fn *pass)
{
    struct run run = { .config = config, .name = "trace" };
    struct err e = ERR_INIT;
    char *bytes;
    size_t size;
    int rc;

    MUST(!xt_trace_open(&run.trace, path, 0, &e));
    MUST(!xt_trace_info(run.trace, &run.info, &e));
    run.out = open_memstream(&bytes, &size);
    MUST(run.out);
    rc = pass(&run, &e);
    MUST((rc >= 0) == !e.code);
    MUST(rc >= 0 || e.text[0]);
    MUST(!fclose(run.out));
    free(bytes);
    xt_trace_close(run.trace);
    return rc;
}

/* A conversion to CTF makes the folder, or leaves none. */
static void convert_ctf(const char *path, struct config *c)
{
    char parent[] = "/tmp/fuzz-convert.XXXXXX", folder[64], command[96];
    int rc;

    MUST(mkdtemp(parent));
    snprintf(folder, sizeof(folder), "%s/ctf", parent);
    c->reports.ctf_path = folder;
    rc = convert(path, c, ctf_pass);
    MUST((access(folder, F_OK) == 0) == !rc);
    snprintf(command, sizeof(command), "rm -rf %s", parent);
    MUST(!system(command));
}

static void check_part(int fd)
{
    static const enum xt_damage_kind kinds[] = {
        XT_DAMAGE_TORN, XT_DAMAGE_RECORD, XT_DAMAGE_SIZE, XT_DAMAGE_JUNK,
        XT_DAMAGE_SUM, XT_DAMAGE_GONE, XT_DAMAGE_CHANGED,
    };
    const struct xt_damage *damage;
    struct xt_trace *trace;
    struct err e = ERR_INIT;
    struct xt_batch b;
    char path[64];
    int rc;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    MUST(!xt_trace_open(&trace, path, 0, &e));
    while ( (rc = xt_trace_next_batch(trace, &b, &e)) > 0 )
        continue;
    MUST(!rc);
    damage = xt_trace_damage(trace);
    for ( size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++ )
        MUST(!damage->times[kinds[i]]);
    xt_trace_close(trace);
}

static void convert_cut(const char *path, struct config *c)
{
    struct run run = { .config = c, .name = "trace" };
    struct err e = ERR_INIT;
    int fd = memfd_create("part", MFD_CLOEXEC), rc;

    MUST(fd >= 0);
    c->cut_path = "-";
    MUST(!xt_trace_open(&run.trace, path, 0, &e));
    MUST(!xt_trace_info(run.trace, &run.info, &e));
    run.out = fdopen(dup(fd), "w");
    MUST(run.out);
    rc = cut_pass(&run, &e);
    MUST((rc >= 0) == !e.code);
    MUST(!fclose(run.out));
    if ( !rc )
        check_part(fd);
    xt_trace_close(run.trace);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct config c = { .threads = 1, .reports = { .trace_dat_path = "-" } };
    int fd = memfd_create("trace", MFD_CLOEXEC);
    char path[64];

    MUST(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    convert(path, &c, trace_dat_pass);
    convert_ctf(path, &c);
    convert_cut(path, &c);
    c.time = "10us..2ms";
    c.pcpus = "0,2-4";
    convert(path, &c, trace_dat_pass);
    convert_ctf(path, &c);
    convert_cut(path, &c);
    close(fd);
    return 0;
}
