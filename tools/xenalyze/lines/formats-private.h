/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is behind a struct formats. */
#ifndef XENALYZE_LINES_FORMATS_PRIVATE_H
#define XENALYZE_LINES_FORMATS_PRIVATE_H

#include "common/arena.h"
#include "xenalyze/lines/formats.h"

struct formats
{
    struct arena arena;         /* of the texts and steps */
    struct formats_rule *rules; /* a hash table, never full */
    size_t nr, room;            /* room is a power of two */
    struct formats_rule other;  /* of id 0; .used: there is one */
    uint32_t longest;
    uint64_t mhz;

    /* While printing, of who takes (pipeline.c): latest time stamp by pcpu. */
    uint64_t *times;
    unsigned int nr_cpus;
};

#endif /* XENALYZE_LINES_FORMATS_PRIVATE_H */
