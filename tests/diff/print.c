/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of a driver as lines of text, so that a difference of two outputs
 * is readable.
 */
#include "tests/diff/driver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

void random_seed(uint64_t seed)
{
    state = seed;
}

/* splitmix64: all seeds are equally good. */
uint32_t random_below(uint32_t below)
{
    uint64_t x = state += 0x9e3779b97f4a7c15;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    x ^= x >> 31;

    return (x >> 32) * below >> 32;
}

/* printf would dominate the run time. */
static char *put_hex(char *to, uint64_t value)
{
    unsigned int digits = value ? (67 - __builtin_clzll(value)) / 4 : 1;

    *to++ = ' ';
    while ( digits-- )
        *to++ = "0123456789abcdef"[value >> (4 * digits) & 15];

    return to;
}

static void print_record(unsigned int cpu, const struct kit_record *record,
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

static void exit_on_fault(const struct kit_reader *r)
{
    printf("not a ring: %s\n", r->fault);
    exit(2);
}

static void print_each_record(struct kit_reader *r, unsigned int limit,
                              const char *prefix, bool padding)
{
    struct kit_record record;
    unsigned int n = 0;

    if ( !kit_snapshot(r) )
        exit_on_fault(r);
    for ( ; n < limit && kit_next(r, &record); n++ )
        if ( padding || record.event != TRC_TRACE_WRAP_BUFFER )
            print_record(r->cpu, &record, prefix);
    if ( r->fault[0] )
        exit_on_fault(r);
    kit_consume(r);
}

void print_records(struct kit_reader *r, unsigned int limit)
{
    print_each_record(r, limit, "", true);
}

void print_late_records(struct kit_reader *r)
{
    print_each_record(r, ALL_RECORDS, "late ", false);
}

void print_position(struct kit_reader *r)
{
    printf("p%u cons %x prod %x\n", r->cpu, r->ring->cons, r->ring->prod);
}

void print_console(void)
{
    const char *text = xensim_capture_console();

    if ( *text )
        fputs(text, stdout);
}

int run_control_op(const char *name, struct xen_sysctl_tbuf_op op)
{
    int rc = tb_control(&op);

    printf("%s: %d, mask %08x mfn %" PRIx64 " size %u\n", name, rc,
           op.evt_mask, (uint64_t)op.buffer_mfn, op.size);
    print_console();

    return rc;
}
