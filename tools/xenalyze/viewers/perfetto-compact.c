/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timelines for Perfetto with states of vcpus as Linux's events of scheduling,
 * in columns: a switch takes a quarter of the bytes of two states of a generic
 * kernel, and any version of Perfetto reads them.  All other packets are those
 * of perfetto.c.
 *
 * A BUNDLE has some switches and wake-ups of one CPU, with a table of names.
 * Times are distances, so each kind is in the order of time: switches come so,
 * and wake-ups, which come late, are sorted.
 *
 * RULES OF THE IMPORTER, which the code below keeps:
 *
 *  - The first switch of a CPU names no task that leaves, so there is one to
 *    the idle task at the begin.
 *  - The waker is the task that runs on the CPU of the wake-up, unless a flag
 *    says "in an interrupt".
 *  - CPUs from MAX_CPU on fail the import; numbers of tasks have 31 bits.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/viewers/activity.h"
#include "xenalyze/viewers/protobuf.h"

#define MAX_CPU 1024u
#define SWITCHES 256u           /* in a bundle */
#define WAKINGS 128u
#define NAMES 64u
#define COLUMN_SIZE 20u         /* bytes of a switch or a wake-up, at most */
#define NAME_SIZE (ACTIVITY_LABEL_MAX + 4u)

_Static_assert((SWITCHES + WAKINGS + 1) * COLUMN_SIZE + NAMES * NAME_SIZE +
               100 < PROTOBUF_MESSAGE_MAX, "a bundle is a message");

/* Fields of the bundle and of its columns. */
enum { BUNDLE_CPU = 1, BUNDLE_COLUMNS = 4, PACKET_BUNDLE = 1 };
enum
{
    SWITCH_TIME = 1, SWITCH_STATE, SWITCH_PID, SWITCH_PRIO, NAME_TABLE,
    SWITCH_NAME, WAKING_TIME, WAKING_PID, WAKING_CPU, WAKING_PRIO, WAKING_NAME,
    WAKING_FLAGS,
};

enum { TASK_RUNNABLE = 0, TASK_SLEEPING = 1, TASK_STOPPED = 4 };

#define FLAG_INTERRUPT 8u
#define PRIO 120u               /* Linux's usual priority; vcpus have none */

static const char idle_name[] = "idle";

struct compact_switch
{
    uint64_t time;
    uint32_t pid;
    uint8_t state, name;
};

struct compact_waking
{
    uint64_t time;
    uint32_t pid, cpu;
    uint8_t name, flags;
};

struct bundle
{
    unsigned int nr_switches, nr_wakings, nr_names;
    struct compact_switch switches[SWITCHES];
    struct compact_waking wakings[WAKINGS];
    const char *names[NAMES];   /* borrowed: labels live as long as vcpus */
};

struct compact_cpu
{
    struct bundle *bundle;      /* NULL: no event so far */
    uint32_t pid;               /* vcpu that ran last; 0: the idle task */
    uint64_t until;
    uint8_t state;              /* state of the vcpu afterwards */
};

struct compact
{
    const struct viewer_options *options;
    void *perfetto;             /* state of perfetto_ops */
    struct protobuf out;
    struct compact_cpu cpus[MAX_CPU];
    bool failed;                /* out of memory */
};

/* --- bundles -------------------------------------------------------------- */

static int compare_wakings(const void *a, const void *b)
{
    uint64_t x = ((const struct compact_waking *)a)->time;
    uint64_t y = ((const struct compact_waking *)b)->time;

    return (x > y) - (x < y);
}

/* A column is the values of one member, without tags. */
#define ADD_COLUMN(p, field, items, nr, value)                              \
    do {                                                                    \
        size_t column_ = protobuf_begin(p, field);                          \
                                                                            \
        for ( unsigned int i = 0; i < (nr); i++ )                           \
            protobuf_put_varint(p, value);                                  \
        protobuf_end(p, column_);                                           \
    } while ( 0 )

static uint64_t get_distance(uint64_t time, uint64_t before)
{
    assert(time >= before);
    return time - before;
}

static void add_switches(struct protobuf *p, const struct bundle *b)
{
    const struct compact_switch *s = b->switches;
    unsigned int nr = b->nr_switches;

    if ( !nr )
        return;
    ADD_COLUMN(p, SWITCH_TIME, s, nr,
               get_distance(s[i].time, i ? s[i - 1].time : 0));
    ADD_COLUMN(p, SWITCH_STATE, s, nr, s[i].state);
    ADD_COLUMN(p, SWITCH_PID, s, nr, s[i].pid);
    ADD_COLUMN(p, SWITCH_PRIO, s, nr, PRIO);
    ADD_COLUMN(p, SWITCH_NAME, s, nr, s[i].name);
}

