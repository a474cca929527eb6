/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One capture: ask Xen to trace, take what comes, stop in good order.
 *
 * "In good order" is the point.  Whatever happens after Xen was made to
 * trace (the disk is full, the signal came, the hypervisor talks nonsense),
 * it is told to stop on the way out, unless the user wants it to go on.
 */
#ifndef XENTRACE_COLLECT_H
#define XENTRACE_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/log.h"
#include "xentrace/hypervisor.h"
#include "xentrace/rings.h"
#include "xentrace/tbuf.h"
#include "xentrace/writer.h"

struct collect_plan
{
    uint32_t evt_mask;      /* 0: as it is in Xen; mask_events_check()ed */
    const char *cpus;       /* as mask.h reads it; NULL: as it is in Xen */
    unsigned int pages;     /* of a ring; 0: COLLECT_PAGES, or what is there */
    bool discard;           /* what is in the rings before we begin */
    bool start_disabled;
    bool leave_enabled;
    unsigned int sleep_ms;  /* at most, between two passes */
    uint64_t time_ns;       /* of the capture; 0: until a signal */
};

#define COLLECT_PAGES 32u

struct collect
{
    const struct collect_plan *plan;    /* borrowed, all three */
    struct hv *hv;
    const struct log *log;
    unsigned int nr_cpus;
    unsigned char *cpu_bits;            /* of plan->cpus, or NULL */
    struct rings rings;
    bool tracing;                       /* by our doing */
    int virq;

    struct tbuf_state state;            /* of Xen's tracing, at the start */

    /* Losses of each pcpu during the capture; NULL if Xen cannot tell. */
    uint64_t *lost;
};

/* Look at the host and check the plan against it.  Changes nothing there. */
int collect_open(struct collect *c, const struct collect_plan *plan,
                 struct hv *hv, const struct log *log, struct err *e);
void collect_close(struct collect *c);

/*
 * The capture.  0, or -errno and the first reason in *e.  Either way rings
 * and lost tell how far it got, until close.
 */
int collect_run(struct collect *c, struct writer *w, struct err *e);

#endif /* XENTRACE_COLLECT_H */
