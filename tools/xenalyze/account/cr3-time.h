/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose time is whose: which frame was in CR3 while a vcpu ran.  It is told
 * facts in order, and says so when a vcpu stops running; only where Xen sees
 * guests load CR3 is anything known.
 */
#ifndef XENALYZE_ACCOUNT_CR3_TIME_H
#define XENALYZE_ACCOUNT_CR3_TIME_H

#include "xenalyze/model/model.h"

#define CR3_UNKNOWN UINT64_MAX

/* While one vcpu ran on, it had this frame in CR3. */
typedef void cr3_ran_fn(void *owner, const struct vcpu *v,
                        uint64_t frame, uint64_t from, uint64_t to);

struct cr3_vcpu;

struct cr3
{
    cr3_ran_fn *ran;
    void *owner;
    struct cr3_vcpu *vcpus;     /* by index */
    uint32_t nr_vcpus;
    bool failed;                /* out of memory */
};

void cr3_fini(struct cr3 *c);

void cr3_switch(struct cr3 *c, const struct fact_cr3 *f);
void cr3_runstate(struct cr3 *c, const struct fact_runstate *f);

/* What is in CR3 now; CR3_UNKNOWN until it has been loaded. */
uint64_t cr3_now(const struct cr3 *c, const struct vcpu *v);

#endif /* XENALYZE_ACCOUNT_CR3_TIME_H */
