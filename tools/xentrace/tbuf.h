/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control operations of Xen's trace buffers, with a text for each failure.
 * Answers are checked as far as possible without access to Xen's memory.
 */
#ifndef XENTRACE_TBUF_H
#define XENTRACE_TBUF_H

#include <stdint.h>

#include "xentrace/hypervisor.h"

struct tbuf_info
{
    uint32_t evt_mask;
    uint64_t mfn;       /* of t_info; 0: Xen has no rings */
    uint32_t size;      /* of t_info in bytes; whole pages */
};

int tbuf_get_info(struct hv *hv, struct tbuf_info *info, struct err *e);
int tbuf_set_evt_mask(struct hv *hv, uint32_t mask, struct err *e);
int tbuf_set_cpu_mask(struct hv *hv, const unsigned char *bits,
                      unsigned int nr_cpus, struct err *e);
int tbuf_set_size(struct hv *hv, uint32_t pages, struct err *e);
int tbuf_enable(struct hv *hv, struct err *e);
int tbuf_disable(struct hv *hv, struct err *e);

/*
 * Enable tracing so that new records overwrite old ones until tbuf_disable(),
 * which makes the records readable.  -EOPNOTSUPP, without a text in *e: not
 * supported by this Xen.
 */
int tbuf_overwrite(struct hv *hv, struct err *e);

struct tbuf_state
{
    uint32_t flags;     /* XEN_TBUF_* */
    uint32_t evt_mask;
    unsigned int nr_masked;     /* online pcpus outside of the pcpu mask */
    unsigned int nr_online;
};

/*
 * Read the state of tracing, and in lost[cpu] the number of records that each
 * pcpu has lost since boot; 0 for pcpus that Xen does not list.  -EOPNOTSUPP,
 * without a text in *e: not supported by this Xen.
 */
int tbuf_state(struct hv *hv, struct tbuf_state *state, uint64_t *lost,
               unsigned int nr_cpus, struct err *e);

/*
 * Read the pcpu mask into (nr_cpus + 7) / 8 bytes, lowest bit first.  Same
 * errors as tbuf_state().
 */
int tbuf_get_cpu_mask(struct hv *hv, unsigned char *bits, unsigned int nr_cpus,
                      struct err *e);

#endif /* XENTRACE_TBUF_H */
