/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several traces as one, by time.  Within a trace the order is that of the
 * file: writers write what is out of order only where they could not know.
 */
#ifndef SIMPLETRACE_MERGE_H
#define SIMPLETRACE_MERGE_H

#include "simpletrace/trace-reader.h"

struct st_merge
{
    struct st_reader *readers;
    struct st_record *heads;    /* what comes next of each */
    bool *has;                  /* is there a head? */
    size_t nr, last;            /* last: whose head was handed out */
    bool handed;
};

int st_merge_open(struct st_merge *m, char *const *paths, size_t nr,
                  struct st_events *events, const struct st_reader_options *how,
                  struct err *e);
void st_merge_close(struct st_merge *m);

/* 1: *record is the next one; 0: no more (yet); -errno. */
int st_merge_next(struct st_merge *m, const struct st_record **record,
                  struct err *e);

/* Where there is no more: st_reader_follow() for each.  0 or -errno. */
int st_merge_follow(struct st_merge *m, const struct st_reader_options *how,
                    struct err *e);

#endif /* SIMPLETRACE_MERGE_H */
