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
void collect_warn_shared(struct collect *c, const char *why);

uint64_t collect_now_ms(void);

/* Notes. */

/* Time has gone on: if that was a second, say how it goes. */
void collect_every_second(struct collect *c, uint64_t now);

/* How far it is. */
void collect_get_progress(const struct collect *c, struct stats_now *now);

/* At the end: what was lost, and what did not get into the file. */
void collect_count_losses(struct collect *c, bool failed);

/* The file's last window, if there is still a way to write one. */
int collect_write_trailer(struct collect *c, int rc, struct err *e);

/* Snapshots. */

/* Is there one to be taken now?  It is. */
int collect_check_snapshots(struct collect *c, uint64_t now, struct err *e);

/* Those that were wanted were taken. */
bool collect_has_enough_snapshots(const struct collect *c);

/* Make Xen offer what it has recorded, and take that. */
int collect_play_back(struct collect *c, struct err *e);

#endif /* XENTRACE_COLLECT_PRIVATE_H */
