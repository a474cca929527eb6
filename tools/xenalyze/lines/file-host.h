/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host and its domains, for --info; the text ends with the tables of
 * domains and interrupts.
 */
#ifndef XENALYZE_LINES_FILE_HOST_H
#define XENALYZE_LINES_FILE_HOST_H

#include <stdio.h>

#include "libxentrace/internal.h"
#include "xenalyze/account/account.h"

/* Lines about schedulers and topology.  0 or -ENOMEM. */
int file_host_print(const struct xt_host *h, FILE *out);

/* `names`: of the domains. */
void file_host_print_tables(const struct xt_host *h,
                            const struct xt_domain_names *names,
                            const struct report_request *request, FILE *out);

#endif /* XENALYZE_LINES_FILE_HOST_H */
