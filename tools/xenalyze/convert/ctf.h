/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write a trace in the Common Trace Format 1.8, for babeltrace2 and Trace
 * Compass: a folder with a file `metadata`, and a file of events for each pcpu.
 *
 *     event.context     the vcpu that runs on the pcpu
 *     lost records      discarded events of the pcpu's stream
 *     times             TSC, with the wall clock as far as known; each segment
 *                       begins a millisecond behind the segment before
 *
 * Memory: a buffer for each pcpu, of 64 KiB for the first pcpus and 4 KiB for
 * further ones.
 */
#ifndef XENALYZE_CONVERT_CTF_H
#define XENALYZE_CONVERT_CTF_H

#include <stdint.h>

#include "xenalyze/lines/lines.h"

struct ctf_options
{
    /* All borrowed. */
    struct xt_trace *trace;
    struct record_filter *source;       /* without a filter; ctf_write() sets
                                           its warm-up */
    const struct filter *filter;
    const struct xt_catalogue *catalogue;
    const struct xt_info *info;
    const struct xt_domain_names *names;
    const struct file_texts *texts;     /* in the first window */
    const char *name;                   /* trace, for the metadata */
    const char *folder;
    uint64_t hz;                        /* given by the user, or 0 */
    void (*progress)(void *arg, uint64_t time); /* or NULL */
    void *progress_arg;
};

/* 0, or -errno with *e.  *written: the number of events; 0: no folder. */
int ctf_write(const struct ctf_options *o, uint64_t *written, struct err *e);

#endif /* XENALYZE_CONVERT_CTF_H */
