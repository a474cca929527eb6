/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What becomes of records: lines in some style, or a report at the end.
 */
#ifndef SIMPLETRACE_SINK_H
#define SIMPLETRACE_SINK_H

#include <time.h>

#include "simpletrace/out.h"
#include "simpletrace/trace-reader.h"

enum st_time { ST_TIME_AUTO, ST_TIME_WALL, ST_TIME_CLOCK, ST_TIME_START,
               ST_TIME_DELTA };

struct st_print
{
    struct st_out out;
    enum st_time time;
    bool colour;
    bool seen, any;             /* there was a record; one that is wanted */
    uint64_t first, last;       /* time of `seen`, of the last wanted */
    time_t second;              /* whose text is in `day` */
    char day[32];
    uint64_t undeclared;        /* arguments not as declared */
    struct arena arena;         /* for what a report keeps */
    void *state;                /* the report's */
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

/* name=value for each argument, or the bytes if they are not as declared. */
void st_print_args(struct st_print *p, const struct st_record *record);

#endif /* SIMPLETRACE_SINK_H */
