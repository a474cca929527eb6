/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A walk over each pcpu.  Its time advances as in the engine of xenalyze
 * (engine/by-pcpu.c): a time stamp that goes backwards, or makes a far step
 * without evidence, does not count.
 */
#include "libxentrace/pcpu-damage.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "libxentrace/time-step.h"
#include "libxentrace/trace-private.h"
#include "libxentrace/walk.h"

#define FIRST_ITEMS 64u

/* Windows with time stamps that a doubt reaches, with the first one. */
#define DOUBTFUL_WINDOWS 3u

/* A time stamp that is further ahead looks wrong to each reader. */
#define MAX_DISORDER (16u * XT_FAR_STEP)

struct lister
{
    struct xt_pcpu_damages *d;
    struct xt_walk walk;
    unsigned int cpu;
    uint64_t time;              /* time of the pcpu */
    uint64_t before;            /* the last time that differs */
    uint64_t entry;             /* the window of the last record */
    bool has_time;              /* a time stamp of this window was read */
    uint64_t begin, begin_before;       /* begin of this window, and of the one
                                           before */
    bool has_gap;               /* walk.cursor.gap, at this record ... */
    bool gap_is_evident;        /* ... by the windows around: XT_PCPU_GAP */
    unsigned int doubtful;      /* windows to come, and this one; 0: no doubt */
    uint64_t doubt_from;
    uint64_t disorder_end;      /* end of the last disorder */
    int rc;
};

static void add_damage(struct lister *l, const struct xt_pcpu_damage *item)
{
    struct xt_pcpu_damages *d = l->d;
    size_t room = d->room ? 2 * d->room : FIRST_ITEMS;
    struct xt_pcpu_damage *items;

    if ( l->rc )
        return;
    if ( d->nr == XT_PCPU_DAMAGES_MAX )
    {
        l->rc = -E2BIG;
        return;
    }
    if ( d->nr == d->room )
    {
        items = fault_realloc(d->items, room * sizeof(*items));
        if ( !items )
        {
            l->rc = -ENOMEM;
            return;
        }
        d->items = items;
        d->room = room;
    }
    d->items[d->nr] = *item;
    d->items[d->nr++].cpu = item->type == XT_PCPU_DISORDER ? 0 : l->cpu;
}

/* --- places --------------------------------------------------------------- */

/* The walk has found damage behind the pcpu's last record. */
static void add_places(struct lister *l)
{
    struct xt_damage *found = &l->walk.damage;

    if ( xt_damage_times(found) > found->nr_first && !l->rc )
        l->rc = -E2BIG;
    for ( size_t i = 0; i < found->nr_first; i++ )
        add_damage(l, &(struct xt_pcpu_damage){
                       .type = XT_PCPU_PLACE, .kind = found->first[i].kind,
                       .begin = l->time, .end = l->time,
                       .offset = found->first[i].offset,
                       .bytes = found->first[i].bytes });
    *found = (struct xt_damage){ .nr_first = 0 };
}

/* --- doubts --------------------------------------------------------------- */

static void end_doubt(struct lister *l, uint64_t time)
{
    assert(l->doubt_from <= time);
    add_damage(l, &(struct xt_pcpu_damage){
                   .type = XT_PCPU_DOUBT, .begin = l->doubt_from,
                   .end = time });
    l->doubtful = 0;
}

/*
 * The time stamp before may be the wrong one, or this one looks less far ahead
 * to a reader in the order of time.
 */
static void add_disorder(struct lister *l, uint64_t time)
{
    struct xt_pcpu_damage item = { .type = XT_PCPU_DISORDER };

    item.begin = time < l->time ? l->before : l->time;
    item.end = time < l->time ? l->time : time;
    if ( time < item.begin || item.end - l->time > MAX_DISORDER ||
         item.end <= l->disorder_end )
        return;
    add_damage(l, &item);
    l->disorder_end = item.end;
}

/* Time goes backwards here: the time stamps around may be as wrong. */
static void begin_doubt(struct lister *l, const struct xt_record *r,
                        uint64_t time)
{
    xt_walk_note_backward(&l->walk, r->payload);
    add_disorder(l, time);
    if ( !l->doubtful )
        l->doubt_from = l->begin_before;
    l->doubtful = DOUBTFUL_WINDOWS;
}

