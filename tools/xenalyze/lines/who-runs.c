/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xenalyze/lines/who-runs.h"

#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

#define DEFAULT_DOMAIN 32768u
#define IDLE_DOMAIN 32767u
#define NO_FACE ((struct face){ .who = NOBODY, .sign = ' ' })

enum state { RUNNING, RUNNABLE, BLOCKED, OFFLINE, LOST, INIT };

#define FIRST_VCPUS 64u
#define FIRST_BUCKETS 128u

int dump_state_init(struct dump_state *s)
{
    *s = (struct dump_state){ .nr_cpus = 0 };
    s->vcpus = fault_calloc(FIRST_VCPUS, sizeof(*s->vcpus));
    s->buckets = fault_calloc(FIRST_BUCKETS, sizeof(*s->buckets));
    s->room_vcpus = FIRST_VCPUS;
    s->nr_buckets = FIRST_BUCKETS;
    if ( s->vcpus && s->buckets )
        return 0;
    dump_state_fini(s);
    return -ENOMEM;
}

void dump_state_fini(struct dump_state *s)
{
    free(s->pcpus);
    free(s->vcpus);
    free(s->buckets);
    *s = (struct dump_state){ .nr_cpus = 0 };
}

/* Nothing is known of it; and it does not show before there is a record. */
static void forget(struct dump_pcpu *p, unsigned int cpu, bool seen)
{
    *p = (struct dump_pcpu){
        .face = { .who = DEFAULT_DOMAIN << 16 | (cpu & 0xffff),
                  .sign = seen ? '.' : ' ' },
        .seen = seen,
    };
}

void dump_state_reset(struct dump_state *s)
{
    for ( unsigned int cpu = 0; cpu < s->nr_cpus; cpu++ )
        forget(&s->pcpus[cpu], cpu, s->pcpus[cpu].seen);
    memset(s->buckets, 0, s->nr_buckets * sizeof(*s->buckets));
    s->nr_vcpus = 0;
    s->losses = 0;
}

int dump_state_cpus(struct dump_state *s, unsigned int nr)
{
    if ( nr > s->room_cpus )
    {
        unsigned int room = nr > 2 * s->room_cpus ? nr : 2 * s->room_cpus;
        struct dump_pcpu *p = fault_realloc(s->pcpus, room * sizeof(*p));

        if ( !p )
            return -ENOMEM;
        s->pcpus = p;
        s->room_cpus = room;
    }
    for ( ; s->nr_cpus < nr; s->nr_cpus++ )
        forget(&s->pcpus[s->nr_cpus], s->nr_cpus, false);
    return 0;
}

int dump_state_show(struct dump_state *s, unsigned int cpu)
{
    if ( dump_state_cpus(s, cpu + 1) )
        return -ENOMEM;
    if ( !s->pcpus[cpu].seen )
        forget(&s->pcpus[cpu], cpu, true);
    return 0;
}

bool dump_state_knows(const struct dump_state *s)
{
    for ( unsigned int cpu = 0; cpu < s->nr_cpus; cpu++ )
        if ( s->pcpus[cpu].seen &&
             s->pcpus[cpu].face.who >> 16 == DEFAULT_DOMAIN )
            return false;
    return true;
}

/* --- vcpus by id ---------------------------------------------------------- */

static uint32_t *bucket_of(struct dump_state *s, uint32_t id)
{
    return &s->buckets[(id ^ id >> 12) * 2654435761u &
                       (s->nr_buckets - 1)];
}

static int grow(struct dump_state *s)
{
    uint32_t room = 2 * s->room_vcpus;
    struct dump_vcpu *v;
    uint32_t *buckets;

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
        uint32_t *b = bucket_of(s, v[i].id);

        v[i].next = *b;
        *b = i + 1;
    }
    return 0;
}

/* The vcpu of this id, which may be new; or NULL: no memory. */
static struct dump_vcpu *vcpu_of(struct dump_state *s, uint32_t id)
{
    uint32_t *b = bucket_of(s, id);

