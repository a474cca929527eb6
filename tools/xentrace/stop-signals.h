/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When to stop.  SIGINT, SIGTERM, SIGHUP and the end of the time all ask for
 * the same orderly end; whoever asks twice does not want to wait for a
 * reader of ours that does not read.  SIGUSR1 asks for a snapshot.
 */
#ifndef XENTRACE_STOP_SIGNALS_H
#define XENTRACE_STOP_SIGNALS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

/* Catch the signals, for the rest of the process. */
int stop_init(struct err *e);

/* Ask by ourselves after this time; 0: never. */
int stop_after(uint64_t ns, struct err *e);

bool stop_is_requested(void);
bool stop_is_forced(void);
bool stop_by_time(void);        /* it was the time that asked first */

/* Has a snapshot been asked for since the last time that this was true? */
bool stop_take_snapshot_request(void);

/*
 * Sleep until one of these can be read, ms have passed or somebody asks; what
 * can be read is in their revents.  A signal that comes just before the sleep
 * is not slept through.
 */
int stop_wait(struct pollfd *fds, unsigned int nr, unsigned int ms,
              struct err *e);

#endif /* XENTRACE_STOP_SIGNALS_H */
