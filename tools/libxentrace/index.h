/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The index: offset and first time of each window, so that a reader can read
 * many pcpus at once, and seek.  Building the index follows the headers from
 * window to window, so it reads about one page of each window, and no time
 * stamp but the first.
 *
 * A SEGMENT is a sequence of windows in which the time of each pcpu rises.
 * Where time steps back from one window to a later one, the next segment begins
 * (two traces in one file, the time after a boot), unless the later window is
 * displaced (sequence.h) or has a broken seal.  Times can only be compared
 * within a segment.  An index covers one segment.
 */
#ifndef LIBXENTRACE_INDEX_H
#define LIBXENTRACE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/gaps.h"
#include "libxentrace/window.h"

#define XT_NOWHERE UINT64_MAX

/* One less than the maximum: NEVER and NO_LIMIT are after all records. */
#define XT_LAST_TIME (UINT64_MAX - 1)

/* A window.  Its number counts from the beginning of the segment. */
struct xt_index_entry
{
    uint64_t at;        /* offset of its header in the input */
    uint64_t time;      /* its first time stamp; if it has none, the time of the
                           previous window, or of the pcpu's */
    uint64_t next;      /* number of the pcpu's next window, or XT_NOWHERE */
    uint32_t size;      /* bytes of records, as far as they are credible */
    uint16_t cpu;
    bool timed;         /* it has a time stamp */
    bool inherits_time; /* its first record has none, and gets the time of the
                           pcpu's previous record, of this or the last pass */
    bool cut;           /* the input ends in it */
    bool verified;      /* its checksum was computed ... */
    bool wrong;         /* ... and does not match: skip the window */
    bool goes_backward; /* a time stamp goes backwards; noted as damage */
    bool shortened;     /* it has a damaged record; noted as damage */
    bool done;          /* a reader by time has read all its records */
};

/* The list of the windows of a pcpu. */
struct xt_cpu_windows
{
    uint64_t first, last;       /* numbers of entries, or XT_NOWHERE */
    uint64_t last_timed;        /* the last one with a time stamp, likewise */
    uint64_t inserted;          /* number of the last displaced window, if any
                                   is in the list; or XT_NOWHERE */
    uint64_t time;              /* last window, and the one before */
    uint64_t time_before;
    uint64_t pass;              /* pass of the last timed window */
    uint64_t last_begin;        /* in a stream: of the last verified window */
    uint64_t end;               /* the last time stamp with evidence, if the
                                   index has a horizon */
};

/*
 * Correction of the clock of a pcpu: `offset` cycles are added to its time
 * stamps, and further XT_CORRECTION_STEP cycles for each `period` since `from`.
 */
struct xt_correction
{
    int64_t offset;
    uint64_t from, period;      /* period 0: no drift */
};

#define XT_CORRECTION_STEP 64u

struct xt_index
{
    struct xt_index_entry *entries;   /* entries from number `dropped` on */
    size_t nr, room;
    uint64_t dropped;
    uint64_t time;              /* time of the last entry */
    uint64_t pass;              /* pass of the last entry, from 0 ... */
    unsigned int cpu;           /* ... and its pcpu */
    struct xt_cpu_windows *cpus;       /* by pcpu */
    unsigned int nr_cpus;       /* one more than the highest pcpu */
    uint32_t room_cpus;
    uint64_t first;             /* earliest time of a timed window */
    bool is_whole;              /* no window is read before all are added: a
                                   displaced window gets its right place */
    uint64_t inserting;         /* windows passed in search of such places */
    struct xt_gaps gaps;        /* only if is_whole */
    uint64_t nr_gaps;           /* in the input before the last window */
    uint64_t pass_time, last_pass_time; /* latest time of a window of this pass,
                                           and of the one before */
    uint64_t drained;           /* the same of all passes before: the collector
                                   has read all earlier records */
    uint64_t horizon;           /* the latest time with evidence (time-step.h);
                                   the maximum if that is unknown */

    /*
     * Correction of each pcpu's clock, added to its time stamps.  Borrowed, and
     * constant as long as the index has windows.  All times in the index and in
     * the order of records include the correction.
     */
    const struct xt_correction *corrections;
    unsigned int nr_corrections;
};

