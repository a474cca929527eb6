/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Switching events on and off.  The word of an event is read by its trace
 * point and written only here, under ut_lock().  Stores to the word are
 * relaxed, since they order no other memory: a trace point that reads the old
 * value counts as executed before the change.
 *
 * The word of a vcpu event counts vcpus.  As long as there are no vcpus, the
 * word holds the initial state of future vcpus, so that an event that is
 * switched on early is displayed as on.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/err.h"
#include "libusertrace/backends.h"
#include "libusertrace/pattern.h"
#include "libusertrace/registry.h"
#include "libusertrace/reporter.h"
#include "libusertrace/trace/control-vcpu.h"
#include "libusertrace/trace/usertrace.h"

int trace_events_enabled_count; /* a plain int in QEMU's header: not _Atomic */

static struct trace_vcpu *vcpus;
static uint32_t initial_vcpu_state; /* bits of vcpu events */

/* ---- under the lock ----------------------------------------------------- */

static void set_word(TraceEvent *ev, uint16_t value)
{
    int more = (int)value - *ev->dstate;

    if ( !more )
        return;
    __atomic_add_fetch(&trace_events_enabled_count, more, __ATOMIC_RELAXED);
    __atomic_store_n(ev->dstate, value, __ATOMIC_RELAXED);
}

static void count_vcpus(TraceEvent *ev)
{
    uint32_t bit = 1u << ev->vcpu_id;
    uint16_t nr = 0;

    assert(ev->vcpu_id < CPU_TRACE_DSTATE_MAX_EVENTS);
    for ( const struct trace_vcpu *v = vcpus; v; v = v->next )
        nr += nr < UINT16_MAX && (v->dstate & bit);
    set_word(ev, vcpus ? nr : (initial_vcpu_state & bit) != 0);
}

static void count_all_vcpus(void)
{
    TraceEventIter iter;
    TraceEvent *ev;

    trace_event_iter_init_all(&iter);
    while ( (ev = trace_event_iter_next(&iter)) != NULL )
        if ( trace_event_is_vcpu(ev) && ev->sstate )
            count_vcpus(ev);
}

static void set_bit(uint32_t *bits, uint32_t bit, bool state)
{
    __atomic_store_n(bits, state ? *bits | bit : *bits & ~bit,
                     __ATOMIC_RELAXED);
}

static void set_all_vcpus(TraceEvent *ev, bool state)
{
    uint32_t bit = 1u << ev->vcpu_id;

    set_bit(&initial_vcpu_state, bit, state);
    for ( struct trace_vcpu *v = vcpus; v; v = v->next )
        set_bit(&v->dstate, bit, state);
    count_vcpus(ev);
}

/* ---- switching ---------------------------------------------------------- */

/* Back ends take their own locks, which order before ut_lock(). */
static void prepare_backends(bool state)
{
    if ( state && !__atomic_load_n(&trace_events_enabled_count,
                                   __ATOMIC_RELAXED) )
        ut_backends_prepare();
}

void trace_event_set_state_dynamic(TraceEvent *ev, bool state)
{
    assert(ev->sstate);
    prepare_backends(state);
    ut_lock();
    if ( trace_event_is_vcpu(ev) )
        set_all_vcpus(ev, state);
    else
        set_word(ev, state);
    ut_unlock();
}

static void set_one_vcpu(struct trace_vcpu *vcpu, TraceEvent *ev, bool state)
{
    assert(trace_event_is_vcpu(ev));
    set_bit(&vcpu->dstate, 1u << ev->vcpu_id, state);
    count_vcpus(ev);
}

void trace_event_set_vcpu_state_dynamic(struct trace_vcpu *vcpu,
                                        TraceEvent *ev, bool state)
{
    assert(ev->sstate && trace_event_is_vcpu(ev));
    prepare_backends(state);
    ut_lock();
    set_one_vcpu(vcpu, ev, state);
    ut_unlock();
}

/*
 * Report an unknown name: a typing error must not switch on nothing in
 * silence.
 */
