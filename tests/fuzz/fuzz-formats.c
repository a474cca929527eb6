/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a user's rules: either rejected with a reason, or usable to
 * print a few records within the promised space.
 */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "xenalyze/lines/formats.h"

#define TIMED 0x80000000u

/* A wake-up, one with an earlier time, a hypercall, a record without words. */
static const uint32_t records[] = {
    TIMED | 2u << 28 | 0x28004, 5000, 1, 0xffffffff, 7,
    TIMED | 1u << 28 | 0x28001, 4000, 1, 3,
    7u << 28 | 0x20100d, 0x12300001, 2, 3, 4, 5, 6, 7,
    TIMED | 0x81001, 0xffffffff, 0xffffffff,
};
static const struct xt_item items[] = {
    { .where = 0 }, { .where = 20 }, { .where = UINT64_C(3) << 48 | 36 },
    { .where = 68 },
};

static void print(struct formats *f)
{
    const struct line_style *style = formats_style();
    struct xt_batch b = {
        .items = items, .nr = sizeof(items) / sizeof(items[0]),
        .bytes = (const unsigned char *)records,
    };
    struct chunk c;
    size_t at = 0;
    ssize_t n;

    MUST(!chunk_init(&c, false));
    while ( at < b.nr )
    {
        chunk_begin(&c, &b);
        n = style->read(f, &c, &b, at);
        MUST(n > 0);
        at += n;
        style->format(f, &c);
        MUST(c.used <= c.room && !c.no_memory);
    }
    chunk_fini(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct err e = ERR_INIT;
    struct formats *f;
    int rc = formats_new(&f, (const char *)bytes, size, "rules", &e);

    formats_suspected((const char *)bytes, size);
    MUST(!rc == !e.code);
    MUST(!rc == !!f);
    MUST(!rc || e.text[0]);
    if ( rc )
        return 0;
    formats_set_mhz(f, size & 1 ? 2400 : 0);
    print(f);
    formats_free(f);
    return 0;
}
