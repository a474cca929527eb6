/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A span waits in the slot of its vcpu until the next state begins, since
 * states shorter than a nanosecond disappear, and equal neighbours are joined.
 */
#include "xenalyze/viewers/activity.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "common/grow.h"
#include "xenalyze/account/account.h"

#define SEGMENT_GAP 1000000u    /* ns between two segments */

struct activity_slot
{
    struct activity_vcpu vcpu;
    struct activity_span span;  /* state ACTIVITY_NONE: none */
    uint64_t exit_end;
    uint64_t woken_at;          /* time stamp of the wake-up of the next
                                   runnable span */
    const struct vcpu *waker;
    uint32_t waker_pcpu;
    bool is_woken, has_waits, has_blocks;
    bool is_waiting;            /* counted by activities_note_waiting() */
    char label[ACTIVITY_LABEL_MAX];
    char domain_label[ACTIVITY_LABEL_MAX];
};

const char *activity_state_name(enum activity_state state)
{
    static const char *const names[ACTIVITY_STATES] = {
        [ACTIVITY_NONE] = "", [ACTIVITY_RUNNING] = "running",
        [ACTIVITY_RUNNABLE] = "waiting", [ACTIVITY_BLOCKED] = "blocked",
        [ACTIVITY_OFFLINE] = "offline",
        [ACTIVITY_ELSEWHERE] = "on another pcpu",
        [ACTIVITY_UNKNOWN] = "unknown",
    };

    assert(state < ACTIVITY_STATES);
    return names[state];
}

/* --- names of rows -------------------------------------------------------- */

int activity_put_host(const struct viewer_options *o, char *label)
{
    int length = 0;

    *label = '\0';
    if ( o->host )
        length = snprintf(label, VIEWER_HOST_MAX, "%s:", o->host->label);
    assert(length >= 0 && length < (int)VIEWER_HOST_MAX);
    return length;
}

const char *activity_label_pcpu(const struct viewer_options *options,
                                uint32_t pcpu, char label[ACTIVITY_LABEL_MAX])
{
    int length = activity_put_host(options, label);

    snprintf(label + length, ACTIVITY_LABEL_MAX - length, "pcpu %" PRIu32,
             activity_get_pcpu(options, pcpu));
    return label;
}

uint32_t activities_get_row(struct activities *a, uint32_t pcpu)
{
    uint32_t row = a->options->first_pcpu + pcpu;

    debug_assert(pcpu != FACT_NO_PCPU);
    if ( row >= a->nr_pcpus )
        a->nr_pcpus = row + 1;
    return row;
}

/* --- vcpus ---------------------------------------------------------------- */

static void name_vcpu(const struct activities *a, struct activity_slot *s,
                      const struct vcpu *v)
{
    const struct xt_domain_names *names = a->options->names;
    char label[XT_LABEL_MAX];
    unsigned int id = v->domain->id;
    int length = activity_put_host(a->options, s->label);

    xt_vcpu_label(names, id, v->id, s->label + length);
    length = activity_put_host(a->options, s->domain_label);
    snprintf(s->domain_label + length, sizeof(s->domain_label) - length,
             "d%u%s%s", id, xt_domain_name(names, id) ? ":" : "",
             xt_domain_name(names, id) ? xt_domain_label(names, id, label)
                                       : "");
    s->vcpu.label = s->label;
    s->vcpu.domain_label = s->domain_label;
}

/*
 * Processes are numbered from 1 and threads from 2^17, above all processes,
 * since viewers regard a thread with the number of a process as its main
 * thread, and 0 as the idle task.  The numbers of one host's domains are those
 * of Xen; several hosts have the same domains, and numbers in order.
 */
static void number_vcpu(struct activities *a, struct activity_vcpu *out,
                        const struct vcpu *v)
{
    uint64_t *pid = &a->processes[v->domain->index];

    out->number = a->nr_vcpus++;
    out->is_first_of_domain = !*pid;
    if ( !*pid )
        *pid = a->options->host ? ++a->nr_processes : out->domain + 1;
    out->pid = *pid;
    out->tid = a->options->host ? (UINT64_C(1) << 17) + out->number
                                : (out->pid + 1) << 16 | v->id;
    debug_assert(out->pid <= UINT64_C(1) << 16 && out->tid > out->pid);
}

