/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An option table with every kind of option, for the tests of opts-*.c and for
 * demo-program.c, which the tests of shells and scripts use.
 */
#ifndef TESTS_OPTS_EXAMPLE_H
#define TESTS_OPTS_EXAMPLE_H

#include "common/opts.h"

struct example
{
    unsigned int cpus;
    uint64_t start, ring, wait, hz;
    bool quiet, colour;
    const char *output;
    unsigned int format;
    unsigned int called;        /* how often --call was met */
    const char *masks[4];       /* the texts of --mask */
    unsigned int nr_masks;
};

const struct program *example_program(void);

#endif /* TESTS_OPTS_EXAMPLE_H */
