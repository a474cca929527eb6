/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vcpus by address, for programs with a vcpu layout of their own.  Trace points
 * search the list without a lock, so an entry is never freed: a new vcpu uses
 * the entry of a removed vcpu.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/err.h"
#include "common/fault.h"
#include "libusertrace/registry.h"
#include "libusertrace/trace/control-vcpu.h"

struct entry
{
    struct trace_vcpu state;
    const void *_Atomic vcpu;   /* the key; NULL while the state is invalid */
    bool is_used;               /* under ut_lock() */
    struct entry *next;         /* constant */
};

static struct entry *_Atomic entries;

static struct entry *find_entry(const void *vcpu)
{
    struct entry *e;

    for ( e = atomic_load_explicit(&entries, memory_order_acquire);
          e && atomic_load_explicit(&e->vcpu, memory_order_acquire) != vcpu;
          e = e->next )
        ;
    return e;
}

struct trace_vcpu *usertrace_vcpu_of(const void *vcpu)
{
    struct entry *e = vcpu ? find_entry(vcpu) : NULL;

    return e ? &e->state : NULL;
}

/* An unused entry, or NULL.  Under ut_lock(). */
static struct entry *take_entry(void)
{
    struct entry *e;

    for ( e = entries; e && e->is_used; e = e->next )
        ;
    if ( !e )
    {
        e = fault_calloc(1, sizeof(*e));
        if ( !e )
            return NULL;
        e->next = entries;
        entries = e;
    }
    e->is_used = true;
    return e;
}

int usertrace_vcpu_add(const void *vcpu, uint32_t index, struct err *e)
{
    struct entry *entry;

    if ( usertrace_vcpu_of(vcpu) )
        return err_set(e, -EEXIST, "vcpu %u was added before", index);
    ut_lock();
    entry = take_entry();
    ut_unlock();
    if ( !entry )
        return err_sys(e, -ENOMEM, "vcpu %u", index);
    usertrace_vcpu_init(&entry->state, index);
    atomic_store_explicit(&entry->vcpu, vcpu, memory_order_release);
    return 0;
}

void usertrace_vcpu_remove(const void *vcpu)
{
    struct entry *entry = vcpu ? find_entry(vcpu) : NULL;

    if ( !entry )
        return;
    atomic_store_explicit(&entry->vcpu, NULL, memory_order_relaxed);
    usertrace_vcpu_fini(&entry->state);
    ut_lock();
    entry->is_used = false;
    ut_unlock();
}
