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
#define _GNU_SOURCE             /* getdents64 */
#include "common/signal-unlink.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

/* Without readdir(), which allocates memory. */
static void unlink_files(int folder)
{
    char buffer[4096] __attribute__((aligned(__alignof__(struct dirent64))));
    ssize_t size;

    while ( (size = getdents64(folder, buffer, sizeof(buffer))) > 0 )
        for ( ssize_t at = 0; at < size; )
        {
            const struct dirent64 *d = (const void *)&buffer[at];

            unlinkat(folder, d->d_name, 0);
            at += d->d_reclen;
        }
}

/* Other threads may create files in the folder meanwhile. */
static void unlink_folder(const char *path)
{
    for ( unsigned int i = 0; i < 10; i++ )
    {
        int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if ( folder < 0 )
            return;
        unlink_files(folder);
        close(folder);
        if ( !rmdir(path) )
            return;
    }
}

/* The signal is blocked here, and ends the process when the handler returns. */
static void unlink_names(int number)
{
    atomic_store(&is_ending, true);
    for ( size_t i = 0; i < NR(names); i++ )
    {
        const char *path = atomic_load(&names[i].path);

        if ( path && atomic_load(&names[i].owner) == getpid() &&
             unlink(path) && errno == EISDIR )
            unlink_folder(path);
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
