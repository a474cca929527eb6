/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses of HVM guests to emulated devices: the time from the VM exit until
 * the vcpu runs again, in four parts, for each domain and device.
 *
 *     exit      vcpu blocks   helper runs     vcpu woken     vcpu runs
 *     |         |             |               |              |
 *     +---------+-------------+---------------+--------------+
 *      Xen       helper waits  device model    vcpu waits
 *
 * The helper is the vcpu, usually of dom0, where the device model runs: the one
 * that the exit woke, and the one that woke the vcpu.  Whenever one of them
 * waits for a pcpu, this counts as waiting; the rest is the device model.  The
 * parts add up to the whole.  An access that Xen handles alone has one part.
 *
 * The vcpu is offline while the device model works.  A vcpu that the toolstack
 * has paused, or that has used up its cap, stays offline after the answer: the
 * first wake-up is the answer, and the vcpu waits from then on.
 *
 * Xen traces a read that a device model answers when the vcpu runs again.
 * Without that record the port or address is unknown.
 *
 * With a selected span, accesses that reach into the span count, whole; of the
 * sums of vcpus, the part in the span.
 *
 * Memory: for each domain at most ACCESS_RANGES devices; accesses to further
 * devices share one row, and those to unknown addresses another.  For each vcpu
 * a log of its waits, unless round trips of I/O have these.
 */
#ifndef XENALYZE_ACCOUNT_DEVICE_ACCESS_H
#define XENALYZE_ACCOUNT_DEVICE_ACCESS_H

#include "xenalyze/account/io-trips.h"
#include "xenalyze/account/model-parts.h"
#include "xenalyze/account/stretch.h"
#include "xenalyze/account/time-log.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

enum access_part
{
    ACCESS_XEN,                 /* Xen handles the exit */
    ACCESS_HELPER_WAITS,        /* the helper waits for a pcpu */
    ACCESS_MODEL,               /* the device model works */
    ACCESS_VCPU_WAITS,          /* the vcpu waits to run again, or is paused */
    ACCESS_PARTS
};

/* Name of a part in JSON, such as "xen". */
const char *access_part_name(enum access_part part);

#define ACCESS_RANGES 64u       /* devices, per domain */
#define ACCESS_TEXT 32u         /* bytes, with the final 0 */

/* A device: ports, or guest-physical addresses. */
struct access_range
{
    struct access_range *next;  /* the last used of the domain comes first */
    bool is_other;              /* all further devices */
    bool is_unknown;            /* all unknown ports, or addresses */
    bool is_port;
    uint64_t first, last;       /* addresses */
    const char *name;           /* NULL: unknown */
    uint16_t domain;
    uint64_t answered;          /* accesses that a helper answered */
    struct stats whole, parts[ACCESS_PARTS];
};

/*
 * "ide 0x1f0", "port 0xc100", "hpet", "at 0xfeb00000", "others",
 * "unknown ports", "unknown addresses".
 */
const char *access_range_text(const struct access_range *r,
                              char text[ACCESS_TEXT]);

/* An access that may still get further parts. */
struct access_open
{
    bool is_open;
    bool is_port;
    bool is_known;              /* the address is known */
    bool runs;                  /* the vcpu runs again: only the address is
                                   still to come */
    uint64_t at;                /* the address */
    uint64_t start, cycles;     /* the exit */
    uint64_t blocked;           /* cycles at its end off the pcpu */
    uint64_t answered;          /* in that time; 0: not before the exit ends */
    uint64_t until;             /* the vcpu runs again */
    const struct access_vcpu *answers;  /* woke the vcpu; NULL: unknown */
};

/* Accesses in a stretch. */
struct access_stretch
{
    uint64_t sums[ACCESS_PARTS];
    const struct access_range *range;   /* the device with most of the time, if
                                           that is more than half: cycles of
                                           other devices count against it */
    uint64_t votes;
};

struct access_vcpu
{
    uint16_t domain, id;
    uint64_t sums[ACCESS_PARTS];        /* all accesses, in the span */
    uint64_t accesses, longest, longest_from;
    struct stretch_search search;       /* time without ACCESS_VCPU_WAITS */
    struct access_stretch now, worst;   /* those of the search */
    struct access_open open;
    const struct time_log *waits;       /* for a pcpu; NULL: none */
    struct time_log own_waits;  /* these, without device_accesses.trips */
    struct access_vcpu *helper; /* woken by this vcpu, last; NULL: none */
    uint64_t helper_woken;      /* the time of that */
    uint64_t answered;          /* first woken since the vcpu last left its
                                   pcpu; 0: not yet */
    const struct vcpu *pauses;  /* the vcpu that has paused this one since then,
                                   and that ends the pause; or NULL */
};

struct access_domain
{
    struct access_range *ranges;
    unsigned int nr_ranges;
};

struct device_accesses
{
    struct stats_pool pool;
    struct time_logs logs;
    struct guests *guests;
    struct xt_clock clock;
    struct stretch_scale scale;
    struct fact_span span;
    struct access_vcpu **vcpus; /* by index; NULL: no facts */
    struct access_domain *domains;      /* by index */
    uint32_t nr_vcpus, nr_domains;
    struct io_trips *trips;     /* borrowed: of a sink behind this one, for the
                                   logs of its waits; or NULL */
    struct model_parts *model;  /* borrowed: parts by event; or NULL */
    /* Callback: a device model was at work; or NULL. */
    void (*collect)(void *arg, uint64_t from, uint64_t to);
    void *collect_arg;
    struct access_range **ranges;       /* after closing: by domain, by time */
    size_t nr_ranges;
    bool failed;
};

/* Requires a zeroed struct. */
void device_accesses_init(struct device_accesses *d);
void device_accesses_fini(struct device_accesses *d);

struct sink device_accesses_sink(struct device_accesses *d);

/* After the last fact: sort the ranges. */
void device_accesses_close(struct device_accesses *d);

/* Time of accesses in which the vcpu did not wait for a pcpu. */
uint64_t access_device_time(const uint64_t sums[ACCESS_PARTS]);

/* After closing: the device with the most time; NULL: none. */
const struct access_range *
device_accesses_find_top(const struct device_accesses *d, uint16_t domain);

/* After closing; NULL: no facts about the vcpu. */
const struct access_vcpu *device_accesses_find(const struct device_accesses *d,
                                               uint16_t domain, uint16_t id);

#endif /* XENALYZE_ACCOUNT_DEVICE_ACCESS_H */
