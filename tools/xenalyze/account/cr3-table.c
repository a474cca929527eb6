/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accounting as in stock: an exit that loads CR3 counts as an exit of the
 * previous frame in the table of exits by category, but as hypervisor time of
 * the new frame.
 *
 * The number of rows is bounded, since a hostile guest can load any number of
 * frames: after MAX_ROWS frames, loads of further frames are only counted.
 */
#include "xenalyze/account/cr3-table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "common/grow.h"

#define MAX_ROWS (1u << 15)
#define HASH_BITS 10u
#define HASHES (1u << HASH_BITS)

#define IS_SAME(a, b) (!(((a) ^ (b)) << 1))     /* ignores the "no flush" bit */

struct vcpu_cr3
{
    bool known;
    uint64_t value, since;
    struct cr3_row *row;        /* NULL: frame 0, or unknown */
};

/* Linked list of a domain's rows. */
struct domain_rows
{
    struct cr3_row *first, *last;
};

struct cr3_table
{
    struct stats_pool pool;
    struct cr3_row *hashes[HASHES];
    struct cr3_row **rows;
    uint32_t nr, room;
    struct domain_rows *domains;        /* array by id */
    uint32_t nr_domains;
    struct vcpu_cr3 *vcpus;     /* array by index */
    uint32_t nr_vcpus;
    uint64_t dropped_loads;     /* loads of frames without a row */
    bool failed;                /* out of memory */

    /* Main handler of the current exit. */
    enum category category;
    bool loads, switched;
    uint64_t value;
};

int cr3_table_new(struct cr3_table **table)
{
    *table = fault_calloc(1, sizeof(**table));
    if ( !*table )
        return -ENOMEM;
    stats_pool_init(&(*table)->pool);
    return 0;
}

void cr3_table_free(struct cr3_table *t)
{
    if ( !t )
        return;
    stats_pool_fini(&t->pool);
    free(t->rows);
    free(t->domains);
    free(t->vcpus);
    free(t);
}

/* --- rows ----------------------------------------------------------------- */

static struct cr3_row *add_row(struct cr3_table *t, uint16_t domain,
                               uint64_t frame, uint64_t time)
{
    struct cr3_row *row = arena_new(&t->pool.arena, struct cr3_row);
    struct domain_rows *list;

    assert(t->nr < MAX_ROWS);
    if ( !row || !grow_to_index(&t->rows, &t->room, t->nr, sizeof(*t->rows)) ||
         !grow_to_index(&t->domains, &t->nr_domains, domain,
                        sizeof(*t->domains)) )
    {
        t->failed = true;
        return NULL;
    }
    row->domain = domain;
    row->frame = frame;
    row->first = time;
    row->total.weighted = row->guest.weighted = row->xen.weighted = true;
    row->id = t->nr;
    t->rows[t->nr++] = row;
    list = &t->domains[domain];
    assert(!list->first == !list->last);
    *(list->last ? &list->last->sibling : &list->first) = row;
    list->last = row;
    return row;
}

static struct cr3_row *get_row(struct cr3_table *t, const struct vcpu *v,
                              uint64_t frame, uint64_t time)
{
    uint64_t mixed = (frame * 31 + v->domain->id) * 0x9e3779b97f4a7c15ull;
    struct cr3_row **at = &t->hashes[mixed >> (64 - HASH_BITS)];
    struct cr3_row *row = *at;

    while ( row && (row->frame != frame || row->domain != v->domain->id) )
        row = row->next;
    if ( row )
        return row;
    if ( t->nr == MAX_ROWS )
    {
        t->dropped_loads++;
        return NULL;
    }
    row = add_row(t, v->domain->id, frame, time);
    if ( row )
    {
        row->next = *at;
        *at = row;
    }
    return row;
}

static struct stats *get_category_stats(struct cr3_table *t,
                                        struct cr3_row *row)
{
    struct stats **part = &row->by_category[t->category];

    debug_assert(t->category > CATEGORY_NONE && t->category < CATEGORIES);
    if ( *part )
        return *part;
    *part = arena_new(&t->pool.arena, struct stats);
    if ( *part )
        (*part)->weighted = true;
    t->failed |= !*part;
    return *part;
}

/* --- facts ---------------------------------------------------------------- */

static struct vcpu_cr3 *get_vcpu(struct cr3_table *t, const struct vcpu *v)
{
    if ( grow_to_index(&t->vcpus, &t->nr_vcpus, v->index, sizeof(*t->vcpus)) )
        return &t->vcpus[v->index];
    t->failed = true;
    return NULL;
}