static void add_wakings(struct protobuf *p, struct bundle *b)
{
    const struct compact_waking *w = b->wakings;
    unsigned int nr = b->nr_wakings;

    if ( !nr )
        return;
    qsort(b->wakings, nr, sizeof(*w), compare_wakings);
    ADD_COLUMN(p, WAKING_TIME, w, nr,
               get_distance(w[i].time, i ? w[i - 1].time : 0));
    ADD_COLUMN(p, WAKING_PID, w, nr, w[i].pid);
    ADD_COLUMN(p, WAKING_CPU, w, nr, w[i].cpu);
    ADD_COLUMN(p, WAKING_PRIO, w, nr, PRIO);
    ADD_COLUMN(p, WAKING_NAME, w, nr, w[i].name);
    ADD_COLUMN(p, WAKING_FLAGS, w, nr, w[i].flags);
}

static void flush_bundle(struct compact *x, uint32_t cpu)
{
    struct bundle *b = x->cpus[cpu].bundle;
    size_t packet, bundle, columns;

    if ( !b || (!b->nr_switches && !b->nr_wakings) )
        return;
    protobuf_flush_full(&x->out);
    packet = protobuf_begin(&x->out, 1);
    bundle = protobuf_begin(&x->out, PACKET_BUNDLE);
    protobuf_add_number(&x->out, BUNDLE_CPU, cpu);
    columns = protobuf_begin(&x->out, BUNDLE_COLUMNS);
    for ( unsigned int i = 0; i < b->nr_names; i++ )
        protobuf_add_text(&x->out, NAME_TABLE, b->names[i]);
    add_switches(&x->out, b);
    add_wakings(&x->out, b);
    protobuf_end(&x->out, columns);
    protobuf_end(&x->out, bundle);
    protobuf_end(&x->out, packet);
    b->nr_switches = b->nr_wakings = b->nr_names = 0;
}

/* The CPU's bundle with room for an event; NULL: no memory. */
static struct bundle *get_bundle(struct compact *x, uint32_t cpu)
{
    struct compact_cpu *c = &x->cpus[cpu];

    if ( !c->bundle )
        c->bundle = fault_calloc(1, sizeof(*c->bundle));
    if ( !c->bundle )
    {
        x->failed = true;
        return NULL;
    }
    if ( c->bundle->nr_switches == SWITCHES ||
         c->bundle->nr_wakings == WAKINGS || c->bundle->nr_names == NAMES )
        flush_bundle(x, cpu);
    return c->bundle;
}

/* Labels are compared by their addresses. */
static uint8_t get_name(struct bundle *b, const char *name)
{
    unsigned int i = 0;

    while ( i < b->nr_names && b->names[i] != name )
        i++;
    assert(i < NAMES);
    b->names[i] = name;
    if ( i == b->nr_names )
        b->nr_names++;
    return i;
}

/* --- switches and wake-ups ------------------------------------------------ */

static const uint8_t compact_states[ACTIVITY_STATES] = {
    [ACTIVITY_NONE] = TASK_STOPPED, [ACTIVITY_RUNNING] = TASK_RUNNABLE,
    [ACTIVITY_RUNNABLE] = TASK_RUNNABLE, [ACTIVITY_BLOCKED] = TASK_SLEEPING,
    [ACTIVITY_OFFLINE] = TASK_STOPPED, [ACTIVITY_ELSEWHERE] = TASK_STOPPED,
    [ACTIVITY_UNKNOWN] = TASK_STOPPED,
};

static void add_compact_switch(struct compact *x, uint32_t cpu, uint64_t time,
                               unsigned int state, uint32_t pid,
                               const char *name)
{
    struct bundle *b = get_bundle(x, cpu);

    if ( !b )
        return;
    b->switches[b->nr_switches++] = (struct compact_switch){
        .time = time, .pid = pid, .state = state, .name = get_name(b, name),
    };
}

/*
 * From the vcpu that ran last to the idle task.  The last record of a pcpu may
 * be a wake-up, at the end of a run with an unknown next state: the run ends a
 * nanosecond later, so that the vcpu is still there to be the waker.
 */
static void end_compact_run(struct compact *x, uint32_t cpu)
{
    struct compact_cpu *c = &x->cpus[cpu];

    if ( c->pid )
        add_compact_switch(x, cpu, c->until + (c->state == TASK_STOPPED),
                           c->state, 0, idle_name);
    c->pid = 0;
}

/* The first event of a CPU is a switch to the idle task. */
static void begin_cpu(struct compact *x, uint32_t cpu, uint64_t time)
{
    if ( !x->cpus[cpu].bundle )
        add_compact_switch(x, cpu, time, TASK_RUNNABLE, 0, idle_name);
}

