/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The main thread waits in one place, poll(): signals arrive through a
 * signalfd.
 *
 * The end of the command ends the run. If the run has to end earlier, the
 * command gets SIGTERM and the run goes on until the command exits: the
 * command may have to restore the hypervisor's state.
 */
#include "xensim/supervisor.h"
#include "xensim/control/control-server.h"
#include "xensim/wire.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_S 1000000000ull

int supervisor_init(struct supervisor *s, struct err *e)
{
    static const int taken[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
    sigset_t set;

    *s = (struct supervisor){ .signals = -1, .timer = -1 };
    sigemptyset(&set);
    for ( size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++ )
        sigaddset(&set, taken[i]);
    pthread_sigmask(SIG_BLOCK, &set, &s->before);
    s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if ( s->signals < 0 )
        return err_sys(e, -errno, "cannot wait for signals");
    return 0;
}

void supervisor_fini(struct supervisor *s)
{
    if ( s->timer >= 0 )
        close(s->timer);
    if ( s->signals >= 0 )
        close(s->signals);
}

int supervisor_limit(struct supervisor *s, uint64_t ns, struct err *e)
{
    struct itimerspec when = {
        .it_value = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S },
    };

    assert(s->timer < 0);
    if ( !ns )
        return 0;
    s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if ( s->timer < 0 || timerfd_settime(s->timer, 0, &when, NULL) )
        return err_sys(e, -errno, "cannot set a timer");
    return 0;
}

int supervisor_start_command(struct supervisor *s, char **command,
                             const char *path, struct err *e)
{
    assert(!s->command);
    extern char **environ;
    posix_spawnattr_t attr;
    int rc;

    if ( setenv(XENSIM_SOCKET_ENV, path, 1) )
        return err_sys(e, -errno, "cannot set " XENSIM_SOCKET_ENV);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &s->before);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
    rc = -posix_spawnp(&s->command, command[0], NULL, &attr, command,
                       environ);
    posix_spawnattr_destroy(&attr);
    if ( rc )
    {
        s->command = 0;
        return err_sys(e, rc, "cannot run %s", command[0]);
    }
    return 0;
}

/*
 * Ask for the end of the run. Return true if there is no command to wait for.
 */
static bool request_end(struct supervisor *s)
{
    if ( !s->command )
        return true;
    kill(s->command, SIGTERM);
    return false;
}

static bool reap_command(struct supervisor *s)
{
    int status;

    if ( !s->command || waitpid(s->command, &status, WNOHANG) != s->command )
        return false;
    s->command = 0;
    s->status = WIFEXITED(status) ? WEXITSTATUS(status)
                                  : 128 + WTERMSIG(status);
    return true;
}

/* Return true if the run is over. */
static bool take_signal(struct supervisor *s)
{
    struct signalfd_siginfo info;

    if ( read(s->signals, &info, sizeof(info)) != sizeof(info) )
        return false;
    return info.ssi_signo == SIGCHLD ? reap_command(s) : request_end(s);
}

static bool take_timer(struct supervisor *s)
{
    uint64_t times;

    return read(s->timer, &times, sizeof(times)) == sizeof(times) &&
           request_end(s);
}

bool supervisor_poll(struct supervisor *s, struct control *c, int ms)
{
    struct pollfd fds[] = {
        { .fd = c ? control_fd(c) : -1, .events = POLLIN },
        { .fd = s->signals, .events = POLLIN },
        { .fd = s->timer, .events = POLLIN }, /* -1 is skipped */
    };
    bool over = false;

    if ( poll(fds, sizeof(fds) / sizeof(fds[0]), ms) <= 0 )
        return false; /* timeout or EINTR */
    if ( fds[0].revents )
        control_serve(c);
    if ( fds[1].revents )
        over = take_signal(s);
    if ( fds[2].revents )
        over = take_timer(s) || over;
    return over;
}

bool supervisor_is_notified(const void *supervisor)
{
    const struct supervisor *s = supervisor;
    struct pollfd fds[] = {
        { .fd = s->signals, .events = POLLIN },
        { .fd = s->timer, .events = POLLIN },
    };

    assert(s->signals >= 0);
    return poll(fds, sizeof(fds) / sizeof(fds[0]), 0) > 0;
}

bool supervisor_end(struct supervisor *s)
{
    return request_end(s);
}

int supervisor_run(struct supervisor *s, struct control *c)
{
    while ( !supervisor_poll(s, c, -1) )
        ;
    return s->status;
}
