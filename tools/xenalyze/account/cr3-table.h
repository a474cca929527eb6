/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames that guests had in CR3, one row each: from load to load, how much
 * of that the guest had and how much Xen, and what for.  A sink that needs
 * order, since a vcpu takes its CR3 from pcpu to pcpu.
 *
 * What is told of an exit is known when it ends; others that want to know of
 * it (scatterplots) are sinks behind this one.
 */
#ifndef XENALYZE_ACCOUNT_CR3_TABLE_H
#define XENALYZE_ACCOUNT_CR3_TABLE_H

#include "xenalyze/account/category.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

struct cr3_row
{
    struct cr3_row *next;       /* of the same hash */
    struct cr3_row *sibling;    /* the domain's next, by id */
    uint64_t frame;
    uint32_t id;                /* in the order of first loads, from 0 */
    uint16_t domain;
    uint64_t first, last;       /* loaded, left; last: 0: not yet */
    uint64_t switches, flushes; /* loads of it; loads while it was there */
    uint64_t run;               /* guest and Xen together */
    struct stats total;         /* from load to load */
    struct stats guest, xen;
    struct stats *parts[CATEGORIES];    /* of Xen's time; NULL: none */
};

struct cr3_table;

/* 0 or -ENOMEM. */
int cr3_table_new(struct cr3_table **list);
void cr3_table_free(struct cr3_table *list);

struct sink cr3_table_sink(struct cr3_table *list);

/* What is in CR3 of a vcpu; NULL: not known. */
const struct cr3_row *cr3_table_now(const struct cr3_table *list,
                                    const struct vcpu *v);

/* Did the exit that was told last put another frame there? */
bool cr3_table_switched(const struct cr3_table *list);

/* All rows by id. */
struct cr3_row *const *cr3_table_rows(const struct cr3_table *list,
                                      uint32_t *nr);

/* The first of a domain's; NULL: it has none. */
const struct cr3_row *cr3_table_of(const struct cr3_table *list,
                                   uint16_t domain);

/* Loads of more frames than there are rows. */
uint64_t cr3_table_others(const struct cr3_table *list);

#endif /* XENALYZE_ACCOUNT_CR3_TABLE_H */
