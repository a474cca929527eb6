/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader of one ring, as suspicious as dom0 should be; kit.h lists the
 * checks.
 *
 * Positions (cons, prod, at) count modulo twice the ring size, as in the shared
 * header.  `image` keeps each byte at the same offset as the ring does, to
 * detect changes of published bytes.
 */
#include "tests/ring/kit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* ---- finding and mapping ---------------------------------------------- */

/* Map n frames as foreign mappings do, all or none. */
static int hold_frames(const uint32_t *mfn, unsigned int n, bool write)
{
    unsigned int i;
    int rc;

    for ( i = 0; i < n; i++ )
    {
        rc = xensim_map_frame(mfn[i], write);
        if ( rc )
            break;
    }
    if ( i == n )
        return 0;

    while ( i-- > 0 )
        xensim_unmap_frame(mfn[i], write);
    return rc;
}

static void release_frames(const uint32_t *mfn, unsigned int n, bool write)
{
    while ( n-- > 0 )
        xensim_unmap_frame(mfn[n], write);
}

/* Map n held frames at `to`, one mmap() per run of adjacent frames. */
static int map_at(void *to, const uint32_t *mfn, unsigned int n, int prot)
{
    unsigned int i, run;

    for ( i = 0; i < n; i += run )
    {
        for ( run = 1; i + run < n && mfn[i + run] == mfn[i] + run; run++ )
            ;
        if ( mmap((char *)to + i * PAGE_SIZE, run * PAGE_SIZE, prot,
                  MAP_SHARED | MAP_FIXED, xensim_arena_fd(),
                  (off_t)mfn[i] * PAGE_SIZE) == MAP_FAILED )
            return -ENOMEM;
    }
    return 0;
}

static void *reserve_range(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return at == MAP_FAILED ? NULL : at;
}

/* Copy all of t_info; the caller frees the copy. */
static int read_info(struct t_info **out, uint32_t *bytes)
{
    struct xen_sysctl_tbuf_op op;
    uint32_t at, mfn;
    void *map;
    int rc = kit_get_info(&op);

    if ( rc )
        return rc;
    if ( !op.buffer_mfn )
        return -ENODEV;

    map = reserve_range(PAGE_SIZE);
    *bytes = op.size;
    *out = malloc(op.size);
    if ( !map || !*out )
        rc = -ENOMEM;

    for ( at = 0; !rc && at < op.size; at += PAGE_SIZE )
    {
        mfn = op.buffer_mfn + at / PAGE_SIZE;
        rc = hold_frames(&mfn, 1, false);
        if ( rc )
            break;
        rc = map_at(map, &mfn, 1, PROT_READ);
        if ( !rc )
            memcpy((char *)*out + at, map, PAGE_SIZE);
        release_frames(&mfn, 1, false);
    }

    if ( map )
        munmap(map, PAGE_SIZE);
    if ( rc )
        free(*out);
    return rc;
}

/* Find the frames of one ring.  -EPROTO: t_info contradicts itself. */
static int find_ring(struct kit_reader *r)
{
    struct t_info *info;
    uint32_t bytes, offset;
    int rc = read_info(&info, &bytes);

    if ( rc )
        return rc;

    r->pages = info->tbuf_size;
    r->size = r->pages * PAGE_SIZE - sizeof(struct t_buf);
    offset = info->mfn_offset[r->cpu];
    if ( !offset )
        rc = -ENODEV;
    else if ( (offset + (uint64_t)r->pages) * 4 > bytes )
        rc = -EPROTO;
    else
    {
        r->mfn = malloc(r->pages * sizeof(*r->mfn));
        memcpy(r->mfn, (uint32_t *)info + offset, r->pages * sizeof(*r->mfn));
    }

    free(info);
    return rc;
}

