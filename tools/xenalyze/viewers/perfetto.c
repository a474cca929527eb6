/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timelines for Perfetto, in its protocol buffers.
 *
 * A domain is a process and a vcpu a thread.  States of vcpus are the events of
 * a generic kernel, which fill Perfetto's tables of scheduling: rows of CPUs,
 * states of threads, scheduling latency.  A wake-up with a known origin is an
 * ftrace event instead, the only one that names the waker.  VM exits are slices
 * of the vcpu's thread, hypercalls and traps instants; losses, interrupts and
 * sleep states have tracks in the group "Xen pcpus".  A critical path has a
 * track of its own.
 *
 * RULES OF THE IMPORTER, which the code below keeps:
 *
 *  - The event that ends a running state carries the CPU of that state.
 *  - No thread runs twice in a row, and none changes twice at one time: so a
 *    change is either a state or a wake-up, never both.
 *  - A thread name comes with every event; an empty one would replace it.
 *  - The idle task has no events.
 *  - A packet that uses interned names, or defines some, has the flag for it
 *    and a sequence; the first packet of the sequence clears all names.
 *  - CPUs from MAX_CPU on abort the importer, and those from MAX_FTRACE_CPU on
 *    fail in ftrace events.  Thread numbers of ftrace events are 31 bits.
 *
 * The importer sorts by time; packets are in no order here.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "xenalyze/viewers/activity.h"
#include "xenalyze/viewers/protobuf.h"
#include "xenalyze/viewers/viewer-text.h"

#define MAX_CPU 4096u
#define MAX_FTRACE_CPU 1024u

/* Fields of TracePacket. */
enum
{
    PACKET_FTRACE = 1, PACKET_CLOCKS = 6, PACKET_TIME = 8, PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11, PACKET_INTERNED = 12, PACKET_FLAGS = 13,
    PACKET_TRACK = 60, PACKET_FIRST = 87, PACKET_STATE = 117,
    PACKET_FREQUENCY = 118, PACKET_TREE = 122, PACKET_ATTRIBUTES = 126,
};

enum { FLAG_CLEARED = 1, FLAG_INTERNED = 2 };

/* States of a generic kernel's task. */
enum { TASK_RUNNABLE = 2, TASK_RUNNING, TASK_SLEEPING, TASK_STOPPED = 6 };

enum { REALTIME_CLOCK = 1, MONOTONIC_CLOCK = 3, BOOTTIME_CLOCK = 6 };

enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3 };

/* Fields of DebugAnnotation. */
enum
{
    NOTE_NAME = 1, NOTE_BOOL = 2, NOTE_UINT = 3, NOTE_POINTER = 7,
    NOTE_STRING = 17, NOTE_TEXT = 6,
};

/* Interned names of annotations, and of the category. */
enum note
{
    NOTE_RIP = 1, NOTE_HANDLER, NOTE_REASON, NOTE_NESTED, NOTE_PCPU,
    NOTE_LOST, NOTE_ARGS, NOTE_DETAIL, NOTES
};

#define CATEGORY_EXIT 1u
#define CATEGORY_PV 2u
#define CATEGORY_PROGRAM 3u
#define NAME_CALLS (EXIT_CAUSES + 1)    /* names of calls, above exits */
#define SEQUENCE 1u

/* Kinds of tracks, the upper bits of their numbers. */
enum track
{
    TRACK_DOMAIN = 1, TRACK_VCPU, TRACK_GROUP, TRACK_LOSS, TRACK_IRQ,
    TRACK_SLEEP, TRACK_PATH, TRACK_PROGRAMS, TRACK_PROGRAM, TRACK_KINDS
};

#define TRACK(kind, number) ((uint64_t)(kind) << 40 | (number))

#define MAX_DETAILS 32u         /* names of details: literals, few */

