/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common functions of the tests: reports of failed checks, a load with numbered
 * records, and a defined initial state.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kit.h"

/* The state of this process. */
struct kit *kit(void)
{
    static struct kit the_kit;

    return &the_kit;
}

void __attribute__((format(printf, 1, 2))) print_note(const char *format, ...)
{
    va_list args;

    printf("# ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
}

void check_seen(const struct tb_seen *s, const char *when)
{
    unsigned int cpu;

    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
        CHECK(!s[cpu].errors, "%s, cpu %u: %u errors, the first: %s",
              when, cpu, s[cpu].errors, s[cpu].error);
}

unsigned int scale_rounds(unsigned int default_rounds)
{
    unsigned int n = default_rounds * kit()->percent / 100;

    return n ? n : 1;
}

double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);

    return t.tv_sec + t.tv_nsec / 1e9;
}

bool is_in_time(void)
{
    return now() < kit()->deadline;
}

/* Numbers until which a test of their order lasts; CHECKed if time is up. */
#define MIN_NUMBERS 1000

bool lacks_numbers(const struct tb_seen *s, double until)
{
    if ( sum_seen(s).numbers > MIN_NUMBERS )
        return false;
    CHECK(now() < until, "too little load");

    return now() < until;
}

/* --- load: a process per vcpu that numbers its hypercalls --- */

static struct numbers {
    volatile uint32_t number[MAX_IDS];
} *shared;
static pid_t loads[MAX_IDS];
static unsigned int nr_loads;

int share_numbers(void)
{
    void *at = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if ( at == MAP_FAILED )
        return -errno;
    shared = at;

    return 0;
}

void pause_us(long us)
{
    struct timespec t = { us / 1000000, us % 1000000 * 1000 };

    nanosleep(&t, NULL);
}

void pin_to_cpu(unsigned int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

static void __attribute__((noreturn)) run_load(unsigned int id)
{
    unsigned int i;

    pin_to_cpu(id);
    for ( i = 0; getppid() != 1; i++ )
    {
        uint32_t n = shared->number[id] + 1;

        tb_number(id, n);
        shared->number[id] = n;
        if ( i % 512 == 0 )
            pause_us(200);
    }
    _exit(0);
}

void start_load(void)
{
    unsigned int n = sysconf(_SC_NPROCESSORS_ONLN), id;

    if ( n > MAX_IDS )
        n = MAX_IDS;
    for ( id = 0; id < n; id++ )
    {
        loads[id] = fork();
        if ( !loads[id] )
            run_load(id);
    }
    nr_loads = n;
}

void stop_load(void)
{
    while ( nr_loads )
    {
        nr_loads--;
        kill(loads[nr_loads], SIGKILL);
        waitpid(loads[nr_loads], NULL, 0);
    }
}

/*
 * Wait until every load has written `bytes` to its ring, at 24 bytes a number,
 * for up to a minute, since the emulated machine may be slow.
 */
void wait_for_load(uint64_t bytes)
{
    uint32_t from[MAX_IDS];
    double until = now() + 60;
    unsigned int id;

    for ( id = 0; id < nr_loads; id++ )
        from[id] = shared->number[id];
    for ( id = 0; id < nr_loads; )
        if ( (shared->number[id] - from[id]) * 24ull >= bytes )
            id++;
        else if ( now() > until )
        {
            CHECK(false, "load %u makes no progress", id);
            return;
        }
        else
            pause_us(1000);
}

/* --- the initial state --- */

int free_rings(void)
{
    struct tb_state s;
    int rc = tb_state(&s);

    if ( rc )
        return rc;
    kit()->cpus = s.head.nr_cpus;
    tb_op(OP(disable), 0);
    if ( s.head.pages )
        rc = tb_op(OP(free), 0);
    tb_op(OP(set_evt_mask), TRC_ALL);
    tb_cpu_mask(~0ull, 64);

    return rc;
}

/* Allocate rings of `pages`, enable tracing of all events, map the rings. */
bool start_tracing(struct tb_view *v, unsigned int pages)
{
    unsigned int before = kit()->failed;

    CHECK_RC(tb_op(OP(set_size), pages), 0);
    CHECK_RC(tb_op(OP(enable), 0), 0);
    CHECK_RC(tb_map(v, kit()->cpus), 0);

    return kit()->failed == before;
}

uint64_t total_lost(const struct tb_state *s)
{
    uint64_t lost = 0;
    unsigned int cpu;

    for ( cpu = 0; cpu < s->head.nr_cpus; cpu++ )
        lost += s->cpu[cpu].lost;

    return lost;
}

struct tb_seen sum_seen(const struct tb_seen *s)
{
    struct tb_seen all = { 0 };
    unsigned int cpu;

    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
    {
        all.records += s[cpu].records;
        all.bytes += s[cpu].bytes;
        all.pads += s[cpu].pads;
        all.lost += s[cpu].lost;
        all.lost_records += s[cpu].lost_records;
        all.numbers += s[cpu].numbers;
        all.gaps += s[cpu].gaps;
    }

    return all;
}

void print_seen(const struct tb_seen *s)
{
    struct tb_seen all = sum_seen(s);

    print_note("%llu records, %llu bytes, %llu pads, %llu LOST of %llu, "
               "%llu numbers, %llu missing",
               (unsigned long long)all.records, (unsigned long long)all.bytes,
               (unsigned long long)all.pads,
               (unsigned long long)all.lost_records,
               (unsigned long long)all.lost, (unsigned long long)all.numbers,
               (unsigned long long)all.gaps);
}
