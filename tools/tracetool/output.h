/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the model to text: formats and back ends, each one file and one row.
 *
 * A format is a kind of file (a header, a table, a man page).  A back end is
 * a way to trace, and gives a format that makes code the pieces that differ:
 * what to include, what a trace point does.  Formats that make no code (ids,
 * formats, catalogue, man) need no back end.
 *
 * Output goes to memory (struct tt_out) and becomes a file only when all of
 * it is there, so nothing half-written is ever left.
 */
#ifndef TRACETOOL_OUTPUT_H
#define TRACETOOL_OUTPUT_H

#include <stdio.h>

#include "common/err.h"
#include "tracetool/model.h"

struct tt_request
{
    const struct tt_model *model;
    const struct tt_backend *const *backends;
    size_t nr_backends;
    const char *group;          /* as identifiers want it; NULL: none asked */
    const char *provider;       /* of dtrace's and LTTng's probes */
    const char *binary;         /* --binary and what else stap formats ask */
    const char *probe_prefix;
    const char *target_type;
    const char *target_name;
    FILE *out;                  /* memory; write errors are seen at the end */
};

/* Hooks may be NULL: nothing to say. */
struct tt_backend
{
    const char *name;
    const char *old_name;       /* also understood; may be NULL */
    const char *text;           /* one line, for --help */
    /* A program's: it traces while trace_event_get_state() says so. */
    bool by_state;
    /* format h: once, before the events; before each; in each trace_NAME() */
    void (*h_begin)(const struct tt_request *r);
    void (*h_event)(const struct tt_request *r, const struct tt_event *e);
    void (*h_body)(const struct tt_request *r, const struct tt_event *e);
    /* one term of TRACE_NAME_BACKEND_DSTATE(), no operator; NULL: none */
    void (*h_enabled)(const struct tt_request *r, const struct tt_event *e);
    /* format c: once, and for each event that is not disabled */
    void (*c_begin)(const struct tt_request *r);
    void (*c_event)(const struct tt_request *r, const struct tt_event *e);
    /* 0, or -EINVAL and why this back end cannot serve this event */
    int (*accepts)(const struct tt_event *e, struct err *why);
};

struct tt_format
{
    const char *name;           /* "_" and "-" are the same to users */
    const char *text;
    bool makes_code;            /* wants back ends */
    bool wants_group;
    int (*write)(const struct tt_request *r, struct err *why);
};

/* The rows, in the order of --help; NULL ends. */
extern const struct tt_format *const tt_formats[];
extern const struct tt_backend *const tt_backends[];

#endif /* TRACETOOL_OUTPUT_H */
