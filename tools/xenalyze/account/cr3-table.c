/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As stock summaries it: the exit in which CR3 is loaded is one of what was
 * there before, by its reason, and Xen's time of what is there then.
 *
 * A hostile guest loads as many frames as it likes: after MAX_ROWS different
 * ones others are only counted.
 */
#include "xenalyze/account/cr3-table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/account/grow.h"

#define MAX_ROWS (1u << 15)
#define HASHES 1024u

#define IS_SAME(a, b) (!(((a) ^ (b)) << 1))     /* but for "do not flush" */

struct holder
{
    bool known;
    uint64_t value, since;
    struct cr3_row *row;        /* NULL: frame 0, or not known */
};

/* The rows of a domain. */
struct chain
{
    struct cr3_row *first, *last;
};

struct cr3_table
{
    struct stats_pool pool;
    struct cr3_row *hashes[HASHES];
    struct cr3_row **rows;
    uint32_t nr, room;
    struct chain *domains;      /* by id */
    uint32_t nr_domains;
    struct holder *vcpus;       /* by index */
    uint32_t nr_vcpus;
    uint64_t others;            /* loads that have no row */
    bool failed;                /* out of memory */

    /* Of the exit that is being told. */
    enum category category;
    bool loads, switched;
    uint64_t value;
};

int cr3_table_new(struct cr3_table **list)
{
    *list = fault_calloc(1, sizeof(**list));
    if ( !*list )
        return -ENOMEM;
    stats_pool_init(&(*list)->pool);
    return 0;
}

void cr3_table_free(struct cr3_table *l)
{
    if ( !l )
        return;
    stats_pool_fini(&l->pool);
    free(l->rows);
    free(l->domains);
    free(l->vcpus);
    free(l);
}

/* --- rows ----------------------------------------------------------------- */

static struct cr3_row *add_row(struct cr3_table *l, uint16_t domain,
                               uint64_t frame, uint64_t time)
{
    struct cr3_row *row = arena_new(&l->pool.arena, struct cr3_row);
    struct chain *chain;

    if ( !row || !grow_to_index(&l->rows, &l->room, l->nr, sizeof(*l->rows)) ||
         !grow_to_index(&l->domains, &l->nr_domains, domain,
                        sizeof(*l->domains)) )
    {
        l->failed = true;
        return NULL;
    }
    row->domain = domain;
    row->frame = frame;
    row->first = time;
    row->total.weighted = row->guest.weighted = row->xen.weighted = true;
    row->id = l->nr;
    l->rows[l->nr++] = row;
    chain = &l->domains[domain];
    *(chain->last ? &chain->last->sibling : &chain->first) = row;
    chain->last = row;
    return row;
}

static struct cr3_row *row_of(struct cr3_table *l, const struct vcpu *v,
                              uint64_t frame, uint64_t time)
{
    uint64_t mixed = (frame * 31 + v->domain->id) * 0x9e3779b97f4a7c15ull;
    struct cr3_row **at = &l->hashes[mixed >> 54];
    struct cr3_row *row = *at;

    while ( row && (row->frame != frame || row->domain != v->domain->id) )
        row = row->next;
    if ( row )
        return row;
    if ( l->nr == MAX_ROWS )
    {
        l->others++;
        return NULL;
    }
    row = add_row(l, v->domain->id, frame, time);
    if ( row )
    {
        row->next = *at;
        *at = row;
    }
    return row;
}

static struct stats *part_of(struct cr3_table *l, struct cr3_row *row)
{
    struct stats **part = &row->parts[l->category];

    if ( *part )
        return *part;
    *part = arena_new(&l->pool.arena, struct stats);
    if ( *part )
        (*part)->weighted = true;
    l->failed |= !*part;
    return *part;
}

/* --- facts ---------------------------------------------------------------- */

static struct holder *vcpu_of(struct cr3_table *l, const struct vcpu *v)
{
    if ( grow_to_index(&l->vcpus, &l->nr_vcpus, v->index, sizeof(*l->vcpus)) )
        return &l->vcpus[v->index];
    l->failed = true;
    return NULL;
}

