/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the records of all traces.
 */
#ifndef SIMPLETRACE_PRINT_TRACES_H
#define SIMPLETRACE_PRINT_TRACES_H

#include "simpletrace/merge.h"
#include "simpletrace/options.h"

/* *damaged: part of a trace could not be read; a message has been printed. */
int st_print_traces(const struct st_options *o, struct st_merge *m,
                    const struct st_reader_options *how, bool *damaged,
                    struct err *e);

#endif /* SIMPLETRACE_PRINT_TRACES_H */
