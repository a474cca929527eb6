/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CRC-32C, the checksum of a window (seal.h): the Castagnoli polynomial, bits
 * reflected, as in iSCSI and ext4.  CPUs have an instruction for it, with which
 * it is faster than reading the memory.
 */
#ifndef LIBXENTRACE_CRC_H
#define LIBXENTRACE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Continue the checksum `crc` (0 at the beginning) with these bytes. */
uint32_t xt_crc32c(uint32_t crc, const void *bytes, size_t size);

/* The same without the CPU's instruction. */
uint32_t xt_crc32c_table(uint32_t crc, const void *bytes, size_t size);

#endif /* LIBXENTRACE_CRC_H */
