/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The critical path: facts in, rows out.  The target is d1v0.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/account/account.h"

struct path_test
{
    struct guests guests;
    struct critical_path path;
    struct sink sinks[CRITICAL_PATH_SINKS];
    struct xt_clock clock;
    const struct vcpu *current[128];    /* by pcpu */
};

static void begin_segment(struct path_test *t, unsigned int segment)
{
    for ( unsigned int i = 0; i < CRITICAL_PATH_SINKS; i++ )
        t->sinks[i].ops->begin(t->sinks[i].state, &(struct fact_begin){
            .clock = &t->clock, .guests = &t->guests, .segment = segment });
}

static void begin_test(struct path_test *t)
{
    memset(t, 0, sizeof(*t));
    ck_assert_int_eq(guests_init(&t->guests, 8, 8), 0);
    xt_clock_init(&t->clock, SECOND, SECOND, 0);
    ck_assert_int_eq(critical_path_init(&t->path, 4), 0);
    t->path.domain = 1;
    t->path.vcpu = 0;
    critical_path_get_sinks(&t->path, t->sinks);
    begin_segment(t, 0);
}

static void end_segment(struct path_test *t)
{
    struct err e = ERR_INIT;

    for ( unsigned int i = 0; i < CRITICAL_PATH_SINKS; i++ )
        ck_assert_int_eq(t->sinks[i].ops->end(t->sinks[i].state,
                         &(struct fact_end){ .last = 1 }, &e), 0);
}

static void end_test(struct path_test *t)
{
    critical_path_fini(&t->path);
    guests_fini(&t->guests);
}

/* d<domain>v0 was in a state on the pcpu of its number, and changed there. */
static void add_state_at(struct path_test *t, unsigned int domain,
                         unsigned int state, unsigned int next, uint64_t from,
                         uint64_t to, uint32_t next_pcpu)
{
    const struct fact_runstate f = {
        .vcpu = guests_get_vcpu(&t->guests, domain, 0), .from = from,
        .to = to, .pcpu = domain, .next_pcpu = next_pcpu, .state = state,
        .next = next, .waker = t->current[next_pcpu],
    };

    for ( unsigned int i = 0; i < CRITICAL_PATH_SINKS; i++ )
        t->sinks[i].ops->runstate(t->sinks[i].state, &f);
    if ( state == STATE_RUNNING )
        t->current[domain] = NULL;
    if ( next == STATE_RUNNING )
        t->current[next_pcpu] = f.vcpu;
}

static void add_state(struct path_test *t, unsigned int domain,
                      unsigned int state, unsigned int next, uint64_t from,
                      uint64_t to)
{
    add_state_at(t, domain, state, next, from, to, domain);
}

/* The wait of a vcpu, with one rival, or 0: none. */
static void add_wait(struct path_test *t, unsigned int domain, uint64_t from,
                     uint64_t to, unsigned int rival, unsigned int waker)
{
    const struct fact_wait f = {
        .vcpu = guests_get_vcpu(&t->guests, domain, 0), .from = from,
        .to = to, .why = WHY_WAKE,
        .waker = waker ? guests_get_vcpu(&t->guests, waker, 0) : NULL,
        .nr_rivals = rival != 0,
        .rivals = { { guests_get_vcpu(&t->guests, rival, 0), to - from } },
    };

    t->sinks[1].ops->wait(t->sinks[1].state, &f);
}

/* The vcpu is blocked, woken by `waker`, and runs at once. */
static void add_block(struct path_test *t, unsigned int domain,
                      unsigned int waker, uint64_t from, uint64_t to)
{
    add_state_at(t, domain, STATE_BLOCKED, STATE_RUNNABLE, from, to, waker);
    add_wait(t, domain, to, to, 0, waker);
    add_state(t, domain, STATE_RUNNABLE, STATE_RUNNING, to, to);
}

