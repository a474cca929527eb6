/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work deferred until this CPU is outside of every interrupt. A tasklet
 * scheduled again before its run runs once.
 */
#ifndef XENSIM_XEN_TASKLET_H
#define XENSIM_XEN_TASKLET_H

#include <xen/types.h>

struct tasklet
{
    void (*func)(void *arg);
    void *data;
    struct tasklet *next;   /* link of the CPU's list, while scheduled */
    bool scheduled;
};

#define DECLARE_TASKLET(name, f, d)                                     \
    struct tasklet name = { .func = (f), .data = (d) }
#define DECLARE_SOFTIRQ_TASKLET(name, f, d) DECLARE_TASKLET(name, f, d)

/* Not from an NMI or #MC: Xen takes a lock here; such a call is a BUG. */
void tasklet_schedule(struct tasklet *t);
void tasklet_init(struct tasklet *t, void (*func)(void *arg), void *data);
#define softirq_tasklet_init(t, f, d) tasklet_init(t, f, d)

#endif /* XENSIM_XEN_TASKLET_H */
