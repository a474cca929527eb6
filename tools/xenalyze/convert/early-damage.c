/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine (machine/current.c) decides between records that contradict each
 * other; here, it suffices to see that they do.
 */
#include "xenalyze/convert/early-damage.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "libxentrace/readers.h"
#include "xenalyze/model/model.h"

/* --- gaps ----------------------------------------------------------------- */

static bool is_gap_of(const struct xt_pcpu_damages *all,
                      const struct xt_pcpu_damage *item, unsigned int cpu)
{
    return item < all->items + all->nr && item->type == XT_PCPU_GAP &&
           item->cpu == cpu;
}

static void set_next_gap(struct early_damage *d, unsigned int cpu,
                         const struct xt_pcpu_damage *item)
{
    bool is_gap = is_gap_of(d->all, item, cpu);

    assert(cpu < d->nr_pcpus);
    d->next[cpu] = (struct early_gap){
        .offset = is_gap ? item->offset : UINT64_MAX,
        .end = is_gap ? item->end : UINT64_MAX,
    };
}

/* The vcpu that runs by the early records. */
static uint64_t get_early_current(const struct early_records *early,
                                  unsigned int cpu)
{
    const struct early_vcpu *v =
        early->pcpus[cpu].current
        ? &early->vcpus[early->pcpus[cpu].current - 1] : NULL;

    return v && v->runs && v->records[v->nr - 1].cpu == cpu
           ? v->id + UINT64_C(1) : 0;
}

int early_damage_init(struct early_damage *d, const struct xt_pcpu_damages *all,
                      const struct early_records *early, uint64_t time)
{
    unsigned int nr = 0;

    *d = (struct early_damage){ .all = all };
    if ( !all )
        return 0;
    d->contexts = fault_calloc(XT_MAX_CPUS, sizeof(*d->contexts));
    if ( !d->contexts )
        return -ENOMEM;
    for ( unsigned int cpu = 0; cpu < early->nr_pcpus; cpu++ )
        d->contexts[cpu].current = get_early_current(early, cpu);
    for ( size_t i = 0; i < all->nr; i++ )
        if ( all->items[i].type == XT_PCPU_GAP && all->items[i].cpu >= nr )
            nr = all->items[i].cpu + 1u;
    if ( !nr )
        return 0;
    d->next = fault_calloc(nr, sizeof(*d->next));
    if ( !d->next )
        return -ENOMEM;
    d->nr_pcpus = nr;
    for ( unsigned int cpu = 0; cpu < nr; cpu++ )
        set_next_gap(d, cpu, xt_pcpu_damage_find(all, XT_PCPU_GAP, cpu, time));
    return 0;
}

void early_damage_fini(struct early_damage *d)
{
    free(d->next);
    free(d->contexts);
    *d = (struct early_damage){ .all = NULL };
}

/* A loss of no records, at the end of which no vcpu is known to run. */
static size_t make_loss(const struct xt_pcpu_damage *gap, unsigned char *bytes)
{
    const uint32_t header = TRC_HD_CYCLE_FLAG | TRC_LOST_RECORDS |
                            XT_WORDS(lost_records) << TRACE_EXTRA_SHIFT;
    const uint32_t none[] = { 0, UINT32_MAX };
    size_t size = 0;

    memcpy(bytes, &header, sizeof(header));
    size += sizeof(header);
    memcpy(bytes + size, &gap->end, sizeof(gap->end));
    size += sizeof(gap->end);
    memcpy(bytes + size, none, sizeof(none));
    size += sizeof(none);
    memcpy(bytes + size, &gap->begin, sizeof(gap->begin));
    size += sizeof(gap->begin);
    assert(size == xt_record_size(header));
    return size;
}

size_t early_damage_leave_gap(struct early_damage *d, unsigned int cpu,
                              const struct xt_record *r,
                              unsigned char bytes[XT_RECORD_MAX_BYTES])
{
    const struct xt_pcpu_damage *gap;

    assert(cpu < d->nr_pcpus && d->next[cpu].offset < UINT64_MAX);
    gap = xt_pcpu_damage_find(d->all, XT_PCPU_GAP, cpu, d->next[cpu].end);
    assert(is_gap_of(d->all, gap, cpu));
    set_next_gap(d, cpu, gap + 1);
    return r->event == TRC_LOST_RECORDS ? 0 : make_loss(gap, bytes);
}

/* --- records without sense ------------------------------------------------ */

/* The vcpu that the records before the change name; 0: none. */
static uint64_t get_named_vcpu(const struct early_context *c,
                               const struct vcpu_change *change)
{
    if ( change->to == STATE_RUNNING )
        return c->switch_to;
    return change->to == STATE_RUNNABLE && change->from != STATE_RUNNING
           ? c->waking : 0;
}

/* Do the records before the first record of a vcpu name another one? */
static bool is_of_another_vcpu(const struct early_context *c,
                               const struct vcpu_change *change)
{
    uint64_t key = change->id + UINT64_C(1), named = get_named_vcpu(c, change);

    if ( change->from == STATE_RUNNING && c->current )
        return c->current != key;
    return change->from != change->to && named && named != key;
}

static bool is_consistent(const struct early_context *c,
                          const struct early_vcpu *v,
                          const struct vcpu_change *change)
{
    if ( c->current && change->from == STATE_RUNNING &&
         c->current != v->id + UINT64_C(1) )
        return false;
    if ( change->from == change->to )
        return true;
    return (!v->last_state || v->last_state == change->from + 1) &&
           (change->to != STATE_RUNNING || !c->current);
}

