/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traces of the other byte order.  A trace is a sequence of 32-bit words from
 * the beginning of each window, so each word is swapped; fields of other sizes
 * are not known here.  Xen's time stamps have their low half first in either
 * byte order, and need no more than that.
 *
 * Every byte keeps its offset.  Bytes outside of windows are not changed.
 */
#ifndef LIBXENTRACE_SWAP_H
#define LIBXENTRACE_SWAP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "libxentrace/source.h"

/* Does an input with these first bytes need swapping? */
bool xt_swap_detect(const unsigned char *first, size_t nr);

/*
 * Open a source on top of `inner`, and own `inner` from here on, also on
 * failure.
 */
int xt_swap_open(struct xt_source **s, struct xt_source *inner,
                 struct err *e);

#endif /* LIBXENTRACE_SWAP_H */