static void announce_vcpu(struct activities *a, struct activity_slot *s,
                          const struct vcpu *v)
{
    struct activity_vcpu *out = &s->vcpu;

    out->domain = v->domain->id;
    out->id = v->id;
    out->first = a->base;
    number_vcpu(a, out, v);
    name_vcpu(a, s, v);
    if ( a->ops->vcpu )
        a->ops->vcpu(a->state, out);
}

/* Find or create.  NULL: no memory, or too many vcpus of all hosts. */
static struct activity_slot *get_slot(struct activities *a,
                                      const struct vcpu *v)
{
    struct activity_slot *s = v->index < a->nr_slots ? a->slots[v->index]
                                                     : NULL;

    if ( s )
        return s;
    a->has_hidden_vcpus |= a->nr_vcpus == GUESTS_MAX_VCPUS;
    if ( a->has_hidden_vcpus )
        return NULL;
    if ( grow_to_index(&a->processes, &a->nr_domains, v->domain->index,
                       sizeof(*a->processes)) )
        s = grow_get_object(&a->slots, &a->nr_slots, v->index, &a->arena,
                            sizeof(*s), _Alignof(struct activity_slot));
    if ( s )
        announce_vcpu(a, s, v);
    else
        a->failed = true;
    return s;
}

/* Idle vcpus, and vcpus of the default domain, have no row. */
static bool has_row(const struct vcpu *v)
{
    return v && !vcpu_is_idle(v) && v->domain->id != XT_DOMAIN_DEFAULT;
}

/* --- times ---------------------------------------------------------------- */

uint64_t activities_get_time(struct activities *a, uint64_t tsc)
{
    int64_t ns = xt_clock_ns(&a->clock, tsc);
    uint64_t time = a->base + (ns > 0 ? ns : 0);

    if ( time > a->last )
        a->last = time;
    if ( time < a->earliest )
        a->earliest = time;
    return time;
}

/* Time of the begin of a host's segment by its wall clock. */
static uint64_t get_host_base(const struct activities *a)
{
    int64_t base = 0;

    if ( !a->clock.has_wall ||
         __builtin_sub_overflow(a->clock.wall, a->options->host->origin,
                                &base) || base < 0 )
        return 0;
    return base;
}

static void activities_begin(void *state, const struct fact_begin *f)
{
    struct activities *a = state;
    struct activity_begin begin = {
        .segment = a->nr_segments++, .has_wall = f->clock->has_wall,
        .wall = f->clock->wall, .hz = xt_clock_hz(f->clock),
    };

    a->clock = *f->clock;
    if ( a->options->host && (!f->segment || get_host_base(a) > a->last) )
        a->base = get_host_base(a);
    else if ( f->segment )
        a->base = a->last + SEGMENT_GAP;
    begin.first = a->base;
    if ( a->ops->begin )
        a->ops->begin(a->state, &begin);
}

/* --- states of vcpus ------------------------------------------------------ */

static const uint8_t activity_states[STATES] = {
    [STATE_RUNNING] = ACTIVITY_RUNNING, [STATE_RUNNABLE] = ACTIVITY_RUNNABLE,
    [STATE_BLOCKED] = ACTIVITY_BLOCKED, [STATE_OFFLINE] = ACTIVITY_OFFLINE,
    [STATE_LOST] = ACTIVITY_UNKNOWN, [STATE_QUEUED] = ACTIVITY_BLOCKED,
    [STATE_INIT] = ACTIVITY_UNKNOWN, [STATE_NO_DATA] = ACTIVITY_UNKNOWN,
};

static enum activity_state get_state(const struct activities *a,
                                     unsigned int state, uint32_t pcpu)
{
    const struct viewer_options *o = a->options;

    debug_assert(state < STATES);
    if ( state == STATE_RUNNING && pcpu == FACT_NO_PCPU )
        return ACTIVITY_UNKNOWN;
    if ( state == STATE_RUNNING && o->wants_pcpu &&
         !o->wants_pcpu(o->filter, pcpu) )
        return ACTIVITY_ELSEWHERE;
    return activity_states[state];
}

