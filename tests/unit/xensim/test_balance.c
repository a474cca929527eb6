/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xensim as a whole: a simulation runs, a reader drains the rings through the
 * socket, and at the end the counts have to balance for each pcpu:
 *
 *     emitted <= read + lost <= emitted + unsure
 *
 * Each record read has to be complete and in time order.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <public/trace.h>

#include "tests/unit/common/unit.h"
#include "tests/unit/xensim/dom0.h"

#define CPUS_MAX 8
#define PAGE 4096u

enum { SET_SIZE = 3, ENABLE = 4, DISABLE = 5, GET_INFO = 0 };

struct ring
{
    uint8_t *page;          /* the pages, contiguous; NULL: not mapped */
    uint64_t read;          /* records */
    uint64_t last_tsc;
    uint64_t emitted, unsure, lost;
};

struct play
{
    char directory[32];
    pid_t pid;
    int s;
    uint32_t pages;
    uint32_t data_size;
    const struct t_info *info;
    struct ring rings[CPUS_MAX];
};

/* ---- start and end ---------------------------------------------------- */

static void run_program(const struct play *p, const char *options, int ready)
{
    char command[1024];

    snprintf(command, sizeof(command), "exec %s/xensim/xensim --socket %s/s "
             "--report %s/report --ready-fd %d %s 2>%s/log",
             getenv("top_builddir"), p->directory, p->directory, ready,
             options, p->directory);
    execl("/bin/sh", "sh", "-c", command, NULL);
    _exit(127);
}

static void begin_run(struct play *p, const char *options)
{
    char path[64], byte;
    int ready[2];

    ck_assert_msg(getenv("top_builddir") != NULL, "top_builddir is not set");
    *p = (struct play){ .directory = "/tmp/xensim-test.XXXXXX" };
    ck_assert_ptr_nonnull(mkdtemp(p->directory));
    ck_assert_int_eq(pipe(ready), 0);
    p->pid = fork();
    if ( p->pid == 0 )
        run_program(p, options, ready[1]);
    close(ready[1]);
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    snprintf(path, sizeof(path), "%s/s", p->directory);
    p->s = dom0_connect(path);
}

static void read_report(struct play *p, const char *path)
{
    FILE *f = fopen(path, "r");
    unsigned long emitted, unsure;
    unsigned int cpu;
    char line[256];

    ck_assert_ptr_nonnull(f);
    while ( fgets(line, sizeof(line), f) )
        if ( sscanf(line, " { \"cpu\": %u, \"emitted\": %lu, \"unsure\": %lu",
                    &cpu, &emitted, &unsure) == 3 )
        {
            ck_assert_uint_lt(cpu, CPUS_MAX);
            p->rings[cpu].emitted = emitted;
            p->rings[cpu].unsure = unsure;
        }
    fclose(f);
}

static void end_run(struct play *p)
{
    static const char *const left[] = { "report", "log" };
    char path[64];
    int status;

    close(p->s);
    kill(p->pid, SIGTERM);
    ck_assert_int_eq(waitpid(p->pid, &status, 0), p->pid);
    ck_assert_int_eq(status, 0);
    snprintf(path, sizeof(path), "%s/report", p->directory);
    read_report(p, path);
    for ( size_t i = 0; i < 2; i++ )
    {
        snprintf(path, sizeof(path), "%s/%s", p->directory, left[i]);
        unlink(path);
    }
    ck_assert_int_eq(rmdir(p->directory), 0); /* the socket was removed */
}

/* ---- the rings -------------------------------------------------------- */

static void tbuf_op(struct play *p, struct xensim_tbuf *t)
{
    ck_assert_int_eq(dom0_tbuf(p->s, t), 0);
}

static int map_rings(struct play *p, uint32_t arg, const uint32_t *mfns,
                     uint32_t n)
{
    struct dom0_answer *a;

    ck_assert_int_eq(dom0_ask(p->s, XENSIM_MAP, arg, mfns, n * 4, &a), 0);
    return a->fd;
}

static void make_rings(struct play *p, uint32_t pages)
{
    struct xensim_tbuf t = { .cmd = SET_SIZE, .size = pages };
    uint32_t mfns[64];
    int fd;

    tbuf_op(p, &t);
    t.cmd = GET_INFO;
    tbuf_op(p, &t);
    ck_assert_uint_le(t.size / PAGE, 64);
    for ( uint32_t i = 0; i < t.size / PAGE; i++ )
        mfns[i] = t.buffer_mfn + i;
    fd = map_rings(p, 0, mfns, t.size / PAGE);
    p->info = mmap(NULL, t.size, PROT_READ, MAP_SHARED, fd,
                   (off_t)t.buffer_mfn * PAGE);
    ck_assert_ptr_ne(p->info, MAP_FAILED);
    close(fd);
    p->pages = pages;
    p->data_size = pages * PAGE - sizeof(struct t_buf);
}

