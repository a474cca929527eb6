/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How often each event id came.  A real trace has some thirty ids and
 * millions of records, so the common case is one probe of a small table,
 * inline.  A hostile one has 2^28 ids: from XT_TALLY_MAX on, new ones only
 * add to `others`.
 */
#ifndef LIBXENTRACE_TALLY_H
#define LIBXENTRACE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#define XT_TALLY_MAX 65536u
#define XT_TALLY_FREE UINT32_MAX    /* no event: ids have 28 bits */

struct xt_tally_row
{
    uint32_t event;
    uint64_t times;
};

/* Open addressing, at most half full; all zero until xt_tally_init. */
struct xt_tally
{
    struct xt_tally_row *rows;
    size_t nr_rows;             /* a power of two */
    size_t used;
    uint64_t others;            /* records of ids beyond XT_TALLY_MAX */
};

int xt_tally_init(struct xt_tally *t);
void xt_tally_fini(struct xt_tally *t);

/* Where the probes for an event begin; `mask` is nr_rows - 1. */
static inline size_t xt_tally_home(uint32_t event, size_t mask)
{
    /* Neighbouring ids differ in low bits, classes in bits 12 and up. */
    return (event ^ event >> 12 ^ event >> 18) & mask;
}

/* For an event that is not at its home.  0, or -ENOMEM. */
int xt_tally_add_slow(struct xt_tally *t, uint32_t event);

static inline int xt_tally_add(struct xt_tally *t, uint32_t event)
{
    struct xt_tally_row *row = &t->rows[xt_tally_home(event, t->nr_rows - 1)];

    if ( row->event != event )
        return xt_tally_add_slow(t, event);
    row->times++;
    return 0;
}

/*
 * Order by id for reading: rows[0..used) are then the events.  Nothing can
 * be added any more.
 */
void xt_tally_sort(struct xt_tally *t);

#endif /* LIBXENTRACE_TALLY_H */