struct perfetto
{
    struct protobuf out;
    const struct viewer_options *options;
    bool has_sequence;          /* its first packet is written */
    bool has_notes;             /* names of annotations are defined */
    bool has_name[EXIT_CAUSES];
    bool has_handler[UINT8_MAX + 1];
    bool has_call[ACTIVITY_CALLS];
    const char *details[MAX_DETAILS];
    bool has_group, has_path;
    uint64_t has_track[TRACK_KINDS][MAX_CPU / 64];
};

/* --- packets -------------------------------------------------------------- */

static size_t packet_begin(struct perfetto *x, uint64_t time)
{
    size_t packet;

    protobuf_flush_full(&x->out);
    packet = protobuf_begin(&x->out, 1);
    protobuf_add_number(&x->out, PACKET_TIME, time);
    return packet;
}

/* A packet of the sequence may use the interned names. */
static size_t packet_begin_event(struct perfetto *x, uint64_t time)
{
    size_t packet = packet_begin(x, time);

    protobuf_add_number(&x->out, PACKET_SEQUENCE, SEQUENCE);
    protobuf_add_number(&x->out, PACKET_FLAGS,
                        x->has_sequence ? FLAG_INTERNED
                                        : FLAG_INTERNED | FLAG_CLEARED);
    if ( !x->has_sequence )
        protobuf_add_number(&x->out, PACKET_FIRST, 1);
    x->has_sequence = true;
    return packet;
}

static void add_attribute(struct perfetto *x, const char *key, uint64_t number,
                          const char *text)
{
    size_t attribute = protobuf_begin(&x->out, 1);

    protobuf_add_text(&x->out, 1, key);
    if ( text )
        protobuf_add_text(&x->out, 3, text);
    else
        protobuf_add_number(&x->out, 2, number);
    protobuf_end(&x->out, attribute);
}

static void add_clock(struct perfetto *x, unsigned int id, uint64_t time)
{
    size_t clock = protobuf_begin(&x->out, 1);

    protobuf_add_number(&x->out, 1, id);
    protobuf_add_number(&x->out, 2, time);
    protobuf_end(&x->out, clock);
}

/*
 * The snapshot comes first: the importer keeps an event of an unknown clock
 * back to the end of the file.
 */
static void perfetto_begin(void *state, const struct activity_begin *a)
{
    struct perfetto *x = state;
    char name[VIEWER_TEXT_MAX];
    size_t packet = packet_begin(x, a->first), part;

    part = protobuf_begin(&x->out, PACKET_CLOCKS);
    add_clock(x, BOOTTIME_CLOCK, a->first);
    add_clock(x, MONOTONIC_CLOCK, a->first);
    if ( a->has_wall && a->wall > 0 )
        add_clock(x, REALTIME_CLOCK, a->wall);
    protobuf_add_number(&x->out, 2, BOOTTIME_CLOCK);
    protobuf_end(&x->out, part);
    protobuf_end(&x->out, packet);
    if ( a->segment )
        return;
    packet = packet_begin(x, a->first);
    part = protobuf_begin(&x->out, PACKET_ATTRIBUTES);
    add_attribute(x, "xen.trace", 0,
                  viewer_clean_text(x->options->trace, name));
    add_attribute(x, "xen.tsc_hz", a->hz, NULL);
    protobuf_end(&x->out, part);
    protobuf_end(&x->out, packet);
}

/* --- tracks --------------------------------------------------------------- */

static void add_process(struct perfetto *x, const struct activity_vcpu *v)
{
    size_t packet = packet_begin(x, v->first), track, part;

    track = protobuf_begin(&x->out, PACKET_TRACK);
    protobuf_add_number(&x->out, 1, TRACK(TRACK_DOMAIN, v->pid));
    part = protobuf_begin(&x->out, 3);
    protobuf_add_number(&x->out, 1, v->pid);
    protobuf_add_text(&x->out, 6, v->domain_label);
    protobuf_end(&x->out, part);
    protobuf_end(&x->out, track);
    protobuf_end(&x->out, packet);
}

