/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One capture: ask Xen to trace, take what comes, stop in good order.
 *
 * "In good order" is the point.  Whatever happens after Xen was made to
 * trace (the disk is full, the signal came, the hypervisor talks nonsense),
 * it is told to stop on the way out, unless the user wants it to go on; and
 * each record that was traced is in the file, or is in one of the counts.
 */
#ifndef XENTRACE_COLLECT_H
#define XENTRACE_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/log.h"
#include "xentrace/pipeline.h"
#include "xentrace/hypervisor.h"
#include "xentrace/host-rings.h"
#include "xentrace/stats-line.h"
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
    uint64_t memory;        /* -M: bytes of windows to keep; 0: write them */
    uint64_t buffer;        /* bytes that may wait for the disk */
    const char *arguments;  /* as they were typed */
    bool stats;             /* a line a second on standard error */

    /* Xen keeps the newest records by itself, if it can; needs memory. */
    bool flight_recorder;

    /* Snapshots of the memory; NULL: only when a signal asks for one. */
    struct triggers *triggers;
    uint64_t before_ns;     /* so much from before the trigger; 0: all */
    uint64_t after_ns;      /* and so much from behind it */
    unsigned int enough;    /* end after so many snapshots; 0: never */

    void (*ready)(void *arg);   /* called once it traces; or NULL */
    void *ready_arg;
};

#define COLLECT_PAGES 32u

/* What became of the events of a pcpu that are not in the file. */
struct collect_lost
{
    uint64_t ring;          /* Xen had no room */
    uint64_t output;        /* taken, or still in the ring; not written */
    uint64_t memory;        /* -M: made room for newer ones */
};

struct collect
{
    const struct collect_plan *plan;    /* borrowed, all three */
    struct hv *hv;
    const struct log *log;
    struct hv_info info;
    unsigned int nr_cpus;
    unsigned char *cpu_bits;            /* of plan->cpus, or NULL */
    struct rings rings;
    bool created_rings;                    /* there were none */
    bool tracing;                       /* by our doing */
    struct tbuf_state state;            /* of Xen's tracing */
    struct pipeline pipeline;
    bool pipeline_is_open;
    int virq;
    bool recorder;                      /* Xen overwrites by itself */
    unsigned int snapshots;             /* so many were taken */
    uint64_t snapshot_due_ms; /* when the next one is; 0: none is */
    uint64_t snapshot_since;                     /* from which time stamp on */
    uint64_t pass_tsc;                  /* when this pass began; 0: no matter */
    struct stats_line stats;
    bool shared;                        /* somebody else reads the rings */
    uint64_t next_second;               /* when to look at clocks and losses */

    bool can_count;                     /* Xen says what it loses */
    uint64_t *lost_before;                   /* what it had lost at the start */
    struct collect_lost *lost;          /* of each pcpu */
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
