/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The current vcpu of each pcpu: the effect of each kind of record.
 *
 *     runstate change      the vcpu enters or leaves the pcpu, if plausible
 *     LOST                 the vcpu that it names runs on the pcpu
 *     VM entry and exit    the vcpu's exit time
 *     CR3 write, RDTSC     the previous value, as a note for the line
 *     C-state              the sign in the column
 *
 * Vcpus stay in an array in the order of their first records, with a hash table
 * of indices: growing moves the vcpus, so references to them are indices.
 */
#include "xenalyze/lines/who-runs.h"

#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "libxentrace/readers.h"

#define EMPTY_COLUMN ((struct column_state){ .vcpu = NO_VCPU, .sign = ' ' })

#define FIRST_VCPUS 64u
#define FIRST_BUCKETS 128u

int who_runs_init(struct who_runs *s)
{
    *s = (struct who_runs){ .nr_cpus = 0 };
    s->vcpus = fault_calloc(FIRST_VCPUS, sizeof(*s->vcpus));
    s->buckets = fault_calloc(FIRST_BUCKETS, sizeof(*s->buckets));
    s->room_vcpus = FIRST_VCPUS;
    s->nr_buckets = FIRST_BUCKETS;
    if ( s->vcpus && s->buckets )
        return 0;
    who_runs_fini(s);
    return -ENOMEM;
}

void who_runs_fini(struct who_runs *s)
{
    free(s->pcpus);
    free(s->vcpus);
    free(s->buckets);
    *s = (struct who_runs){ .nr_cpus = 0 };
}

/* A pcpu before its first runstate record; a blank until it is shown. */
static void pcpu_set_default(struct who_runs_pcpu *p, unsigned int cpu,
                             bool shown)
{
    *p = (struct who_runs_pcpu){
        .column = { .vcpu = xt_vcpu_key(XT_DOMAIN_DEFAULT, cpu),
                    .sign = shown ? '.' : ' ' },
        .shown = shown,
    };
}

void who_runs_reset(struct who_runs *s)
{
    for ( unsigned int cpu = 0; cpu < s->nr_cpus; cpu++ )
        pcpu_set_default(&s->pcpus[cpu], cpu, s->pcpus[cpu].shown);
    memset(s->buckets, 0, s->nr_buckets * sizeof(*s->buckets));
    s->nr_vcpus = 0;
    s->losses = 0;
}

int who_runs_add_pcpus(struct who_runs *s, unsigned int nr)
{
    if ( nr > s->room_cpus )
    {
        unsigned int room = nr > 2 * s->room_cpus ? nr : 2 * s->room_cpus;
        struct who_runs_pcpu *p = fault_realloc(s->pcpus, room * sizeof(*p));

        if ( !p )
            return -ENOMEM;
        s->pcpus = p;
        s->room_cpus = room;
    }
    for ( ; s->nr_cpus < nr; s->nr_cpus++ )
        pcpu_set_default(&s->pcpus[s->nr_cpus], s->nr_cpus, false);
    return 0;
}

int who_runs_show_pcpu(struct who_runs *s, unsigned int cpu)
{
    if ( who_runs_add_pcpus(s, cpu + 1) )
        return -ENOMEM;
    if ( !s->pcpus[cpu].shown )
        pcpu_set_default(&s->pcpus[cpu], cpu, true);
    return 0;
}

bool who_runs_is_complete(const struct who_runs *s)
{
    for ( unsigned int cpu = 0; cpu < s->nr_cpus; cpu++ )
        if ( s->pcpus[cpu].shown &&
             s->pcpus[cpu].column.vcpu >> 16 == XT_DOMAIN_DEFAULT )
            return false;
    return true;
}

/* --- vcpus by id ---------------------------------------------------------- */

static uint32_t *find_bucket(struct who_runs *s, uint32_t id)
{
    debug_assert(!(s->nr_buckets & (s->nr_buckets - 1)));
    return &s->buckets[(id ^ id >> 12) * 2654435761u &
                       (s->nr_buckets - 1)];
}

/* Make room for twice as many vcpus; rebuild the hash table. */
static int grow_vcpus(struct who_runs *s)
{
    uint32_t room = 2 * s->room_vcpus;
    struct who_runs_vcpu *v;
    uint32_t *buckets;

    assert(s->nr_vcpus == s->room_vcpus && s->nr_vcpus <= s->nr_buckets);
    v = fault_realloc(s->vcpus, room * sizeof(*v));
    if ( !v )
        return -ENOMEM;
    s->vcpus = v;
    buckets = fault_calloc(2 * room, sizeof(*buckets));
    if ( !buckets )
        return -ENOMEM;
    free(s->buckets);
    s->buckets = buckets;
    s->nr_buckets = 2 * room;
    s->room_vcpus = room;
    for ( uint32_t i = 0; i < s->nr_vcpus; i++ )
    {
        uint32_t *b = find_bucket(s, v[i].id);

        v[i].next = *b;
        *b = i + 1;
    }
    return 0;
}

