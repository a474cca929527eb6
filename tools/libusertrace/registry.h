/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events of the process, in groups, as registered by constructors.  Groups
 * are never removed, and a group is complete before it is linked in, so
 * readers walk the list without a lock.  The index by name, ids, states and
 * vcpus change under ut_lock().
 */
#ifndef LIBUSERTRACE_REGISTRY_H
#define LIBUSERTRACE_REGISTRY_H

#include <stdatomic.h>

#include "libusertrace/trace/control.h"

struct usertrace_group
{
    TraceEvent **events;        /* NULL-terminated */
    size_t id;
    struct usertrace_group *_Atomic next;
};

/*
 * The lock of control.  Held for short sections only: without I/O, and without
 * code that could trace.
 */
void ut_lock(void);
void ut_unlock(void);

/* In the child of a fork: no other thread exists that could hold the lock. */
void ut_lock_reinit(void);

const struct usertrace_group *ut_group_first(void);

/* Number of events with ids. */
uint32_t ut_count_events(void);

#endif /* LIBUSERTRACE_REGISTRY_H */
