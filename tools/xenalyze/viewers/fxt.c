/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timelines in the Fuchsia trace format, for Perfetto and the viewer of
 * magic-trace.
 *
 * A domain is a process and a vcpu a thread.  Pcpus have records of scheduling:
 * a switch names the state of the vcpu that leaves, a wake-up the waker.  VM
 * exits are complete events of the vcpu, hypercalls and traps instants; losses,
 * interrupts and sleep states are complete events of threads of the process
 * "Xen pcpus".  A loss is also an event of the provider.
 *
 * A file is a sequence of little-endian words of 8 bytes; the first word of a
 * record has its type in bits 0-3 and its number of words in bits 4-15.  One
 * tick of the clock is a nanosecond.
 *
 * Switches of a pcpu are in the order of time.  Wake-ups, and events of vcpus,
 * come late, and readers sort.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "xenalyze/viewers/activity.h"
#include "xenalyze/viewers/viewer-text.h"

#define MAGIC UINT64_C(0x0016547846040010)
#define TICKS UINT64_C(1000000000)      /* per second */
#define PROVIDER 1u
#define MAX_PROVIDER_NAME 255u
#define RECORD_WORDS 256u               /* the largest record, and more */

enum
{
    RECORD_METADATA, RECORD_CLOCK, RECORD_STRING, RECORD_EVENT = 4,
    RECORD_OBJECT = 7, RECORD_SCHEDULING,
};

/* Kinds of metadata, events, objects and scheduling. */
enum { METADATA_NAME = 1, METADATA_SECTION, METADATA_EVENT };
enum { EVENT_INSTANT, EVENT_COUNTER, EVENT_COMPLETE = 4 };
enum { OBJECT_PROCESS = 1, OBJECT_THREAD };
#define SWITCH (UINT64_C(1) << 60)
#define WAKEUP (UINT64_C(2) << 60)

/* Kinds of arguments. */
enum { ARG_I32 = 1, ARG_U32, ARG_U64 = 4, ARG_STRING = 6, ARG_POINTER,
       ARG_OBJECT };

/* States of a thread that leaves a CPU; a running one is runnable. */
enum { THREAD_RUNNING = 1, THREAD_SUSPENDED, THREAD_BLOCKED };

/* The weight that marks an idle thread. */
#define IDLE_WEIGHT INT32_MIN

/* Indices of strings; 0 is the empty string. */
enum
{
    TEXT_EXIT = 1, TEXT_PV, TEXT_LOSS, TEXT_IRQ, TEXT_SLEEP, TEXT_PATH,
    TEXT_FREQUENCY, TEXT_RIP, TEXT_HANDLER, TEXT_REASON, TEXT_NESTED,
    TEXT_PCPU, TEXT_RECORDS, TEXT_PROCESS, TEXT_WAKER, TEXT_INCOMING,
    TEXT_OUTGOING, TEXT_HZ, TEXT_DETAILS,
};

#define MAX_DETAILS 32u         /* names of details: literals, few */
#define TEXT_HANDLERS (TEXT_DETAILS + MAX_DETAILS)
#define TEXT_CALLS (TEXT_HANDLERS + UINT8_MAX + 1)
#define TEXT_EXITS (TEXT_CALLS + ACTIVITY_CALLS)
#define TEXTS (TEXT_EXITS + EXIT_CAUSES)
#define TEXT_INLINE 0x8000u

_Static_assert(TEXTS <= TEXT_INLINE, "an index has 15 bits");

/*
 * Numbers of threads are above those of processes and in 32 bits, to which
 * importers cut them.
 */
#define PCPU_PROCESS (1u << 17)
#define PATH_PROCESS (PCPU_PROCESS + 1)
#define PATH_THREAD (PCPU_PROCESS + 2)
#define IDLE_THREAD (PCPU_PROCESS + 3)
#define VCPU_THREADS (1u << 18)
#define PCPU_THREADS (1u << 20)         /* ROW_KINDS per pcpu */

