/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures that follow each other in a file, as after `cat A B`.
 */
#ifndef XENALYZE_CAPTURES_H
#define XENALYZE_CAPTURES_H

#include "libxentrace/libxentrace.h"

struct captures
{
    unsigned int nr;            /* 0: unknown, as of a pipe */
    uint64_t cycles;            /* the sum of their lengths */
};

/*
 * Count the captures of a file by its index.  Times begin anew in each, which
 * is no damage: removed from `damage`, which is that of a reader in the order
 * of the file, are the windows where they do.
 */
struct captures captures_count(const char *path, struct xt_damage *damage);

#endif /* XENALYZE_CAPTURES_H */
