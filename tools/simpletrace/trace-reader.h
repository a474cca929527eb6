/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One trace, of any version and byte order, as records.  What is damaged is
 * passed over, told and counted; the next thing that can be read is looked
 * for behind it.
 */
#ifndef SIMPLETRACE_TRACE_READER_H
#define SIMPLETRACE_TRACE_READER_H

#include "simpletrace/event-table.h"
#include "simpletrace/input.h"

struct st_clock                 /* one moment, on both clocks */
{
    bool known;
    uint64_t monotonic, realtime;
};

struct st_record
{
    struct st_event *event;
    const struct st_reader *from;
    uint64_t time;
    uint32_t pid, tid;          /* 0: not known */
    bool is_dropped;
    const unsigned char *args;  /* borrowed until the reader's next */
    uint32_t bytes;             /* of args */
};

struct st_reader
{
    struct st_input in;
    struct st_events *events;
    unsigned int version;
    bool swapped;
    size_t type_bytes;          /* bytes of the type word */
    struct st_event **map;      /* by id */
    size_t map_nr;
    uint32_t tid;               /* of what comes now */
    struct st_clock clock;
    char *process;              /* the process, in words; or NULL */

    bool rotated;               /* its file was seen to be another one's now */
    uint64_t records, lost;
    uint64_t gaps, skipped;     /* bytes that could not be read */

    /* Of each gap; may be NULL. */
    void (*damaged)(const struct st_reader *r, uint64_t offset,
                    uint64_t bytes, void *arg);
    void *damaged_arg;
};

struct st_reader_options
{
    bool no_header;             /* version 4, ids are positions */
    bool follow;                /* what is cut off may still come */
    enum { ST_IDS_AUTO, ST_IDS_ALL, ST_IDS_ENABLED } ids;
};

int st_reader_open(struct st_reader *r, const char *path,
                   struct st_events *events,
                   const struct st_reader_options *how, struct err *e);
void st_reader_close(struct st_reader *r);

/* 1: *record is one; 0: there is no more (yet, if it is followed); -errno. */
int st_reader_next(struct st_reader *r, struct st_record *record,
                   struct err *e);

/*
 * At the end of a trace that is followed: 1: its writer went on in another
 * file, which is read from now on; 0: not so, or not yet; -errno.
 */
int st_reader_follow(struct st_reader *r, const struct st_reader_options *how,
                     struct err *e);

/* The arguments; -EINVAL: they are not as the event was declared. */
int st_record_values(const struct st_record *record,
                     struct st_value values[ST_MAX_ARGS]);

/* A word of the arguments, as it is; there must be one at `at`. */
uint64_t st_record_word(const struct st_record *record, size_t at);

/* Is this the beginning of a trace?  False also if it cannot be read. */
bool st_is_trace(const char *path);

#endif /* SIMPLETRACE_TRACE_READER_H */
