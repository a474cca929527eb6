/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time stamps of one pcpu rise through a capture, so the table needs one
 * time for each pcpu: the last one of all files so far.  Damage can look like a
 * time stamp: the times of a damaged file are ignored.
 */
#include "xenalyze/same-capture.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define SECOND INT64_C(1000000000)
#define WALL_TOLERANCE (60 * SECOND)    /* dom0 may correct its clock */
#define HZ_TOLERANCE 1000u              /* a measured frequency: 1/1000 */

/* --- properties of the machine -------------------------------------------- */

static bool has_two_frequencies(const struct xt_info *a,
                                const struct xt_info *b)
{
    uint64_t apart = a->hz > b->hz ? a->hz - b->hz : b->hz - a->hz;

    return a->hz && b->hz && apart > a->hz / HZ_TOLERANCE;
}

/* The wall clock time at which the TSC was 0. */
static int64_t find_origin(const struct xt_info *info)
{
    assert(info->hz);
    return (int64_t)((uint64_t)info->wall -
                     (uint64_t)((unsigned __int128)info->wall_tsc * SECOND /
                                info->hz));
}

static bool has_two_origins(const struct xt_info *a, const struct xt_info *b)
{
    int64_t apart;

    if ( !a->has_wall || !b->has_wall || !a->hz || !b->hz )
        return false;
    apart = (int64_t)((uint64_t)find_origin(a) - (uint64_t)find_origin(b));
    return apart > WALL_TOLERANCE || apart < -WALL_TOLERANCE;
}

bool same_capture_is_proven(const struct xt_info *a, const struct xt_info *b)
{
    return (a->has_run && b->has_run) || (a->has_boot && b->has_boot);
}

const char *same_capture_find_difference(const struct xt_info *a,
                                         const struct xt_info *b)
{
    const struct xt_dialect *x = &a->dialect, *y = &b->dialect;

    if ( (a->has_run && b->has_run && a->run != b->run) )
        return "the start of the capture";
    if ( a->has_boot && b->has_boot &&
         memcmp(a->boot, b->boot, sizeof(a->boot)) )
        return "the boot id";
    if ( same_capture_is_proven(a, b) )
        return NULL;
    if ( x->version && y->version && x->version != y->version )
        return "the version of Xen";
    if ( x->hardware && y->hardware && x->hardware != y->hardware )
        return "the vendor of the CPU";
    if ( a->cpus && b->cpus && a->cpus != b->cpus )
        return "the number of pcpus";
    if ( has_two_frequencies(a, b) )
        return "the frequency of the TSC";
    return has_two_origins(a, b) ? "the wall clock" : NULL;
}

/* --- time stamps ---------------------------------------------------------- */

/* First and last time stamp of a pcpu in the current file; last 0: none. */
struct pcpu_times
{
    uint64_t first, last;
    uint64_t before;            /* last time stamp in the files before */
};

static void note_window(struct pcpu_times *t, struct xt_trace *trace,
                        const struct xt_window *w)
{
    struct xt_records records;
    struct xt_record r;

    xt_trace_begin_records(trace, w, &records);
    while ( xt_records_next(&records, &r) )
    {
        if ( !r.has_tsc || !xt_record_is_timed(&r) )
            continue;
        if ( !t->last || r.tsc < t->first )
            t->first = r.tsc;
        if ( r.tsc > t->last )
            t->last = r.tsc;
    }
}

/* 0, or -errno; a file without windows, or damaged, has no times. */
static int read_times(struct pcpu_times *times, const char *path, struct err *e)
{
    struct err no_windows = ERR_INIT;
    struct xt_trace *trace;
    struct xt_window w;
    int rc;

    for ( unsigned int cpu = 0; cpu < XT_MAX_CPUS; cpu++ )
        times[cpu].first = times[cpu].last = 0;
    if ( xt_trace_open(&trace, path, 0, &no_windows) )
        return 0;
    while ( (rc = xt_trace_copy_window(trace, &w, e)) > 0 )
        if ( w.cpu < XT_MAX_CPUS )
            note_window(&times[w.cpu], trace, &w);
    if ( xt_damage_gaps(xt_trace_damage(trace)) )
        for ( unsigned int cpu = 0; cpu < XT_MAX_CPUS; cpu++ )
            times[cpu].first = times[cpu].last = 0;
    xt_trace_close(trace);
    return rc;
}

static int compare_times(struct pcpu_times *times, const char *path,
                         struct err *e)
{
    for ( unsigned int cpu = 0; cpu < XT_MAX_CPUS; cpu++ )
    {
        struct pcpu_times *t = &times[cpu];

        assert(t->first <= t->last);
        if ( t->last && t->before && t->first < t->before )
            return err_set(e, -EINVAL, "%s is not of the same capture as the "
                           "files before it: pcpu %u has times that are not "
                           "later; analyze these traces one by one", path, cpu);
        if ( t->last )
            t->before = t->last;
    }
    return 0;
}

int same_capture_check_times(const char *const *paths, size_t nr,
                             struct err *e)
{
    struct pcpu_times *times = fault_calloc(XT_MAX_CPUS, sizeof(*times));
    int rc = times ? 0 : err_sys(e, -ENOMEM, "cannot compare %zu files", nr);

    assert(nr > 1);
    for ( size_t i = 0; !rc && i < nr; i++ )
    {
        rc = read_times(times, paths[i], e);
        rc = rc ? rc : compare_times(times, paths[i], e);
    }
    free(times);
    return rc;
}
