/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The workload: domains with vcpus that compute, wait and communicate, and a
 * scheduler. The pcpus of the simulator run it, and write the records that Xen
 * would write.
 *
 * Two logs describe the run: the record counts (how many records each pcpu
 * emitted, which the hypervisor has to put into a ring or count as lost), and
 * the ground truth (runstates, wake-ups, exits), a file of JSON lines.
 *
 * The same code runs on two clocks: in real time each pcpu's thread runs its
 * due events; in virtual time one thread runs all events as fast as possible.
 */
#ifndef XENSIM_WORKLOAD_H
#define XENSIM_WORKLOAD_H

#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "xensim/runtime/runtime.h"
#include "xensim/wire.h"

enum sim_kind { SIM_IDLE, SIM_PV, SIM_PVH, SIM_HVM };
enum sim_vendor { SIM_INTEL, SIM_AMD };
enum sim_layout { SIM_4_17, SIM_MASTER };
enum sim_scheduler { SIM_CREDIT2, SIM_NULL };
enum sim_load
{
    SIM_BUSY, SIM_PERIODIC, SIM_IO, SIM_BURSTY, SIM_QUIET,
};

#define SIM_NAME_MAX XENSIM_NAME_MAX
#define SIM_VCPUS_MAX 128           /* per domain */
#define SIM_DOMAINS_MAX XENSIM_MAX_DOMAINS
#define SIM_LOADS_MAX 8             /* per domain, used round robin */

/* Times in ns: sums over all copies, in cycles, fit into 64 bits. */
#define SIM_TIME_MAX (1000 * UINT64_C(3600000000000))

/* A range of pcpus; first > last: all pcpus. */
struct cpu_range
{
    unsigned int first, last;
};

/* Configuration of a domain; times in ns since the start, 0: never. */
struct dom_config
{
    char name[SIM_NAME_MAX];
    unsigned int copies;            /* number of identical domains */
    enum sim_kind kind;
    unsigned int vcpus;
    enum sim_load loads[SIM_LOADS_MAX]; /* nr_loads of them */
    unsigned int nr_loads;
    uint64_t period;                /* ns; 0: default of the load */
    unsigned int duty;              /* percent of the period; 0: default */
    unsigned int weight;
    unsigned int cap;               /* percent of a pcpu; 0: none */
    struct cpu_range pin;           /* permitted pcpus */
    bool emulated_tsc;              /* reading the TSC exits */
    bool guest_events;              /* HVM: the guest emits own events */
    bool apic_timer;                /* HVM: vcpus wait for local APIC timers */
    bool spins;                     /* HVM: vcpus spin for preempted ones */
    uint64_t start;                 /* creation; 0: present from the start */
    uint64_t stagger;               /* delay of each further copy */
    uint64_t end;                   /* shutdown */
    uint64_t rename;                /* to new_name */
    char new_name[SIM_NAME_MAX];
    uint64_t reweigh;               /* to new_weight */
    unsigned int new_weight;
    uint64_t repin;                 /* to new_pin */
    struct cpu_range new_pin;
    uint64_t pause;                 /* interval of pauses ... */
    uint64_t pause_for;             /* ... and their length */
    uint64_t exit_storm;            /* HVM: many exits of the first vcpu ... */
    uint64_t exit_storm_for;        /* ... for so long */
};

struct workload_config
{
    unsigned int cpus;
    bool virtual_time;
    enum sim_scheduler scheduler;
    unsigned int runq_cpus; /* credit2: pcpus per run queue */
    uint64_t ratelimit;     /* ns */
    bool tickle_idle;       /* credit2: idle pcpus learn of waiting vcpus */
    enum sim_vendor vendor;
    enum sim_layout layout;
    bool nested;            /* AMD: guests run guests */
    bool cstates;
    uint64_t cstate_exit;   /* ns to leave a C-state, in virtual time */
    uint64_t timer_slack;   /* ns; local APIC timers fire so late */
    uint64_t rate;          /* records per second; 0: maximum */
    uint64_t interrupts;    /* per second and pcpu */
    unsigned int interrupt_cpus;    /* the first pcpus get them; 0: all */
    uint64_t nmis;          /* per second and pcpu */
    uint64_t storm;         /* ns between bursts of interrupts; 0: none */
    uint64_t stall;         /* ns between stalls of the machine; 0: none */
    uint64_t stall_for;     /* ns */
    uint64_t hotplug;       /* ns between hotplug operations; 0: none */
    uint64_t skew;          /* ns; maximum deviation of a clock */
    int64_t drift;          /* ppb; maximum drift of a clock */
    uint64_t jump;          /* ns between clock jumps of up to skew */
    uint64_t seed;
    const struct dom_config *dom_configs; /* borrowed; the first is dom0 */
    unsigned int nr_dom_configs;
    FILE *truth;            /* NULL: no log */
    FILE *programs;         /* events of device models; NULL: none */
    /* Callback: is the run to end?  Asked between domains and events. */
    bool (*is_stopped)(const void *arg);        /* NULL: no */
    const void *is_stopped_arg;
};

struct workload;

/* Create a workload, before power on. */
int workload_new(struct workload **w, const struct workload_config *config,
                 struct err *e);
void workload_free(struct workload *w);

/* The callbacks for the machine; they borrow the workload. */
struct xensim_guest workload_guest(struct workload *w);

/* Install the clock, before power on. */
void workload_set_clock(struct workload *w);

/*
 * Start and stop the workload, between power on and power off. In real time
 * this starts and stops the device threads.
 */
int workload_begin(struct workload *w);
void workload_end(struct workload *w);

/* The clock of pcpu 0 when the workload began. */
uint64_t workload_first_clock(const struct workload *w);

/*
 * Name and declaration of an event of device models, by its id in the file of
 * these; NULL: there is none.
 */
const char *workload_program_event(unsigned int i, const char **declaration);

/*
 * Virtual time: run the events before `ns` after the start, at most `most`
 * events, and stop after a VIRQ to dom0 (a ring is half full), the creation of
 * a domain, or if is_stopped() says so. Return true if there are more events.
 */
bool workload_advance(struct workload *w, uint64_t ns, unsigned int most);

/* Write the record counts as one JSON object. Call after workload_end(). */
int workload_report(const struct workload *w, FILE *out);

#endif /* XENSIM_WORKLOAD_H */
