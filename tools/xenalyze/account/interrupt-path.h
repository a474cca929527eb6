/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of an interrupt or event from its cause to the guest.
 *
 * To a vcpu that sleeps, with the reason of block-reason.h:
 *
 *      handler begins   woken           runs            VM entry
 *      |                |               |               |
 *      +----------------+---------------+---------------+
 *       PATH_HANDLER     PATH_WAIT       PATH_ENTRY
 *
 * An event or a timer begins with the wake-up; without VM entries (PV guests,
 * or no such records), the path ends when the vcpu runs.  The three parts add
 * up.  The time of the entry is known from the next exit.  A path with lost
 * records is counted as unknown, and has no length.
 *
 * To a vcpu that runs, by vector:
 *
 *      VM exit   window opens later           VM exit   injected, VM entry
 *      |         |                            |         |
 *      +---------+----------------------------+---------+
 *                 masked by the guest
 *
 * Memory: struct block_reasons; for each reason of a vcpu a struct wake_path;
 * for each vcpu a struct path_vcpu and two series for each vector.
 */
#ifndef XENALYZE_ACCOUNT_INTERRUPT_PATH_H
#define XENALYZE_ACCOUNT_INTERRUPT_PATH_H

#include "xenalyze/account/block-reason.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

enum path_part
{
    PATH_HANDLER,               /* in Xen, up to the wake-up */
    PATH_WAIT,                  /* for a pcpu */
    PATH_ENTRY,                 /* on the pcpu, up to the VM entry */
    PATH_PARTS
};

/* Name of a part in JSON, such as "wait". */
const char *path_part_name(enum path_part part);

/* Wake-ups of one vcpu with one reason. */
struct wake_path
{
    struct stats whole, parts[PATH_PARTS];
    uint64_t elsewhere;         /* woken from another pcpu than it ran on */
    uint64_t unknown;           /* paths with lost records */
};

/* A wake-up whose path is not complete. */
struct path_open
{
    bool is_open;
    bool is_elsewhere;
    bool is_lost;               /* records of it */
    uint64_t begin;             /* 0: with the wake-up */
    uint64_t woken, runs, entered;      /* 0: not yet */
    uint64_t blocked;           /* the run ends; 0: not yet */
    uint32_t pcpu;              /* woken from here */
    struct block_waker *waker;  /* NULL: the reason is not fixed */
};

struct path_vcpu
{
    uint16_t domain, id;
    bool is_hvm;                /* has VM exits */
    struct path_open now;       /* since the last wake-up */
    struct path_open before;    /* waits for the exit that ends its run */
    bool is_pending;            /* the guest masks an interrupt ... */
    uint64_t pending_from, pending_to;  /* ... since this VM exit */
    struct stats_map vectors;   /* cycles from the VM exit to the entry */
    struct stats_map masked;    /* cycles of this masked by the guest */
};

struct interrupt_paths
{
    struct block_reasons blocks;
    struct stats_pool pool;
    struct path_vcpu **vcpus;   /* by index; NULL: no facts */
    uint32_t nr_vcpus;
    bool failed;
};

/* Requires a zeroed struct, which must not move. */
void interrupt_paths_init(struct interrupt_paths *p);
void interrupt_paths_fini(struct interrupt_paths *p);

/* Store the sinks in the array; both need facts in order. */
#define INTERRUPT_PATH_SINKS 2u

void interrupt_paths_get_sinks(struct interrupt_paths *p,
                               struct sink sinks[INTERRUPT_PATH_SINKS]);

/* After the last fact: sort vcpus by domain and id, reasons by time. */
void interrupt_paths_close(struct interrupt_paths *p);

#endif /* XENALYZE_ACCOUNT_INTERRUPT_PATH_H */
