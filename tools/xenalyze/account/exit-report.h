/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cost of VM exits by domain, exit reason and handler: sums over all vcpus of
 * the domain.
 */
#ifndef XENALYZE_ACCOUNT_EXIT_REPORT_H
#define XENALYZE_ACCOUNT_EXIT_REPORT_H

#include "xenalyze/account/summary.h"

/* in place of a handler: all exits with the reason, all exits of the domain */
#define EXIT_REPORT_WHOLE UINT64_MAX
#define EXIT_REPORT_DOMAIN (UINT64_MAX - 1)

struct exit_report_row
{
    uint16_t domain, cause;
    uint64_t handler;           /* key for summary_detail_name() */
    struct stats cost;          /* time in Xen and off the pcpu ... */
    uint64_t off_cpu;           /* ... of which off the pcpu, if wanted */
};

static inline uint64_t exit_report_in_xen(const struct exit_report_row *r)
{
    return summary_in_xen(r->cost.sum, r->off_cpu);
}

static inline bool exit_report_has_handler(const struct exit_report_row *r)
{
    return r->handler < EXIT_REPORT_DOMAIN;
}

/* Rows grouped by domain, else in the order of the summary. */
struct exit_report
{
    struct exit_report_row *rows;  /* cells: memory of the summary's pool */
    size_t nr, room;
};

/* Input is a closed summary.  0 or -ENOMEM; exit_report_fini() in any case. */
int exit_report_build(struct exit_report *x, struct summary *summary);
void exit_report_fini(struct exit_report *x);

/* Name of an exit cause: "HLT", "54", "(others)". */
#define EXIT_REPORT_NAME 32u

const char *exit_report_name(unsigned int cause, char name[EXIT_REPORT_NAME]);

#endif /* XENALYZE_ACCOUNT_EXIT_REPORT_H */
