/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State of the simulator: pcpus, domains, vcpus, run queues. Plain structs in
 * arrays.
 *
 * All state is protected by one lock, `lock`, held by a pcpu's thread while it
 * runs its due events; virtual time has one thread and needs no lock.
 * Interrupt and NMI handlers, which arrive at any instruction of their pcpu's
 * thread, access only the members under "any context".
 *
 * Times are cycles of the true clock, in real time the hardware's counter; the
 * clock of a pcpu may deviate (skewed-clock.h).
 *
 * In virtual time the work of a pcpu takes time, too: its `now` runs ahead of
 * the event in progress. Other pcpus must not see the results before that
 * time, so run queues have locks with a waiting time (runq.free_at), and the
 * state changes of a vcpu are in order (vcpu.since).
 */
#ifndef XENSIM_SIM_H
#define XENSIM_SIM_H

#include <pthread.h>

#include "xensim/workload/event-heap.h"
#include "xensim/workload/json-lines.h"
#include "xensim/workload/random.h"
#include "xensim/workload/skewed-clock.h"
#include "xensim/workload/workload.h"

#include <xen/cpu.h>

#define NS_PER_S 1000000000ull
#define US(n) ((n) * 1000ull)
#define MS(n) ((n) * 1000000ull)

/* Values as in runstate records. */
enum runstate { RUNNING, RUNNABLE, BLOCKED, OFFLINE };

struct sim_vcpu;
struct sim_cpu;
struct sim;

/* ---- run queues ------------------------------------------------------- */

struct runq
{
    unsigned int id;
    unsigned int first, last;   /* its pcpus */
    struct sim_vcpu *head;      /* runnable, and waiting: most credit first */
    struct sim_vcpu *all;       /* all vcpus assigned to the queue, `nr` */
    unsigned int nr;
    unsigned int max_weight;
    unsigned int load;          /* running and waiting vcpus */
    uint64_t avgload, b_avgload; /* one vcpu, always, is 2^LOAD_SHIFT */
    uint64_t load_at;
    uint64_t free_at;           /* the lock is held until then */
};

/* ---- domains and vcpus ------------------------------------------------ */

/* The reason of a wake-up, in the ground-truth log. */
enum wake_by { BY_TIMER, BY_INTERRUPT, BY_EVENT, BY_UNPAUSE, BY_UP, BY_REPIN };

/* A vcpu's request to dom0. */
enum request_kind { REQUEST_NONE, REQUEST_IO, REQUEST_EMULATE,
                    REQUEST_IO_DONE };

/* The records of a request for I/O. */
struct io_times
{
    uint64_t sent, mapped, unmapped, answered;
};

struct work
{
    uint64_t left;              /* cycles to compute until it waits */
    uint64_t at;                /* `left` is accounted up to this time */
    uint64_t next;              /* periodic load: start of the next period */
    bool booting;
    uint32_t steps;             /* steps left of the boot */
    const struct op_sequence *sequence; /* sequence in progress */
    unsigned int next_op;       /* index of its next operation */
    uint64_t nr_records;        /* records of the sequence so far */
    unsigned int vector;        /* HVM: to be injected at the next entry ... */
    bool masked;                /* ... if the guest allows it */
};

/* The last spans of time with a certain condition, in a ring. */
struct sim_spans
{
    struct sim_span { uint64_t from, to; } *all;
    unsigned int room;          /* 0: without a ground truth */
    unsigned int nr;            /* in total */
    uint64_t open;              /* begin of a span in progress; 0: none */
};

struct open_exit
{
    uint64_t at;                /* 0: no exit is open */
    unsigned int cpu;
    uint32_t reason;
    const char *name, *handler;
};

#define SIM_COM1 0x3f8          /* the serial port of a storm ... */
#define SIM_STORM_RIP 0xffffffff81123454ull     /* ... and its loop */

/* The storm of exits of a vcpu: first exit, end of the last, number. */
struct exit_storm
{
    uint64_t from, to, exits;
};

/* Time of a vcpu in spin loops: first PAUSE exit, end of the last, number. */
struct spin
{
    uint64_t from, to, exits;
};

struct sim_vcpu
{
    struct sim_dom *dom;
    struct vcpu *xen;           /* the hypervisor's vcpu */
    unsigned int id;
    struct sim_cpu *cpu;        /* current or last pcpu */

    enum runstate state;
    uint64_t since;             /* time of the change to `state` */
    unsigned int continued;     /* times chosen again while running */
    uint64_t left_at;           /* last time of descheduling */
    bool up;                    /* brought up */
    bool blocked;               /* waits for an event */
    bool in_xen;                /* waits for the device model */
    bool yielding;
    bool parked;                /* its domain has no budget left */
    unsigned int paused;
    bool must_move;             /* to be descheduled and moved */

    /* State of the scheduler. */
    struct runq *runq;
    struct sim_vcpu *next;      /* link of the waiting vcpus */
    struct sim_vcpu *next_all;  /* link of all vcpus of the queue */
    bool queued;
    int64_t credit;             /* ns */
    uint64_t unparked_at;       /* the last time; 0: parked */
    struct sim_spans parks;
    uint64_t burned_at;
    int tickled;                /* tickled pcpu, or -1 */
    uint64_t avgload, load_at;

    struct event timer;
    uint64_t apic_due;          /* its local APIC's timer; 0: not set ... */
    bool apic_fired;            /* ... or the interrupt is pending */
    struct work work;
    struct random random;
    struct open_exit exit;
    struct exit_storm exit_storm;
    struct spin spin;

