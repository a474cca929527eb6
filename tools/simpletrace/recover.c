/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recovery into a new file: the committed part of the trace file, then the
 * events of all rings (libusertrace/ring-recover.h).
 */
#include "simpletrace/recover.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fault.h"
#include "common/output-file.h"
#include "libusertrace/ring-recover.h"
#include "simpletrace/out.h"
#include "simpletrace/trace-reader.h"

#define COPY (256u << 10)

_Static_assert(COPY <= ST_OUT_MAX, "a copied part is one request");

struct recovery
{
    struct ut_rings rings;
    struct st_out out;
    struct st_recovered *done;
};

static int put_to_out(void *arg, const void *bytes, size_t nr)
{
    struct st_out *out = arg;

    st_out_bytes(out, bytes, nr);
    return out->failed;
}

static int open_trace(const struct recovery *r, struct err *e)
{
    const char *path = ut_rings_trace_path(&r->rings);
    int fd;

    if ( !*path )
        return err_set(e, -ENODATA, "%s: the program was killed before it "
                       "traced anything: there is nothing to recover",
                       r->rings.name);
    fd = ut_rings_open_trace(&r->rings, O_RDONLY);
    return fd >= 0 ? fd :
           err_set(e, fd, "the trace of %s, %.100s, does not exist: put it "
                   "back", r->rings.name, path);
}

/* Keep the recovered trace from users who may not read the trace. */
static int copy_mode(int from, int to)
{
    struct stat trace, copy;

    return fstat(from, &trace) || fstat(to, &copy) ||
           (S_ISREG(copy.st_mode) && fchmod(to, trace.st_mode & 0777)) ?
           -errno : 0;
}

static int copy_trace(struct recovery *r, struct err *e)
{
    uint64_t left = ut_rings_trace_bytes(&r->rings);
    int fd = open_trace(r, e);
    ssize_t n = 0;

    if ( fd < 0 )
        return fd;
    if ( copy_mode(fd, r->out.fd) )
    {
        n = err_sys(e, -errno, "cannot copy the mode of the trace of %s",
                    r->rings.name);
        close(fd);
        return n;
    }
    while ( left )
    {
        n = fault_read(fd, st_out_need(&r->out, COPY),
                       left < COPY ? left : COPY);
        if ( n < 0 && errno == EINTR )
            continue;
        if ( n <= 0 )
            break;
        r->out.at += n;
        left -= n;
    }
    r->done->missing = left;
    n = left && n < 0 ? err_sys(e, -errno, "cannot read the trace of %s",
                                r->rings.name) : 0;
    close(fd);
    return n;
}

static int write_items(struct recovery *r, int fd, struct err *e)
{
    int rc;

    assert(r->out.fd < 0 && fd >= 0);
    rc = st_out_init(&r->out, fd, e);
    if ( !rc )
        rc = copy_trace(r, e);
    if ( !rc )
        rc = ut_rings_merge(&r->rings, put_to_out, &r->out, e);
    if ( st_out_fini(&r->out, e) && !rc )
        rc = r->out.failed;
    return rc;
}

static int write_trace(struct recovery *r, const char *path, struct err *e)
{
    struct output_file f;
    int rc = output_file_open_fd(&f, path, e);

    if ( rc )
        return rc;
    rc = write_items(r, f.fd, e);
    if ( !rc )
        return output_file_commit(&f, e);
    output_file_discard(&f);
    return rc;
}

/*
 * The rings are needed no longer if the recovered trace is complete and the
 * process is dead.
 */
static void remove_rings(struct recovery *r)
{
    struct st_recovered *done = r->done;

    assert(!done->is_removed);
    done->is_alive = ut_rings_find_owner(&r->rings);
    if ( !done->is_alive && !done->unread && !done->missing )
        done->is_removed = !ut_rings_remove(&r->rings);
}

/*
 * A program that ends removes its rings, and the link to them.  The rings are
 * in memory: a reboot leaves the link.
 */
static int refuse_trace(const char *name, const char *beside, struct err *e)
{
    struct stat st;

    return lstat(beside, &st) ?
           err_set(e, -ENODATA, "%.90s: there is nothing to recover: the "
                   "program has left no rings, %.90s.rings", name, name) :
           err_set(e, -ENODATA, "%.90s: there is nothing to recover: %.90s is "
                   "a link to rings that are gone, after a reboot maybe", name,
                   beside);
}

/* The name of a trace stands for its rings. */
static int open_rings(struct recovery *r, const char *name, char *beside,
                      struct err *e)
{
    struct err ignored = ERR_INIT;
    int rc = ut_rings_open(&r->rings, name, O_RDONLY, &ignored), rc2;

    if ( !rc )
        return 0;
    snprintf(beside, PATH_MAX + 8, "%.*s.rings", PATH_MAX, name);
    rc2 = ut_rings_open(&r->rings, beside, O_RDONLY, NULL);
    if ( rc2 == -ENOENT && st_is_trace(name) )
        return refuse_trace(name, beside, e);
    return rc2 ? err_set(e, rc, "%s", ignored.text) : 0;
}

int st_recover_trace(const char *name, const char *out,
                     struct st_recovered *done, struct err *e)
{
    struct recovery r = { .out.fd = -1, .done = done };
    char beside[PATH_MAX + 8];
    int rc;

    *done = (struct st_recovered){ .events = 0 };
    rc = open_rings(&r, name, beside, e);
    if ( rc )
        return rc;
    rc = write_trace(&r, out, e);
    done->events = r.rings.events;
    done->lost = r.rings.lost;
    done->unread = r.rings.unread;
    if ( !rc )
        remove_rings(&r);
    ut_rings_close(&r.rings);
    return rc;
}

bool st_recover_find_more(const char *trace, struct st_recovered *done)
{
    char name[PATH_MAX + 8];
    struct ut_rings rings;
    bool has_more = false;

    *done = (struct st_recovered){ .events = 0 };
    snprintf(name, sizeof(name), "%.*s.rings", PATH_MAX, trace);
    if ( ut_rings_open(&rings, name, O_RDONLY, NULL) )
        return false;
    if ( *ut_rings_trace_path(&rings) &&
         !ut_rings_merge(&rings, NULL, NULL, NULL) )
    {
        *done = (struct st_recovered){
            .events = rings.events, .lost = rings.lost,
            .is_alive = ut_rings_find_owner(&rings),
        };
        has_more = done->events || done->lost;
    }
    ut_rings_close(&rings);
    return has_more;
}
