/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metadata of a trace: the records of events/11-meta.  Records that hold
 * for the whole capture are collected once and are the preface of each file;
 * other records are written during the capture.
 */
#ifndef XENTRACE_METADATA_H
#define XENTRACE_METADATA_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/internal.h"
#include "xentrace/domains.h"
#include "xentrace/hypervisor.h"

struct metadata
{
    pthread_mutex_t lock;       /* protects the bytes and their counts */
    unsigned char *bytes;       /* encoded records */
    size_t used, room;
    int failed;                 /* -ENOMEM: records are missing */
    struct domains domains;     /* reported so far */
};

/* Values of text_kind of events/11-meta. */
#define METADATA_TEXT_COMMENT 12
#define METADATA_TEXT_TRIGGER 14
#define METADATA_TEXT_MARK 15

/* The parameters of the capture. */
struct metadata_start
{
    uint32_t evt_mask, pages, cpus;
    uint32_t flags;             /* enum capture_flags of events/11-meta */
    const char *arguments;      /* of the command line; NULL: unknown */
    const char *comment;        /* of the user; or NULL */
};

/* Collect all metadata; values that are not available are left out. */
int metadata_init(struct metadata *a, struct hv *hv, const struct hv_info *info,
                  const struct metadata_start *start, struct err *e);
void metadata_fini(struct metadata *a);

/*
 * Collect the metadata that is new since the last call: *nr records at *m,
 * which the caller frees.  Later files have these records in their preface.
 */
void metadata_poll(struct metadata *a, struct hv *hv, struct xt_meta **m,
                   unsigned int *nr);

/*
 * A copy of all records, for the preface of a new file; thread-safe.  NULL: no
 * memory.
 */
void *metadata_copy(void *about, size_t *bytes);

/*
 * The names of the domains so far; none without metadata.  On failure nothing
 * has to be freed.
 */
int metadata_read_names(const struct metadata *a,
                        struct xt_domain_names *names, struct err *e);

/*
 * Read the time stamp counter and two system clocks at the same moment.
 * Returns -errno if the counter of the hypervisor cannot be read.
 */
int metadata_sample_clocks(struct hv *hv, struct xt_meta *m, struct err *e);

/* Read the clock that Xen's time stamps come from. */
int metadata_read_tsc(struct hv *hv, uint64_t *tsc, struct err *e);

/*
 * Split a text into records: TRC_META_TEXT with `id` as its kind,
 * TRC_META_DOMAIN_NAME with `id` as the domain, or TRC_META_IRQ_NAME with `id`
 * as the interrupt.
 */
void metadata_put_text(hv_record_fn *put, void *arg, uint32_t event,
                       uint16_t id, const char *text);

#endif /* XENTRACE_METADATA_H */
