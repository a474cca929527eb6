/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline behind the rings: windows go to the memory buffer (-M), or
 * through the write thread into the file.  Unless the output is plain, windows
 * with records about the capture are added.
 */
#ifndef XENTRACE_PIPELINE_H
#define XENTRACE_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "xentrace/metadata.h"
#include "xentrace/ring-drain.h"
#include "xentrace/memory-buffer.h"
#include "xentrace/write-thread.h"
#include "xentrace/writer.h"

struct pipeline
{
    struct writer *writer;      /* borrowed */
    struct metadata metadata;
    size_t preface_bytes;       /* metadata bytes in the preface of the file */
    unsigned int cpu;           /* pcpu of the metadata windows */
    bool plain;
    bool to_memory;             /* use `memory`, not `write_thread` */
    struct memory_buffer memory;
    struct write_thread write_thread;
    bool thread_is_running;     /* the thread uses the writer */
    struct window_sink sink;    /* of `memory` or of `write_thread` */
};

struct pipeline_plan
{
    uint64_t memory;            /* bytes of the memory buffer; 0: none */
    struct write_thread_plan queue; /* of windows for the disk */
    unsigned int cpu, nr_cpus;
    struct triggers *triggers;  /* with `memory`: check each window; or NULL */
    struct metadata_start start;
};

/* Write the preface of the file.  On failure nothing has to be closed. */
int pipeline_open(struct pipeline *p, const struct pipeline_plan *plan,
                  struct writer *w, struct hv *hv, const struct hv_info *info,
                  struct err *e);
void pipeline_close(struct pipeline *p);

/*
 * Put windows of metadata records, unless plain.  False: there is no room for
 * all of them.
 */
bool pipeline_put_records(struct pipeline *p, const struct xt_meta *m,
                          unsigned int nr);

/*
 * Put metadata that is new since the last poll.  A memory buffer would soon
 * overwrite these records: with -M they go into each snapshot instead.
 */
void pipeline_poll_metadata(struct pipeline *p, struct hv *hv);

/* Allow the write thread to write all windows put so far. */
void pipeline_publish(struct pipeline *p);

/* Bytes queued for the disk. */
uint64_t pipeline_pending_bytes(const struct pipeline *p);

/*
 * A descriptor to poll, or -1; when readable, call pipeline_ack(), which
 * returns -errno if the writer has failed.
 */
int pipeline_fd(const struct pipeline *p);
int pipeline_ack(struct pipeline *p, struct err *e);

struct snapshot_plan
{
    unsigned int nr;            /* written to PATH.nr */
    uint64_t since;             /* windows that ended before are left out */
    uint64_t tsc;               /* now */
    const char *cause;          /* text of the trigger, for the metadata */
    const char *comment;        /* likewise; both may be NULL */
    struct xt_meta *losses;     /* meta_lost records */
    unsigned int nr_losses;
};

struct snapshot_file
{
    char name[PATH_MAX];
    uint64_t bytes;
    struct scan_times times;    /* span of the records; 0 and 0: unknown */
};

/*
 * With -M: write the memory buffer to a file, and describe the file.  The
 * buffer keeps its windows.
 */
int pipeline_write_snapshot(struct pipeline *p, const struct snapshot_plan *s,
                            struct snapshot_file *file, struct err *e);

/* Remove the file of a snapshot. */
void pipeline_remove_snapshot(const struct pipeline *p, unsigned int nr);

/* Write all windows to the file, and end the write thread. */
int pipeline_end(struct pipeline *p, bool (*is_forced)(void), struct err *e);

/* After the end: add the records that did not reach the file to counts[cpu]. */
void pipeline_count(const struct pipeline *p, struct scan_counts *counts,
                    unsigned int nr);

/* After the end: write the last records of the file. */
int pipeline_write_trailer(struct pipeline *p, const struct xt_meta *m,
                           unsigned int nr, struct err *e);

#endif /* XENTRACE_PIPELINE_H */