static enum activity_state get_next_state(const struct activities *a,
                                          const struct fact_runstate *f)
{
    return f->next == STATES ? ACTIVITY_NONE
                             : get_state(a, f->next, f->next_pcpu);
}

/* The span in the slot is complete. */
static void end_span(struct activities *a, struct activity_slot *s,
                     bool is_last)
{
    if ( s->span.state == ACTIVITY_NONE )
        return;
    debug_assert(s->span.from < s->span.to);
    s->span.is_last = is_last;
    a->has_any = true;
    if ( a->ops->span )
        a->ops->span(a->state, &s->span);
    s->span.before = s->span.state;
    s->span.before_pcpu = s->span.pcpu;
    s->span.state = ACTIVITY_NONE;
}

/* True: the new state continues the span in the slot. */
static bool extend_span(struct activity_slot *s, enum activity_state state,
                        uint32_t pcpu, uint64_t to)
{
    if ( s->span.state != state ||
         (state == ACTIVITY_RUNNING && s->span.pcpu != pcpu) )
        return false;
    s->span.to = to;
    return true;
}

/* A vcpu that is not selected has no row, not even as a waker. */
static bool is_vcpu_selected(const struct activities *a, const struct vcpu *v)
{
    const struct viewer_options *o = a->options;

    debug_assert(has_row(v));
    return !o->wants_vcpu || o->wants_vcpu(o->filter, v->domain->id, v->id);
}

static void note_wakeup(struct activities *a, struct activity_slot *s,
                        const struct fact_runstate *f)
{
    struct activity_slot *waker;

    s->span.is_wakeup = s->span.state == ACTIVITY_RUNNABLE && s->is_woken &&
                        s->woken_at == f->from && s->waker &&
                        s->waker_pcpu != FACT_NO_PCPU;
    s->span.waker = NULL;
    s->span.waker_pcpu = s->waker_pcpu == FACT_NO_PCPU
                         ? FACT_NO_PCPU : activities_get_row(a, s->waker_pcpu);
    s->is_woken = false;
    if ( !s->span.is_wakeup || !has_row(s->waker) )
        return;
    s->span.is_wakeup = is_vcpu_selected(a, s->waker);
    if ( !s->span.is_wakeup )
        return;
    waker = get_slot(a, s->waker);
    s->span.waker = waker ? &waker->vcpu : NULL;
}

/* Facts arrive in the order of their ends: what follows the end counts. */
static void note_waiting(struct activities *a, struct activity_slot *s,
                         const struct fact_runstate *f, uint64_t to)
{
    bool is_waiting = f->next == STATE_RUNNABLE;

    if ( is_waiting != s->is_waiting )
        activities_note_waiting(a, to, is_waiting ? 1 : -1);
    s->is_waiting = is_waiting;
}

static void activities_runstate(void *state, const struct fact_runstate *f)
{
    struct activities *a = state;
    struct activity_slot *s = has_row(f->vcpu) ? get_slot(a, f->vcpu) : NULL;
    uint64_t from = activities_get_time(a, f->from);
    uint64_t to = activities_get_time(a, f->to);
    enum activity_state next;
    uint32_t pcpu = f->pcpu == FACT_NO_PCPU ? 0 : f->pcpu;

    if ( !s )
        return;
    if ( a->ops->waiting )
        note_waiting(a, s, f, to);
    pcpu = activities_get_row(a, pcpu);
    next = get_state(a, f->state, f->pcpu);
    /* Files may have times in any order: what overlaps is cut. */
    if ( from < s->span.to )
        from = s->span.to;
    if ( from >= to )
        return;
    if ( next == ACTIVITY_RUNNING && a->ops->run )
        a->ops->run(a->state, &(struct activity_span){
            .vcpu = &s->vcpu, .state = next, .pcpu = pcpu,
            .from = from, .to = to, .next = get_next_state(a, f),
        });
    if ( extend_span(s, next, pcpu, to) )
        return;
    end_span(a, s, false);
    s->span.vcpu = &s->vcpu;
    s->span.state = next;
    s->span.pcpu = pcpu;
    s->span.from = from;
    s->span.to = to;
    note_wakeup(a, s, f);
}

