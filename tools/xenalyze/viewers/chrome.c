/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timelines in the JSON of chrome://tracing, which Perfetto, speedscope and
 * the Firefox profiler import.
 *
 * A domain is a process, and a vcpu two threads: its states, and its VM exits,
 * since an exit in which the vcpu blocks is no part of one state.  The process
 * "pcpus" has a thread per pcpu with the vcpus that ran there, and threads for
 * losses, interrupts and sleep states.  Wake-ups are flows from the waker's
 * state to the waiting state of the woken vcpu.
 *
 * Times are in microseconds, with three decimals.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/num.h"
#include "libxentrace/internal.h"
#include "xenalyze/viewers/activity.h"
#include "xenalyze/viewers/viewer-text.h"

/*
 * Numbers of threads are above those of processes and in 32 bits, and no two
 * processes have the same: some importers ignore the process.
 */
#define PCPU_PROCESS (1u << 17)
#define PATH_PROCESS (PCPU_PROCESS + 1)
#define PATH_THREAD (PCPU_PROCESS + 2)
#define PROGRAM_PROCESSES (PCPU_PROCESS + 16)
#define VCPU_THREADS (1u << 18)         /* two per vcpu */
#define PCPU_THREADS (1u << 20)         /* ROW_KINDS per pcpu */
#define PROGRAM_THREADS (1u << 24)

_Static_assert(VCPU_THREADS + 2 * GUESTS_MAX_VCPUS <= PCPU_THREADS,
               "threads have different numbers");

enum pcpu_row { ROW_RUN, ROW_LOSS, ROW_IRQ, ROW_SLEEP, ROW_KINDS };

struct chrome
{
    FILE *out;
    const struct viewer_options *options;
    bool has_event, has_process, has_path;
    uint64_t flows;
    uint8_t has_row[XT_MAX_CPUS];       /* bits by enum pcpu_row */
};

/* --- events --------------------------------------------------------------- */

/* Microseconds with three decimals. */
static void write_time(FILE *out, const char *name, uint64_t ns)
{
    char text[NUM_U64_MAX + 8], *p = num_u64(text, ns / 1000);

    *p++ = '.';
    p = num_three(p, ns % 1000);
    fputs(name, out);
    fwrite(text, 1, p - text, out);
}

/* All members of an event up to its name; the caller goes on with more. */
static void begin_event(struct chrome *x, char phase, uint64_t pid,
                        uint64_t tid, const char *name)
{
    fprintf(x->out, "%s{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
            ",\"name\":", x->has_event ? ",\n" : "\n", phase, pid, tid);
    viewer_write_json(x->out, name);
    x->has_event = true;
}

static void write_slice(struct chrome *x, uint64_t pid, uint64_t tid,
                        const char *name, uint64_t from, uint64_t to)
{
    assert(from <= to);
    begin_event(x, 'X', pid, tid, name);
    write_time(x->out, ",\"ts\":", from);
    write_time(x->out, ",\"dur\":", to - from);
}

static void write_name(struct chrome *x, const char *kind, uint64_t pid,
                       uint64_t tid, const char *name)
{
    begin_event(x, 'M', pid, tid, kind);
    fputs(",\"args\":{\"name\":", x->out);
    viewer_write_json(x->out, name);
    fputs("}}", x->out);
}

/* --- vcpus ---------------------------------------------------------------- */

static uint64_t get_thread(const struct activity_vcpu *v)
{
    return VCPU_THREADS + 2 * (uint64_t)v->number;
}

static uint64_t get_exit_thread(const struct activity_vcpu *v)
{
    return get_thread(v) + 1;
}

static void chrome_vcpu(void *state, const struct activity_vcpu *v)
{
    struct chrome *x = state;
    char name[VIEWER_TEXT_MAX];

    assert(v->pid < PCPU_PROCESS && v->number < GUESTS_MAX_VCPUS);
    if ( v->is_first_of_domain )
        write_name(x, "process_name", v->pid, 0, v->domain_label);
    write_name(x, "thread_name", v->pid, get_thread(v), v->label);
    snprintf(name, sizeof(name), "%s exits", v->label);
    write_name(x, "thread_name", v->pid, get_exit_thread(v), name);
}

