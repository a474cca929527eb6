/* SPDX-License-Identifier: GPL-2.0-only */
/* Notifier chains: callbacks ordered by priority. */
#ifndef XENSIM_XEN_NOTIFIER_H
#define XENSIM_XEN_NOTIFIER_H

#include <xen/types.h>
#include <xen/errno.h>

struct notifier_block
{
    int (*notifier_call)(struct notifier_block *nb, unsigned long action,
                         void *arg);
    struct notifier_block *next, *prev; /* links of the chain */
    int priority;                       /* higher: called earlier going up */
};

#define NOTIFY_FORWARD      0x0000
#define NOTIFY_REVERSE      0x8000

#define NOTIFY_DONE         0x0000
#define NOTIFY_STOP_MASK    0x8000
#define NOTIFY_STOP         (NOTIFY_STOP_MASK | NOTIFY_DONE)
#define NOTIFY_BAD          (NOTIFY_STOP_MASK | EINVAL)

static inline int notifier_from_errno(int err)
{
    return NOTIFY_STOP_MASK | -err;
}

static inline int notifier_to_errno(int ret)
{
    return -(ret & ~NOTIFY_STOP_MASK);
}

#endif /* XENSIM_XEN_NOTIFIER_H */