int kit_open(struct kit_reader *r, unsigned int cpu)
{
    int rc;

    *r = (struct kit_reader){ .cpu = cpu };
    rc = find_ring(r);
    if ( rc )
        return rc;

    rc = hold_frames(r->mfn, r->pages, true);
    if ( rc )
        goto no_hold;

    rc = -ENOMEM;
    r->image = malloc(r->size);
    r->ring = reserve_range(r->pages * PAGE_SIZE);
    if ( r->image && r->ring )
        rc = map_at(r->ring, r->mfn, r->pages, PROT_READ | PROT_WRITE);
    if ( !rc )
        return 0;

    if ( r->ring )
        munmap(r->ring, r->pages * PAGE_SIZE);
    free(r->image);
    release_frames(r->mfn, r->pages, true);
 no_hold:
    free(r->mfn);
    return rc;
}

void kit_close(struct kit_reader *r)
{
    release_frames(r->mfn, r->pages, true);
    munmap(r->ring, r->pages * PAGE_SIZE);
    free(r->image);
    free(r->mfn);
    *r = (struct kit_reader){};
}

/* ---- snapshots -------------------------------------------------------- */

/* Record the first error.  Returns false, for callers to return. */
static bool __attribute__((format(printf, 2, 3)))
report_fault(struct kit_reader *r, const char *format, ...)
{
    va_list args;
    int n;

    if ( r->fault[0] )
        return false;

    n = snprintf(r->fault, sizeof(r->fault),
                 "cpu %u, cons %u, prod %u, at %u: ",
                 r->cpu, r->cons, r->prod, r->at);
    va_start(args, format);
    vsnprintf(r->fault + n, sizeof(r->fault) - n, format, args);
    va_end(args);
    return false;
}

static uint32_t ring_distance(const struct kit_reader *r, uint32_t from,
                              uint32_t to)
{
    return to >= from ? to - from : to + 2 * r->size - from;
}

static uint32_t advance_position(const struct kit_reader *r, uint32_t from,
                                 uint32_t bytes)
{
    return (from + bytes) % (2 * r->size);
}

static unsigned char *ring_bytes(struct kit_reader *r)
{
    return (unsigned char *)(r->ring + 1);
}

/* Call piece() for each contiguous part of from ... from + bytes. */
static bool each_piece(struct kit_reader *r, uint32_t from, uint32_t bytes,
                       bool (*piece)(struct kit_reader *r, uint32_t at,
                                     uint32_t length))
{
    uint32_t at = from % r->size;
    uint32_t first = bytes < r->size - at ? bytes : r->size - at;

    return piece(r, at, first) && piece(r, 0, bytes - first);
}

static bool copy_piece(struct kit_reader *r, uint32_t at, uint32_t length)
{
    memcpy(r->image + at, ring_bytes(r) + at, length);
    return true;
}

static bool equal_piece(struct kit_reader *r, uint32_t at, uint32_t length)
{
    return !memcmp(r->image + at, ring_bytes(r) + at, length);
}

static bool check_indices(struct kit_reader *r)
{
    if ( (r->cons & 3) || (r->prod & 3) )
        return report_fault(r, "cons or prod is no multiple of 4");
    if ( r->cons >= 2 * r->size || r->prod >= 2 * r->size )
        return report_fault(r, "cons or prod is beyond twice the ring");
    if ( ring_distance(r, r->cons, r->prod) > r->size )
        return report_fault(r, "more than the ring is unread");
    return true;
}

bool kit_snapshot(struct kit_reader *r)
{
    uint32_t old_prod = r->has_image ? r->prod : r->cons, old;

    r->cons = __atomic_load_n(&r->ring->cons, __ATOMIC_RELAXED);
    r->prod = __atomic_load_n(&r->ring->prod, __ATOMIC_ACQUIRE);
    r->at = r->cons;
    r->tsc = r->consumed_tsc;
    if ( !check_indices(r) )
        return false;

    old = r->has_image ? ring_distance(r, r->cons, old_prod) : 0;
    if ( old > ring_distance(r, r->cons, r->prod) )
        return report_fault(r, "prod went back from %u", old_prod);
    if ( !each_piece(r, r->cons, old, equal_piece) )
        return report_fault(r, "records up to %u changed after they were "
                            "published", old_prod);

    each_piece(r, advance_position(r, r->cons, old),
               ring_distance(r, r->cons, r->prod) - old, copy_piece);
    r->has_image = true;
    return true;
}

