/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draft beside the place, then rename: the old file, if there is one, stays
 * until the new one is whole.
 */
#include "xensim/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A device or a pipe is written as it is: no name may take its place. */
static bool is_special(const char *name)
{
    struct stat st;

    return !stat(name, &st) && !S_ISREG(st.st_mode);
}

static int open_special(struct draft *d, struct err *e)
{
    d->file = fopen(d->name, "we");
    return d->file ? 0 : err_sys(e, -errno, "%s %s: cannot write there",
                                 d->option, d->name);
}

static int open_draft(struct draft *d, struct err *e)
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

int draft_open(struct draft *d, const char *option, const char *name,
               struct err *e)
{
    int rc;

    *d = (struct draft){ .option = option, .name = name };
    if ( !name )
        return 0;
    rc = is_special(name) ? open_special(d, e) : open_draft(d, e);
    if ( rc )
        d->name = NULL;
    return rc;
}

int draft_close(struct draft *d, int rc, struct err *e)
{
    int bad = 0;

    if ( !d->name )
        return rc;
    if ( ferror(d->file) )
        bad = -EIO;
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