/* Handlers come just before their exit. */
static void note_handle(void *state, const struct fact_handle *f)
{
    struct cr3_table *l = state;

    if ( !f->exit || !f->main )
        return;
    l->category = category_of(f);
    l->loads = l->category == CATEGORY_CR3;
    l->value = f->value;
}

static void leave(struct cr3_table *l, struct holder *v, uint64_t time)
{
    if ( v->row )
    {
        stats_add(&v->row->total, &l->pool, time - v->since, v->since);
        v->row->last = time;
    }
    v->row = NULL;
    v->known = false;
}

static void load(struct cr3_table *l, struct holder *v,
                 const struct vcpu *who, uint64_t time)
{
    uint64_t frame = fact_cr3_frame(l->value);

    if ( v->known && IS_SAME(v->value, l->value) )
    {
        if ( v->row )
            v->row->flushes++;
        return;
    }
    leave(l, v, time);
    l->switched = true;
    v->known = true;
    v->value = l->value;
    v->since = time;
    v->row = frame ? row_of(l, who, frame, time) : NULL;
    if ( v->row )
        v->row->switches++;
}

static void add_guest(struct cr3_table *l, struct cr3_row *row,
                      const struct fact_exit *f)
{
    struct stats *part = part_of(l, row);

    stats_add(&row->guest, &l->pool, f->guest, f->start - f->guest);
    row->run += f->guest;
    if ( part )
        stats_add(part, &l->pool, f->cycles, f->start);
}

static void note_exit(void *state, const struct fact_exit *f)
{
    struct cr3_table *l = state;
    struct holder *v = vcpu_of(l, f->vcpu);

    if ( !v )
        return;
    if ( !l->category )
        l->category = CATEGORY_OTHER;
    l->switched = false;
    if ( v->row )
        add_guest(l, v->row, f);
    if ( l->loads )
        load(l, v, f->vcpu, f->start + f->cycles);
    if ( v->row )
    {
        stats_add(&v->row->xen, &l->pool, f->cycles, f->start);
        v->row->run += f->cycles;
    }
    l->category = CATEGORY_NONE;
    l->loads = false;
}

/* Who knows what it loaded while records were lost. */
static void note_runstate(void *state, const struct fact_runstate *f)
{
    struct cr3_table *l = state;

    if ( f->next == STATE_LOST && f->vcpu->index < l->nr_vcpus )
        leave(l, &l->vcpus[f->vcpu->index], f->to);
}

static int end(void *state, const struct fact_end *f, struct err *e)
{
    struct cr3_table *l = state;

    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
    {
        if ( l->vcpus[i].row )
            l->vcpus[i].row->last = f->last;
        l->vcpus[i] = (struct holder){ 0 };
    }
    return l->failed || l->pool.failed
           ? err_sys(e, -ENOMEM, "cannot keep what was in CR3") : 0;
}

struct sink cr3_table_sink(struct cr3_table *list)
{
    static const struct sink_ops ops = {
        .name = "cr3", .ordered = true, .end = end,
        .runstate = note_runstate, .handle = note_handle, .exit = note_exit,
    };

    return (struct sink){ &ops, list };
}

/* --- answers -------------------------------------------------------------- */

const struct cr3_row *cr3_table_now(const struct cr3_table *l,
                                    const struct vcpu *v)
{
    return v->index < l->nr_vcpus ? l->vcpus[v->index].row : NULL;
}

bool cr3_table_switched(const struct cr3_table *l)
{
    return l->switched;
}

struct cr3_row *const *cr3_table_rows(const struct cr3_table *l, uint32_t *nr)
{
    *nr = l->nr;
    return l->rows;
}

const struct cr3_row *cr3_table_of(const struct cr3_table *l, uint16_t domain)
{
    return domain < l->nr_domains ? l->domains[domain].first : NULL;
}

uint64_t cr3_table_others(const struct cr3_table *l)
{
    return l->others;
}
