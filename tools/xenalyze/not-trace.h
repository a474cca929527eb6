/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The error for an input without any record: a message that names the kind of
 * file, so that the user sees the mistake.
 */
#ifndef XENALYZE_NOT_TRACE_H
#define XENALYZE_NOT_TRACE_H

#include <stdbool.h>

#include "xenalyze/outputs.h"

/* Explain a pass with PASS_NO_RECORD.  Returns -EINVAL. */
int not_trace_explain(const struct run *run, struct err *e);

/* Explain a file that is no part of a capture.  Returns -EINVAL. */
int not_trace_explain_file(const char *path, bool is_empty, struct err *e);

/* The same for one without a window in its first XT_WINDOW_MAX bytes. */
int not_trace_explain_begin(const char *path, struct err *e);

#endif /* XENALYZE_NOT_TRACE_H */
