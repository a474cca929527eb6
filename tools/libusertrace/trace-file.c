/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file of the simple back end.  A piece that could not be written
 * completely is truncated, so a trace file on a full disk ends with a complete
 * item, and grows again when there is space.  A pipe cannot be truncated: the
 * rest of the piece is written later.
 */
#define _GNU_SOURCE             /* program_invocation_short_name */
#include "libusertrace/trace-file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/debug.h"
#include "common/fault.h"
#include "libusertrace/registry.h"
#include "libusertrace/simple-format.h"
#include "libusertrace/trace/usertrace.h"

#define CLOCK_EVERY 1000000000u
#define NAME_MAX_BYTES 4096u
#define DECLARATION_MAX 8192u

static _Atomic bool is_plain_default;

void usertrace_file_plain(bool on)
{
    is_plain_default = on;
}

static uint64_t read_clock(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

/* ---- items --------------------------------------------------------------- */

void ut_file_put_bytes(struct ut_file *f, const void *bytes, size_t nr)
{
    debug_assert(ut_file_has_room(f, nr));
    memcpy(f->buffer + f->used, bytes, nr);
    f->used += nr;
}

void ut_file_put_mapping(struct ut_file *f, uint64_t id, const char *text)
{
    uint64_t words[2] = { SIMPLE_MAPPING, id };
    uint32_t length = strlen(text);

    if ( f->is_plain && id >= SIMPLE_DECLARE )
        return;
    ut_file_put_bytes(f, words, sizeof(words));
    ut_file_put_bytes(f, &length, sizeof(length));
    ut_file_put_bytes(f, text, length);
}

void ut_file_put_thread(struct ut_file *f, uint32_t tid)
{
    char text[24];

    if ( f->now.tid == tid )
        return;
    snprintf(text, sizeof(text), "%u", tid);
    ut_file_put_mapping(f, SIMPLE_THREAD, text);
    f->now.tid = tid;
}

void ut_file_put_clock(struct ut_file *f)
{
    uint64_t now = read_clock(CLOCK_MONOTONIC);
    char text[64];

    if ( now < f->now.clock_due )
        return;
    snprintf(text, sizeof(text), "%llu %llu", (unsigned long long)now,
             (unsigned long long)read_clock(CLOCK_REALTIME));
    ut_file_put_mapping(f, SIMPLE_CLOCK, text);
    f->now.clock_due = now + CLOCK_EVERY;
}

/* Readers expect UTF-8, but the name of a program may be any bytes. */
static void replace_non_ascii(char *text)
{
    for ( ; *text; text++ )
        if ( *text < ' ' || *text > '~' )
            *text = '?';
}

static void read_boot_id(char *text, size_t size)
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

    if ( fd >= 0 )
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if ( !*text )
        snprintf(text, size, "-");
}

static void put_process(struct ut_file *f)
{
    struct utsname host = { .nodename = "-" };
    char text[512], boot[64];

    uname(&host);
    read_boot_id(boot, sizeof(boot));
    snprintf(text, sizeof(text), "pid %d host %.64s boot %.40s program %.200s",
             (int)getpid(), *host.nodename ? host.nodename : "-", boot,
             program_invocation_short_name);
    replace_non_ascii(text);
    ut_file_put_mapping(f, SIMPLE_PROCESS, text);
}

/* ---- events -------------------------------------------------------------- */

/* Names and declarations are compiled into the program, and short. */
static void put_event_mappings(struct ut_file *f, const TraceEvent *ev)
{
    char text[DECLARATION_MAX];

    snprintf(text, sizeof(text), "%.*s", (int)NAME_MAX_BYTES, ev->name);
    ut_file_put_mapping(f, ev->id, text);
    if ( !ev->declaration )
        return;
    if ( snprintf(text, sizeof(text), "%u %s", ev->id, ev->declaration) <
         (int)sizeof(text) )
        ut_file_put_mapping(f, SIMPLE_DECLARE, text);
}

