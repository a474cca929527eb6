/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The throughput of xentrace when draining rings:  GB per s of CPU time, on one
 * core, to /dev/null.  Rings of stock's size are full at each pass, with
 * records as on a host; the code is that of the program, from the ring to the
 * write.
 *
 *    collecting [--check]
 */
#define _GNU_SOURCE /* sched_setaffinity */

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "xentrace/ring-drain.h"
#include "xentrace/write-thread.h"

#define CPUS 4u
#define PAGES 32u
#define DATA_SIZE ((size_t)PAGES * HV_PAGE_SIZE - sizeof(struct t_buf))
#define ROUNDS 7
#define PASSES 2000u
#define BAR_GB 4.0

static bool stop_never(void)
{
    return false;
}

/* Fill the ring with records of 1 to 5 words, most with a time stamp. */
static void fill_ring(struct t_buf *buf)
{
    static const uint32_t words[] = { 2, 5, 1, 2, 4, 0, 3, 2 };
    uint32_t *at = (uint32_t *)(buf + 1), *end = at + DATA_SIZE / 4;

    for ( size_t i = 0; end - at >= 10; i++ )
    {
        uint32_t nr = words[i % 8], timed = i % 3 ? 1u << 31 : 0;

        *at++ = (0x00081000 + i % 100) | nr << TRACE_EXTRA_SHIFT | timed;
        at += nr + (timed ? 2 : 0);
    }
    while ( at < end )
        *at++ = 0x00081000;
}

static void make_test_rings(struct rings *r)
{
    *r = (struct rings){ .pages = PAGES, .nr_cpus = CPUS, .nr_mapped = CPUS,
                         .lock = PTHREAD_MUTEX_INITIALIZER };
    r->ring = calloc(CPUS, sizeof(*r->ring));
    for ( unsigned int cpu = 0; r->ring && cpu < CPUS; cpu++ )
    {
        struct t_buf *buf = calloc(PAGES, HV_PAGE_SIZE);

        if ( !buf )
            exit(EXIT_FAILURE);
        fill_ring(buf);
        r->ring[cpu] = (struct ring){ .buf = buf, .data_size = DATA_SIZE,
                                      .cpu = cpu };
    }
}

static void free_rings(struct rings *r)
{
    for ( unsigned int cpu = 0; cpu < CPUS; cpu++ )
        free(r->ring[cpu].buf);
    free(r->ring);
}

/* Refill all rings, as Xen would between two passes. */
static void refill_rings(struct rings *r)
{
    for ( unsigned int cpu = 0; cpu < CPUS; cpu++ )
    {
        struct t_buf *buf = r->ring[cpu].buf;

        buf->prod = (buf->cons + DATA_SIZE) % (2 * DATA_SIZE);
    }
}

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

struct collecting
{
    struct write_thread thread;
    struct window_sink store;
    struct rings rings;
};

static void wake_collector(void *collecting)
{
    const struct collecting *c = collecting;

    eventfd_write(c->thread.event_fd, 1);
}

static int measure_collecting(const struct writer_plan *plan, double *gb,
                              struct err *e)
{
    struct writer *w = calloc(1, sizeof(*w));
    struct pollfd fd = { .events = POLLIN };
    struct collecting c;
    struct write_thread_plan queue = { 64u << 20, wake_collector, &c };
    double start;
    int rc = w ? writer_open(w, plan, e) : -ENOMEM;

    if ( !rc )
        rc = write_thread_open(&c.thread, w, &queue, e);
    if ( rc )
        return rc;
    make_test_rings(&c.rings);
    c.store = write_thread_sink(&c.thread);
    fd.fd = c.thread.event_fd;
    start = cpu_seconds();
    for ( unsigned int i = 0; !rc && i < PASSES; i++ )
    {
        refill_rings(&c.rings);
        drain_all(&c.rings, &c.store, false, NULL);
        write_thread_publish(&c.thread);
        while ( !rc && write_thread_pending_bytes(&c.thread) )
        {
            poll(&fd, 1, -1);
            rc = write_thread_ack(&c.thread, e);
        }
        drain_release(&c.rings, &c.store);
    }
    rc = write_thread_end(&c.thread, stop_never, e) ?: rc;
    *gb = (double)PASSES * CPUS * DATA_SIZE / 1e9 / (cpu_seconds() - start);
    write_thread_close(&c.thread);
    rc = writer_close(w, e) ?: rc;
    free_rings(&c.rings);
    free(w);
    return rc;
}

static int compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "sealed", "plain" };
    bool check = argc > 1 && !strcmp(argv[1], "--check"), missed = false;
    double gb[2][ROUNDS];
    struct err e = ERR_INIT;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
    for ( unsigned int i = 0; i < ROUNDS; i++ )
        for ( unsigned int kind = 0; kind < 2; kind++ )
        {
            struct writer_plan plan = { .path = "/dev/null", .plain = kind,
                                        .is_forced = stop_never };

            if ( measure_collecting(&plan, &gb[kind][i], &e) )
            {
                err_print("collecting", &e);
                return EXIT_FAILURE;
            }
        }
    printf("collecting from %u full rings of %u pages into /dev/null, on one "
           "core (bar: %.0f GB/s)\n", CPUS, PAGES, BAR_GB);
    for ( unsigned int kind = 0; kind < 2; kind++ )
    {
        qsort(gb[kind], ROUNDS, sizeof(gb[kind][0]), compare_values);
        missed |= gb[kind][ROUNDS / 2] < BAR_GB;
        printf("  %-8s %6.2f GB/s\n", names[kind], gb[kind][ROUNDS / 2]);
    }
    return check && missed ? EXIT_FAILURE : EXIT_SUCCESS;
}
