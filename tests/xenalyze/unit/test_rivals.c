/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rivals of long and of many waits: a random scheduler writes a script
 * (script.h) and a list of slices, from which the run time of every vcpu during
 * a wait is added up.  The facts have to say the same to the last cycle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/script.h"
#include "xenalyze/machine/global.h"

#define MAX_VCPUS 600u
#define MAX_CPUS 4u

struct slice
{
    unsigned int vcpu;
    uint64_t from, to;
};

struct play
{
    FILE *script;
    char *text;
    size_t size;
    uint64_t time, random;
    unsigned int nr_pcpus;
    unsigned int current[MAX_CPUS];
    bool running[MAX_VCPUS];
    struct slice *slices[MAX_CPUS];
    size_t nr[MAX_CPUS];
    uint64_t since[MAX_CPUS];
};

#define MAX_SLICES 300000u
#define NOBODY UINT32_MAX

static struct play *start_play(unsigned int nr_pcpus)
{
    struct play *p = calloc(1, sizeof(*p));

    ck_assert_ptr_nonnull(p);
    p->script = open_memstream(&p->text, &p->size);
    p->nr_pcpus = nr_pcpus;
    p->random = 1;
    p->time = 1;
    for ( unsigned int i = 0; i < nr_pcpus; i++ )
    {
        p->slices[i] = malloc(MAX_SLICES * sizeof(**p->slices));
        p->current[i] = NOBODY;
    }
    return p;
}

static unsigned int draw_number(struct play *p, unsigned int limit)
{
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (p->random >> 33) % limit;
}

static void play_change(struct play *p, unsigned int pcpu, const char *change,
                        unsigned int vcpu)
{
    fprintf(p->script, "%llu p%u %s d%uv%u\n", (unsigned long long)p->time,
            pcpu, change, 1 + vcpu % 3, vcpu);
}

static void play_stop(struct play *p, unsigned int pcpu, const char *to)
{
    unsigned int vcpu = p->current[pcpu];
    char change[32];

    if ( vcpu == NOBODY )
        return;
    snprintf(change, sizeof(change), "running>%s", to);
    play_change(p, pcpu, change, vcpu);
    ck_assert_uint_lt(p->nr[pcpu], MAX_SLICES);
    p->slices[pcpu][p->nr[pcpu]++] = (struct slice){ vcpu, p->since[pcpu],
                                                     p->time };
    p->running[vcpu] = false;
    p->current[pcpu] = NOBODY;
}

static void play_run(struct play *p, unsigned int pcpu, unsigned int vcpu)
{
    play_change(p, pcpu, "runnable>running", vcpu);
    p->since[pcpu] = p->time;
    p->current[pcpu] = vcpu;
    p->running[vcpu] = true;
}

/* --- the facts ------------------------------------------------------------ */

static uint64_t model_time(const struct play *p, unsigned int pcpu,
                           unsigned int vcpu, uint64_t from, uint64_t to)
{
    uint64_t sum = 0;

    for ( size_t n = p->nr[pcpu]; n; n-- )
    {
        const struct slice *s = &p->slices[pcpu][n - 1];

        if ( s->to <= from )
            break;
        if ( s->from < to && (vcpu == NOBODY || s->vcpu == vcpu) )
            sum += (s->to < to ? s->to : to) -
                   (s->from > from ? s->from : from);
    }
    return sum;
}

struct verdict
{
    unsigned int waits, rivals;         /* rivals: most of a wait */
    uint64_t longest, others;
};

/* "d2v1 waits 110..160 p0, p0 before: preempt; d2v0 25, others 3" */
static void check_wait(const struct play *p, const char *line, bool exact,
                       struct verdict *v)
{
    unsigned int pcpu, vcpu, rivals = 0;
    unsigned long long from, to, cycles;
    uint64_t sum = 0, ran, unknown = 0;
    const char *at = strchr(line, ';');

