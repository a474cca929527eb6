/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The advice of a verdict, as a command that an administrator can paste.  The
 * rows of a table in verdict-help.c replace the advice of a rule where the
 * scheduler of the domain is known.
 */
#ifndef XENALYZE_ACCOUNT_VERDICT_HELP_H
#define XENALYZE_ACCOUNT_VERDICT_HELP_H

#include "libxentrace/internal.h"
#include "xenalyze/account/verdict.h"

#define VERDICT_HELP_MAX 512u

/*
 * The advice of the rule about a domain; returns `text`.  The name of the
 * domain is one word for a shell.  If there is no such word, or if the advice
 * would be longer than `most` bytes, the id of the domain takes its place,
 * which xl accepts as well.  `names` may be NULL.
 */
const char *verdict_write_help(const struct verdict_rule *rule,
                               const struct xt_domain_names *names,
                               uint16_t domain, size_t most,
                               char text[VERDICT_HELP_MAX]);

#endif /* XENALYZE_ACCOUNT_VERDICT_HELP_H */
