/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A player is the workload's state of one pcpu.  Only that pcpu's thread
 * touches it, with its interrupts and NMIs at any point in between, so what
 * handlers change too is atomic or a single plain store.
 */
#ifndef XENSIM_PLAYER_H
#define XENSIM_PLAYER_H

#include <pthread.h>

#include "xensim/workload/random.h"
#include "xensim/workload/workload.h"

/* What a vcpu is, in bits, as scenes name those that can play in them. */
enum vcpu_kind { KIND_IDLE = 1, KIND_PV = 2, KIND_HVM = 4 };

enum runstate { RUNNING, RUNNABLE, BLOCKED };

struct role
{
    struct vcpu *vcpu;
    enum vcpu_kind kind;
    enum runstate state;
    uint64_t since;         /* cycles: when it came to this state */
};

#define NR_ROLES 4          /* the idle vcpu is role 0 */

struct player
{
    struct role roles[NR_ROLES];
    unsigned int on_stage;      /* the role that is running */
    bool in_guest;              /* an HVM vcpu is between entry and exit */
    bool asleep;                /* the idle vcpu is, in a C-state */
    struct random random;       /* of the steps */
    struct random irq_random;   /* of the interrupt handler */
    uint64_t tried;             /* records emitted, traced or not: for pace */
    uint64_t begun_ns;          /* when pacing began */
    uint64_t paced;             /* `tried` then */

    /* The books; from any context. */
    uint64_t emitted;
    uint64_t unsure;            /* a control operation was changing the rules */
    uint64_t interrupts, nmis;
} __attribute__((aligned(64)));

struct device
{
    pthread_t thread;
    struct workload *workload;
    const struct device_kind *kind;
    struct random random;
};

#define NR_DEVICES 3

struct workload
{
    struct workload_config config;
    struct player *players;
    struct device devices[NR_DEVICES];
    unsigned int nr_devices;    /* that run */
    pthread_mutex_t lock;       /* stopping */
    pthread_cond_t wake;
    bool stopping;
};

/* scenes.c: let one thing happen on this pcpu. */
void play_scene(struct player *p);
/* The vcpu that this pcpu believes to run is not there (it was offline). */
void reset_stage(struct player *p);

/* handlers.c */
void handle_irq(void *workload);
void handle_nmi(void *workload);

static inline struct player *this_player(struct workload *w)
{
    return &w->players[smp_processor_id()];
}

#endif /* XENSIM_PLAYER_H */