    enum request_kind request;  /* queued at a vcpu of dom0 */
    struct io_times io;         /* times of the last request */
    unsigned int emulation_step, emulation_steps;   /* device-model.c */
    bool reads_device;          /* the access before was a write */
    bool read_is_answered;      /* when the vcpu runs, traces the read */
    struct sim_vcpu *next_request;
    struct sim_vcpu *requests, **requests_end;

    /* The last wake-up, until the vcpu runs. */
    uint64_t woken_at;          /* 0: none */
    enum wake_by woken_by;
    const struct sim_vcpu *waker;
    unsigned int woken_on;
};

struct sim_dom
{
    domid_t id;
    char name[SIM_NAME_MAX];
    const struct dom_config *config;
    enum sim_kind kind;
    struct sim_vcpu *vcpus;
    unsigned int nr;
    unsigned int copy;          /* number among the copies of its config */
    bool alive;
    bool is_paused;
    bool renamed;
    bool repinned;
    struct cpu_range pin;
    unsigned int weight;
    int64_t budget;             /* ns of run time left, of a cap */
    struct event replenish;
    bool ending;                /* shutdown was requested */
    bool shut_down;
    bool gone;
    uint64_t pause_at;          /* ns; next pause or unpause */
    struct event plan;          /* next action of the lifecycle */
    struct sim_dom *next_task;  /* link of the toolstack's tasks */
};

/* ---- pcpus ------------------------------------------------------------ */

#define DEFERRED_MAX 512        /* buffered exits of interrupt handlers */

struct deferred_exit
{
    struct open_exit exit;
    uint64_t cycles;
    const struct sim_vcpu *vcpu;
};

struct sim_cpu
{
    unsigned int id;
    struct sim *sim;
    struct heap *queue;         /* queue of its events */
    struct runq *runq;
    struct sim_vcpu idle;
    struct sim_vcpu *runs;
    struct sim_vcpu *assigned;  /* null scheduler: its vcpu */

    struct event step;          /* next operation of the vcpu */
    uint64_t late;              /* cycles to shorten the next gaps by */
    struct event slice;         /* end of the time slice */
    struct event softirq;       /* request to schedule */
    struct event device;        /* completion of an I/O */
    struct event spurious;      /* spurious interrupts, virtual time */
    struct event nmi;
    struct sim_vcpu *ios;       /* vcpus with an I/O here, oldest first */
    struct sim_vcpu **ios_end;

    bool online;
    bool need_resched;
    bool tickled;
    bool asleep;                /* in a C-state */
    unsigned int cstate;
    uint64_t slept_at;
    struct sim_spans sleeps;    /* in C-states */
    struct sim_spans limits;    /* the rate limit protects its vcpu */
    uint32_t predicted_us;      /* predicted idle time */
    uint32_t mhz;
    bool irq_moves;             /* its device interrupt changes vector */

    struct random random;
    int64_t mean_records;       /* mean of a sequence, in 1/SEQUENCE_UNIT */

    /* Any context. */
    uint64_t now;               /* virtual time of this pcpu */
    uint64_t stamp;             /* true time of the last record */
    struct skewed_clock clock;
    struct random irq_random;
    bool in_guest;              /* an HVM vcpu is in guest mode */
    uint64_t attempted;
    uint64_t emitted;
    uint64_t unsure;            /* an op changed the traced events */
    uint64_t interrupts, nmis;
    struct deferred_exit deferred_exits[DEFERRED_MAX];
    uint32_t nr_deferred;       /* above DEFERRED_MAX: some were dropped */
    uint64_t dropped_exits;
    uint64_t lost;              /* read from the hypervisor at the end */
} __attribute__((aligned(64)));

/* ---- all -------------------------------------------------------------- */

struct scheduler;
struct devices;

struct sim
{
    struct workload_config config;
    const struct scheduler *scheduler;
    struct sim_cpu *cpus;
    struct runq *runqs;
    unsigned int nr_runqs;
    struct sim_dom *doms;       /* in order of configuration; [0]: dom0 */
    unsigned int nr_doms;
    domid_t next_id;
    struct sim_dom *tasks;      /* queue of the toolstack in dom0 */
    struct heap heap;           /* virtual time: events of all pcpus */
    struct heap *heaps;         /* real time: one per pcpu */
    struct event plug, storm, jump, stall;
    struct notifier_block notifier;
    struct random random;
    struct json_lines truth;
    uint64_t khz;
    uint64_t start;             /* true clock at the start */
    uint64_t now;               /* virtual time of the event in progress */
    bool started;
    unsigned int next_backend;  /* next vcpu of dom0 to serve an I/O */
    struct devices *devices;    /* real time; NULL: stopped */
    pthread_mutex_t lock;
};

static inline bool sim_is_stopped(const struct sim *s)
{
    return s->config.is_stopped &&
           s->config.is_stopped(s->config.is_stopped_arg);
}

static inline uint64_t to_cycles(const struct sim *s, uint64_t ns)
{
    return (unsigned __int128)ns * s->khz / 1000000;
}

static inline uint64_t to_ns(const struct sim *s, uint64_t cycles)
{
    return (unsigned __int128)cycles * 1000000 / s->khz;
}

/* The current true time on this pcpu. */
static inline uint64_t true_now(const struct sim_cpu *p)
{
    return p->sim->config.virtual_time ? p->now : xensim_hardware_cycles();
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

/* Queue an event on a pcpu, and wake that pcpu if it is another one. */
void event_at(struct sim_cpu *p, struct event *e, uint64_t at);
void event_drop(struct sim *s, struct event *e);

/* The pcpu of the calling thread. */
struct sim_cpu *this_sim_cpu(void);

#endif /* XENSIM_SIM_H */