static void add_thread(struct perfetto *x, const struct activity_vcpu *v)
{
    size_t packet = packet_begin(x, v->first), track, part;

    track = protobuf_begin(&x->out, PACKET_TRACK);
    protobuf_add_number(&x->out, 1, TRACK(TRACK_VCPU, v->tid));
    part = protobuf_begin(&x->out, 4);
    protobuf_add_number(&x->out, 1, v->pid);
    protobuf_add_number(&x->out, 2, v->tid);
    protobuf_add_text(&x->out, 5, v->label);
    protobuf_end(&x->out, part);
    protobuf_end(&x->out, track);
    protobuf_end(&x->out, packet);
}

/* Labels have no blank, at which the importer would cut a process's name. */
static void add_tree(struct perfetto *x, const struct activity_vcpu *v)
{
    size_t packet = packet_begin(x, v->first), tree, part;

    assert(!strchr(v->domain_label, ' '));
    tree = protobuf_begin(&x->out, PACKET_TREE);
    if ( v->is_first_of_domain )
    {
        part = protobuf_begin(&x->out, 1);
        protobuf_add_number(&x->out, 1, v->pid);
        protobuf_add_text(&x->out, 3, v->domain_label);
        protobuf_end(&x->out, part);
    }
    part = protobuf_begin(&x->out, 2);
    protobuf_add_number(&x->out, 1, v->tid);
    protobuf_add_number(&x->out, 2, v->pid);
    protobuf_add_text(&x->out, 3, v->label);
    protobuf_end(&x->out, part);
    protobuf_end(&x->out, tree);
    protobuf_end(&x->out, packet);
}

static void perfetto_vcpu(void *state, const struct activity_vcpu *v)
{
    struct perfetto *x = state;

    add_tree(x, v);
    if ( v->is_first_of_domain )
        add_process(x, v);
    add_thread(x, v);
}

static void add_track(struct perfetto *x, uint64_t id, const char *name,
                      uint64_t parent)
{
    size_t packet = packet_begin(x, 0);
    size_t track = protobuf_begin(&x->out, PACKET_TRACK);

    protobuf_add_number(&x->out, 1, id);
    protobuf_add_text(&x->out, 2, name);
    if ( parent )
        protobuf_add_number(&x->out, 5, parent);
    protobuf_end(&x->out, track);
    protobuf_end(&x->out, packet);
}

/* The track of a pcpu, a row of the group "Xen pcpus". */
static uint64_t get_track(struct perfetto *x, enum track kind, uint32_t pcpu)
{
    static const char *const names[TRACK_KINDS] = {
        [TRACK_LOSS] = "lost records", [TRACK_IRQ] = "interrupts",
        [TRACK_SLEEP] = "sleep states",
    };
    uint64_t *seen = &x->has_track[kind][pcpu / 64];
    char name[64];

    assert(pcpu < MAX_CPU && names[kind]);
    if ( !x->has_group )
        add_track(x, TRACK(TRACK_GROUP, 0), "Xen pcpus", 0);
    x->has_group = true;
    snprintf(name, sizeof(name), "CPU %u %s", pcpu, names[kind]);
    if ( !(*seen >> pcpu % 64 & 1) )
        add_track(x, TRACK(kind, pcpu), name, TRACK(TRACK_GROUP, 0));
    *seen |= UINT64_C(1) << pcpu % 64;
    return TRACK(kind, pcpu);
}

/* --- states of vcpus ------------------------------------------------------ */

static const uint8_t task_states[ACTIVITY_STATES] = {
    [ACTIVITY_NONE] = TASK_STOPPED, [ACTIVITY_RUNNING] = TASK_RUNNING,
    [ACTIVITY_RUNNABLE] = TASK_RUNNABLE, [ACTIVITY_BLOCKED] = TASK_SLEEPING,
    [ACTIVITY_OFFLINE] = TASK_STOPPED, [ACTIVITY_ELSEWHERE] = TASK_STOPPED,
    [ACTIVITY_UNKNOWN] = TASK_STOPPED,
};

