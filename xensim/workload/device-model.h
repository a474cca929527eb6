/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device models in dom0: a process for each guest, which answers accesses to
 * emulated devices. With --programs their events go into a file, as if their
 * trace points had the simple back end.
 */
#ifndef XENSIM_DEVICE_MODEL_H
#define XENSIM_DEVICE_MODEL_H

#include "xensim/workload/sim.h"

/* The vcpu of dom0 where the device model of v's domain runs; NULL: any. */
struct sim_vcpu *device_model_vcpu(struct sim *s, const struct sim_vcpu *v);

/*
 * The next step of the access of v, on dom0's vcpu b. Return false if the
 * access is complete.
 */
bool device_model_step(struct sim_cpu *p, struct sim_vcpu *b,
                       struct sim_vcpu *v);

#endif /* XENSIM_DEVICE_MODEL_H */
