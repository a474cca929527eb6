/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runstates, local part: which vcpu runs on this pcpu.  Every record is also
 * queued as a change for the global machine (vcpu-runstate.c), since a record
 * may name a vcpu of another pcpu: a wake-up is written by the waker's pcpu.
 *
 *   0x0002 1  0 old new 1     both states are part of the event id
 */
#include "xenalyze/machine/pcpu.h"

#include "common/compiler.h"

_Static_assert(STATE_RUNNING == XT_VALUE(runstate, running) &&
               STATE_RUNNABLE == XT_VALUE(runstate, runnable) &&
               STATE_BLOCKED == XT_VALUE(runstate, blocked) &&
               STATE_OFFLINE == XT_VALUE(runstate, offline),
               "states are those of the records");

/* Domain and vcpu are one word, which is the key of vcpu_lookup(). */
_Static_assert(XT_BIT(sched_runstate_change, vcpu) == 0 &&
               XT_BIT(sched_runstate_change, dom) == 16 &&
               XT_BIT(sched_continue_running, vcpu) == 0 &&
               XT_BIT(sched_continue_running, dom) == 16, "layout");

static inline struct change *queue_change(struct pcpu *p, unsigned int kind,
                                          struct vcpu *v, unsigned int old,
                                          unsigned int new)
{
    struct change *c = pcpu_queue_change_fast(p, kind, v);

    debug_assert(old <= STATE_OFFLINE && new <= STATE_OFFLINE);
    c->old = old;
    c->new = new;
    return c;
}

/* --- the current vcpu ----------------------------------------------------- */

/*
 * The record claims that v was running here, which was unknown, or another
 * vcpu: either record may be damaged.
 */
COLD
static void correct_current(struct pcpu *p, struct vcpu *v)
{
    debug_assert(p->current != v);
    if ( !p->current && p->fact.state == PCPU_UNKNOWN &&
         (p->fact.before_first_run || p->inferred) )
        pcpu_infer_current(p, v);
    else if ( p->inferred )
    {
        p->inferred = false;
        p->current = v;
    }
    else
    {
        p->anomalies[ANOMALY_PREVIOUS]++;
        if ( p->current && vcpu_is_idle(p->current) != vcpu_is_idle(v) )
            p->fact.state = PCPU_UNKNOWN;
    }
}

static inline void check_current(struct pcpu *p, struct vcpu *v)
{
    if ( p->current != v )
        correct_current(p, v);
}

static inline void vcpu_leaves(struct pcpu *p, struct vcpu *v,
                               unsigned int new)
{
    check_current(p, v);
    if ( p->current == v || p->default_vcpu )
    {
        if ( p->open_exit.open )
            hvm_deschedule(p, new);
        p->entered_at = 0;
    }
    p->default_vcpu = NULL;
    if ( p->current == v )
        pcpu_clear_current(p);
}

static inline void vcpu_arrives(struct pcpu *p, struct vcpu *v)
{
    p->open_exit.open = false;
    pcpu_set_current(p, v);
}

static inline void vcpu_is_chosen(struct pcpu *p, struct vcpu *v,
                                  unsigned int old)
{
    struct change *c = queue_change(p, CHANGE_ARRIVE, v, old, STATE_RUNNING);

    c->number = p->switch_to;
    p->switch_to = 0;
}

/* A vcpu in a record that only confirms a change; 0 is none. */
static inline uint64_t encode_vcpu(uint32_t domain, uint32_t vcpu)
{
    return (uint64_t)xt_vcpu_key(domain, vcpu) + 1;
}

static inline void vcpu_wakes(struct pcpu *p, struct vcpu *v,
                              unsigned int old)
{
    struct change *c = queue_change(p, CHANGE_WAKE, v, old, STATE_RUNNABLE);

    if ( p->waking == encode_vcpu(v->domain->id, v->id) )
        c->number = p->waking_since;
    else
        c->doubtful = p->waking;
}

/* NULL, counted as an anomaly: no such vcpu. */
COLD
static struct vcpu *find_vcpu_by_word(struct pcpu *p, uint32_t word)
{
    unsigned int domain = word >> 16, vcpu = word & 0xffff;
    bool is_possible = vcpu < VCPU_IDS && (domain < DOMAIN_IDS ||
                                           domain == XT_DOMAIN_IDLE);
    struct vcpu *v = is_possible ? guests_get_vcpu(p->guests, domain, vcpu)
                                 : NULL;

    debug_assert(!v || (v->domain->id == domain && v->id == vcpu));
    if ( !v )
        p->anomalies[is_possible ? ANOMALY_TOO_MANY : ANOMALY_TRANSITION]++;
    return v;
}

