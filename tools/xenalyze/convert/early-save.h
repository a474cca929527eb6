/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Early records as bytes: what early_pass() has kept, for a reader that begins
 * in the middle of the trace.
 */
#ifndef XENALYZE_CONVERT_EARLY_SAVE_H
#define XENALYZE_CONVERT_EARLY_SAVE_H

#include <stdio.h>

#include "xenalyze/convert/early-records.h"

/* Write them; the ring must be empty.  Check the stream for errors. */
void early_save(const struct early_records *h, FILE *out);

/*
 * Read them; *h must be new.  0; -EINVAL: the bytes are damaged; -ENOMEM.
 */
int early_load(struct early_records *h, const void *bytes, size_t size);

#endif /* XENALYZE_CONVERT_EARLY_SAVE_H */
