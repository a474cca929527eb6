/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of the truth.
 */
#ifndef XENSIM_TELL_H
#define XENSIM_TELL_H

#include "xensim/workload/world.h"

/* The clock, the machine. */
void tell_begin(struct world *w);
/* What is still open; then the books. */
void tell_end(struct world *w);

/* It leaves v->state, entered at v->since, with the record just left. */
void tell_runstate(struct sim_cpu *p, const struct sim_vcpu *v);
/* It will never be in any state again. */
void tell_gone(struct sim_cpu *p, const struct sim_vcpu *v);
/* It was woken, and has just begun to run on p. */
void tell_answered(struct sim_cpu *p, struct sim_vcpu *v);
void tell_migration(struct sim_cpu *p, const struct sim_vcpu *v,
                    const struct sim_cpu *to);
/* The exit is over: it has just entered again.  Any context. */
void tell_exit(struct sim_cpu *p, struct sim_vcpu *v);
/* What handlers could not tell themselves. */
void tell_told(struct sim_cpu *p);
void tell_domain(struct sim_cpu *p, const struct sim_dom *d,
                 const char *event);
void tell_cpu(struct sim_cpu *p, const char *event);
void tell_clock(struct sim_cpu *p);

#endif /* XENSIM_TELL_H */