/* Few vcpus appear on one pcpu, and repeatedly: hence the cache. */
static inline struct vcpu *vcpu_lookup(struct pcpu *p, uint32_t word)
{
    struct vcpu_cache_entry *c;

    c = &p->vcpu_cache[word * UINT32_C(0x9e3779b1) >> (32 - VCPU_CACHE_BITS)];
    if ( c->word != word || !c->vcpu )
        *c = (struct vcpu_cache_entry){ word, find_vcpu_by_word(p, word) };
    debug_assert(c->word == word);
    return c->vcpu;
}

__attribute__((always_inline))
static inline void change_state(struct pcpu *p, struct vcpu *v,
                                unsigned int old, unsigned int new)
{
    if ( old == new )
    {
        p->anomalies[ANOMALY_TRANSITION]++;
        return;
    }
    if ( old == STATE_RUNNING )
    {
        vcpu_leaves(p, v, new);
        queue_change(p, CHANGE_LEAVE, v, old, new);
    }
    else if ( new == STATE_RUNNING )
    {
        vcpu_arrives(p, v);
        vcpu_is_chosen(p, v, old);
    }
    else if ( new == STATE_RUNNABLE )
        vcpu_wakes(p, v, old);
    else
        queue_change(p, CHANGE_STATE, v, old, new);
    p->waking = 0;
    debug_assert(new == STATE_RUNNING ? p->current == v
                 : old != STATE_RUNNING || p->current != v);
}

/*
 * The idle vcpu of a pcpu that comes online continues, too.  An idle pcpu does
 * not stay awake for long without a record: before its first, it was offline.
 */
COLD
static void check_online(struct pcpu *p, struct change *c)
{
    debug_assert(p->current == c->vcpu && p->fact.from == p->first);
    if ( !vcpu_is_idle(p->current) || !p->has_slept || p->started_asleep ||
         p->first - p->fact.since <= PCPU_SILENCE )
        return;
    p->fact.since = p->first;
    c->number = p->first;
}

/* The scheduler chose the vcpu that is running already; checked before. */
static inline void continue_running(struct pcpu *p, struct vcpu *v)
{
    bool is_first = p->fact.before_first_run;
    struct change *c;

    p->fact.before_first_run &= p->current != v;
    p->default_vcpu = NULL;
    c = queue_change(p, CHANGE_CONTINUE, v, STATE_RUNNING, STATE_RUNNING);
    if ( is_first && !p->fact.before_first_run )
        check_online(p, c);
}

/*
 * A vcpu that keeps its pcpu, as with the scheduler null, has no record of the
 * scheduler.  If the pcpu has none up to the snapshot, the vcpu of the snapshot
 * has run since the first record.
 */
COLD
void pcpu_use_snapshot(struct pcpu *p)
{
    struct vcpu *v;

    debug_assert(p->has_snapshot);
    if ( p->current || p->loss_begun )
        p->has_snapshot = false;
    if ( !p->has_snapshot || !p->begun || p->time < p->snapshot_time )
        return;
    p->has_snapshot = false;
    v = vcpu_lookup(p, p->snapshot_vcpu);
    if ( !v )
        return;
    check_current(p, v);
    continue_running(p, v);
}

/*
 * Only the idle vcpu enters sleep states.  A pcpu that idles from the begin on
 * may have no record of the scheduler.
 */
COLD
void pcpu_use_sleep(struct pcpu *p)
{
    struct vcpu *idle;
    struct change *c;

    debug_assert(!p->current);
    if ( p->loss_begun )
        return;
    if ( !p->begun )
        pcpu_begin(p, p->time);
    if ( !p->fact.before_first_run || p->fact.state != PCPU_UNKNOWN )
        return;
    idle = guests_get_vcpu(p->guests, XT_DOMAIN_IDLE, p->id);
    if ( !idle )
        return;
    pcpu_infer_current(p, idle);
    c = queue_change(p, CHANGE_CONTINUE, idle, STATE_RUNNING, STATE_RUNNING);
    c->doubtful = true;
    check_online(p, c);
}

/* --- any record ----------------------------------------------------------- */

/* The id has the form of a runstate change, with states that do not exist. */
static bool is_impossible_change(uint32_t event)
{
    return (event & 0xf) == (TRC_SCHED_RUNSTATE_CHANGE & 0xf);
}

void runstate_slow(struct pcpu *p, const struct xt_record *r)
{
    unsigned int old = xt_id_sched_runstate_change_from(r->event);
    unsigned int new = xt_id_sched_runstate_change_to(r->event);
    bool changes = xt_is_sched_runstate_change(r->event);
    struct vcpu *v;

    if ( !changes && r->event != TRC_SCHED_CONTINUE_RUNNING )
    {
        p->anomalies[ANOMALY_TRANSITION] += is_impossible_change(r->event);
        pcpu_emit_event(p, r);
        return;
    }
    v = record_has_words(p, r, XT_WORDS(sched_runstate_change))
        ? vcpu_lookup(p, xt_record_word(r, 0)) : NULL;
    if ( !v )
        return;
    if ( !p->begun )
        pcpu_begin(p, p->time);
    if ( changes )
    {
        change_state(p, v, old, new);
        return;
    }
    check_current(p, v);
    pcpu_emit_event(p, r);
    continue_running(p, v);
}

