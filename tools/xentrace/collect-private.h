/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions shared by the collect*.c files.
 */
#ifndef XENTRACE_COLLECT_PRIVATE_H
#define XENTRACE_COLLECT_PRIVATE_H

#include "xentrace/collect.h"

/*
 * Bind the VIRQ.  Its owner is the reader of the rings: -EBUSY if there is
 * another one, or with --share-rings a capture that reads the rings at
 * intervals only.
 */
int collect_bind_virq(struct collect *c, struct err *e);

/*
 * Enable tracing as planned, and map the rings.  On failure, c->tracing shows
 * whether tracing has to be disabled.
 */
int collect_start(struct collect *c, struct err *e);

/* Masks. */

/* Set the masks of the plan, and read those that they replace. */
int collect_set_masks(struct collect *c, struct err *e);

/* Put the masks back that Xen had, unless the plan keeps them. */
void collect_restore_masks(struct collect *c);
void collect_free_masks(struct collect *c);

/* Warn about masks that Xen had before, from its boot or an earlier run. */
void collect_warn_about_masks(const struct collect *c);

/* Other readers. */

/*
 * Warn that another reader of these rings would steal records from this
 * capture, and this capture from the reader.
 */
void collect_warn_shared(struct collect *c, const char *why);

/* Warn, once, if another reader has taken records from the rings. */
void collect_check_readers(struct collect *c);

/* True: another program reads the rings now, and tracing stays on for it. */
bool collect_is_shared(const struct collect *c);

/* Warn if tracing was switched off, or on again, by another program. */
void collect_check_tracing(struct collect *c);

uint64_t collect_now_ms(void);

/* Reports. */

/* Once a second: write clock and loss records, print the progress. */
void collect_every_second(struct collect *c, uint64_t now);

/* The events, bytes and losses so far. */
void collect_get_progress(const struct collect *c, struct stats_now *now);

/*
 * The losses so far, as *nr records that the caller frees.  NULL without
 * memory.
 */
struct xt_meta *collect_make_losses(struct collect *c, unsigned int *nr);

/* At the end: update c->lost with the final counts. */
void collect_count_losses(struct collect *c, bool failed);

/* Write the last window of the file, if the file can still be written. */
int collect_write_trailer(struct collect *c, int rc, struct err *e);

/* Snapshots. */

/* Take a snapshot if one is due at `now`. */
int collect_check_snapshots(struct collect *c, uint64_t now, struct err *e);

/*
 * Take a snapshot on request, with a comment ("": none).  *why is the reason if
 * it cannot be written, which does not end the capture; c->last_snapshot is its
 * path.
 */
int collect_take_snapshot(struct collect *c, const char *comment,
                          struct err *why, struct err *e);

/* True: the planned number of snapshots has been taken. */
bool collect_has_enough_snapshots(const struct collect *c);

/* Stop a flight recorder, and copy the records that its rings hold. */
int collect_play_back(struct collect *c, struct err *e);

/* Requests of the control socket. */

/* Receive requests and answer them; true: one waits for the next pass. */
bool collect_serve_requests(struct collect *c, uint64_t now_ms);

/* Take the snapshots that clients have requested, and answer. */
int collect_take_requested(struct collect *c, struct err *e);

#endif /* XENTRACE_COLLECT_PRIVATE_H */
