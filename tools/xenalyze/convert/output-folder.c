/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files are opened for each append, since a trace can have more pcpus than a
 * process may have open files; appends are large.
 */
#define _GNU_SOURCE             /* asprintf */
#include "xenalyze/convert/output-folder.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/signal-unlink.h"

/* 0: there is nothing, or an empty folder; or -errno. */
static int check_free(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *d;
    int rc = 0;

    assert(*path);
    if ( !dir )
        return errno == ENOENT ? 0 : -errno;
    while ( !rc && (d = readdir(dir)) )
        if ( strcmp(d->d_name, ".") && strcmp(d->d_name, "..") )
            rc = -ENOTEMPTY;
    closedir(dir);
    return rc;
}

/* A new folder beside the path; a killed process may have left another. */
static int make_temporary(struct output_folder *f)
{
    int rc = -EEXIST;

    assert(f->path && !f->temporary);
    for ( unsigned int n = 0; rc == -EEXIST && n < 100; n++ )
    {
        free(f->temporary);
        if ( asprintf(&f->temporary, "%s.%ld-%u.part", f->path,
                      (long)getpid(), n) < 0 )
        {
            f->temporary = NULL;
            return -ENOMEM;
        }
        rc = fault_hit(FAULT_OPEN) || mkdir(f->temporary, 0777) ? -errno : 0;
    }
    if ( rc )
    {
        free(f->temporary);
        f->temporary = NULL;
    }
    else
        signal_unlink_add(f->temporary);
    return rc;
}

static void free_names(struct output_folder *f)
{
    signal_unlink_free(f->temporary);
    free(f->path);
    *f = (struct output_folder){ .path = NULL };
}

int output_folder_open(struct output_folder *f, const char *path,
                       struct err *e)
{
    size_t length = strlen(path);
    int rc;

    assert(length);
    *f = (struct output_folder){ .path = fault_strdup(path) };
    if ( !f->path )
        return err_sys(e, -ENOMEM, "cannot write %s", path);
    while ( length > 1 && f->path[length - 1] == '/' )
        f->path[--length] = '\0';
    rc = check_free(f->path);
    if ( rc == -ENOTEMPTY )
        err_set(e, rc, "%s is not empty: name a new folder", path);
    else if ( !rc )
        rc = make_temporary(f);
    if ( rc && !e->code )
        err_sys(e, rc, "cannot write %s", path);
    if ( rc )
        free_names(f);
    return rc;
}

static int write_all(int fd, const unsigned char *bytes, size_t size)
{
    while ( size )
    {
        ssize_t done = fault_write(fd, bytes, size);

        if ( done < 0 && errno != EINTR )
            return -errno;
        assert(done <= (ssize_t)size);
        bytes += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return 0;
}

int output_folder_append(const struct output_folder *f, const char *name,
                         const void *bytes, size_t size)
{
    char *path = NULL;
    int fd, rc;

    assert(f->temporary && !strchr(name, '/'));
    if ( asprintf(&path, "%s/%s", f->temporary, name) < 0 )
        return -ENOMEM;
    fd = fault_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    rc = fd < 0 ? -errno : write_all(fd, bytes, size);
    if ( fd >= 0 && close(fd) && !rc )
        rc = -errno;
    free(path);
    return rc;
}

int output_folder_commit(struct output_folder *f, struct err *e)
{
    int rc = rename(f->temporary, f->path) ? -errno : 0;

    assert(f->path);
    if ( rc )
    {
        err_sys(e, rc, "cannot write %s", f->path);
        output_folder_discard(f);
        return rc;
    }
    free_names(f);
    return 0;
}

static void remove_files(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *d;

    assert(*folder);
    while ( dir && (d = readdir(dir)) )
        unlinkat(dirfd(dir), d->d_name, 0);
    if ( dir )
        closedir(dir);
}

void output_folder_discard(struct output_folder *f)
{
    assert(!f->path == !f->temporary);
    if ( !f->temporary )
        return;
    remove_files(f->temporary);
    rmdir(f->temporary);
    free_names(f);
}
