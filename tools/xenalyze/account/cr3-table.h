/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table of the page-table roots (CR3 frames) of guests, a row per domain and
 * frame: residency from load to load, split into guest time and hypervisor
 * time, the latter also by category of exit.  An ordered sink, since a vcpu
 * keeps its CR3 when migrating between pcpus.
 *
 * The handler facts of an exit arrive at the end of the exit.  Sinks that query
 * this table (scatterplots) must be registered behind this sink.
 */
#ifndef XENALYZE_ACCOUNT_CR3_TABLE_H
#define XENALYZE_ACCOUNT_CR3_TABLE_H

#include "xenalyze/account/category.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

struct cr3_row
{
    struct cr3_row *next;       /* next row in the hash chain */
    struct cr3_row *sibling;    /* next row of the domain, by id */
    uint64_t frame;
    uint32_t id;                /* order of first loads, from 0 */
    uint16_t domain;
    uint64_t first, last;       /* first load; end of last residency, or 0 */
    uint64_t switches, flushes; /* loads of the frame; redundant reloads */
    uint64_t run;               /* guest and hypervisor time */
    struct stats total;         /* residency, from load to load */
    struct stats guest, xen;
    struct stats *by_category[CATEGORIES];    /* hypervisor time; NULL: none */
};

struct cr3_table;

/* 0 or -ENOMEM. */
int cr3_table_new(struct cr3_table **table);
void cr3_table_free(struct cr3_table *table);

struct sink cr3_table_sink(struct cr3_table *table);

/* Row of the frame in CR3 of a vcpu; NULL: unknown. */
const struct cr3_row *cr3_table_current_row(const struct cr3_table *table,
                                    const struct vcpu *v);

/* True if the most recent exit loaded another frame. */
bool cr3_table_has_switched(const struct cr3_table *table);

/* Array of all rows, by id. */
struct cr3_row *const *cr3_table_rows(const struct cr3_table *table,
                                      uint32_t *nr);

/* First row in the list of a domain, or NULL. */
const struct cr3_row *cr3_table_first_row(const struct cr3_table *table,
                                   uint16_t domain);

/* Number of loads of frames without a row. */
uint64_t cr3_table_dropped_loads(const struct cr3_table *table);

#endif /* XENALYZE_ACCOUNT_CR3_TABLE_H */
