/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stop requests.  SIGINT, SIGTERM, SIGHUP and the end of --time-interval
 * request a stop in good order; a second request forces the stop of a write
 * that blocks.  SIGUSR1 requests a snapshot.
 */
#ifndef XENTRACE_STOP_SIGNALS_H
#define XENTRACE_STOP_SIGNALS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

/* Install the signal handlers, for the lifetime of the process. */
int stop_init(struct err *e);

/* Request a stop after this time; 0: never. */
int stop_after(uint64_t ns, struct err *e);

bool stop_is_requested(void);
bool stop_is_forced(void);
bool stop_by_time(void);        /* the time was the first request */

/* True: the next function will return true. */
bool stop_snapshot_is_requested(void);

/* True once for each snapshot request, or several at the same time. */
bool stop_take_snapshot_request(void);

/*
 * Sleep until a descriptor is readable, ms have passed or a signal arrives;
 * sets revents.  A signal that arrives just before the sleep prevents it.
 */
int stop_wait(struct pollfd *fds, unsigned int nr, unsigned int ms,
              struct err *e);

#endif /* XENTRACE_STOP_SIGNALS_H */
