/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time of device models, by events of programs: the part of an access to an
 * emulated device in which the device model works (device-access.h) is cut at
 * the events of its process.
 *
 *     vcpu blocks     event A     event B          vcpu woken
 *     |               |           |                |
 *     +---------------+-----------+----------------+
 *      before          A           B
 *
 * Each piece without the time in which the helper waited for a pcpu; the pieces
 * add up to the part.  While a process serves another vcpu of its domain, an
 * access has the events of that work: the process works on these.
 *
 * Records do not tell which process serves a domain.  So accesses are cut for
 * each process with an event in between, and at the end the domain's process
 * is the process with events in most of its accesses, which must not be more
 * often between the accesses of another domain.
 *
 * Memory: MODEL_RECENT events; for each domain MODEL_PROCESSES processes with
 * MODEL_EVENTS names of events, and series of each.
 */
#ifndef XENALYZE_ACCOUNT_MODEL_PARTS_H
#define XENALYZE_ACCOUNT_MODEL_PARTS_H

#include "common/err.h"
#include "xenalyze/programs/programs.h"
#include "xenalyze/stats/stats.h"

#define MODEL_RECENT 65536u     /* events before the latest one */
#define MODEL_PROCESSES 64u     /* further ones are ignored */
#define MODEL_EVENTS 256u       /* further ones share a row */
#define MODEL_OTHERS UINT32_MAX /* name of that row */
#define MODEL_SPLITS 8u         /* processes for which an access is cut */

struct model_event
{
    struct model_event *next;
    uint32_t name;              /* for programs_event_name(); MODEL_OTHERS */
    struct stats time;          /* until the next event, or the answer */
};

struct model_process
{
    struct model_process *next;
    uint32_t number;            /* for programs_process() */
    struct model_event *events;
    unsigned int nr_events;
    struct stats before;        /* the first event */
    struct stats without;       /* accesses without an event */
    uint64_t accesses;          /* with an event */
};

struct model_domain
{
    uint16_t id;
    struct stats all;           /* parts of all accesses that were answered */
    struct model_process *processes;
    unsigned int nr_processes;
};

/* The part of an access in which the device model works. */
struct model_access
{
    uint16_t domain;
    uint32_t index;             /* the domain's */
    uint64_t from, to, cycles;  /* without waits: at most to - from */
    /* Callback: how long the helper waited for a pcpu in this time. */
    uint64_t (*waited)(const void *arg, uint64_t from, uint64_t to);
    const void *arg;
};

enum model_kind { MODEL_EVENT, MODEL_BEFORE, MODEL_WITHOUT };

struct model_row
{
    uint16_t domain;
    enum model_kind kind;
    uint32_t process, name;     /* name: if MODEL_EVENT */
    const struct stats *time;
};

struct model_moment { uint64_t time; uint32_t process, name; };

struct model_parts
{
    struct programs *programs;  /* owned */
    struct stats_pool *pool;    /* borrowed */
    const struct program_event *next;   /* not yet among the recent; or NULL */
    struct model_moment *recent;        /* a ring */
    uint64_t nr_recent;         /* in total */
    uint64_t missed;            /* accesses that began before the ring */
    struct model_domain **domains;      /* by index; NULL: no accesses */
    uint32_t nr_domains;
    struct model_row *rows;     /* after closing: by domain, by time */
    size_t nr_rows;
    bool ended;                 /* no more events */
    bool failed;                /* no memory, or err has another reason */
    struct err err;
};

/* Requires a zeroed struct.  0, or -errno with *e. */
int model_parts_init(struct model_parts *m, struct programs *programs,
                     struct stats_pool *pool, struct err *e);
void model_parts_fini(struct model_parts *m);

void model_parts_add(struct model_parts *m, const struct model_access *a);

/* Times of the next segment are those of another boot. */
void model_parts_end_segment(struct model_parts *m);

/* After the last access: make the rows. */
void model_parts_close(struct model_parts *m);

#endif /* XENALYZE_ACCOUNT_MODEL_PARTS_H */
