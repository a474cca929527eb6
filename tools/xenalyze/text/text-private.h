/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary as text: stock's headings and lines in stock's order, followed by
 * our own sections.  A header for the files of this folder only.
 */
#ifndef XENALYZE_TEXT_TEXT_PRIVATE_H
#define XENALYZE_TEXT_TEXT_PRIVATE_H

#include "xenalyze/account/account.h"

struct text
{
    FILE *out;
    struct summary *summary;          /* closed; its pool holds sorted lists */
    const struct report_request *request;
    struct stats_scale scale;
};

struct text text_of(struct summary *summary,
                    const struct report_request *request,
                    FILE *out);

/* Lines of stock, one function a section. */
void text_volumes(const struct text *t);
void text_memory(const struct text *t, const struct summary_memory *m);
void text_hvm(const struct text *t, const struct summary_vcpu *v);
void text_pv(const struct text *t, const struct summary_pv *pv);
void text_cr3(const struct text *t, uint16_t domain);
void text_eips(const struct text *t, const struct stats_map *m);

/*
 * Indexes into the arrays of the summary, sorted by --sort; *n is the number of
 * rows to print.  The memory belongs to the pool, which records failures.
 */
#define TEXT_ANY UINT32_MAX     /* all domains */

/*
 * On a terminal, a summary with more blocks of lines (of pcpus; of domains and
 * vcpus) than rows in a table has this number of each.
 */
#define TEXT_BLOCKS 3u

struct sort_row *text_vcpus(const struct text *t, uint32_t domain, size_t *n);
struct sort_row *text_domains(const struct text *t, size_t *n);
struct sort_row *text_pcpus(const struct text *t, size_t *n);

/* Stores nonzero counts in rows[nr]; returns the number of rows to print. */
size_t text_counts(const struct text *t, const uint64_t *counts, size_t nr,
                   struct sort_row *rows);

/* Percent of the time of all pcpus without records. */
double text_lost_share(const struct summary *b);

/* Print events per second; a rate below 10 has two decimals. */
void text_print_rate(const struct summary *s, uint64_t events, int width,
                     FILE *out);

/* Our own sections, printed after all lines of stock. */
void text_pcpu_shares(const struct text *t);    /* part of text_shares() */
void text_pcpu_sum(const struct text *t);       /* its row for all pcpus */
void text_shares(const struct text *t);
void text_guests(const struct text *t); /* only the lines on guests */
void text_quality(const struct text *t);

#endif /* XENALYZE_TEXT_TEXT_PRIVATE_H */
