/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts of all records of a trace as bytes: the results of the pass in the
 * order of the file, for info and count, which then read an index only.
 */
#ifndef XENALYZE_CONVERT_COUNTS_SAVE_H
#define XENALYZE_CONVERT_COUNTS_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libxentrace/internal.h"
#include "xenalyze/lines/lines.h"

/* Most metadata records that are kept: more than 100,000 domains have. */
#define SAVED_METADATA_MAX (1u << 20)

struct saved_metadata
{
    uint8_t size;
    uint8_t begins_window;      /* the first one of its window */
    uint8_t zero[6];
    unsigned char bytes[XT_RECORD_MAX_BYTES];
};

struct saved_counts
{
    struct xt_counts counts;    /* finished.  Its damage is without the places
                                   where another capture begins; of its losses,
                                   the sums are known */
    unsigned int captures;
    uint64_t cycles;            /* the sum of their lengths */

    /* In the order of the file, without seals. */
    struct saved_metadata *metadata;
    uint32_t nr_metadata, room;
    bool metadata_leads;        /* xt_trace_visit_metadata() finds the same */
    unsigned char *records;     /* after loading: one behind the other */
    size_t records_size;
};

/* Before counting.  0 or -ENOMEM; call saved_counts_fini() either way. */
int saved_counts_init(struct saved_counts *c);
void saved_counts_fini(struct saved_counts *c);

/* A counted_window_fn: keep the metadata.  0, -ENOMEM; -E2BIG: too many. */
int saved_counts_add_window(void *counts, const struct xt_window *w,
                            uint64_t nr);

/*
 * 0, and *c is unchanged; -EINVAL: a hostile trace has counts that cannot be
 * loaded again.  Check the stream for errors.
 */
int counts_save(struct saved_counts *c, FILE *out);

/*
 * Read the counts of a trace of `trace_size` bytes.  0; -EINVAL: the bytes are
 * damaged; -ENOMEM.  Call saved_counts_fini() if it is 0.
 */
int counts_load(struct saved_counts *c, const void *bytes, size_t size,
                uint64_t trace_size);

/* After loading: read the texts of all windows.  0 or -ENOMEM. */
int saved_counts_add_texts(const struct saved_counts *c, struct file_texts *t);

#endif /* XENALYZE_CONVERT_COUNTS_SAVE_H */
