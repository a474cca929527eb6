/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The causes of one wait, from the uses of its pcpu (wait-explain.c).
 */
#ifndef XENALYZE_ACCOUNT_WAIT_EXPLAIN_H
#define XENALYZE_ACCOUNT_WAIT_EXPLAIN_H

#include "xenalyze/account/wait-cause.h"

/*
 * Add the wait that the fact ends to the sums of its stretch, from `from` on; v
 * is its vcpu.
 */
void wait_explain(struct wait_causes *w, struct wait_vcpu *v,
                  const struct fact_runstate *f, uint64_t from);

/* Add the stretch in progress to the sums of the vcpu. */
void wait_end_stretch(struct wait_vcpu *v);

#endif /* XENALYZE_ACCOUNT_WAIT_EXPLAIN_H */