static void compact_run(void *state, const struct activity_span *a)
{
    struct compact *x = state;
    uint32_t pid = a->vcpu->tid;
    struct compact_cpu *c;

    if ( a->pcpu >= MAX_CPU || a->vcpu->tid > INT32_MAX )
        return;
    c = &x->cpus[a->pcpu];
    begin_cpu(x, a->pcpu, a->vcpu->first);
    if ( c->pid && c->until < a->from )
        end_compact_run(x, a->pcpu);
    if ( c->pid != pid )
        add_compact_switch(x, a->pcpu, a->from,
                           c->pid ? c->state : TASK_RUNNABLE, pid,
                           a->vcpu->label);
    c->pid = pid;
    c->until = a->to;
    c->state = compact_states[a->next];
}

/* Does the file have the run in which the waker wakes? */
static bool has_waker(const struct compact *x, const struct activity_span *a)
{
    const struct viewer_options *o = x->options;

    return a->is_wakeup && a->waker && a->waker_pcpu < MAX_CPU &&
           a->waker->tid <= INT32_MAX &&
           (!o->wants_pcpu || o->wants_pcpu(o->filter, a->waker_pcpu));
}

static void compact_span(void *state, const struct activity_span *a)
{
    struct compact *x = state;
    bool is_known = has_waker(x, a);
    uint32_t cpu = is_known ? a->waker_pcpu : a->pcpu;
    struct bundle *b;

    assert(a->from < a->to);
    if ( a->state != ACTIVITY_RUNNABLE || a->before == ACTIVITY_RUNNING ||
         cpu >= MAX_CPU || a->vcpu->tid > INT32_MAX )
        return;
    begin_cpu(x, cpu, a->vcpu->first);
    b = get_bundle(x, cpu);
    if ( !b )
        return;
    b->wakings[b->nr_wakings++] = (struct compact_waking){
        .time = a->from, .pid = a->vcpu->tid,
        .cpu = a->pcpu < MAX_CPU ? a->pcpu : 0,
        .name = get_name(b, a->vcpu->label),
        .flags = is_known ? 0 : FLAG_INTERRUPT,
    };
}

/* --- the file ------------------------------------------------------------- */

static void compact_open(void *state, const struct viewer_options *options,
                         FILE *out)
{
    struct compact *x = state;

    assert(perfetto_ops.size && !x->perfetto);
    x->options = options;
    x->out.out = out;
    x->perfetto = fault_calloc(1, perfetto_ops.size);
    x->failed = !x->perfetto;
    if ( x->perfetto )
        perfetto_ops.open(x->perfetto, options, out);
}

/* Nothing runs from one segment to the next. */
static void end_compact_runs(struct compact *x)
{
    for ( uint32_t cpu = 0; cpu < MAX_CPU; cpu++ )
        end_compact_run(x, cpu);
}

/* The snapshot of clocks is written at once, before any bundle. */
static void compact_begin(void *state, const struct activity_begin *a)
{
    struct compact *x = state;

    end_compact_runs(x);
    if ( !x->perfetto )
        return;
    perfetto_ops.begin(x->perfetto, a);
    if ( perfetto_ops.finish(x->perfetto) && !x->out.error )
        x->out.error = perfetto_ops.finish(x->perfetto);
}

#define PASS_ON(slot, type)                                                 \
    static void compact_##slot(void *state, const struct type *a)           \
    {                                                                       \
        struct compact *x = state;                                          \
                                                                            \
        if ( x->perfetto )                                                  \
            perfetto_ops.slot(x->perfetto, a);                              \
    }

PASS_ON(vcpu, activity_vcpu)
PASS_ON(exit, activity_exit)
PASS_ON(call, activity_call)
PASS_ON(interrupt, activity_pcpu_span)
PASS_ON(sleep, activity_pcpu_span)
PASS_ON(loss, activity_pcpu_span)
PASS_ON(frequency, activity_frequency)
PASS_ON(wait, activity_wait)
PASS_ON(path, activity_path)

static int compact_finish(void *state)
{
    struct compact *x = state;
    int rc = x->perfetto ? perfetto_ops.finish(x->perfetto) : -ENOMEM;

    end_compact_runs(x);
    for ( uint32_t cpu = 0; cpu < MAX_CPU; cpu++ )
        flush_bundle(x, cpu);
    protobuf_flush(&x->out);
    if ( x->failed )
        return -ENOMEM;
    return rc ? rc : x->out.error;
}

static void compact_close(void *state)
{
    struct compact *x = state;

    for ( uint32_t cpu = 0; cpu < MAX_CPU; cpu++ )
        free(x->cpus[cpu].bundle);
    if ( x->perfetto )
        perfetto_ops.close(x->perfetto);
    free(x->perfetto);
}

const struct activity_ops perfetto_compact_ops = {
    .size = sizeof(struct compact), .max_pcpus = MAX_CPU, .open = compact_open,
    .begin = compact_begin, .vcpu = compact_vcpu, .run = compact_run,
    .span = compact_span, .exit = compact_exit, .call = compact_call,
    .interrupt = compact_interrupt, .sleep = compact_sleep,
    .loss = compact_loss, .frequency = compact_frequency, .wait = compact_wait,
    .path = compact_path, .finish = compact_finish, .close = compact_close,
};
