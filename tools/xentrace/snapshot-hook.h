/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of --on-snapshot: runs after each snapshot, as "sh -c COMMAND",
 * with the name and the cause of the file in its environment:
 *
 *     XENTRACE_FILE    wait.bin.3
 *     XENTRACE_CAUSE   web1/1 waited 275.7 ms
 *
 * The collector never waits for the command during a capture.  One command runs
 * at a time, HOOK_QUEUE further ones wait, and more are not run.  A command
 * that runs for longer than HOOK_LIMIT_MS is killed with its process group.
 * Failures are logged, and change nothing.
 */
#ifndef XENTRACE_SNAPSHOT_HOOK_H
#define XENTRACE_SNAPSHOT_HOOK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/log.h"

#define HOOK_QUEUE 4u
#define HOOK_LIMIT_MS 60000u
#define HOOK_END_MS 10000u      /* patience at the end of the capture */

struct hook_call
{
    char file[PATH_MAX];
    char cause[160];
};

struct snapshot_hook
{
    const char *command;        /* borrowed; NULL: none */
    const struct log *log;
    pid_t pid;                  /* of the running command, or 0 */
    uint64_t begun_ms;
    bool is_killed;
    struct hook_call running;
    struct hook_call queue[HOOK_QUEUE]; /* oldest first */
    unsigned int nr_queued;
};

/* Run the command for a snapshot, now or after those that wait. */
void hook_run(struct snapshot_hook *h, const char *file, const char *cause,
              uint64_t now_ms);

/* Reap the command if it has ended, and start the next one. */
void hook_poll(struct snapshot_hook *h, uint64_t now_ms);

/* True: hook_poll() has work to do soon. */
static inline bool hook_is_busy(const struct snapshot_hook *h)
{
    return h->pid || h->nr_queued;
}

/*
 * At the end of the capture: wait for all commands, but not for longer than
 * HOOK_END_MS, or until `is_forced` returns true.  A command that still runs
 * then is left alone.
 */
void hook_end(struct snapshot_hook *h, bool (*is_forced)(void));

#endif /* XENTRACE_SNAPSHOT_HOOK_H */
