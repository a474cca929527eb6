/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the scheduler of one pcpu does: who is on stage, who waits.
 */
#ifndef XENSIM_STAGE_H
#define XENSIM_STAGE_H

#include "xensim/workload/player.h"

/* The role on stage leaves it in the state `becomes`; the next one enters. */
void stage_switch(struct player *p, enum runstate becomes);

/* A blocked vcpu becomes runnable; false: there was none. */
bool stage_wake(struct player *p);

/* HVM: from the guest into Xen, and back. */
void stage_exit(struct player *p, uint32_t reason);
void stage_enter(struct player *p);

#endif /* XENSIM_STAGE_H */