int ut_file_put_events(struct ut_file *f, uint32_t nr)
{
    TraceEventIter iter;
    TraceEvent *ev;
    int rc = 0;

    assert(nr >= f->now.mapped);
    if ( nr == f->now.mapped )
        return 0;
    trace_event_iter_init_all(&iter);
    while ( (ev = trace_event_iter_next(&iter)) != NULL )
    {
        if ( ev->id < f->now.mapped || ev->id >= nr )
            continue;
        if ( !ut_file_has_room(f, 2 * DECLARATION_MAX) )
            rc = ut_file_write(f);
        if ( rc )
            return rc;
        put_event_mappings(f, ev);
    }
    f->now.mapped = nr;
    return 0;
}

/* ---- the file ------------------------------------------------------------ */

/*
 * The part that a pipe has accepted cannot be taken back: keep only the rest.
 */
static int handle_write_error(struct ut_file *f, int code, size_t done)
{
    assert(done <= f->used);
    if ( f->seekable )
    {
        if ( ftruncate(f->fd, f->bytes) )
            code = code ? code : -errno;
        f->used = 0;
        f->now = f->committed;
        return code;
    }
    memmove(f->buffer, f->buffer + done, f->used - done);
    f->used -= done;
    f->bytes += done;
    return code;
}

int ut_file_write(struct ut_file *f)
{
    size_t done = 0;
    ssize_t n;

    assert(f->fd >= 0 && f->used <= UT_FILE_ROOM);
    while ( done < f->used )
    {
        n = f->seekable ? fault_pwrite(f->fd, f->buffer + done, f->used - done,
                                       f->bytes + done) :
                          fault_write(f->fd, f->buffer + done, f->used - done);
        if ( n == 0 || (n < 0 && errno != EINTR) )
            return handle_write_error(f, n ? -errno : -EIO, done);
        done += n > 0 ? n : 0;
    }
    f->bytes += done;
    f->used = 0;
    f->committed = f->now;
    return 0;
}

static void put_file_number(struct ut_file *f, uint64_t number)
{
    char text[48];

    snprintf(text, sizeof(text), "%d %llu", (int)getpid(),
             (unsigned long long)number);
    ut_file_put_mapping(f, SIMPLE_FILE, text);
}

static void put_header(struct ut_file *f, uint64_t number)
{
    uint64_t header[3] = { SIMPLE_HEADER_ID, SIMPLE_MAGIC, SIMPLE_VERSION };

    assert(!f->used && !f->bytes);
    ut_file_put_bytes(f, header, sizeof(header));
    ut_file_put_clock(f);
    put_process(f);
    put_file_number(f, number);
}

/* Only a regular file can be truncated, and recognized by its inode. */
static void identify_file(struct ut_file *f)
{
    struct stat st;

    if ( fstat(f->fd, &st) || !S_ISREG(st.st_mode) )
        return;
    f->seekable = true;
    f->inode = st.st_ino;
}

int ut_file_open(struct ut_file *f, const char *path, uint64_t number,
                 struct err *e)
{
    int rc = -ENOMEM;

    assert(number);
    *f = (struct ut_file)UT_FILE_INIT;
    f->now.tid = UINT32_MAX;
    f->is_plain = is_plain_default;
    f->path = fault_strdup(path);
    f->buffer = fault_malloc(UT_FILE_ROOM);
    if ( f->path && f->buffer )
    {
        f->fd = fault_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                           0640);
        rc = f->fd < 0 ? -errno : 0;
    }
    if ( !rc )
    {
        identify_file(f);
        put_header(f, number);
        rc = ut_file_put_events(f, ut_count_events());
    }
    if ( !rc )
        rc = ut_file_write(f);
    if ( rc )
    {
        ut_file_close(f);
        return err_sys(e, rc, "trace file %.150s", path);
    }
    return 0;
}

void ut_file_close(struct ut_file *f)
{
    if ( f->fd >= 0 )
        close(f->fd);
    fault_free(f->path);
    fault_free(f->buffer);
    *f = (struct ut_file)UT_FILE_INIT;
}
