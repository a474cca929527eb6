/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The book as text: stock's headings and lines, in stock's order, and behind
 * them what stock cannot say.  This header is the room's own.
 */
#ifndef XENALYZE_REPORT_TEXT_H
#define XENALYZE_REPORT_TEXT_H

#include "xenalyze/report/book.h"
#include "xenalyze/report/request.h"

struct text
{
    FILE *out;
    struct book *book;          /* closed; lists are sorted in its pool */
    const struct report_request *request;
    struct stats_scale scale;
};

/* The lines that are stock's, by place in its report. */
void text_volumes(const struct text *t);
void text_memory(const struct text *t, const struct book_memory *m);
void text_hvm(const struct text *t, const struct book_vcpu *v);
void text_pv(const struct text *t, const struct book_pv *pv);
void text_cr3(const struct text *t, uint16_t domain);
void text_eips(const struct text *t, const struct stats_map *m);

/* Those that are not: nothing of it comes before all of stock's. */
void text_shares(const struct text *t);
void text_trust(const struct text *t);

#endif /* XENALYZE_REPORT_TEXT_H */
