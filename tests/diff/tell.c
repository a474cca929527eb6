/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a driver sees, as lines of text: a difference between two of them is
 * then something that a person can read.
 */
#include "tests/diff/driver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

void chance_seed(uint64_t seed)
{
    state = seed;
}

/* splitmix64: every seed is as good as another. */
uint32_t draw_chance(uint32_t below)
{
    uint64_t x = state += 0x9e3779b97f4a7c15;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    x ^= x >> 31;

    return (x >> 32) * below >> 32;
}

/* printf would take most of the time of a run. */
static char *put_hex(char *to, uint64_t value)
{
    unsigned int digits = value ? (67 - __builtin_clzll(value)) / 4 : 1;

    *to++ = ' ';
    while ( digits-- )
        *to++ = "0123456789abcdef"[value >> (4 * digits) & 15];

    return to;
}

static void tell_record(unsigned int cpu, const struct kit_record *record,
                        const char *prefix)
{
    char line[8 + 18 * (4 + KIT_MAX_WORDS)], *to = line;
    bool pad = record->event == TRC_TRACE_WRAP_BUFFER;

    *to++ = 'p';
    to = put_hex(to, cpu);
    to = put_hex(to, record->event);
    if ( record->timed )
    {
        *to++ = ' ';
        *to++ = '@';
        to = put_hex(to, record->tsc);
    }
    if ( pad )
        to = put_hex(to, record->bytes);
    for ( unsigned int i = 0; !pad && i < record->words; i++ )
        to = put_hex(to, record->word[i]);
    *to++ = '\n';

    fputs(prefix, stdout);
    fwrite(line, to - line, 1, stdout);
}

static void give_up(const struct kit_reader *r)
{
    printf("not a ring: %s\n", r->fault);
    exit(2);
}

static void each_record(struct kit_reader *r, unsigned int limit,
                        const char *prefix, bool padding)
{
    struct kit_record record;
    unsigned int n = 0;

    if ( !kit_snapshot(r) )
        give_up(r);
    for ( ; n < limit && kit_next(r, &record); n++ )
        if ( padding || record.event != TRC_TRACE_WRAP_BUFFER )
            tell_record(r->cpu, &record, prefix);
    if ( r->fault[0] )
        give_up(r);
    kit_consume(r);
}

void tell_records(struct kit_reader *r, unsigned int limit)
{
    each_record(r, limit, "", true);
}

void tell_late(struct kit_reader *r)
{
    each_record(r, ALL_RECORDS, "late ", false);
}

void tell_position(struct kit_reader *r)
{
    printf("p%u cons %x prod %x\n", r->cpu, r->ring->cons, r->ring->prod);
}

void tell_console(void)
{
    const char *text = xensim_capture_console();

    if ( *text )
        fputs(text, stdout);
}

int tell_control(const char *name, struct xen_sysctl_tbuf_op op)
{
    int rc = tb_control(&op);

    printf("%s: %d, mask %08x mfn %" PRIx64 " size %u\n", name, rc,
           op.evt_mask, (uint64_t)op.buffer_mfn, op.size);
    tell_console();

    return rc;
}