_Static_assert(VCPU_THREADS + GUESTS_MAX_VCPUS <= PCPU_THREADS,
               "threads have different numbers");

enum pcpu_row { ROW_LOSS, ROW_IRQ, ROW_SLEEP, ROW_FREQUENCY, ROW_KINDS };

/* The vcpu that ran last on a pcpu. */
struct fxt_cpu
{
    uint64_t thread;            /* 0: none so far */
    uint64_t until;
    uint8_t state;              /* state of the thread afterwards */
    uint8_t has_row;            /* bits by enum pcpu_row */
};

struct fxt
{
    FILE *out;
    const struct viewer_options *options;
    uint64_t words[RECORD_WORDS];
    unsigned int nr;            /* words of the record in progress */
    bool has_text[TEXTS];
    const char *details[MAX_DETAILS];
    bool has_process, has_path;
    struct fxt_cpu cpus[XT_MAX_CPUS];
};

/* --- records -------------------------------------------------------------- */

static void begin_record(struct fxt *x, unsigned int type, uint64_t header)
{
    assert(!x->nr && type < 16 && !(header & 0xffff));
    x->words[x->nr++] = header | type;
}

static void add_word(struct fxt *x, uint64_t word)
{
    assert(x->nr && x->nr < RECORD_WORDS);
    x->words[x->nr++] = word;
}

/* Text of a length that the record has elsewhere. */
static void add_fxt_text(struct fxt *x, const char *text, size_t length)
{
    size_t nr = (length + 7) / 8;

    assert(x->nr + nr <= RECORD_WORDS);
    memset(&x->words[x->nr], 0, 8 * nr);
    memcpy(&x->words[x->nr], text, length);
    x->nr += nr;
}

static void end_record(struct fxt *x)
{
    assert(x->nr && x->nr < 4096);
    x->words[0] |= (uint64_t)x->nr << 4;
    fwrite(x->words, sizeof(uint64_t), x->nr, x->out);
    x->nr = 0;
}

/* Define string `index` unless it is; before the record that refers to it. */
static void define_text(struct fxt *x, unsigned int index, const char *text)
{
    size_t length = strlen(text);

    assert(index && index < TEXTS && length < VIEWER_TEXT_MAX);
    if ( x->has_text[index] )
        return;
    x->has_text[index] = true;
    begin_record(x, RECORD_STRING,
                 (uint64_t)index << 16 | (uint64_t)length << 32);
    add_fxt_text(x, text, length);
    end_record(x);
}

/* Names of categories and arguments, used by many records. */
static void define_texts(struct fxt *x)
{
    static const char *const texts[TEXT_DETAILS] = {
        [TEXT_EXIT] = "exit", [TEXT_PV] = "pv", [TEXT_LOSS] = "loss",
        [TEXT_IRQ] = "interrupt", [TEXT_SLEEP] = "sleep",
        [TEXT_PATH] = "critical path", [TEXT_FREQUENCY] = "frequency",
        [TEXT_RIP] = "rip", [TEXT_HANDLER] = "handler",
        [TEXT_REASON] = "reason", [TEXT_NESTED] = "nested",
        [TEXT_PCPU] = "pcpu", [TEXT_RECORDS] = "records",
        [TEXT_PROCESS] = "process", [TEXT_WAKER] = "waker",
        [TEXT_INCOMING] = "incoming_weight",
        [TEXT_OUTGOING] = "outgoing_weight", [TEXT_HZ] = "Hz",
    };

    for ( unsigned int i = 1; i < TEXT_DETAILS; i++ )
    {
        assert(texts[i]);
        define_text(x, i, texts[i]);
    }
}

static void add_arg32(struct fxt *x, unsigned int type, unsigned int name,
                      uint32_t value)
{
    assert(x->has_text[name]);
    add_word(x, type | 1u << 4 | name << 16 | (uint64_t)value << 32);
}

