/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One file with events of programs, and the kinds of such files.
 */
#ifndef XENALYZE_PROGRAMS_PROGRAM_SOURCE_H
#define XENALYZE_PROGRAMS_PROGRAM_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

enum source_clock
{
    SOURCE_MONOTONIC,           /* nanoseconds of CLOCK_MONOTONIC */
    SOURCE_WALL,                /* nanoseconds since 1970 */
    SOURCE_TSC,                 /* the time-stamp counter itself */
};

struct source_event
{
    uint64_t time;              /* on the clock of the source */
    uint32_t pid, tid;          /* 0: unknown */
    const char *process;        /* name; NULL: the label of the source */
    const char *name;           /* borrowed, as the text, until the next one */
    const char *text;
    uint64_t lost;              /* not 0: no event, but so many lost ones */
};

#define SOURCE_LABEL_MAX 33u    /* with its 0 */

struct source
{
    const struct source_kind *kind;
    const char *path;           /* borrowed */
    const char *declarations;   /* borrowed; NULL: none */
    void *state;                /* state of the kind; NULL: closed */
    char label[SOURCE_LABEL_MAX];       /* name of the program */
    enum source_clock clock;    /* known after the first event */

    /* Identity, known after the first event. */
    bool has_boot;
    unsigned char boot[16];     /* boot id of the host */
    bool has_wall;              /* one moment on both clocks */
    uint64_t mono, wall;

    uint64_t events, lost;      /* in the pass so far */
    uint64_t skipped, gaps;     /* bytes that are no events, and places */
    uint64_t undeclared;        /* events without a matching declaration */
};

struct source_kind
{
    bool (*recognises)(const char *path);
    int (*open)(struct source *s, struct err *e);
    /* 1, 0 at the end, or -errno. */
    int (*read)(struct source *s, bool wants_text, struct source_event *event,
                struct err *e);
    void (*close)(struct source *s);
};

/* Traces of the simple back end. */
const struct source_kind *source_simple(void);

/* Text: of the log back end, and of ftrace. */
const struct source_kind *source_log(void);
const struct source_kind *source_ftrace(void);

/* A trace.dat of ftrace. */
const struct source_kind *source_trace_dat(void);

#endif /* XENALYZE_PROGRAMS_PROGRAM_SOURCE_H */
