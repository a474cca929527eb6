/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The waiting time of each domain, by what had the pcpu meanwhile: a domain,
 * which may be the waiting one, or nothing, for one of some causes.
 */
#ifndef XENALYZE_ACCOUNT_WAIT_MATRIX_H
#define XENALYZE_ACCOUNT_WAIT_MATRIX_H

#include "xenalyze/account/wait-cause.h"

struct wait_matrix_cell
{
    uint16_t domain;
    uint64_t cycles;            /* a vcpu of this domain had the pcpu */
};

/*
 * The cycles of all cells, `others` and causes[] add up to `waited`.  Time with
 * a running vcpu is in cells and `others`, whatever its cause is.
 */
struct wait_matrix_row
{
    uint16_t domain;            /* waited */
    uint64_t waited;
    struct wait_matrix_cell *cells;    /* largest first */
    size_t nr_cells;
    uint64_t others;            /* domains beyond WAIT_RIVALS of a vcpu */
    uint64_t causes[WAIT_CAUSES];       /* no vcpu ran; 0 for other causes */
};

/* The vcpu is one of those asked for. */
bool wait_is_asked(const struct wait_causes *w, uint16_t domain, uint16_t id);

/*
 * The row of the domain of the vcpus from *index on, of closed causes; *index
 * becomes that of the next domain.  Only vcpus that are asked for count.  The
 * cells are in memory of the causes.  False: no memory.
 */
bool wait_matrix_next(struct wait_causes *w, uint32_t *index,
                      struct wait_matrix_row *row);

#endif /* XENALYZE_ACCOUNT_WAIT_MATRIX_H */