    ck_assert_int_eq(sscanf(line, "d%*uv%*u waits %llu..%llu p%u", &from, &to,
                            &pcpu), 3);
    for ( ; at; at = strchr(at + 1, ',') )
    {
        if ( sscanf(at + 1, " d%*uv%u %llu", &vcpu, &cycles) == 2 )
        {
            rivals++;
            if ( exact )
                ck_assert_uint_eq(cycles,
                                  model_time(p, pcpu, vcpu, from, to));
        }
        else if ( sscanf(at + 1, " others %llu", &cycles) == 1 )
            v->others += cycles;
        else
        {
            ck_assert_int_eq(sscanf(at + 1, " unknown %llu", &cycles), 1);
            unknown = cycles;
        }
        sum += cycles;
    }
    ran = model_time(p, pcpu, NOBODY, from, to);
    ck_assert_uint_eq(sum, to - from);
    if ( exact )
        ck_assert_uint_eq(unknown, to - from - ran);
    v->waits++;
    v->rivals = rivals > v->rivals ? rivals : v->rivals;
    v->longest = to - from > v->longest ? to - from : v->longest;
}

/* Run the script, and check all waits, or every `step`th. */
static struct verdict end_play(struct play *p, unsigned int step, bool exact)
{
    struct verdict v = { .waits = 0 };
    unsigned int nr = 0;
    char *facts, *rest;

    fclose(p->script);
    facts = script_run("wait", p->text);
    for ( char *line = strtok_r(facts, "\n", &rest); line;
          line = strtok_r(NULL, "\n", &rest) )
        if ( nr++ % step == 0 )
            check_wait(p, line, exact, &v);
    free(facts);
    free(p->text);
    for ( unsigned int i = 0; i < p->nr_pcpus; i++ )
        free(p->slices[i]);
    free(p);
    return v;
}

/* --- plays ---------------------------------------------------------------- */

/* Start a play in which vcpu 0 runs first, and then waits for pcpu 0. */
static struct play *start_wait(unsigned int nr_pcpus)
{
    struct play *p = start_play(nr_pcpus);

    play_run(p, 0, 0);
    p->time += 10;
    play_stop(p, 0, "runnable");
    return p;
}

/* A vcpu waits while two others run in turns, 100,000 times. */
START_TEST(long_wait)
{
    struct play *p = start_wait(1);
    struct verdict v;

    for ( unsigned int n = 0; n < 100000; n++ )
    {
        p->time += n % 7 == 0;
        play_run(p, 0, 1 + n % 2);
        p->time += 1 + n % 5;
        play_stop(p, 0, "runnable");
    }
    play_run(p, 0, 0);
    v = end_play(p, 997, true);
    ck_assert_uint_gt(v.waits, 90);
    ck_assert_uint_eq(v.others, 0);
}
END_TEST

/* The same, to the last wait, which alone is long. */
START_TEST(longest_wait)
{
    struct play *p = start_wait(2);
    struct verdict v;

    for ( unsigned int n = 0; n < 20000; n++ )
        for ( unsigned int pcpu = 0; pcpu < 2; pcpu++ )
        {
            p->time += 3;
            play_stop(p, pcpu, n % 3 ? "runnable" : "blocked");
            play_run(p, pcpu, 1 + pcpu + 2 * (n % 4));
        }
    p->time += 5;
    play_stop(p, 1, "blocked");
    /* The vcpu was on pcpu 0, and its wait ends on pcpu 1. */
    play_run(p, 1, 0);
    v = end_play(p, 1, true);
    ck_assert_uint_eq(v.longest, 40000 * 3 + 5);
    ck_assert_uint_eq(v.others, 0);
}
END_TEST

/* Vcpus wait for very different times, and run anywhere. */
static struct verdict play_random(unsigned int nr_pcpus, unsigned int nr_vcpus,
                                  unsigned int switches, unsigned int seed)
{
    struct play *p = start_play(nr_pcpus);

    p->random = seed;
    for ( unsigned int n = 0; n < switches; n++ )
    {
        unsigned int pcpu = draw_number(p, nr_pcpus);
        /* Some vcpus are chosen rarely. */
        unsigned int vcpu = draw_number(p, 1 + draw_number(p, nr_vcpus));

        if ( p->running[vcpu] )
            continue;
        p->time += draw_number(p, 20);
        play_stop(p, pcpu, draw_number(p, 4) ? "runnable" : "blocked");
        p->time += draw_number(p, 3);
        play_run(p, pcpu, vcpu);
    }
    return end_play(p, 1 + switches / 20000, true);
}