/* The first record of another window.  Windows of metadata do not count. */
static void enter_listed_window(struct lister *l)
{
    const struct xt_index *i = l->walk.context.index;
    const struct xt_index_entry *before = xt_index_get_entry(i, l->entry);
    bool is_next = before->next == l->walk.cursor.entry &&
                   !xt_gaps_find(&i->gaps, l->entry, before->next);

    if ( l->has_time )
    {
        l->begin_before = l->begin;
        l->begin = l->time;
        if ( l->doubtful && !--l->doubtful )
            end_doubt(l, l->time);
        l->has_time = false;
    }
    l->gap_is_evident = is_next && (l->has_gap ? l->gap_is_evident
                                               : before->shortened);
    l->has_gap = l->walk.cursor.gap;
    l->entry = l->walk.cursor.entry;
}

/* --- gaps ----------------------------------------------------------------- */

static uint64_t find_gap_begin(const struct lister *l)
{
    const struct xt_cursor *c = &l->walk.cursor;

    assert(c->gap);
    return l->time > c->gap_from ? l->time : c->gap_from;
}

/* The record at the end of the gap has a credible time. */
static void end_listed_gap(struct lister *l, const struct xt_record *r,
                           uint64_t time)
{
    uint64_t begin = find_gap_begin(l);

    l->walk.cursor.gap = l->has_gap = false;
    if ( begin < time )
        add_damage(l, &(struct xt_pcpu_damage){
            .type = XT_PCPU_GAP, .begin = begin, .end = time,
            .offset = xt_walk_offset(&l->walk, r->payload) -
                      (sizeof(uint32_t) + sizeof(uint64_t)),
            .kind = l->gap_is_evident ? XT_DAMAGE_RECORD : XT_DAMAGE_GONE });
}

/* A torn end is at the end of a part, too (torn-end.h). */
static bool ends_in_torn_window(const struct lister *l)
{
    const struct xt_index *i = l->walk.context.index;
    const struct xt_gap *g = xt_gaps_find(&i->gaps, l->entry, XT_NOWHERE);

    return g && g->entry == i->dropped + i->nr &&
           l->d->of_windows.times[XT_DAMAGE_TORN];
}

static void end_listed_pcpu(struct lister *l)
{
    if ( l->walk.cursor.gap && !ends_in_torn_window(l) )
        add_damage(l, &(struct xt_pcpu_damage){
                       .type = XT_PCPU_GAP, .begin = find_gap_begin(l),
                       .end = UINT64_MAX, .offset = UINT64_MAX,
                       .kind = XT_DAMAGE_GONE });
    if ( l->doubtful )
        end_doubt(l, UINT64_MAX);
}

/* --- a pcpu --------------------------------------------------------------- */

static void list_time(struct lister *l, const struct xt_record *r)
{
    const struct xt_walk *w = &l->walk;
    uint64_t time = xt_index_correct(w->context.index, l->cpu, r->tsc);

    l->has_time = true;
    if ( time < l->time ||
         (xt_step_is_far(l->time, time) &&
          !xt_step_is_credible(w->context.index, w->cursor.entry, w->at,
                               w->end, time)) )
    {
        begin_doubt(l, r, time);
        return;
    }
    if ( w->cursor.gap )
        end_listed_gap(l, r, time);
    l->before = time > l->time ? l->time : l->before;
    l->time = time;
}

static int list_pcpu(struct xt_trace *t, unsigned int cpu, uint64_t first,
                     struct xt_pcpu_damages *d)
{
    struct lister l = {
        .d = d, .cpu = cpu, .time = first, .begin = first,
        .begin_before = first, .before = first,
    };
    struct xt_record r;

    xt_trace_begin_walk(t, cpu, &l.walk);
    l.entry = l.walk.cursor.entry;
    while ( !l.rc && xt_walk_next(&l.walk, &r) )
    {
        if ( l.walk.damage.nr_first )
            add_places(&l);
        if ( l.walk.cursor.entry != l.entry )
            enter_listed_window(&l);
        if ( xt_record_is_timed(&r) )
            list_time(&l, &r);
        if ( l.walk.damage.nr_first )
            add_places(&l);
    }
    add_places(&l);
    end_listed_pcpu(&l);
    /* The trace has this damage already. */
    xt_walk_fini(&l.walk);
    return l.rc;
}

