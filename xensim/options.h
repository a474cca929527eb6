/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What xensim can be told.
 */
#ifndef XENSIM_OPTIONS_H
#define XENSIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/opts.h"

struct options
{
    unsigned int cpus;
    unsigned int online;    /* of them; 0: all */
    uint64_t memory;        /* bytes */
    const char *boot;
    bool scatter;
    bool park;
    uint64_t rate;          /* records a second and pcpu */
    uint64_t interrupts;
    uint64_t nmis;
    uint64_t hotplug;       /* ns */
    uint64_t seed;
    const char *socket;
    uint64_t duration;      /* ns; 0: until told */
    const char *report;
    unsigned int ready_fd;  /* NO_FD: none */
    bool verbose;
    char **command;         /* NULL: none */
};

#define NO_FD 0xffffffffu

/* As opts_parse(). */
int options_parse(struct options *o, int argc, char **argv,
                  enum opts_next *next, struct err *e);

#endif /* XENSIM_OPTIONS_H */
