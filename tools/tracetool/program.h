/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace points of programs, as opposed to the hypervisor's: what formats and
 * back ends have in common.  An event with the property "vcpu" has one more
 * argument than was declared, in front, and its format begins with it; who
 * goes through these functions never sees a difference.
 */
#ifndef TRACETOOL_PROGRAM_H
#define TRACETOOL_PROGRAM_H

#include "tracetool/output.h"

/* Is it one?  Is there any? */
static inline bool program_has(const struct tt_event *e)
{
    return !e->in_xen;
}

bool program_has_any(const struct tt_model *m);

/* -EINVAL: an event of the hypervisor; for tt_backend.accepts. */
int program_accepts(const struct tt_event *e, struct err *why);

#define PROGRAM_MAX_ARGS (TT_MAX_ARGS + 1)

size_t program_nr_args(const struct tt_event *e);
const struct tt_arg *program_arg(const struct tt_event *e, size_t i);

/* "const char *path, int fd", or "void" */
void program_parameters(FILE *out, const struct tt_event *e);

/* "path, fd", or nothing; what `before` says comes in front, if anything. */
void program_arguments(FILE *out, const char *before, const struct tt_event *e);

/* The format as C source: "\"path %s\" ..." */
void program_format(FILE *out, const struct tt_event *e);

/* "TRACE_NAME" */
void program_token(FILE *out, const struct tt_event *e);

/* "    FUNCTION("name " format "\n", arguments);" */
void program_print(FILE *out, const char *function, const struct tt_event *e);

/* An event by state: trace_event_get_state_dynamic_by_id(TRACE_NAME). */
void program_by_state(const struct tt_request *r, const struct tt_event *e);

/* ---- the two files (formats h and c) ---------------------------------- */

void program_h_begin(const struct tt_request *r);
void program_h_event(const struct tt_request *r, const struct tt_event *e);
void program_c_begin(const struct tt_request *r);
void program_c_end(const struct tt_request *r);

#endif /* TRACETOOL_PROGRAM_H */
