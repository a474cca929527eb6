/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rivals of a wait, from the history of the pcpu where the wait ended.  All
 * of the wait is attributed: to rivals, to others beyond FACT_RIVALS, or to the
 * time in which no vcpu is known to have run.
 */
#include "xenalyze/machine/rivals.h"

#include <stdlib.h>
#include <string.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "common/fault.h"

/* --- all rivals ----------------------------------------------------------- */

COLD
static bool grow_rivals(struct global *g)
{
    uint32_t room = g->rivals_room ? 2 * g->rivals_room : 4 * FACT_RIVALS;
    struct fact_rival *rivals = fault_realloc(g->rivals,
                                              room * sizeof(*rivals));

    g->waits.failed |= !rivals;
    if ( !rivals )
        return false;
    g->rivals = rivals;
    g->rivals_room = room;
    return true;
}

/* f->nr_rivals counts the rivals in g->rivals, for now. */
static inline void add_rival(struct global *g, struct fact_wait *f,
                      const struct vcpu *vcpu, uint64_t cycles)
{
    struct vcpu_state *v;

    f->unknown -= cycles;
    if ( !vcpu )
    {
        f->others += cycles;
        return;
    }
    v = vcpu_get_state(vcpu);
    if ( v->scratch < f->nr_rivals && g->rivals[v->scratch].vcpu == vcpu )
    {
        g->rivals[v->scratch].cycles += cycles;
        return;
    }
    if ( f->nr_rivals == g->rivals_room && !grow_rivals(g) )
    {
        f->others += cycles;
        return;
    }
    v->scratch = f->nr_rivals++;
    g->rivals[v->scratch] = (struct fact_rival){ vcpu, cycles };
}

/* Time before the wait is not part of the wait, nor is time counted twice. */
static inline void add_entry(struct global *g, struct fact_wait *f,
                      const struct history_entry *e)
{
    uint64_t cycles = e->cycles;

    if ( e->from < f->from && cycles > e->to - f->from )
        cycles = e->to - f->from;
    if ( cycles > f->unknown )
        cycles = f->unknown;
    if ( cycles )
        add_rival(g, f, e->vcpu, cycles);
}

/* Walk the history backwards while its entries reach into the wait. */
static void find_rivals(struct global *g, const struct global_pcpu *p,
                        struct fact_wait *f)
{
    const struct history *h = &p->history;

    if ( p->current && p->current != f->vcpu && p->since < f->to )
        add_entry(g, f, &(struct history_entry){
            p->current, p->since, f->to, f->to - p->since });
    for ( uint32_t n = h->nr; n && h->entries[n - 1].to > f->from; n-- )
        add_entry(g, f, &h->entries[n - 1]);
}

/* --- the longest ---------------------------------------------------------- */

static bool rival_is_longer(const struct fact_rival *a,
                            const struct fact_rival *b)
{
    if ( a->cycles != b->cycles )
        return a->cycles > b->cycles;
    if ( a->vcpu->domain->id != b->vcpu->domain->id )
        return a->vcpu->domain->id < b->vcpu->domain->id;
    return a->vcpu->id < b->vcpu->id;
}

/* Insert a rival into a sorted list of `nr`. */
static void insert_rival(struct fact_rival *rivals, uint32_t nr,
                         const struct fact_rival *rival)
{
    for ( ; nr && rival_is_longer(rival, &rivals[nr - 1]); nr-- )
        rivals[nr] = rivals[nr - 1];
    rivals[nr] = *rival;
}

/* The fact gets at most FACT_RIVALS. */
static void choose_rivals(const struct global *g, struct fact_wait *f)
{
    const struct fact_rival *rivals = g->rivals;
    struct fact_rival *last = &f->rivals[FACT_RIVALS - 1];
    uint32_t i;

    debug_assert(g->emit.wants_rivals);
    if ( f->nr_rivals <= FACT_RIVALS )
    {
        for ( i = 0; i < f->nr_rivals; i++ )
            f->rivals[i] = rivals[i];
        return;
    }
    for ( i = 0; i < FACT_RIVALS; i++ )
        insert_rival(f->rivals, i, &rivals[i]);
    for ( ; i < f->nr_rivals; i++ )
        if ( rivals[i].cycles >= last->cycles &&
             rival_is_longer(&rivals[i], last) )
        {
            f->others += last->cycles;
            insert_rival(f->rivals, FACT_RIVALS - 1, &rivals[i]);
        }
        else
            f->others += rivals[i].cycles;
    f->nr_rivals = FACT_RIVALS;
}