static uint64_t get_row(struct chrome *x, enum pcpu_row row, uint32_t pcpu)
{
    static const char *const names[ROW_KINDS] = {
        [ROW_RUN] = "", [ROW_LOSS] = " lost records", [ROW_IRQ] = " interrupts",
        [ROW_SLEEP] = " sleep states",
    };
    uint64_t tid = PCPU_THREADS + (uint64_t)pcpu * ROW_KINDS + row;
    char label[ACTIVITY_LABEL_MAX], name[ACTIVITY_LABEL_MAX + 32];

    assert(row < ROW_KINDS);
    if ( pcpu < XT_MAX_CPUS && x->has_row[pcpu] >> row & 1 )
        return tid;
    if ( !x->has_process )
        write_name(x, "process_name", PCPU_PROCESS, 0, "pcpus");
    x->has_process = true;
    snprintf(name, sizeof(name), "%s%s",
             activity_label_pcpu(x->options, pcpu, label), names[row]);
    write_name(x, "thread_name", PCPU_PROCESS, tid, name);
    if ( pcpu < XT_MAX_CPUS )
        x->has_row[pcpu] |= 1u << row;
    return tid;
}

/* The waker's state contains the start, the woken vcpu's wait the end. */
static void write_wakeup(struct chrome *x, const struct activity_span *a)
{
    x->flows++;
    begin_event(x, 's', a->waker->pid, get_thread(a->waker), "wake-up");
    write_time(x->out, ",\"ts\":", a->from);
    fprintf(x->out, ",\"cat\":\"wake-up\",\"id\":%" PRIu64 "}", x->flows);
    begin_event(x, 'f', a->vcpu->pid, get_thread(a->vcpu), "wake-up");
    write_time(x->out, ",\"ts\":", a->from);
    fprintf(x->out, ",\"cat\":\"wake-up\",\"bp\":\"e\",\"id\":%" PRIu64 "}",
            x->flows);
}

static void chrome_span(void *state, const struct activity_span *a)
{
    struct chrome *x = state;
    uint64_t row;

    write_slice(x, a->vcpu->pid, get_thread(a->vcpu),
                activity_state_name(a->state), a->from, a->to);
    fputs(",\"cat\":\"state\"", x->out);
    if ( a->state == ACTIVITY_RUNNING )
        fprintf(x->out, ",\"args\":{\"pcpu\":%" PRIu32 "}",
                activity_get_pcpu(x->options, a->pcpu));
    putc('}', x->out);
    if ( a->is_wakeup && a->waker )
        write_wakeup(x, a);
    if ( a->state != ACTIVITY_RUNNING )
        return;
    row = get_row(x, ROW_RUN, a->pcpu);
    write_slice(x, PCPU_PROCESS, row, a->vcpu->label, a->from, a->to);
    fputs(",\"cat\":\"run\"}", x->out);
}

static void chrome_exit(void *state, const struct activity_exit *a)
{
    struct chrome *x = state;

    write_slice(x, a->vcpu->pid, get_exit_thread(a->vcpu), a->name, a->from,
                a->to);
    fprintf(x->out, ",\"cat\":\"exit\",\"args\":{\"rip\":\"0x%" PRIx64 "\"",
            a->rip);
    if ( a->handler_name )
        fprintf(x->out, ",\"handler\":\"%s\"", a->handler_name);
    if ( a->detail_name )
        fprintf(x->out, ",\"%s\":\"0x%" PRIx64 "\"", a->detail_name,
                a->detail);
    if ( a->nested )
        fputs(",\"nested\":true", x->out);
    fprintf(x->out, ",\"pcpu\":%" PRIu32 "}}",
            activity_get_pcpu(x->options, a->pcpu));
}