/* End the trace; rows as "d1 runs 10", and their sum. */
static void expect_path(struct path_test *t, const char *expected)
{
    char text[1000] = "";
    size_t used = 0;
    uint64_t sum = 0;

    end_segment(t);
    critical_path_close(&t->path);
    for ( size_t i = 0; i < t->path.nr_rows; i++ )
    {
        const struct critical_row *r = &t->path.rows[i];

        used += snprintf(text + used, sizeof(text) - used, "%sd%u %s",
                         used ? "; " : "", r->domain,
                         r->state == CRITICAL_SLEEPS
                         ? block_reason_name(r->reason)
                         : critical_state_name(r->state));
        if ( r->has_other )
            used += snprintf(text + used, sizeof(text) - used, " d%u",
                             r->other_domain);
        if ( r->is_other_idle )
            used += snprintf(text + used, sizeof(text) - used, " idle");
        if ( r->has_irq )
            used += snprintf(text + used, sizeof(text) - used, " irq %u",
                             r->irq);
        used += snprintf(text + used, sizeof(text) - used, " %" PRIu64,
                         r->stats->sum);
        sum += r->stats->sum;
    }
    ck_assert_uint_eq(sum, t->path.span);
    ck_assert_str_eq(text, expected);
    end_test(t);
}

START_TEST(own_states)
{
    struct path_test t;

    begin_test(&t);
    add_state(&t, 1, STATE_INIT, STATE_RUNNING, 0, 5);
    add_state(&t, 1, STATE_RUNNING, STATE_RUNNABLE, 5, 20);
    add_wait(&t, 1, 20, 60, 7, 0);
    add_state(&t, 1, STATE_RUNNABLE, STATE_RUNNING, 20, 60);
    add_state(&t, 1, STATE_RUNNING, STATE_OFFLINE, 60, 70);
    add_state(&t, 1, STATE_OFFLINE, STATE_RUNNABLE, 70, 100);
    add_wait(&t, 1, 100, 102, XT_DOMAIN_IDLE, 0);
    add_state(&t, 1, STATE_RUNNABLE, STATE_RUNNING, 100, 102);
    add_state(&t, 1, STATE_RUNNING, STATE_BLOCKED, 102, 103);
    add_state(&t, 1, STATE_BLOCKED, STATES, 103, 107);
    expect_path(&t, "d1 waits d7 40; d1 paused 30; d1 runs 26; d1 unknown 5; "
                "d1 open 4; d1 waits idle 2");
}
END_TEST

/* d1 is blocked for d2, which is blocked for d3; d3 waits behind d9. */
static void add_chain(struct path_test *t)
{
    add_state(t, 2, STATE_BLOCKED, STATE_RUNNABLE, 0, 5);
    add_state(t, 2, STATE_RUNNABLE, STATE_RUNNING, 5, 5);
    add_state(t, 1, STATE_RUNNING, STATE_BLOCKED, 0, 10);
    add_state(t, 2, STATE_RUNNING, STATE_BLOCKED, 5, 20);
    add_state(t, 3, STATE_RUNNING, STATE_RUNNABLE, 0, 30);
    add_wait(t, 3, 30, 60, 9, 0);
    add_state(t, 3, STATE_RUNNABLE, STATE_RUNNING, 30, 60);
    add_block(t, 2, 3, 20, 67);
    add_state(t, 3, STATE_RUNNING, STATE_BLOCKED, 60, 70);
    add_block(t, 1, 2, 10, 80);
    add_state(t, 1, STATE_RUNNING, STATES, 80, 85);
    add_state(t, 2, STATE_RUNNING, STATES, 67, 90);
}

START_TEST(chain)
{
    struct path_test t;

    /* 0 d1 10 d2 20 d3 30 d3 waits 60 d3 67 d2 80 d1 85 */
    begin_test(&t);
    add_chain(&t);
    ck_assert_uint_eq(t.path.longest.size, 4);
    expect_path(&t, "d3 waits d9 30; d2 runs 23; d3 runs 17; d1 runs 15");
}
END_TEST

/* A waker that is not known before its first state, nor in a gap. */
START_TEST(unknown_waker)
{
    struct path_test t;

    begin_test(&t);
    add_state(&t, 1, STATE_RUNNING, STATE_BLOCKED, 0, 10);
    add_state(&t, 2, STATE_LOST, STATE_RUNNING, 15, 20);
    add_block(&t, 1, 2, 10, 30);
    add_state(&t, 2, STATE_RUNNING, STATES, 20, 40);
    add_state(&t, 1, STATE_RUNNING, STATES, 30, 40);
    expect_path(&t, "d1 runs 20; d2 runs 10; d2 unknown 10");
}
END_TEST

