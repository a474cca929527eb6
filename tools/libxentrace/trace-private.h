/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * struct xt_trace, for the files that implement it.  The layers of this
 * library, each of which knows only those above it in this list:
 *
 *     source.h        bytes: a mapped file, a stream, expanded or byte-swapped
 *     view.h          the part of the input that is in memory
 *     window.h        windows of records of one pcpu; resync.h after damage
 *     sequence.h      repeated and displaced windows
 *     index.h         the windows of a segment, listed by pcpu, with times
 *     cursor.h        a position in the records of one pcpu, over the index
 *     walk.h          all records of one pcpu through a cursor
 *     order.h         records of all pcpus by time: slice.h sorts each slice
 *     trace           this file: modes, segments, seeking
 *
 *     trace.c              open, rewind and close; windows in file order; info
 *     trace-by-time.c      the index of a segment, and batches by time
 *     trace-seek.c         span, seek and walks in a mapped file
 *     trace-seek-frames.c  seek in a compressed file with a frame table
 *     trace-until.c        stop indexing behind the last time that is needed
 *     sample-index.h       times at some offsets, which tell where to seek
 *
 * A mapped file is indexed a segment at a time.  A stream is indexed window by
 * window, and order_limit is the time up to which no further window can add
 * records.
 */
#ifndef LIBXENTRACE_TRACE_PRIVATE_H
#define LIBXENTRACE_TRACE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/index.h"
#include "libxentrace/libxentrace.h"
#include "libxentrace/meta.h"
#include "libxentrace/order.h"
#include "libxentrace/sample-index.h"
#include "libxentrace/sequence.h"
#include "libxentrace/torn-end.h"
#include "libxentrace/view.h"

/*
 * Passes of the collector over all rings, derived from the order of the
 * windows: each pass visits the pcpus in ascending order.
 */
struct pass_state
{
    unsigned int cpu;           /* pcpu of the last window */
    uint64_t nr;                /* passes begun */
    uint64_t prev_time;         /* latest known time of the previous pass */
};

/* The pcpus with a window before any pcpu has a second window. */
struct first_pass
{
    bool over;
    uint64_t has[XT_MAX_CPUS / 64];
};

/*
 * The complete index of a mapped file's first segment, without damage.
 * xt_trace_rewind() keeps the index for the next read.
 */
struct kept_index
{
    bool valid;                 /* t->index still has that index */
    struct xt_windows windows;  /* read position behind the segment ... */
    bool have_next;             /* ... and behind the first window of the next
                                   segment */
    struct xt_window next;
    struct first_pass first_pass;
};

/*
 * The time of xt_trace_read_until(), behind which no index is needed
 * (trace-until.c).
 */
struct until
{
    bool wanted;
    uint64_t time;
    struct xt_pass_counter passes;
    unsigned int last_early_pass; /* last pass with a window by then */
    bool has_late_window;       /* a later pass has windows after `time` */
};

enum reading_mode { MODE_NONE, MODE_WINDOW, MODE_TIME };

struct xt_trace
{
    struct xt_source *source;
    struct xt_view view;
    struct xt_windows windows;
    struct xt_window_heads heads;       /* for a mapped file */
    struct xt_window_bytes bytes;       /* the last window of mode window */
    struct xt_sequence sequence;        /* the windows so far */
    struct xt_damage damage;
    enum reading_mode mode;
    bool truncated;             /* the file shrank while mapped, and that is
                                   noted */

    struct xt_correction *corrections; /* clocks by pcpu, for the index */

    /* Mode by time only. */
    struct xt_index index;      /* index of the current segment */
    struct xt_order order;
    bool complete;              /* the index has all windows of the segment */
    bool have_next;             /* `next` is the first window of the next
                                   segment */
    struct xt_window next;
    unsigned int segment;
    struct pass_state passes;
    struct first_pass first_pass;
    uint64_t order_limit;       /* records up to this time can be ordered */
    uint64_t first_undone;      /* number of the first window with unread
                                   records */
    uint64_t skip_before;       /* batches begin at this time */
    const unsigned char *metadata;      /* known from an index, or NULL */
    size_t metadata_size;
    uint64_t missing_before;    /* windows with all times before this time may
                                   have been skipped; 0: none */

