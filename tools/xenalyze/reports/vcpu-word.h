/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The argument of a report on one vcpu or domain: "d1v0", "1/0", "web1/0"; or
 * "d1", "1", "web1".  A header for the files of this folder only.
 */
#ifndef XENALYZE_REPORTS_VCPU_WORD_H
#define XENALYZE_REPORTS_VCPU_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/internal.h"

struct vcpu_word
{
    uint64_t domain, id;        /* may be no ids of Xen: of no vcpu */
    bool has_vcpu;
};

/*
 * Parse the word; `option` is for messages.  0, or -errno with *e: a name that
 * is not in the trace, or is that of several domains.
 */
int vcpu_word_parse(struct vcpu_word *w, const char *option, const char *word,
                    const struct xt_domain_names *names, struct err *e);

#endif /* XENALYZE_REPORTS_VCPU_WORD_H */