/* Map new rings, of pcpus that have come online. */
static void map_new(struct play *p)
{
    for ( unsigned int cpu = 0; cpu < CPUS_MAX; cpu++ )
    {
        uint16_t offset = __atomic_load_n(&p->info->mfn_offset[cpu],
                                          __ATOMIC_ACQUIRE);
        const uint32_t *mfns = (const uint32_t *)p->info + offset;
        int fd;

        if ( !offset || p->rings[cpu].page )
            continue;
        fd = map_rings(p, XENSIM_MAP_WRITE, mfns, p->pages);
        p->rings[cpu].page = mmap(NULL, p->pages * PAGE, PROT_NONE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for ( uint32_t i = 0; i < p->pages; i++ )
            ck_assert_ptr_ne(mmap(p->rings[cpu].page + i * PAGE, PAGE,
                                  PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_FIXED, fd,
                                  (off_t)mfns[i] * PAGE), MAP_FAILED);
        close(fd);
    }
}

/* Check the record at `at`; returns its size. */
static uint32_t check_record_at(struct ring *r, const uint8_t *at,
                                uint32_t room)
{
    uint32_t header, size, event;
    uint64_t tsc;

    UNIT_CHECK(room >= sizeof(header));
    memcpy(&header, at, sizeof(header));
    event = TRC_HD_TO_EVENT(header);
    size = 4 + 8 * TRC_HD_INCLUDES_CYCLE_COUNT(header) +
           4 * TRC_HD_EXTRA(header);
    UNIT_CHECK(size <= room);
    if ( event == TRC_TRACE_WRAP_BUFFER )
        return size;
    if ( TRC_HD_INCLUDES_CYCLE_COUNT(header) )
    {
        memcpy(&tsc, at + 4, sizeof(tsc));
        UNIT_CHECK(tsc >= r->last_tsc);
        r->last_tsc = tsc;
    }
    r->read += event != TRC_LOST_RECORDS;
    return size;
}

static void drain_rings(const struct play *p, struct ring *r)
{
    struct t_buf *b = (struct t_buf *)r->page;
    uint32_t cons = b->cons;
    uint32_t prod = __atomic_load_n(&b->prod, __ATOMIC_ACQUIRE);

    while ( cons != prod )
    {
        uint32_t at = cons % p->data_size;
        uint32_t left = prod < cons ? prod + 2 * p->data_size - cons
                                    : prod - cons;
        uint32_t room = p->data_size - at;

        cons += check_record_at(r, r->page + sizeof(*b) + at,
                                left < room ? left : room);
        cons %= 2 * p->data_size;
    }
    __atomic_store_n(&b->cons, prod, __ATOMIC_RELEASE);
}

static uint64_t drain_all(struct play *p)
{
    uint64_t sum = 0;

    map_new(p);
    for ( unsigned int cpu = 0; cpu < CPUS_MAX; cpu++ )
    {
        if ( p->rings[cpu].page )
            drain_rings(p, &p->rings[cpu]);
        sum += p->rings[cpu].read;
    }
    return sum;
}

static void read_lost(struct play *p)
{
    struct xensim_tbuf t = {
        .cmd = XEN_SYSCTL_TBUFOP_state, .nr_bits = 8 * PAGE,
    };
    struct dom0_answer *a;

    ck_assert_int_eq(dom0_ask(p->s, XENSIM_TBUF, 0, &t, sizeof(t), &a), 0);
    memcpy(&t, a->payload, sizeof(t));
    ck_assert_uint_le(t.nr_cpus, CPUS_MAX);
    for ( uint32_t cpu = 0; cpu < t.nr_cpus; cpu++ )
    {
        struct xensim_tbuf_cpu c;

        memcpy(&c, a->payload + sizeof(t) + cpu * sizeof(c), sizeof(c));
        p->rings[cpu].lost = c.lost;
    }
}

/* Read until there are so many records, with pauses of so many ms. */
static void run_xensim(const char *options, uint32_t pages, uint64_t records,
                       int pause, bool must_lose)
{
    struct xensim_tbuf disable = { .cmd = DISABLE };
    uint64_t lost = 0;
    struct play p;

    begin_run(&p, options);
    make_rings(&p, pages);
    while ( drain_all(&p) < records )
        poll(NULL, 0, pause);
    tbuf_op(&p, &disable);
    drain_all(&p);
    read_lost(&p);
    end_run(&p);

    for ( unsigned int cpu = 0; cpu < CPUS_MAX; cpu++ )
    {
        const struct ring *r = &p.rings[cpu];

        ck_assert_uint_le(r->emitted, r->read + r->lost);
        ck_assert_uint_le(r->read + r->lost, r->emitted + r->unsure);
        lost += r->lost;
    }
    ck_assert(!must_lose || lost > 0);
}

START_TEST(with_interrupts_and_nmis)
{
    run_xensim("--cpus 3 --rate 50k --interrupts 3k --nmis 3k", 16, 100000, 5,
               false);
}
END_TEST

START_TEST(scattered_frames)
{
    run_xensim("--cpus 2 --rate 50k --scatter", 3, 50000, 1, false);
}
END_TEST

START_TEST(with_overflow)
{
    run_xensim("--cpus 2 --rate 0 --interrupts 3k --nmis 3k", 1, 20000, 20,
               true);
}
END_TEST

START_TEST(with_hotplug)
{
    run_xensim("--cpus 5 --online 3 --rate 20k --interrupts 1k --nmis 1k "
               "--hotplug 5ms", 8, 60000, 5, false);
}
END_TEST

START_TEST(with_hotplug_and_parking)
{
    run_xensim("--cpus 4 --rate 20k --interrupts 1k --hotplug 5ms --park", 2,
               60000, 5, false);
}
END_TEST

UNIT_MAIN("balance", with_interrupts_and_nmis, scattered_frames, with_overflow,
          with_hotplug, with_hotplug_and_parking)
