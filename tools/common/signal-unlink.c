/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A signal handler cannot take a lock or get an argument: so the table is
 * atomic, and has file scope.  The handler can run in one thread while another
 * thread frees a name:
 *
 *     handler                         signal_unlink_free()
 *     is_ending = true                entry = NULL
 *     read the entry, unlink it       free the name unless is_ending
 *
 * A handler that read the name before the entry was cleared has set is_ending
 * even earlier, so the name is not freed.
 */
#include "common/signal-unlink.h"

#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const int signals[] = {
    SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ,
};

static struct
{
    _Atomic pid_t owner;        /* 0: the entry is free */
    _Atomic(const char *) path; /* NULL: not yet set */
} names[SIGNAL_UNLINK_MAX];

static atomic_bool is_ending;

/* The signal is blocked here, and ends the process when the handler returns. */
static void unlink_names(int number)
{
    atomic_store(&is_ending, true);
    for ( size_t i = 0; i < NR(names); i++ )
    {
        const char *path = atomic_load(&names[i].path);

        if ( path && atomic_load(&names[i].owner) == getpid() )
            unlink(path);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static void handle_signals(void)
{
    struct sigaction act = { .sa_handler = unlink_names }, old;

    sigfillset(&act.sa_mask);
    for ( size_t i = 0; i < NR(signals); i++ )
        if ( !sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL )
            sigaction(signals[i], &act, NULL);
}

void signal_unlink_add(const char *path)
{
    pid_t owner = 0;

    assert(path);
    handle_signals();
    for ( size_t i = 0; i < NR(names); i++, owner = 0 )
        if ( atomic_compare_exchange_strong(&names[i].owner, &owner,
                                            getpid()) )
        {
            atomic_store(&names[i].path, path);
            return;
        }
}

void signal_unlink_free(char *path)
{
    for ( size_t i = 0; path && i < NR(names); i++ )
        if ( atomic_load(&names[i].path) == path )
        {
            atomic_store(&names[i].path, NULL);
            atomic_store(&names[i].owner, 0);
        }
    if ( !atomic_load(&is_ending) )
        free(path);
}
