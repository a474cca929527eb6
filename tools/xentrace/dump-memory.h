/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine memory in a crash dump: an ELF core whose program headers have
 * machine addresses, as kdump, makedumpfile -E and QEMU write it; or the
 * compressed format of makedumpfile.
 */
#ifndef XENTRACE_DUMP_MEMORY_H
#define XENTRACE_DUMP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct dump_memory;

int dump_memory_open(struct dump_memory **m, const char *path, struct err *e);
void dump_memory_close(struct dump_memory *m);

/*
 * Read bytes at a machine address.  -EFAULT: the dump does not have all of
 * them, because a page was left out or the file is truncated.
 */
int dump_memory_read(const struct dump_memory *m, uint64_t address, void *to,
                     size_t bytes);

/* Bytes that a truncated file lacks, if its format tells; or 0. */
uint64_t dump_memory_missing(const struct dump_memory *m);

/* A run of memory in the dump, inside of one segment. */
struct dump_range
{
    uint64_t address, bytes;
};

/*
 * The first range that ends behind `from`, from there on.  False: the dump has
 * no memory there or above.
 */
bool dump_memory_find(const struct dump_memory *m, uint64_t from,
                      struct dump_range *range);

#endif /* XENTRACE_DUMP_MEMORY_H */
