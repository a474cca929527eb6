/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files that drive the state machines: analyze.c (segments and
 * shards), span-bounds.c (the selected span), by-time.c (records of
 * all pcpus in the order of time, in one thread), by-pcpu.c (each pcpu
 * separately, in threads).
 */
#ifndef XENALYZE_ENGINE_ENGINE_PRIVATE_H
#define XENALYZE_ENGINE_ENGINE_PRIVATE_H

#include "common/arena.h"
#include "xenalyze/engine/engine.h"
#include "xenalyze/engine/queue-facts.h"
#include "xenalyze/machine/machine.h"

/*
 * Private data of a thread.  Shard 0 has the sinks, others have clones, but not
 * of ordered sinks.  While the pcpus are read separately, `emit` has a queue in
 * the place of ordered sinks.
 */
struct shard
{
    struct sink *sinks;
    struct emit emit;
    struct emit muted;          /* before the facts of the span */
    struct fact_queue queue;
    struct arena scratch[2];    /* freed when the changes are applied */
};

#define ANALYZE_MAX_THREADS 64u

/*
 * Alignment of data that different threads write to: processors prefetch cache
 * lines in pairs.
 */
#define CACHELINE_PAIR 128u

/* By the metadata, this vcpu ran on a pcpu at this time; 0: none is known. */
struct snapshot
{
    uint64_t time;
    uint32_t vcpu;              /* xt_vcpu_key() */
};

/*
 * Times at which the engine acts, if a span is selected.  Records before
 * SPAN_FACTS are read for the states that follow from them.
 */
enum span_bound { SPAN_FACTS, SPAN_BEGIN, SPAN_END, SPAN_BOUNDS };

/*
 * Contradictions of a machine up to the first fact, and up to the end of the
 * span: only those between concern a report.
 */
struct anomaly_bounds
{
    bool has_end;
    uint64_t before[ANOMALY_KINDS], until[ANOMALY_KINDS];
};

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
    bool by_time;               /* the input is a stream */
    uint64_t moment_gap;        /* FACT_MOMENT_NS in cycles */
    uint64_t stop;              /* a file is read up to this time */
    uint64_t facts_from;        /* facts that end earlier are not needed */
    enum span_bound next_bound; /* not yet reached */
    uint64_t bound;             /* the time stamp behind it */
    struct emit global_emit;    /* global.emit while it is not muted */
    struct anomaly_bounds global_anomalies;
    struct anomaly_bounds *anomalies;   /* by pcpu; NULL: no span is selected */
    unsigned int nr_anomalies;

    /* The pcpus of this segment; NULL for a pcpu without records. */
    struct arena pcpu_arena;
    struct pcpu **pcpus;
    bool *has_records;
    struct snapshot *snapshots; /* by pcpu */
    unsigned int nr_snapshots;
    bool has_sleep_states;      /* some pcpu has such records near its begin */
    unsigned int nr_pcpus;
    unsigned int segment;
};

int segment_begin(struct analysis *a, uint64_t first, unsigned int nr_pcpus);

/* Find or create the machine of a pcpu.  NULL: no memory. */
struct pcpu *segment_pcpu_slow(struct analysis *a, unsigned int id);

static inline struct pcpu *segment_pcpu(struct analysis *a, unsigned int id)
{
    return id < a->nr_pcpus && a->pcpus[id] ? a->pcpus[id]
                                            : segment_pcpu_slow(a, id);
}

/* Add a pcpu to the global machine, once the pcpu's first time is known. */
int segment_enter(struct analysis *a, struct pcpu *p);

/* Apply the pcpu's changes; all earlier changes must have been applied. */
int segment_changes(struct analysis *a, struct pcpu *p);

void span_begin_segment(struct analysis *a);

/* For a new pcpu.  0 or -ENOMEM. */
int span_open_pcpu(struct analysis *a, struct pcpu *p);

/*
 * Before a record of this time is read: reach bounds of the span up to this
 * time.  All records before a bound have been read.
 */
void span_reach(struct analysis *a, uint64_t time);

/* All changes before this bound have been applied to the global machine. */
void span_reach_changes(struct analysis *a, enum span_bound bound);

/* Add the contradictions of a pcpu, or, with NULL, of the global machine. */
void span_add_anomalies(const struct analysis *a, const struct pcpu *p,
                        uint64_t *sums);

/* Records are read only for the states of pcpus and vcpus. */
static inline bool span_is_muted(const struct analysis *a)
{
    return a->options->bounded && a->next_bound == SPAN_FACTS;
}

int segment_end(struct analysis *a, struct err *e);

/* Records up to `time` have been read. */
static inline void segment_progress(const struct analysis *a, uint64_t time)
{
    if ( a->options->progress )
        a->options->progress(a->options->progress_arg, time);
}

/* Drop the machines of this segment without emitting facts. */
void segment_drop(struct analysis *a);

/*
 * Measure the differences between the clocks of pcpus and set offsets in the
 * trace.  Needs a mapped file, before any other reading.  0 or -errno.
 */
int analyze_clocks(struct analysis *a, struct err *e);

/* Read the snapshots of vcpus from the metadata.  0 or -ENOMEM. */
int snapshots_read(struct analysis *a);

/* For a new pcpu. */
void snapshots_find(const struct analysis *a, struct pcpu *p);

/* Read all segments.  0 or -errno. */
int analyze_by_time(struct analysis *a, struct err *e);
int analyze_by_pcpu(struct analysis *a, struct err *e);

#endif /* XENALYZE_ENGINE_ENGINE_PRIVATE_H */
