/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The world: pcpus, domains, vcpus, run queues.  Plain structs in arrays.
 *
 * All of it is under one lock, `lock`, that a pcpu's thread holds while it
 * does what is due; virtual time has one thread and needs none.  Only what
 * stands under "any context" is touched by interrupt and NMI handlers, which
 * land at any instruction of their own pcpu's thread.
 *
 * Times are cycles of the true clock, which in real time is the hardware's
 * counter; what a pcpu shows may be off from it (clock.h).
 *
 * In virtual time what a pcpu does takes time, too: its `now` goes ahead of
 * the event that it is doing.  Others must not see what it does before it has
 * done it, so run queues have locks that one waits for (runq.free_at), and a
 * vcpu's changes of state follow each other (vcpu.since).
 */
#ifndef XENSIM_WORLD_H
#define XENSIM_WORLD_H

#include <pthread.h>

#include "xensim/workload/clock.h"
#include "xensim/workload/heap.h"
#include "xensim/workload/random.h"
#include "xensim/workload/truth.h"
#include "xensim/workload/workload.h"

#include <xen/cpu.h>

#define NS_PER_S 1000000000ull
#define US(n) ((n) * 1000ull)
#define MS(n) ((n) * 1000000ull)

/* As runstate records count them. */
enum runstate { RUNNING, RUNNABLE, BLOCKED, OFFLINE };

struct sim_vcpu;
struct sim_cpu;
struct world;

/* ---- run queues ------------------------------------------------------- */

struct runq
{
    unsigned int id;
    unsigned int first, last;   /* its pcpus */
    struct sim_vcpu *head;      /* runnable, and waiting: most credit first */
    struct sim_vcpu *all;       /* assigned to it, `nr` of them */
    unsigned int nr;
    unsigned int max_weight;
    unsigned int load;          /* vcpus that run or wait */
    uint64_t avgload, b_avgload; /* 2^LOAD_SHIFT is one vcpu, always */
    uint64_t load_at;
    uint64_t free_at;           /* until then somebody holds its lock */
};

/* ---- domains and vcpus ------------------------------------------------ */

/* Why a vcpu was woken, as the truth tells it. */
enum wake_by { BY_TIMER, BY_INTERRUPT, BY_EVENT, BY_UNPAUSE, BY_UP, BY_REPIN };

/* What somebody wants of a vcpu of dom0. */
enum mail_kind { MAIL_NONE, MAIL_REQUEST, MAIL_EMULATE, MAIL_DONE };

struct work
{
    uint64_t left;              /* cycles to compute until it waits */
    uint64_t at;                /* how far `left` is accounted */
    uint64_t next;              /* periodic: when the next period begins */
    bool booting;
    uint32_t steps;             /* of the boot that are left */
    const struct phrase *phrase; /* PV: what it is saying */
    unsigned int atom;          /* next one of it */
    uint64_t said;              /* records that it left so far */
    unsigned int vector;        /* HVM: to be injected at the next entry ... */
    bool masked;                /* ... that the guest allows */
};

struct open_exit
{
    uint64_t at;                /* 0: none is open */
    unsigned int cpu;
    uint32_t reason;
    const char *name, *handler;
};

struct sim_vcpu
{
    struct sim_dom *dom;
    struct vcpu *xen;           /* as the hypervisor knows it */
    unsigned int id;
    struct sim_cpu *cpu;        /* it runs there, or last ran there */

    enum runstate state;
    uint64_t since;             /* the stamp of its change to `state` */
    unsigned int continued;     /* while it ran: it was chosen again */
    uint64_t left_at;           /* when it was last taken off a pcpu */
    bool up;                    /* it was brought up */
    bool blocked;               /* it waits for an event */
    bool in_xen;                /* it waits for the device model */
    bool yielding;
    unsigned int paused;
    bool replaced;              /* it stops, to look for another place */

    /* The scheduler's. */
    struct runq *runq;
    struct sim_vcpu *next;      /* of those that wait */
    struct sim_vcpu *next_all;  /* of the queue's */
    bool queued;
    int64_t credit;             /* ns */
    uint64_t burned_at;
    int tickled;                /* the pcpu that was told of it; -1 */
    uint64_t avgload, load_at;

    struct event timer;
    struct work work;
    struct random random;
    struct open_exit exit;

    enum mail_kind mail;        /* what it wants, in somebody's inbox */
    struct sim_vcpu *next_mail;
    struct sim_vcpu *inbox, **inbox_end;

    /* The wake-up that it has not answered by running. */
    uint64_t woken_at;          /* 0: none */
    enum wake_by woken_by;
    const struct sim_vcpu *waker;
    unsigned int woken_on;
};

struct sim_dom
{
    domid_t id;
    char name[SIM_NAME_MAX];
    const struct domain_order *order;
    enum sim_kind kind;
    struct sim_vcpu *vcpus;
    unsigned int nr;
    unsigned int copy;          /* of its order */
    bool alive;
    bool is_paused;
    bool renamed;
    bool repinned;
    struct cpu_range pin;
    unsigned int weight;
    bool ending;                /* it was told to shut down */
    bool shut_down;
    bool gone;
    uint64_t pause_at;          /* ns: paused or unpaused next */
    struct event plan;          /* something is to be done then */
    struct sim_dom *next_task;  /* waits for the toolstack */
};