static void add_arg64(struct fxt *x, unsigned int type, unsigned int name,
                      uint64_t value)
{
    assert(x->has_text[name]);
    add_word(x, type | 2u << 4 | name << 16);
    add_word(x, value);
}

/* --- objects -------------------------------------------------------------- */

/* A name, as a string within the record. */
static void begin_object(struct fxt *x, unsigned int kind, uint64_t id,
                         const char *name, unsigned int nr_args)
{
    char clean[VIEWER_TEXT_MAX];
    size_t length = strlen(viewer_clean_text(name, clean));
    uint64_t reference = length ? TEXT_INLINE | length : 0;

    begin_record(x, RECORD_OBJECT, (uint64_t)kind << 16 | reference << 24 |
                                   (uint64_t)nr_args << 40);
    add_word(x, id);
    add_fxt_text(x, clean, length);
}

static void write_process(struct fxt *x, uint64_t pid, const char *name)
{
    begin_object(x, OBJECT_PROCESS, pid, name, 0);
    end_record(x);
}

static void write_thread(struct fxt *x, uint64_t pid, uint64_t tid,
                         const char *name)
{
    assert(pid < tid);
    begin_object(x, OBJECT_THREAD, tid, name, 1);
    add_arg64(x, ARG_OBJECT, TEXT_PROCESS, pid);
    end_record(x);
}

static uint64_t get_thread(const struct activity_vcpu *v)
{
    return VCPU_THREADS + (uint64_t)v->number;
}

static void fxt_vcpu(void *state, const struct activity_vcpu *v)
{
    struct fxt *x = state;

    assert(v->pid < PCPU_PROCESS && v->number < GUESTS_MAX_VCPUS);
    if ( v->is_first_of_domain )
        write_process(x, v->pid, v->domain_label);
    write_thread(x, v->pid, get_thread(v), v->label);
}

/* --- scheduling ----------------------------------------------------------- */

static const uint8_t thread_states[ACTIVITY_STATES] = {
    [ACTIVITY_NONE] = THREAD_SUSPENDED, [ACTIVITY_RUNNING] = THREAD_RUNNING,
    [ACTIVITY_RUNNABLE] = THREAD_RUNNING, [ACTIVITY_BLOCKED] = THREAD_BLOCKED,
    [ACTIVITY_OFFLINE] = THREAD_SUSPENDED,
    [ACTIVITY_ELSEWHERE] = THREAD_SUSPENDED,
    [ACTIVITY_UNKNOWN] = THREAD_SUSPENDED,
};

/* From a thread in `out_state` to another; one of both may be idle. */
static void write_switch(struct fxt *x, uint32_t pcpu, uint64_t time,
                         uint64_t out, unsigned int out_state, uint64_t in)
{
    bool is_idle = out == IDLE_THREAD || in == IDLE_THREAD;

    assert(pcpu < XT_MAX_CPUS && out != in);
    begin_record(x, RECORD_SCHEDULING,
                 SWITCH | (uint64_t)is_idle << 16 | (uint64_t)pcpu << 20 |
                 (uint64_t)out_state << 36);
    add_word(x, time);
    add_word(x, out);
    add_word(x, in);
    if ( is_idle )
        add_arg32(x, ARG_I32,
                  in == IDLE_THREAD ? TEXT_INCOMING : TEXT_OUTGOING,
                  (uint32_t)IDLE_WEIGHT);
    end_record(x);
}

static void end_run(struct fxt *x, uint32_t pcpu)
{
    struct fxt_cpu *c = &x->cpus[pcpu];

    if ( c->thread )
        write_switch(x, pcpu, c->until, c->thread, c->state, IDLE_THREAD);
    c->thread = 0;
}

