/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filter of records: --name, --from, --to, --pid, --tid.
 */
#ifndef SIMPLETRACE_TRACE_FILTER_H
#define SIMPLETRACE_TRACE_FILTER_H

#include "simpletrace/trace-reader.h"

#define ST_MAX_NAMES 64u

struct st_list                  /* values of a repeated option, in order */
{
    char *text[ST_MAX_NAMES];
    size_t nr;
};

struct st_filter
{
    struct st_list names;       /* patterns; '-' in front: exclude */
    uint64_t from, to;          /* ns since the first record; to 0: no end */
    uint64_t pid, tid;          /* 0: any */
};

/* `first`: the time of the first record of all traces. */
bool st_filter_accepts(const struct st_filter *s,
                       const struct st_record *record, uint64_t first);

/* The options that match a record, a loss as any other; not given: match. */
enum { ST_BY_NAME = 1, ST_BY_PID = 2, ST_BY_TID = 4, ST_BY_FROM = 8,
       ST_BY_TO = 16, ST_BY_ALL = 31 };
unsigned int st_filter_matches(const struct st_filter *s,
                               const struct st_record *record, uint64_t first);

#endif /* SIMPLETRACE_TRACE_FILTER_H */
