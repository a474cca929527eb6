/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Orphans: rings that killed processes have left in memory, and child processes
 * that were replaced by exec(2).
 */
#ifndef LIBUSERTRACE_ORPHAN_RINGS_H
#define LIBUSERTRACE_ORPHAN_RINGS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Locks of fcntl(2) do not exclude threads of one process, so one thread at a
 * time saves orphans.  A fork takes this lock, too: the child inherits nothing
 * of a sweep.  A sweep ends early for a thread that waits here.
 */
void ut_orphans_lock(void);
void ut_orphans_unlock(void);
void ut_orphans_lock_reinit(void);

/*
 * Before `path` is written again: append the events of an orphan, path.rings,
 * to its trace, and remove the orphan.  True if this trace is `path`; *events
 * is the number of events.
 */
bool ut_orphan_save(const char *path, uint64_t *events);

/*
 * Do the same with all orphans of this user in the folder of `own`, the rings
 * of this process, if their trace is `root` or "root-PID".  False: the sweep
 * has ended early.
 */
bool ut_orphans_sweep(const char *own, const char *root);

#endif /* LIBUSERTRACE_ORPHAN_RINGS_H */
