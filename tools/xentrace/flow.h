/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of the windows of one capture, behind the rings: into memory (-M),
 * or through a spool and a thread into the file; with what is said of the
 * capture between them, unless it is to be plain.
 */
#ifndef XENTRACE_FLOW_H
#define XENTRACE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "xentrace/about.h"
#include "xentrace/drain.h"
#include "xentrace/memory.h"
#include "xentrace/outlet.h"
#include "xentrace/writer.h"

struct flow
{
    struct writer *writer;      /* borrowed */
    struct about about;
    size_t begun;               /* bytes of it that the file began with */
    unsigned int cpu;           /* whose windows what we say stands in */
    bool plain;
    bool to_memory;             /* then memory, else outlet */
    struct memory memory;
    struct outlet outlet;
    bool writing;               /* the outlet's thread has the writer */
    struct store store;         /* either's door */
};

struct flow_plan
{
    uint64_t memory;            /* bytes; 0: not in memory */
    uint64_t buffer;            /* bytes that may wait for the disk */
    unsigned int cpu, nr_cpus;
    struct triggers *triggers;  /* with memory: see its windows; or NULL */
    struct about_start start;
};

/* The file begins; if it fails, it is as if nothing had been. */
int flow_open(struct flow *f, const struct flow_plan *plan, struct writer *w,
              struct hv *hv, const struct hv_info *info, struct err *e);
void flow_close(struct flow *f);

/* Put a window of these records, if there is room and they are wanted. */
void flow_say(struct flow *f, const struct xt_meta *m, unsigned int nr);

/*
 * What has become known of the machine since, put likewise; in memory (-M) it
 * would be the first to go, and comes with each dump instead.
 */
void flow_news(struct flow *f, struct hv *hv);

/* What was put may be written. */
void flow_publish(struct flow *f);

/* Bytes that wait for the disk. */
uint64_t flow_waiting(const struct flow *f);

/* To poll; -1: nothing.  If it can be read: see to it; -errno: no more. */
int flow_fd(const struct flow *f);
int flow_ack(struct flow *f, struct err *e);

/*
 * -M: write what is there into a file of its own, PATH.nr.  Goes on as if
 * nothing had been.
 */
int flow_snapshot(struct flow *f, unsigned int nr, uint64_t since,
                  struct err *e);

/* All that was put is in the file, or *e says why not. */
int flow_end(struct flow *f, bool (*insisted)(void), struct err *e);

/* After the end: what did not get into the file. */
void flow_count(const struct flow *f, uint64_t *records, unsigned int nr);

/* After the end: the last records of the file. */
int flow_last(struct flow *f, const struct xt_meta *m, unsigned int nr,
              struct err *e);

#endif /* XENTRACE_FLOW_H */
