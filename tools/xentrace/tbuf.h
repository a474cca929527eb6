/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace buffer's controls, as functions that fail with a sentence.  What
 * Xen answers is checked here as far as it can be without its memory.
 */
#ifndef XENTRACE_TBUF_H
#define XENTRACE_TBUF_H

#include <stdint.h>

#include "xentrace/hypervisor.h"

struct tbuf_info
{
    uint32_t evt_mask;
    uint64_t mfn;       /* of t_info; 0: there are no rings */
    uint32_t size;      /* of t_info, bytes: whole pages */
};

int tbuf_get_info(struct hv *hv, struct tbuf_info *info, struct err *e);
int tbuf_set_evt_mask(struct hv *hv, uint32_t mask, struct err *e);
int tbuf_set_cpu_mask(struct hv *hv, const unsigned char *bits,
                      unsigned int nr_cpus, struct err *e);
int tbuf_set_size(struct hv *hv, uint32_t pages, struct err *e);
int tbuf_enable(struct hv *hv, struct err *e);
int tbuf_disable(struct hv *hv, struct err *e);

/*
 * Trace from now on so that the newest records win, until disable, which
 * offers what there is.  -EOPNOTSUPP, and nothing in *e: this Xen cannot.
 */
int tbuf_overwrite(struct hv *hv, struct err *e);

struct tbuf_state
{
    uint32_t flags;     /* XEN_TBUF_* */
    uint32_t evt_mask;
    unsigned int nr_masked;     /* online pcpus that the mask leaves out */
    unsigned int nr_online;
};

/*
 * What Xen's tracing is doing; and lost[cpu] := the records that each pcpu has
 * lost since boot, whether the rings could say so or not; 0 for those that Xen
 * does not speak of.  -EOPNOTSUPP, and nothing in *e, if this Xen cannot tell.
 */
int tbuf_state(struct hv *hv, struct tbuf_state *state, uint64_t *lost,
               unsigned int nr_cpus, struct err *e);

#endif /* XENTRACE_TBUF_H */