    for ( uint32_t i = *b; i; i = s->vcpus[i - 1].next )
        if ( s->vcpus[i - 1].id == id )
            return &s->vcpus[i - 1];
    if ( s->nr_vcpus == s->room_vcpus )
    {
        if ( grow(s) )
            return NULL;
        b = bucket_of(s, id);
    }
    s->vcpus[s->nr_vcpus] = (struct dump_vcpu){
        .id = id, .state = INIT, .seen = s->losses, .next = *b,
        .left = IN_GUEST,
    };
    *b = ++s->nr_vcpus;
    return &s->vcpus[s->nr_vcpus - 1];
}

/* Who is on this pcpu, as far as exits go; made up if need be. */
static struct dump_vcpu *current(struct dump_state *s, unsigned int cpu)
{
    struct dump_pcpu *p = &s->pcpus[cpu];
    struct dump_vcpu *v = dump_state_on(s, cpu);

    if ( v || p->face.who == NOBODY )
        return v;
    v = vcpu_of(s, p->face.who);
    if ( v )
        p->vcpu = v - s->vcpus + 1;
    return v;
}

/* --- runstates ------------------------------------------------------------ */

static void note_face(struct dump_state *s, struct chunk *c, unsigned int cpu)
{
    const struct face *f = &s->pcpus[cpu].face;

    if ( !c )
        return;
    if ( !c->nr )
    {
        c->faces[cpu] = *f;
        return;
    }
    chunk_note(c, NOTE_FACE, f->who);
    c->notes[c->nr_notes - 1].cpu = cpu;
    c->notes[c->nr_notes - 1].sign = f->sign;
}

static void leave(struct dump_state *s, struct chunk *c, unsigned int cpu)
{
    s->pcpus[cpu] = (struct dump_pcpu){ .face = NO_FACE, .seen = true };
    note_face(s, c, cpu);
}

/* Often it was there already, and nothing new is to be shown. */
static void enter(struct dump_state *s, struct chunk *c, unsigned int cpu,
                  struct dump_vcpu *v)
{
    const struct face was = s->pcpus[cpu].face, face = {
        .who = v->id, .sign = v->id >> 16 == IDLE_DOMAIN ? '-' : '|',
    };

    s->pcpus[cpu] = (struct dump_pcpu){
        .face = face, .vcpu = v - s->vcpus + 1, .seen = true,
    };
    if ( was.who != face.who || was.sign != face.sign )
        note_face(s, c, cpu);
}

/* False: that cannot be true, and is not the first sign of a clock astray. */
static bool mends(struct dump_vcpu *v, unsigned int from, unsigned int to)
{
    bool mirrored = v->mismatched && v->claimed_to == v->state &&
                    v->was == from;

    if ( mirrored )
    {
        v->mismatched = false;
        return false;
    }
    v->mismatched = true;
    v->was = v->state;
    v->claimed_from = from;
    v->claimed_to = to;
    return v->state != RUNNING;
}

/* Is it to be believed that this vcpu went from one state to another? */
static bool believe(struct dump_state *s, struct dump_vcpu *v,
                    unsigned int from, unsigned int to)
{
    if ( v->state != RUNNING && v->state != INIT && v->seen < s->losses )
        v->state = LOST;
    if ( v->state == LOST || v->state == INIT )
        return to == RUNNING;
    return v->state == from || mends(v, from, to);
}

static int runstate(struct dump_state *s, struct chunk *c, unsigned int cpu,
                    const struct xt_record *r)
{
    bool stays = r->event == TRC_SCHED_CONTINUE_RUNNING;
    unsigned int from = stays ? RUNNING : r->event >> 8 & 3;
    unsigned int to = stays ? RUNNING : r->event >> 4 & 3;
    struct dump_vcpu *v = vcpu_of(s, xt_record_word(r, 0));

    if ( !v )
        return -ENOMEM;
    /* The first time: whoever was on the pcpu, it was this one. */
    if ( v->state == INIT && from == RUNNING )
        leave(s, c, cpu);
    if ( to == RUNNABLE )
        v->left = IN_GUEST;
    if ( !believe(s, v, from, to) )
        return 0;
    if ( to == RUNNING )
        enter(s, c, cpu, v);
    else if ( from == RUNNING )
        leave(s, c, cpu);
    v->state = to;
    v->seen = s->losses;
    return 0;
}