START_TEST(random_waits)
{
    struct verdict v;

    for ( unsigned int seed = 1; seed < 12; seed++ )
    {
        v = play_random(1 + seed % MAX_CPUS, 2 + seed, 4000, seed);
        ck_assert_uint_gt(v.waits, 300);
        ck_assert_uint_eq(v.others, 0);
    }
    /* More rivals than a fact has: the longest are in the fact. */
    v = play_random(2, 200, 20000, 99);
    ck_assert_uint_eq(v.rivals, FACT_RIVALS);
    ck_assert_uint_gt(v.others, 0);
}
END_TEST

/* 500 vcpus on a pcpu. */
START_TEST(crowded_pcpu)
{
    struct verdict v = play_random(1, 500, 60000, 5);

    ck_assert_uint_eq(v.rivals, FACT_RIVALS);
    ck_assert_uint_gt(v.others, 0);
}
END_TEST

/*
 * Beyond HISTORY_MAX: `waiting` vcpus wait, and between the begins of two waits
 * all other vcpus run, so that no two entries can become one.
 */
START_TEST(full_history)
{
    const unsigned int waiting = 300, rivals = 290;
    struct play *p = start_play(1);
    struct verdict v;

    for ( unsigned int n = 0; n < waiting; n++ )
    {
        p->time += 2;
        play_run(p, 0, n);
        p->time += 2;
        play_stop(p, 0, "runnable");
        for ( unsigned int k = 0; k < rivals; k++ )
        {
            play_run(p, 0, waiting + k);
            p->time += 1 + k % 3;
            play_stop(p, 0, "blocked");
        }
    }
    for ( unsigned int n = 0; n < waiting; n++ )
    {
        play_run(p, 0, n);
        p->time += 2;
        play_stop(p, 0, "blocked");
    }
    ck_assert_uint_gt(waiting * rivals, HISTORY_MAX);
    v = end_play(p, 1, false);
    ck_assert_uint_ge(v.waits, waiting);
    ck_assert_uint_gt(v.others, 0);
}
END_TEST

/* Without memory the older vcpus are lost, but not their time. */
START_TEST(no_memory)
{
    static struct vcpu_state states[200];
    static struct vcpu vcpus[200];
    struct wait_begins waits = { .nr = 0 };
    struct history h = { .nr = 0 };
    uint64_t sum = 0;

    ck_assert_int_eq(history_init(&h), 0);
    for ( unsigned int n = 0; n < 200; n++ )
    {
        vcpus[n].machine = &states[n];
        states[n].fact.state = STATE_RUNNABLE;
        states[n].fact.from = 10 * n;
        wait_begins_add(&waits, &vcpus[n], 10 * n);
    }
    ck_assert(!waits.failed);
    fault_arm_from(FAULT_ALLOC, 1);
    for ( unsigned int n = 0; n < 200; n++ )
    {
        history_add(&h, &vcpus[n], 10 * n, 10 * n + 7, &waits, 1);
        ck_assert_uint_le(h.nr, HISTORY_MIN);
    }
    ck_assert_uint_gt(fault_fired(FAULT_ALLOC), 0);
    ck_assert(waits.failed);
    fault_disarm();
    for ( unsigned int i = 0; i < h.nr; i++ )
        sum += h.entries[i].cycles;
    ck_assert_uint_eq(sum, 200 * 7);
    ck_assert_ptr_null(h.entries[0].vcpu);
    ck_assert_ptr_eq(h.entries[h.nr - 1].vcpu, &vcpus[199]);
    free(h.entries);
    free(waits.items);
}
END_TEST

UNIT_MAIN("rivals", long_wait, longest_wait, random_waits, crowded_pcpu,
          full_history, no_memory)
