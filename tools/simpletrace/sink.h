/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Styles: consumers of records, which print lines or a report at the end.
 */
#ifndef SIMPLETRACE_SINK_H
#define SIMPLETRACE_SINK_H

#include <time.h>

#include "simpletrace/out.h"
#include "simpletrace/trace-reader.h"
#include "simpletrace/unmatched.h"

enum st_time { ST_TIME_AUTO, ST_TIME_WALL, ST_TIME_CLOCK, ST_TIME_START,
               ST_TIME_DELTA };

struct st_print
{
    struct st_out out;
    enum st_time time;
    bool colour;
    bool seen, any;             /* any record; any printed record */
    bool matched;               /* any record that the filter matches */
    struct st_unmatched unmatched;
    uint64_t first, last;       /* times: first record, last printed */
    time_t second;              /* second that `day` shows */
    char day[32];
    size_t day_length;
    uint32_t pid, tid;          /* ids that `ids` shows */
    struct st_text ids;         /* in the style; no text: none yet */
    char ids_text[64 + ST_PAD];
    uint64_t undeclared;        /* records that do not match a declaration */
    struct arena arena;         /* memory of a report */
    void *state;                /* of the report */
    bool no_memory;
};

struct st_sink
{
    const char *name;
    void (*begin)(struct st_print *p);
    void (*record)(struct st_print *p, const struct st_record *record);
    void (*end)(struct st_print *p);
};

/* In the order of --style. */
extern const struct st_sink st_style_text, st_style_log, st_style_qemu,
    st_style_qemu_raw, st_style_json, st_style_csv, st_style_stats,
    st_style_locks, st_style_9p;

/*
 * Print name=value for each argument, or the bytes if they do not match the
 * declaration.
 */
void st_print_args(struct st_print *p, const struct st_record *record);

#endif /* SIMPLETRACE_SINK_H */
