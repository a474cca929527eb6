/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Windows: the units of a trace file.  A window is a sequence of one pcpu's
 * records, copied from its ring, behind a header that is itself a record:
 *
 *   +------------+-----+-------+--------------------------------+
 *   | 0x2001f003 | cpu | bytes | records, `bytes` of them       |  next ...
 *   +------------+-----+-------+--------------------------------+
 *   0            4     8       12                               12 + bytes
 *
 * A file has no header, no index and no end mark.  A reader follows the window
 * headers, and all other structures are built from them.
 *
 * Damage: where a header is missing, the records of the window before show how
 * far that window is valid.  Then the input is searched for the next header
 * that further evidence supports (its first record, and the header behind its
 * window).  The work is linear in the size of any input.
 */
#ifndef LIBXENTRACE_WINDOW_H
#define LIBXENTRACE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "libxentrace/damage.h"
#include "libxentrace/record.h"
#include "libxentrace/window-heads.h"

/* The header word: CPU_CHANGE, two words of payload, no time stamp. */
#define XT_WINDOW_MAGIC (2u << TRACE_EXTRA_SHIFT | TRC_TRACE_CPU_CHANGE)
#define XT_WINDOW_HEADER 12u

/*
 * Limits of a credible header.  Xen can be built for 16,383 pcpus; a ring has
 * at most 65,535 pages, and the remainder of the last MiB leaves space for
 * records that a collector adds.
 */
#define XT_MAX_CPUS 16384u
#define XT_WINDOW_MAX (1u << 28)

/* --- reading ------------------------------------------------------------- */

struct xt_window
{
    unsigned int cpu;
    uint64_t at;                /* offset of its header in the input */
    const unsigned char *bytes; /* its records, borrowed, behind its header */
    size_t size;                /* bytes of credible records */
    const unsigned char *first; /* a copy of the first records, with at least
                                   two time stamps, until the next window; or
                                   NULL */
    size_t first_size;
    bool cut;                   /* the input ends inside the window */
    uint64_t gaps;              /* places in front of it where bytes are skipped
                                   or windows are missing */
    bool displaced;             /* it belongs before a window that precedes it
                                   in the input (sequence.h) */
};

/*
 * A walk over the windows of an input, or of the part that is in memory
 * (view.h).  A window from a part is delivered only when no later byte could
 * change the result; until then need_more is set.
 */
struct xt_windows
{
    const unsigned char *bytes; /* borrowed, outlives the walk */
    size_t size;
    uint64_t origin;            /* offset of bytes[0] in the input */
    bool more;                  /* the input continues behind `size` */
    bool need_more;             /* a decision needs bytes behind `size` */
    bool is_no_trace;           /* the walk ended: the input begins with more
                                   other bytes than a window has */
    size_t next;                /* offset in bytes[] of the next header */
    struct xt_damage *damage;   /* borrowed, notes all skipped bytes */
    uint64_t gaps;              /* places where bytes are skipped or windows are
                                   missing, so far */
    struct xt_source *source;   /* counts the bytes of a search in a mapping;
                                   or NULL */
    struct xt_window_heads *heads;      /* borrowed; for a reader of the begins
                                           of windows in a mapping; or NULL */

    /* State of resync.c. */
    uint64_t expected_seal;     /* number of the next seal */
    uint64_t wasted;            /* bytes read without result */
    bool skipping;              /* the end of `skipped` is not found yet */
    struct xt_damage_place skipped;
};

void xt_windows_init(struct xt_windows *w, const void *bytes, size_t size,
                     struct xt_damage *damage);

/*
 * The next window.  False at the end of the input; or, with w->need_more set,
 * when more input is needed: repeat the call after xt_windows_move().  The
 * bytes before w->next are no longer needed.
 */
bool xt_windows_next(struct xt_windows *w, struct xt_window *out);

/*
 * Continue the walk in another part of the input: `bytes` begins at offset
 * `origin`, and contains the offset of the next header.
 */
void xt_windows_move(struct xt_windows *w, const void *bytes, size_t size,
                     uint64_t origin, bool more);

/* The header of a window, as in the input. */
struct xt_header
{
    uint32_t magic;
    uint32_t cpu;
    uint32_t size;
};

static inline bool xt_header_is_credible(const struct xt_header *h)
{
    return h->magic == XT_WINDOW_MAGIC && h->cpu < XT_MAX_CPUS &&
           h->size % 4 == 0 && h->size <= XT_WINDOW_MAX;
}

/*
 * True if `size` bytes are in memory at `at`.  Every access to the input needs
 * this check: it sets need_more if the bytes may lie behind the part in memory.
 */
static inline bool xt_windows_has(struct xt_windows *w, size_t at,
                                  size_t size)
{
    if ( at <= w->size && w->size - at >= size )
        return true;
    w->need_more |= w->more;
    return false;
}

/* Read the header at `at`.  False if it is incomplete or not credible. */
bool xt_header_read(struct xt_windows *w, size_t at, struct xt_header *h);

/*
 * The bytes at `at`, where a header is expected, XT_HEAD_BYTES or up to the end
 * of the input: for the few places where a walk over intact windows looks.
 */
static inline const unsigned char *xt_windows_head(const struct xt_windows *w,
                                                   size_t at)
{
    const unsigned char *head = NULL;

    if ( w->heads && at <= w->size )
        head = xt_window_heads_at(w->heads, w->source, w->origin + at);
    return head ? head : w->bytes + at;
}

/* The same as xt_header_read() by xt_windows_head(). */
bool xt_header_read_head(struct xt_windows *w, size_t at, struct xt_header *h);

/* The first records and their end, for readers of the begin of a window. */
static inline const unsigned char *
xt_window_begin(const struct xt_window *w, const unsigned char **end)
{
    const unsigned char *begin = w->first ? w->first : w->bytes;

    *end = begin + (w->first ? w->first_size : w->size);
    return begin;
}

/* A walk over the records of one window. */
struct xt_records
{
    const unsigned char *at;    /* the next record */
    const unsigned char *end;   /* set to `at` at damage */
    uint64_t offset_of_end;     /* in the input, for damage */
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

/* End the walk.  The rest of the window, if any, is noted as damage. */
void xt_records_stop(struct xt_records *w);

/* The next record.  False at the end of the window, or at damage. */
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

/* A window, ready to be written with one writev(). */
#define XT_SEAL_BYTES 12u       /* size of a seal (seal.h) */

struct xt_frame
{
    unsigned char header[XT_WINDOW_HEADER + XT_SEAL_BYTES];
    struct iovec iov[3];        /* the header, then one or two spans */
    int nr_iov;
};

/*
 * Frame one or two spans of records: two if the records wrap around the end of
 * a ring.  The frame has pointers to itself and to the spans: do not copy it.
 */
void xt_frame_init(struct xt_frame *f, unsigned int cpu,
                   const struct iovec *spans, int nr_spans);

#endif /* LIBXENTRACE_WINDOW_H */
