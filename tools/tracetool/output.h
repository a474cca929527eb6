/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the model to text: formats and back ends, each a file and a table row.
 *
 * A format is a kind of file (a header, a table, a man page).  A back end is a
 * way to trace; its hooks write the parts of generated code that depend on it:
 * includes, the body of a trace point.  Formats that generate no code (ids,
 * formats, catalogue, man ...) need no back end.
 *
 * A runtime is the code that generated code calls: libusertrace, or QEMU's own
 * trace/.  Each runtime has its tables of formats and back ends.
 *
 * Output is collected in memory (struct tt_output) and written to the file when
 * complete, so no partial file is ever left.
 */
#ifndef TRACETOOL_OUTPUT_H
#define TRACETOOL_OUTPUT_H

#include <stdio.h>

#include "common/err.h"
#include "tracetool/model.h"

struct tt_request
{
    const struct tt_model *model;
    const struct tt_runtime *runtime;
    const struct tt_backend *const *backends;
    size_t nr_backends;
    const char *group;          /* valid in identifiers; NULL: none given */
    const char *provider;       /* name for dtrace's and LTTng's probes */
    const char *binary;         /* --binary, and more for stap formats */
    const char *probe_prefix;
    const char *target_type;
    const char *target_name;
    FILE *out;                  /* in memory; errors are checked at the end */
};

/* Hooks may be NULL: no output. */
struct tt_backend
{
    const char *name;
    const char *old_name;       /* alternative name; may be NULL */
    const char *text;           /* one line, for --help */
    /* For programs: it traces while trace_event_get_state() is true. */
    bool by_state;
    /* format h: before all events; before each; in each trace_NAME() */
    void (*h_begin)(const struct tt_request *r);
    void (*h_event)(const struct tt_request *r, const struct tt_event *e);
    void (*h_body)(const struct tt_request *r, const struct tt_event *e);
    /* a term of TRACE_NAME_BACKEND_DSTATE(), without operator; or NULL */
    void (*h_enabled)(const struct tt_request *r, const struct tt_event *e);
    /* format c: once, and for each event that is not disabled */
    void (*c_begin)(const struct tt_request *r);
    void (*c_event)(const struct tt_request *r, const struct tt_event *e);
    /* format rs: before all events; in each trace point; a term of enabled() */
    void (*rs_begin)(const struct tt_request *r);
    void (*rs_body)(const struct tt_request *r, const struct tt_event *e);
    void (*rs_enabled)(const struct tt_request *r, const struct tt_event *e);
    /* 0, or -EINVAL and the reason: the back end does not support e */
    int (*accepts)(const struct tt_event *e, struct err *why);
};

struct tt_format
{
    const char *name;           /* "_" and "-" are equivalent for users */
    const char *text;
    bool makes_code;            /* needs back ends */
    bool wants_group;
    int (*write)(const struct tt_request *r, struct err *why);
};

/* Tables are in the order of --help, and end with NULL. */
struct tt_runtime
{
    const char *name;
    const char *text;
    const struct tt_format *const *formats;
    const struct tt_backend *const *backends;
    /* As QEMU's tracetool: all formats need back ends and a group, and the
       exit code of a wrong call is 1. */
    bool is_strict;
    const char *null_string;    /* format simpletrace-stap: a NULL pointer */
    /* formats h and c, for events of programs: first and last part */
    void (*h_begin)(const struct tt_request *r);
    void (*c_begin)(const struct tt_request *r);
    void (*c_end)(const struct tt_request *r);
};

/* The first is the default. */
extern const struct tt_runtime *const tt_runtimes[];

#endif /* TRACETOOL_OUTPUT_H */
