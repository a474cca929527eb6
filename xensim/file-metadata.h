/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metadata of a file of --output: the records of events/11-meta that a
 * collector would write. All values come from the simulation, so the same seed
 * gives the same file; the wall clock starts at a fixed date.
 */
#ifndef XENSIM_FILE_METADATA_H
#define XENSIM_FILE_METADATA_H

#include <stdio.h>

#include "xensim/options.h"
#include "xensim/wire.h"

struct file_metadata
{
    /* By id, as written; a domain without vcpus has not been written. */
    struct xensim_domain written[XENSIM_MAX_DOMAINS + 1];
    struct xensim_domain now[XENSIM_MAX_DOMAINS];
};

/*
 * Write the metadata of the machine and of the domains; `first`: the clock at
 * the begin of the simulation. 0 or -EIO.
 */
int file_metadata_begin(struct file_metadata *m, const struct options *o,
                        uint64_t first, FILE *out);

/*
 * Write domains that are new; new names, weights and affinity. 0 or -EIO.
 */
int file_metadata_update(struct file_metadata *m, FILE *out);

/* The boot id, and dom0's wall clock at the begin, in ns since 1970. */
void file_metadata_boot_id(const struct options *o, unsigned char id[16]);
uint64_t file_metadata_date(const struct options *o);

#endif /* XENSIM_FILE_METADATA_H */
