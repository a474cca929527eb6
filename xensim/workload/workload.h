/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workload: domains whose vcpus compute, wait and talk to each other, and
 * a scheduler that decides who runs where.  The pcpus of the stand-in play
 * it, and leave the records that Xen would leave.
 *
 * It knows what it does: the books (how many records each pcpu emitted that
 * the hypervisor must either put into a ring or count as lost), and the truth
 * (who ran when, who woke whom, why a guest exited), line by line in a file.
 *
 * One code plays it on two clocks: by real time, each pcpu's thread doing
 * what is due on it, and by virtual time, one thread going from event to
 * event as fast as it can.
 */
#ifndef XENSIM_WORKLOAD_H
#define XENSIM_WORKLOAD_H

#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "xensim/runtime/runtime.h"

enum sim_kind { SIM_IDLE, SIM_PV, SIM_PVH, SIM_HVM };
enum sim_vendor { SIM_INTEL, SIM_AMD };
enum sim_layout { SIM_4_17, SIM_MASTER };
enum sim_scheduler { SIM_CREDIT2, SIM_NULL };
enum sim_load
{
    SIM_BUSY, SIM_PERIODIC, SIM_IO, SIM_BURSTY, SIM_QUIET,
};

#define SIM_NAME_MAX 32
#define SIM_VCPUS_MAX 128           /* of a domain */
#define SIM_DOMAINS_MAX 1024
#define SIM_LOADS_MAX 8             /* of a domain's vcpus, by turns */

/* Pcpus; first > last: any. */
struct cpu_range
{
    unsigned int first, last;
};

/* A domain as it is ordered; times in ns from the beginning, 0: never. */
struct domain_order
{
    char name[SIM_NAME_MAX];
    unsigned int copies;            /* so many such domains */
    enum sim_kind kind;
    unsigned int vcpus;
    enum sim_load loads[SIM_LOADS_MAX]; /* nr_loads of them */
    unsigned int nr_loads;
    uint64_t period;                /* of the load: ns; 0: the load's own */
    unsigned int duty;              /* percent of it; 0: the load's own */
    unsigned int weight;
    struct cpu_range pin;           /* where its vcpus run */
    bool emulated_tsc;              /* reading the time exits */
    bool guest_events;              /* HVM: it traces itself */
    uint64_t start;                 /* it is created then; 0: it is there */
    uint64_t stagger;               /* each copy so much after the last */
    uint64_t end;                   /* it shuts down */
    uint64_t rename;                /* to new_name */
    char new_name[SIM_NAME_MAX];
    uint64_t reweigh;               /* to new_weight */
    unsigned int new_weight;
    uint64_t repin;                 /* to new_pin */
    struct cpu_range new_pin;
    uint64_t pause;                 /* paused this often ... */
    uint64_t pause_for;             /* ... for so long */
};

struct workload_config
{
    unsigned int cpus;
    bool virtual_time;
    enum sim_scheduler scheduler;
    unsigned int runq_cpus;         /* credit2: pcpus that share a queue */
    uint64_t ratelimit;             /* ns */
    enum sim_vendor vendor;
    enum sim_layout layout;
    bool nested;                    /* AMD: guests have guests */
    bool cstates;
    uint64_t rate;          /* records a second of a busy pcpu; 0: flat out */
    uint64_t interrupts;    /* a second and pcpu */
    uint64_t nmis;          /* likewise */
    uint64_t storm;         /* ns: a burst of nested ones this often; 0: none */
    uint64_t hotplug;       /* ns: a pcpu goes or comes this often; 0: never */
    uint64_t skew;          /* ns: most that a pcpu's clock is off by */
    int64_t drift;          /* most that it is too fast or slow by: ppb */
    uint64_t jump;          /* ns: a clock jumps by up to skew this often */
    uint64_t seed;
    const struct domain_order *orders; /* borrowed; the first one is dom0 */
    unsigned int nr_orders;
    FILE *truth;            /* NULL: not wanted */
};

struct workload;

/* Before power on. */
int workload_new(struct workload **w, const struct workload_config *config,
                 struct err *e);
void workload_free(struct workload *w);

/* To be played by the machine; borrows the workload. */
struct xensim_guest workload_guest(struct workload *w);

/* What the clock of a virtual machine shows, from power on to power off. */
void workload_clock(struct workload *w);

/*
 * Let it begin and end, between power on and power off.  In real time this
 * starts and stops the threads of the devices.
 */
int workload_begin(struct workload *w);
void workload_end(struct workload *w);

/*
 * Virtual time: play what happens before `ns` after the beginning, but no
 * more than `most` events, and no more once dom0 was told that a ring is half
 * full.  True: there is more to do.
 */
bool workload_play(struct workload *w, uint64_t ns, unsigned int most);

/* How long it has played: ns. */
uint64_t workload_now(const struct workload *w);

/* The books, as one JSON object; the truth's last lines.  After its end. */
int workload_report(const struct workload *w, FILE *out);

#endif /* XENSIM_WORKLOAD_H */