/* ---- pcpus ------------------------------------------------------------ */

#define TOLD_MAX 512            /* exits that handlers leave to tell */

struct told
{
    struct open_exit exit;
    uint64_t cycles;
    const struct sim_vcpu *vcpu;
};

struct sim_cpu
{
    unsigned int id;
    struct world *world;
    struct heap *queue;         /* where its events are */
    struct runq *runq;
    struct sim_vcpu idle;
    struct sim_vcpu *runs;
    struct sim_vcpu *assigned;  /* null scheduler: whose it is */

    struct event step;          /* the vcpu's next doing */
    struct event slice;         /* the time slice ends */
    struct event softirq;       /* somebody asks it to schedule */
    struct event device;        /* an I/O is done */
    struct event noise;         /* interrupts that mean nothing, virtual time */
    struct event nmi;
    struct sim_vcpu *ios;       /* whose I/O it does, the oldest first */
    struct sim_vcpu **ios_end;

    bool online;
    bool need_resched;
    bool tickled;
    bool asleep;                /* in a C-state */
    unsigned int cstate;
    uint64_t slept_at;
    uint32_t guess;             /* how long it will sleep: us */
    uint32_t mhz;
    bool irq_moves;             /* its device's interrupt, from here */

    struct random random;
    int64_t per_phrase;         /* records, on average; PHRASE_ONE is one */

    /* Any context. */
    uint64_t now;               /* virtual time: its own */
    uint64_t stamp;             /* the true time of the last record */
    struct shown_clock clock;
    struct random irq_random;
    bool in_guest;              /* an HVM vcpu is between entry and exit */
    uint64_t tried;
    uint64_t emitted;
    uint64_t unsure;            /* a control operation was changing the rules */
    uint64_t interrupts, nmis;
    struct told told[TOLD_MAX];
    uint32_t nr_told;           /* more than TOLD_MAX: some were forgotten */
    uint64_t untold;
    uint64_t lost;              /* at the end: what the hypervisor counted */
} __attribute__((aligned(64)));

/* ---- the whole -------------------------------------------------------- */

struct scheduler;
struct devices;

struct world
{
    struct workload_config config;
    const struct scheduler *scheduler;
    struct sim_cpu *cpus;
    struct runq *runqs;
    unsigned int nr_runqs;
    struct sim_dom *doms;       /* in the order of their orders; [0]: dom0 */
    unsigned int nr_doms;
    domid_t next_id;
    struct sim_dom *tasks;      /* for the toolstack in dom0 */
    struct heap heap;           /* virtual time: of all pcpus */
    struct heap *heaps;         /* real time: one a pcpu */
    struct event plug, storm, jump;
    struct notifier_block notifier;
    struct random random;
    struct truth truth;
    uint64_t khz;
    uint64_t start;             /* the true clock at the beginning */
    uint64_t now;               /* virtual time: of the event being played */
    bool begun;
    unsigned int next_backend;  /* vcpu of dom0 that serves the next I/O */
    struct devices *devices;    /* real time; NULL: they do not run */
    pthread_mutex_t lock;
};

static inline uint64_t to_cycles(const struct world *w, uint64_t ns)
{
    return (unsigned __int128)ns * w->khz / 1000000;
}

static inline uint64_t to_ns(const struct world *w, uint64_t cycles)
{
    return (unsigned __int128)cycles * 1000000 / w->khz;
}

/* Now, on this pcpu. */
static inline uint64_t true_now(const struct sim_cpu *p)
{
    return p->world->config.virtual_time ? p->now : xensim_hardware_cycles();
}

static inline bool is_idle(const struct sim_vcpu *v)
{
    return !v->dom;
}

static inline domid_t dom_of(const struct sim_vcpu *v)
{
    return is_idle(v) ? DOMID_IDLE : v->dom->id;
}

static inline enum sim_kind kind_of(const struct sim_vcpu *v)
{
    return is_idle(v) ? SIM_IDLE : v->dom->kind;
}

static inline bool is_hvm(const struct sim_vcpu *v)
{
    return kind_of(v) >= SIM_PVH;
}

static inline bool may_run_on(const struct sim_vcpu *v, unsigned int cpu)
{
    const struct cpu_range *pin = &v->dom->pin;

    return pin->first > pin->last || (cpu >= pin->first && cpu <= pin->last);
}

/* Let an event happen on a pcpu; wakes that one, if it is not this one. */
void event_at(struct sim_cpu *p, struct event *e, uint64_t at);
void event_drop(struct world *w, struct event *e);

/* The pcpu that the calling thread plays; NULL: none of a world. */
struct sim_cpu *cpu_here(void);

#endif /* XENSIM_WORLD_H */
