/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of a Xen image (xen-syms) by which a reader finds the trace
 * buffers in a crash dump, and the image itself.
 */
#ifndef XENTRACE_DUMP_SYMBOLS_H
#define XENTRACE_DUMP_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define DUMP_NOTE_MAX 64u

/* Virtual addresses; 0: the image lacks the symbol. */
struct dump_symbols
{
    uint64_t t_info;
    uint64_t root_table;
    uint64_t nr_cpus;
    uint64_t khz;
    uint64_t lost;              /* per-CPU: count since the last LOST record */
    uint64_t percpu_offset;
    uint64_t note;              /* build id */
    size_t note_bytes;
    unsigned char note_text[DUMP_NOTE_MAX];
};

/* Fails if a symbol is missing without which no ring can be found. */
int dump_symbols_read(struct dump_symbols *s, const char *path, struct err *e);

#endif /* XENTRACE_DUMP_SYMBOLS_H */
