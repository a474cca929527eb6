/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Integers at unaligned addresses, in the byte order of the writer.
 */
#ifndef SIMPLETRACE_BYTES_H
#define SIMPLETRACE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t st_get64(const unsigned char *at, bool swapped)
{
    uint64_t value;

    memcpy(&value, at, sizeof(value));
    return swapped ? __builtin_bswap64(value) : value;
}

static inline uint32_t st_get32(const unsigned char *at, bool swapped)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return swapped ? __builtin_bswap32(value) : value;
}

#endif /* SIMPLETRACE_BYTES_H */
