/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -M: the newest windows, in memory, and in a file only when somebody wants
 * them.  A window that does not fit makes room for itself; how many events
 * that cost is counted.
 */
#ifndef XENTRACE_MEMORY_BUFFER_H
#define XENTRACE_MEMORY_BUFFER_H

#include <stdint.h>

#include "common/err.h"
#include "xentrace/ring-drain.h"
#include "xentrace/window-fifo.h"
#include "xentrace/trigger.h"
#include "xentrace/writer.h"

struct memory_buffer
{
    struct window_fifo fifo;
    unsigned int nr_cpus;
    uint64_t *dropped;          /* events of each pcpu that made room */
    struct triggers *triggers;  /* borrowed; shown each window; or NULL */
};

/* At least SPOOL_MIN bytes. */
int memory_buffer_open(struct memory_buffer *m, uint64_t bytes,
                       unsigned int nr_cpus, struct err *e);
void memory_buffer_close(struct memory_buffer *m);

/* Forget all that is there, uncounted. */
void memory_buffer_clear(struct memory_buffer *m);

/* The door for drain.h. */
struct window_sink memory_buffer_sink(struct memory_buffer *m);

/*
 * Write the windows that are there, which stay there, but those that ended
 * before the time stamp `since`.
 */
int memory_buffer_write(const struct memory_buffer *m, uint64_t since,
                        struct writer *w, struct err *e);

#endif /* XENTRACE_MEMORY_BUFFER_H */
