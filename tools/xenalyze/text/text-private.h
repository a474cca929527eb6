/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary as text: stock's headings and lines, in stock's order, and behind
 * them what stock cannot say.  This header is the room's own.
 */
#ifndef XENALYZE_TEXT_TEXT_PRIVATE_H
#define XENALYZE_TEXT_TEXT_PRIVATE_H

#include "xenalyze/account/account.h"

struct text
{
    FILE *out;
    struct summary *summary;          /* closed; lists are sorted in its pool */
    const struct report_request *request;
    struct stats_scale scale;
};

struct text text_of(struct summary *summary,
                    const struct report_request *request,
                    FILE *out);

/* The lines that are stock's, by place in its report. */
void text_volumes(const struct text *t);
void text_memory(const struct text *t, const struct summary_memory *m);
void text_hvm(const struct text *t, const struct summary_vcpu *v);
void text_pv(const struct text *t, const struct summary_pv *pv);
void text_cr3(const struct text *t, uint16_t domain);
void text_eips(const struct text *t, const struct stats_map *m);

/*
 * In the order that is asked for, indexes into the summary's arrays, *n of them
 * that are to be shown; in memory of the pool, which knows if there was none.
 */
#define TEXT_ANY UINT32_MAX     /* of any domain */

struct sort_row *text_vcpus(const struct text *t, uint32_t domain, size_t *n);
struct sort_row *text_domains(const struct text *t, size_t *n);
struct sort_row *text_pcpus(const struct text *t, size_t *n);

/* Those of `nr` counts that are not 0, into rows[nr]: how many to show. */
size_t text_counts(const struct text *t, const uint64_t *counts, size_t nr,
                   struct sort_row *rows);

/* Those that are not: nothing of it comes before all of stock's. */
void text_shares(const struct text *t);
void text_guests(const struct text *t); /* the end of it by itself */
void text_quality(const struct text *t);

#endif /* XENALYZE_TEXT_TEXT_PRIVATE_H */
