/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vcpus of the metadata that the trace has no record of.  The collector asks
 * for the state of each vcpu when tracing begins.  A vcpu that waits for a pcpu
 * all the time writes no record, nor does one that is paused.
 */
#ifndef XENALYZE_ACCOUNT_SILENT_VCPUS_H
#define XENALYZE_ACCOUNT_SILENT_VCPUS_H

#include <stdint.h>

#include "xenalyze/account/wait-cause.h"

/* The state of a silent vcpu when tracing began. */
enum silent_state
{
    SILENT_WAITING,             /* ready to run, or held by Xen, for example
                                   for its device model: which is unknown */
    SILENT_BLOCKED,
    SILENT_OFFLINE,
    SILENT_STOPPED,             /* its domain was paused or had shut down */
    SILENT_STATES
};

/* "waiting", "blocked", "offline" or "stopped". */
const char *silent_state_name(enum silent_state state);

struct silent_vcpu
{
    uint16_t domain, id;
    enum silent_state state;
};

struct silent_vcpus
{
    struct silent_vcpu *all;    /* by domain and id; those asked for */
    uint32_t nr;
    uint32_t nr_waiting;
};

/*
 * After wait_causes_close(); the array is in memory of the causes.  A state
 * does not count if it is not that of the trace's begin.  0 or -ENOMEM.
 */
int silent_vcpus_find(struct silent_vcpus *s, struct wait_causes *w,
                      const struct xt_info *info);

/* The first with this state, or NULL. */
const struct silent_vcpu *silent_vcpus_first(const struct silent_vcpus *s,
                                             enum silent_state state);

#endif /* XENALYZE_ACCOUNT_SILENT_VCPUS_H */
