/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The world's books.  All of it may run in the handler of a trap.
 */
#include "tests/step/world.h"

#include <stdarg.h>
#include <stdio.h>

void world_fault(struct world *w, const char *format, ...)
{
    va_list args;

    if ( w->fault[0] )
        return;
    va_start(args, format);
    vsnprintf(w->fault, sizeof(w->fault), format, args);
    va_end(args);
}

uint32_t world_any(struct world *w, uint32_t below)
{
    w->random = w->random * 1664525 + 1013904223;
    return (w->random >> 8) % below;
}

void world_start(struct world *w, unsigned int cpus, unsigned int pages,
                 uint32_t seed)
{
    const struct xensim_config config = {
        .cpus = cpus, .frames = 64, .poison = true,
    };

    *w = (struct world){ .random = seed * 2654435761U };
    if ( kit_start(&config) || kit_set_size(pages) ||
         kit_open(&w->reader, 0) )
        world_fault(w, "no ring of %u pages", pages);
    world_any(w, 2);
}

/* ---- writing ---------------------------------------------------------- */

static struct world_record number_it(struct world *w, unsigned int words,
                                     bool timed)
{
    w->emitted++;
    return (struct world_record){ ++w->number, words, timed };
}

struct world_record world_draw(struct world *w)
{
    uint32_t shape = world_any(w, 14);

    return number_it(w, 1 + shape / 2, shape & 1);
}

void world_put(void *record)
{
    const struct world_record *r = record;

    kit_emit(r->number, r->words, r->timed);
}

void world_emit(struct world *w)
{
    struct world_record record = world_draw(w);

    world_put(&record);
}

void world_emit_in(struct world *w, enum xensim_vector vector)
{
    struct world_record record = world_draw(w);

    xensim_interrupt(vector, world_put, &record);
}

/* A record of 4 bytes has no room for a number: only here. */
void world_fill(struct world *w, uint32_t bytes)
{
    struct world_record record;

    while ( bytes )
    {
        uint32_t to_end = w->reader.size - world_place(w);
        uint32_t most = min(bytes, to_end), n = min(most, 32U);

        record = number_it(w, n / 4 - 1, false);
        world_put(&record);
        bytes -= n;
    }
}

/* ---- reading ---------------------------------------------------------- */

uint32_t world_unread(const struct world *w)
{
    const struct t_buf *ring = w->reader.ring;
    uint32_t twice = 2 * w->reader.size;

    return (ring->prod + twice - ring->cons) % twice;
}

uint32_t world_place(const struct world *w)
{
    return w->reader.ring->prod % w->reader.size;
}

static bool is_own(const struct kit_record *record)
{
    return record->event == TRC_TRACE_WRAP_BUFFER ||
           record->event == TRC_LOST_RECORDS;
}

/* Whole, undamaged, and not seen before; `take` it or only look. */
static void check_ring(struct world *w, const struct kit_record *record,
                       bool take)
{
    uint32_t number, *seen;

    if ( is_own(record) || (record->event == KIT_EVENT && !record->words) )
        return;
    if ( !kit_is_ours(record, &number) || number > w->number )
    {
        world_fault(w, "the record at %u (event %x, %u words) is torn",
                    record->at, record->event, record->words);
        return;
    }

    seen = &w->seen[number % WORLD_NUMBERS];
    if ( *seen == number )
        world_fault(w, "record %u came twice", number);
    if ( take )
        *seen = number;
}

/* What has not changed since has been looked at. */
void world_look(struct world *w)
{
    struct kit_reader *r = &w->reader;
    struct kit_record record;

    if ( kit_snapshot(r) && w->parsed && r->cons == w->parsed_cons &&
         r->prod == w->parsed_prod )
        return;

    while ( kit_next(r, &record) )
        check_ring(w, &record, false);
    if ( r->fault[0] )
        world_fault(w, "%s", r->fault);
    w->parsed = true;
    w->parsed_cons = r->cons;
    w->parsed_prod = r->prod;
}

void world_take(struct world *w, unsigned int n)
{
    struct kit_reader *r = &w->reader;
    struct kit_record record;

    kit_snapshot(r);
    while ( n-- && kit_next(r, &record) )
    {
        check_ring(w, &record, true);
        w->read += !is_own(&record);
        if ( record.event == TRC_LOST_RECORDS )
            w->reported += record.word[0];
    }
    if ( r->fault[0] )
        world_fault(w, "%s", r->fault);
    kit_consume(r);
}

void world_take_all(struct world *w)
{
    world_take(w, ~0U);
}

/* ---- the balance ------------------------------------------------------ */

uint32_t world_lost(struct world *w)
{
    struct xen_tbuf_cpu cpu;

    if ( kit_cpu_state(0, &cpu) )
        world_fault(w, "no state");
    return cpu.lost;
}

/* Calls that control may have swallowed may be missing, others not. */
void world_due(struct world *w)
{
    uint32_t lost = world_lost(w), there;

    world_take_all(w);
    there = w->read + lost;
    if ( there > w->emitted || w->emitted - there > w->excused )
        world_fault(w, "%u emitted, but %u read and %u lost (%u excused)",
                    w->emitted, w->read, lost, w->excused);
    w->emitted = there;
    w->excused = 0;
}

void world_balance(struct world *w)
{
    world_due(w);
    world_emit(w);
    world_due(w);
    if ( w->reported != world_lost(w) )
        world_fault(w, "%u lost, %u reported", world_lost(w), w->reported);
}

void world_forgive(struct world *w)
{
    kit_forget(&w->reader);
    w->parsed = false;
    world_take_all(w);
    w->reported = world_lost(w);
    w->emitted = w->read + w->reported;
    w->excused = 0;
}
