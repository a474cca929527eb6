/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repeat a trace: copies follow each other in time, so that a short capture
 * becomes a long one.  Between two copies each pcpu loses a record, since the
 * states of vcpus at the end and at the begin do not fit together.
 *
 *     repeat TRACE TIMES >LONG
 *
 * Only for traces of stock's xentrace: the records of a seal would have to be
 * computed anew.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libxentrace/libxentrace.h"
#include "tests/bench/program.h"

#define PAUSE 1000u             /* cycles between two copies */
#define MAX_CPUS 1024u

#define WINDOW 0x2001f003u      /* header; number of the pcpu, bytes */
#define IDLE_DOMAIN 32767u
#define LOST 0xc001f001u        /* header; time stamp, four words */

struct trace
{
    unsigned char *bytes;
    size_t size;
    uint64_t first, last;
    uint32_t nr_cpus;
};

static void note_cpu(struct trace *t, uint32_t cpu)
{
    if ( cpu < MAX_CPUS && cpu >= t->nr_cpus )
        t->nr_cpus = cpu + 1;
}

/* Write a window of each pcpu with a loss from `from` to the copy's begin. */
static void write_losses(const struct trace *t, uint64_t from)
{
    struct __attribute__((__packed__))
    {
        uint32_t window, cpu, bytes, lost;
        uint64_t time;
        uint32_t nr;
        uint16_t domain, vcpu;
        uint64_t first;
    } loss = { .window = WINDOW, .lost = LOST, .time = t->first, .nr = 1,
               .domain = IDLE_DOMAIN, .first = from };

    loss.bytes = sizeof(loss) - offsetof(typeof(loss), lost);
    for ( loss.cpu = 0; loss.cpu < t->nr_cpus; loss.cpu++ )
    {
        loss.vcpu = loss.cpu;
        if ( fwrite(&loss, sizeof(loss), 1, stdout) != 1 )
            give_up("write");
    }
}

/* Add to each time stamp, and note the first and the last one. */
static void shift_times(struct trace *t, uint64_t by)
{
    uint64_t time;
    size_t size;

    t->first = UINT64_MAX;
    t->last = 0;
    for ( size_t at = 0; at + 4 <= t->size; at += size )
    {
        uint32_t header = xt_load32(t->bytes + at);

        size = xt_record_size(header);
        if ( header == WINDOW && at + size <= t->size )
            note_cpu(t, xt_load32(t->bytes + at + 4));
        if ( !(header & TRC_HD_CYCLE_FLAG) || at + size > t->size )
            continue;
        time = xt_load64(t->bytes + at + 4) + by;
        memcpy(t->bytes + at + 4, &time, sizeof(time));
        t->first = time < t->first ? time : t->first;
        t->last = time > t->last ? time : t->last;
    }
}

static struct trace read_trace(const char *path)
{
    struct trace t = { NULL };
    FILE *f = fopen(path, "rb");
    long size;

    if ( !f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 4 )
        give_up(path);
    rewind(f);
    t.size = size;
    t.bytes = malloc(t.size);
    if ( !t.bytes || fread(t.bytes, t.size, 1, f) != 1 )
        give_up(path);
    fclose(f);
    return t;
}

int main(int argc, char **argv)
{
    uint64_t before = 0;
    struct trace t;

    program_name("repeat");
    if ( argc != 3 )
    {
        fprintf(stderr, "repeat: see tests/bench/outputs\n");
        return EXIT_FAILURE;
    }
    t = read_trace(argv[1]);
    shift_times(&t, 0);
    for ( unsigned long n = strtoul(argv[2], NULL, 10); n; n-- )
    {
        if ( before )
            write_losses(&t, before);
        if ( fwrite(t.bytes, t.size, 1, stdout) != 1 )
            give_up("write");
        before = t.last;
        shift_times(&t, t.last - t.first + PAUSE);
    }
    return fclose(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
