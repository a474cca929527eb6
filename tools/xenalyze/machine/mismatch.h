/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes from another state than the known one: cold paths.
 */
#ifndef XENALYZE_MACHINE_MISMATCH_H
#define XENALYZE_MACHINE_MISMATCH_H

#include "xenalyze/machine/global.h"

/*
 * The record's old state is not the known one, or none is known.  True: accept
 * the record.
 */
bool vcpu_accept_record(struct global *g, struct vcpu_state *v,
                          const struct change *c);

/* A record of a vcpu without an effect, whatever the vcpu's state is. */
void vcpu_note_ignored(const struct global *g, struct vcpu_state *v,
                       const struct change *c);

/*
 * A wake-up of a vcpu with an early change.  True: the vcpu has run because of
 * this wake-up already, and blocked again.
 */
bool vcpu_is_late_wake(struct global *g, struct vcpu_state *v,
                       const struct change *c);

/*
 * A vcpu blocks that another pcpu woke while it ran, by the clocks.  Either the
 * wake-up came too early for this halt, or too late for this run, which was
 * then taken for the end of another wake-up's wait:
 *
 *     waits ... runs    wakes    blocks
 *               |--late--|--early--|
 */
void vcpu_note_wake_in_run(struct global *g, const struct vcpu_state *v,
                           const struct change *c);

/*
 * The memory of an early change ends.  True: `c` is a late record that the
 * caller expected, and the order of both is clear again.
 */
bool vcpu_end_early(struct global *g, struct vcpu_state *v, bool is_expected,
                    const struct change *c);

#endif /* XENALYZE_MACHINE_MISMATCH_H */
