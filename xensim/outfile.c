/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing to a temporary file, then rename(): an old file of the name stays
 * until the new file is complete.
 */
#include "xensim/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Devices and pipes are opened in place: rename() would replace them. */
static bool is_special(const char *name)
{
    struct stat st;

    return !stat(name, &st) && !S_ISREG(st.st_mode);
}

static bool stat_folder(const char *name, size_t length, struct stat *st)
{
    char *folder = length ? strndup(name, length) : strdup(".");
    bool found = folder && !stat(folder, st);

    free(folder);
    return found;
}

/* Are two names of files that do not exist yet one name in one folder? */
static bool is_same_entry(const char *a, const char *b)
{
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    const char *end_a = slash_a ? slash_a + 1 : a;
    const char *end_b = slash_b ? slash_b + 1 : b;
    struct stat folder_a, folder_b;

    return !strcmp(end_a, end_b) && stat_folder(a, end_a - a, &folder_a) &&
           stat_folder(b, end_b - b, &folder_b) &&
           folder_a.st_dev == folder_b.st_dev &&
           folder_a.st_ino == folder_b.st_ino;
}

bool outfile_is_same(const char *a, const char *b)
{
    struct stat file_a, file_b;
    bool has_a = !stat(a, &file_a), has_b = !stat(b, &file_b);

    if ( !has_a && !has_b )
        return is_same_entry(a, b);
    return has_a && has_b && S_ISREG(file_a.st_mode) &&
           file_a.st_dev == file_b.st_dev && file_a.st_ino == file_b.st_ino;
}

static int open_special(struct outfile *d, struct err *e)
{
    d->file = fopen(d->name, "we");
    return d->file ? 0 : err_sys(e, -errno, "%s %s: cannot write there",
                                 d->option, d->name);
}

static int open_temporary(struct outfile *d, struct err *e)
{
    int fd, rc;

    if ( asprintf(&d->path, "%s.XXXXXX", d->name) < 0 )
    {
        d->path = NULL;
        return err_set(e, -ENOMEM, "no memory");
    }
    fd = mkostemp(d->path, O_CLOEXEC);
    if ( fd < 0 )
    {
        rc = err_sys(e, -errno, "%s %s: cannot write there", d->option,
                     d->name);
        goto out_free;
    }
    d->file = fdopen(fd, "w");
    if ( !d->file )
    {
        rc = err_set(e, -ENOMEM, "no memory");
        close(fd);
        unlink(d->path);
        goto out_free;
    }
    fchmod(fd, 0644);
    return 0;

out_free:
    free(d->path);
    d->path = NULL;
    return rc;
}

int outfile_open(struct outfile *d, const char *option, const char *name,
                 struct err *e)
{
    int rc;

    *d = (struct outfile){ .option = option, .name = name };
    if ( !name )
        return 0;
    rc = is_special(name) ? open_special(d, e) : open_temporary(d, e);
    if ( rc )
        d->name = NULL;
    return rc;
}

/* A stream keeps no reason of an earlier error: another write fails again. */
static int find_reason(FILE *file)
{
    clearerr(file);
    errno = 0;
    return (fputc('\n', file) == EOF || fflush(file)) && errno ? -errno : -EIO;
}

int outfile_close(struct outfile *d, int rc, struct err *e)
{
    int bad = 0;

    if ( !d->name )
        return rc;
    if ( ferror(d->file) )
        bad = find_reason(d->file);
    if ( fclose(d->file) && !bad )
        bad = -errno;
    if ( d->path && !rc && !bad && rename(d->path, d->name) )
        bad = -errno;
    if ( d->path && (rc || bad) )
        unlink(d->path);
    free(d->path);
    if ( !rc && bad )
        rc = err_sys(e, bad, "%s %s", d->option, d->name);
    d->name = NULL;
    return rc;
}