/*
 * No sink wants rivals.  A sink that reads them all the same gets none, or, in
 * builds with debug_assert(), more than the fact has room for.
 */
static inline void hide_rivals(struct fact_wait *f)
{
    debug_assert(!f->nr_rivals && !f->others);
#ifdef DEBUG_ASSERTIONS
    f->nr_rivals = FACT_NO_RIVALS;
#endif
}

static inline void set_rivals(struct global *g, struct fact_wait *f)
{
    debug_assert(f->pcpu < g->nr_pcpus);
    if ( !g->emit.wants_rivals )
    {
        hide_rivals(f);
        return;
    }
    find_rivals(g, &g->pcpus[f->pcpu], f);
    choose_rivals(g, f);
}

/* --- waits and interrupts ------------------------------------------------- */

/* All but the rivals, which are too many to be cleared. */
static inline void describe_wait(struct fact_wait *f,
                                 const struct vcpu_state *v, uint32_t pcpu,
                                 uint64_t time)
{
    bool is_woken = v->fact.why == WHY_WAKE;

    debug_assert(v->fact.state == STATE_RUNNABLE && time >= v->fact.from);
    f->vcpu = v->fact.vcpu;
    f->from = v->fact.from;
    f->to = time;
    f->woken = is_woken ? v->woken_at : v->fact.from;
    f->pcpu = pcpu;
    f->pcpu_before = v->fact.pcpu;
    f->why = v->fact.why;
    f->waker_pcpu = is_woken ? v->waker_pcpu : FACT_NO_PCPU;
    f->waker = is_woken ? v->fact.waker : NULL;
    f->nr_rivals = 0;
    f->others = 0;
    f->unknown = time - v->fact.from;
}

void wait_emit(struct global *g, const struct vcpu_state *v, uint32_t pcpu,
               uint64_t time)
{
    struct fact_wait f;

    describe_wait(&f, v, pcpu, time);
    debug_assert(pcpu < g->nr_pcpus);
    set_rivals(g, &f);
    emit_wait(&g->emit, &f);
}

COLD
void wait_emit_open(struct global *g, const struct vcpu_state *v,
                    uint32_t pcpu, uint64_t time)
{
    struct fact_open_wait f;

    debug_assert(v->known && v->fact.state == STATE_RUNNABLE);
    if ( !emit_wants_open_wait(&g->emit) || time <= v->fact.from )
        return;
    describe_wait(&f.wait, v, pcpu == FACT_NO_PCPU ? v->fact.pcpu : pcpu,
                  time);
    f.no_begin = v->fact.why == WHY_NONE;
    f.no_end = pcpu == FACT_NO_PCPU;
    if ( f.wait.pcpu != FACT_NO_PCPU )
        set_rivals(g, &f.wait);
    emit_open_wait(&g->emit, &f);
}

static bool grow_vectors(struct global *g, struct vcpu_state *v)
{
    uint32_t room = v->vectors_room ? 2 * v->vectors_room : 8;
    struct fact_interrupt *larger;

    debug_assert(room <= FACT_VECTORS);
    larger = arena_array(&g->exits, room, sizeof(*larger),
                         _Alignof(struct fact_interrupt));
    g->failed |= !larger;
    if ( !larger )
        return false;
    if ( v->nr_vectors )
        memcpy(larger, v->vectors, v->nr_vectors * sizeof(*larger));
    v->vectors = larger;
    v->vectors_room = room;
    return true;
}

/* Keep the first interrupt of each vector since the wake-up. */
void vcpu_note_interrupt(struct global *g, struct vcpu_state *v,
                         const struct change *c)
{
    uint32_t i = 0;

    if ( !v->awake )
        return;
    debug_assert(v->nr_vectors <= v->vectors_room);
    while ( i < v->nr_vectors && v->vectors[i].vector != c->number )
        i++;
    if ( i < v->nr_vectors || i == FACT_VECTORS ||
         (i == v->vectors_room && !grow_vectors(g, v)) )
        return;
    v->vectors[v->nr_vectors++] = (struct fact_interrupt){ c->number, c->time };
}
