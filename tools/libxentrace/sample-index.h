/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Soundings: which time is where in a long trace, found out here and there
 * instead of by going through it.  They lead to a moment in a file of any
 * size, as long as the file is what a collector writes: passes over all
 * pcpus, one after the other, each of which takes what came since the last.
 *
 *      S - - - - - pass 1 - -|- - - pass 2 - - -|- - - pass 3
 *      ^ some window                               w
 *
 * What w holds was traced after its pcpu was visited in pass 2, so after S was
 * written, so after all that is before S was traced.  If w begins before a
 * moment, nothing before S is of it or later.  That is all that is relied on;
 * where it cannot be seen, whoever asked goes through the whole trace.
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
    uint64_t at;        /* a window ... */
    uint64_t time;      /* ... and when it begins, or one right behind it ... */
    unsigned int cpu;   /* ... which is of this pcpu */
};

/* Rising in both. */
struct xt_sample_index
{
    struct xt_sample samples[XT_SAMPLES_MAX];
    size_t nr;          /* 0: time does not rise all through the trace */
};

/*
 * The first window at or behind `from` and before `limit`, and its time.
 * False: nothing that can be believed so easily.
 */
bool xt_sample_take(const unsigned char *bytes, size_t size, size_t from,
                    size_t limit, struct xt_sample *s);

/* Add one behind the others.  False: it does not fit there, and c->nr is 0. */
bool xt_sample_index_add(struct xt_sample_index *c, const struct xt_sample *s);

/* How many points are before `time`. */
size_t xt_sample_index_find(const struct xt_sample_index *c, uint64_t time);

/* Counts passes, by the pcpus of windows in a row. */
struct xt_pass_counter
{
    unsigned int nr, cpu;
};

/* The pass of the next window; the first one is 1. */
static inline unsigned int xt_pass_counter_add(struct xt_pass_counter *p,
                                               unsigned int cpu)
{
    p->nr += !p->nr || cpu <= p->cpu;
    p->cpu = cpu;
    return p->nr;
}

/* So many passes say that nothing behind them is from before them. */
#define XT_PASSES_NEEDED 3u

/*
 * An index was begun somewhere in a trace: is there nothing before it that is
 * not before `time`?
 */
bool xt_index_suffices(const struct xt_index *i, uint64_t time);

#endif /* LIBXENTRACE_SAMPLE_INDEX_H */