/* The vcpu of this id, added if new.  NULL: out of memory. */
static struct who_runs_vcpu *find_or_add_vcpu(struct who_runs *s, uint32_t id)
{
    uint32_t *b = find_bucket(s, id);

    for ( uint32_t i = *b; i; i = s->vcpus[i - 1].next )
        if ( s->vcpus[i - 1].id == id )
            return &s->vcpus[i - 1];
    if ( s->nr_vcpus == s->room_vcpus )
    {
        if ( grow_vcpus(s) )
            return NULL;
        b = find_bucket(s, id);
    }
    s->vcpus[s->nr_vcpus] = (struct who_runs_vcpu){
        .id = id, .runstate = STATE_INIT, .losses = s->losses, .next = *b,
        .exit_time = IN_GUEST,
    };
    *b = ++s->nr_vcpus;
    return &s->vcpus[s->nr_vcpus - 1];
}

/*
 * The vcpu that exits on this pcpu belong to.  Before the first runstate record
 * this is a vcpu of the default domain; NULL on an empty pcpu or if out of
 * memory.
 */
static struct who_runs_vcpu *find_exit_vcpu(struct who_runs *s,
                                            unsigned int cpu)
{
    struct who_runs_pcpu *p = &s->pcpus[cpu];
    struct who_runs_vcpu *v = who_runs_current(s, cpu);

    if ( v || p->column.vcpu == NO_VCPU )
        return v;
    v = find_or_add_vcpu(s, p->column.vcpu);
    if ( v )
        p->vcpu = v - s->vcpus + 1;
    return v;
}

/* --- runstates ------------------------------------------------------------ */

/* Note a changed column; before the first line of a chunk, change its start. */
static void note_column(struct who_runs *s, struct chunk *c, unsigned int cpu)
{
    const struct column_state *column = &s->pcpus[cpu].column;

    if ( !c )
        return;
    if ( !c->nr )
    {
        debug_assert(cpu < c->nr_cpus);
        c->columns[cpu] = *column;
        return;
    }
    chunk_note(c, NOTE_COLUMN_STATE, column->vcpu);
    c->notes[c->nr_notes - 1].cpu = cpu;
    c->notes[c->nr_notes - 1].sign = column->sign;
}

static void pcpu_leave(struct who_runs *s, struct chunk *c, unsigned int cpu)
{
    s->pcpus[cpu] = (struct who_runs_pcpu){
        .column = EMPTY_COLUMN, .shown = true,
    };
    note_column(s, c, cpu);
}

/* Often the vcpu is on the pcpu already: then the column stays the same. */
static void pcpu_enter(struct who_runs *s, struct chunk *c, unsigned int cpu,
                       struct who_runs_vcpu *v)
{
    const struct column_state before = s->pcpus[cpu].column, now = {
        .vcpu = v->id, .sign = xt_vcpu_key_is_idle(v->id) ? '-' : '|',
    };

    debug_assert(cpu < s->nr_cpus && v >= s->vcpus &&
                 v < s->vcpus + s->nr_vcpus);
    s->pcpus[cpu] = (struct who_runs_pcpu){
        .column = now, .vcpu = v - s->vcpus + 1, .shown = true,
    };
    if ( before.vcpu != now.vcpu || before.sign != now.sign )
        note_column(s, c, cpu);
}

/*
 * After a loss, and at first, only a change to running is taken as true.  A
 * mismatch is, unless the vcpu runs or the change is out of date.
 */
static bool change_is_plausible(struct who_runs *s, struct who_runs_vcpu *v,
                                unsigned int from, unsigned int to,
                                unsigned int cpu)
{
    if ( v->runstate != STATE_RUNNING && v->runstate != STATE_INIT &&
         v->losses < s->losses )
        v->runstate = STATE_LOST;
    if ( v->runstate == STATE_LOST || v->runstate == STATE_INIT )
        return to == STATE_RUNNING;
    return v->runstate == from ||
           (!runstate_is_mirrored(&v->mismatch, v->runstate, from, to, cpu) &&
            v->runstate != STATE_RUNNING);
}

static int apply_runstate(struct who_runs *s, struct chunk *c,
                          unsigned int cpu, const struct xt_record *r)
{
    bool stays = r->event == TRC_SCHED_CONTINUE_RUNNING;
    unsigned int from = stays ? STATE_RUNNING
                              : xt_id_sched_runstate_change_from(r->event);
    unsigned int to = stays ? STATE_RUNNING
                            : xt_id_sched_runstate_change_to(r->event);
    uint32_t id = xt_vcpu_key(
        xt_field_load(r, XT_AT(sched_runstate_change, dom)),
        xt_field_load(r, XT_AT(sched_runstate_change, vcpu)));
    struct who_runs_vcpu *v = find_or_add_vcpu(s, id);

    if ( !v )
        return -ENOMEM;
    /* The first record of a vcpu that was running: it ran on this pcpu. */
    if ( v->runstate == STATE_INIT && from == STATE_RUNNING )
        pcpu_leave(s, c, cpu);
    if ( to == STATE_RUNNABLE )
        v->exit_time = IN_GUEST;
    if ( !change_is_plausible(s, v, from, to, cpu) )
        return 0;
    if ( to == STATE_RUNNING )
        pcpu_enter(s, c, cpu, v);
    else if ( from == STATE_RUNNING )
        pcpu_leave(s, c, cpu);
    debug_assert(to <= STATE_OFFLINE && v->losses <= s->losses);
    v->runstate = to;
    v->losses = s->losses;
    return 0;
}

