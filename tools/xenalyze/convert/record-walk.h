/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The selected records of a trace in the order of time, each with the vcpu that
 * runs on its pcpu: the loop of all formats that are made of records.
 *
 * Times of a segment that would not follow those of the segment before are
 * shifted, so that the segment begins a millisecond behind.
 */
#ifndef XENALYZE_CONVERT_RECORD_WALK_H
#define XENALYZE_CONVERT_RECORD_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/internal.h"
#include "xenalyze/lines/lines.h"

struct walked_record
{
    unsigned int cpu;
    unsigned int segment;
    uint64_t time, shift;       /* `time` has `shift` added */
    uint32_t vcpu;              /* domain << 16 | vcpu, that ran before the
                                   record; or NO_VCPU */
    bool is_selected;
    const struct xt_record *record;
};

struct record_walk
{
    /* Set by the caller, and borrowed. */
    struct record_filter *source;       /* without a filter; the walk sets its
                                           warm-up */
    const struct filter *filter;
    const struct xt_catalogue *catalogue;
    uint64_t hz;                /* frequency of time stamps */
    const char *output;         /* name of the output, for messages */
    bool passes_all;            /* also records that are not selected */
    int (*record)(void *arg, const struct walked_record *w);  /* 0 or -errno */
    void *arg;
    void (*progress)(void *arg, uint64_t time); /* or NULL */
    void *progress_arg;

    bool has_filter;
    struct who_runs runs;
    struct xt_losses losses;    /* counted by the collector */
    unsigned int segment;
    uint64_t shift;
    uint64_t last;              /* time of the last selected record, shifted */
    uint64_t nr;                /* selected records so far */
};

/* Call after setting the caller's members.  0 or -ENOMEM. */
int record_walk_init(struct record_walk *w);
void record_walk_fini(struct record_walk *w);

/* 0, or -errno with *e. */
int record_walk_run(struct record_walk *w, struct err *e);

#endif /* XENALYZE_CONVERT_RECORD_WALK_H */