void kit_consume(struct kit_reader *r)
{
    /* The bytes have been copied, so Xen may overwrite the records. */
    __atomic_store_n(&r->ring->cons, r->at, __ATOMIC_RELEASE);
    r->cons = r->at;
    r->consumed_tsc = r->tsc;
}

void kit_forget(struct kit_reader *r)
{
    r->has_image = false;
    r->consumed_tsc = 0;
}

uint32_t kit_left(const struct kit_reader *r)
{
    return ring_distance(r, r->at, r->prod);
}

/* ---- records ---------------------------------------------------------- */

static uint32_t word_at(const struct kit_reader *r, uint32_t at)
{
    uint32_t word;

    memcpy(&word, r->image + at, sizeof(word));
    return word;
}

/* Decode a record, of which at first only the header is has_image to exist. */
static bool decode_record(struct kit_reader *r, struct kit_record *to)
{
    uint32_t header, at;
    unsigned int i;

    *to = (struct kit_record){ .at = r->at % r->size };
    header = word_at(r, to->at);
    to->event = header & 0x0fffffff;
    to->words = header >> 28 & 7;
    to->timed = header >> 31;
    to->bytes = 4 + (to->timed ? 8 : 0) + to->words * 4;

    if ( to->bytes > kit_left(r) )
        return report_fault(r, "record %08x is not whole", header);
    if ( to->bytes > r->size - to->at )
        return report_fault(r, "record %08x crosses the end of the ring",
                            header);

    at = to->at + 4;
    if ( to->timed )
    {
        to->tsc = word_at(r, at) | (uint64_t)word_at(r, at + 4) << 32;
        at += 8;
    }
    for ( i = 0; i < to->words; i++ )
        to->word[i] = word_at(r, at + 4 * i);
    return true;
}

static bool check_padding(struct kit_reader *r, const struct kit_record *pad)
{
    unsigned int i;

    if ( pad->at + pad->bytes != r->size )
        return report_fault(r, "padding ends before the ring does");
    for ( i = 0; i < pad->words; i++ )
        if ( pad->word[i] && !r->stale )
            return report_fault(r, "padding has %08x in it", pad->word[i]);
    return true;
}

static bool check_lost(struct kit_reader *r, const struct kit_record *lost)
{
    uint64_t first = lost->word[2] | (uint64_t)lost->word[3] << 32;

    if ( !lost->timed || lost->words != 4 || !lost->word[0] )
        return report_fault(r, "a LOST record that reports no loss");
    if ( first <= r->tsc || first > lost->tsc )
        return report_fault(r, "the first loss at %#llx is not in %#llx ... "
                            "%#llx", (unsigned long long)first,
                            (unsigned long long)r->tsc,
                            (unsigned long long)lost->tsc);
    return true;
}

static bool check_record(struct kit_reader *r, const struct kit_record *record)
{
    /* Xen emits no event 0: this is memory that was never written. */
    if ( !record->event )
        return report_fault(r, "a record without an event");
    if ( record->timed && record->tsc < r->tsc )
        return report_fault(r, "time goes back from %#llx to %#llx",
                            (unsigned long long)r->tsc,
                            (unsigned long long)record->tsc);
    if ( record->event == TRC_TRACE_WRAP_BUFFER )
        return check_padding(r, record);
    if ( record->event == TRC_LOST_RECORDS )
        return check_lost(r, record);
    return true;
}

bool kit_next(struct kit_reader *r, struct kit_record *record)
{
    if ( r->fault[0] || r->at == r->prod )
        return false;
    if ( !decode_record(r, record) || !check_record(r, record) )
        return false;

    r->at = advance_position(r, r->at, record->bytes);
    if ( record->timed )
        r->tsc = record->tsc;
    return true;
}

bool kit_is_emitted(const struct kit_record *record, uint32_t *number)
{
    unsigned int i;

    if ( record->event != KIT_EVENT || !record->words )
        return false;

    *number = record->word[0] / 8;
    for ( i = 0; i < record->words; i++ )
        if ( record->word[i] != *number * 8 + i )
            return false;
    return true;
}
