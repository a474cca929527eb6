/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A record is counted, and goes by a table to the machine of its class.  Then
 * there is what only concerns the trace itself: losses, and the end.
 */
#include "xenalyze/machine/pcpu.h"

#define CLASSES 12u             /* bits 16..27 of an id */

#define FOUR(kind) kind, kind, kind, kind
#define ALL(kind) { FOUR(kind), FOUR(kind), FOUR(kind), FOUR(kind) }

/*
 * By the lowest bit of the class, and the subclass.  What is a part of another
 * kind is added to that at the end.
 */
static const uint8_t volumes[CLASSES][16] = {
    ALL(VOLUME_GEN),
    { FOUR(VOLUME_SCHED), FOUR(VOLUME_SCHED),
      VOLUME_SCHED_VERBOSE, VOLUME_SCHED, VOLUME_SCHED, VOLUME_SCHED,
      FOUR(VOLUME_SCHED) },
    ALL(VOLUME_DOM0OP),
    { VOLUME_HVM, VOLUME_HVM, VOLUME_HVM_HANDLER, VOLUME_HVM,
      VOLUME_HVM_EMUL, VOLUME_HVM, VOLUME_HVM, VOLUME_HVM,
      FOUR(VOLUME_HVM), FOUR(VOLUME_HVM) },
    ALL(VOLUME_MEM), ALL(VOLUME_PV), ALL(VOLUME_SHADOW), ALL(VOLUME_HW),
    ALL(VOLUME_OTHER), ALL(VOLUME_OTHER), ALL(VOLUME_OTHER),
    ALL(VOLUME_GUEST),
};

static const struct { uint8_t part, whole; } parts[] = {
    { VOLUME_SCHED_VERBOSE, VOLUME_SCHED },
    { VOLUME_HVM_ENTRY, VOLUME_HVM },
    { VOLUME_HVM_EXIT, VOLUME_HVM },
    { VOLUME_HVM_HANDLER, VOLUME_HVM },
    { VOLUME_HVM_EMUL, VOLUME_HVM },
};

/*
 * The records of the trace itself.  Fillers, and most of what the collector
 * wrote in, say nothing about what happened.
 */
static void lost_record(struct pcpu *p, const struct xt_record *r);

/* A name comes in parts of PART bytes; what is too long is cut. */
#define PART 24u

static void name_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int part = word(r, 0) >> 16 & 0xff, all = word(r, 0) >> 24;
    struct fact_domain_name f = { .time = p->time, .name = p->name };

    if ( r->words < 7 )
        return;
    if ( part == 0 )
        p->name_parts = 0;
    for ( unsigned int i = 0; part == p->name_parts && i < PART; i++ )
    {
        unsigned int at = part * PART + i;
        char c = (char)r->payload[4 + i];

        if ( at < sizeof(p->name) )
            p->name[at] = c == '\0' || (c >= ' ' && c <= '~') ? c : '?';
    }
    p->name[sizeof(p->name) - 1] = '\0';
    if ( part * PART + PART < sizeof(p->name) )
        p->name[part * PART + PART] = '\0';
    p->name_parts += part == p->name_parts;
    if ( p->name_parts != all )
        return;
    f.domain = guests_get_domain(p->guests, word(r, 0) & 0xffff);
    if ( f.domain )
        emit_domain_name(p->emit, &f);
}

static void gen_record(struct pcpu *p, const struct xt_record *r)
{
    if ( r->event == TRC_LOST_RECORDS )
        lost_record(p, r);
    if ( r->event == TRC_META_DOMAIN_NAME && emit_wants_domain_name(p->emit) )
        name_record(p, r);
}

/* One that is not in the table is an event as any. */
static record_fn *const machines[CLASSES][16] = {
    [0] = { [0xf] = gen_record },
    [1] = { [1] = runstate_record, [8] = schedule_record },
    [3] = { [2] = hvm_handler_record },
    [4] = { [0xf] = memory_record },
    [5] = { [1] = pv_record, [2] = pv_record },
    [6] = { [0xf] = shadow_record },
    [7] = { [1] = power_record, [2] = irq_record },
};

void pcpu_begin(struct pcpu *p, uint64_t time)
{
    p->begun = true;
    p->first = p->is.from = p->time = p->volume.first = time;
    p->is.before_first_run = true;
}

/* Whoever ran here since the beginning is known now. */
void pcpu_ran(struct pcpu *p, struct vcpu *v)
{
    p->nobody = NULL;
    p->is.state = vcpu_is_idle(v) ? PCPU_IDLE : PCPU_RUNNING;
    p->current = v;
}

/* --- losses --------------------------------------------------------------- */

void pcpu_loss_begins(struct pcpu *p, uint64_t time)
{
    if ( p->loss_told )
        return;
    if ( !p->begun )
        pcpu_begin(p, time);
    if ( time < p->time )
        time = p->time;
    p->loss_told = true;
    p->time = time;
    pcpu_change(p, CHANGE_LOSS, p->current);
    p->outside.open = false;
    p->nobody = NULL;
    p->entered = 0;
    pcpu_enter(p, PCPU_LOST, time);
    p->current = NULL;
    p->asleep = false;
}

/* Word 1 says who ran when the record was written, not when losing began. */
static void lost_record(struct pcpu *p, const struct xt_record *r)
{
    uint64_t now = p->time, from = word64(r, 2);
    struct vcpu *v = guests_get_vcpu(p->guests, word(r, 1) & 0xffff,
                                     word(r, 1) >> 16);

    if ( from > now )
        p->anomalies[ANOMALY_LOSS]++;
    pcpu_loss_begins(p, from < now ? from : now);
    p->time = now;
    p->volume.lost += word(r, 0);
    pcpu_change(p, CHANGE_FOUND, v)->number = word(r, 0);
    p->loss_told = false;
    if ( v )
        pcpu_run(p, v);
    else
        pcpu_leave(p);
    /* Not by a record of the scheduler: the next one may say otherwise. */
    p->inferred = v != NULL;
}

/* --- all records ---------------------------------------------------------- */

void pcpu_any_record(struct pcpu *p, const struct xt_record *r)
{
    uint32_t class = r->event >> TRC_CLS_SHIFT;
    unsigned int row = __builtin_ctz(class | 1u << (CLASSES - 1));
    unsigned int sub = r->event >> TRC_SUBCLS_SHIFT & 0xf;
    record_fn *machine = machines[row][sub];

    count_volume(p, volumes[row][sub], r);
    if ( machine )
        machine(p, r);
    else
        event_record(p, r);
}

static void sum_up(struct fact_volume *v)
{
    for ( size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++ )
    {
        v->times[parts[i].whole] += v->times[parts[i].part];
        v->bytes[parts[i].whole] += v->bytes[parts[i].part];
    }
    for ( unsigned int i = 0; i < VOLUME_SCHED_VERBOSE; i++ )
        v->records += v->times[i];
}

void pcpu_end(struct pcpu *p)
{
    if ( p->ended )
        return;
    p->ended = true;
    if ( p->begun )
    {
        p->volume.last = p->time;
        p->volume.open_exits += p->outside.open;
        pcpu_change(p, CHANGE_END, p->current);
        pcpu_enter(p, PCPU_UNKNOWN, p->time);
    }
    sum_up(&p->volume);
    emit_volume(p->emit, &p->volume);
}

void event_record(struct pcpu *p, const struct xt_record *r)
{
    struct fact_event f = {
        .vcpu = p->current, .pcpu = p->id, .time = p->time, .record = r,
    };

    emit_event(p->emit, &f);
}
