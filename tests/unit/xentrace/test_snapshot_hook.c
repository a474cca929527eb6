/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command of --on-snapshot: its environment, its failures, its bounds.
 */
#include "xentrace/snapshot-hook.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/fault.h"

#include "tests/unit/libxentrace/unit.h"
#include "tests/unit/xentrace/fake.h"

static struct snapshot_hook make_hook(struct log_capture *heard,
                                      const char *command)
{
    log_capture_init(heard);
    return (struct snapshot_hook){ .command = command, .log = &heard->log };
}

/* Poll at this time until no command runs or waits; all children are reaped. */
static void finish_commands(struct snapshot_hook *h, uint64_t now)
{
    for ( unsigned int i = 0; hook_is_busy(h); i++ )
    {
        ck_assert_uint_lt(i, 10000);
        usleep(10000);
        hook_poll(h, now);
    }
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
}

START_TEST(environment)
{
    char command[200], line[200] = "", path[] = "hook-XXXXXX";
    struct log_capture heard;
    struct snapshot_hook h;
    FILE *f;

    close(mkstemp(path));
    snprintf(command, sizeof(command),
             "echo \"$XENTRACE_FILE|$XENTRACE_CAUSE\" >%s", path);
    h = make_hook(&heard, command);
    hook_run(&h, "a b.3", "d1v0 waited \"2 ms\"", 0);
    finish_commands(&h, 0);
    f = fopen(path, "r");
    ck_assert(f && fgets(line, sizeof(line), f));
    ck_assert_str_eq(line, "a b.3|d1v0 waited \"2 ms\"\n");
    fclose(f);
    unlink(path);
    ck_assert_uint_eq(log_capture_count(&heard, "on-snapshot"), 0);
    log_capture_fini(&heard);
}
END_TEST

START_TEST(no_command)
{
    struct log_capture heard;
    struct snapshot_hook h = make_hook(&heard, NULL);

    hook_run(&h, "x", "y", 0);
    ck_assert(!hook_is_busy(&h));
    log_capture_fini(&heard);
}
END_TEST

START_TEST(failures)
{
    static const struct
    {
        const char *command, *message;
    } rows[] = {
        { "exit 3", "x.1 failed with exit status 3" },
        { "kill -SEGV $$", "x.1 was ended by signal 11" },
        { "/no/such/command", "x.1 failed with exit status 127" },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        struct log_capture heard;
        struct snapshot_hook h = make_hook(&heard, rows[i].command);

        hook_run(&h, "x.1", "y", 0);
        finish_commands(&h, 0);
        ck_assert_msg(log_capture_count(&heard, rows[i].message) == 1,
                      "%s: %s", rows[i].command, heard.text);
        log_capture_fini(&heard);
    }
}
END_TEST

START_TEST(cannot_start)
{
    struct log_capture heard;
    struct snapshot_hook h = make_hook(&heard, "exit 0");

    fault_arm(FAULT_OPEN, 1);
    hook_run(&h, "x.1", "y", 0);
    fault_disarm();
    ck_assert(!hook_is_busy(&h));
    ck_assert_uint_eq(log_capture_count(&heard, "cannot start"), 1);
    log_capture_fini(&heard);
}
END_TEST

/* The limit applies to children of the command, too. */
START_TEST(runs_too_long)
{
    struct log_capture heard;
    struct snapshot_hook h = make_hook(&heard, "sleep 1000; sleep 1000");

    hook_run(&h, "x.1", "y", 5);
    hook_poll(&h, 4 + HOOK_LIMIT_MS);
    ck_assert(!h.is_killed);
    hook_poll(&h, 5 + HOOK_LIMIT_MS);
    ck_assert(h.is_killed);
    finish_commands(&h, 5 + HOOK_LIMIT_MS);
    ck_assert_uint_eq(log_capture_count(&heard, "ran for too long"), 1);
    log_capture_fini(&heard);
}
END_TEST

static bool is_forced(void)
{
    return true;
}

/* One runs, HOOK_QUEUE wait, and the next is not run. */
START_TEST(too_many)
{
    struct log_capture heard;
    struct snapshot_hook h = make_hook(&heard, "sleep 1000");
    pid_t pid;

    for ( unsigned int i = 0; i < HOOK_QUEUE + 1; i++ )
        hook_run(&h, "x", "y", 0);
    ck_assert_uint_eq(log_capture_count(&heard, "none is run"), 0);
    hook_run(&h, "last", "y", 0);
    ck_assert_uint_eq(log_capture_count(&heard, "none is run for last"), 1);
    ck_assert_uint_eq(h.nr_queued, HOOK_QUEUE);

    pid = h.pid;
    hook_end(&h, is_forced);
    ck_assert(!hook_is_busy(&h));
    ck_assert_uint_eq(log_capture_count(&heard, "4 commands were not run"), 1);
    ck_assert_uint_eq(log_capture_count(&heard, "still runs"), 1);
    ck_assert_int_eq(kill(-pid, SIGKILL), 0);
    log_capture_fini(&heard);
}
END_TEST

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

static bool is_not_forced(void)
{
    return false;
}

/* The end waits for short commands. */
START_TEST(end)
{
    struct log_capture heard;
    struct snapshot_hook h = make_hook(&heard, "sleep 0.1; exit 7");

    for ( unsigned int i = 0; i < 3; i++ )
        hook_run(&h, "x", "y", now_ms());
    hook_end(&h, is_not_forced);
    ck_assert_msg(log_capture_count(&heard, "exit status 7") == 3, "%s",
                  heard.text);
    ck_assert_uint_eq(log_capture_count(&heard, "still runs"), 0);
    log_capture_fini(&heard);
}
END_TEST

UNIT_MAIN("snapshot-hook", environment, no_command, failures, cannot_start,
          runs_too_long, too_many, end)
