/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that contradict the current vcpu of their pcpu: cold paths.
 */
#ifndef XENALYZE_MACHINE_CURRENT_H
#define XENALYZE_MACHINE_CURRENT_H

#include "xenalyze/machine/global.h"

/* The pcpu's current vcpu has left by a record that is missing; `v` runs. */
void current_replace(struct global *g, uint32_t pcpu, const struct vcpu *v,
                     uint64_t time);

/* A vcpu arrives on a pcpu that another one runs on.  True: plausible. */
bool current_may_arrive(struct global *g, const struct change *c);

/* A vcpu leaves, which is not the current one of the pcpu.  True: plausible. */
bool current_may_leave(struct global *g, const struct change *c);

/* A vcpu continues.  True: the vcpu may be the current one of the pcpu. */
bool current_may_continue(const struct global *g, const struct change *c);

/* Has the pcpu run a vcpu since then, and is that one certain? */
bool current_has_run_since(const struct global_pcpu *p, uint64_t time);

/*
 * A record of a vcpu in an unknown state, which the record's old state names
 * if the vcpu has stopped without a record.  True: accept the record.
 */
bool vcpu_name_state(struct global *g, struct vcpu_state *v,
                     const struct change *c);

#endif /* XENALYZE_MACHINE_CURRENT_H */