/*
 * The offset at a time stamp.  An offset that grows does so in small steps, so
 * that loops over records can use one offset for many records.
 */
static inline int64_t xt_correction_offset(const struct xt_correction *c,
                                           uint64_t tsc)
{
    if ( !c->period || tsc < c->from )
        return c->offset;
    return c->offset + (int64_t)((tsc - c->from) / c->period *
                                 XT_CORRECTION_STEP);
}

/* The last time stamp with the same offset. */
static inline uint64_t xt_correction_end(const struct xt_correction *c,
                                         uint64_t tsc)
{
    uint64_t steps, end;

    if ( !c->period )
        return UINT64_MAX;
    steps = tsc < c->from ? 0 : (tsc - c->from) / c->period;
    end = c->from + (steps + 1) * c->period - 1;
    return end >= tsc ? end : UINT64_MAX;
}

static inline struct xt_correction xt_index_correction(const struct xt_index *i,
                                                       unsigned int cpu)
{
    return cpu < i->nr_corrections ? i->corrections[cpu]
                                   : (struct xt_correction){ .offset = 0 };
}

/* Times do not fall below 0. */
static inline uint64_t xt_apply_offset(uint64_t tsc, int64_t offset)
{
    uint64_t time = tsc + (uint64_t)offset;

    return offset < 0 && time > tsc ? 0 : time;
}

/* The time of a time stamp of a pcpu. */
static inline uint64_t xt_index_correct(const struct xt_index *i,
                                        unsigned int cpu, uint64_t tsc)
{
    const struct xt_correction c = xt_index_correction(i, cpu);

    return xt_apply_offset(tsc, xt_correction_offset(&c, tsc));
}

void xt_index_init(struct xt_index *i);
void xt_index_fini(struct xt_index *i);

/* Remove all windows, for a new segment. */
void xt_index_reset(struct xt_index *i);

/*
 * Prepare for reading all windows again.  False if damage is already marked in
 * the entries, since a second read would not report that damage.
 */
bool xt_index_reuse(struct xt_index *i);

/*
 * Add a window, which is in memory and follows all others in the input.
 * Returns 1 if the window begins the next segment, and is not added; 0; or
 * -ENOMEM.
 */
int xt_index_add(struct xt_index *i, const struct xt_window *w);

/*
 * The input has so many gaps in front of the next window, or of its end.  0 or
 * -ENOMEM.  xt_index_add() calls this for its window.
 */
int xt_index_note_gaps(struct xt_index *i, uint64_t nr_gaps);

/* Remove the windows at the beginning that are done. */
void xt_index_drop_done(struct xt_index *i);

static inline struct xt_index_entry *
xt_index_get_entry(const struct xt_index *i, uint64_t number)
{
    return &i->entries[number - i->dropped];
}

/*
 * The time at which the first timed record of a window begins, or the window's
 * time if that is less.
 */
uint64_t xt_index_entry_begin_time(const struct xt_index *i,
                                   const struct xt_index_entry *p,
                                   const unsigned char *records);

/* The first timed entry of a pcpu, or NULL. */
const struct xt_index_entry *xt_index_first_timed(const struct xt_index *i,
                                                  unsigned int cpu);

/*
 * The last window of a pcpu that begins by `time`, or else its first window;
 * XT_NOWHERE if it has none.
 */
uint64_t xt_index_find_window(const struct xt_index *i, unsigned int cpu,
                              uint64_t time);

/*
 * The first time stamp of a window, or the second if that is less.  False if
 * there is none near the beginning.
 */
bool xt_window_time(const struct xt_window *w, uint64_t *time);

/* The window of an entry; `records` points to its records in memory. */
static inline struct xt_window
xt_index_entry_window(const struct xt_index_entry *p,
                      const unsigned char *records)
{
    return (struct xt_window){ .cpu = p->cpu, .at = p->at, .bytes = records,
                               .size = p->size, .cut = p->cut };
}

#endif /* LIBXENTRACE_INDEX_H */
