/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any text as -e and -c: either a mask or a reason, never both, and no bit
 * outside of the valid ones.
 */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "xentrace/mask.h"

#define NR_CPUS 13 /* the last byte is not full */

static void events(const char *text)
{
    struct err e = ERR_INIT;
    struct mask_events m = { .mask = 0 };
    int rc = mask_events(text, &m, &e);

    MUST(!rc == !e.code);
    MUST(!rc || e.text[0]);
    MUST(rc || !(m.mask >> 28));
}

static void cpus(const char *text)
{
    unsigned char bits[(NR_CPUS + 7) / 8 + 1];
    struct err e = ERR_INIT;
    int rc;

    memset(bits, 0xa5, sizeof(bits));
    rc = mask_cpus(text, NR_CPUS, bits, &e);

    MUST(!rc == !e.code);
    MUST(!rc || e.text[0]);
    MUST(bits[sizeof(bits) - 1] == 0xa5);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char text[64];
    size_t n = size < sizeof(text) ? size : sizeof(text) - 1;

    memcpy(text, bytes, n);
    text[n] = '\0';
    events(text);
    cpus(text);
    return 0;
}
