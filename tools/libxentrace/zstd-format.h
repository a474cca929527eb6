/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The formats of zstd files, for zstd-read.c and zstd-write.c.  All numbers
 * have 32 bits, little-endian.
 *
 *   a skippable frame:        0x184d2a5?, bytes that follow, these bytes
 *   the table:                0x184d2a5e, bytes that follow,
 *                             for each frame: bytes compressed, expanded,
 *                                             [checksum],
 *                             number of frames, flags (1 byte), 0x8f92eab1
 */
#ifndef LIBXENTRACE_ZSTD_FORMAT_H
#define LIBXENTRACE_ZSTD_FORMAT_H

#include <stdint.h>
#include <string.h>

#define ZSTD_SKIPPED_MAGIC 0x184d2a50u  /* to 0x184d2a5f */
#define ZSTD_SKIPPED_MASK 0xfffffff0u
#define ZSTD_SKIPPED_HEADER 8u
#define ZSTD_TABLE_MAGIC 0x184d2a5eu
#define ZSTD_TABLE_END_MAGIC 0x8f92eab1u
#define ZSTD_TABLE_END 9u
#define ZSTD_TABLE_HAS_SUMS 0x80u
#define ZSTD_TABLE_RESERVED 0x7cu

/*
 * Bytes of trace in a frame: the writer's target, and the largest frame that
 * the reader expands as a whole, and so verifies before delivery.
 */
#define ZSTD_FRAME_AIM (1u << 20)
#define ZSTD_FRAME_WHOLE (16u << 20)

static inline uint32_t zstd_load(const unsigned char *at)
{
    return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline void zstd_store(unsigned char *at, uint32_t value)
{
    for ( int i = 0; i < 4; i++ )
        at[i] = value >> 8 * i;
}

#endif /* LIBXENTRACE_ZSTD_FORMAT_H */
