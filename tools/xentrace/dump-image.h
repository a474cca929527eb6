/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's image in a crash dump, and Xen's virtual memory.
 *
 * The image is at an unknown machine address, and a dump may contain copies of
 * it: a boot module, a file cache.  The running image is the one whose page
 * tables map it to the place where it is.
 */
#ifndef XENTRACE_DUMP_IMAGE_H
#define XENTRACE_DUMP_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include <public/trace.h>

#include "common/err.h"
#include "xentrace/dump-memory.h"
#include "xentrace/dump-symbols.h"

struct dump_image
{
    const struct dump_memory *memory;   /* borrowed */
    uint64_t root;                      /* machine address of page tables */
};

/* Find the image by its build id.  -ENOENT without a text: not in the dump. */
int dump_image_find(struct dump_image *image, const struct dump_memory *m,
                    const struct dump_symbols *s);

/*
 * Find the image by its struct xen_trace_crash_info, and read the struct.
 * -ENOENT without a text: not in the dump.
 */
int dump_image_find_info(struct dump_image *image, const struct dump_memory *m,
                         struct xen_trace_crash_info *info);

/* The machine address of a virtual address, or -EFAULT. */
int dump_image_translate(const struct dump_image *image, uint64_t va,
                         uint64_t *address);

/* Read virtual memory; -EFAULT: not mapped, or not in the dump. */
int dump_image_read(const struct dump_image *image, uint64_t va, void *to,
                    size_t bytes);

#endif /* XENTRACE_DUMP_IMAGE_H */
