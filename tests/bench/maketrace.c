/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write one pass over all pcpus after the other, each up to the same time.  A
 * guest's cycle is exit (timed, 4 words), mostly a handler (not timed), entry
 * (timed, empty); every twentieth exit switches to another vcpu.  That makes 18
 * bytes a record, with a time stamp in two of three.
 */
#include "tests/bench/maketrace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TIMED 0x80000000u

#define VMENTRY 0x00081001u
#define VMEXIT 0x00081002u
#define HANDLER 0x00082000u
#define RUNSTATE 0x00021021u

struct cpu
{
    uint64_t now;
    uint32_t exits;
};

struct out
{
    unsigned char *bytes;
    size_t size, room;
    uint64_t records;
};

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static void write_record(struct out *o, uint32_t event, const uint64_t *time,
                         unsigned int words, uint32_t value)
{
    uint32_t header = (time ? TIMED : 0) | words << 28 | event;
    unsigned char *p = o->bytes + o->size;

    memcpy(p, &header, 4);
    p += 4;
    if ( time )
    {
        memcpy(p, time, 8);
        p += 8;
    }
    for ( unsigned int i = 0; i < words; i++, p += 4, value += 0x1001 )
        memcpy(p, &value, 4);
    o->size = p - o->bytes;
    o->records++;
}

/* Write one exit, its handler, and the entry. */
static void write_exit(struct cpu *c, struct out *o, uint64_t *seed)
{
    uint32_t luck = next_random(seed);

    c->now += 1 + luck % (MAKETRACE_GAP * 3);
    write_record(o, VMEXIT, &c->now, 4, luck % 56);
    if ( luck % 4 )
        write_record(o, HANDLER + luck % 32, NULL, luck % 5, luck);
    if ( c->exits++ % 20 == 19 )
    {
        c->now += 1 + luck % 300;
        write_record(o, RUNSTATE, &c->now, 3, luck);
    }
    c->now += 1 + luck / 64 % (MAKETRACE_GAP * 2);
    write_record(o, VMENTRY, &c->now, 0, 0);
}

static int reserve_room(struct out *o)
{
    unsigned char *more;

    if ( o->room - o->size >= 256 )
        return 0;
    o->room = 2 * o->room + 65536;
    more = realloc(o->bytes, o->room);
    if ( !more )
        return -ENOMEM;
    o->bytes = more;
    return 0;
}

static int write_window(unsigned int number, struct cpu *c, uint64_t until,
                        struct out *o, uint64_t *seed, FILE *file)
{
    uint32_t header[3] = { 0x2001f003u, number };

    o->size = 0;
    while ( c->now < until )
    {
        if ( reserve_room(o) )
            return -ENOMEM;
        write_exit(c, o, seed);
    }
    header[2] = o->size;
    if ( o->size && (fwrite(header, sizeof(header), 1, file) != 1 ||
                     fwrite(o->bytes, o->size, 1, file) != 1) )
        return -EIO;
    return 0;
}

int make_trace_records(const struct trace_params *m, FILE *file)
{
    struct cpu *cpus = calloc(m->cpus, sizeof(*cpus));
    uint64_t until = 1000000000, seed = m->seed;
    struct out o = { 0 };
    int rc = cpus ? 0 : -ENOMEM;

    for ( unsigned int i = 0; !rc && i < m->cpus; i++ )
        cpus[i].now = until + i;
    while ( !rc && o.records < m->records )
    {
        until += (uint64_t)m->window * MAKETRACE_GAP;
        for ( unsigned int i = 0; !rc && i < m->cpus; i++ )
            rc = write_window(i, &cpus[i], until, &o, &seed, file);
    }
    free(o.bytes);
    free(cpus);
    return rc;
}
