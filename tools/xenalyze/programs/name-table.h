/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers for names, in the order of their first use.  Names come from files;
 * the number of different names is bounded.
 */
#ifndef XENALYZE_PROGRAMS_NAME_TABLE_H
#define XENALYZE_PROGRAMS_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"

#define NAME_TABLE_MAX 16384u   /* further names share one number */
#define NAME_TABLE_LENGTH 128u  /* bytes of a name; a longer one is cut */

/* All bytes 0, and an initialised arena: empty. */
struct name_table
{
    struct arena arena;
    const char **names;
    uint32_t *slots;            /* the hash: number plus 1; 0: free */
    uint32_t nr;
};

void name_table_init(struct name_table *t);
void name_table_fini(struct name_table *t);

/*
 * The number of a name, of which bytes that are no visible characters are
 * replaced by "?".  0 or -ENOMEM.
 */
int name_table_add(struct name_table *t, const char *name, uint32_t *number);

#endif /* XENALYZE_PROGRAMS_NAME_TABLE_H */
