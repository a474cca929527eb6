/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What exits cost a domain, all its vcpus together: by reason, and by what
 * handled them.
 */
#ifndef XENALYZE_ACCOUNT_EXIT_REPORT_H
#define XENALYZE_ACCOUNT_EXIT_REPORT_H

#include "xenalyze/account/summary.h"

/* not one handler's: all with this reason */
#define EXIT_REPORT_WHOLE UINT64_MAX

struct exit_report_row
{
    uint16_t domain, cause;
    uint64_t handler;           /* summary_detail_name() knows it */
    struct stats cost;
};

/* By domain, and then as they come. */
struct exit_report
{
    struct exit_report_row *rows;  /* their series are in the summary's pool */
    size_t nr, room;
};

/* Of a closed summary.  0 or -ENOMEM; exit_report_fini() in any case. */
int exit_report_build(struct exit_report *x, struct summary *summary);
void exit_report_fini(struct exit_report *x);

/* "HLT", "54", "(others)". */
#define EXIT_REPORT_NAME 32u

const char *exit_report_name(unsigned int cause, char name[EXIT_REPORT_NAME]);

#endif /* XENALYZE_ACCOUNT_EXIT_REPORT_H */
