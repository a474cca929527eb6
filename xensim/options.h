/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of xensim, from the command line and from a scenario. */
#ifndef XENSIM_OPTIONS_H
#define XENSIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/opts.h"
#include "xensim/scenario.h"
#include "xensim/workload/workload.h"

struct options
{
    const char *scenario;
    /* The machine. */
    unsigned int cpus;
    unsigned int online;    /* pcpus online at boot; 0: all */
    uint64_t memory;        /* bytes */
    const char *boot;
    bool scatter;
    bool park;
    unsigned int vendor;    /* enum sim_vendor */
    unsigned int layout;    /* enum sim_layout */
    bool nested;
    bool cstates;
    uint64_t cstate_exit;   /* ns */
    uint64_t timer_slack;   /* ns */
    /* Scheduling. */
    unsigned int scheduler; /* enum sim_scheduler */
    unsigned int runq_cpus;
    uint64_t ratelimit;     /* ns */
    bool tickle_idle;
    /* Domains, if the scenario has none. */
    unsigned int domains;   /* guests; AUTO: by the number of pcpus */
    unsigned int vcpus;     /* vcpus of each guest */
    unsigned int dom0_vcpus; /* AUTO: one a pcpu, at most 4 */
    unsigned int kind;      /* enum sim_kind - 1; or KIND_MIX */
    unsigned int load;      /* enum sim_load; or LOAD_MIX */
    struct dom_config *dom_configs; /* after parsing: dom0, then the others */
    unsigned int nr_dom_configs;
    /* Events. */
    uint64_t rate;          /* records per second of a busy pcpu */
    uint64_t interrupts;
    unsigned int interrupt_cpus;    /* 0: all */
    uint64_t nmis;
    uint64_t storm;         /* ns */
    uint64_t stall;         /* ns */
    uint64_t stall_for;     /* ns */
    uint64_t hotplug;       /* ns */
    uint64_t skew;          /* ns */
    unsigned int drift;     /* ppb */
    uint64_t jump;          /* ns */
    uint64_t seed;
    /* The run. */
    bool virtual_time;
    const char *output;
    const char *host_name;  /* in the metadata of the output */
    uint64_t wall_clock;    /* ns after the first date, at the begin */
    uint64_t drain;         /* ns; 0: before a ring is full */
    const char *socket;
    uint64_t duration;      /* ns; 0: until a signal */
    const char *truth;
    const char *report;
    const char *programs;
    unsigned int ready_fd;  /* NO_FD: none */
    bool verbose;
    char **command;         /* NULL: none */
    struct scenario file;   /* contents of the scenario */
};

#define NO_FD 0xffffffffu
#define HOST_NAME "xensim"     /* the default of --host-name */
#define AUTO 0u

/*
 * Parse argv, as opts_parse() does. The caller calls options_fini() whatever
 * the result.
 */
int options_parse(struct options *o, int argc, char **argv,
                  enum opts_next *next, struct err *e);
void options_fini(struct options *o);

#endif /* XENSIM_OPTIONS_H */