/* The toolstack's record of a domain's life, and the scheduler's. */
static void note_domain(struct pcpu *p, const struct xt_record *r,
                        unsigned int kind)
{
    uint32_t id = RECORD_FIELD(r, sched_dom_add, dom);
    struct domain *d = r->words && id < XT_DOMAIN_IDLE
                       ? guests_get_domain(p->guests, id) : NULL;

    debug_assert(kind == CHANGE_CREATED || kind == CHANGE_DESTROYED);
    if ( d )
        pcpu_queue_change(p, kind, NULL)->data = d;
}

void domain_record(struct pcpu *p, const struct xt_record *r)
{
    pcpu_emit_event(p, r);
    if ( r->event == TRC_DOM0_DOM_ADD )
        note_domain(p, r, CHANGE_CREATED);
    else if ( r->event == TRC_DOM0_DOM_REM )
        note_domain(p, r, CHANGE_DESTROYED);
}

static void note_wake(struct pcpu *p, const struct xt_record *r)
{
    if ( !record_has_words(p, r, XT_WORDS(sched_wake)) )
        return;
    p->waking = encode_vcpu(RECORD_FIELD(r, sched_wake, dom),
                            RECORD_FIELD(r, sched_wake, vcpu));
    p->waking_since = p->time;
}

static inline void note_switch(struct pcpu *p, const struct xt_record *r)
{
    if ( record_has_words(p, r, XT_WORDS(sched_switch)) )
        p->switch_to = encode_vcpu(RECORD_FIELD(r, sched_switch, next_dom),
                                   RECORD_FIELD(r, sched_switch, next));
}

/* The other scheduler records wake and choose vcpus, or are about domains. */
void schedule_record(struct pcpu *p, const struct xt_record *r)
{
    pcpu_emit_event(p, r);
    if ( r->event == TRC_SCHED_SWITCH )
        note_switch(p, r);
    else if ( r->event == TRC_SCHED_WAKE )
        note_wake(p, r);
    else if ( r->event == TRC_SCHED_DOM_ADD )
        note_domain(p, r, CHANGE_CREATED);
    else if ( r->event == TRC_SCHED_DOM_REM )
        note_domain(p, r, CHANGE_DESTROYED);
}

/* --- fast path: consecutive changes --------------------------------------- */

#define FAST_WORDS XT_WORDS(sched_runstate_change)
#define FAST_BYTES (RECORD_PAYLOAD + 4 * FAST_WORDS)
#define FAST_CHANGE record_header(TRC_SCHED_RUNSTATE_CHANGE, FAST_WORDS)
#define FAST_CONTINUE record_header(TRC_SCHED_CONTINUE_RUNNING, FAST_WORDS)
#define STATE_BITS XT_ID_FIELDS(sched_runstate_change)

_Static_assert(XT_WORDS(sched_continue_running) == FAST_WORDS, "layout");

/* A record with a header that has been checked. */
static void emit_event_at(struct pcpu *p, const unsigned char *at)
{
    uint32_t header = xt_load32(at);
    const struct xt_record r = {
        .event = TRC_HD_TO_EVENT(header), .words = FAST_WORDS,
        .has_tsc = true, .tsc = xt_load64(at + 4),
        .payload = at + RECORD_PAYLOAD };

    if ( emit_wants_event(p->emit) )
        pcpu_emit_event(p, &r);
}

static inline void handle_fast_record(struct pcpu *p, const unsigned char *at,
                                      uint32_t header)
{
    struct vcpu *v = vcpu_lookup(p, xt_load32(at + RECORD_PAYLOAD));

    if ( !v )
        return;
    if ( header != FAST_CONTINUE )
    {
        change_state(p, v, xt_id_sched_runstate_change_from(header),
                     xt_id_sched_runstate_change_to(header));
        return;
    }
    check_current(p, v);
    emit_event_at(p, at);
    continue_running(p, v);
}

const unsigned char *runstate_fast(struct pcpu *p, const unsigned char *at,
                                   const unsigned char *end, uint64_t offset,
                                   uint64_t limit)
{
    const unsigned char *from = at;

    if ( !p->begun )
        return at;
    while ( end - at >= (ptrdiff_t)FAST_BYTES )
    {
        uint32_t header = xt_load32(at);
        uint64_t time = xt_load64(at + 4) + offset;

        if ( ((header & ~STATE_BITS) != FAST_CHANGE &&
              header != FAST_CONTINUE) ||
             time - p->time > PCPU_JUMP || time > limit )
            break;
        debug_assert(time >= p->time);
        p->time = time;
        handle_fast_record(p, at, header);
        at += FAST_BYTES;
    }
    volume_add(p, VOLUME_SCHED, (at - from) / FAST_BYTES, at - from);
    return at;
}
