/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Windows: what a trace file is made of.  A window is a run of one pcpu's
 * records, copied from its ring, behind a header that is itself a record:
 *
 *   +------------+-----+-------+--------------------------------+
 *   | 0x2001f003 | cpu | bytes | records, `bytes` of them       |  next ...
 *   +------------+-----+-------+--------------------------------+
 *   0            4     8       12                               12 + bytes
 *
 * That is all there is: no file header, no index, no end mark.  So a reader
 * hops from header to header, and every other structure is built on that.
 *
 * Reading damage: where a header should be and is not, the records before
 * say how far they are good, and then the input is searched for the next
 * header that something else speaks for as well (its first record, and the
 * header after it).  The work is linear in the input, whatever it is.
 */
#ifndef LIBXENTRACE_WINDOW_H
#define LIBXENTRACE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "libxentrace/damage.h"
#include "libxentrace/record.h"

/* The header word: CPU_CHANGE, two words of payload, no time stamp. */
#define XT_WINDOW_MAGIC (2u << TRACE_EXTRA_SHIFT | TRC_TRACE_CPU_CHANGE)
#define XT_WINDOW_HEADER 12u

/*
 * What a believable header says.  Xen can be built for 16,383 pcpus; a ring
 * has at most 65,535 pages, and what is left of the last MiB is for records
 * that a collector adds.
 */
#define XT_MAX_CPUS 16384u
#define XT_WINDOW_MAX (1u << 28)

/* --- reading ------------------------------------------------------------- */

struct xt_window
{
    unsigned int cpu;
    uint64_t at;                /* offset of its header in the input */
    const unsigned char *bytes; /* its records: borrowed from the input */
    size_t size;                /* of them, as far as they can be believed */
    bool cut;                   /* the input ended inside it */
};

/*
 * A walk over the windows of an input, or of the part of it that is in memory
 * (view.h).  Of such a part, a window is given out only when no byte behind
 * it could tell another story: until then the walk is need_more.
 */
struct xt_windows
{
    const unsigned char *bytes; /* borrowed: outlives the walk */
    size_t size;
    uint64_t origin;            /* of bytes[0] in the input */
    bool more;                  /* the input goes on behind size */
    bool need_more;             /* wanted to see what is there */
    size_t next;                /* in bytes: where a header should be */
    struct xt_damage *damage;   /* borrowed: told of everything skipped */

    /* What resync.c remembers. */
    uint64_t expected_seal;     /* number of the next seal */
    uint64_t wasted;            /* bytes summed up in vain */
    bool skipping;              /* the end of `skipped` is not yet found */
    struct xt_damage_place skipped;
};

void xt_windows_init(struct xt_windows *w, const void *bytes, size_t size,
                     struct xt_damage *damage);

/*
 * The next one, or false at the end of the input; or, with w->need_more, false
 * because more of it is needed: the same call works again after
 * xt_windows_move().  What lies before w->next is then done with.
 */
bool xt_windows_next(struct xt_windows *w, struct xt_window *out);

/*
 * The walk goes on in another part of the input, `bytes` being what stands at
 * `origin` in it; where the next header should be has to lie in it.
 */
void xt_windows_move(struct xt_windows *w, const void *bytes, size_t size,
                     uint64_t origin, bool more);

/* For resync.c: a window's header as it stands in the input. */
struct xt_header
{
    uint32_t magic;
    uint32_t cpu;
    uint32_t size;
};

/*
 * Are there `size` bytes at `at`?  No look at the input without this: where
 * there could be more than is in memory, it makes the walk need_more.
 */
static inline bool xt_windows_has(struct xt_windows *w, size_t at,
                                  size_t size)
{
    if ( at <= w->size && w->size - at >= size )
        return true;
    w->need_more |= w->more;
    return false;
}

/* The header at `at`, if all of it is there and it says nothing absurd. */
bool xt_header_read(struct xt_windows *w, size_t at, struct xt_header *h);

/* A walk over the records of one window. */
struct xt_records
{
    const unsigned char *at;    /* the next record */
    const unsigned char *end;   /* moves back to `at` before damage */
    uint64_t offset_of_end;     /* in the input, for the book of damage */
    struct xt_damage *damage;
};

static inline void xt_records_init(struct xt_records *w,
                                   const struct xt_window *window,
                                   struct xt_damage *damage)
{
    w->at = window->bytes;
    w->end = window->bytes + window->size;
    w->offset_of_end = window->at + XT_WINDOW_HEADER + window->size;
    w->damage = damage;
}

/* Note that the rest of the window is given up, if there is any. */
void xt_records_stop(struct xt_records *w);

/* The next one, or false at the end of the window or before damage. */
static inline bool xt_records_next(struct xt_records *w, struct xt_record *r)
{
    size_t size = xt_record_decode(r, w->at, w->end);

    if ( !size || !xt_record_is_possible(r) )
    {
        xt_records_stop(w);
        return false;
    }
    w->at += size;
    return true;
}

/* --- writing ------------------------------------------------------------- */

/* A window ready to be written with one writev(). */
#define XT_SEAL_BYTES 12u       /* what a seal takes (seal.h) */

struct xt_frame
{
    unsigned char header[XT_WINDOW_HEADER + XT_SEAL_BYTES];
    struct iovec iov[3];        /* the header, then one or two spans */
    int nr_iov;
};

/*
 * Frame one or two spans of records: two if they go over the end of a ring.
 * The frame points to itself and to the spans: it is not to be copied.
 */
void xt_frame_init(struct xt_frame *f, unsigned int cpu,
                   const struct iovec *spans, int nr_spans);

#endif /* LIBXENTRACE_WINDOW_H */
