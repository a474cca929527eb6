/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When to stop.  SIGINT, SIGTERM, SIGHUP and the end of the time all ask for
 * the same orderly end; whoever asks twice does not want to wait for a
 * reader of ours that does not read.
 */
#ifndef XENTRACE_STOP_H
#define XENTRACE_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

/* Catch the signals, for the rest of the process. */
int stop_init(struct err *e);

/* Ask by ourselves after this time; 0: never. */
int stop_after(uint64_t ns, struct err *e);

bool stop_asked(void);
bool stop_insisted(void);

/*
 * Sleep until fd is readable (1), or ms have passed or somebody asks (0).  A
 * signal that comes just before the sleep is not slept through.
 */
int stop_wait(int fd, unsigned int ms, struct err *e);

#endif /* XENTRACE_STOP_H */
