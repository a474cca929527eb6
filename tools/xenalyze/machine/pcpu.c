/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records are counted and dispatched by a table to the machine of their class.
 * Records about the trace itself are handled here: losses, names of domains,
 * and the end.
 */
#include "xenalyze/machine/pcpu.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/compiler.h"
#include "common/fault.h"
#include "common/utf8.h"
#include "libxentrace/meta-event.h"

/* Kinds of which the counts are added to others at the end. */
static const struct { uint8_t part, whole; } parts[] = {
    { VOLUME_SCHED_VERBOSE, VOLUME_SCHED },
    { VOLUME_HVM_HANDLER, VOLUME_HVM },
    { VOLUME_HVM_EMUL, VOLUME_HVM },
};

/* --- records about the trace ---------------------------------------------- */

static void lost_record(struct pcpu *p, const struct xt_record *r);

#define NAME_AT offsetof(struct xt_rec_meta_domain_name, t0)
#define MAX_NAME 63u            /* bytes; a longer name is truncated */

_Static_assert(MAX_NAME <= XT_META_TEXT_MAX, "a truncated name fits");

static void clean_name(char *text)
{
    text[utf8_cut(text, MAX_NAME)] = '\0';
    utf8_clean(text);
}

/* A name arrives in parts. */
static void name_record(struct pcpu *p, const struct xt_record *r)
{
    const struct xt_rec_meta_domain_name *part = xt_view_meta_domain_name(r);
    struct fact_domain_name f = { .time = p->time };

    if ( !part )
        return;
    if ( !p->name && !(p->name = fault_calloc(1, sizeof(*p->name))) )
    {
        p->changes.failed = true;
        return;
    }
    if ( !xt_meta_text_add(p->name, part->part, part->parts,
                           r->payload + NAME_AT) )
        return;
    clean_name(p->name->text);
    f.name = p->name->text;
    f.domain = guests_get_domain(p->guests, part->dom);
    if ( f.domain )
        emit_domain_name(p->emit, &f);
}

/* A record with its payload. */
struct record_copy
{
    struct xt_record record;
    uint32_t payload[XT_RECORD_MAX_WORDS];
};

/* The counts concern all pcpus. */
COLD
static void counts_record(struct pcpu *p, const struct xt_record *r)
{
    struct record_copy *copy = arena_alloc(p->scratch, sizeof(*copy),
                                           _Alignof(struct record_copy));

    if ( !copy )
    {
        p->changes.failed = true;
        return;
    }
    copy->record = *r;
    copy->record.payload = (const unsigned char *)copy->payload;
    memcpy(copy->payload, r->payload, 4u * r->words);
    pcpu_queue_change(p, CHANGE_COUNTS, NULL)->data = &copy->record;
}

/* Fillers, and the collector's other records, have no effect. */
static void gen_record(struct pcpu *p, const struct xt_record *r)
{
    if ( r->event == TRC_TRACE_WRAP_BUFFER || xt_event_is_meta(r->event) )
    {
        p->extra.times++;
        p->extra.bytes += record_bytes(r);
    }
    if ( r->event == TRC_LOST_RECORDS )
        lost_record(p, r);
    if ( r->event == TRC_META_LOST || r->event == TRC_META_END )
        counts_record(p, r);
    if ( r->event == TRC_META_DOMAIN_NAME && emit_wants_domain_name(p->emit) )
        name_record(p, r);
}

/* --- dispatch ------------------------------------------------------------- */

#define ROW(kind, ...) { .volume = VOLUME_##kind, __VA_ARGS__ }
#define TWO(kind) ROW(kind), ROW(kind)
#define FOUR(kind) TWO(kind), TWO(kind)
#define TWELVE(kind) FOUR(kind), FOUR(kind), FOUR(kind)
#define FIFTEEN(kind) TWELVE(kind), TWO(kind), ROW(kind)