/* The fact of a wait comes before the runstate that it is part of. */
static void activities_wait(void *state, const struct fact_wait *f)
{
    struct activities *a = state;
    struct activity_slot *s = has_row(f->vcpu) ? get_slot(a, f->vcpu) : NULL;

    if ( !s || f->why != WHY_WAKE )
        return;
    if ( a->waits )
        activity_waits_note(a->waits, f);
    s->is_woken = true;
    s->woken_at = f->from;
    s->waker = f->waker;
    s->waker_pcpu = f->waker_pcpu;
}

/* --- the longest waits ---------------------------------------------------- */

static struct activity_slot *find_vcpu_slot(const struct activities *a,
                                            const struct vcpu *v)
{
    return has_row(v) && v->index < a->nr_slots ? a->slots[v->index] : NULL;
}

const struct activity_vcpu *activities_announce_waits(struct activities *a,
                                                      const struct vcpu *v,
                                                      bool *is_first)
{
    struct activity_slot *s = find_vcpu_slot(a, v);

    if ( !s )
        return NULL;
    *is_first = !s->has_waits;
    s->has_waits = true;
    return &s->vcpu;
}

const struct activity_vcpu *activities_announce_block(struct activities *a,
                                                      uint32_t index,
                                                      bool *is_first)
{
    struct activity_slot *s = index < a->nr_slots ? a->slots[index] : NULL;

    if ( !s )
        return NULL;
    *is_first = !s->has_blocks;
    s->has_blocks = true;
    return &s->vcpu;
}

bool activities_find_waker(const struct activities *a, const struct vcpu *v,
                           const struct activity_vcpu **waker)
{
    const struct activity_slot *s = find_vcpu_slot(a, v);

    assert(v);
    *waker = s ? &s->vcpu : NULL;
    return !has_row(v) || (s && is_vcpu_selected(a, v));
}

/* --- exits ---------------------------------------------------------------- */

static const char *const detail_names[HANDLE_KINDS] = {
    [HANDLE_PF_XEN] = "va", [HANDLE_PF_INJECT] = "cr2",
    [HANDLE_EXCEPTION] = "vector", [HANDLE_PIO] = "port",
    [HANDLE_MMIO] = "gpa", [HANDLE_CR] = "cr", [HANDLE_MSR] = "msr",
    [HANDLE_XCR] = "xcr", [HANDLE_CPUID] = "leaf",
    [HANDLE_INTERRUPT] = "vector", [HANDLE_HYPERCALL] = "hypercall",
    [HANDLE_INVLPG] = "va", [HANDLE_NPF] = "gpa", [HANDLE_TRAP] = "vector",
};

static void activities_handle(void *state, const struct fact_handle *f)
{
    struct activities *a = state;

    debug_assert(f->kind < HANDLE_KINDS);
    if ( !f->main || !f->exit )
        return;
    a->main = *f;
    a->has_main = true;
}

static void add_detail(const struct activities *a, struct activity_exit *out,
                       const struct fact_exit *f)
{
    const struct fact_handle *h = &a->main;

    if ( !a->has_main || h->vcpu != f->vcpu || h->pcpu != f->pcpu ||
         (h->kind == HANDLE_INTERRUPT && !h->has_value) )
        return;
    out->detail_name = detail_names[h->kind];
    out->detail = h->at;
}

static void activities_exit(void *state, const struct fact_exit *f)
{
    struct activities *a = state;
    struct activity_slot *s = has_row(f->vcpu) ? get_slot(a, f->vcpu) : NULL;
    char name[EXIT_REPORT_NAME];
    struct activity_exit out = {
        .pcpu = activities_get_row(a, f->pcpu),
        .name = exit_report_name(f->cause, name),
        .cause = f->cause, .reason = f->reason, .rip = f->rip,
        .wide = f->wide, .nested = f->nested, .handler = f->handler,
        .handler_name = f->handler ? handler_name(f->handler) : NULL,
    };

    if ( !s )
        return;
    out.vcpu = &s->vcpu;
    out.from = activities_get_time(a, f->start);
    out.to = activities_get_time(a, f->start + f->cycles);
    if ( out.from < s->exit_end )
        out.from = s->exit_end;
    if ( out.to < out.from )
        out.to = out.from;
    s->exit_end = out.to;
    add_detail(a, &out, f);
    a->has_main = false;
    a->has_any = true;
    if ( a->ops->exit )
        a->ops->exit(a->state, &out);
}