/* --- losses --------------------------------------------------------------- */

static int apply_loss(struct who_runs *s, struct chunk *c, unsigned int cpu,
                      const struct xt_record *r)
{
    uint32_t id = xt_vcpu_key(xt_field_load(r, XT_AT(lost_records, dom)),
                              xt_field_load(r, XT_AT(lost_records, vcpu)));
    struct who_runs_vcpu *v = who_runs_current(s, cpu);

    s->losses++;
    if ( v )
    {
        v->runstate = STATE_LOST;
        v->exit_time = IN_GUEST;
    }
    v = find_or_add_vcpu(s, id);
    if ( !v )
        return -ENOMEM;
    v->runstate = STATE_RUNNING;
    v->losses = s->losses;
    v->exit_time = IN_GUEST;
    pcpu_enter(s, c, cpu, v);
    return 0;
}

/* --- HVM ------------------------------------------------------------------ */

/* The line of a CR3 write shows the previous value as well. */
static void apply_cr_write(struct chunk *c, struct who_runs_vcpu *v,
                           const struct xt_record *r)
{
    if ( xt_field_load(r, XT_AT(hvm_cr_write64, cr)) !=
         XT_VALUE(control_register, cr3) )
        return;
    if ( c && v->has_cr3 )
        chunk_note(c, NOTE_VALUE, v->cr3);
    v->has_cr3 = true;
    v->cr3 = xt_field_load(r, XT_AT(hvm_cr_write64, value));
}

/* The line of an RDTSC that goes backward has a warning. */
static void apply_rdtsc(struct chunk *c, struct who_runs_vcpu *v,
                        const struct xt_record *r)
{
    uint64_t tsc = xt_field_load(r, XT_AT(hvm_rdtsc, tsc));

    if ( c && v->has_rdtsc && tsc < v->rdtsc )
        chunk_note(c, NOTE_VALUE, 0);
    v->has_rdtsc = true;
    v->rdtsc = tsc;
}

/* A VM entry, a VM exit, or a record of the exit's handler. */
static void apply_exit(struct chunk *c, struct who_runs_vcpu *v, uint64_t time,
                       const struct xt_record *r)
{
    if ( c )
        chunk_set_exit_time(c, v ? v->exit_time : IN_GUEST);
    if ( !v )
        return;
    v->exit_time = who_runs_exit_time(v->exit_time, r->event, time);
    if ( r->event == TRC_HVM_CR_WRITE64 )
        apply_cr_write(c, v, r);
    else if ( r->event == TRC_HVM_RDTSC )
        apply_rdtsc(c, v, r);
}

/* --- C-states, and the dispatch ------------------------------------------- */

static void apply_power(struct who_runs *s, struct chunk *c, unsigned int cpu,
                        const struct xt_record *r)
{
    char *sign = &s->pcpus[cpu].column.sign;
    uint32_t state = xt_field_load(r, XT_AT(pm_idle_entry, state));

    if ( !s->show_power || *sign == ' ' || *sign == '.' || *sign == '|' )
        return;
    if ( r->event == TRC_PM_IDLE_ENTRY && state < 10 )
        *sign = '0' + state;
    else if ( r->event == TRC_PM_IDLE_EXIT )
        *sign = '-';
    else
        return;
    note_column(s, c, cpu);
}

int who_runs_apply_slow(struct who_runs *s, struct chunk *c, bool shown,
                        unsigned int cpu, uint64_t time,
                        const struct xt_record *r)
{
    uint32_t kind = r->event & ~0xfffu;
    struct chunk *line = shown ? c : NULL;

    debug_assert(cpu < s->nr_cpus && (!line || line->nr));
    if ( !s->pcpus[cpu].shown )
    {
        pcpu_set_default(&s->pcpus[cpu], cpu, true);
        note_column(s, c, cpu);
    }
    if ( kind == TRC_HVM_ENTRYEXIT || kind == TRC_HVM_HANDLER ||
         kind == TRC_SHADOW )
        apply_exit(line, find_exit_vcpu(s, cpu), time, r);
    else if ( kind == TRC_SCHED_MIN && r->words )
        return apply_runstate(s, c, cpu, r);
    else if ( r->event == TRC_LOST_RECORDS )
        return apply_loss(s, c, cpu, r);
    else if ( kind == TRC_HW_PM )
        apply_power(s, c, cpu, r);
    return 0;
}
