/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following a trace when its writer goes on to another file: the file was
 * rotated (NAME became NAME.1, NAME.1 became NAME.2, and NAME is new), or NAME
 * was truncated and begun again.
 *
 * After a rotation, the successor of our file has the next lower number,
 * wherever our file is by then.  So no existing file is skipped, however many
 * rotations there were meanwhile.
 */
#include "simpletrace/trace-reader.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "simpletrace/reader-private.h"

#define HEADER 24               /* size of a trace without any item */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* stat() NAME.n, or NAME for 0; false: no such file. */
static bool stat_numbered(const char *name, unsigned int n, char path[PATH_MAX],
                          struct stat *st)
{
    int length = n ? snprintf(path, PATH_MAX, "%s.%u", name, n) :
                     snprintf(path, PATH_MAX, "%s", name);

    return length < PATH_MAX && !stat(path, st);
}

/* The file that was begun after ours; if ours is gone, the oldest one. */
static bool find_successor(const char *name, const struct stat *current,
                           char path[PATH_MAX])
{
    struct stat st;
    unsigned int n = 0;

    while ( stat_numbered(name, n, path, &st) && !is_same_file(&st, current) )
        n++;
    return n && stat_numbered(name, n - 1, path, &st) && st.st_size >= HEADER;
}

/* The counts continue, and messages keep the original name. */
static void replace_reader(struct st_reader *r, struct st_reader *next)
{
    assert(next->in.buffer && next->events == r->events);
    next->in.name = r->in.name;
    next->records = r->records;
    next->lost = r->lost;
    next->gaps = r->gaps;
    next->skipped = r->skipped;
    next->damaged = r->damaged;
    next->damaged_arg = r->damaged_arg;
    st_reader_close(r);
    *r = *next;
}

static int switch_to_file(struct st_reader *r, const char *path,
                          const struct stat *current,
                          const struct st_reader_options *how, struct err *e)
{
    size_t left = r->in.end - r->in.at;
    struct st_reader next;
    struct stat st;
    int rc = st_reader_open(&next, path, r->events, how, e);

    assert(r->in.at <= r->in.end && r->in.follow);
    if ( rc )
        return rc;
    /* Another rotation happened between stat() and open(): try again later. */
    if ( current && !fstat(next.in.fd, &st) && is_same_file(&st, current) )
    {
        st_reader_close(&next);
        return 0;
    }
    if ( left )
        st_reader_report_damage(r, st_input_offset(&r->in), left);
    replace_reader(r, &next);
    return 1;
}

int st_reader_follow(struct st_reader *r, const struct st_reader_options *how,
                     struct err *e)
{
    char path[PATH_MAX];
    struct stat current, now;

    if ( fstat(r->in.fd, &current) || !S_ISREG(current.st_mode) ||
         stat(r->in.name, &now) )
        return 0;
    if ( (uint64_t)current.st_size < r->in.offset + r->in.end )
        return current.st_size < HEADER ? 0 :
               switch_to_file(r, r->in.name, NULL, how, e);
    if ( is_same_file(&current, &now) )
        return 0;
    /* Read again: the writer may have written before it rotated the file. */
    if ( !r->rotated )
    {
        r->rotated = true;
        return 0;
    }
    return find_successor(r->in.name, &current, path) ?
           switch_to_file(r, path, &current, how, e) : 0;
}