/* --- PV guests ------------------------------------------------------------ */

#define CALL_KINDS 64u          /* first number of other kinds */

_Static_assert(CALL_KINDS + PV_KINDS <= ACTIVITY_CALLS, "all kinds fit");

static void activities_pv(void *state, const struct fact_pv *f)
{
    struct activities *a = state;
    struct activity_slot *s = has_row(f->vcpu) ? get_slot(a, f->vcpu) : NULL;
    /* A subcall is a part of a multicall. */
    bool is_hypercall = f->kind == PV_HYPERCALL || f->kind == PV_HYPERCALL_V2 ||
                        f->kind == PV_HYPERCALL_SUBCALL;
    struct activity_call out = {
        .pcpu = activities_get_row(a, f->pcpu),
        .time = activities_get_time(a, f->time),
        .name = is_hypercall ? hypercall_name(f->number) : pv_name(f->kind),
    };

    debug_assert(f->kind < PV_KINDS);
    if ( !s || !a->ops->call )
        return;
    out.vcpu = &s->vcpu;
    if ( !out.name )
        out.name = is_hypercall ? "hypercall" : "pv";
    else if ( !is_hypercall )
        out.number = CALL_KINDS + f->kind;
    else if ( f->number < CALL_KINDS - 1 )
        out.number = f->number + 1;
    a->has_any = true;
    a->ops->call(a->state, &out);
}

/* --- pcpus ---------------------------------------------------------------- */

static void activities_irq(void *state, const struct fact_irq *f)
{
    struct activities *a = state;
    const struct xt_domain_names *names = a->options->names;
    char device[XT_IRQ_TEXT_MAX] = "", name[XT_IRQ_TEXT_MAX + 16];
    struct activity_pcpu_span out = {
        .pcpu = activities_get_row(a, f->pcpu), .name = name,
    };

    if ( f->kind != IRQ_HANDLED || !a->ops->interrupt )
        return;
    out.to = activities_get_time(a, f->time);
    out.from = f->has_cycles && f->cycles <= f->time
               ? activities_get_time(a, f->time - f->cycles) : out.to;
    if ( !names || !xt_host_irq_device(&names->host, f->irq, device) )
        device[0] = '\0';
    snprintf(name, sizeof(name), "irq %u%s%s", f->irq, *device ? " " : "",
             device);
    a->ops->interrupt(a->state, &out);
}

static void activities_power(void *state, const struct fact_power *f)
{
    struct activities *a = state;
    char name[16];
    struct activity_pcpu_span out = {
        .pcpu = activities_get_row(a, f->pcpu), .name = name,
    };
    const struct activity_frequency frequency = {
        .pcpu = out.pcpu, .time = activities_get_time(a, f->time),
        .hz = f->state * UINT64_C(1000000),
    };

    if ( f->kind == POWER_FREQUENCY && a->ops->frequency )
        a->ops->frequency(a->state, &frequency);
    if ( f->kind != POWER_WAKE || !f->matched || !a->ops->sleep )
        return;
    debug_assert(f->cycles <= f->time);
    out.to = frequency.time;
    out.from = activities_get_time(a, f->time - f->cycles);
    snprintf(name, sizeof(name), "C%u", f->state);
    a->ops->sleep(a->state, &out);
}

static void activities_loss(void *state, const struct fact_loss *f)
{
    struct activities *a = state;
    const struct activity_pcpu_span out = {
        .pcpu = activities_get_row(a, f->pcpu),
        .from = activities_get_time(a, f->from),
        .to = activities_get_time(a, f->to), .name = "records lost",
        .count = f->records,
    };

    if ( a->ops->loss && out.from <= out.to )
        a->ops->loss(a->state, &out);
}

