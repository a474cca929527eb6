/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following a trace when its writer goes on to another file: the file was
 * rotated (NAME.1 became NAME.2, NAME became NAME.1, and NAME is new), or NAME
 * was truncated and begun again.
 *
 * A rotation renames the files one after the other, the highest number first,
 * and may happen between any two system calls here.  Numbers of files only
 * grow.  So if our file has number n after a file was opened as n - 1, our file
 * had this number before, too, and the opened file is the successor: no file
 * is skipped, however many rotations there are.
 *
 * Within a rotation one number is missing.  A number that stays missing, or our
 * file if it is missing, was deleted: reading continues with the oldest file
 * that is newer than ours.  Files of libusertrace are numbered (SIMPLE_FILE),
 * so the number of deleted files is known then.
 */
#include "simpletrace/trace-reader.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#include "simpletrace/reader-private.h"

#define HEADER 24               /* size of a trace without any item */
#define PATIENCE 20u            /* calls without success; 2 s if it sleeps */
#define TRIES 100u              /* at once, while the files are renamed */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_older(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec ?
           a->st_mtim.tv_sec < b->st_mtim.tv_sec :
           a->st_mtim.tv_nsec < b->st_mtim.tv_nsec;
}

/* NAME.n, or NAME for 0; false: the name is too long. */
static bool format_name(char path[PATH_MAX], const char *name, unsigned int n)
{
    int length = n ? snprintf(path, PATH_MAX, "%s.%u", name, n) :
                     snprintf(path, PATH_MAX, "%s", name);

    return length < PATH_MAX;
}

static bool stat_numbered(const char *name, unsigned int n, struct stat *st)
{
    char path[PATH_MAX];

    return format_name(path, name, n) && !stat(path, st);
}

/*
 * Find the number of our file, which is not below r->number.  Two missing
 * numbers in a row are the end of the list.
 */
static bool find_our_number(struct st_reader *r, const struct stat *current)
{
    unsigned int n, missing = 0;
    struct stat st;

    for ( n = r->number; missing < 2 && n < UINT_MAX; n++ )
    {
        if ( !stat_numbered(r->in.name, n, &st) )
            missing++;
        else if ( is_same_file(&st, current) )
        {
            r->number = n;
            return true;
        }
        else
            missing = 0;
    }
    return false;
}

/* ---- to another file ---------------------------------------------------- */

/* The counts continue, and messages keep the original name. */
static void replace_reader(struct st_reader *r, struct st_reader *next)
{
    assert(next->in.buffer && next->events == r->events);
    next->in.name = r->in.name;
    next->records = r->records;
    next->lost = r->lost;
    next->gaps = r->gaps;
    next->skipped = r->skipped;
    next->deleted = r->deleted;
    next->unknown = r->unknown;
    next->report_damage = r->report_damage;
    next->report_deleted = r->report_deleted;
    next->report_arg = r->report_arg;
    next->file_pid = r->file_pid;
    next->file_number = r->file_number;
    st_reader_close(r);
    *r = *next;
}

/*
 * Report the rest of our file, which is no complete item, and close it.
 * `jumped`: there may be other files between.
 */
static void switch_to(struct st_reader *r, struct st_reader *next,
                      unsigned int number, bool jumped)
{
    uint64_t pid = next->file_pid, file = next->file_number;
    size_t left = r->in.end - r->in.at;

    assert(r->in.at <= r->in.end && r->in.follow);
    if ( left )
        st_reader_report_damage(r, st_input_offset(&r->in), left);
    replace_reader(r, next);
    r->number = number;
    r->rotated = number != 0;
    r->jumped = jumped;
    if ( file )
        st_reader_set_file_number(r, pid, file);
}

/* Open NAME.n. 1: opened; 0: no such file, or without a header; -errno. */
static int open_numbered(const struct st_reader *r, unsigned int n,
                         const struct st_reader_options *how,
                         struct st_reader *next, struct stat *opened,
                         struct err *e)
{
    struct err why = ERR_INIT;
    char path[PATH_MAX];
    struct stat st;
    int rc;

    if ( !stat_numbered(r->in.name, n, &st) || st.st_size < HEADER ||
         !format_name(path, r->in.name, n) )
        return 0;
    rc = st_reader_open(next, path, r->events, how, &why);
    if ( rc == -ENOENT || rc == -EAGAIN )
        return 0;               /* renamed after stat(); the next is empty */
    if ( rc )
    {
        *e = why;
        return rc;
    }
    rc = fstat(next->in.fd, opened) ? -errno :
         st_reader_take_mappings(next, e);
    if ( !rc )
        return 1;
    st_reader_close(next);
    return rc;
}

/* ---- the successor of our file ------------------------------------------ */

/* Our file has number r->number > 0: open the file that was begun after it. */
static int open_successor(struct st_reader *r, const struct stat *current,
                          const struct st_reader_options *how, struct err *e)
{
    unsigned int n = r->number;
    struct st_reader next;
    struct stat opened, st;
    int rc;

    assert(n);
    rc = open_numbered(r, n - 1, how, &next, &opened, e);
    if ( rc <= 0 )
        return rc;
    if ( !stat_numbered(r->in.name, n, &st) || !is_same_file(&st, current) )
    {
        st_reader_close(&next);
        return 0;               /* a rotation: look again */
    }
    switch_to(r, &next, n - 1, false);
    return 1;
}

/* ---- deleted files ------------------------------------------------------ */

