/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files that drive the state machines: analyze.c (what both have
 * in common), by-time.c (records of all pcpus in the order of time, in one
 * thread), by-pcpu.c (each pcpu by itself, in threads).
 */
#ifndef XENALYZE_ENGINE_ENGINE_PRIVATE_H
#define XENALYZE_ENGINE_ENGINE_PRIVATE_H

#include "common/arena.h"
#include "xenalyze/engine/engine.h"
#include "xenalyze/machine/machine.h"

/* What a thread has of its own; number 0 has the sinks themselves. */
struct shard
{
    struct sink *sinks;
    struct emit emit;
    struct arena scratch[2];    /* until the scene has seen the changes */
};

#define ANALYZE_MAX_THREADS 64u

/* What threads write to all the time: processors fetch two lines at once. */
#define ANALYZE_ALONE 128u

struct analysis
{
    struct xt_trace *trace;
    const struct analyze_options *options;
    const struct sink *sinks;
    size_t nr_sinks;

    struct xt_info info;
    struct xt_clock clock;
    struct arena arena;
    struct guests guests;
    struct global global;
    struct shard *shards;
    unsigned int nr_shards;

    /* Of this segment; those without records are NULL. */
    struct arena pcpu_arena;
    struct pcpu **pcpus;
    unsigned int nr_pcpus;
    unsigned int segment;
};

int segment_begin(struct analysis *a, uint64_t first, unsigned int nr_pcpus);

/* The machine of a pcpu, made if need be; NULL: no memory. */
struct pcpu *segment_pcpu(struct analysis *a, unsigned int id);

/* Once its first time is known, the scene has to know of it. */
int segment_enter(struct analysis *a, struct pcpu *p);

/* Give what it says about others to the scene, if all before that is there. */
int segment_changes(struct analysis *a, struct pcpu *p);

int segment_end(struct analysis *a, struct err *e);

/* All up to here has been read: who waits may be told. */
static inline void segment_progress(const struct analysis *a, uint64_t time)
{
    if ( a->options->progress )
        a->options->progress(a->options->progress_arg, time);
}

/* Forget the machines of this segment: nobody is told anything. */
void segment_drop(struct analysis *a);

/*
 * Find out by how much clocks of pcpus differ, and have that put right in the
 * trace; only of a file that is mapped.  Before anything else.  0 or -errno.
 */
int analyze_clocks(struct analysis *a, struct err *e);

/* All segments.  0 or -errno. */
int analyze_by_time(struct analysis *a, struct err *e);
int analyze_by_pcpu(struct analysis *a, struct err *e);

#endif /* XENALYZE_ENGINE_ENGINE_PRIVATE_H */
