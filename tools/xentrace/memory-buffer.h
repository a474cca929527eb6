/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The buffer of -M: the newest windows in memory, written to a file only on
 * request.  Old windows are dropped for new ones, and their events are counted.
 */
#ifndef XENTRACE_MEMORY_BUFFER_H
#define XENTRACE_MEMORY_BUFFER_H

#include <stdint.h>

#include "common/err.h"
#include "xentrace/record-scan.h"
#include "xentrace/record-scan.h"
#include "xentrace/ring-drain.h"
#include "xentrace/window-fifo.h"
#include "xentrace/trigger.h"
#include "xentrace/writer.h"

struct memory_buffer
{
    struct window_fifo fifo;
    unsigned int nr_cpus;
    uint64_t *dropped;          /* events of each pcpu that were dropped */
    struct triggers *triggers;  /* borrowed; check each window; or NULL */
};

/* The buffer has at least WINDOW_FIFO_MIN bytes. */
int memory_buffer_open(struct memory_buffer *m, uint64_t bytes,
                       unsigned int nr_cpus, struct err *e);
void memory_buffer_close(struct memory_buffer *m);

/* Remove all windows without counting their events. */
void memory_buffer_clear(struct memory_buffer *m);

/* The sink of ring-drain.h. */
struct window_sink memory_buffer_sink(struct memory_buffer *m);

/*
 * Write all windows but those that ended before the time stamp `since`.  The
 * buffer keeps its windows.  *times becomes the least and the greatest time
 * stamp of the windows, or 0 and 0; NULL: not needed.
 */
int memory_buffer_write(const struct memory_buffer *m, uint64_t since,
                        struct writer *w, struct scan_times *times,
                        struct err *e);

/*
 * Add the records of all windows but the first `skip` ones to counts[cpu], for
 * all pcpus of memory_buffer_open().
 */
void memory_buffer_count(const struct memory_buffer *m, uint64_t skip,
                         struct scan_counts *counts);

#endif /* XENTRACE_MEMORY_BUFFER_H */
