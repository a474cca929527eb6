/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write to standard output a trace with each event of the catalogue once: one
 * window of pcpu 5, records in the order of ids, time stamps 1000 apart.  An id
 * with two layouts has the newer one, or the older with --old; all optional
 * words are present.  Each byte of word n is n.  The fields of an id count 0,
 * 1, 2, so a runstate change is from running to runnable.
 *
 * --names prints the names instead, in the same order.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxentrace/catalogue.h"

static uint32_t words[16 * 1024];
static size_t nr_words;

static void put(uint32_t word)
{
    words[nr_words++] = word;
}

/* Exclude events that are never emitted, and the header of windows. */
static bool is_wanted(const struct xt_event *e, bool old)
{
    const struct xt_event *end = xt_catalogue_events + xt_catalogue_nr_events;
    const struct xt_event *other = old ? e - 1 : e + 1;

    if ( e->unused || e->id == TRC_TRACE_CPU_CHANGE )
        return false;
    return other < xt_catalogue_events || other == end || other->id != e->id;
}

static uint32_t id_of(const struct xt_event *e)
{
    uint32_t id = e->id, value = 0;

    for ( unsigned int i = 0; i < e->nr_fields; i++ )
        if ( e->fields[i].in_id )
            id |= value++ << e->fields[i].bit;
    return id;
}

/* The presence bits of hypercalls: one word for each argument. */
static uint32_t first_word(const struct xt_event *e)
{
    uint32_t word = 0x01010101;

    for ( unsigned int i = 0; i < e->nr_fields; i++ )
        if ( e->fields[i].present >= 0 )
        {
            const struct xt_field *f = &e->fields[e->fields[i].present];

            word &= ~(((1u << f->bits) - 1) << f->bit);
            word |= 1u << f->bit;
        }
    return word;
}

static void put_event(const struct xt_event *e, uint64_t tsc)
{
    put((e->timed ? 1u << 31 : 0) | (uint32_t)e->max_words << 28 | id_of(e));
    if ( e->timed )
    {
        put((uint32_t)tsc);
        put(tsc >> 32);
    }
    for ( unsigned int i = 0; i < e->max_words; i++ )
        put(i ? 0x01010101u * (i + 1) : first_word(e));
}

int main(int argc, char **argv)
{
    bool old = argc > 1 && !strcmp(argv[1], "--old");
    bool names = argc > 1 && !strcmp(argv[1], "--names");
    uint64_t tsc = 1000000;

    put(2u << 28 | TRC_TRACE_CPU_CHANGE);
    put(5);
    put(0);
    for ( size_t i = 0; i < xt_catalogue_nr_events; i++ )
    {
        const struct xt_event *e = &xt_catalogue_events[i];

        if ( !is_wanted(e, old) )
            continue;
        if ( names )
            printf("%s\n", e->name);
        put_event(e, tsc += 1000);
    }
    words[2] = 4 * nr_words - 12;
    if ( !names )
        fwrite(words, 4, nr_words, stdout);
    return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