/* By the lowest bit of the class, and the subclass. */
static const struct record_row rows[RECORD_CLASSES][16] = {
    { FIFTEEN(GEN), ROW(GEN, .slow = gen_record) },
    { ROW(SCHED), ROW(SCHED, .slow = runstate_slow, .fast = runstate_fast),
      TWO(SCHED), FOUR(SCHED), ROW(SCHED_VERBOSE, .slow = schedule_record),
      TWO(SCHED), ROW(SCHED), FOUR(SCHED) },
    { ROW(DOM0OP), ROW(DOM0OP, .slow = domain_record), TWO(DOM0OP),
      TWELVE(DOM0OP) },
    { ROW(HVM), ROW(HVM, .slow = hvm_entryexit_slow, .fast = hvm_fast),
      ROW(HVM_HANDLER, .slow = hvm_handler_slow, .fast = hvm_fast), ROW(HVM),
      ROW(HVM_EMUL, .slow = hvm_emulated_record), TWO(HVM), ROW(HVM), FOUR(HVM),
      FOUR(HVM) },
    { FIFTEEN(MEM), ROW(MEM, .slow = memory_record) },
    { ROW(PV), ROW(PV, .slow = pv_slow, .fast = pv_fast),
      ROW(PV, .slow = pv_slow, .fast = pv_fast), ROW(PV), TWELVE(PV) },
    { FIFTEEN(SHADOW), ROW(SHADOW, .slow = shadow_record) },
    { ROW(HW), ROW(HW, .slow = power_record), ROW(HW, .slow = irq_record),
      ROW(HW), TWELVE(HW) },
    { FIFTEEN(OTHER), ROW(OTHER) },
    { FIFTEEN(OTHER), ROW(OTHER) },
    { FIFTEEN(OTHER), ROW(OTHER) },
    { FIFTEEN(GUEST), ROW(GUEST) },
};

const struct record_row *pcpu_rows(void)
{
    return rows[0];
}

