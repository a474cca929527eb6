/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE             /* pipe2() */
#include "xenalyze/programs/trace-cmd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/utf8.h"

#define MAGIC "\x17\x08\x44tracing"

extern char **environ;

bool trace_cmd_recognises(const char *path)
{
    char head[sizeof(MAGIC) - 1];
    int fd = fault_open(path, O_RDONLY | O_CLOEXEC, 0);
    bool is_dat;

    if ( fd < 0 )
        return false;
    is_dat = fault_read(fd, head, sizeof(head)) == sizeof(head) &&
             !memcmp(head, MAGIC, sizeof(head));
    close(fd);
    return is_dat;
}

/* --- the process ---------------------------------------------------------- */

/* Standard output to `fd`; no input, and no messages: there may be many. */
static int spawn_child(pid_t *pid, const char *const *arguments, int fd)
{
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);

    assert(fd >= 0 && arguments[0]);
    if ( rc )
        return -rc;
    rc = posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
    if ( !rc )
        rc = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO,
                                              "/dev/null", O_RDONLY, 0);
    if ( !rc )
        rc = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO,
                                              "/dev/null", O_WRONLY, 0);
    /* posix_spawnp() does not change the arguments. */
    if ( !rc )
        rc = posix_spawnp(pid, arguments[0], &actions, NULL,
                          (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return -rc;
}

static int start_child(struct trace_cmd *t, const char *path,
                       const char *const *arguments, struct err *e)
{
    int ends[2], rc = pipe2(ends, O_CLOEXEC) ? -errno : 0;

    assert(path && arguments[0]);
    *t = (struct trace_cmd){ .pid = 0 };
    if ( rc )
        return err_sys(e, rc, "cannot read %s", path);
    rc = spawn_child(&t->pid, arguments, ends[1]);
    close(ends[1]);
    if ( !rc )
        t->out = fdopen(ends[0], "r");
    if ( t->out )
        return 0;
    if ( rc )
        t->pid = 0;
    else
        rc = -ENOMEM;
    close(ends[0]);
    trace_cmd_close(t);
    if ( rc == -ENOENT )
        return err_set(e, rc, "trace-cmd, which reads %s, is not installed: "
                       "install it, or give the text of trace-cmd report",
                       path);
    return err_sys(e, rc, "cannot run trace-cmd, which reads %s", path);
}

void trace_cmd_close(struct trace_cmd *t)
{
    if ( t->out )
        fclose(t->out);
    /* It may have more to print, with SIGPIPE ignored, as under a pager. */
    if ( t->pid )
        kill(t->pid, SIGTERM);
    while ( t->pid && waitpid(t->pid, NULL, 0) < 0 && errno == EINTR )
        continue;
    *t = (struct trace_cmd){ .pid = 0 };
}

int trace_cmd_report(struct trace_cmd *t, const char *path, struct err *e)
{
    const char *const arguments[] = {
        "trace-cmd", "report", "-t", "--raw-ts", "-i", path, NULL,
    };

    assert(path);
    return start_child(t, path, arguments, e);
}

/* --- the clock ------------------------------------------------------------ */

/*
 * "[Option TRACECLOCK, 67 bytes]", and then all clocks of the kernel, with the
 * one in use in brackets: "local [mono] x86-tsc".
 */
static bool find_clock_name(FILE *in, char name[32])
{
    char line[1024];
    bool is_next = false;

    assert(in);
    while ( fgets(line, sizeof(line), in) )
    {
        if ( is_next && sscanf(line, "%*[^[][%31[^]]", name) == 1 )
            return true;
        if ( is_next && sscanf(line, "[%31[^]]", name) == 1 )
            return true;
        is_next = strstr(line, "[Option TRACECLOCK,") != NULL;
    }
    return false;
}

int trace_cmd_find_clock(const char *path, enum source_clock *clock,
                         struct err *e)
{
    const char *const arguments[] = {
        "trace-cmd", "dump", "--options", "-i", path, NULL,
    };
    struct trace_cmd t;
    char name[32] = "";
    int rc = start_child(&t, path, arguments, e);
    bool is_known = !rc && find_clock_name(t.out, name);

    assert(clock);
    if ( rc )
        return rc;
    trace_cmd_close(&t);
    if ( !is_known )
        return err_set(e, -EINVAL, "%s is damaged, or does not name its clock: "
                       "see trace-cmd dump --options -i %s", path, path);
    *clock = strcmp(name, "x86-tsc") ? SOURCE_MONOTONIC : SOURCE_TSC;
    if ( *clock == SOURCE_TSC || !strcmp(name, "mono") )
        return 0;
    utf8_clean(name);
    return err_set(e, -EINVAL, "%s has times of the clock %s, which the trace "
                   "of Xen lacks: record it with trace-cmd record -C mono, or "
                   "-C x86-tsc", path, name);
}
