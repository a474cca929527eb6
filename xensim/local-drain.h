/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rings as seen from inside the simulator: how full they are, and a reader
 * for runs without an external one.
 */
#ifndef XENSIM_LOCAL_DRAIN_H
#define XENSIM_LOCAL_DRAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"

/*
 * Allocate rings of this many pages, unless the machine has rings, and start
 * tracing.
 */
int local_drain_start(unsigned int pages, struct err *e);
/* Stop tracing, which writes the last LOST records. */
void local_drain_stop(void);

/*
 * Write the records of all rings to a file, one window for each ring. Return 0
 * or -EIO.
 */
int local_drain_write(FILE *out);

/*
 * Return true if tracing is on and a reader has to drain the rings: not in
 * flight-recorder mode.
 */
bool local_drain_trace_is_on(void);
/* Return true if a ring is more than half full. */
bool local_drain_ring_half_full(void);

#endif /* XENSIM_LOCAL_DRAIN_H */