/* --- losses --------------------------------------------------------------- */

static int lost(struct dump_state *s, struct chunk *c, unsigned int cpu,
                const struct xt_record *r)
{
    uint32_t word = xt_record_word(r, 1);
    struct dump_vcpu *v;

    s->losses++;
    if ( s->pcpus[cpu].vcpu )
    {
        v = &s->vcpus[s->pcpus[cpu].vcpu - 1];
        v->state = LOST;
        v->left = IN_GUEST;
    }
    /* Here the domain is the lower half. */
    v = vcpu_of(s, word << 16 | word >> 16);
    if ( !v )
        return -ENOMEM;
    v->state = RUNNING;
    v->seen = s->losses;
    v->left = IN_GUEST;
    enter(s, c, cpu, v);
    return 0;
}

/* --- HVM ------------------------------------------------------------------ */

static uint64_t word_pair(const struct xt_record *r, unsigned int at)
{
    return r->words > at + 1 ? xt_load64(r->payload + 4 * at) : 0;
}

static void write_cr(struct chunk *c, struct dump_vcpu *v,
                     const struct xt_record *r)
{
    if ( !r->words || xt_record_word(r, 0) != 3 )
        return;
    if ( c && v->has_cr3 )
        chunk_note(c, NOTE_VALUE, v->cr3);
    v->has_cr3 = true;
    v->cr3 = word_pair(r, 1);
}

static void read_tsc(struct chunk *c, struct dump_vcpu *v,
                     const struct xt_record *r)
{
    uint64_t tsc = word_pair(r, 0);

    if ( c && v->has_rdtsc && tsc < v->rdtsc )
        chunk_note(c, NOTE_VALUE, 0);
    v->has_rdtsc = true;
    v->rdtsc = tsc;
}

/* An entry, an exit, or what is between them. */
static void in_exit(struct chunk *c, struct dump_vcpu *v, uint64_t time,
                    const struct xt_record *r)
{
    if ( c )
        chunk_left(c, v ? v->left : IN_GUEST);
    if ( !v )
        return;
    v->left = dump_state_left(v->left, r->event, time);
    if ( r->event == TRC_HVM_CR_WRITE64 )
        write_cr(c, v, r);
    else if ( r->event == TRC_HVM_RDTSC )
        read_tsc(c, v, r);
}

/* --- all of them ---------------------------------------------------------- */

static void power(struct dump_state *s, struct chunk *c, unsigned int cpu,
                  const struct xt_record *r)
{
    struct face *f = &s->pcpus[cpu].face;
    uint32_t state = r->words ? xt_record_word(r, 0) : 0;

    if ( !s->show_power || f->sign == ' ' || f->sign == '.' || f->sign == '|' )
        return;
    if ( r->event == TRC_PM_IDLE_ENTRY && state < 10 )
        f->sign = '0' + state;
    else if ( r->event == TRC_PM_IDLE_EXIT )
        f->sign = '-';
    else
        return;
    note_face(s, c, cpu);
}

int dump_state_see(struct dump_state *s, struct chunk *c, bool shown,
                   unsigned int cpu, uint64_t time, const struct xt_record *r)
{
    uint32_t kind = r->event & ~0xfffu;
    struct chunk *line = shown ? c : NULL;

    if ( !s->pcpus[cpu].seen )
    {
        forget(&s->pcpus[cpu], cpu, true);
        note_face(s, c, cpu);
    }
    if ( kind == TRC_HVM_ENTRYEXIT || kind == TRC_HVM_HANDLER ||
         kind == TRC_SHADOW )
        in_exit(line, current(s, cpu), time, r);
    else if ( kind == TRC_SCHED_MIN && r->words )
        return runstate(s, c, cpu, r);
    else if ( r->event == TRC_LOST_RECORDS )
        return lost(s, c, cpu, r);
    else if ( kind == TRC_HW_PM )
        power(s, c, cpu, r);
    return 0;
}
