/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads one trace, of any version and byte order, as records.  Damaged parts
 * are skipped, reported and counted; reading resumes at the next valid item.
 */
#ifndef SIMPLETRACE_TRACE_READER_H
#define SIMPLETRACE_TRACE_READER_H

#include "simpletrace/event-table.h"
#include "simpletrace/input.h"

struct st_clock                 /* one moment on both clocks */
{
    bool known;
    uint64_t monotonic, realtime;
};

struct st_record
{
    struct st_event *event;
    const struct st_reader *from;
    uint64_t time;
    uint32_t pid, tid;          /* 0: unknown */
    bool is_dropped;
    bool fits;                  /* the arguments match the declaration */
    const unsigned char *args;  /* borrowed until the next record */
    uint32_t bytes;             /* size of args */
};

struct st_reader
{
    struct st_input in;
    struct st_events *events;
    unsigned int version;
    bool swapped;
    size_t type_bytes;          /* size of the type word: 8 or 0 */
    struct st_event **map;      /* by id */
    size_t map_nr;
    uint32_t tid;               /* of the records that follow */
    struct st_clock clock;
    char *process;              /* description of the process; or NULL */

    uint64_t records, lost;
    uint64_t gaps, skipped;     /* bytes that could not be read */
    uint64_t deleted;           /* files deleted unread, of a followed trace */
    uint64_t unknown;           /* places with an unknown number of them */

    /* State of following (reader-follow.c). */
    bool rotated;               /* the file was found renamed */
    bool jumped;                /* this file may not be the successor */
    unsigned int number;        /* NAME.number; 0: NAME */
    unsigned int failures;      /* calls that found no successor */
    uint64_t file_pid, file_number;     /* of SIMPLE_FILE; 0: unknown */

    /* Called for each gap, and for deleted files (0: unknown); or NULL. */
    void (*report_damage)(const struct st_reader *r, uint64_t offset,
                          uint64_t bytes, void *arg);
    void (*report_deleted)(const struct st_reader *r, uint64_t files,
                           void *arg);
    void *report_arg;
};

struct st_reader_options
{
    bool no_header;             /* version 4; ids are positions */
    bool follow;                /* wait for the rest of an incomplete item */
    enum { ST_IDS_AUTO, ST_IDS_ALL, ST_IDS_ENABLED } ids;
};

int st_reader_open(struct st_reader *r, const char *path,
                   struct st_events *events,
                   const struct st_reader_options *how, struct err *e);

/* The same for an open file, which st_reader_close() closes; and errors. */
int st_reader_open_fd(struct st_reader *r, int fd, const char *name,
                      struct st_events *events,
                      const struct st_reader_options *how, struct err *e);
void st_reader_close(struct st_reader *r);

/*
 * 1: *record is the next record; 0: end of the trace (for now, if it is
 * followed); -errno.
 */
int st_reader_next(struct st_reader *r, struct st_record *record,
                   struct err *e);

/*
 * At the end of a followed trace: 1: call st_reader_next() again, there may be
 * more, in another file perhaps; 0: nothing more for now; -errno.
 */
int st_reader_follow(struct st_reader *r, const struct st_reader_options *how,
                     struct err *e);

/* Decode the arguments; -EINVAL: the bytes do not match the declaration. */
int st_record_values(const struct st_record *record,
                     struct st_value values[ST_MAX_ARGS]);

/* The word of the arguments at offset `at`, which must be in bounds. */
uint64_t st_record_word(const struct st_record *record, size_t at);

/* Does the file begin like a trace?  False also if it cannot be read. */
bool st_is_trace(const char *path);

#endif /* SIMPLETRACE_TRACE_READER_H */
