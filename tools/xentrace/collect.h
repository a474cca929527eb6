/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One capture: start Xen's tracing, copy its records, stop in good order.
 *
 * Good order is a guarantee.  Whatever happens after tracing was enabled (a
 * full disk, a signal, invalid data from the hypervisor), tracing is disabled
 * on the way out, unless the user wants Xen to trace on; and each traced record
 * is either in the file or in one of the counts.
 */
#ifndef XENTRACE_COLLECT_H
#define XENTRACE_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/log.h"
#include "xentrace/pipeline.h"
#include "xentrace/hypervisor.h"
#include "xentrace/host-rings.h"
#include "xentrace/request-server.h"
#include "xentrace/snapshot-hook.h"
#include "xentrace/snapshot-policy.h"
#include "xentrace/stats-line.h"
#include "xentrace/tbuf.h"
#include "xentrace/writer.h"

struct collect_plan
{
    uint32_t evt_mask;      /* 0: keep Xen's mask; mask_events_check()ed */
    const char *cpus;       /* see mask.h; NULL: keep Xen's mask */
    unsigned int pages;     /* per ring; 0: COLLECT_PAGES for new rings */
    bool discard;           /* drop records traced before the capture */
    bool start_disabled;
    bool leave_enabled;
    bool share_rings;       /* begin even if another program reads the rings */
    bool keep_masks;        /* leave the masks as they are at the end */
    unsigned int sleep_ms;  /* maximum between two passes */
    uint64_t time_ns;       /* length of the capture; 0: until a signal */
    uint64_t memory;        /* -M: bytes of windows kept; 0: no -M */
    uint64_t buffer;        /* bytes of windows queued for the disk */
    const char *arguments;  /* of the command line */
    const char *comment;    /* for the metadata; or NULL */
    bool stats;             /* print a line per second on stderr */

    /* Xen itself keeps the newest records, if it can; needs `memory`. */
    bool flight_recorder;

    /* Take snapshots of the memory buffer; NULL: only on a signal. */
    struct triggers *triggers;
    uint64_t every_ns;          /* cool-down after a trigger */
    unsigned int keep;          /* number of snapshots to keep; 0: all */
    const char *on_snapshot;    /* command to run; NULL: none */
    uint64_t before_ns;         /* length before the trigger; 0: everything */
    uint64_t after_ns;          /* length after the trigger */
    unsigned int max_snapshots; /* stop after this many snapshots; 0: never */

    struct request_server *requests;    /* borrowed; NULL: no control socket */

    void (*ready)(void *arg);   /* called when tracing has begun; or NULL */
    void *ready_arg;
};

#define COLLECT_PAGES 32u

/* Events of a pcpu: those missing in the file, by reason, and those in it. */
struct collect_lost
{
    uint64_t ring;          /* no room in Xen's ring */
    uint64_t output;        /* left in the ring, or not written */
    uint64_t memory;        /* -M: overwritten by newer events */
    uint64_t taken;         /* read by another program */
    uint64_t reported;      /* not a loss: the part of `ring` that loss records
                               in the files count */
    uint64_t written;       /* no loss either: the events in the files */
};

struct masks
{
    uint32_t evt;                       /* set for this capture; 0: none */
    uint32_t evt_before;                /* the mask of Xen ... */
    bool evt_known;                     /* ... if it could be read */
    unsigned char *cpus_before;
    bool evt_is_set, cpus_are_set;      /* by this capture */
};

struct collect
{
    const struct collect_plan *plan;    /* plan, hv and log are borrowed */
    struct hv *hv;
    const struct log *log;
    struct hv_info info;
    unsigned int nr_cpus;
    unsigned char *cpu_bits;            /* plan->cpus as a bitmap, or NULL */
    struct rings rings;
    bool created_rings;                 /* Xen had no rings before */
    bool tracing;                       /* enabled by this capture */
    bool is_off;                        /* disabled by another program */
    struct masks masks;
    struct tbuf_state state;            /* Xen's state before the capture */
    struct pipeline pipeline;
    bool pipeline_is_open;
    int virq;
    bool recorder;                      /* Xen overwrites old records */
    unsigned int snapshots;             /* number of snapshots taken */
    char last_snapshot[PATH_MAX];       /* path of its file; "": none */
    struct snapshot_policy policy;
    struct snapshot_hook hook;
    uint64_t snapshot_due_ms;           /* time of the next snapshot; 0: none */
    uint64_t snapshot_since;            /* first time stamp to write */
    struct trigger_cause cause;         /* reason of the next one */
    uint64_t pass_tsc;                  /* start of this pass; 0: not needed */
    struct stats_line stats;
    bool shared;                        /* another process reads the rings */
    bool left_on;                       /* tracing stays on for that process */
    uint64_t next_second;               /* of clock and loss records */

    bool can_count;                     /* Xen counts its lost records; false:
                                           only its loss records do */
    uint64_t *lost_before;              /* of each pcpu, at the start */
    struct collect_lost *lost;          /* of each pcpu */
};

/*
 * Query the host, check the plan, and become the reader of the rings.  Changes
 * nothing in Xen.
 */
int collect_open(struct collect *c, const struct collect_plan *plan,
                 struct hv *hv, const struct log *log, struct err *e);
void collect_close(struct collect *c);

/*
 * Run the capture.  Returns 0, or -errno and the first reason in *e.  In both
 * cases `rings` and `lost` are valid until close.
 */
int collect_run(struct collect *c, struct writer *w, struct err *e);

#endif /* XENTRACE_COLLECT_H */
