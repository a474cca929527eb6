/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What exits cost a domain, all its vcpus together: by reason, and by what
 * handled them.
 */
#ifndef XENALYZE_ACCOUNT_EXIT_REPORT_H
#define XENALYZE_ACCOUNT_EXIT_REPORT_H

#include "xenalyze/account/summary.h"

#define EXITS_WHOLE UINT64_MAX  /* not one handler's: all with this reason */

struct exits_row
{
    uint16_t domain, cause;
    uint64_t handler;           /* book_detail_name() knows it */
    struct stats cost;
};

/* By domain, and then as they come. */
struct exits
{
    struct exits_row *rows;     /* their series are in the book's pool */
    size_t nr, room;
};

/* Of a closed book.  0 or -ENOMEM; exits_fini() in any case. */
int exits_gather(struct exits *x, struct book *book);
void exits_fini(struct exits *x);

/* "HLT", "54", "(others)". */
#define EXITS_NAME 32u

const char *exits_name(unsigned int cause, char name[EXITS_NAME]);

#endif /* XENALYZE_ACCOUNT_EXIT_REPORT_H */
