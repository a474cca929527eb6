/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What xensim can be told, on the command line and in a scenario.
 */
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
    unsigned int online;    /* of them; 0: all */
    uint64_t memory;        /* bytes */
    const char *boot;
    bool scatter;
    bool park;
    unsigned int vendor;    /* enum sim_vendor */
    unsigned int layout;    /* enum sim_layout */
    bool nested;
    bool cstates;
    /* Scheduling. */
    unsigned int scheduler; /* enum sim_scheduler */
    unsigned int runq_cpus;
    uint64_t ratelimit;     /* ns */
    /* Domains, if the scenario has none. */
    unsigned int domains;   /* guests; AUTO: as many as there is room for */
    unsigned int vcpus;     /* of each */
    unsigned int dom0_vcpus; /* AUTO: one a pcpu, at most 4 */
    unsigned int kind;      /* enum sim_kind - 1; or KIND_MIX */
    unsigned int load;      /* enum sim_load; or LOAD_MIX */
    struct domain_order *orders; /* in the end: dom0, and all others */
    unsigned int nr_orders;
    /* What happens. */
    uint64_t rate;          /* records a second and busy pcpu */
    uint64_t interrupts;
    uint64_t nmis;
    uint64_t storm;         /* ns */
    uint64_t hotplug;       /* ns */
    uint64_t skew;          /* ns */
    unsigned int drift;     /* ppb */
    uint64_t jump;          /* ns */
    uint64_t seed;
    /* Around it. */
    bool virtual_time;
    const char *output;
    uint64_t drain;         /* ns; 0: before a ring is full */
    const char *socket;
    uint64_t duration;      /* ns; 0: until told */
    const char *truth;
    const char *report;
    unsigned int ready_fd;  /* NO_FD: none */
    bool verbose;
    char **command;         /* NULL: none */
    struct scenario file;   /* what it said */
};

#define NO_FD 0xffffffffu
#define AUTO 0u

/* As opts_parse().  Whatever it returns, options_fini() is due. */
int options_parse(struct options *o, int argc, char **argv,
                  enum opts_next *next, struct err *e);
void options_fini(struct options *o);

#endif /* XENSIM_OPTIONS_H */
