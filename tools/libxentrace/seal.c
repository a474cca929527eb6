/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Seals.  The checksum takes the first 24 bytes of a window, its header and the
 * seal, from their decoded values, and the rest from memory.
 *
 * A trace of the other byte order was swapped on the way here, but its checksum
 * was computed before.  So a checksum that does not match is computed again
 * over swapped words: damage is missed with a chance of two in 2^32 instead of
 * one, and no other code has to know the byte order of the trace.
 */
#include "libxentrace/seal.h"

#include <assert.h>
#include <string.h>

#include "libxentrace/crc.h"
#include "libxentrace/records.h"

/* Header and seal. */
struct head
{
    uint32_t magic, cpu, size;
    uint32_t seal, crc, number;
};

_Static_assert(sizeof(struct head) == XT_WINDOW_HEADER + XT_SEAL_BYTES,
               "layout");
_Static_assert(offsetof(struct head, number) - offsetof(struct head, crc) ==
               offsetof(struct xt_rec_meta_window, number), "layout");

/* Offsets of the seal's fields, behind its header word. */
#define CRC_AT (4u + offsetof(struct xt_rec_meta_window, crc))
#define NUMBER_AT (4u + offsetof(struct xt_rec_meta_window, number))

static void swap_words(uint32_t *words, size_t nr)
{
    while ( nr-- )
        words[nr] = __builtin_bswap32(words[nr]);
}

/* The checksum of the bytes as they were before swapping. */
static uint32_t checksum_swapped(uint32_t sum, const unsigned char *at,
                                 size_t size)
{
    uint32_t words[256];

    assert(size % 4 == 0);
    while ( size )
    {
        size_t n = size < sizeof(words) ? size : sizeof(words);

        memcpy(words, at, n);
        swap_words(words, n / 4);
        sum = xt_crc32c(sum, words, n);
        at += n;
        size -= n;
    }
    return sum;
}

static bool checksum_matches(const struct xt_window *w)
{
    struct head h = {
        .magic = XT_WINDOW_MAGIC, .cpu = w->cpu, .size = w->size,
        .seal = XT_SEAL_MAGIC, .number = xt_load32(w->bytes + NUMBER_AT),
    };
    const unsigned char *rest = w->bytes + XT_SEAL_BYTES;
    size_t size = w->size - XT_SEAL_BYTES;
    uint32_t stored = xt_load32(w->bytes + CRC_AT), sum;

    sum = xt_crc32c(0, &h, sizeof(h));
    if ( xt_crc32c(sum, rest, size) == stored )
        return true;
    sum = checksum_swapped(0, (unsigned char *)&h, sizeof(h));
    return checksum_swapped(sum, rest, size) == stored;
}

enum xt_seal xt_seal_check(const struct xt_window *w)
{
    uint32_t wrong_bits;

    if ( w->size < XT_SEAL_BYTES )
        return XT_SEAL_NONE;
    wrong_bits = xt_load32(w->bytes) ^ XT_SEAL_MAGIC;
    if ( !wrong_bits )
        return checksum_matches(w) ? XT_SEAL_GOOD : XT_SEAL_BROKEN;
    /*
     * One bit differs from a seal's header: is this a seal, or a similar
     * record?
     */
    if ( !(wrong_bits & (wrong_bits - 1)) && checksum_matches(w) )
        return XT_SEAL_BROKEN;
    return XT_SEAL_NONE;
}

bool xt_window_verify(const struct xt_window *w, struct xt_damage *damage)
{
    if ( w->cut || xt_seal_check(w) != XT_SEAL_BROKEN )
        return true;
    xt_damage_add(damage, XT_DAMAGE_SUM, w->at, XT_WINDOW_HEADER + w->size);
    return false;
}

bool xt_seal_number(const unsigned char *records, size_t size,
                    uint32_t *number)
{
    if ( size < XT_SEAL_BYTES || xt_load32(records) != XT_SEAL_MAGIC )
        return false;
    *number = xt_load32(records + NUMBER_AT);
    return true;
}

uint32_t xt_seal_sum(const unsigned char *records)
{
    assert(xt_load32(records) == XT_SEAL_MAGIC);
    return xt_load32(records + CRC_AT);
}

void xt_frame_seal(struct xt_frame *f, uint32_t number)
{
    struct head h;

    assert(f->iov[0].iov_len == XT_WINDOW_HEADER);
    memcpy(&h, f->header, XT_WINDOW_HEADER);
    assert(h.size <= XT_WINDOW_MAX - XT_SEAL_BYTES);
    h.size += XT_SEAL_BYTES;
    h.seal = XT_SEAL_MAGIC;
    h.crc = 0;
    h.number = number;

    for ( int i = 0; i < f->nr_iov; i++ )
        h.crc = i ? xt_crc32c(h.crc, f->iov[i].iov_base, f->iov[i].iov_len)
                  : xt_crc32c(0, &h, sizeof(h));
    memcpy(f->header, &h, sizeof(h));
    f->iov[0].iov_len = sizeof(h);
}
