/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write a trace in the format of trace-cmd, version 6, for trace-cmd report and
 * KernelShark.
 *
 *     tasks         vcpus
 *     sched_switch  from changes of runstates
 *     sched_waking  the same; its task is the vcpu that wakes
 *     xen events    every record, with the names and fields of the catalogue
 *     lost records  missed events of the CPU
 *     times         nanoseconds from the begin of the trace
 *
 * Memory: a page for each pcpu, and a few bytes for each vcpu.
 */
#ifndef XENALYZE_CONVERT_TRACE_DAT_H
#define XENALYZE_CONVERT_TRACE_DAT_H

#include <stdint.h>
#include <stdio.h>

#include "xenalyze/lines/lines.h"

struct trace_dat_options
{
    /* All borrowed. */
    struct record_filter *source;       /* without a filter; its warm-up is
                                           set */
    const struct filter *filter;
    const struct xt_catalogue *catalogue;
    const struct xt_domain_names *names;
    struct xt_clock clock;      /* its origin is the begin of the trace */
    const char *output;         /* name, for messages */
    FILE *out;
    void (*progress)(void *arg, uint64_t time); /* or NULL */
    void *progress_arg;
};

/* 0, or -errno with *e.  *written: the number of records; 0: no file. */
int trace_dat_write(const struct trace_dat_options *o, uint64_t *written,
                    struct err *e);

#endif /* XENALYZE_CONVERT_TRACE_DAT_H */