START_TEST(longest_parts)
{
    const uint64_t expected[][3] = {
        { 3, 30, 60 }, { 2, 67, 80 }, { 1, 0, 10 }, { 2, 10, 20 },
    };
    struct path_test t;

    begin_test(&t);
    add_chain(&t);
    end_segment(&t);
    critical_path_close(&t.path);
    ck_assert_uint_eq(t.path.nr_longest, 4);
    for ( unsigned int i = 0; i < 4; i++ )
    {
        const struct critical_part *part = &t.path.longest_parts[i];

        ck_assert_uint_eq(part->row.domain, expected[i][0]);
        ck_assert_uint_eq(part->from, expected[i][1]);
        ck_assert_uint_eq(part->to, expected[i][2]);
    }
    end_test(&t);
}
END_TEST

/* Two vcpus that wake each other; none is on its own path twice. */
START_TEST(ping_pong)
{
    struct path_test t;

    begin_test(&t);
    add_state(&t, 1, STATE_RUNNABLE, STATE_RUNNING, 0, 1);
    add_state(&t, 2, STATE_RUNNABLE, STATE_RUNNING, 0, 1);
    add_state(&t, 2, STATE_RUNNING, STATE_BLOCKED, 1, 5);
    add_state(&t, 1, STATE_RUNNING, STATE_BLOCKED, 1, 10);
    add_block(&t, 2, 1, 5, 10);
    add_block(&t, 1, 2, 10, 30);
    add_state(&t, 2, STATE_RUNNING, STATE_BLOCKED, 10, 35);
    add_state(&t, 1, STATE_RUNNING, STATE_BLOCKED, 30, 40);
    add_block(&t, 2, 1, 35, 40);
    add_block(&t, 1, 2, 40, 50);
    add_state(&t, 1, STATE_RUNNING, STATES, 50, 52);
    add_state(&t, 2, STATE_RUNNING, STATES, 40, 52);
    expect_path(&t, "d2 runs 30; d1 runs 21; d1 waits 1");
}
END_TEST

START_TEST(device_model)
{
    const struct fact_handle port = { .kind = HANDLE_PIO };
    struct fact_exit exit = { .start = 8, .cycles = 42 };
    const struct fact_exit_block block = { &exit, &port, 40, true };

    for ( unsigned int is_late = 0; is_late < 2; is_late++ )
    {
        struct path_test t;

        begin_test(&t);
        exit.vcpu = guests_get_vcpu(&t.guests, 1, 0);
        add_state(&t, 2, STATE_RUNNABLE, STATE_RUNNING, 0, 20);
        add_state(&t, 1, STATE_RUNNING, STATE_OFFLINE, 0, 10);
        if ( !is_late )
            t.sinks[1].ops->exit_block(t.sinks[1].state, &block);
        add_state(&t, 1, STATE_OFFLINE, STATE_RUNNABLE, 10, 50);
        if ( is_late )
            t.sinks[1].ops->exit_block(t.sinks[1].state, &block);
        add_wait(&t, 1, 50, 51, 0, 2);
        add_state(&t, 1, STATE_RUNNABLE, STATE_RUNNING, 50, 51);
        /* A pause after the exit is another one. */
        add_state(&t, 1, STATE_RUNNING, STATE_OFFLINE, 51, 54);
        add_state(&t, 1, STATE_OFFLINE, STATE_RUNNABLE, 54, 70);
        add_wait(&t, 1, 70, 70, 0, 2);
        add_state(&t, 1, STATE_RUNNABLE, STATES, 70, 72);
        add_state(&t, 2, STATE_RUNNING, STATES, 20, 72);
        expect_path(&t, "d2 runs 30; d1 paused 16; d1 runs 13; d2 waits 10; "
                    "d1 waits 3");
    }
}
END_TEST