int xt_pcpu_damage_compare(const struct xt_pcpu_damage *x,
                           const struct xt_pcpu_damage *y)
{
    if ( x->type != y->type )
        return x->type < y->type ? -1 : 1;
    if ( x->cpu != y->cpu )
        return x->cpu < y->cpu ? -1 : 1;
    if ( x->begin != y->begin )
        return x->begin < y->begin ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int compare_damages(const void *a, const void *b)
{
    return xt_pcpu_damage_compare(a, b);
}

/* Disorder of several pcpus, or of many records, overlaps. */
static void merge_disorder(struct xt_pcpu_damages *d)
{
    struct xt_pcpu_damage *last = NULL;
    size_t nr = 0;

    for ( size_t i = 0; i < d->nr; i++ )
    {
        struct xt_pcpu_damage item = d->items[i];

        if ( item.type == XT_PCPU_DISORDER && last &&
             last->type == XT_PCPU_DISORDER && item.begin <= last->end )
        {
            last->end = item.end > last->end ? item.end : last->end;
            continue;
        }
        last = &d->items[nr++];
        *last = item;
    }
    d->nr = nr;
}

int xt_trace_list_damage(struct xt_trace *t, struct xt_pcpu_damages *d,
                         struct err *e)
{
    uint64_t first, last;
    unsigned int nr;
    int rc = xt_trace_cpus(t, &nr, e), listed = 0;

    *d = (struct xt_pcpu_damages){ .nr = 0 };
    rc = rc ? rc : xt_trace_span(t, &first, &last, e);
    if ( rc )
        return rc;
    d->of_windows = *xt_trace_damage(t);
    for ( unsigned int cpu = 0; !listed && cpu < nr; cpu++ )
        listed = list_pcpu(t, cpu, first, d);
    if ( d->nr )
        qsort(d->items, d->nr, sizeof(*d->items), compare_damages);
    merge_disorder(d);
    if ( listed == -ENOMEM )
        return trace_fail_memory(t, e);
    rc = xt_trace_rewind(t, e);
    return rc ? rc : listed;
}

void xt_pcpu_damages_fini(struct xt_pcpu_damages *d)
{
    free(d->items);
    *d = (struct xt_pcpu_damages){ .nr = 0 };
}

/* --- parts ---------------------------------------------------------------- */

void xt_trace_set_damage(struct xt_trace *t, const struct xt_damage *damage)
{
    assert(t->source->map && t->mode == MODE_NONE && !t->kept.valid);
    t->damage_is_known = true;
    t->known_damage = *damage;
}

/* --- finding -------------------------------------------------------------- */

static bool ends_before(const struct xt_pcpu_damage *item,
                        enum xt_pcpu_damage_type type, unsigned int cpu,
                        uint64_t time)
{
    assert(item->begin <= item->end);
    if ( item->type != type )
        return item->type < type;
    return item->cpu != cpu ? item->cpu < cpu : item->end < time;
}

const struct xt_pcpu_damage *
xt_pcpu_damage_find(const struct xt_pcpu_damages *d,
                    enum xt_pcpu_damage_type type, unsigned int cpu,
                    uint64_t time)
{
    size_t low = 0, high = d->nr;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( ends_before(&d->items[middle], type, cpu, time) )
            low = middle + 1;
        else
            high = middle;
    }
    assert(low <= d->nr);
    return d->items + low;
}

bool xt_pcpu_damage_has(const struct xt_pcpu_damages *d,
                        enum xt_pcpu_damage_type type, unsigned int cpu,
                        uint64_t time)
{
    const struct xt_pcpu_damage *item = xt_pcpu_damage_find(d, type, cpu, time);

    return item < d->items + d->nr && item->type == type && item->cpu == cpu &&
           item->begin <= time;
}

void xt_pcpu_damage_sum(const struct xt_pcpu_damages *d, uint64_t stop,
                        struct xt_damage *sum)
{
    *sum = d->of_windows;
    for ( size_t i = 0; i < d->nr && d->items[i].type == XT_PCPU_PLACE; i++ )
        if ( d->items[i].begin <= stop )
            xt_damage_add(sum, d->items[i].kind, d->items[i].offset,
                          d->items[i].bytes);
}
