/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Control of a program's trace points: which there are, which are on.  What
 * tracetool generates includes this file, and so does a program that wants to
 * ask or to switch.  The names up to "Ours" are those that QEMU's generated
 * code and its callers use, so that sources written for either fit both.
 *
 * State.  An event has a word of its own in the program (`dstate`), which its
 * trace point tests: 0 is off.  Only the library writes it, under one lock;
 * anybody may read it at any time.  For an event of QEMU's "vcpu" kind it
 * counts the vcpus that have it on (control-vcpu.h).  Every function here may
 * be called from any thread; none from a signal handler, except the tests of
 * state.
 *
 * The headers of this folder include each other by their bare names: they are
 * installed as trace/, and lie in a folder of that name here.
 */
#ifndef TRACE_CONTROL_H
#define TRACE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRACE_VCPU_EVENT_NONE ((uint32_t)-1)
#define CPU_TRACE_DSTATE_MAX_EVENTS 32  /* vcpu events in a program */

typedef struct TraceEvent
{
    uint32_t id;                /* the library's to give, from 0 */
    uint32_t vcpu_id;           /* or TRACE_VCPU_EVENT_NONE */
    const char *name;
    const bool sstate;          /* false: declared with "disable" */
    uint16_t *dstate;
    const char *declaration;    /* as in its trace-events file; may be NULL */
} TraceEvent;

/* ---- of one event, by its token: TRACE_NAME --------------------------- */

/* Is it on?  Knows nothing of what dtrace and LTTng have asked for. */
#define trace_event_get_state(id) \
    ((id ## _ENABLED) && trace_event_get_state_dynamic_by_id(id))

/* Does any back end want it?  The question before costly arguments. */
#define trace_event_get_state_backends(id) \
    ((id ## _ENABLED) && id ## _BACKEND_DSTATE())

#define trace_event_get_state_dynamic_by_id(id) \
    (__builtin_expect(__atomic_load_n(&_ ## id ## _DSTATE, \
                                      __ATOMIC_RELAXED), 0) != 0)

/* ---- of one event, by its object -------------------------------------- */

static inline uint32_t trace_event_get_id(const TraceEvent *ev)
{
    return ev->id;
}

static inline uint32_t trace_event_get_vcpu_id(const TraceEvent *ev)
{
    return ev->vcpu_id;
}

static inline bool trace_event_is_vcpu(const TraceEvent *ev)
{
    return ev->vcpu_id != TRACE_VCPU_EVENT_NONE;
}

static inline const char *trace_event_get_name(const TraceEvent *ev)
{
    return ev->name;
}

/* Compiled in? */
static inline bool trace_event_get_state_static(const TraceEvent *ev)
{
    return ev->sstate;
}

static inline bool trace_event_get_state_dynamic(const TraceEvent *ev)
{
    return __atomic_load_n(ev->dstate, __ATOMIC_RELAXED) != 0;
}

/*
 * On or off; of a vcpu event on all vcpus, also those to come.  The event
 * must be compiled in.
 */
void trace_event_set_state_dynamic(TraceEvent *ev, bool state);

/* ---- finding events ---------------------------------------------------- */

/* The event of this name, or NULL. */
TraceEvent *trace_event_name(const char *name);

/* Does it hold a "*"?  Then it is for trace_event_iter_init_pattern(). */
bool trace_event_is_pattern(const char *text);

/*
 * All events, or those whose whole name fits a pattern ("*" any run, "?" any
 * one character), or those of one group; in the order of registration.  An
 * iterator needs no end, and never sees half of a group that is just being
 * added.  `pattern` is borrowed.
 */
typedef struct TraceEventIter
{
    const struct usertrace_group *group;
    size_t event;
    const char *pattern;
    bool one_group;
} TraceEventIter;

void trace_event_iter_init_all(TraceEventIter *iter);
void trace_event_iter_init_pattern(TraceEventIter *iter, const char *pattern);
void trace_event_iter_init_group(TraceEventIter *iter, size_t group_id);
TraceEvent *trace_event_iter_next(TraceEventIter *iter);

/* How many events of vcpus there are. */
uint32_t trace_get_vcpu_event_count(void);

/* Events that are on; a vcpu event counts once for each vcpu that has it. */
extern int trace_events_enabled_count;

/* ---- setting up -------------------------------------------------------- */

/*
 * What generated code calls before main(): its events, and NULL.  They get
 * their ids in this order.  They must stay: no dlclose() of what has events.
 */
void trace_event_register_group(TraceEvent **events);

/*
 * Once, at the beginning of main(); false, after a line that says why, if
 * tracing cannot begin.  Then the trace file, if one was asked for.
 */
bool trace_init_backends(void);
void trace_init_file(void);

/*
 * [[enable=]PATTERN][,events=FILE][,file=FILE], the argument of an option
 * --trace; "help" lists all events; libusertrace(3) has more.  As in QEMU this
 * is for main(): what is wrong goes to stderr and ends the program.  For
 * programs that want to speak for themselves there is usertrace_option() in
 * usertrace.h.
 */
void trace_opt_parse(const char *text);

/* A line as in an events file: NAME, PATTERN, -NAME or -PATTERN. */
void trace_enable_events(const char *line);

void trace_list_events(FILE *out);

/* ---- as QEMU's first versions had it ----------------------------------- */

/* False: there is no such event, or it is compiled out. */
bool st_change_trace_event_state(const char *name, bool on);

/* The same for a name or for all names that begin with what stands before
 * a final "*". */
bool trace_event_set_state(const char *name, bool on);

/* ---- the trace file of the simple back end ----------------------------- */

/* Returns what it was; use usertrace_file() to learn why it did not work. */
bool st_set_trace_file_enabled(bool on);
void st_set_trace_file(const char *path);       /* NULL: the default name */
void st_flush_trace_buffer(void);
void st_print_trace_file_status(void);          /* Trace file "X" on. */

#ifdef __cplusplus
}
#endif

#endif /* TRACE_CONTROL_H */
