/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings, seen from within: how full they are, and the reader of a machine
 * that has none of its own.
 */
#ifndef XENSIM_DRAIN_H
#define XENSIM_DRAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"

/* Make rings of so many pages, unless there are some, and trace. */
int drain_begin(unsigned int pages, struct err *e);
/* Stop tracing, which leaves the last LOST records. */
void drain_end(void);

/* Write what is in the rings, a window for each.  0, or -EIO. */
int drain_all(FILE *out);

/* Somebody traces, and wants what is in the rings (no flight recorder). */
bool drain_is_wanted(void);
/* A ring is more than half full. */
bool drain_is_urgent(void);

#endif /* XENSIM_DRAIN_H */
