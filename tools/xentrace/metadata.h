/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a trace says of itself: the records of events/11-meta.  Those that hold
 * for all of a capture are collected once, and each file begins with them;
 * others come with the time.
 */
#ifndef XENTRACE_METADATA_H
#define XENTRACE_METADATA_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/meta.h"
#include "xentrace/domains.h"
#include "xentrace/hypervisor.h"

struct metadata
{
    pthread_mutex_t lock;       /* of the bytes: who writes, copies them */
    unsigned char *bytes;       /* the records, one behind the other */
    size_t used, room;
    int failed;                 /* -ENOMEM: some are missing */
    struct domains domains;     /* that are among them */
};

/* How the capture was started. */
struct metadata_start
{
    uint32_t evt_mask, pages, cpus;
    uint32_t flags;             /* capture_flags of events/11-meta */
    const char *arguments;      /* of the program, NULL: not said */
};

/* All that is known; what cannot be had is left out. */
int metadata_init(struct metadata *a, struct hv *hv, const struct hv_info *info,
                  const struct metadata_start *start, struct err *e);
void metadata_fini(struct metadata *a);

/*
 * What has become known since: *nr records at *m, which are the caller's to
 * free.  Files that begin later have it from the start.
 */
void metadata_poll(struct metadata *a, struct hv *hv, struct xt_meta **m,
                   unsigned int *nr);

/* All of it, for a file that begins now; by any thread.  NULL: no memory. */
void *metadata_copy(void *about, size_t *bytes);

/* One moment on three clocks.  -errno: the hypervisor's clock is unreadable. */
int metadata_sample_clocks(struct hv *hv, struct xt_meta *m, struct err *e);

/* Now on the clock that time stamps are read from. */
int metadata_read_tsc(struct hv *hv, uint64_t *tsc, struct err *e);

/*
 * A text, record by record: TRC_META_TEXT of that kind, or
 * TRC_META_DOMAIN_NAME of that domain.
 */
void metadata_put_text(hv_record_fn *put, void *arg, uint32_t event,
                       uint16_t id, const char *text);

#endif /* XENTRACE_METADATA_H */
