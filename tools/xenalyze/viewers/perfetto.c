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
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "xenalyze/viewers/perfetto.h"
#include "xenalyze/viewers/viewer-text.h"

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
    size_t packet = perfetto_begin_packet(x, a->first), part;

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
    packet = perfetto_begin_packet(x, a->first);
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
    size_t packet = perfetto_begin_packet(x, v->first), track, part;

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
    size_t packet = perfetto_begin_packet(x, v->first), track, part;

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
    size_t packet = perfetto_begin_packet(x, v->first), tree, part;

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
    size_t packet = perfetto_begin_packet(x, time);
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
        perfetto_define_notes(x);
    if ( !x->has_name[a->cause] )
        perfetto_define_name(x, 2, a->cause + 1, a->name);
    if ( has_handler && !x->has_handler[a->handler] )
        perfetto_define_name(x, 29, a->handler, a->handler_name);
    if ( is_new_detail )
    {
        perfetto_define_name(x, 3, NOTE_DETAIL + detail, a->detail_name);
        x->details[detail] = a->detail_name;
    }
    x->has_name[a->cause] = true;
    if ( has_handler )
        x->has_handler[a->handler] = true;
    protobuf_end(&x->out, interned);
}

static void add_exit_notes(struct perfetto *x, const struct activity_exit *a,
                           bool has_handler)
{
    unsigned int detail = find_detail(x, a->detail_name);

    perfetto_add_note(x, NOTE_RIP, NOTE_POINTER, a->rip);
    if ( has_handler )
        perfetto_add_note(x, NOTE_HANDLER, NOTE_STRING, a->handler);
    if ( detail < MAX_DETAILS )
        perfetto_add_note(x, NOTE_DETAIL + detail, NOTE_POINTER, a->detail);
    if ( a->nested )
        perfetto_add_note(x, NOTE_NESTED, NOTE_BOOL, 1);
    if ( a->cause == EXIT_OTHER )
        perfetto_add_note(x, NOTE_REASON, NOTE_UINT, a->reason);
    perfetto_add_note(x, NOTE_PCPU, NOTE_UINT,
                      activity_get_pcpu(x->options, a->pcpu));
}

static void perfetto_exit(void *state, const struct activity_exit *a)
{
    struct perfetto *x = state;
    uint64_t track = TRACK(TRACK_VCPU, a->vcpu->tid);
    size_t packet = perfetto_begin_event(x, a->from), event;

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
    perfetto_end_slice(x, track, a->to);
    perfetto_sample(x, a);
}

/* --- PV guests ------------------------------------------------------------ */

static void perfetto_call(void *state, const struct activity_call *a)
{
    struct perfetto *x = state;
    size_t packet = perfetto_begin_event(x, a->time), event;

    assert(a->number < ACTIVITY_CALLS);
    perfetto_define_event(x, &x->has_call[a->number], NAME_CALLS + a->number,
                          a->name);
    event = protobuf_begin(&x->out, PACKET_EVENT);
    protobuf_add_number(&x->out, 9, INSTANT);
    protobuf_add_number(&x->out, 11, TRACK(TRACK_VCPU, a->vcpu->tid));
    protobuf_add_number(&x->out, 3, CATEGORY_PV);
    if ( a->number )
        protobuf_add_number(&x->out, 10, NAME_CALLS + a->number);
    else
        protobuf_add_text(&x->out, 23, a->name);
    perfetto_add_note(x, NOTE_PCPU, NOTE_UINT,
                      activity_get_pcpu(x->options, a->pcpu));
    protobuf_end(&x->out, event);
    protobuf_end(&x->out, packet);
}

/* --- pcpus ---------------------------------------------------------------- */

static void add_pcpu_slice(struct perfetto *x, enum track kind,
                           const struct activity_pcpu_span *a)
{
    if ( a->pcpu < MAX_CPU )
        perfetto_add_slice(x, perfetto_get_track(x, kind, a->pcpu), a->from,
                           a->to, a->name, a->count);
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
        perfetto_add_track(x, 0, TRACK(TRACK_PATH, 0),
                           viewer_clean_text(a->path, name), 0);
    x->has_path = true;
    perfetto_add_slice(x, TRACK(TRACK_PATH, 0), a->from, a->to, a->name, 0);
}

static void perfetto_frequency(void *state, const struct activity_frequency *a)
{
    struct perfetto *x = state;
    size_t packet, part;

    if ( a->pcpu >= MAX_CPU )
        return;
    packet = perfetto_begin_packet(x, a->time);
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
        perfetto_add_track(x, 0, TRACK(TRACK_PROGRAMS, 0), "Programs", 0);
    perfetto_add_track(x, 0, TRACK(TRACK_PROGRAM, t->number),
                       viewer_clean_text(t->label, name),
                       TRACK(TRACK_PROGRAMS, 0));
}

static void perfetto_program(void *state, const struct activity_program *a)
{
    struct perfetto *x = state;
    size_t packet = perfetto_begin_event(x, a->time), event, part;
    char text[VIEWER_TEXT_MAX];

    assert(a->thread->number < ACTIVITY_THREADS);
    perfetto_need_notes(x);
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
    x->has_call[0] = x->has_block[0] = true;    /* not numbered: not defined */
}

static int perfetto_finish(void *state)
{
    struct perfetto *x = state;

    perfetto_end_samples(x);
    protobuf_flush(&x->out);
    return x->samples.failed ? -ENOMEM : x->out.error;
}

static void perfetto_close(void *state)
{
    struct perfetto *x = state;

    free(x->samples.vcpus);
}

const struct activity_ops perfetto_ops = {
    .size = sizeof(struct perfetto), .max_pcpus = MAX_CPU,
    .open = perfetto_open, .begin = perfetto_begin, .vcpu = perfetto_vcpu,
    .span = perfetto_span, .exit = perfetto_exit, .call = perfetto_call,
    .interrupt = perfetto_interrupt, .sleep = perfetto_sleep,
    .loss = perfetto_loss, .frequency = perfetto_frequency,
    .wait = perfetto_wait, .block = perfetto_block,
    .waiting = perfetto_waiting, .queue = perfetto_queue,
    .path = perfetto_path, .thread = perfetto_thread,
    .program = perfetto_program, .finish = perfetto_finish,
    .close = perfetto_close,
};
