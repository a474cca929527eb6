/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attribution of running time to CR3: which frame was loaded while a vcpu ran.
 * Input are facts in the order of time; output is a callback at the end of each
 * running state.  Frames are known only where Xen intercepts writes to CR3.
 */
#ifndef XENALYZE_ACCOUNT_CR3_TIME_H
#define XENALYZE_ACCOUNT_CR3_TIME_H

#include "xenalyze/model/model.h"

#define CR3_UNKNOWN UINT64_MAX

/* Callback: the vcpu ran with the frame in CR3, from `from` to `to`. */
typedef void cr3_add_time_fn(void *owner, const struct vcpu *v,
                             uint64_t frame, uint64_t from, uint64_t to);

struct cr3_vcpu;

struct cr3
{
    cr3_add_time_fn *add_time;
    void *owner;
    struct cr3_vcpu *vcpus;     /* array by index */
    uint32_t nr_vcpus;
    bool failed;                /* out of memory */
};

void cr3_fini(struct cr3 *c);

void cr3_note_load(struct cr3 *c, const struct fact_cr3 *f);
void cr3_note_runstate(struct cr3 *c, const struct fact_runstate *f);

/* Frame in CR3 now; CR3_UNKNOWN before the first load. */
uint64_t cr3_current_frame(const struct cr3 *c, const struct vcpu *v);

#endif /* XENALYZE_ACCOUNT_CR3_TIME_H */
