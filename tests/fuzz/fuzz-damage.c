/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a trace, sealed or not, read at once and piece by piece: both
 * see the same, and every byte is in a window or in the book.
 */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "libxentrace/crc.h"
#include "libxentrace/seal.h"
#include "libxentrace/window.h"

struct seen
{
    uint64_t windows, bytes;
    uint32_t sum;               /* of all that was seen, and where */
    struct xt_damage damage;
};

static void take(struct seen *s, const struct xt_window *w)
{
    struct xt_records records;
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

static void whole(struct seen *s, const uint8_t *bytes, size_t size)
{
    struct xt_windows windows;
    struct xt_window w;

    xt_windows_init(&windows, bytes, size, &s->damage);
    while ( xt_windows_next(&windows, &w) )
        take(s, &w);
}

/* The end of what is in memory is that of an allocation. */
static void pieces(struct seen *s, const uint8_t *bytes, size_t size,
                   size_t piece)
{
    struct xt_windows windows;
    uint8_t *exact = NULL;
    struct xt_window w;
    size_t lo, hi = 0;

    xt_windows_init(&windows, NULL, 0, &s->damage);
    windows.more = true;
    for ( ; ; )
    {
        while ( xt_windows_next(&windows, &w) )
            take(s, &w);
        if ( !windows.more )
            break;
        lo = windows.origin + windows.next;
        hi = size - hi < piece ? size : hi + piece;
        free(exact);
        exact = malloc(hi - lo + 1);
        MUST(exact);
        memcpy(exact, bytes + lo, hi - lo);
        xt_windows_move(&windows, exact, hi - lo, lo, hi < size);
    }
    free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct seen a = { .windows = 0 }, b = { .windows = 0 };

    whole(&a, bytes, size);
    pieces(&b, bytes, size, size ? 16 + bytes[size - 1] * 4u : 1);
    MUST(a.bytes + xt_damage_bytes(&a.damage) == size);
    MUST(a.windows == b.windows && a.bytes == b.bytes && a.sum == b.sum);
    MUST(!memcmp(&a.damage.times, &b.damage.times, sizeof(a.damage.times)));
    MUST(!memcmp(&a.damage.bytes, &b.damage.bytes, sizeof(a.damage.bytes)));
    return 0;
}
