/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The damage of a mapped file by pcpu and time, for readers that begin in the
 * middle.  The damage between windows is in the damage log as soon as the
 * windows are indexed; the damage within a window when a reader gets there:
 *
 *     place      damage that the reader of the pcpu finds, and when
 *     doubt      the windows around a time stamp that goes backwards: a search
 *                for a time there may fail
 *     disorder   of all pcpus: a time stamp that went ahead makes those behind
 *                it go backwards.  Readers may disagree about their times, and
 *                so about the order of records in this span of time
 *     gap        a span of time of which records of the pcpu may be missing
 */
#ifndef LIBXENTRACE_PCPU_DAMAGE_H
#define LIBXENTRACE_PCPU_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/damage.h"

struct xt_trace;

enum xt_pcpu_damage_type
{
    XT_PCPU_PLACE, XT_PCPU_DOUBT, XT_PCPU_DISORDER, XT_PCPU_GAP,
    XT_PCPU_DAMAGE_TYPES
};

struct xt_pcpu_damage
{
    uint64_t begin, end;        /* both within; a place is found behind the
                                   pcpu's records up to `begin` */
    uint64_t offset, bytes;     /* the place; a gap: the offset of the first
                                   record with a time stamp behind it */
    uint16_t cpu;               /* a disorder: 0 */
    uint8_t type;               /* enum xt_pcpu_damage_type */
    uint8_t kind;               /* a gap: XT_DAMAGE_RECORD if the windows around
                                   the gap show it */
    uint32_t zero;
};

/*
 * Sorted by type, pcpu and begin.  Except places, those of a type and pcpu do
 * not overlap.
 */
struct xt_pcpu_damages
{
    struct xt_pcpu_damage *items;
    size_t nr, room;
    struct xt_damage of_windows;        /* damage between windows */
};

/*
 * List the damage of the first segment.  The trace is rewound, before and
 * after.  0; -E2BIG without *e: more than XT_PCPU_DAMAGES_MAX items; or another
 * -errno.  Call xt_pcpu_damages_fini() in any case.
 */
#define XT_PCPU_DAMAGES_MAX 65536u

int xt_trace_list_damage(struct xt_trace *t, struct xt_pcpu_damages *d,
                         struct err *e);

void xt_pcpu_damages_fini(struct xt_pcpu_damages *d);

/* The order of items, as of qsort(). */
int xt_pcpu_damage_compare(const struct xt_pcpu_damage *x,
                           const struct xt_pcpu_damage *y);

/*
 * The first item of the type and pcpu that does not end before `time`, or the
 * end of all items.
 */
const struct xt_pcpu_damage *
xt_pcpu_damage_find(const struct xt_pcpu_damages *d,
                    enum xt_pcpu_damage_type type, unsigned int cpu,
                    uint64_t time);

/* Is the time within an item of the type and pcpu? */
bool xt_pcpu_damage_has(const struct xt_pcpu_damages *d,
                        enum xt_pcpu_damage_type type, unsigned int cpu,
                        uint64_t time);

/*
 * The trace is a part of another one, and xt_trace_damage() has this damage of
 * that one, not of the part.  Only before reading has begun; a mapped file.
 */
void xt_trace_set_damage(struct xt_trace *t, const struct xt_damage *damage);

/* The damage log of a reader of all pcpus up to time `stop`. */
void xt_pcpu_damage_sum(const struct xt_pcpu_damages *d, uint64_t stop,
                        struct xt_damage *sum);

#endif /* LIBXENTRACE_PCPU_DAMAGE_H */
