/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting and checking of records.  All functions may run in the handler of a
 * trap.
 */
#include "tests/step/step-state.h"

#include <stdarg.h>
#include <stdio.h>

void state_fault(struct step_state *st, const char *format, ...)
{
    va_list args;

    if ( st->fault[0] )
        return;
    va_start(args, format);
    vsnprintf(st->fault, sizeof(st->fault), format, args);
    va_end(args);
}

uint32_t state_random(struct step_state *st, uint32_t below)
{
    st->random = st->random * 1664525 + 1013904223;
    return (st->random >> 8) % below;
}

void state_init(struct step_state *st, unsigned int cpus, unsigned int pages,
                uint32_t seed)
{
    const struct xensim_config config = {
        .cpus = cpus, .frames = 64, .poison = true, .all_messages = true,
    };

    *st = (struct step_state){ .random = seed * 2654435761U };
    if ( kit_start(&config) || kit_set_size(pages) ||
         kit_open(&st->reader, 0) )
        state_fault(st, "no ring of %u pages", pages);
    state_random(st, 2);
}

/* ---- writing ---------------------------------------------------------- */

static struct test_record next_record(struct step_state *st, unsigned int words,
                                      bool timed)
{
    st->emitted++;
    return (struct test_record){ ++st->number, words, timed };
}

struct test_record state_draw_record(struct step_state *st)
{
    uint32_t shape = state_random(st, 14);

    return next_record(st, 1 + shape / 2, shape & 1);
}

void write_test_record(void *record)
{
    const struct test_record *r = record;

    kit_emit(r->number, r->words, r->timed);
}

void state_emit(struct step_state *st)
{
    struct test_record record = state_draw_record(st);

    write_test_record(&record);
}

void state_emit_in(struct step_state *st, enum xensim_vector vector)
{
    struct test_record record = state_draw_record(st);

    xensim_interrupt(vector, write_test_record, &record);
}

/* The only source of 4-byte records, which have no room for a number. */
void state_fill(struct step_state *st, uint32_t bytes)
{
    struct test_record record;

    while ( bytes )
    {
        uint32_t to_end = st->reader.size - state_position(st);
        uint32_t room = min(bytes, to_end), n = min(room, 32U);

        record = next_record(st, n / 4 - 1, false);
        write_test_record(&record);
        bytes -= n;
    }
}

/* ---- reading ---------------------------------------------------------- */

uint32_t state_unread(const struct step_state *st)
{
    const struct t_buf *ring = st->reader.ring;
    uint32_t twice = 2 * st->reader.size;

    return (ring->prod + twice - ring->cons) % twice;
}

uint32_t state_position(const struct step_state *st)
{
    return st->reader.ring->prod % st->reader.size;
}

static bool is_xens_own(const struct kit_record *record)
{
    return record->event == TRC_TRACE_WRAP_BUFFER ||
           record->event == TRC_LOST_RECORDS;
}

/* A record has to be intact and new; `take` marks its number as seen. */
static void check_ring(struct step_state *st, const struct kit_record *record,
                       bool take)
{
    uint32_t number, *seen;

    if ( is_xens_own(record) || (record->event == KIT_EVENT && !record->words) )
        return;
    if ( !kit_is_emitted(record, &number) || number > st->number )
    {
        state_fault(st, "the record at %u (event %x, %u words) is torn",
                    record->at, record->event, record->words);
        return;
    }

    seen = &st->seen[number % STATE_SLOTS];
    if ( *seen == number )
        state_fault(st, "record %u was read twice", number);
    if ( take )
        *seen = number;
}

/* Skip the parsing if cons and prod are unchanged since the last call. */
void state_check(struct step_state *st)
{
    struct kit_reader *r = &st->reader;
    struct kit_record record;

    if ( kit_snapshot(r) && st->parsed && r->cons == st->parsed_cons &&
         r->prod == st->parsed_prod )
        return;

    while ( kit_next(r, &record) )
        check_ring(st, &record, false);
    if ( r->fault[0] )
        state_fault(st, "%s", r->fault);
    st->parsed = true;
    st->parsed_cons = r->cons;
    st->parsed_prod = r->prod;
}

void state_consume(struct step_state *st, unsigned int n)
{
    struct kit_reader *r = &st->reader;
    struct kit_record record;

    kit_snapshot(r);
    while ( n-- && kit_next(r, &record) )
    {
        check_ring(st, &record, true);
        st->read += !is_xens_own(&record);
        if ( record.event == TRC_LOST_RECORDS )
            st->reported += record.word[0];
    }
    if ( r->fault[0] )
        state_fault(st, "%s", r->fault);
    kit_consume(r);
}

void state_consume_all(struct step_state *st)
{
    state_consume(st, ~0U);
}

/* ---- balance ---------------------------------------------------------- */

uint32_t state_lost(struct step_state *st)
{
    struct xen_tbuf_cpu cpu;

    if ( kit_cpu_state(0, &cpu) )
        state_fault(st, "no state");
    return cpu.lost;
}

/* Only records emitted during a control operation may be missing. */
void state_check_counts(struct step_state *st)
{
    uint32_t lost = state_lost(st), there;

    state_consume_all(st);
    there = st->read + lost;
    if ( there > st->emitted || st->emitted - there > st->may_be_missing )
        state_fault(st, "%u emitted, but %u read and %u lost (%u may "
                    "be missing)",
                    st->emitted, st->read, lost, st->may_be_missing);
    st->emitted = there;
    st->may_be_missing = 0;
}

void state_check_balance(struct step_state *st)
{
    state_check_counts(st);
    state_emit(st);
    state_check_counts(st);
    if ( st->reported != state_lost(st) )
        state_fault(st, "%u lost, %u reported", state_lost(st), st->reported);
}

void state_reset_counts(struct step_state *st)
{
    kit_forget(&st->reader);
    st->parsed = false;
    state_consume_all(st);
    st->reported = state_lost(st);
    st->emitted = st->read + st->reported;
    st->may_be_missing = 0;
}