static void add_state(struct perfetto *x, const struct activity_vcpu *v,
                      unsigned int task, uint32_t pcpu, uint64_t time)
{
    size_t packet = packet_begin(x, time);
    size_t part = protobuf_begin(&x->out, PACKET_STATE);

    assert(pcpu < MAX_CPU);
    protobuf_add_number(&x->out, 1, pcpu);
    protobuf_add_text(&x->out, 2, v->label);
    protobuf_add_number(&x->out, 3, v->tid);
    protobuf_add_number(&x->out, 4, task);
    protobuf_end(&x->out, part);
    protobuf_end(&x->out, packet);
}

/* sched_waking: ends the sleep, and names the waker. */
static void add_waking(struct perfetto *x, const struct activity_span *a)
{
    size_t packet, bundle, event, part;

    protobuf_flush_full(&x->out);
    packet = protobuf_begin(&x->out, 1);
    bundle = protobuf_begin(&x->out, PACKET_FTRACE);
    protobuf_add_number(&x->out, 1, a->waker_pcpu);
    event = protobuf_begin(&x->out, 2);
    protobuf_add_number(&x->out, 1, a->from);
    protobuf_add_number(&x->out, 2, a->waker ? a->waker->tid : 0);
    part = protobuf_begin(&x->out, 20);
    protobuf_add_text(&x->out, 1, a->vcpu->label);
    protobuf_add_number(&x->out, 2, a->vcpu->tid);
    protobuf_add_number(&x->out, 4, 1);
    protobuf_add_number(&x->out, 5, a->pcpu);
    protobuf_end(&x->out, part);
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, bundle);
    protobuf_end(&x->out, packet);
}

/* Only a thread that sleeps can be woken. */
static bool can_wake(const struct activity_span *a)
{
    return a->is_wakeup && a->waker_pcpu < MAX_FTRACE_CPU &&
           a->vcpu->tid <= INT32_MAX &&
           (!a->waker || a->waker->tid <= INT32_MAX) &&
           (a->before == ACTIVITY_BLOCKED || a->before == ACTIVITY_OFFLINE);
}

static uint32_t limit_pcpu(uint32_t pcpu)
{
    return pcpu < MAX_CPU ? pcpu : MAX_CPU - 1;
}

/* The task state of a span; beyond the importer's CPUs, nothing runs. */
static unsigned int get_task(enum activity_state state, uint32_t pcpu)
{
    return state == ACTIVITY_RUNNING && pcpu >= MAX_CPU ? TASK_STOPPED
                                                        : task_states[state];
}

static void perfetto_span(void *state, const struct activity_span *a)
{
    struct perfetto *x = state;
    unsigned int task = get_task(a->state, a->pcpu);
    unsigned int before = get_task(a->before, a->before_pcpu);
    uint32_t pcpu = limit_pcpu(before == TASK_RUNNING ? a->before_pcpu
                                                      : a->pcpu);
    uint64_t from = a->from;

    assert(a->from < a->to);
    if ( can_wake(a) )
        add_waking(x, a);
    else if ( task == TASK_RUNNING && before == TASK_RUNNING )
    {
        /* A wait of less than a nanosecond, between two pcpus. */
        add_state(x, a->vcpu, TASK_RUNNABLE, pcpu, from++);
        if ( from < a->to )
            add_state(x, a->vcpu, TASK_RUNNING, limit_pcpu(a->pcpu), from);
    }
    else
        add_state(x, a->vcpu, task, task == TASK_RUNNING ? a->pcpu : pcpu,
                  from);
    if ( a->is_last )
        add_state(x, a->vcpu, TASK_STOPPED, limit_pcpu(a->pcpu), a->to);
}

/* --- exits ---------------------------------------------------------------- */

static void define_name(struct perfetto *x, unsigned int field,
                        unsigned int number, const char *name)
{
    size_t entry = protobuf_begin(&x->out, field);

    assert(number);
    protobuf_add_number(&x->out, 1, number);
    protobuf_add_text(&x->out, 2, name);
    protobuf_end(&x->out, entry);
}

