/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index of a trace by time, TRACE.xti: what a reader that begins in the
 * middle of the trace needs from before, at CHECKPOINTS some MiB apart, and the
 * counts of all records.
 *
 *     struct index_header
 *     for each checkpoint     the early records of the moment (early-save.h)
 *     the counts (counts-save.h), or nothing
 *     struct index_checkpoint, for each checkpoint, in the order of time
 *     if the trace is damaged, its damage: struct xt_damage of its windows, and
 *         struct xt_pcpu_damage, as sorted
 *     struct index_metadata, for each metadata record, in the order of time
 *     these metadata records
 *
 * Numbers have the byte order of the machine; each part has a checksum.  An
 * index belongs to a file with the same size and time of modification; parts of
 * the file, here and there, have a checksum, too.
 */
#ifndef XENALYZE_CONVERT_TIME_INDEX_H
#define XENALYZE_CONVERT_TIME_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/internal.h"
#include "xenalyze/convert/counts-save.h"
#include "xenalyze/convert/early-records.h"

#define TIME_INDEX_SUFFIX ".xti"

/* The identity of a trace, as far as the index has it. */
struct index_identity
{
    uint64_t size;
    uint64_t modified;          /* ns since 1970 */
    uint32_t crc;               /* samples of these bytes */
    uint32_t zero;
};

enum index_flag
{
    INDEX_CLOCKS_DIFFER = 1,    /* an analysis corrects the clocks of pcpus,
                                   which the index does not, or warns of them,
                                   which needs more records than of a span */
    INDEX_IS_UNUSABLE = 2,      /* without checkpoints: the trace has several
                                   captures, displaced windows, or too much
                                   damage */
    INDEX_IS_DAMAGED = 4,       /* the index has the damage */
};

struct index_header
{
    char magic[8];
    uint32_t version;
    uint32_t flags;             /* enum index_flag */
    struct index_identity trace;
    uint64_t tables;            /* offset of the checkpoints */
    uint64_t metadata_size;     /* bytes of the records */
    uint64_t counts;            /* offset of the counts */
    uint32_t counts_size, counts_crc;   /* in bytes; 0: there are none */
    uint32_t nr_checkpoints, nr_metadata;
    uint32_t nr_damages, zero;
    uint32_t tables_crc;        /* all from `tables` on */
    uint32_t crc;               /* this header, with 0 here */
};

struct index_checkpoint
{
    uint64_t time;              /* all earlier records are in the state */
    uint64_t position;          /* in the trace, about */
    uint64_t at;                /* offset of the state */
    uint32_t size, crc;         /* the state */
    uint32_t nr_metadata;       /* records before */
    uint32_t zero;
};

struct index_metadata
{
    uint64_t time;
    uint16_t cpu;
    uint8_t size, zero[5];
};

/* --- reading -------------------------------------------------------------- */

struct time_index
{
    int fd;
    struct index_header header;
    unsigned char *tables;      /* checkpoints, damage and metadata */
    struct xt_pcpu_damages damages;     /* if INDEX_IS_DAMAGED; borrowed */
};

enum index_state
{
    INDEX_FITS,
    INDEX_MISSING,              /* or another file has its name */
    INDEX_OUTGROWN,             /* the trace has grown since */
    INDEX_STALE,                /* for another trace, version, or damaged */
};

/*
 * Open the index of the trace at `path`.  Unless the result is INDEX_FITS,
 * nothing is open; no memory counts as missing.
 */
enum index_state time_index_open(struct time_index *x, const char *path);
void time_index_close(struct time_index *x);    /* once; not needed if closed */

/* The damage of the trace; NULL: only its end is torn, if anything. */
const struct xt_pcpu_damages *
time_index_get_damages(const struct time_index *x);

/* The last checkpoint up to `time`, or NULL. */
const struct index_checkpoint *time_index_find(const struct time_index *x,
                                               uint64_t time);

/* The checkpoint before this one, or, if it is the first, itself. */
const struct index_checkpoint *
time_index_get_previous(const struct time_index *x,
                        const struct index_checkpoint *c);

/* Read the state into new early records.  0; -EINVAL: damaged; -ENOMEM. */
int time_index_load(const struct time_index *x,
                    const struct index_checkpoint *c,
                    struct early_records *early);

typedef int index_metadata_fn(void *arg, const struct xt_item *item,
                              const struct xt_record *r, const void *bytes,
                              size_t size);

/* Deliver the metadata before the checkpoint; 0, or a callback's failure. */
int time_index_visit_metadata(const struct time_index *x,
                              const struct index_checkpoint *c,
                              index_metadata_fn *fn, void *arg);

/*
 * All metadata of the trace, one record behind the other; NULL: not known.
 * Borrowed.
 */
const unsigned char *time_index_get_metadata(const struct time_index *x,
                                             size_t *size);

/*
 * Read the counts of all records.  0, and saved_counts_fini() is to be called;
 * -EINVAL: there are none, or they are damaged; -ENOMEM; another -errno.
 */
int time_index_load_counts(const struct time_index *x, struct saved_counts *c);

/* --- writing -------------------------------------------------------------- */

/* The counts of the trace, borrowed; NULL: none.  0 or -errno with *e. */
typedef int index_counts_fn(void *arg, struct saved_counts **counts,
                            struct err *e);

struct index_options
{
    struct xt_trace *trace;     /* rewound; a mapped file */
    const char *path;           /* the trace, too */
    bool clocks_differ;         /* see INDEX_CLOCKS_DIFFER */
    const struct xt_pcpu_damages *damages;      /* NULL: none, or too many */
    index_counts_fn *get_counts;        /* called behind the last record */
    void *counts_arg;
    void (*progress)(void *arg, uint64_t time); /* or NULL */
    void *progress_arg;
};

struct index_counts
{
    uint32_t checkpoints;
    uint64_t size;              /* bytes of the index */
    bool is_unusable;           /* see INDEX_IS_UNUSABLE */
    bool clocks_differ;         /* see INDEX_CLOCKS_DIFFER */
};

/* Write the index of a trace beside it.  0 or -errno with *e. */
int time_index_write(const struct index_options *o, struct index_counts *counts,
                     struct err *e);

/* --- common --------------------------------------------------------------- */

/* False: the path is a descriptor, beside which no index can be. */
bool time_index_may_exist(const char *path);

/* The name of the index; free().  NULL: no memory. */
char *time_index_name(const char *path);

/* The identity of the first `size` bytes of an open trace.  0 or -errno. */
int time_index_identify(int fd, uint64_t size, struct index_identity *id);

void index_header_init(struct index_header *h);
uint32_t index_header_crc(const struct index_header *h);

#endif /* XENALYZE_CONVERT_TIME_INDEX_H */
