/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The critical path of a vcpu: each moment of its time belongs to one vcpu and
 * one state.  While the vcpu is blocked for another one, which wakes it in the
 * end, the path is that of the other one, and so on:
 *
 *      d1v0   runs |       blocked             | runs
 *                  |                           ^ wakes
 *      d0v1        |  blocked  | waits | runs  |
 *                  |           ^ interrupt     |
 *      path   d1v0 |   d0v1    | d0v1  | d0v1  | d1v0
 *
 * The path is found backwards, from a wake-up to the begin of the blocked time,
 * so it needs the states of all vcpus in between, and the reasons of blocked
 * times (block-reason.h), which are known later.  Where the vcpu itself runs,
 * the path is the vcpu's own.  So states are kept up to CRITICAL_MAX_STEPS;
 * then the path of the older half is computed, and this half is dropped.  A
 * blocked time with even more steps has a part that is unknown.
 *
 * Memory: struct block_reasons; 40 bytes a step, and 24 for on_part; a series
 * for each vcpu, state and reason, up to STATS_MAP_MAX; the longest parts.
 */
#ifndef XENALYZE_ACCOUNT_CRITICAL_PATH_H
#define XENALYZE_ACCOUNT_CRITICAL_PATH_H

#include "xenalyze/account/block-reason.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

#define CRITICAL_MAX_STEPS (1u << 20)
#define CRITICAL_MAX_DEPTH 64u      /* vcpus that are blocked for each other */

enum critical_state
{
    CRITICAL_RUNS,
    CRITICAL_WAITS,             /* for a pcpu */
    CRITICAL_SLEEPS,            /* blocked or paused, with a reason */
    CRITICAL_UNKNOWN,
    CRITICAL_DROPPED,           /* unknown: beyond CRITICAL_MAX_STEPS */
    CRITICAL_STATES
};

/* Name of a state in JSON, such as "runs". */
const char *critical_state_name(enum critical_state state);

/* A state of a vcpu. */
struct critical_step
{
    uint64_t from, to;
    uint64_t previous;          /* number of the vcpu's step before; 0: none */
    const struct vcpu *other;   /* CRITICAL_WAITS: the vcpu that ran longest
                                   meanwhile; CRITICAL_SLEEPS: its waker; NULL:
                                   none, or unknown */
    uint32_t irq;               /* of BLOCK_DEVICE, by Xen's number */
    uint8_t state;              /* enum critical_state */
    uint8_t reason;             /* of CRITICAL_SLEEPS: enum block_reason */
    bool is_other_idle;         /* no vcpu: the pcpu was idle */
    bool was_paused;            /* not blocked */
};

struct critical_steps
{
    struct critical_step *steps;    /* in the order of their ends; the number of
                                   the first is dropped + 1 */
    size_t nr, room;
    uint64_t dropped;           /* at the end of the trace, all */
};

struct critical_vcpu
{
    uint16_t domain, id;
    bool on_path;               /* in the stack of the walk */
    const struct vcpu *vcpu;
    uint64_t last;              /* number of its last step; 0: none */
    uint64_t cursor;            /* of the walk */
    uint64_t wait_from, wait_to;        /* its last wait ... */
    const struct vcpu *rival;   /* ... and the vcpu that ran longest
                                   meanwhile; NULL: unknown, or ... */
    bool is_rival_idle;         /* ... the pcpu was idle */
    uint64_t access, access_length;     /* its last exit for a device */
};

/* The time of a vcpu in one state, with one reason. */
struct critical_row
{
    uint16_t domain, id;
    uint8_t state, reason;
    bool has_other, has_irq, is_other_idle;
    uint16_t other_domain, other_id;    /* as in struct critical_step */
    uint32_t irq;
    const struct stats *stats;
};

/* A time of the path in which the row is the same. */
struct critical_part
{
    struct critical_row row;    /* without stats */
    uint64_t from, to;
};

/* The same with the row as a number. */
struct critical_piece
{
    uint64_t key, from, to;
};

struct critical_path
{
    /* Set by the owner, before the sinks are used. */
    uint64_t domain, vcpu;
    size_t max_steps;           /* initially CRITICAL_MAX_STEPS; at least 4 */
    /* Called for all parts, in the order of time; or NULL. */
    void (*on_part)(void *arg, const struct critical_part *part);
    void *on_part_arg;

    struct block_reasons blocks;
    struct stats_pool pool;
    struct xt_clock clock;
    struct critical_vcpu **vcpus;       /* by index; NULL: not known */
    uint32_t nr_vcpus;
    struct critical_vcpu *target;       /* NULL: not seen yet */
    struct critical_steps steps;
    struct critical_piece *pieces;      /* of a walk, the latest first */
    size_t nr_pieces, pieces_room;
    bool has_begun;             /* the target has steps in this segment */
    uint64_t done;              /* the path is complete up to this time */

    /* The result; the arrays are complete after closing. */
    uint64_t span;              /* sum of all rows */
    struct stats_map parts;     /* lengths in cycles, by key */
    struct stats_top longest;
    struct critical_row *rows;  /* most time first */
    size_t nr_rows;
    struct critical_part *longest_parts;    /* longest first */
    size_t nr_longest;
    bool failed;
};

/*
 * Requires a zeroed struct, which must not move.  Keeps so many of the longest
 * parts.  0 or -ENOMEM.
 */
int critical_path_init(struct critical_path *p, size_t nr_longest);
void critical_path_fini(struct critical_path *p);

/* Store the sinks in the array; both need facts in order. */
#define CRITICAL_PATH_SINKS 2u

void critical_path_get_sinks(struct critical_path *p,
                             struct sink sinks[CRITICAL_PATH_SINKS]);

/* After the last fact: complete the result. */
void critical_path_close(struct critical_path *p);

#endif /* XENALYZE_ACCOUNT_CRITICAL_PATH_H */
