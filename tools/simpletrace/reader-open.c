/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening a trace: version, byte order, and the meaning of ids.
 */
#include "simpletrace/reader-private.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "common/fault.h"
#include "libusertrace/simple-format.h"
#include "simpletrace/bytes.h"

#define HEADER 24u
#define OLD_HEADER 64u

static bool is_header(const unsigned char *p, bool swapped)
{
    return st_get64(p, swapped) == SIMPLE_HEADER_ID &&
           st_get64(p + 8, swapped) == SIMPLE_MAGIC;
}

static int read_header(struct st_reader *r, struct err *e)
{
    const unsigned char *p = st_input_bytes(&r->in);
    uint64_t version;
    size_t size;

    r->swapped = !is_header(p, false);
    version = st_get64(p + 16, r->swapped);
    if ( version > 4 || version == 1 )
        return err_at(e, -EINVAL, 16, "%s: version %llu of the format is not "
                      "supported, only 0, 2, 3 and 4", r->in.name,
                      (unsigned long long)version);
    size = version ? HEADER : OLD_HEADER;
    if ( st_input_need(&r->in, size, e) < (int64_t)size )
        return err_set(e, -EINVAL, "%s ends within its header", r->in.name);
    r->version = version;
    r->in.at += size;
    return 0;
}

/* SystemTap writes version 4 without a header; the first word is 0 or 1. */
static void guess_header(struct st_reader *r, int64_t have)
{
    assert(have >= 0);
    r->version = 4;
    r->swapped = have >= 8 &&
                 st_get64(st_input_bytes(&r->in), true) <= SIMPLE_EVENT &&
                 st_get64(st_input_bytes(&r->in), false) > SIMPLE_EVENT;
}

/*
 * Does a followed file end within its header?  Its writer creates the file
 * first, and then writes the header, which begins with eight bytes 0xff.
 */
static bool header_is_awaited(const struct st_input *in, int64_t have)
{
    const unsigned char *p = st_input_bytes(in);
    struct stat st;

    for ( int64_t i = 0; i < have && i < 8; i++ )
        if ( p[i] != 0xff )
            return false;
    return in->follow && have < (int64_t)HEADER && !fstat(in->fd, &st) &&
           S_ISREG(st.st_mode);
}

/* --- files that are no traces --------------------------------------------- */

#define MORE "if SystemTap wrote it, or its beginning is lost, add --no-header"

static const struct
{
    const char *bytes;
    size_t size;
    const char *text;
} other_files[] = {
    { "\x1f\x8b", 2, "gzip compressed it: zcat FILE | simpletrace -" },
    { "\x28\xb5\x2f\xfd", 4, "zstd compressed it: zstdcat FILE | simpletrace "
      "-" },
    { "\xfd" "7zXZ", 5, "xz compressed it: xzcat FILE | simpletrace -" },
    { "BZh", 3, "bzip2 compressed it: bzcat FILE | simpletrace -" },
    { "PK\x03\x04", 4, "it is a zip archive: unpack it with unzip" },
    { "\x7f" "ELF", 4, "it is an ELF file, a program or an object file" },
    { "\x03\xf0\x01", 3, "it is a trace of Xen: use xenalyze" },
    { "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "its header is damaged or "
      "incomplete" },
};

static bool begins_as_text(const unsigned char *p, size_t size)
{
    for ( size_t i = 0; i < size; i++ )
        if ( p[i] == 0x7f || (p[i] < ' ' && !strchr("\t\n\r\f", p[i])) )
            return false;
    return size;
}

static const char *name_other_file(const unsigned char *p, size_t size)
{
    for ( size_t i = 0; i < sizeof(other_files) / sizeof(other_files[0]); i++ )
        if ( size >= other_files[i].size &&
             !memcmp(p, other_files[i].bytes, other_files[i].size) )
            return other_files[i].text;
    return begins_as_text(p, size) ? "it is text: a file of EVENTS comes "
                                     "before the trace" : MORE;
}

static int refuse_file(const struct st_input *in, size_t size, struct err *e)
{
    if ( !size )
        return err_set(e, -EINVAL, "%s is empty: no program wrote a trace to "
                       "it", in->name);
    return err_set(e, -EINVAL, "%s is not a trace of the simple back end: %s",
                   in->name, name_other_file(st_input_bytes(in), size));
}

static int open_header(struct st_reader *r, const struct st_reader_options *how,
                       struct err *e)
{
    int64_t have = st_input_need(&r->in, HEADER, e);
    const unsigned char *p = st_input_bytes(&r->in);
    bool has = have >= (int64_t)HEADER &&
               (is_header(p, false) || is_header(p, true));

    if ( have < 0 )
        return have;
    if ( has )
        return read_header(r, e);
    if ( !how->no_header && header_is_awaited(&r->in, have) )
        return err_set(e, -EAGAIN, "%s has no header yet", r->in.name);
    if ( !how->no_header )
        return refuse_file(&r->in, have, e);
    guess_header(r, have);
    return 0;
}

static int number_events(struct st_reader *r,
                         const struct st_reader_options *how, bool has_header,
                         struct err *e)
{
    bool all = how->ids == ST_IDS_AUTO ? r->version != 2 :
                                         how->ids == ST_IDS_ALL;

    assert(!r->map_nr && r->version <= 4 && r->version != 1);
    if ( r->version == 4 && has_header )
        return 0;
    if ( !r->events->nr )
        return err_set(e, -EINVAL, "%s identifies events only by position: "
                       "give the files that declare them, --events=FILE",
                       r->in.name);
    return st_reader_number_ids(r, all, e);
}

static int open_input(struct st_reader *r, const struct st_reader_options *how,
                      struct err *e)
{
    int rc;

    r->in.follow = how->follow;
    rc = open_header(r, how, e);
    r->type_bytes = r->version == 4 ? 8 : 0;
    if ( !rc )
        rc = number_events(r, how, st_input_offset(&r->in) != 0, e);
    if ( rc )
        st_reader_close(r);
    return rc;
}

int st_reader_open(struct st_reader *r, const char *path,
                   struct st_events *events,
                   const struct st_reader_options *how, struct err *e)
{
    int rc;

    assert(path && events);
    *r = (struct st_reader){ .events = events };
    rc = st_input_open(&r->in, path, e);
    return rc ? rc : open_input(r, how, e);
}

int st_reader_open_fd(struct st_reader *r, int fd, const char *name,
                      struct st_events *events,
                      const struct st_reader_options *how, struct err *e)
{
    int rc;

    assert(events);
    *r = (struct st_reader){ .events = events };
    rc = st_input_open_fd(&r->in, fd, name, e);
    return rc ? rc : open_input(r, how, e);
}

void st_reader_close(struct st_reader *r)
{
    st_input_close(&r->in);
    fault_free(r->map);
    fault_free(r->process);
    r->map = NULL;
    r->process = NULL;
}

bool st_is_trace(const char *path)
{
    struct st_input in;
    bool is_trace = false;

    if ( st_input_open(&in, path, NULL) )
        return false;
    if ( st_input_need(&in, HEADER, NULL) >= (int64_t)HEADER )
        is_trace = is_header(in.buffer, false) || is_header(in.buffer, true);
    st_input_close(&in);
    return is_trace;
}
