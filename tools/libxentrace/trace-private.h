/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What stands behind struct xt_trace, between the files that make it: trace.c
 * (windows as they come), trace-order.c (records by time), trace-seek.c and
 * trace-points.c (where in time to begin).
 */
#ifndef LIBXENTRACE_TRACE_PRIVATE_H
#define LIBXENTRACE_TRACE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/index.h"
#include "libxentrace/libxentrace.h"
#include "libxentrace/order.h"
#include "libxentrace/sample-index.h"
#include "libxentrace/view.h"

/*
 * Passes of the collector over all rings, as they show in the order of the
 * windows: each pass goes through the pcpus upwards.
 */
struct pass_state
{
    unsigned int cpu;           /* of the last window */
    uint64_t nr;                /* passes begun */
    uint64_t prev_time;         /* latest time known of the one before this */
};

/* Until a pcpu has its second window: which ones are there from the begin? */
struct first_pass
{
    bool over;
    uint64_t has[XT_MAX_CPUS / 64];
};

/*
 * What was known of a mapped file before it was rewound: an index of all of its
 * first segment, in which there is no damage.
 */
struct kept_index
{
    bool valid;                 /* and it is still in t->index */
    struct xt_windows windows;  /* behind that segment ... */
    bool have_next;             /* ... and behind the next one's first window */
    struct xt_window next;
    struct first_pass first_pass;
};

/* Where an index may end, since nobody wants what is behind (trace-until.c). */
struct until
{
    bool wanted;
    uint64_t time;
    struct xt_pass_counter passes;
    unsigned int last_early_pass; /* last pass with a window by then */
    bool has_late_window;       /* and behind it a window began later */
};

enum reading_mode { MODE_NONE, MODE_WINDOW, MODE_TIME };

struct xt_trace
{
    struct xt_source *source;
    struct xt_view view;
    struct xt_windows windows;
    struct xt_damage damage;
    enum reading_mode mode;
    bool truncated;             /* the file was, and that is noted */

    int64_t *offsets;           /* of the pcpus' clocks, for the index */

    /* By time only. */
    struct xt_index index;      /* of the segment that is being read */
    struct xt_order order;
    bool complete;              /* all windows of the segment are in it */
    bool have_next;             /* the first window of the next segment */
    struct xt_window next;
    unsigned int segment;
    struct pass_state passes;
    struct first_pass first_pass;
    uint64_t order_limit;       /* of what can be ordered yet */
    uint64_t first_undone;      /* number of the first window not yet read */
    uint64_t skip_before;       /* what is before this is passed over */

    struct kept_index kept;
    struct until until;

    /* Of a mapped file: shortcut_min_size (trace-seek.c). */
    uint64_t shortcut_min_size; /* for files that have this many bytes */
    struct xt_sample_index sample_index;
    bool sampled;
    bool index_partial;         /* the index lacks the segment's begin ... */
    bool index_suffices;        /* ... or its end, and nobody wants that */
    bool have_span;
    uint64_t first, last;
    struct xt_trace_bounds bounds;
};

/*
 * The next window as it lies in the input.  1; 0 at the end; or -errno, as
 * xt_view_more().  All that is before `keep` may go.
 */
int trace_read_window(struct xt_trace *t, uint64_t keep, struct xt_window *w,
                      struct err *e);

/* All that there is was read: has the file changed meanwhile? */
void trace_note_truncation(struct xt_trace *t);

/* Begin to read in this way, unless another one was begun. */
int trace_set_mode(struct xt_trace *t, enum reading_mode mode, struct err *e);

/* From byte `from` on, where a window begins; it is in view, or that begins. */
void trace_init_windows(struct xt_trace *t, uint64_t from);

/* --- trace-points.c ------------------------------------------------------- */

/* If it helps, go to what is to be read for all from `time` on. */
int trace_seek_frames(struct xt_trace *t, uint64_t time, struct err *e);

/* --- trace-until.c -------------------------------------------------------- */

/* The index begins anew. */
void trace_until_reset(struct xt_trace *t);

/* Behind the window that was added last, is there nothing that is wanted? */
bool trace_until_reached(struct xt_trace *t);

/* --- trace-order.c -------------------------------------------------------- */

int trace_fail_memory(struct xt_trace *t, struct err *e);

/* The next window from the begin of the trace on is of this pcpu. */
void trace_note_first_pass(struct first_pass *f, unsigned int cpu);

/* From here on, read by time. */
int trace_set_mode_time(struct xt_trace *t, struct err *e);

/* Begin the segment that t->next is the first window of, or the first one. */
int trace_begin_segment(struct xt_trace *t, struct err *e);

/* The same, and index it, if that can be done at once: if it is mapped. */
int trace_next_segment(struct xt_trace *t, struct err *e);

/* Before all is set back: keep the index, if it will be the same again. */
void trace_keep_index(struct xt_trace *t);

/*
 * Index the segment.  If `from` is not 0, it is that of the first segment's
 * windows from there on, and nothing has been read yet.
 */
int trace_build_index(struct xt_trace *t, uint64_t from, struct err *e);

/* See that all is indexed that is wanted, if it is mapped. */
int trace_complete_index(struct xt_trace *t, struct err *e);

#endif /* LIBXENTRACE_TRACE_PRIVATE_H */
