/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace points of programs, as opposed to the hypervisor: functions that
 * formats and back ends share.  An event with the property "vcpu" has an
 * additional first argument, and its format begins with that; these functions
 * hide the difference.
 */
#ifndef TRACETOOL_PROGRAM_H
#define TRACETOOL_PROGRAM_H

#include "tracetool/output.h"

/* True for an event of a program; true if a model has such events. */
static inline bool program_has(const struct tt_event *e)
{
    return !e->in_xen;
}

bool program_has_any(const struct tt_model *m);

/* -EINVAL: an event of the hypervisor; for tt_backend.accepts. */
int program_accepts(const struct tt_event *e, struct err *why);

/* For back ends that print: also if the C compiler would warn of a format. */
int program_accepts_printed(const struct tt_event *e, struct err *why);

#define PROGRAM_MAX_ARGS (TT_MAX_ARGS + 1)

size_t program_nr_args(const struct tt_event *e);
const struct tt_arg *program_arg(const struct tt_event *e, size_t i);

/* The parameters: "const char *path, int fd", or "void". */
void program_parameters(FILE *out, const struct tt_event *e);

/* The arguments: "path, fd", after `before` unless there are none. */
void program_arguments(FILE *out, const char *before, const struct tt_event *e);

/* The format as C source: "\"path %s\" ...". */
void program_format(FILE *out, const struct tt_event *e);

/* The identifier "TRACE_NAME". */
void program_token(FILE *out, const struct tt_event *e);

/* Does a line of the event contain argument i? */
bool program_is_printed(const struct tt_event *e, size_t i);

/*
 * A call of a printf-like function, `call` being its first part: with "f(" and
 * "\\n", f("name " format "\n", arguments);
 */
void program_print(FILE *out, const char *call, const struct tt_event *e,
                   const char *end);

/* The test of the state: trace_event_get_state_dynamic_by_id(TRACE_NAME). */
void program_by_state(const struct tt_request *r, const struct tt_event *e);

/* ---- the two files (formats h and c) ---------------------------------- */

void program_h_event(const struct tt_request *r, const struct tt_event *e);

/* "sample_", for names; empty without a group. */
void program_c_group(const struct tt_request *r);

/* The array GROUP_trace_events[] of all events. */
void program_c_array(const struct tt_request *r);

/* ---- in Rust (format rs) ---------------------------------------------- */

/* "_path: &std::ffi::CStr, _fd: std::ffi::c_int"; for C: *const c_char. */
void program_rust_parameters(FILE *out, const struct tt_event *e, bool for_c);

/* The arguments, for C. */
void program_rust_arguments(FILE *out, const struct tt_event *e);

/* As program_print(). */
void program_rust_print(FILE *out, const char *call, const struct tt_event *e,
                        const char *end);

#endif /* TRACETOOL_PROGRAM_H */