/* Rows of the table are bits of the class. */
#define ASSERT_ROW(row, class) \
    _Static_assert((class) >> TRC_CLS_SHIFT == 1u << (row), #class)

ASSERT_ROW(1, TRC_SCHED);
ASSERT_ROW(2, TRC_DOM0OP);
ASSERT_ROW(3, TRC_HVM);
ASSERT_ROW(4, TRC_MEM);
ASSERT_ROW(5, TRC_PV);
ASSERT_ROW(6, TRC_SHADOW);
ASSERT_ROW(7, TRC_HW);

void pcpu_begin(struct pcpu *p, uint64_t time)
{
    debug_assert(!p->begun);
    p->begun = true;
    p->first = p->fact.from = p->time = p->volume.first = time;
    p->fact.before_first_run = true;
}

void pcpu_infer_current(struct pcpu *p, struct vcpu *v)
{
    debug_assert(!p->current && p->fact.state == PCPU_UNKNOWN);
    p->default_vcpu = NULL;
    p->inferred = false;
    p->fact.state = vcpu_is_idle(v) ? PCPU_IDLE : PCPU_RUNNING;
    p->current = v;
}

/* --- losses --------------------------------------------------------------- */

void pcpu_begin_loss(struct pcpu *p, uint64_t time)
{
    if ( p->loss_begun )
        return;
    /* Before the first record, p->time is the begin of the segment. */
    if ( time < p->time )
        time = p->time;
    if ( !p->begun )
        pcpu_begin(p, time);
    p->loss_begun = true;
    p->time = time;
    p->open_exit.open = false;
    p->default_vcpu = NULL;
    p->entered_at = 0;
    p->switch_to = 0;
    pcpu_set_state(p, PCPU_LOST, time);
    pcpu_queue_change(p, CHANGE_LOSS, p->current);
    p->current = NULL;
    p->asleep = false;
}

/* The vcpu that runs at the end of a loss.  NULL: the record names none. */
static struct vcpu *get_found_vcpu(struct pcpu *p, const struct xt_record *r)
{
    unsigned int domain = RECORD_FIELD(r, lost_records, dom);

    if ( domain >= XT_DOMAIN_DEFAULT )
        return NULL;
    return guests_get_vcpu(p->guests, domain,
                           RECORD_FIELD(r, lost_records, vcpu));
}

static void lost_record(struct pcpu *p, const struct xt_record *r)
{
    uint64_t now = p->time, from = RECORD_FIELD(r, lost_records, first_tsc);
    uint32_t lost = RECORD_FIELD(r, lost_records, lost);
    struct vcpu *v = get_found_vcpu(p, r);

    if ( from > now )
        p->anomalies[ANOMALY_LOSS]++;
    pcpu_begin_loss(p, from < now ? from : now);
    /* Behind a damaged begin of the loss, records may have set p->current. */
    debug_assert(p->loss_begun);
    p->time = now;
    p->volume.lost += lost;
    p->loss_begun = false;
    if ( v )
        pcpu_set_current(p, v);
    else
        pcpu_clear_current(p);
    pcpu_queue_change(p, CHANGE_FOUND, v)->number = lost;
    /* The next scheduler record may contradict, or name the vcpu. */
    p->inferred = true;
}

/* --- damage --------------------------------------------------------------- */

void pcpu_begin_gap(struct pcpu *p, uint64_t from)
{
    debug_assert(!p->ended);
    pcpu_begin_loss(p, from);
    p->in_gap = true;
}

void pcpu_end_gap(struct pcpu *p, const struct xt_record *r, uint64_t time)
{
    assert(p->in_gap && time >= p->time);
    p->in_gap = false;
    if ( r->event == TRC_LOST_RECORDS || !p->loss_begun )
        return;
    p->time = time;
    p->loss_begun = false;
    pcpu_clear_current(p);
    pcpu_queue_change(p, CHANGE_FOUND, NULL);
    p->inferred = true;
}

/* --- silence -------------------------------------------------------------- */

/* Fields that are true, or the idle domain, if the idle vcpu was running. */
static const struct { uint32_t event, word, shift, mask, value; }
idle_fields[] = {
    { TRC_SCHED_SWITCH_INFPREV, 0, 0, 0xffff, XT_DOMAIN_IDLE },
    { UINT32_C(0x22009), 0, 24, 0xff, 1 },      /* csched_schedule */
    { UINT32_C(0x22215), 1, 8, 0xff, 1 },       /* csched2_schedule */
    { UINT32_C(0x22806), 0, 28, 0xf, 1 },       /* rtds_schedule */
};

COLD
bool pcpu_record_was_idle(const struct xt_record *r)
{
    debug_assert(r->words <= XT_RECORD_MAX_WORDS);
    for ( size_t i = 0; i < sizeof(idle_fields) / sizeof(idle_fields[0]); i++ )
        if ( idle_fields[i].event == r->event &&
             r->words > idle_fields[i].word )
            return (xt_record_word(r, idle_fields[i].word) >>
                    idle_fields[i].shift & idle_fields[i].mask) ==
                   idle_fields[i].value;
    return false;
}

/*
 * A pcpu that goes offline with a full ring never reports its loss.  The next
 * record of the pcpu proves the loss, if the idle vcpu ran before that record,
 * but another vcpu ran at the last record.
 */
static void begin_missing(struct pcpu *p)
{
    debug_assert(p->is_silent && p->current);
    p->is_missing = p->inferred = true;
    p->current = p->default_vcpu = NULL;
    p->open_exit.open = false;
    p->entered_at = p->switch_to = p->waking = 0;
}

COLD
void pcpu_begin_silence(struct pcpu *p, uint64_t next, bool was_idle)
{
    bool is_idle = p->current && vcpu_is_idle(p->current);

    if ( p->is_silent || !p->begun || !p->current || next <= p->time ||
         (is_idle ? p->asleep || !p->has_slept ||
                    next - p->time <= PCPU_SILENCE : !was_idle) )
        return;
    debug_assert(p->time < next);
    pcpu_set_state(p, PCPU_UNKNOWN, p->time);
    pcpu_queue_change(p, CHANGE_SILENT, p->current)->doubtful =
        !is_idle || p->volume.lost;
    p->is_silent = true;
    if ( !is_idle )
        begin_missing(p);
}

/*
 * The next scheduler record may contradict: the vcpu is inferred.  A loss, or a
 * damaged record without a time, may have ended the idle time before.
 */
void pcpu_end_silence(struct pcpu *p, uint64_t time)
{
    struct vcpu *idle = p->current;

    assert(p->is_silent);
    p->is_silent = false;
    if ( p->is_missing )
    {
        p->is_missing = false;
        p->time = time;
        if ( !p->loss_begun )
            pcpu_set_state(p, PCPU_UNKNOWN, time);
        pcpu_queue_change(p, CHANGE_HEARD, NULL);
        return;
    }
    if ( !idle || !vcpu_is_idle(idle) )
        return;
    p->time = time;
    p->current = NULL;
    pcpu_set_current(p, idle);
    p->inferred = true;
    pcpu_queue_change(p, CHANGE_HEARD, idle);
}

/* --- all records ---------------------------------------------------------- */

/* Complete the counts: those of classes have only the rest beside the parts. */
static void sum_volumes(struct fact_volume *v)
{
    for ( size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++ )
    {
        v->times[parts[i].whole] += v->times[parts[i].part];
        v->bytes[parts[i].whole] += v->bytes[parts[i].part];
    }
    for ( unsigned int i = 0; i < VOLUME_SCHED_VERBOSE; i++ )
        v->records += v->times[i];
    for ( unsigned int i = 0; i < VOLUME_KINDS; i++ )
        v->seen |= (uint32_t)!!v->times[i] << i;
}

static void subtract_volume(struct fact_volume *v,
                            const struct fact_volume *earlier)
{
    debug_assert(v->lost >= earlier->lost);
    v->lost -= earlier->lost;
    for ( unsigned int i = 0; i < VOLUME_KINDS; i++ )
    {
        v->times[i] -= earlier->times[i];
        v->bytes[i] -= earlier->bytes[i];
    }
}

/* The volume so far, without extra records. */
static struct fact_volume count_event_volume(const struct pcpu *p)
{
    struct fact_volume v = p->volume;

    assert(v.times[VOLUME_GEN] >= p->extra.times);
    v.times[VOLUME_GEN] -= p->extra.times;
    v.bytes[VOLUME_GEN] -= p->extra.bytes;
    return v;
}

/* A bound that the pcpu has not reached is behind its last record. */
static struct fact_volume find_span_volume(const struct pcpu *p)
{
    const struct volume_bounds *b = p->bounds;
    struct fact_volume v;

    if ( !b )
        return p->volume;
    v = b->nr > VOLUME_AT_END ? b->at[VOLUME_AT_END] : count_event_volume(p);
    subtract_volume(&v, b->nr > VOLUME_AT_BEGIN ? &b->at[VOLUME_AT_BEGIN]
                                                : &v);
    return v;
}

void pcpu_cross_bound(struct pcpu *p)
{
    struct volume_bounds *b = p->bounds;

    assert(b->nr < VOLUME_BOUNDS);
    if ( !p->ended )
        b->at[b->nr++] = count_event_volume(p);
}

void pcpu_end(struct pcpu *p)
{
    if ( p->ended )
        return;
    p->ended = true;
    if ( p->begun )
    {
        p->volume.last = p->time;
        p->volume.open_exits += p->open_exit.open;
        pcpu_set_state(p, PCPU_UNKNOWN, p->time);
    }
    p->span_volume = find_span_volume(p);
    sum_volumes(&p->volume);
    sum_volumes(&p->span_volume);
    p->span_volume.seen = p->volume.seen;
    p->span_volume.first = p->volume.first;
    p->span_volume.last = p->volume.last;
    emit_volume(p->emit, &p->span_volume);
    if ( p->begun )
        pcpu_queue_change(p, CHANGE_END, p->current)->doubtful =
            p->volume.lost;
}

void pcpu_emit_event(struct pcpu *p, const struct xt_record *r)
{
    bool is_ignored = !emit_wants_event(p->emit) ||
                      (emit_ignores_event(p->emit, r->event) &&
                       moment_gaps_skip(&p->gaps, p->time));

    if ( !is_ignored )
        emit_event(p->emit, &(struct fact_event){
            .vcpu = p->current, .pcpu = p->id, .time = p->time, .record = r });
}

/* --- changes -------------------------------------------------------------- */

int changes_grow(struct changes *c)
{
    size_t room = c->room ? 2 * c->room : 64;
    struct change *items = fault_realloc(c->items, room * sizeof(*items));

    debug_assert(c->nr == c->room);
    if ( !items )
    {
        c->failed = true;
        return -ENOMEM;
    }
    c->items = items;
    c->room = room;
    return 0;
}