int usertrace_enable(const char *line, struct err *e)
{
    bool state = *line != '-';
    const char *name = line + !state;
    TraceEventIter iter;
    TraceEvent *ev;

    if ( !*line )
        return 0;
    if ( !trace_event_is_pattern(name) )
    {
        ev = trace_event_name(name);
        if ( !ev )
            return err_set(e, -ENOENT, "trace event '%.80s' does not exist",
                           name);
        if ( !ev->sstate )
            return err_set(e, -EPERM, "trace event '%.80s' is not traceable",
                           name);
        trace_event_set_state_dynamic(ev, state);
        return 0;
    }
    trace_event_iter_init_pattern(&iter, name);
    while ( (ev = trace_event_iter_next(&iter)) != NULL )
        if ( ev->sstate )
            trace_event_set_state_dynamic(ev, state);
    return 0;
}

void trace_enable_events(const char *line)
{
    struct err e = ERR_INIT;

    if ( usertrace_enable(line, &e) )
        ut_report("warning: %s", e.text);
}

void trace_list_events(FILE *out)
{
    TraceEventIter iter;
    TraceEvent *ev;

    trace_event_iter_init_all(&iter);
    while ( (ev = trace_event_iter_next(&iter)) != NULL )
        fprintf(out, "%s\n", ev->name);
}

/* ---- as of old ---------------------------------------------------------- */

bool st_change_trace_event_state(const char *name, bool on)
{
    TraceEvent *ev = trace_event_name(name);

    if ( !ev || !ev->sstate )
        return false;
    trace_event_set_state_dynamic(ev, on);
    return true;
}

bool trace_event_set_state(const char *name, bool on)
{
    size_t length = strlen(name);
    TraceEventIter iter;
    TraceEvent *ev;
    bool any = false;

    if ( !length || name[length - 1] != '*' )
        return st_change_trace_event_state(name, on);
    trace_event_iter_init_all(&iter);
    while ( (ev = trace_event_iter_next(&iter)) != NULL )
    {
        if ( !ev->sstate || strncmp(ev->name, name, length - 1) )
            continue;
        trace_event_set_state_dynamic(ev, on);
        any = true;
    }
    return any;
}

/* ---- vcpus -------------------------------------------------------------- */

void usertrace_vcpu_init(struct trace_vcpu *vcpu, uint32_t index)
{
    ut_lock();
    *vcpu = (struct trace_vcpu){
        .index = index, .dstate = initial_vcpu_state, .next = vcpus,
    };
    vcpus = vcpu;
    count_all_vcpus();
    ut_unlock();
}

void usertrace_vcpu_fini(struct trace_vcpu *vcpu)
{
    struct trace_vcpu **v = &vcpus;

    ut_lock();
    while ( *v && *v != vcpu )
        v = &(*v)->next;
    if ( *v )
        *v = vcpu->next;
    count_all_vcpus();
    ut_unlock();
}

void trace_init_vcpu(struct trace_vcpu *vcpu)
{
    usertrace_vcpu_init(vcpu, vcpu->index);
}

void trace_fini_vcpu(struct trace_vcpu *vcpu)
{
    usertrace_vcpu_fini(vcpu);
}

/* Under ut_lock(). */
static struct trace_vcpu *find_vcpu(uint32_t index)
{
    struct trace_vcpu *v;

    for ( v = vcpus; v && v->index != index; v = v->next )
        ;
    return v;
}

struct trace_vcpu *usertrace_vcpu(uint32_t index)
{
    struct trace_vcpu *v;

    ut_lock();
    v = find_vcpu(index);
    ut_unlock();
    return v;
}

int usertrace_vcpu_get_state(uint32_t index, const TraceEvent *ev)
{
    const struct trace_vcpu *v;
    int state = -ENOENT;

    ut_lock();
    v = find_vcpu(index);
    if ( v )
        state = trace_event_get_vcpu_state_dynamic(v, ev);
    ut_unlock();
    return state;
}

int usertrace_vcpu_set_state(uint32_t index, TraceEvent *ev, bool state)
{
    struct trace_vcpu *v;

    assert(ev->sstate && trace_event_is_vcpu(ev));
    prepare_backends(state);
    ut_lock();
    v = find_vcpu(index);
    if ( v )
        set_one_vcpu(v, ev, state);
    ut_unlock();
    return v ? 0 : -ENOENT;
}
