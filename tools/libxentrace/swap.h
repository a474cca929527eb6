/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traces of the other byte order.  A trace is words of 32 bits, wherever its
 * windows begin, so each word is turned round; halves and doubles of words
 * are not looked at, since nobody knows here which they are.  Xen's time
 * stamps have their low half first whatever the byte order, and come out
 * right.
 *
 * Every byte stays at its offset.  What is no window comes out as it went in.
 */
#ifndef LIBXENTRACE_SWAP_H
#define LIBXENTRACE_SWAP_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "libxentrace/source.h"

/* Does an input that begins like this need it? */
bool xt_swap_detect(const unsigned char *first, size_t nr);

/* A source on top of `inner`, which it owns from here on, also if it fails. */
int xt_swap_open(struct xt_source **s, struct xt_source *inner,
                 struct err *e);

#endif /* LIBXENTRACE_SWAP_H */
