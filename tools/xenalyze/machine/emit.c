/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the sinks' tables of callbacks, one table per sink, to targets, one
 * target per kind of fact.
 */
#include "xenalyze/machine/emit.h"

#include <assert.h>
#include <errno.h>

#include "common/compiler.h"

/* For facts without subscribers. */
#define EMIT_IGNORE(kind)                                                   \
static void ignore_##kind(void *state, const struct fact_##kind *fact)      \
{                                                                           \
    (void)state;                                                            \
    (void)fact;                                                             \
}
EMIT_KINDS(EMIT_IGNORE)
#undef EMIT_IGNORE

/*
 * No later fact follows from what the machines do for handlers, events and
 * accesses to memory.  Sinks learn from interrupts and sleep states whether
 * the trace has these.
 */
struct emit emit_mute(const struct emit *e)
{
    struct emit muted = *e;

#define EMIT_MUTE(kind) muted.kind.deliver = ignore_##kind;
    EMIT_KINDS(EMIT_MUTE)
#undef EMIT_MUTE
    muted.handle.wanted = muted.event.wanted = muted.memory.wanted = false;
    muted.irq = e->irq;
    muted.power = e->power;
    muted.volume = e->volume;
    muted.domain_name = e->domain_name;
    return muted;
}

/* For several subscribers; a target without a function ends the array. */
#define EMIT_FAN_OUT(kind)                                                  \
static void fan_out_##kind(void *state, const struct fact_##kind *fact)     \
{                                                                           \
    for ( const struct emit_##kind##_target *t = state; t->deliver; t++ )   \
        t->deliver(t->state, fact);                                         \
}
EMIT_KINDS(EMIT_FAN_OUT)
#undef EMIT_FAN_OUT

#define EMIT_CONNECT(kind)                                                  \
static int connect_##kind(struct emit *e, struct arena *arena,              \
                          const struct sink *sinks, size_t nr_sinks)        \
{                                                                           \
    struct emit_##kind##_target *all;                                       \
    size_t nr = 0;                                                          \
                                                                            \
    all = arena_array(arena, nr_sinks + 1, sizeof(*all),                    \
                      _Alignof(struct emit_##kind##_target));               \
    if ( !all )                                                             \
        return -ENOMEM;                                                     \
    for ( size_t i = 0; i < nr_sinks; i++ )                                 \
        if ( sinks[i].ops->kind )                                           \
            all[nr++] = (struct emit_##kind##_target){                      \
                sinks[i].ops->kind, sinks[i].state, true };                 \
    e->kind = all[0];                                                       \
    if ( nr != 1 )                                                          \
        e->kind = (struct emit_##kind##_target){                            \
            nr ? fan_out_##kind : ignore_##kind, all, nr };                 \
    return 0;                                                               \
}
EMIT_KINDS(EMIT_CONNECT)
#undef EMIT_CONNECT

#define EMIT_COUNT(kind) + 1
_Static_assert(sizeof(struct sink_ops) ==
               offsetof(struct sink_ops, runstate) +
               (0 EMIT_KINDS(EMIT_COUNT)) * sizeof(void (*)(void)),
               "a kind for each callback of a sink");
#undef EMIT_COUNT

#define EMIT_LOCAL(kind)                                                    \
static void emit_local_##kind(const struct emit *e, const void *fact)       \
{                                                                           \
    emit_##kind(e, fact);                                                   \
}
EMIT_LOCAL_KINDS(EMIT_LOCAL)
#undef EMIT_LOCAL

void emit_local(const struct emit *e, enum emit_local_kind kind,
                const void *fact)
{
    static void (*const emit[])(const struct emit *e, const void *fact) = {
#define EMIT_ROW(kind) [EMIT_LOCAL_##kind] = emit_local_##kind,
        EMIT_LOCAL_KINDS(EMIT_ROW)
#undef EMIT_ROW
    };

    debug_assert(kind < EMIT_LOCAL_COUNT);
    emit[kind](e, fact);
}

/* --- runstates and waits -------------------------------------------------- */

/* Until the first record of an HVM guest, and then. */
enum fan_phase { PHASE_BEFORE_HVM, PHASE_HVM, FAN_PHASES };

static bool sink_needs_phase(const struct sink *s, enum fan_phase phase)
{
    return phase == PHASE_HVM || !s->ops->from_hvm;
}

/* By the state that ends, and the next one. */
typedef const struct emit_runstate_target *
runstate_targets[STATES][STATES + 1];

struct runstate_fan
{
    runstate_targets *now;
    runstate_targets phases[FAN_PHASES];
};

static void fan_out_needed_runstate(void *state, const struct fact_runstate *f)
{
    const struct runstate_fan *fan = state;
    const struct emit_runstate_target *t = (*fan->now)[f->state][f->next];

    debug_assert(f->state < STATES && f->next <= STATES);
    for ( ; t->deliver; t++ )
        t->deliver(t->state, f);
}

/* The targets of a change of state. */
struct runstate_choice
{
    enum fan_phase phase;
    unsigned int old, next;
};

static struct emit_runstate_target *
choose_runstate_targets(struct arena *arena, const struct sink *sinks,
                        size_t nr_sinks, const struct runstate_choice *c)
{
    struct emit_runstate_target *chosen =
        arena_array(arena, nr_sinks + 1, sizeof(*chosen),
                    _Alignof(struct emit_runstate_target));
    size_t nr = 0;

    for ( size_t i = 0; chosen && i < nr_sinks; i++ )
    {
        const struct sink_ops *ops = sinks[i].ops;

        if ( ops->runstate && sink_needs_phase(&sinks[i], c->phase) &&
             (!ops->needs_runstate || ops->needs_runstate(c->old, c->next)) )
            chosen[nr++] = (struct emit_runstate_target){
                ops->runstate, sinks[i].state, true };
    }
    return chosen;
}

static int fill_runstate_phase(struct runstate_fan *fan, struct arena *arena,
                               const struct sink *sinks, size_t nr_sinks,
                               enum fan_phase phase)
{
    for ( unsigned int i = 0; i < STATES * (STATES + 1); i++ )
    {
        const struct runstate_choice c = { phase, i / (STATES + 1),
                                           i % (STATES + 1) };
        const struct emit_runstate_target *targets =
            choose_runstate_targets(arena, sinks, nr_sinks, &c);

        if ( !targets )
            return -ENOMEM;
        fan->phases[phase][c.old][c.next] = targets;
    }
    return 0;
}

/* Sinks get only the changes that they need. */
static int connect_needed_runstates(struct emit *e, struct arena *arena,
                                    const struct sink *sinks, size_t nr_sinks)
{
    struct runstate_fan *fan;
    int rc = 0;

    e->runstates = NULL;
    if ( e->runstate.deliver != fan_out_runstate )
        return 0;
    fan = arena_new(arena, struct runstate_fan);
    if ( !fan )
        return -ENOMEM;
    for ( unsigned int phase = 0; !rc && phase < FAN_PHASES; phase++ )
        rc = fill_runstate_phase(fan, arena, sinks, nr_sinks, phase);
    fan->now = &fan->phases[PHASE_BEFORE_HVM];
    e->runstate = (struct emit_runstate_target){ fan_out_needed_runstate, fan,
                                                 true };
    e->runstates = fan;
    return rc;
}

struct wait_fan
{
    const struct emit_wait_target *now, *all;
};

static void fan_out_needed_wait(void *state, const struct fact_wait *f)
{
    const struct wait_fan *fan = state;

    fan_out_wait((void *)fan->now, f);
}

static int connect_needed_waits(struct emit *e, struct arena *arena,
                                const struct sink *sinks, size_t nr_sinks)
{
    struct emit_wait_target *before;
    struct wait_fan *fan;
    size_t nr = 0;

    e->waits = NULL;
    if ( e->wait.deliver != fan_out_wait )
        return 0;
    before = arena_array(arena, nr_sinks + 1, sizeof(*before),
                         _Alignof(struct emit_wait_target));
    fan = arena_new(arena, struct wait_fan);
    if ( !before || !fan )
        return -ENOMEM;
    for ( size_t i = 0; i < nr_sinks; i++ )
        if ( sinks[i].ops->wait &&
             sink_needs_phase(&sinks[i], PHASE_BEFORE_HVM) )
            before[nr++] = (struct emit_wait_target){
                sinks[i].ops->wait, sinks[i].state, true };
    *fan = (struct wait_fan){ before, e->wait.state };
    e->wait = (struct emit_wait_target){ fan_out_needed_wait, fan, true };
    e->waits = fan;
    return 0;
}

void emit_begin_hvm(const struct emit *e)
{
    if ( e->runstates )
        e->runstates->now = &e->runstates->phases[PHASE_HVM];
    if ( e->waits )
        e->waits->now = e->waits->all;
}

/* --- events --------------------------------------------------------------- */

#define FAN_TARGETS 32u

/* The targets that need an event.  An entry of a direct-mapped cache. */
struct fan_choice { uint32_t event, targets; };

/* Most events are needed by few of several targets. */
struct event_fan
{
    const struct emit_event_target *targets;
    enum fact_event_need (*needs[FAN_TARGETS])(uint32_t event); /* NULL: all */
    unsigned int nr;
    struct fan_choice choices[1u << EMIT_EVENT_BITS];
};

COLD
static struct fan_choice choose_targets(const struct event_fan *fan,
                                        uint32_t event)
{
    struct fan_choice c = { .event = event };

    debug_assert(fan->nr <= FAN_TARGETS);
    for ( unsigned int i = 0; i < fan->nr; i++ )
        if ( !fan->needs[i] || fan->needs[i](event) != NEED_NO_EVENT )
            c.targets |= 1u << i;
    return c;
}

static void fan_out_needed_event(void *state, const struct fact_event *f)
{
    struct event_fan *fan = state;
    uint32_t event = f->record->event;
    struct fan_choice *c = &fan->choices[emit_event_hash(event)];

    if ( c->event != event )
        *c = choose_targets(fan, event);
    for ( uint32_t left = c->targets; left; left &= left - 1 )
    {
        const struct emit_event_target *t = &fan->targets[__builtin_ctz(left)];

        t->deliver(t->state, f);
    }
}

/* Sinks get only the events that they need. */
static int connect_needed_events(struct emit *e, struct arena *arena,
                                 const struct sink *sinks, size_t nr_sinks)
{
    struct event_fan *fan;
    size_t nr = 0;

    for ( size_t i = 0; i < nr_sinks; i++ )
        nr += sinks[i].ops->event != NULL;
    if ( nr < 2 || nr > FAN_TARGETS )
        return 0;
    fan = arena_new(arena, struct event_fan);
    if ( !fan )
        return -ENOMEM;
    fan->targets = e->event.state;
    for ( size_t i = 0; i < nr_sinks; i++ )
        if ( sinks[i].ops->event )
            fan->needs[fan->nr++] = sinks[i].ops->needs_event;
    for ( size_t i = 0; i < 1u << EMIT_EVENT_BITS; i++ )
        fan->choices[i].event = UINT32_MAX;
    e->event = (struct emit_event_target){ fan_out_needed_event, fan, true };
    return 0;
}

int emit_init(struct emit *e, struct arena *arena, const struct sink *sinks,
              size_t nr_sinks)
{
    int rc = 0;

    assert(sinks || !nr_sinks);
    e->ignored = arena_array(arena, 1u << EMIT_EVENT_BITS, sizeof(uint32_t),
                             _Alignof(uint32_t));
    if ( !e->ignored )
        return -ENOMEM;
    for ( size_t i = 0; i < 1u << EMIT_EVENT_BITS; i++ )
        e->ignored[i] = UINT32_MAX;
    e->wants_rivals = false;
    for ( size_t i = 0; i < nr_sinks; i++ )
        e->wants_rivals |= sinks[i].ops->wait && !sinks[i].ops->no_rivals;
#define EMIT_CALL(kind)                                                     \
    rc = rc ? rc : connect_##kind(e, arena, sinks, nr_sinks);
    EMIT_KINDS(EMIT_CALL)
#undef EMIT_CALL
    rc = rc ? rc : connect_needed_runstates(e, arena, sinks, nr_sinks);
    rc = rc ? rc : connect_needed_waits(e, arena, sinks, nr_sinks);
    return rc ? rc : connect_needed_events(e, arena, sinks, nr_sinks);
}
