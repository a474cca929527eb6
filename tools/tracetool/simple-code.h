/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of back end simple that does not depend on the runtime.
 */
#ifndef TRACETOOL_SIMPLE_CODE_H
#define TRACETOOL_SIMPLE_CODE_H

#include "tracetool/output.h"

/* The function that writes the record, and `end`. */
void simple_code_prototype(const struct tt_request *r,
                           const struct tt_event *e, const char *end);

/* The call of that function in a trace point. */
void simple_code_call(const struct tt_request *r, const struct tt_event *e);

/* The size of all arguments; variable length0_ is that of a string. */
void simple_code_size(const struct tt_request *r, const struct tt_event *e);

/*
 * Write argument i by a call that begins with `word` or, if it is a string,
 * `string`.
 */
void simple_code_value(const struct tt_request *r, const struct tt_event *e,
                       size_t i, const char *word, const char *string);

#endif /* TRACETOOL_SIMPLE_CODE_H */
