/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Registration runs in constructors, before main() and without a way to return
 * errors.  Without memory a group stays unregistered: its trace points are
 * off, at the usual cost of a disabled trace point.
 *
 * The index by name is an open-addressing hash table, at most half full.
 * Without memory for the table, names are searched linearly.
 */
#define _GNU_SOURCE             /* dladdr1 */
#include "libusertrace/registry.h"

#include <assert.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "libusertrace/pattern.h"
#include "libusertrace/reporter.h"
#include "libusertrace/trace/control-vcpu.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct usertrace_group *_Atomic first;
static struct usertrace_group *last;
static uint32_t nr_events, nr_vcpu_events;

static TraceEvent **name_index; /* NULL: no index */
static size_t nr_slots;         /* a power of two */

void ut_lock(void)
{
    pthread_mutex_lock(&lock);
}

void ut_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void ut_lock_reinit(void)
{
    pthread_mutex_init(&lock, NULL);
}

const struct usertrace_group *ut_group_first(void)
{
    return atomic_load_explicit(&first, memory_order_acquire);
}

uint32_t ut_count_events(void)
{
    uint32_t nr;

    ut_lock();
    nr = nr_events;
    ut_unlock();
    return nr;
}

uint32_t trace_get_vcpu_event_count(void)
{
    uint32_t nr;

    ut_lock();
    nr = nr_vcpu_events;
    ut_unlock();
    return nr;
}

/* ---- the index by name -------------------------------------------------- */

/* FNV-1a: names are short and not hostile. */
static size_t hash_name(const char *name)
{
    uint64_t h = 0xcbf29ce484222325ull;

    for ( ; *name; name++ )
        h = (h ^ (unsigned char)*name) * 0x100000001b3ull;
    return h ^ (h >> 32);
}

/* The slot of the name, or the empty slot for it. */
static TraceEvent **find_slot(const char *name)
{
    size_t at = hash_name(name) & (nr_slots - 1);

    debug_assert(nr_slots && !(nr_slots & (nr_slots - 1)));
    while ( name_index[at] && strcmp(name_index[at]->name, name) )
        at = (at + 1) & (nr_slots - 1);
    return &name_index[at];
}

/* If several events share a name, lookup finds the first. */
static void index_group(const struct usertrace_group *group)
{
    TraceEvent **ev, **slot;

    assert(2 * (size_t)nr_events <= nr_slots);
    for ( ev = group->events; *ev; ev++ )
    {
        slot = find_slot((*ev)->name);
        if ( !*slot )
            *slot = *ev;
    }
}

static void index_all(void)
{
    const struct usertrace_group *group;

    fault_free(name_index);
    for ( nr_slots = 64; nr_slots < 2 * (size_t)nr_events; nr_slots *= 2 )
        ;
    name_index = fault_calloc(nr_slots, sizeof(*name_index));
    for ( group = first; name_index && group; group = group->next )
        index_group(group);
}

static TraceEvent *find_event_linear(const char *name)
{
    TraceEventIter iter;
    TraceEvent *ev;

    trace_event_iter_init_all(&iter);
    while ( (ev = trace_event_iter_next(&iter)) != NULL )
        if ( !strcmp(ev->name, name) )
            break;
    return ev;
}

TraceEvent *trace_event_name(const char *name)
{
    TraceEvent *ev;

    ut_lock();
    ev = name_index ? *find_slot(name) : find_event_linear(name);
    ut_unlock();
    return ev;
}

/* ---- libraries ----------------------------------------------------------- */

/*
 * dlclose() would unmap the events of a library, which the index, the trace
 * file and trace points in other threads use: so the library stays.  The main
 * program has no name.
 */
static void keep_library(TraceEvent **events)
{
    struct link_map *map = NULL;
    void *library;
    Dl_info info;

    if ( !dladdr1(events, &info, (void **)&map, RTLD_DL_LINKMAP) || !map ||
         !*map->l_name )
        return;
    library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if ( library )
        dlclose(library);
}

/* ---- registration ------------------------------------------------------- */

static void assign_ids(TraceEvent *ev)
{
    assert(ev->name);
    ev->id = nr_events++;
    if ( !trace_event_is_vcpu(ev) )
        return;
    if ( nr_vcpu_events < CPU_TRACE_DSTATE_MAX_EVENTS )
    {
        ev->vcpu_id = nr_vcpu_events++;
        return;
    }
    ut_report("warning: more than %d vcpu trace events: '%s' has one state for "
              "all vcpus", CPU_TRACE_DSTATE_MAX_EVENTS, ev->name);
    ev->vcpu_id = TRACE_VCPU_EVENT_NONE;
}

void trace_event_register_group(TraceEvent **events)
{
    struct usertrace_group *group = fault_calloc(1, sizeof(*group));
    TraceEvent **ev;

    if ( !group )
    {
        ut_report("out of memory: some trace events are not available");
        return;
    }
    keep_library(events);
    ut_lock();
    group->events = events;
    for ( ev = events; *ev; ev++ )
        assign_ids(*ev);
    if ( last )
    {
        group->id = last->id + 1;
        atomic_store_explicit(&last->next, group, memory_order_release);
    }
    else
        atomic_store_explicit(&first, group, memory_order_release);
    last = group;
    if ( name_index && 2 * (size_t)nr_events <= nr_slots )
        index_group(group);
    else
        index_all();
    ut_unlock();
}

/* ---- walking ------------------------------------------------------------ */

void trace_event_iter_init_all(TraceEventIter *iter)
{
    *iter = (TraceEventIter){ .group = ut_group_first() };
}

void trace_event_iter_init_pattern(TraceEventIter *iter, const char *pattern)
{
    trace_event_iter_init_all(iter);
    iter->pattern = pattern;
}

void trace_event_iter_init_group(TraceEventIter *iter, size_t group_id)
{
    const struct usertrace_group *group = ut_group_first();

    while ( group && group->id != group_id )
        group = atomic_load_explicit(&group->next, memory_order_acquire);
    *iter = (TraceEventIter){ .group = group, .one_group = true };
}

/* The next event, regardless of the pattern. */
static TraceEvent *next_event(TraceEventIter *iter)
{
    TraceEvent *ev;

    while ( iter->group )
    {
        ev = iter->group->events[iter->event];
        if ( ev )
        {
            iter->event++;
            return ev;
        }
        iter->event = 0;
        iter->group = iter->one_group ? NULL :
            atomic_load_explicit(&iter->group->next, memory_order_acquire);
    }
    return NULL;
}

TraceEvent *trace_event_iter_next(TraceEventIter *iter)
{
    TraceEvent *ev;

    do
        ev = next_event(iter);
    while ( ev && iter->pattern &&
            !ut_pattern_matches(iter->pattern, ev->name) );
    return ev;
}
