/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draft beside the place, then rename: the old report, if there is one,
 * stays until the new one is whole.
 */
#include "xensim/report.h"
#include "xensim/workload/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int report_open(struct report *r, const char *name, struct err *e)
{
    int fd, rc;

    *r = (struct report){ .name = name };
    if ( !name )
        return 0;
    if ( asprintf(&r->draft, "%s.XXXXXX", name) < 0 )
        return err_set(e, -ENOMEM, "no memory");

    fd = mkostemp(r->draft, O_CLOEXEC);
    if ( fd < 0 )
    {
        rc = err_sys(e, -errno, "--report %s: cannot write there", name);
        goto out_free;
    }
    r->file = fdopen(fd, "w");
    if ( !r->file )
    {
        rc = err_set(e, -ENOMEM, "no memory");
        close(fd);
        unlink(r->draft);
        goto out_free;
    }
    fchmod(fd, 0644);
    return 0;

out_free:
    free(r->draft);
    r->name = NULL;
    return rc;
}

int report_close(struct report *r, const struct workload *w, struct err *e)
{
    int rc = 0;

    if ( !r->name )
        return 0;
    if ( w )
        rc = workload_report(w, r->file);
    if ( fclose(r->file) && !rc )
        rc = -errno;
    if ( w && !rc && rename(r->draft, r->name) )
        rc = -errno;
    if ( !w || rc )
        unlink(r->draft);
    free(r->draft);
    return rc ? err_sys(e, rc, "--report %s", r->name) : 0;
}
