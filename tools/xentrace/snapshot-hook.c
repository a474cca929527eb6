/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command is a child process with its own process group, so that it can be
 * killed with all its children, and does not receive the signals of the
 * terminal.  The child gets the default signal handlers, no descriptor but the
 * standard ones, and /dev/null as its input.
 */
#define _GNU_SOURCE /* close_range */

#include "xentrace/snapshot-hook.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/fault.h"

#define POLL_MS 20u     /* interval of polls at the end */

static uint64_t read_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

/* --- one command ---------------------------------------------------------- */

static void reset_signals(void)
{
    sigset_t none;

    for ( int i = 1; i < NSIG; i++ )
        signal(i, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void become_command(const struct snapshot_hook *h)
{
    int null = open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    reset_signals();
    if ( null >= 0 )
        dup2(null, STDIN_FILENO);
    /* A trace on standard output must not get other bytes. */
    dup2(STDERR_FILENO, STDOUT_FILENO);
    close_range(3, ~0u, 0);
    setenv("XENTRACE_FILE", h->running.file, 1);
    setenv("XENTRACE_CAUSE", h->running.cause, 1);
    execl("/bin/sh", "sh", "-c", h->command, (char *)NULL);
    _exit(127);
}

/* The oldest call of the queue. */
static void start_command(struct snapshot_hook *h, uint64_t now_ms)
{
    assert(!h->pid && h->nr_queued);
    h->running = h->queue[0];
    memmove(&h->queue[0], &h->queue[1], --h->nr_queued * sizeof(h->queue[0]));
    h->is_killed = false;
    h->begun_ms = now_ms;
    h->pid = fault_hit(FAULT_OPEN) ? -1 : fork();
    if ( !h->pid )
        become_command(h);
    if ( h->pid > 0 )
    {
        setpgid(h->pid, h->pid); /* the child does the same: no race */
        return;
    }
    log_warning(h->log, "--on-snapshot: cannot start the command for %s: %s",
                h->running.file, strerror(errno));
    h->pid = 0;
}

static void report_end(const struct snapshot_hook *h, int status)
{
    const char *file = h->running.file;

    if ( h->is_killed )
        log_warning(h->log, "--on-snapshot: the command for %s ran for too "
                    "long and was killed", file);
    else if ( WIFSIGNALED(status) )
        log_warning(h->log, "--on-snapshot: the command for %s was ended by "
                    "signal %d", file, WTERMSIG(status));
    else if ( WEXITSTATUS(status) )
        log_warning(h->log, "--on-snapshot: the command for %s failed with "
                    "exit status %d", file, WEXITSTATUS(status));
}

static void kill_command(struct snapshot_hook *h)
{
    assert(h->pid > 0);
    h->is_killed = true;
    kill(-h->pid, SIGKILL);
}

static void reap_command(struct snapshot_hook *h)
{
    int status = 0;
    pid_t pid = waitpid(h->pid, &status, WNOHANG);

    if ( !pid || (pid < 0 && errno == EINTR) )
        return;
    if ( pid > 0 )
        report_end(h, status);
    h->pid = 0;
}

/* --- queue ---------------------------------------------------------------- */

void hook_poll(struct snapshot_hook *h, uint64_t now_ms)
{
    if ( h->pid )
        reap_command(h);
    if ( h->pid && !h->is_killed && now_ms - h->begun_ms >= HOOK_LIMIT_MS )
        kill_command(h);
    if ( !h->pid && h->nr_queued )
        start_command(h, now_ms);
}

void hook_run(struct snapshot_hook *h, const char *file, const char *cause,
              uint64_t now_ms)
{
    struct hook_call *call = &h->queue[h->nr_queued];

    assert(h->nr_queued <= HOOK_QUEUE);
    if ( !h->command )
        return;
    if ( h->nr_queued == HOOK_QUEUE )
    {
        log_warning(h->log, "--on-snapshot: %u commands wait: none is run for "
                    "%s", HOOK_QUEUE, file);
        return;
    }
    snprintf(call->file, sizeof(call->file), "%s", file);
    snprintf(call->cause, sizeof(call->cause), "%s", cause);
    h->nr_queued++;
    hook_poll(h, now_ms);
}

void hook_end(struct snapshot_hook *h, bool (*is_forced)(void))
{
    struct timespec pause = { .tv_nsec = POLL_MS * 1000000L };
    uint64_t begun = read_ms();

    for ( hook_poll(h, begun); hook_is_busy(h) && !is_forced() &&
                               read_ms() - begun < HOOK_END_MS;
          hook_poll(h, read_ms()) )
        nanosleep(&pause, NULL);
    if ( h->nr_queued )
        log_warning(h->log, "--on-snapshot: %u command%s not run",
                    h->nr_queued, h->nr_queued == 1 ? " was" : "s were");
    if ( h->pid )
        log_warning(h->log, "--on-snapshot: the command for %s still runs",
                    h->running.file);
    h->nr_queued = 0;
    h->pid = 0;
}
