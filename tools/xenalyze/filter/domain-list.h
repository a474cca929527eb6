/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The domains of a trace, as the end of a message about a mistyped name.  For
 * this folder only.
 */
#ifndef XENALYZE_FILTER_DOMAIN_LIST_H
#define XENALYZE_FILTER_DOMAIN_LIST_H

#include "libxentrace/internal.h"

#define DOMAIN_LIST_MAX 200u    /* so that a message is one line */

/*
 * "is web1 meant? The trace has Domain-0, web1, web2 and 5 more".  `word`: a
 * name, or a vcpu such as web1/0.  Returns `text`.
 */
const char *domain_list_format(const struct xt_domain_names *n,
                               const char *word, char text[DOMAIN_LIST_MAX]);

#endif /* XENALYZE_FILTER_DOMAIN_LIST_H */
