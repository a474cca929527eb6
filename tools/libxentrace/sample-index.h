/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samples of a long trace: pairs of an offset and a time, taken here and there,
 * which lead a seek to its time in a file of any size.  The file has to be in
 * the collector's order: passes over all pcpus, each of which reads the records
 * since the last pass.
 *
 *      S - - - - - pass 1 - -|- - - pass 2 - - -|- - - pass 3
 *      ^ some window                               w
 *
 * The records of w were traced after the visit to its pcpu in pass 2, so after
 * S was written, and so after all records before S were traced.  If w begins
 * before some time, no record before S has that time or a later one.  Seeking
 * relies on nothing else; where this cannot be proved, the whole trace is
 * indexed.
 */
#ifndef LIBXENTRACE_SAMPLE_INDEX_H
#define LIBXENTRACE_SAMPLE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/index.h"

#define XT_SAMPLES_MAX 256u

struct xt_sample
{
    uint64_t at;        /* offset of a window */
    uint64_t time;      /* begin of that window, or of one behind it ... */
    unsigned int cpu;   /* ... whose pcpu this is */
};

/* Offsets and times both rise. */
struct xt_sample_index
{
    struct xt_sample samples[XT_SAMPLES_MAX];
    size_t nr;          /* 0: times do not rise through the trace */
};

/*
 * Sample the first window at or behind `from` and before `limit`.  False if no
 * window there is credible without resync.
 */
bool xt_sample_take(const unsigned char *bytes, size_t size, size_t from,
                    size_t limit, struct xt_sample *s);

/*
 * Append a sample.  If its time does not rise, clear the index and return
 * false.
 */
bool xt_sample_index_add(struct xt_sample_index *c, const struct xt_sample *s);

/* Number of samples before `time`. */
size_t xt_sample_index_find(const struct xt_sample_index *c, uint64_t time);

/* A counter of passes, from the pcpus of consecutive windows. */
struct xt_pass_counter
{
    unsigned int nr, cpu;
};

/*
 * The pass of the next window; the first pass is 1.  A window without a time
 * stamp does not count: the collector writes metadata as windows of pcpu 0, at
 * any time and many in succession.
 */
static inline unsigned int xt_pass_counter_add(struct xt_pass_counter *p,
                                               unsigned int cpu, bool timed)
{
    if ( !timed )
        return p->nr;
    p->nr += !p->nr || cpu <= p->cpu;
    p->cpu = cpu;
    return p->nr;
}

/* Passes after which no later window has records from before them. */
#define XT_PASSES_NEEDED 3u

/*
 * The index begins somewhere in a trace.  True if all records before its first
 * window are provably before `time`.
 */
bool xt_index_suffices(const struct xt_index *i, uint64_t time);

#endif /* LIBXENTRACE_SAMPLE_INDEX_H */