/* A run that ends where the next one begins shares a record with it. */
static void fxt_run(void *state, const struct activity_span *a)
{
    struct fxt *x = state;
    uint64_t thread = get_thread(a->vcpu);
    struct fxt_cpu *c;

    if ( a->pcpu >= XT_MAX_CPUS )
        return;
    c = &x->cpus[a->pcpu];
    if ( c->thread && c->until < a->from )
        end_run(x, a->pcpu);
    if ( !c->thread )
        write_switch(x, a->pcpu, a->from, IDLE_THREAD, THREAD_RUNNING, thread);
    else if ( c->thread != thread )
        write_switch(x, a->pcpu, a->from, c->thread, c->state, thread);
    c->thread = thread;
    c->until = a->to;
    c->state = thread_states[a->next];
}

/* A vcpu that becomes runnable, but not from running: that is a switch. */
static void fxt_span(void *state, const struct activity_span *a)
{
    struct fxt *x = state;
    bool has_waker = a->is_wakeup && a->waker;

    assert(a->from < a->to);
    if ( a->state != ACTIVITY_RUNNABLE || a->before == ACTIVITY_RUNNING )
        return;
    begin_record(x, RECORD_SCHEDULING,
                 WAKEUP | (uint64_t)has_waker << 16 |
                 (uint64_t)(a->pcpu % XT_MAX_CPUS) << 20);
    add_word(x, a->from);
    add_word(x, get_thread(a->vcpu));
    if ( has_waker )
        add_arg64(x, ARG_OBJECT, TEXT_WAKER, get_thread(a->waker));
    end_record(x);
}

/* --- events --------------------------------------------------------------- */

/* `name`: index of a string, or TEXT_INLINE with the length of `text`. */
static void begin_fxt_event(struct fxt *x, unsigned int kind,
                            unsigned int nr_args, unsigned int category,
                            unsigned int name)
{
    assert(nr_args < 16 && category < TEXT_DETAILS);
    begin_record(x, RECORD_EVENT,
                 (uint64_t)kind << 16 | (uint64_t)nr_args << 20 |
                 (uint64_t)category << 32 | (uint64_t)name << 48);
}

static void add_place(struct fxt *x, uint64_t time, uint64_t pid, uint64_t tid)
{
    add_word(x, time);
    add_word(x, pid);
    add_word(x, tid);
}

/* Slot of the detail's name; MAX_DETAILS: there is none. */
static unsigned int find_fxt_detail(struct fxt *x, const char *name)
{
    unsigned int i = 0;

    while ( name && i < MAX_DETAILS && x->details[i] && x->details[i] != name )
        i++;
    if ( !name || i == MAX_DETAILS )
        return MAX_DETAILS;
    x->details[i] = name;
    define_text(x, TEXT_DETAILS + i, name);
    return i;
}

static void fxt_exit(void *state, const struct activity_exit *a)
{
    struct fxt *x = state;
    unsigned int detail = find_fxt_detail(x, a->detail_name);
    bool has_detail = detail < MAX_DETAILS, is_other = a->cause == EXIT_OTHER;

    assert(a->cause < EXIT_CAUSES && a->from <= a->to);
    define_text(x, TEXT_EXITS + a->cause, a->name);
    if ( a->handler_name )
        define_text(x, TEXT_HANDLERS + a->handler, a->handler_name);
    begin_fxt_event(x, EVENT_COMPLETE,
                    2u + has_detail + is_other + a->nested + !!a->handler_name,
                    TEXT_EXIT, TEXT_EXITS + a->cause);
    add_place(x, a->from, a->vcpu->pid, get_thread(a->vcpu));
    add_arg64(x, ARG_POINTER, TEXT_RIP, a->rip);
    add_arg32(x, ARG_U32, TEXT_PCPU,
              activity_get_pcpu(x->options, a->pcpu));
    if ( has_detail )
        add_arg64(x, ARG_POINTER, TEXT_DETAILS + detail, a->detail);
    if ( is_other )
        add_arg32(x, ARG_U32, TEXT_REASON, a->reason);
    if ( a->nested )
        add_arg32(x, ARG_U32, TEXT_NESTED, 1);
    if ( a->handler_name )
        add_arg32(x, ARG_STRING, TEXT_HANDLER, TEXT_HANDLERS + a->handler);
    add_word(x, a->to);
    end_record(x);
}