static void suspect_vcpus(const struct early_context *c,
                          const struct early_records *early,
                          struct early_vcpu *v)
{
    struct early_vcpu *current =
        c->current ? early_find_vcpu(early, c->current - 1) : NULL;

    v->is_suspect = true;
    if ( current )
        current->is_suspect = true;
}

static void follow_context(struct early_context *c,
                           const struct vcpu_change *change)
{
    if ( change->to == STATE_RUNNING )
        c->current = change->id + UINT64_C(1);
    else if ( change->from == STATE_RUNNING )
        c->current = 0;
    if ( change->from == change->to )
        return;
    c->waking = 0;
    if ( change->to != STATE_RUNNING )
        return;
    c->switch_to = 0;
    c->has_ignored = false;
}

static bool follow_vcpu_change(struct early_context *c,
                               struct early_records *early,
                               const struct vcpu_change *change)
{
    struct early_vcpu *v = early_find_vcpu(early, change->id);

    if ( !v && is_of_another_vcpu(c, change) )
    {
        c->waking = 0;
        c->has_ignored = true;
        return true;
    }
    if ( v && !is_consistent(c, v, change) )
        suspect_vcpus(c, early, v);
    else if ( v && change->to == STATE_RUNNING && change->from != change->to )
        v->is_suspect = false;
    if ( v )
        v->last_state = change->to + 1;
    follow_context(c, change);
    return false;
}

/* All vcpus may have changed their states. */
static void follow_lost_records(struct early_context *c,
                                struct early_records *early)
{
    c->current = c->switch_to = 0;
    for ( uint32_t i = 0; i < early->nr_vcpus; i++ )
        early->vcpus[i].last_state = 0;
}

bool early_damage_ignores(struct early_damage *d, struct early_records *early,
                          unsigned int cpu, const struct xt_record *r)
{
    struct early_context *c = &d->contexts[cpu];
    struct vcpu_change change;

    assert(d->all && cpu < XT_MAX_CPUS);
    if ( r->event == TRC_LOST_RECORDS )
        follow_lost_records(c, early);
    else if ( r->event == TRC_SCHED_SWITCH &&
              r->words >= XT_WORDS(sched_switch) )
        c->switch_to = 1 + (uint64_t)xt_vcpu_key(
            xt_field_load(r, XT_AT(sched_switch, next_dom)),
            xt_field_load(r, XT_AT(sched_switch, next)));
    else if ( r->event == TRC_SCHED_WAKE && r->words >= XT_WORDS(sched_wake) )
        c->waking = 1 + (uint64_t)xt_vcpu_key(
            xt_field_load(r, XT_AT(sched_wake, dom)),
            xt_field_load(r, XT_AT(sched_wake, vcpu)));
    else if ( early_read_change(r, &change) )
        return follow_vcpu_change(c, early, &change);
    return false;
}

bool early_damage_has_suspects(const struct early_damage *d,
                               const struct early_records *early)
{
    if ( !d->all )
        return false;
    for ( unsigned int cpu = 0; cpu < XT_MAX_CPUS; cpu++ )
        if ( d->contexts[cpu].has_ignored )
            return true;
    for ( uint32_t i = 0; i < early->nr_vcpus; i++ )
        if ( early->vcpus[i].is_suspect )
            return true;
    return false;
}

/* --- doubts --------------------------------------------------------------- */

/* The times of a gap are known, whatever is around. */
static bool stands_for_gap(const struct xt_record *r)
{
    return r->event == TRC_LOST_RECORDS &&
           r->words >= XT_WORDS(lost_records) &&
           xt_field_load(r, XT_AT(lost_records, dom)) >= XT_DOMAIN_DEFAULT;
}

bool early_damage_is_doubtful(const struct xt_pcpu_damages *all, uint64_t time,
                              const struct xt_record *r)
{
    if ( xt_record_is_timed(r) && r->tsc != time )
        return true;
    return !stands_for_gap(r) &&
           xt_pcpu_damage_has(all, XT_PCPU_DISORDER, 0, time);
}

const void *early_damage_correct(uint64_t time, const struct xt_record *r,
                                 const void *bytes, size_t size,
                                 unsigned char room[XT_RECORD_MAX_BYTES])
{
    if ( !xt_record_is_timed(r) || r->tsc == time )
        return bytes;
    assert(size >= sizeof(uint32_t) + sizeof(time));
    memcpy(room, bytes, size);
    memcpy(room + sizeof(uint32_t), &time, sizeof(time));
    return room;
}

static int check_early_record(void *all, const struct early_record *kept)
{
    struct xt_record r;

    xt_record_view(&r, kept->bytes);
    return early_damage_is_doubtful(all, kept->time, &r) ? -EINVAL : 0;
}

bool early_damage_may_begin(const struct early_damage *d, uint64_t time,
                            const struct early_records *early)
{
    const struct xt_pcpu_damages *all = d->all;

    if ( !all )
        return true;
    if ( xt_pcpu_damage_has(all, XT_PCPU_DISORDER, 0, time) ||
         early_damage_has_suspects(d, early) )
        return false;
    for ( unsigned int cpu = 0; cpu < early->nr_pcpus; cpu++ )
        if ( xt_pcpu_damage_has(all, XT_PCPU_DOUBT, cpu, time) ||
             xt_pcpu_damage_has(all, XT_PCPU_GAP, cpu, time) )
            return false;
    return !early_visit(early, check_early_record, (void *)all);
}
