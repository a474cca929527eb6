/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runnable>TIME: a vcpu has waited too long for a pcpu.
 *
 * Windows arrive pcpu by pcpu, and a vcpu that becomes runnable on one pcpu
 * may run on another.  So a pass collects the runstate changes of all pcpus,
 * sorts them by time, and only then applies them to a hash table of vcpus.
 *
 * A wait fires the trigger when it exceeds the limit, even if it has not ended,
 * and again whenever it has become twice as long.
 */
#include "xentrace/trigger-type.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xentrace/trigger-decode.h"

/* An entry of the hash table. */
struct vcpu
{
    uint32_t id;                /* domain << 16 | vcpu, as in the record */
    bool used, runnable;
    uint64_t since;             /* time stamp of the last change */
    uint64_t reported;          /* cycles of this wait when it last fired */
};

struct change
{
    uint64_t tsc;
    uint32_t id;
    bool runnable;
};

struct runnable_state
{
    struct vcpu *vcpus;         /* open addressing, at most half full */
    unsigned int nr_vcpus, max_vcpus;
    struct change *changes;     /* of the pass so far */
    unsigned int nr_changes, max_changes;
};

static void *runnable_open(unsigned int nr_cpus)
{
    (void)nr_cpus;
    return fault_calloc(1, sizeof(struct runnable_state));
}

static void runnable_close(void *state)
{
    struct runnable_state *s = state;

    free(s->vcpus);
    free(s->changes);
    free(s);
}

/* --- table of vcpus ------------------------------------------------------- */

/* The entry of this vcpu, or the free one where it belongs. */
static struct vcpu *find_vcpu_slot(const struct runnable_state *s, uint32_t id)
{
    unsigned int i = id * 2654435761u % s->max_vcpus;

    assert(s->nr_vcpus < s->max_vcpus); /* or the search would not end */
    while ( s->vcpus[i].used && s->vcpus[i].id != id )
        i = (i + 1) % s->max_vcpus;
    return &s->vcpus[i];
}

/* Make room for one more vcpu; false: no memory. */
static bool grow_table(struct runnable_state *s)
{
    struct runnable_state larger = *s;

    if ( 2 * s->nr_vcpus < s->max_vcpus )
        return true;
    larger.max_vcpus = s->max_vcpus ? 2 * s->max_vcpus : 64;
    larger.vcpus = fault_calloc(larger.max_vcpus, sizeof(*larger.vcpus));
    if ( !larger.vcpus )
        return false;
    for ( unsigned int i = 0; i < s->max_vcpus; i++ )
        if ( s->vcpus[i].used )
            *find_vcpu_slot(&larger, s->vcpus[i].id) = s->vcpus[i];
    free(s->vcpus);
    s->vcpus = larger.vcpus;
    s->max_vcpus = larger.max_vcpus;
    return true;
}

/* --- changes -------------------------------------------------------------- */

static void queue_change(struct runnable_state *s, const struct xt_record *r)
{
    unsigned int max = s->max_changes ? 2 * s->max_changes : 256;
    struct change *changes;

    /* The vcpus of the idle domain are runnable whenever they do not run. */
    if ( !r->words || !r->has_tsc || xt_vcpu_key_is_idle(trigger_vcpu_id(r)) )
        return;
    assert(s->nr_changes <= s->max_changes);
    if ( s->nr_changes == s->max_changes )
    {
        changes = fault_realloc(s->changes, max * sizeof(*changes));
        if ( !changes )
            return;
        s->changes = changes;
        s->max_changes = max;
    }
    s->changes[s->nr_changes++] = (struct change){
        .tsc = r->tsc, .id = trigger_vcpu_id(r),
        .runnable = trigger_becomes_runnable(r),
    };
}

/* Any vcpu may have been scheduled in one of the lost records. */
static void forget_waits(struct runnable_state *s)
{
    for ( unsigned int i = 0; i < s->max_vcpus; i++ )
        s->vcpus[i].runnable = false;
}

static void runnable_record(struct triggers *t, void *state, unsigned int cpu,
                            const struct xt_record *r, uint64_t tsc)
{
    uint64_t lost;

    (void)t;
    (void)cpu;
    (void)tsc;
    if ( trigger_is_runstate(r) )
        queue_change(state, r);
    else if ( trigger_is_loss(r, &lost) )
        forget_waits(state);
}

/* Fire if the wait is too long at `now`. */
static void check_wait(struct triggers *t, struct vcpu *v, uint64_t now,
                       const char *verb)
{
    char what[32];

    if ( !trigger_find_too_long(t, trigger_runnable(), v->since, now) ||
         now - v->since < 2 * v->reported )
        return;
    snprintf(what, sizeof(what), TRIGGER_VCPU " %s", verb);
    trigger_fire_if_too_long(t, trigger_runnable(), v->since, now, v->id, what);
    v->reported = now - v->since;
}

static void apply_change(struct triggers *t, struct runnable_state *s,
                         const struct change *c)
{
    struct vcpu *v;

    if ( !grow_table(s) )
        return;
    v = find_vcpu_slot(s, c->id);
    if ( !v->used )
        s->nr_vcpus++;
    assert(2 * s->nr_vcpus <= s->max_vcpus);
    if ( v->used && v->runnable && !c->runnable )
        check_wait(t, v, c->tsc, "waited");
    if ( !v->used || v->runnable != c->runnable )
    {
        v->since = c->tsc;
        v->reported = 0;
    }
    v->used = true;
    v->id = c->id;
    v->runnable = c->runnable;
}

/* Waits that have not ended. */
static void check_open_waits(struct triggers *t, struct runnable_state *s,
                             uint64_t now)
{
    for ( unsigned int i = 0; i < s->max_vcpus; i++ )
        if ( s->vcpus[i].used && s->vcpus[i].runnable )
            check_wait(t, &s->vcpus[i], now, "has been waiting for");
}

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    return x->tsc < y->tsc ? -1 : x->tsc > y->tsc;
}

static void runnable_pass(struct triggers *t, void *state, uint64_t now)
{
    struct runnable_state *s = state;

    if ( s->nr_changes )
        qsort(s->changes, s->nr_changes, sizeof(*s->changes),
              compare_changes);
    for ( unsigned int i = 0; i < s->nr_changes; i++ )
        apply_change(t, s, &s->changes[i]);
    s->nr_changes = 0;
    check_open_waits(t, s, now);
}

const struct trigger_type *trigger_runnable(void)
{
    static const struct trigger_type type = {
        .word = "runnable>",
        .syntax = "runnable>TIME",
        .help = "a vcpu waited longer than TIME for a pcpu",
        .example = "runnable>20ms",
        .events = { TRC_SCHED_MIN },
        .compares_time = true,
        .follows_vcpus = true,
        .parse = trigger_parse_time,
        .open = runnable_open,
        .close = runnable_close,
        .record = runnable_record,
        .pass = runnable_pass,
    };

    return &type;
}
