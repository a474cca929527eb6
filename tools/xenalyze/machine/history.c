/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Append to a history, compact it, and keep the begins of the waits in
 * progress.  Compaction costs time in proportion to the entries and the waits,
 * and makes room for at least a quarter of the entries.
 */
#include "xenalyze/machine/history.h"

#include <assert.h>
#include <errno.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "common/fault.h"
#include "xenalyze/machine/global.h"

int history_init(struct history *h)
{
    assert(!h->entries);
    h->entries = fault_malloc(HISTORY_MIN * sizeof(*h->entries));
    h->room = h->entries ? HISTORY_MIN : 0;
    h->nr = 0;
    return h->entries ? 0 : -ENOMEM;
}

/* --- begins of waits ------------------------------------------------------ */

static bool wait_is_over(const struct wait_begin *b)
{
    const struct vcpu_state *v = vcpu_get_state(b->vcpu);

    return v->fact.state != STATE_RUNNABLE || v->fact.from != b->time;
}

static void drop_ended_waits(struct wait_begins *b)
{
    uint32_t nr = 0;

    for ( uint32_t i = 0; i < b->nr; i++ )
        if ( !wait_is_over(&b->items[i]) )
            b->items[nr++] = b->items[i];
    b->nr = nr;
}

COLD
static void grow_waits(struct wait_begins *b)
{
    struct wait_begin *items;
    uint32_t room = b->room ? 2 * b->room : HISTORY_MIN;

    drop_ended_waits(b);
    if ( b->nr < b->room / 2 )
        return;
    items = fault_realloc(b->items, room * sizeof(*items));
    if ( !items )
    {
        b->failed = true;
        return;
    }
    b->items = items;
    b->room = room;
}

void wait_begins_add(struct wait_begins *b, const struct vcpu *vcpu,
                     uint64_t time)
{
    uint32_t i;

    if ( b->nr == b->room )
        grow_waits(b);
    if ( b->nr == b->room )
        return;
    for ( i = b->nr++; i && b->items[i - 1].time > time; i-- )
        b->items[i] = b->items[i - 1];
    b->items[i] = (struct wait_begin){ time, vcpu };
}

/* --- compaction ----------------------------------------------------------- */

/* Entries h[first..] lie between the same two begins, and overlap. */
static void close_group(struct history_entry *h, uint32_t first, uint32_t nr,
                        uint64_t end)
{
    for ( uint32_t i = first; i < nr; i++ )
    {
        h[i].from = h[first].from;
        h[i].to = end;
    }
}

/* Merge an entry into its vcpu's entry of h[first..nr), or append it. */
static uint32_t merge_entry(struct history_entry *h, uint32_t first,
                            uint32_t nr, const struct history_entry *e)
{
    struct vcpu_state *v = vcpu_get_state(e->vcpu);

    if ( v->scratch >= first && v->scratch < nr &&
         h[v->scratch].vcpu == e->vcpu )
    {
        h[v->scratch].cycles += e->cycles;
        return nr;
    }
    v->scratch = nr;
    h[nr] = *e;
    return nr + 1;
}

/*
 * An entry belongs to the last wait that began before the entry's end.  An
 * entry without such a wait is not needed any more; an entry that is not wholly
 * behind the begin of its wait stays as it is.
 */
static void compact_history(struct history *h, const struct wait_begins *b)
{
    uint32_t nr = 0, first = 0, wait = 0, group = 0;
    uint64_t end = 0;

    for ( uint32_t i = 0; i < h->nr; i++ )
    {
        const struct history_entry e = h->entries[i];

        while ( wait < b->nr && b->items[wait].time < e.to )
            wait++;
        if ( !wait )
            continue;
        if ( wait != group )
        {
            close_group(h->entries, first, nr, end);
            first = nr;
            group = wait;
        }
        if ( !e.vcpu || e.from < b->items[wait - 1].time )
        {
            h->entries[nr++] = e;
            first = nr;
        }
        else
            nr = merge_entry(h->entries, first, nr, &e);
        end = e.to;
    }
    close_group(h->entries, first, nr, end);
    assert(nr <= h->nr);
    h->nr = nr;
}

/* Merge the older half of the entries; the vcpus are forgotten. */
static void fold_history(struct history *h)
{
    struct history_entry *first = h->entries;
    uint32_t nr = h->nr / 2;

    debug_assert(nr);
    for ( uint32_t i = 1; i < nr; i++ )
        first->cycles += first[i].cycles;
    first->vcpu = NULL;
    first->to = first[nr - 1].to;
    for ( uint32_t i = nr; i < h->nr; i++ )
        first[i - nr + 1] = first[i];
    h->nr -= nr - 1;
}

static bool grow_history(struct history *h, uint32_t room)
{
    struct history_entry *entries;

    if ( room <= h->room )
        return true;
    entries = fault_realloc(h->entries, room * sizeof(*entries));
    if ( !entries )
        return false;
    h->entries = entries;
    h->room = room;
    return true;
}

/* Every wait costs time in each compaction, so many waits want a large room. */
COLD
static void make_history_room(struct history *h, struct wait_begins *waits,
                              unsigned int nr_pcpus)
{
    uint32_t limit = HISTORY_TOTAL / nr_pcpus;
    uint32_t room;

    limit = limit < HISTORY_MAX ? limit : HISTORY_MAX;
    drop_ended_waits(waits);
    compact_history(h, waits);
    room = 2 * h->nr > waits->nr / 8 ? 2 * h->nr : waits->nr / 8;
    waits->failed |= !grow_history(h, room < limit ? room : limit);
    if ( h->nr > h->room / 4 * 3 )
        fold_history(h);
    assert(h->nr < h->room);
}

void history_add(struct history *h, const struct vcpu *vcpu, uint64_t from,
                 uint64_t to, struct wait_begins *waits, unsigned int nr_pcpus)
{
    assert(h->entries && vcpu);
    if ( h->nr && from < h->entries[h->nr - 1].to )
        from = h->entries[h->nr - 1].to;
    if ( from >= to )
        return;
    if ( h->nr == h->room )
        make_history_room(h, waits, nr_pcpus);
    h->entries[h->nr++] = (struct history_entry){ vcpu, from, to, to - from };
}
