/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CRC-32C, the checksum of a window (seal.h): Castagnoli's polynomial, bits
 * reflected, as in iSCSI and ext4.  It is that one because CPUs have an
 * instruction for it: then it costs less than to read the memory.
 */
#ifndef LIBXENTRACE_CRC_H
#define LIBXENTRACE_CRC_H

#include <stddef.h>
#include <stdint.h>

/*
 * The checksum of what `crc` is the checksum of (0: of nothing) with these
 * bytes behind it.
 */
uint32_t xt_crc32c(uint32_t crc, const void *bytes, size_t size);

/* The same without the instruction: for machines, and tests, that lack it. */
uint32_t xt_crc32c_table(uint32_t crc, const void *bytes, size_t size);

#endif /* LIBXENTRACE_CRC_H */
