/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file formats of crash dumps, behind dump-memory.h.
 */
#ifndef XENTRACE_DUMP_FORMAT_H
#define XENTRACE_DUMP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "xentrace/dump-memory.h"

#define DUMP_HEAD 16u           /* bytes that tell the format */

/* The first member of the struct of each format. */
struct dump_memory
{
    const struct dump_format *format;
    int fd;                     /* the file; dump-memory.c closes it */
    uint64_t missing;           /* bytes of memory behind the file's end */
};

struct dump_format
{
    /* The head of a shorter file ends with zeroes. */
    bool (*is_format)(const unsigned char head[DUMP_HEAD]);
    /* `m` has the format's struct, zeroed but for the fd. */
    int (*open)(struct dump_memory *m, const char *path, struct err *e);
    /* Also after a failed open(); NULL if open() always fails. */
    void (*close)(struct dump_memory *m);
    int (*read)(const struct dump_memory *m, uint64_t address, void *to,
                size_t bytes);
    bool (*find)(const struct dump_memory *m, uint64_t from,
                 struct dump_range *range);
    size_t struct_bytes;
};

extern const struct dump_format dump_elf, dump_compressed;

#endif /* XENTRACE_DUMP_FORMAT_H */
