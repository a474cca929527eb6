/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pass over all rings: whatever each holds goes to the writer as one
 * window.  A ring that cannot be mapped or that tells lies is given up, with
 * a line to the user, and the others go on.
 */
#ifndef XENTRACE_DRAIN_H
#define XENTRACE_DRAIN_H

#include "common/err.h"
#include "common/log.h"
#include "xentrace/rings.h"
#include "xentrace/writer.h"

/* Map the rings that are new. */
void drain_map(struct rings *r, const struct log *log);

/* One pass.  -errno: the writer's. */
int drain_all(struct rings *r, struct writer *w, const struct log *log,
              struct err *e);

/* One pass that forgets what is there. */
void drain_discard(struct rings *r, const struct log *log);

#endif /* XENTRACE_DRAIN_H */