static void add_deleted(struct st_reader *r, uint64_t files)
{
    r->deleted += files;
    r->unknown += !files;
    if ( r->report_deleted )
        r->report_deleted(r, files, r->report_arg);
}

void st_reader_set_file_number(struct st_reader *r, uint64_t pid,
                               uint64_t number)
{
    bool is_known = r->file_pid == pid && number > r->file_number;

    if ( is_known && number > r->file_number + 1 )
        add_deleted(r, number - r->file_number - 1);
    if ( is_known )
        r->jumped = false;
    r->file_pid = pid;
    r->file_number = number;
}

void st_reader_report_jump(struct st_reader *r)
{
    if ( r->jumped )
        add_deleted(r, 0);
    r->jumped = false;
}

/* ---- our file, or its successor, was deleted ---------------------------- */

/* Our file has number r->number: the next lower number; -1: there is none. */
static int64_t find_next_lower(const struct st_reader *r)
{
    int64_t n = r->number;
    struct stat st;

    while ( --n >= 0 && !stat_numbered(r->in.name, n, &st) )
        ;
    return n;
}

/* The highest number of a file that is newer than ours; -1: there is none. */
static int64_t find_oldest(const struct st_reader *r,
                           const struct stat *current)
{
    unsigned int n, missing = 0;
    int64_t oldest = -1;
    struct stat st;

    for ( n = 0; missing < 2 && n < INT_MAX; n++ )
        if ( !stat_numbered(r->in.name, n, &st) )
            missing++;
        else if ( is_older(&st, current) )
            break;
        else
        {
            oldest = n;
            missing = 0;
        }
    return oldest;
}

/*
 * Is the file with number n the oldest that is newer than ours?  The file
 * before it has number n + 1, or n + 2 within a rotation.  If neither exists,
 * or both are older than ours, and n is still the same file, there is none.
 * The files in `refused` are known to be older.
 */
static bool is_oldest(const struct st_reader *r, unsigned int n,
                      const struct stat *file, const struct stat *current,
                      const struct stat refused[2])
{
    struct stat st;

    for ( unsigned int i = n + 1; i <= n + 2; i++ )
        if ( stat_numbered(r->in.name, i, &st) && !is_same_file(&st, current) &&
             !is_same_file(&st, &refused[0]) &&
             !is_same_file(&st, &refused[1]) && !is_older(&st, current) )
            return false;
    return stat_numbered(r->in.name, n, &st) && is_same_file(&st, file);
}

/* Times are coarse: files of the same moment differ in their numbers only. */
static bool precedes_ours(const struct st_reader *r,
                          const struct st_reader *next)
{
    return next->file_number && next->file_pid == r->file_pid &&
           next->file_number <= r->file_number;
}

static int open_oldest(struct st_reader *r, const struct stat *current,
                       const struct st_reader_options *how, struct err *e)
{
    int64_t n = find_our_number(r, current) ? find_next_lower(r) :
                                              find_oldest(r, current);
    struct stat opened, refused[2] = { *current, *current };
    struct st_reader next;
    int rc;

    for ( ; n >= 0; n-- )
    {
        rc = open_numbered(r, n, how, &next, &opened, e);
        if ( rc < 0 )
            return rc;
        if ( rc && !precedes_ours(r, &next) )
            break;
        if ( !rc )
            continue;
        refused[1] = refused[0];
        refused[0] = opened;
        st_reader_close(&next);
    }
    if ( n < 0 )
        return 0;
    if ( !is_oldest(r, n, &opened, current, refused) )
    {
        st_reader_close(&next);
        return 0;
    }
    switch_to(r, &next, n, true);
    return 1;
}

static int go_on(struct st_reader *r, const struct stat *current,
                 const struct st_reader_options *how, struct err *e)
{
    unsigned int tries;
    struct stat st;
    int rc = 0;

    for ( tries = 0; !rc && tries < TRIES; tries++ )
        if ( find_our_number(r, current) )
            rc = r->number ? open_successor(r, current, how, e) : 0;
        else if ( !fstat(r->in.fd, &st) && !st.st_nlink )
            rc = open_oldest(r, current, how, e);
    r->failures = rc ? 0 : r->failures + 1;
    if ( r->failures >= PATIENCE )
        rc = open_oldest(r, current, how, e);
    return rc;
}

/* ---- the same file, begun again ----------------------------------------- */

static int begin_again(struct st_reader *r, const struct stat *current,
                       const struct st_reader_options *how, struct err *e)
{
    struct st_reader next;
    struct stat opened;
    int rc = open_numbered(r, r->number, how, &next, &opened, e);

    if ( rc <= 0 )
        return rc;
    if ( !is_same_file(&opened, current) )
    {
        st_reader_close(&next);
        return 0;
    }
    switch_to(r, &next, r->number, false);
    return 1;
}

int st_reader_follow(struct st_reader *r, const struct st_reader_options *how,
                     struct err *e)
{
    struct stat current, now;

    assert(how->follow && r->in.follow);
    st_reader_report_jump(r);
    if ( fstat(r->in.fd, &current) || !S_ISREG(current.st_mode) )
        return 0;
    if ( (uint64_t)current.st_size < r->in.offset + r->in.end )
        return begin_again(r, &current, how, e);
    if ( !r->number && (!stat_numbered(r->in.name, 0, &now) ||
                        is_same_file(&current, &now)) )
        return 0;
    /* Read again: the writer may have written before it rotated the file. */
    if ( !r->rotated )
    {
        r->rotated = true;
        return 1;
    }
    return go_on(r, &current, how, e);
}