/* Handler records come just before their exit. */
static void note_handle(void *state, const struct fact_handle *f)
{
    struct cr3_table *t = state;

    if ( !f->exit || !f->main )
        return;
    debug_assert(f->vcpu == f->exit->vcpu);
    t->category = category_of_handler(f);
    t->loads = t->category == CATEGORY_CR3;
    t->value = f->value;
}

static void close_residency(struct cr3_table *t, struct vcpu_cr3 *v,
                            uint64_t time)
{
    debug_assert(!v->row || v->known);
    if ( v->row )
    {
        stats_add(&v->row->total, &t->pool, time - v->since, v->since);
        v->row->last = time;
    }
    v->row = NULL;
    v->known = false;
}

static void load_frame(struct cr3_table *t, struct vcpu_cr3 *v,
                 const struct vcpu *vcpu, uint64_t time)
{
    uint64_t frame = fact_cr3_frame(t->value);

    if ( v->known && IS_SAME(v->value, t->value) )
    {
        if ( v->row )
            v->row->flushes++;
        return;
    }
    close_residency(t, v, time);
    t->switched = true;
    v->known = true;
    v->value = t->value;
    v->since = time;
    v->row = frame ? get_row(t, vcpu, frame, time) : NULL;
    if ( v->row )
        v->row->switches++;
}

static void add_guest_time(struct cr3_table *t, struct cr3_row *row,
                      const struct fact_exit *f)
{
    struct stats *part = get_category_stats(t, row);

    stats_add(&row->guest, &t->pool, f->guest, f->start - f->guest);
    row->run += f->guest;
    if ( part )
        stats_add(part, &t->pool, f->cycles, f->start);
}

static void note_exit(void *state, const struct fact_exit *f)
{
    struct cr3_table *t = state;
    struct vcpu_cr3 *v = get_vcpu(t, f->vcpu);

    if ( !v )
        return;
    debug_assert(!t->loads || t->category == CATEGORY_CR3);
    if ( !t->category )
        t->category = CATEGORY_OTHER;
    t->switched = false;
    if ( v->row )
        add_guest_time(t, v->row, f);
    if ( t->loads )
        load_frame(t, v, f->vcpu, f->start + f->cycles);
    if ( v->row )
    {
        stats_add(&v->row->xen, &t->pool, f->cycles, f->start);
        v->row->run += f->cycles;
    }
    t->category = CATEGORY_NONE;
    t->loads = false;
}

/* A loss, or the end of records, may hide loads of CR3. */
static void note_runstate(void *state, const struct fact_runstate *f)
{
    struct cr3_table *t = state;

    debug_assert(f->next <= STATES);
    if ( (f->next == STATE_LOST || f->next == STATE_NO_DATA) &&
         f->vcpu->index < t->nr_vcpus )
        close_residency(t, &t->vcpus[f->vcpu->index], f->to);
}

static int cr3_table_end(void *state, const struct fact_end *f, struct err *e)
{
    struct cr3_table *t = state;

    for ( uint32_t i = 0; i < t->nr_vcpus; i++ )
    {
        if ( t->vcpus[i].row )
            t->vcpus[i].row->last = f->last;
        t->vcpus[i] = (struct vcpu_cr3){ 0 };
    }
    return t->failed || t->pool.failed
           ? err_sys(e, -ENOMEM, "cannot keep what was in CR3") : 0;
}

struct sink cr3_table_sink(struct cr3_table *table)
{
    static const struct sink_ops ops = {
        .name = "cr3", .ordered = true, .end = cr3_table_end,
        .runstate = note_runstate, .handle = note_handle, .exit = note_exit,
    };

    return (struct sink){ &ops, table };
}

/* --- answers -------------------------------------------------------------- */

const struct cr3_row *cr3_table_current_row(const struct cr3_table *t,
                                    const struct vcpu *v)
{
    return v->index < t->nr_vcpus ? t->vcpus[v->index].row : NULL;
}

bool cr3_table_has_switched(const struct cr3_table *t)
{
    return t->switched;
}

struct cr3_row *const *cr3_table_rows(const struct cr3_table *t, uint32_t *nr)
{
    assert(t->nr <= t->room);
    *nr = t->nr;
    return t->rows;
}

const struct cr3_row *cr3_table_first_row(const struct cr3_table *t,
                                          uint16_t domain)
{
    return domain < t->nr_domains ? t->domains[domain].first : NULL;
}

uint64_t cr3_table_dropped_loads(const struct cr3_table *t)
{
    return t->dropped_loads;
}
