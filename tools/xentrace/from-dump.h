/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --from-dump: the records in the trace buffers of a crash dump, as a trace
 * file.
 */
#ifndef XENTRACE_FROM_DUMP_H
#define XENTRACE_FROM_DUMP_H

#include "common/log.h"
#include "xentrace/writer.h"

struct from_dump
{
    const char *path;           /* NULL: no dump */
    const char *symbols;        /* path of xen-syms; or NULL */
};

/* `arguments` and `comment` are for the metadata; `comment` may be NULL. */
int from_dump_run(const struct from_dump *f, const struct writer_plan *output,
                  const char *arguments, const char *comment,
                  const struct log *log, struct err *e);

#endif /* XENTRACE_FROM_DUMP_H */
