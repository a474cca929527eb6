/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merges several traces by time.  Records of one trace keep their order in the
 * file: the writer deviates from order of time only where it cannot know
 * better.
 */
#ifndef SIMPLETRACE_MERGE_H
#define SIMPLETRACE_MERGE_H

#include "simpletrace/trace-reader.h"

struct st_merge
{
    struct st_reader *readers;
    struct st_record *heads;    /* next record of each trace */
    bool *has;                  /* heads[i] is valid */
    size_t nr, last;            /* last: reader of the record last returned */
    bool handed;
};

int st_merge_open(struct st_merge *m, char *const *paths, size_t nr,
                  struct st_events *events, const struct st_reader_options *how,
                  struct err *e);
void st_merge_close(struct st_merge *m);

/* 1: *record is the next record; 0: end of all traces (for now); -errno. */
int st_merge_next(struct st_merge *m, const struct st_record **record,
                  struct err *e);

/*
 * At the end: call st_reader_follow() for each trace. 1: there may be more
 * records at once; 0; -errno.
 */
int st_merge_follow(struct st_merge *m, const struct st_reader_options *how,
                    struct err *e);

#endif /* SIMPLETRACE_MERGE_H */