    struct kept_index kept;
    struct until until;

    /* Shortcuts for mapped files (trace-seek.c). */
    uint64_t shortcut_min_size; /* smaller files are indexed completely */
    struct xt_sample_index sample_index;
    bool sampled;
    bool index_partial;         /* the index lacks the begin or the end of the
                                   segment ... */
    bool index_suffices;        /* ... but has every window that seek and until
                                   need */
    bool have_span;
    uint64_t first, last;
    uint64_t origin;            /* set by the user, or UINT64_MAX */
    struct xt_torn_end torn_end;        /* likewise */
    bool damage_is_known;       /* likewise, by xt_trace_set_damage() */
    struct xt_damage known_damage;
    struct xt_trace_bounds bounds;
};

/*
 * Read the next window in the order of the input.  Returns 1; 0 at the end; or
 * -errno of xt_view_more().  Bytes before `keep` may be released.
 */
int trace_read_window(struct xt_trace *t, uint64_t keep, struct xt_window *w,
                      struct err *e);

/* At the end of the input: note if the file shrank while it was mapped. */
void trace_note_truncation(struct xt_trace *t);

/* Enter a reading mode.  -EBUSY if another mode has begun. */
int trace_set_mode(struct xt_trace *t, enum reading_mode mode, struct err *e);

/*
 * Begin the walk over windows at byte `from` of the input, where a window
 * begins.  The byte is in view, or the view begins there.
 */
void trace_init_windows(struct xt_trace *t, uint64_t from);

/* --- trace-seek-frames.c -------------------------------------------------- */

/*
 * Move the read position to where all records from `time` on follow, if the
 * source has seek points.
 */
int trace_seek_frames(struct xt_trace *t, uint64_t time, struct err *e);

/* --- trace-until.c -------------------------------------------------------- */

/* Reset the counters for a new index. */
void trace_until_reset(struct xt_trace *t);

/*
 * True if no window behind the last added one has records by the wanted time.
 */
bool trace_until_reached(struct xt_trace *t);

/* The index has a horizon: add damage that a user has set.  0 or -ENOMEM. */
int trace_add_known_damage(struct xt_trace *t);

/* --- trace-by-time.c ------------------------------------------------------ */

int trace_fail_memory(struct xt_trace *t, struct err *e);

/* Note the pcpu of the next window, counted from the begin of the trace. */
void trace_note_first_pass(struct first_pass *f, unsigned int cpu);

/*
 * Lower *first to the begin of a loss in front of the first record of a pcpu,
 * in the trace's first segment, whose windows are in `i`.  As for stock
 * xenalyze, only pcpus count with which the trace starts.
 */
void trace_include_losses(const struct xt_trace *t, const struct xt_index *i,
                          uint64_t *first);

/* Enter the mode by time. */
int trace_set_mode_time(struct xt_trace *t, struct err *e);

/* Begin the segment whose first window is t->next, or the first segment. */
int trace_begin_segment(struct xt_trace *t, struct err *e);

/* Begin the next segment, and index it at once if the file is mapped. */
int trace_next_segment(struct xt_trace *t, struct err *e);

/* Before a rewind: keep the index if a new index would be the same. */
void trace_keep_index(struct xt_trace *t);

/*
 * Index the segment.  If `from` is not 0, index the first segment's windows
 * from byte `from` on; no record has been read yet.
 */
int trace_build_index(struct xt_trace *t, uint64_t from, struct err *e);

/* Index all windows of a mapped file that the reader needs. */
int trace_complete_index(struct xt_trace *t, struct err *e);

#endif /* LIBXENTRACE_TRACE_PRIVATE_H */
