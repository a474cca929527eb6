/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files of the capture.
 */
#ifndef XENTRACE_COLLECT_PRIVATE_H
#define XENTRACE_COLLECT_PRIVATE_H

#include "xentrace/collect.h"

/*
 * Make Xen trace as the plan wants it, and open what there is to read.  If it
 * fails, c->tracing says whether something is to be stopped.
 */
int collect_start(struct collect *c, struct err *e);

/* Who reads the same rings takes records away from us, and we from him. */
void collect_share(struct collect *c, const char *why);

#endif /* XENTRACE_COLLECT_PRIVATE_H */
