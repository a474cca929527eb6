/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules, and the state of the reading thread (pipeline.h). */
#ifndef XENALYZE_LINES_FORMATS_PRIVATE_H
#define XENALYZE_LINES_FORMATS_PRIVATE_H

#include "common/arena.h"
#include "xenalyze/lines/formats.h"

struct formats
{
    struct arena arena;         /* of the texts and steps */
    struct formats_rule *rules; /* a hash table, never full */
    size_t nr, room;            /* room is a power of two */
    struct formats_rule other;  /* the rule of id 0, if .used */
    uint32_t longest;
    uint64_t mhz;

    uint64_t *times;            /* latest time stamp, by pcpu */
    unsigned int nr_cpus;
};

#endif /* XENALYZE_LINES_FORMATS_PRIVATE_H */
