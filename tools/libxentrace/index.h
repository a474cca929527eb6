/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the windows are, and from when: what lets a reader go through many
 * pcpus at once, and to a moment.  It is made by hopping from header to
 * header, so of a file only a page a window is touched, and it knows of a
 * window's records no more than the first time stamp.
 *
 * A SEGMENT is a run of windows in which the time of each pcpu rises.  Where
 * it steps back from one window to a later one, something else begins (two
 * traces put one behind the other, the time after a boot), and time can be
 * compared on either side of that place only.  An index is of one segment.
 */
#ifndef LIBXENTRACE_INDEX_H
#define LIBXENTRACE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/window.h"

#define XT_NOWHERE UINT64_MAX

/* One less than there can be: so there is a time after all records. */
#define XT_LAST_TIME (UINT64_MAX - 1)

/* A window.  Its number counts from the beginning of the segment. */
struct xt_index_entry
{
    uint64_t at;        /* its header in the input */
    uint64_t time;      /* of its first time stamp, nearly; without any, that
                           of the window before it, or of its pcpu's */
    uint64_t next;      /* number of the next of this pcpu, or XT_NOWHERE */
    uint32_t size;      /* of its records, as far as they can be believed */
    uint16_t cpu;
    bool timed;         /* it has a first time stamp */
    bool cut;           /* the input ends in it */
    bool verified;      /* its checksum, once its records are read ... */
    bool wrong;         /* ... does not fit: there is nothing to read */
    bool goes_backward; /* time goes backwards in it, and that was noted */
    bool shortened;     /* it has a damaged record, and that was noted */
    bool done;          /* read to its end, by whoever reads in order */
};

/* A pcpu: the list of its windows. */
struct xt_cpu_windows
{
    uint64_t first, last;       /* numbers of places, or XT_NOWHERE */
    uint64_t time;              /* of the last, and of the one before */
    uint64_t time_before;
    uint64_t last_begin;        /* of a stream: that of its last good window */
};

struct xt_index
{
    struct xt_index_entry *entries;   /* those from number `dropped` on */
    size_t nr, room;
    uint64_t dropped;
    uint64_t time;              /* of the last place */
    struct xt_cpu_windows *cpus;       /* by pcpu */
    unsigned int nr_cpus;       /* one more than the highest pcpu */

    /*
     * What to add to a pcpu's time stamps so that it counts as the others do;
     * borrowed, and the same as long as there are windows.  All times here,
     * and those that records are ordered by, are with it.
     */
    const int64_t *offsets;
    unsigned int nr_offsets;
};

static inline int64_t xt_index_offset(const struct xt_index *i,
                                      unsigned int cpu)
{
    return cpu < i->nr_offsets ? i->offsets[cpu] : 0;
}

/* There is no time before 0. */
static inline uint64_t xt_apply_offset(uint64_t tsc, int64_t offset)
{
    uint64_t time = tsc + (uint64_t)offset;

    return offset < 0 && time > tsc ? 0 : time;
}

void xt_index_init(struct xt_index *i);
void xt_index_fini(struct xt_index *i);

/* Forget all windows: a new segment begins. */
void xt_index_reset(struct xt_index *i);

/*
 * All windows are to be read again.  False: what was found when they were read
 * is noted in them, and would not be found again.
 */
bool xt_index_reuse(struct xt_index *i);

/*
 * Add a window, which is in memory and comes behind all others.  1: it is not
 * of this segment, and was not added.  0 or -ENOMEM.
 */
int xt_index_add(struct xt_index *i, const struct xt_window *w);

/* Forget the windows at the beginning that are done. */
void xt_index_drop_done(struct xt_index *i);

static inline struct xt_index_entry *
xt_index_get_entry(const struct xt_index *i, uint64_t number)
{
    return &i->entries[number - i->dropped];
}

/* The first place of a pcpu that has a time; NULL: none. */
const struct xt_index_entry *xt_index_first_timed(const struct xt_index *i,
                                                  unsigned int cpu);

/*
 * The last window of a pcpu that says that it begins at `time` or before, else
 * its first; XT_NOWHERE if it has none.
 */
uint64_t xt_index_find_window(const struct xt_index *i, unsigned int cpu,
                              uint64_t time);

/*
 * The first time stamp of a window, or the second if it is less.  False: near
 * its beginning there is none.
 */
bool xt_window_time(const struct xt_window *w, uint64_t *time);

/*
 * The time of the last time stamp in a window, or its own if there is none; and
 * of the one before that, likewise.  The less of them is right even if one is
 * damaged.
 */
uint64_t xt_index_entry_last_time(const struct xt_index *i,
                                  const struct xt_index_entry *p,
                                  const unsigned char *records,
                                  uint64_t *before);

/* As a window, its records being at `records`. */
static inline struct xt_window
xt_index_entry_window(const struct xt_index_entry *p,
                      const unsigned char *records)
{
    return (struct xt_window){ .cpu = p->cpu, .at = p->at, .bytes = records,
                               .size = p->size, .cut = p->cut };
}

#endif /* LIBXENTRACE_INDEX_H */