/* More vcpus in a row than the walk follows: the last has its own reason. */
START_TEST(depth)
{
    struct path_test t;
    unsigned int last = CRITICAL_MAX_DEPTH + 5;
    uint64_t end = 2000;

    begin_test(&t);
    for ( unsigned int i = 1; i < last; i++ )
        add_state(&t, i, STATE_RUNNING, STATE_BLOCKED, 0, 10 * i);
    add_state(&t, last, STATE_RUNNABLE, STATE_RUNNING, 0, 1);
    for ( unsigned int i = last - 1; i >= 1; i-- )
        add_block(&t, i, i + 1, 10 * i, end - i);
    for ( unsigned int i = 1; i <= last; i++ )
        add_state(&t, i, STATE_RUNNING, STATES, i == last ? 1 : end - i, end);
    end_segment(&t);
    critical_path_close(&t.path);
    ck_assert_uint_eq(t.path.span, end);
    ck_assert_uint_eq(t.path.rows[0].domain, CRITICAL_MAX_DEPTH);
    ck_assert_uint_eq(t.path.rows[0].state, CRITICAL_SLEEPS);
    ck_assert_uint_eq(t.path.rows[0].other_domain, CRITICAL_MAX_DEPTH + 1);
    end_test(&t);
}
END_TEST

/* Times of segments are not compared; contradicting times do no harm. */
START_TEST(segments)
{
    struct path_test t;

    begin_test(&t);
    add_chain(&t);
    end_segment(&t);
    begin_segment(&t, 1);
    add_state(&t, 1, STATE_RUNNING, STATE_BLOCKED, 3, 4);
    add_state_at(&t, 1, STATE_BLOCKED, STATE_RUNNABLE, 4, UINT64_MAX, 2);
    add_state(&t, 1, STATE_RUNNABLE, STATE_RUNNING, UINT64_MAX, 9);
    add_state(&t, 1, STATE_RUNNING, STATE_BLOCKED, 9, 12);
    add_state(&t, 1, STATE_BLOCKED, STATES, 12, 20);
    ck_assert_uint_eq(t.path.span, 85);
    expect_path(&t, "d3 waits d9 30; d2 runs 23; d1 runs 19; d3 runs 17; "
                "d1 open 8; d1 unknown 5");
}
END_TEST

/* --- random hosts --------------------------------------------------------- */

#define VCPUS 5u

struct random_vcpu
{
    unsigned int state;
    uint64_t since;
};

static void add_random(struct path_test *t, struct random_vcpu *vcpus,
                       unsigned int steps)
{
    uint64_t now = 0;

    for ( unsigned int i = 0; i < steps; i++ )
    {
        unsigned int n = 1 + rand() % VCPUS, waker = 1 + rand() % VCPUS;
        struct random_vcpu *v = &vcpus[n];
        unsigned int next = v->state == STATE_RUNNING ? STATE_BLOCKED
                                                      : STATE_RUNNING;

        now += 1 + rand() % 100;
        if ( v->state == STATE_BLOCKED && waker != n &&
             vcpus[waker].state == STATE_RUNNING )
            add_block(t, n, waker, v->since, now);
        else if ( v->state == STATE_BLOCKED )
        {
            add_state_at(t, n, STATE_BLOCKED, STATE_RUNNABLE, v->since, now,
                         99);
            add_state(t, n, STATE_RUNNABLE, STATE_RUNNING, now, now);
        }
        else
            add_state(t, n, v->state, next, v->since, now);
        v->state = next;
        v->since = now;
    }
    for ( unsigned int i = 1; i <= VCPUS; i++ )
        add_state(t, i, vcpus[i].state, STATES, vcpus[i].since, now + 1);
}

/* The parts follow each other, from the first time to the last. */
static void check_part(void *state, const struct critical_part *part)
{
    uint64_t *end = state;

    ck_assert_uint_eq(part->from, *end);
    ck_assert_uint_lt(part->from, part->to);
    *end = part->to;
}