static void fxt_call(void *state, const struct activity_call *a)
{
    struct fxt *x = state;
    size_t length = strlen(a->name);

    assert(a->number < ACTIVITY_CALLS && length && length < VIEWER_TEXT_MAX);
    if ( a->number )
        define_text(x, TEXT_CALLS + a->number, a->name);
    begin_fxt_event(x, EVENT_INSTANT, 1, TEXT_PV,
                    a->number ? TEXT_CALLS + a->number : TEXT_INLINE | length);
    add_place(x, a->time, a->vcpu->pid, get_thread(a->vcpu));
    if ( !a->number )
        add_fxt_text(x, a->name, length);
    add_arg32(x, ARG_U32, TEXT_PCPU,
              activity_get_pcpu(x->options, a->pcpu));
    end_record(x);
}

/* --- pcpus ---------------------------------------------------------------- */

static uint64_t get_fxt_row(struct fxt *x, enum pcpu_row row, uint32_t pcpu)
{
    static const char *const names[ROW_KINDS] = {
        [ROW_LOSS] = "lost records", [ROW_IRQ] = "interrupts",
        [ROW_SLEEP] = "sleep states", [ROW_FREQUENCY] = "frequency",
    };
    uint64_t tid = PCPU_THREADS + (uint64_t)pcpu * ROW_KINDS + row;
    char label[ACTIVITY_LABEL_MAX], name[ACTIVITY_LABEL_MAX + 32];

    assert(row < ROW_KINDS && pcpu < XT_MAX_CPUS);
    if ( x->cpus[pcpu].has_row >> row & 1 )
        return tid;
    if ( !x->has_process )
        write_process(x, PCPU_PROCESS, "Xen pcpus");
    x->has_process = true;
    x->cpus[pcpu].has_row |= 1u << row;
    snprintf(name, sizeof(name), "%s %s",
             activity_label_pcpu(x->options, pcpu, label), names[row]);
    write_thread(x, PCPU_PROCESS, tid, name);
    return tid;
}

/* A complete event with a name of its own; `lost`: number of records, or 0. */
static void write_slice(struct fxt *x, unsigned int category, uint64_t pid,
                        uint64_t tid, const struct activity_pcpu_span *a)
{
    char clean[VIEWER_TEXT_MAX];
    size_t length = strlen(viewer_clean_text(a->name, clean));

    assert(a->from <= a->to);
    begin_fxt_event(x, EVENT_COMPLETE, a->count ? 1 : 0, category,
                    length ? TEXT_INLINE | length : 0);
    add_place(x, a->from, pid, tid);
    add_fxt_text(x, clean, length);
    if ( a->count )
        add_arg64(x, ARG_U64, TEXT_RECORDS, a->count);
    add_word(x, a->to);
    end_record(x);
}

static void write_pcpu_slice(struct fxt *x, unsigned int category,
                             enum pcpu_row row,
                             const struct activity_pcpu_span *a)
{
    if ( a->pcpu < XT_MAX_CPUS )
        write_slice(x, category, PCPU_PROCESS, get_fxt_row(x, row, a->pcpu), a);
}

static void fxt_interrupt(void *state, const struct activity_pcpu_span *a)
{
    write_pcpu_slice(state, TEXT_IRQ, ROW_IRQ, a);
}

static void fxt_sleep(void *state, const struct activity_pcpu_span *a)
{
    write_pcpu_slice(state, TEXT_SLEEP, ROW_SLEEP, a);
}