void activities_add_path(struct activities *a, const struct activity_path *part)
{
    struct activity_path out = *part;

    assert(part->from < part->to);
    out.from = activities_get_time(a, part->from);
    out.to = activities_get_time(a, part->to);
    if ( a->ops->path && out.from < out.to )
        a->ops->path(a->state, &out);
}

/* --- the sink ------------------------------------------------------------- */

static int compare_slots(const void *a, const void *b)
{
    const struct activity_slot *const *s = a, *const *t = b;

    return s[0]->vcpu.number < t[0]->vcpu.number ? -1 : 1;
}

/* The indices of vcpus depend on threads, and the numbers of rows do not. */
static int end_spans(struct activities *a)
{
    uint32_t nr = a->nr_slots;
    struct activity_slot **slots = grow_copy_objects(a->slots, &nr,
                                                     compare_slots);

    if ( !slots )
        return -ENOMEM;
    for ( uint32_t i = 0; i < nr; i++ )
    {
        end_span(a, slots[i], true);
        slots[i]->span.before = ACTIVITY_NONE;
        slots[i]->is_waiting = false;
    }
    free(slots);
    return 0;
}

static int activities_end(void *state, const struct fact_end *f, struct err *e)
{
    struct activities *a = state;
    int rc = end_spans(a);

    (void)f;
    if ( rc )
        return rc;
    a->has_main = false;
    if ( a->ops->waiting )
        activities_end_waiting(a);
    if ( a->waits )
        activities_show_waits(a);
    if ( a->options->programs && a->ops->program && !a->has_programs )
        rc = activities_add_programs(a, e);
    a->has_programs = true;
    return a->failed ? -ENOMEM : rc;
}

int activities_init(struct activities *a, const struct viewer_format *format,
                    const struct viewer_options *options, void *state)
{
    assert(format->activities && options);
    *a = (struct activities){
        .ops = format->activities, .state = state, .options = options,
        .earliest = UINT64_MAX,
    };
    arena_init(&a->arena, 4096);
    if ( a->ops->block )
    {
        a->blocks = fault_calloc(1, sizeof(*a->blocks));
        if ( !a->blocks )
            return -ENOMEM;
        activity_blocks_init(a->blocks, a);
    }
    if ( a->ops->queue )
    {
        a->queues = fault_calloc(1, sizeof(*a->queues));
        if ( !a->queues )
            return -ENOMEM;
        activity_queues_init(a->queues, a);
    }
    if ( !a->ops->wait )
        return 0;
    a->waits = fault_calloc(1, sizeof(*a->waits));
    return a->waits ? activity_waits_init(a->waits, options->names) : -ENOMEM;
}

/* Formats may keep pointers to vcpus, so the arena stays. */
int activities_begin_host(struct activities *a)
{
    free(a->slots);
    free(a->processes);
    a->slots = NULL;
    a->processes = NULL;
    a->nr_slots = a->nr_domains = 0;
    a->base = a->last = 0;
    a->waiting.now = (struct activity_waiting){0};
    a->waiting.nr_shown = 0;
    a->has_main = a->has_any = false;
    if ( a->blocks )
    {
        activity_blocks_fini(a->blocks);
        activity_blocks_init(a->blocks, a);
    }
    if ( a->queues )
        activity_queues_init(a->queues, a);
    if ( !a->waits )
        return 0;
    activity_waits_fini(a->waits);
    memset(a->waits, 0, sizeof(*a->waits));
    return activity_waits_init(a->waits, a->options->names);
}

void activities_fini(struct activities *a)
{
    arena_fini(&a->arena);
    if ( a->waits )
        activity_waits_fini(a->waits);
    free(a->waits);
    if ( a->blocks )
        activity_blocks_fini(a->blocks);
    free(a->blocks);
    free(a->queues);
    free(a->slots);
    free(a->processes);
}

struct sink activities_sink(struct activities *a)
{
    static const struct sink_ops ops = {
        .name = "activities", .ordered = true, .no_rivals = true,
        .begin = activities_begin,
        .end = activities_end, .runstate = activities_runstate,
        .wait = activities_wait, .loss = activities_loss,
        .exit = activities_exit, .handle = activities_handle,
        .pv = activities_pv, .irq = activities_irq, .power = activities_power,
    };

    return (struct sink){ &ops, a };
}