static void define_notes(struct perfetto *x)
{
    static const char *const names[NOTES] = {
        [NOTE_RIP] = "rip", [NOTE_HANDLER] = "handler",
        [NOTE_REASON] = "reason", [NOTE_NESTED] = "nested",
        [NOTE_PCPU] = "pcpu", [NOTE_LOST] = "records", [NOTE_ARGS] = "args",
    };

    for ( unsigned int i = 1; i < NOTES; i++ )
        if ( names[i] )
            define_name(x, 3, i, names[i]);
    define_name(x, 1, CATEGORY_EXIT, "exit");
    define_name(x, 1, CATEGORY_PV, "pv");
    define_name(x, 1, CATEGORY_PROGRAM, "program");
    x->has_notes = true;
}

/* Slot of the detail's name; MAX_DETAILS: there is none. */
static unsigned int find_detail(const struct perfetto *x, const char *name)
{
    unsigned int i = 0;

    while ( i < MAX_DETAILS && x->details[i] && x->details[i] != name )
        i++;
    return name ? i : MAX_DETAILS;
}

/* Define the names that the packet of an exit is the first to use. */
static void define_exit_names(struct perfetto *x,
                              const struct activity_exit *a, bool has_handler)
{
    unsigned int detail = find_detail(x, a->detail_name);
    bool is_new_detail = detail < MAX_DETAILS && !x->details[detail];
    size_t interned;

    if ( x->has_notes && x->has_name[a->cause] && !is_new_detail &&
         (!has_handler || x->has_handler[a->handler]) )
        return;
    interned = protobuf_begin(&x->out, PACKET_INTERNED);
    if ( !x->has_notes )
        define_notes(x);
    if ( !x->has_name[a->cause] )
        define_name(x, 2, a->cause + 1, a->name);
    if ( has_handler && !x->has_handler[a->handler] )
        define_name(x, 29, a->handler, a->handler_name);
    if ( is_new_detail )
    {
        define_name(x, 3, NOTE_DETAIL + detail, a->detail_name);
        x->details[detail] = a->detail_name;
    }
    x->has_name[a->cause] = true;
    if ( has_handler )
        x->has_handler[a->handler] = true;
    protobuf_end(&x->out, interned);
}

static void add_note(struct perfetto *x, unsigned int name, unsigned int field,
                     uint64_t value)
{
    size_t note = protobuf_begin(&x->out, 4);

    protobuf_add_number(&x->out, NOTE_NAME, name);
    protobuf_add_number(&x->out, field, value);
    protobuf_end(&x->out, note);
}

static void add_exit_notes(struct perfetto *x, const struct activity_exit *a,
                           bool has_handler)
{
    unsigned int detail = find_detail(x, a->detail_name);

    add_note(x, NOTE_RIP, NOTE_POINTER, a->rip);
    if ( has_handler )
        add_note(x, NOTE_HANDLER, NOTE_STRING, a->handler);
    if ( detail < MAX_DETAILS )
        add_note(x, NOTE_DETAIL + detail, NOTE_POINTER, a->detail);
    if ( a->nested )
        add_note(x, NOTE_NESTED, NOTE_BOOL, 1);
    if ( a->cause == EXIT_OTHER )
        add_note(x, NOTE_REASON, NOTE_UINT, a->reason);
    add_note(x, NOTE_PCPU, NOTE_UINT, a->pcpu);
}

static void add_slice_end(struct perfetto *x, uint64_t track, uint64_t time)
{
    size_t packet = packet_begin_event(x, time);
    size_t event = protobuf_begin(&x->out, PACKET_EVENT);

    protobuf_add_number(&x->out, 9, SLICE_END);
    protobuf_add_number(&x->out, 11, track);
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
}

