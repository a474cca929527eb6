/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading bytes at a place of a file.
 */
#ifndef COMMON_FILE_READ_H
#define COMMON_FILE_READ_H

#include <stddef.h>
#include <stdint.h>

/*
 * Read all `size` bytes at offset `at`.  0; -errno; or `at_end`, the caller's
 * error for a file that ends before.
 */
int file_read_at(int fd, void *to, size_t size, uint64_t at, int at_end);

#endif /* COMMON_FILE_READ_H */
