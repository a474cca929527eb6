/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace, read in all modes: mapped and as a stream, by window,
 * by time, by pcpu in two threads.  All modes return the same records and skip
 * the same bytes, in the same order if a stream is certain of its order; and
 * seeking to a time terminates, with and without samples.
 */
#define _GNU_SOURCE /* memfd_create */

#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libxentrace/trace-private.h"
#include "tests/unit/libxentrace/read-modes.h"

static void same(const struct set *a, const struct set *b)
{
    MUST(a->records == b->records && a->sum == b->sum);
    MUST(a->skipped == b->skipped && a->places == b->places);
}

static void go_to(const char *path, uint64_t time, uint64_t shortcuts)
{
    struct xt_trace *t = ways_open(path, 0);
    struct err e = ERR_INIT;
    uint64_t last = time;
    struct xt_batch b;

    t->shortcut_min_size = shortcuts;
    MUST(!xt_trace_seek(t, time, &e));
    if ( xt_trace_next_batch(t, &b, &e) > 0 )
        for ( size_t i = 0; i < b.nr; last = b.items[i++].time )
            MUST(b.items[i].time >= last || b.segment);
    xt_trace_close(t);
}

static void read_all(const char *path, const uint8_t *bytes, size_t size)
{
    struct set want = read_by_window(path, 0), file, got;
    struct xt_trace *t = ways_open(path, 0);
    bool mapped = t->source->map;
    uint64_t time = 0;

    xt_trace_close(t);

    got = read_by_window(path, XT_SOURCE_STREAM);
    same(&got, &want);
    file = read_by_time(path, 0);
    same(&file, &want);
    got = read_by_time(path, XT_SOURCE_STREAM);
    same(&got, &want);
    MUST(set_ordered(&got, &file));
    if ( mapped && read_by_pcpu(path, &got) )
        same(&got, &want);
    memcpy(&time, bytes + size / 2, size - size / 2 < 8 ? size - size / 2 : 8);
    go_to(path, time & 1 ? time : time % 10000, 0);
    go_to(path, time, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int fd = memfd_create("trace", MFD_CLOEXEC);
    char path[64];

    MUST(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    read_all(path, bytes, size);
    close(fd);
    return 0;
}