static void perfetto_exit(void *state, const struct activity_exit *a)
{
    struct perfetto *x = state;
    uint64_t track = TRACK(TRACK_VCPU, a->vcpu->tid);
    size_t packet = packet_begin_event(x, a->from), event;

    assert(a->cause < EXIT_CAUSES && a->from <= a->to);
    define_exit_names(x, a, a->handler_name);
    event = protobuf_begin(&x->out, PACKET_EVENT);
    protobuf_add_number(&x->out, 9, SLICE_BEGIN);
    protobuf_add_number(&x->out, 11, track);
    protobuf_add_number(&x->out, 3, CATEGORY_EXIT);
    protobuf_add_number(&x->out, 10, a->cause + 1);
    add_exit_notes(x, a, a->handler_name);
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
    add_slice_end(x, track, a->to);
}

/* --- PV guests ------------------------------------------------------------ */

static void define_call_name(struct perfetto *x, const struct activity_call *a)
{
    size_t interned;

    if ( x->has_notes && (!a->number || x->has_call[a->number]) )
        return;
    interned = protobuf_begin(&x->out, PACKET_INTERNED);
    if ( !x->has_notes )
        define_notes(x);
    if ( a->number && !x->has_call[a->number] )
        define_name(x, 2, NAME_CALLS + a->number, a->name);
    x->has_call[a->number] = true;
    protobuf_end(&x->out, interned);
}

static void perfetto_call(void *state, const struct activity_call *a)
{
    struct perfetto *x = state;
    size_t packet = packet_begin_event(x, a->time), event;

    assert(a->number < ACTIVITY_CALLS);
    define_call_name(x, a);
    event = protobuf_begin(&x->out, PACKET_EVENT);
    protobuf_add_number(&x->out, 9, INSTANT);
    protobuf_add_number(&x->out, 11, TRACK(TRACK_VCPU, a->vcpu->tid));
    protobuf_add_number(&x->out, 3, CATEGORY_PV);
    if ( a->number )
        protobuf_add_number(&x->out, 10, NAME_CALLS + a->number);
    else
        protobuf_add_text(&x->out, 23, a->name);
    add_note(x, NOTE_PCPU, NOTE_UINT, a->pcpu);
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
}

/* --- pcpus ---------------------------------------------------------------- */

/* A slice with a name of its own; `lost`: number of records, or 0. */
static void add_named_slice(struct perfetto *x, uint64_t track, uint64_t from,
                            uint64_t to, const char *text, uint64_t lost)
{
    size_t packet = packet_begin_event(x, from), event, interned;
    char name[VIEWER_TEXT_MAX];

    assert(from <= to);
    if ( !x->has_notes )
    {
        interned = protobuf_begin(&x->out, PACKET_INTERNED);
        define_notes(x);
        protobuf_end(&x->out, interned);
    }
    event = protobuf_begin(&x->out, PACKET_EVENT);
    protobuf_add_number(&x->out, 9, SLICE_BEGIN);
    protobuf_add_number(&x->out, 11, track);
    protobuf_add_text(&x->out, 23, viewer_clean_text(text, name));
    if ( lost )
        add_note(x, NOTE_LOST, NOTE_UINT, lost);
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
    add_slice_end(x, track, to);
}

static void add_pcpu_slice(struct perfetto *x, enum track kind,
                           const struct activity_pcpu_span *a)
{
    if ( a->pcpu < MAX_CPU )
        add_named_slice(x, get_track(x, kind, a->pcpu), a->from, a->to,
                        a->name, a->count);
}

static void perfetto_interrupt(void *state, const struct activity_pcpu_span *a)
{
    add_pcpu_slice(state, TRACK_IRQ, a);
}

static void perfetto_sleep(void *state, const struct activity_pcpu_span *a)
{
    add_pcpu_slice(state, TRACK_SLEEP, a);
}

/* A slice, and the importer's own statistics of lost data. */
static void perfetto_loss(void *state, const struct activity_pcpu_span *a)
{
    struct perfetto *x = state;
    size_t packet, bundle;

    add_pcpu_slice(x, TRACK_LOSS, a);
    if ( a->pcpu >= MAX_FTRACE_CPU )
        return;
    protobuf_flush_full(&x->out);
    packet = protobuf_begin(&x->out, 1);
    bundle = protobuf_begin(&x->out, PACKET_FTRACE);
    protobuf_add_number(&x->out, 1, a->pcpu);
    protobuf_add_number(&x->out, 3, 1);
    protobuf_end(&x->out, bundle);
    protobuf_end(&x->out, packet);
}

