/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of sched-check.c: rules that compare vcpus, in files of their own.
 */
#ifndef XENALYZE_ACCOUNT_SCHED_CHECK_RULES_H
#define XENALYZE_ACCOUNT_SCHED_CHECK_RULES_H

#include "xenalyze/account/sched-check.h"

/* Count a broken rule.  `v` may be NULL. */
void sched_break_rule(struct sched_checks *c, enum sched_rule rule,
                      const struct sched_case *how);

void sched_count_case(struct sched_result *r, const struct sched_case *how);
void sched_add_result(struct sched_result *to, const struct sched_result *from);

/* NULL: no memory. */
struct sched_vcpu *sched_get_vcpu(struct sched_checks *c, const struct vcpu *v);

/* False: the list is full, or no memory. */
bool sched_list_add(struct sched_checks *c, struct sched_list *l,
                    struct sched_vcpu *v);

static inline bool sched_is_wanting(unsigned int state)
{
    return state == STATE_RUNNING || state == STATE_RUNNABLE;
}

/* RULE_SHARE (sched-check-share.c): before and after a change of runstate. */
void sched_share_advance(struct sched_checks *c, uint64_t time);
void sched_share_add(struct sched_checks *c, struct sched_vcpu *v,
                     const struct fact_runstate *f);

/* At the end of the segment: count the starvation of the vcpu. */
void sched_share_close(struct sched_checks *c, struct sched_vcpu *v);

/* A timer was late, by more than c->late (sched-check-stalls.c). */
void sched_break_late(struct sched_checks *c, struct sched_result *r,
                      const struct sched_case *how);

/* At the end: forget the delays in which the machine stood still. */
void sched_subtract_stalls(struct sched_checks *c,
                           const struct machine_stalls *stalls);

/* RTDS (sched-check-rtds.c). */
void sched_rtds_add(struct sched_checks *c, const struct fact_event *f);
void sched_rtds_runstate(struct sched_vcpu *v, const struct fact_runstate *f);
void sched_rtds_forget(struct sched_checks *c);

/* ARINC 653 (sched-check-frames.c): a decision of the pcpu. */
void sched_frames_add(struct sched_checks *c, struct sched_pcpu *p,
                      const struct fact_event *f,
                      const struct xt_rec_sched_switch_infnext *next);
void sched_frames_forget(struct sched_pcpu *p);
void sched_frames_close(struct sched_checks *c);

#endif /* XENALYZE_ACCOUNT_SCHED_CHECK_RULES_H */
