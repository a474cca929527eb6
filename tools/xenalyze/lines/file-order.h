/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source of batches in the order of the file: a batch is a window, and its
 * first item is the window's header record.
 */
#ifndef XENALYZE_LINES_FILE_ORDER_H
#define XENALYZE_LINES_FILE_ORDER_H

#include "common/err.h"
#include "libxentrace/libxentrace.h"

struct file_order
{
    struct xt_trace *trace;
    struct xt_item *items;
    size_t room;
    uint64_t *times;            /* by pcpu: the latest time stamp */
    unsigned int nr_cpus;
};

void file_order_init(struct file_order *o, struct xt_trace *trace);
void file_order_fini(struct file_order *o);

/* As xt_trace_next_batch(); `order` is a struct file_order. */
int file_order_next(void *order, struct xt_batch *b, struct err *e);

#endif /* XENALYZE_LINES_FILE_ORDER_H */