/* Slices that follow each other end and begin in the order of the file. */
static void perfetto_path(void *state, const struct activity_path *a)
{
    struct perfetto *x = state;
    char name[VIEWER_TEXT_MAX];

    if ( !x->has_path )
        add_track(x, TRACK(TRACK_PATH, 0), viewer_clean_text(a->path, name),
                  0);
    x->has_path = true;
    add_named_slice(x, TRACK(TRACK_PATH, 0), a->from, a->to, a->name, 0);
}

static void perfetto_frequency(void *state, const struct activity_frequency *a)
{
    struct perfetto *x = state;
    size_t packet, part;

    if ( a->pcpu >= MAX_CPU )
        return;
    packet = packet_begin(x, a->time);
    part = protobuf_begin(&x->out, PACKET_FREQUENCY);
    protobuf_add_number(&x->out, 1, a->pcpu);
    protobuf_add_number(&x->out, 2, a->hz);
    protobuf_end(&x->out, part);
    protobuf_end(&x->out, packet);
}

/* --- programs ------------------------------------------------------------- */

static void perfetto_thread(void *state, const struct activity_thread *t)
{
    struct perfetto *x = state;
    char name[VIEWER_TEXT_MAX];

    if ( !t->number )
        add_track(x, TRACK(TRACK_PROGRAMS, 0), "Programs", 0);
    add_track(x, TRACK(TRACK_PROGRAM, t->number),
              viewer_clean_text(t->label, name), TRACK(TRACK_PROGRAMS, 0));
}

static void perfetto_program(void *state, const struct activity_program *a)
{
    struct perfetto *x = state;
    size_t packet = packet_begin_event(x, a->time), event, part;
    char text[VIEWER_TEXT_MAX];

    assert(a->thread->number < ACTIVITY_THREADS);
    if ( !x->has_notes )
    {
        part = protobuf_begin(&x->out, PACKET_INTERNED);
        define_notes(x);
        protobuf_end(&x->out, part);
    }
    event = protobuf_begin(&x->out, PACKET_EVENT);
    protobuf_add_number(&x->out, 9, INSTANT);
    protobuf_add_number(&x->out, 11, TRACK(TRACK_PROGRAM, a->thread->number));
    protobuf_add_number(&x->out, 3, CATEGORY_PROGRAM);
    protobuf_add_text(&x->out, 23, viewer_clean_text(a->name, text));
    if ( *a->text )
    {
        part = protobuf_begin(&x->out, 4);
        protobuf_add_number(&x->out, NOTE_NAME, NOTE_ARGS);
        protobuf_add_text(&x->out, NOTE_TEXT,
                          viewer_clean_text(a->text, text));
        protobuf_end(&x->out, part);
    }
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
}

/* --- the file ------------------------------------------------------------- */

static void perfetto_open(void *state, const struct viewer_options *options,
                          FILE *out)
{
    struct perfetto *x = state;

    assert(options->trace && !x->out.used);
    x->out.out = out;
    x->options = options;
}

static int perfetto_finish(void *state)
{
    struct perfetto *x = state;

    protobuf_flush(&x->out);
    return x->out.error;
}

const struct activity_ops perfetto_ops = {
    .size = sizeof(struct perfetto), .open = perfetto_open,
    .begin = perfetto_begin, .vcpu = perfetto_vcpu, .span = perfetto_span,
    .exit = perfetto_exit, .call = perfetto_call,
    .interrupt = perfetto_interrupt,
    .sleep = perfetto_sleep, .loss = perfetto_loss,
    .frequency = perfetto_frequency, .path = perfetto_path,
    .thread = perfetto_thread, .program = perfetto_program,
    .finish = perfetto_finish,
};