static void chrome_call(void *state, const struct activity_call *a)
{
    struct chrome *x = state;

    assert(a->name);
    begin_event(x, 'i', a->vcpu->pid, get_exit_thread(a->vcpu), a->name);
    write_time(x->out, ",\"ts\":", a->time);
    fprintf(x->out, ",\"s\":\"t\",\"cat\":\"pv\",\"args\":{\"pcpu\":%" PRIu32
            "}}", activity_get_pcpu(x->options, a->pcpu));
}

/* --- pcpus ---------------------------------------------------------------- */

static void write_pcpu_slice(struct chrome *x, enum pcpu_row row,
                             const struct activity_pcpu_span *a)
{
    write_slice(x, PCPU_PROCESS, get_row(x, row, a->pcpu), a->name, a->from,
                a->to);
    if ( a->count )
        fprintf(x->out, ",\"args\":{\"records\":%" PRIu64 "}", a->count);
    putc('}', x->out);
}

static void chrome_interrupt(void *state, const struct activity_pcpu_span *a)
{
    write_pcpu_slice(state, ROW_IRQ, a);
}

static void chrome_sleep(void *state, const struct activity_pcpu_span *a)
{
    write_pcpu_slice(state, ROW_SLEEP, a);
}

static void chrome_loss(void *state, const struct activity_pcpu_span *a)
{
    write_pcpu_slice(state, ROW_LOSS, a);
}

static void chrome_path(void *state, const struct activity_path *a)
{
    struct chrome *x = state;

    assert(a->from < a->to);
    if ( !x->has_path )
    {
        write_name(x, "process_name", PATH_PROCESS, 0, a->path);
        write_name(x, "thread_name", PATH_PROCESS, PATH_THREAD, a->path);
    }
    x->has_path = true;
    write_slice(x, PATH_PROCESS, PATH_THREAD, a->name, a->from, a->to);
    fputs(",\"cat\":\"critical path\"}", x->out);
}

/* --- programs ------------------------------------------------------------- */

static void chrome_thread(void *state, const struct activity_thread *t)
{
    struct chrome *x = state;
    uint64_t pid = PROGRAM_PROCESSES + (uint64_t)t->process;

    assert(pid < VCPU_THREADS);
    if ( t->is_first_of_process )
        write_name(x, "process_name", pid, 0, t->process_label);
    write_name(x, "thread_name", pid, PROGRAM_THREADS + (uint64_t)t->number,
               t->label);
}

static void chrome_program(void *state, const struct activity_program *a)
{
    struct chrome *x = state;

    begin_event(x, 'i', PROGRAM_PROCESSES + (uint64_t)a->thread->process,
                PROGRAM_THREADS + (uint64_t)a->thread->number, a->name);
    write_time(x->out, ",\"ts\":", a->time);
    fputs(",\"s\":\"t\",\"cat\":\"program\"", x->out);
    if ( *a->text )
    {
        fputs(",\"args\":{\"args\":", x->out);
        viewer_write_json(x->out, a->text);
        putc('}', x->out);
    }
    putc('}', x->out);
}

/* --- the file ------------------------------------------------------------- */

static void chrome_open(void *state, const struct viewer_options *options,
                        FILE *out)
{
    struct chrome *x = state;

    assert(out && !x->has_event);
    x->out = out;
    x->options = options;
    fputs("{\"traceEvents\":[", out);
}

static int chrome_finish(void *state)
{
    struct chrome *x = state;

    fputs("\n],\"displayTimeUnit\":\"ns\",\"metadata\":{\"trace\":", x->out);
    viewer_write_json(x->out, x->options->trace);
    fputs("}}\n", x->out);
    return 0;
}

const struct activity_ops chrome_ops = {
    .size = sizeof(struct chrome), .open = chrome_open, .vcpu = chrome_vcpu,
    .span = chrome_span, .exit = chrome_exit, .call = chrome_call,
    .interrupt = chrome_interrupt,
    .sleep = chrome_sleep, .loss = chrome_loss, .path = chrome_path,
    .thread = chrome_thread, .program = chrome_program,
    .finish = chrome_finish,
};