/* The rows with so much memory, in the order of their ids, as text. */
static void run_random(unsigned int seed, size_t max_steps, char text[4000],
                       uint64_t *dropped)
{
    struct random_vcpu vcpus[VCPUS + 1];
    struct path_test t;
    uint64_t end = 0;
    size_t used = 0;

    srand(seed);
    for ( unsigned int i = 0; i <= VCPUS; i++ )
        vcpus[i] = (struct random_vcpu){ STATE_RUNNING, 0 };
    begin_test(&t);
    t.path.max_steps = max_steps;
    t.path.on_part = check_part;
    t.path.on_part_arg = &end;
    add_random(&t, vcpus, 3000);
    end_segment(&t);
    critical_path_close(&t.path);
    *dropped = 0;
    for ( size_t i = 0; i < t.path.nr_rows; i++ )
    {
        const struct critical_row *r = &t.path.rows[i];

        used += snprintf(text + used, 4000 - used, "d%u %u %u d%u %" PRIu64
                         "\n", r->domain, r->state, r->reason,
                         r->other_domain, r->stats->sum);
        if ( r->state == CRITICAL_DROPPED )
            *dropped += r->stats->sum;
    }
    /* Each vcpu lasts from 0 to the same end. */
    ck_assert_uint_eq(t.path.span, t.path.done);
    ck_assert_uint_eq(end, t.path.done);
    end_test(&t);
}

START_TEST(little_memory)
{
    char whole[4000], part[4000];
    uint64_t dropped;

    for ( unsigned int seed = 1; seed <= 20; seed++ )
    {
        run_random(seed, CRITICAL_MAX_STEPS, whole, &dropped);
        ck_assert_uint_eq(dropped, 0);
        run_random(seed, 400, part, &dropped);
        ck_assert_uint_eq(dropped, 0);
        ck_assert_str_eq(part, whole);
        run_random(seed, 4, part, &dropped);
    }
}
END_TEST

/* The target sleeps for longer than the memory lasts. */
START_TEST(long_sleep)
{
    struct path_test t;

    begin_test(&t);
    t.path.max_steps = 8;
    add_state(&t, 1, STATE_RUNNING, STATE_BLOCKED, 0, 10);
    for ( unsigned int i = 0; i < 100; i++ )
    {
        add_state(&t, 2, STATE_RUNNABLE, STATE_RUNNING, 10 * i, 10 * i + 1);
        add_state(&t, 2, STATE_RUNNING, STATE_RUNNABLE, 10 * i + 1,
                  10 * i + 10);
    }
    add_state(&t, 2, STATE_RUNNABLE, STATE_RUNNING, 1000, 1001);
    add_block(&t, 1, 2, 10, 1005);
    add_state(&t, 1, STATE_RUNNING, STATES, 1005, 1010);
    add_state(&t, 2, STATE_RUNNING, STATES, 1001, 1010);
    end_segment(&t);
    critical_path_close(&t.path);
    ck_assert_uint_eq(t.path.span, 1010);
    ck_assert_uint_eq(t.path.rows[0].state, CRITICAL_DROPPED);
    ck_assert_uint_eq(t.path.rows[0].domain, 2);
    ck_assert_uint_gt(t.path.rows[0].stats->sum, 900);
    end_test(&t);
}
END_TEST

START_TEST(failed_allocations)
{
    for ( unsigned long nth = 1;; nth++ )
    {
        struct err e = ERR_INIT;
        struct path_test t;
        bool fired;
        int rc;

        begin_test(&t);
        for ( unsigned int i = 0; i < 10; i++ )
            ck_assert_ptr_nonnull(guests_get_vcpu(&t.guests, i, 0));
        fault_arm(FAULT_ALLOC, nth);
        add_chain(&t);
        fired = fault_fired(FAULT_ALLOC);
        fault_disarm();
        t.sinks[0].ops->end(t.sinks[0].state, &(struct fact_end){ .last = 1 },
                            &e);
        rc = t.sinks[1].ops->end(t.sinks[1].state,
                                 &(struct fact_end){ .last = 1 }, &e);
        ck_assert_int_eq(rc, fired ? -ENOMEM : 0);
        end_test(&t);
        if ( !fired )
            break;
    }
}
END_TEST

UNIT_MAIN("critical path", own_states, chain, unknown_waker, longest_parts,
          ping_pong, device_model, depth, segments, little_memory, long_sleep,
          failed_allocations)
