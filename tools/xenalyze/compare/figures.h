/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table of figures.  A FIGURE is an array of sums, indexed by interval:
 * a kind of time or event of one vcpu, domain or pcpu.
 */
#ifndef XENALYZE_COMPARE_FIGURES_H
#define XENALYZE_COMPARE_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/debug.h"
#include "xenalyze/compare/shift.h"

/* Bursts are found in intervals; ranks are those of merged intervals. */
#define FIGURE_INTERVALS SHIFT_PARTS
#define FIGURE_MERGED (SHIFT_PARTS / SHIFT_SAMPLES)

/*
 * Sums are cycles, unless the comment names events.  A pcpu is FIGURE_RUNNING,
 * FIGURE_BLOCKED (idle) or FIGURE_UNKNOWN.
 */
enum figure_kind
{
    FIGURE_RUNNING,
    FIGURE_WAITING,
    FIGURE_BLOCKED,
    FIGURE_PAUSED,
    FIGURE_UNKNOWN,             /* records lost, or none */
    FIGURE_WAKEUPS,             /* events; series: from wake-up to running */
    FIGURE_TRIPS,               /* events; series: round trips of I/O */
    FIGURE_EXITS,               /* events; detail: cause */
    FIGURE_EXIT_TIME,           /* in Xen; detail: cause */
    FIGURE_HYPERCALLS,          /* events; detail: number */
    FIGURE_INTERRUPTS,          /* events */
    FIGURE_INTERRUPT_TIME,
    FIGURE_LOST_RECORDS,        /* events */
    FIGURE_LOST_TIME,
    FIGURE_KINDS
};

/*
 * The fields of a key, in the order of output: domain (16 bits), vcpu or whole
 * domain (17 bits), kind (7 bits), detail (24 bits).
 */
#define FIGURE_WHOLE 0u         /* all vcpus of the domain, or all pcpus */
#define FIGURE_VCPU(id) ((uint32_t)(id) + 1)
#define FIGURE_HOST 0xffffu     /* in place of a domain: pcpus */
#define FIGURE_DETAILS (1u << 24)
#define FIGURE_VCPUS (1u << 17)

static inline uint64_t figure_key(uint16_t domain, uint32_t vcpu,
                                  enum figure_kind kind, uint32_t detail)
{
    debug_assert(vcpu < FIGURE_VCPUS && kind < FIGURE_KINDS &&
                 detail < FIGURE_DETAILS);
    return (uint64_t)domain << 48 | (uint64_t)vcpu << 31 |
           (uint64_t)kind << 24 | detail;
}

static inline uint16_t figure_domain(uint64_t key)
{
    return key >> 48;
}

static inline uint32_t figure_vcpu(uint64_t key)
{
    return key >> 31 & 0x1ffff;
}

static inline enum figure_kind figure_kind(uint64_t key)
{
    return key >> 24 & 0x7f;
}

static inline uint32_t figure_detail(uint64_t key)
{
    return key & (FIGURE_DETAILS - 1);
}

/* Replace a field of a key. */
static inline uint64_t figure_with_kind(uint64_t key, enum figure_kind kind)
{
    return (key & ~(UINT64_C(0x7f) << 24)) | (uint64_t)kind << 24;
}

static inline uint64_t figure_with_domain(uint64_t key, uint16_t domain)
{
    return (key & (UINT64_MAX >> 16)) | (uint64_t)domain << 48;
}

static inline uint64_t figure_with_detail(uint64_t key, uint32_t detail)
{
    return (key & ~(uint64_t)(FIGURE_DETAILS - 1)) | detail;
}

/* The key of a series: the hash of stats_map uses the low bits most. */
static inline uint64_t figure_series_key(uint64_t key, uint32_t interval)
{
    debug_assert(interval <= SHIFT_SAMPLES);
    key = figure_with_detail(key, interval);
    return key >> 48 | key << 16;
}

struct figure
{
    uint64_t key;
    uint64_t sums[FIGURE_INTERVALS];
};

/*
 * A hostile trace has records of any number of vcpus.  The memory is bounded by
 * FIGURES_MAX: further figures are not allocated, and `too_many` is set.
 */
#define FIGURES_MAX (1u << 18)

struct figures
{
    struct figure **slots;      /* a hash table; figures do not move */
    size_t size, used;
    struct figure **sorted;     /* by key, after figures_sort() */
    struct arena arena;
    bool too_many, failed;
};

void figures_init(struct figures *f);
void figures_fini(struct figures *f);

/* Find or allocate.  Returns NULL if f->too_many or f->failed. */
struct figure *figures_get(struct figures *f, uint64_t key);

/* Find; returns NULL for a key that is not in the table. */
const struct figure *figures_find(const struct figures *f, uint64_t key);

/* Fill in the array `sorted`; the table is complete.  Returns 0 or -ENOMEM. */
int figures_sort(struct figures *f);

#endif /* XENALYZE_COMPARE_FIGURES_H */