static void fxt_loss(void *state, const struct activity_pcpu_span *a)
{
    struct fxt *x = state;

    write_pcpu_slice(x, TEXT_LOSS, ROW_LOSS, a);
    /* Event 0 of a provider: its buffer was full. */
    begin_record(x, RECORD_METADATA,
                 METADATA_EVENT << 16 | (uint64_t)PROVIDER << 20);
    end_record(x);
}

static void fxt_frequency(void *state, const struct activity_frequency *a)
{
    struct fxt *x = state;
    uint64_t tid;

    if ( a->pcpu >= XT_MAX_CPUS )
        return;
    tid = get_fxt_row(x, ROW_FREQUENCY, a->pcpu);
    begin_fxt_event(x, EVENT_COUNTER, 1, TEXT_FREQUENCY, TEXT_FREQUENCY);
    add_place(x, a->time, PCPU_PROCESS, tid);
    add_arg64(x, ARG_U64, TEXT_HZ, a->hz);
    add_word(x, a->pcpu);
    end_record(x);
}

static void fxt_path(void *state, const struct activity_path *a)
{
    struct fxt *x = state;

    if ( !x->has_path )
    {
        write_process(x, PATH_PROCESS, a->path);
        write_thread(x, PATH_PROCESS, PATH_THREAD, a->path);
    }
    x->has_path = true;
    write_slice(x, TEXT_PATH, PATH_PROCESS, PATH_THREAD,
                &(struct activity_pcpu_span){
                    .from = a->from, .to = a->to, .name = a->name });
}

/* --- the file ------------------------------------------------------------- */

/* The length of a text, cut to `max` bytes without cutting a character. */
static size_t cut_text(const char *text, size_t max)
{
    size_t length = strlen(text);

    if ( length <= max )
        return length;
    for ( length = max; length && (text[length] & 0xc0) == 0x80; )
        length--;
    return length;
}

static void fxt_open(void *state, const struct viewer_options *options,
                     FILE *out)
{
    struct fxt *x = state;
    char name[VIEWER_TEXT_MAX];
    size_t length;

    assert(options->trace && !x->nr);
    x->out = out;
    x->options = options;
    x->words[0] = MAGIC;
    fwrite(x->words, sizeof(MAGIC), 1, out);
    length = cut_text(viewer_clean_text(options->trace, name),
                      MAX_PROVIDER_NAME);
    begin_record(x, RECORD_METADATA,
                 METADATA_NAME << 16 | (uint64_t)PROVIDER << 20 |
                 (uint64_t)length << 52);
    add_fxt_text(x, name, length);
    end_record(x);
    begin_record(x, RECORD_METADATA,
                 METADATA_SECTION << 16 | (uint64_t)PROVIDER << 20);
    end_record(x);
    begin_record(x, RECORD_CLOCK, 0);
    add_word(x, TICKS);
    end_record(x);
    define_texts(x);
    write_thread(x, 0, IDLE_THREAD, "idle");
}

/* Nothing runs from one segment to the next. */
static void end_runs(struct fxt *x)
{
    for ( uint32_t pcpu = 0; pcpu < XT_MAX_CPUS; pcpu++ )
        end_run(x, pcpu);
}

static void fxt_begin(void *state, const struct activity_begin *a)
{
    if ( a->segment )
        end_runs(state);
}

static int fxt_finish(void *state)
{
    end_runs(state);
    return 0;
}

const struct activity_ops fxt_ops = {
    .size = sizeof(struct fxt), .max_pcpus = XT_MAX_CPUS, .open = fxt_open,
    .begin = fxt_begin, .vcpu = fxt_vcpu, .run = fxt_run, .span = fxt_span,
    .exit = fxt_exit, .call = fxt_call, .interrupt = fxt_interrupt,
    .sleep = fxt_sleep, .loss = fxt_loss, .frequency = fxt_frequency,
    .path = fxt_path, .finish = fxt_finish,
};
