/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events of an orphan are appended to its trace: afterwards the trace is
 * what the process would have written, and the memory is free.  Without its
 * trace, an orphan can no longer be recovered, and is removed as soon as no
 * FILE.rings refers to it either.
 */
#include "libusertrace/orphan-rings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libusertrace/reporter.h"
#include "libusertrace/ring-recover.h"

#define CLAIM_TRIES 100         /* with pauses of 10 ms */
#define CREATION_SECONDS 60     /* more than a process needs for a header */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic unsigned int nr_waiting;

void ut_orphans_lock(void)
{
    atomic_fetch_add(&nr_waiting, 1);
    pthread_mutex_lock(&lock);
    atomic_fetch_sub(&nr_waiting, 1);
}

void ut_orphans_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void ut_orphans_lock_reinit(void)
{
    pthread_mutex_init(&lock, NULL);
    atomic_store(&nr_waiting, 0);
}

static bool has_link(const struct ut_rings *r)
{
    char link[SIMPLE_PATH_MAX + 8], target[PATH_MAX];
    ssize_t n;

    snprintf(link, sizeof(link), "%s.rings", ut_rings_trace_path(r));
    n = readlink(link, target, sizeof(target) - 1);
    if ( n < 0 )
        return false;
    target[n] = '\0';
    return !strcmp(target, r->name);
}

/* The orphan is claimed.  0: it was saved, or had nothing to save. */
static int save_claimed(struct ut_rings *r)
{
    struct err e = ERR_INIT;
    int rc = ut_rings_has_file(r) ? ut_rings_complete_trace(r, &e) : 0;

    if ( rc == -ENOENT && !has_link(r) )
        rc = 0;
    else if ( rc && rc != -ENOENT )
        ut_report("cannot save the events of process %u, which was killed: "
                  "%.150s: simpletrace --recover=NEW %.150s.rings",
                  r->head.pid, e.text, ut_rings_trace_path(r));
    return rc ? rc : ut_rings_remove(r);
}

/* ---- one file ------------------------------------------------------------ */

/* Another process may be saving the orphan: wait for the end. */
static int claim_orphan(struct ut_rings *r)
{
    static const struct timespec pause = { .tv_nsec = 10000000 };
    int rc = ut_rings_claim(r);

    for ( int tries = 0; rc == -EBUSY && tries < CLAIM_TRIES &&
          ut_rings_find_owner(r) != (int32_t)r->head.pid; tries++ )
    {
        nanosleep(&pause, NULL);
        rc = ut_rings_claim(r);
    }
    return rc;
}

static bool is_same_file(int fd, const char *path)
{
    struct stat a, b;

    return fd >= 0 && !fstat(fd, &a) && !stat(path, &b) &&
           a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static bool save_orphan_of(const char *path, uint64_t *events)
{
    char name[PATH_MAX + 8], whole[PATH_MAX];
    struct ut_rings r;
    bool is_path = false;
    ssize_t n;
    int fd;

    *events = 0;
    snprintf(name, sizeof(name), "%s.rings", path);
    n = readlink(name, whole, sizeof(whole) - 1);
    if ( n > 0 )
        whole[n] = '\0';
    else
        snprintf(whole, sizeof(whole), "%.*s", PATH_MAX - 1, name);
    if ( ut_rings_open(&r, whole, O_RDWR | O_NOFOLLOW, NULL) )
        return false;
    if ( !claim_orphan(&r) )
    {
        fd = ut_rings_open_trace(&r, O_RDONLY);
        is_path = is_same_file(fd, path);
        if ( fd >= 0 )
            close(fd);
        save_claimed(&r);
        *events = r.events;
    }
    ut_rings_close(&r);
    return is_path;
}

bool ut_orphan_save(const char *path, uint64_t *events)
{
    bool is_path;

    ut_orphans_lock();
    is_path = save_orphan_of(path, events);
    ut_orphans_unlock();
    return is_path;
}

/* ---- all files ----------------------------------------------------------- */

/* A process was killed before it had written a header, or named its trace. */
static void remove_unfinished(const char *path)
{
    struct stat st;

    if ( !lstat(path, &st) && S_ISREG(st.st_mode) &&
         st.st_mtime + CREATION_SECONDS < time(NULL) )
        unlink(path);
}

/* Is the trace the root, or "root-PID"? */
static bool has_root(const struct ut_rings *r, const char *root)
{
    const char *path = ut_rings_trace_path(r);
    size_t length = strlen(root);

    if ( strncmp(path, root, length) )
        return false;
    path += length;
    return !*path || (*path == '-' && path[1] &&
                      !path[1 + strspn(path + 1, "0123456789")]);
}

/* Rings that belong to no trace yet have no events. */
static bool is_nameless(const struct ut_rings *r)
{
    return !*ut_rings_trace_path(r) && !r->head.nr_rings;
}

static void sweep_file(const char *path, const char *root)
{
    struct ut_rings r;
    struct stat st;
    int rc;

    if ( lstat(path, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() )
        return;
    rc = ut_rings_open(&r, path, O_RDWR | O_NOFOLLOW, NULL);
    if ( rc == -ENODATA )
        remove_unfinished(path);
    if ( rc )
        return;
    if ( has_root(&r, root) && !ut_rings_claim(&r) )
        save_claimed(&r);
    else if ( is_nameless(&r) && !ut_rings_claim(&r) )
        remove_unfinished(path);
    ut_rings_close(&r);
}

static bool is_name_of_rings(const char *name)
{
    size_t length = strlen(name);

    return !strncmp(name, "usertrace-", 10) && length > 16 &&
           !strcmp(name + length - 6, ".rings");
}

/*
 * Closing a file of rings would release this process's own lock on it: so skip
 * the own file by its name.
 */
static bool sweep_folder(const char *own, const char *root)
{
    const char *slash = strrchr(own, '/');
    char path[PATH_MAX];
    int folder_length = slash ? slash - own : 0, n;
    struct dirent *entry;
    DIR *folder;

    snprintf(path, sizeof(path), "%.*s/", folder_length, own);
    folder = slash ? opendir(path) : NULL;
    while ( folder && !atomic_load(&nr_waiting) &&
            (entry = readdir(folder)) != NULL )
    {
        n = snprintf(path, sizeof(path), "%.*s/%s", folder_length, own,
                     entry->d_name);
        if ( is_name_of_rings(entry->d_name) && n < PATH_MAX &&
             strcmp(path, own) )
            sweep_file(path, root);
    }
    if ( folder )
        closedir(folder);
    return !atomic_load(&nr_waiting);
}

bool ut_orphans_sweep(const char *own, const char *root)
{
    bool is_complete;

    ut_orphans_lock();
    is_complete = sweep_folder(own, root);
    ut_orphans_unlock();
    return is_complete;
}
