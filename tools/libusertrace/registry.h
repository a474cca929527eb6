/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events of the process, group by group, as their constructors brought
 * them.  Groups only come: whoever walks the list needs no lock, since a group
 * is whole before it is linked in, and stays.  What else there is (the index
 * by name, ids, states, vcpus) changes under ut_lock().
 */
#ifndef LIBUSERTRACE_REGISTRY_H
#define LIBUSERTRACE_REGISTRY_H

#include <stdatomic.h>

#include "libusertrace/trace/control.h"

struct usertrace_group
{
    TraceEvent **events;        /* NULL ends */
    size_t id;
    struct usertrace_group *_Atomic next;
};

/*
 * The one lock of control.  Held for moments: nobody waits for a disk or a
 * peer inside, and nothing that traces can run inside.
 */
void ut_lock(void);
void ut_unlock(void);

/* The child of a fork has no other threads, so nobody holds it there. */
void ut_lock_reinit(void);

const struct usertrace_group *ut_group_first(void);

/* How many events have got ids. */
uint32_t ut_count_events(void);

#endif /* LIBUSERTRACE_REGISTRY_H */
