/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace, sealed or not, read at once and piece by piece: both
 * see the same, and every byte is in a window or in the summary.
 */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "libxentrace/crc.h"
#include "libxentrace/seal.h"
#include "tests/unit/libxentrace/feed.h"

struct seen
{
    uint64_t windows, bytes;
    uint32_t sum;               /* checksum of bytes and offsets */
    struct xt_damage damage;
};

static void take(void *arg, const struct xt_window *w)
{
    struct xt_records records;
    struct seen *s = arg;
    struct xt_record r;
    size_t size;

    s->sum = xt_crc32c(s->sum, &w->at, sizeof(w->at));
    s->sum = xt_crc32c(s->sum, &w->cpu, sizeof(w->cpu));
    if ( !xt_window_verify(w, &s->damage) )
        return;
    xt_records_init(&records, w, &s->damage);
    while ( xt_records_next(&records, &r) )
        ;
    size = records.at - w->bytes;
    s->sum = xt_crc32c(s->sum, w->bytes, size);
    s->windows++;
    s->bytes += XT_WINDOW_HEADER + size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct seen a = { .windows = 0 }, b = { .windows = 0 };

    feed_whole(bytes, size, take, &a, &a.damage);
    feed_pieces(bytes, size, size ? 16 + bytes[size - 1] * 4u : 1, take, &b,
                &b.damage);
    MUST(a.bytes + xt_damage_bytes(&a.damage) == size);
    MUST(a.windows == b.windows && a.bytes == b.bytes && a.sum == b.sum);
    MUST(!memcmp(&a.damage.times, &b.damage.times, sizeof(a.damage.times)));
    MUST(!memcmp(&a.damage.bytes, &b.damage.bytes, sizeof(a.damage.bytes)));
    return 0;
}
