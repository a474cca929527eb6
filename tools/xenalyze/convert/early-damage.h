/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Damage in front of a moment, for early records (early-records.h).  A reader
 * of the whole trace takes a gap in the records of a pcpu for a loss: early
 * records have a loss of no records in its place.  Wrong time stamps are
 * corrected.  The first record of a vcpu is left out if the records before it
 * show that it is damaged, since early records lack these.
 *
 * Early records cannot have everything: times that depend on where a reader
 * begins are noticed, and vcpus whose records contradict each other.
 */
#ifndef XENALYZE_CONVERT_EARLY_DAMAGE_H
#define XENALYZE_CONVERT_EARLY_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libxentrace/internal.h"
#include "xenalyze/convert/early-records.h"

/* The record at the end of the next gap of a pcpu. */
struct early_gap
{
    uint64_t offset, end;       /* in the trace, and its time; the maximum:
                                   there is none */
};

/* The last records of a pcpu, about the next change of a vcpu. */
struct early_context
{
    /* Each is the key of a vcpu + 1; 0: unknown, or none. */
    uint64_t current, switch_to, waking;
    bool has_ignored;           /* a record since the last vcpu arrived */
};

struct early_damage
{
    const struct xt_pcpu_damages *all;  /* borrowed; NULL: no damage */
    struct early_gap *next;     /* by pcpu */
    unsigned int nr_pcpus;      /* in `next` */
    struct early_context *contexts;     /* by pcpu, of XT_MAX_CPUS */
};

/* Records from `time` on follow, behind the early ones.  0 or -ENOMEM. */
int early_damage_init(struct early_damage *d, const struct xt_pcpu_damages *all,
                      const struct early_records *early, uint64_t time);
void early_damage_fini(struct early_damage *d);

/* Is a gap of the pcpu in front of the record at this offset? */
static inline bool early_damage_ends_gap(const struct early_damage *d,
                                         unsigned int cpu, uint64_t offset)
{
    return cpu < d->nr_pcpus && offset >= d->next[cpu].offset;
}

/*
 * Leave the gap in front of the record `r`.  Returns the size of the record of
 * a loss, which is put into `bytes`; 0 if `r` is such a record itself.
 */
size_t early_damage_leave_gap(struct early_damage *d, unsigned int cpu,
                              const struct xt_record *r,
                              unsigned char bytes[XT_RECORD_MAX_BYTES]);

/*
 * Follow a record of a damaged trace before the moment.  True: a reader of the
 * whole trace ignores it, since it is the first one of its vcpu, and another
 * vcpu runs, or was chosen or woken.
 */
bool early_damage_ignores(struct early_damage *d, struct early_records *early,
                          unsigned int cpu, const struct xt_record *r);

/*
 * Have records contradicted each other since the vcpus arrived?  What a reader
 * concludes depends on more than the early records.
 */
bool early_damage_has_suspects(const struct early_damage *d,
                               const struct early_records *early);

/*
 * All readers give a time to a record with a wrong time stamp: set the time
 * stamp to it.  Returns the record's bytes, or a copy in `room`.
 */
const void *early_damage_correct(uint64_t time, const struct xt_record *r,
                                 const void *bytes, size_t size,
                                 unsigned char room[XT_RECORD_MAX_BYTES]);

/* May a reader that begins elsewhere give the record another time? */
bool early_damage_is_doubtful(const struct xt_pcpu_damages *all, uint64_t time,
                              const struct xt_record *r);

/*
 * Can a reader begin at this time, with these records: do all readers agree
 * about them, and about the times around?
 */
bool early_damage_may_begin(const struct early_damage *d, uint64_t time,
                            const struct early_records *early);

#endif /* XENALYZE_CONVERT_EARLY_DAMAGE_H */
