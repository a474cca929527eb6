/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The error for a filter that matches no record: it names the option at fault,
 * and what the traces have instead.
 */
#ifndef SIMPLETRACE_UNMATCHED_H
#define SIMPLETRACE_UNMATCHED_H

#include "simpletrace/merge.h"
#include "simpletrace/trace-filter.h"

#define ST_MAX_SEEN 8u          /* ids that a message lists */

struct st_seen_ids
{
    uint32_t ids[ST_MAX_SEEN];  /* in the order of their first record */
    size_t nr;                  /* of all found, up to ST_MAX_SEEN + 1 */
};

/* What was seen before the first match. */
struct st_unmatched
{
    bool seen;                  /* any record */
    unsigned int matched;       /* ST_BY_...: these matched some record */
    struct st_seen_ids pids, tids;
    uint64_t span;              /* ns from the first to the last record */
};

/*
 * Note a record.  True if it matches all options; a loss, which is printed in
 * any case, has to match them, too.
 */
bool st_unmatched_note(struct st_unmatched *u, const struct st_filter *f,
                       const struct st_record *record, uint64_t first);

/* After the last record, without a match.  -ENOENT: see *e; 0: no filter. */
int st_unmatched_explain(const struct st_unmatched *u,
                         const struct st_filter *f,
                         const struct st_merge *m, struct err *e);

#endif /* SIMPLETRACE_UNMATCHED_H */
