/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reasons of blocked times: facts in, numbers out.  The vcpu d1v0 blocks, and
 * is woken by a record of pcpu 0.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/account/account.h"

struct block_test
{
    struct guests guests;
    struct block_reasons blocks;
    struct sink sink;
    struct xt_clock clock;
    const struct vcpu *current; /* on pcpu 0 */
};

static void begin_hosted_test(struct block_test *t, const struct xt_host *host)
{
    memset(t, 0, sizeof(*t));
    ck_assert_int_eq(guests_init(&t->guests, 8, 8), 0);
    xt_clock_init(&t->clock, SECOND, SECOND, 0);
    block_reasons_init(&t->blocks);
    t->sink = block_reasons_sink(&t->blocks);
    t->sink.ops->begin(t->sink.state, &(struct fact_begin){
        .clock = &t->clock, .guests = &t->guests, .host = host });
}

static void begin_test(struct block_test *t)
{
    begin_hosted_test(t, NULL);
}

static const struct vcpu *get_guest(struct block_test *t, unsigned int domain)
{
    return guests_get_vcpu(&t->guests, domain, domain == 1);
}

static const struct vcpu *get_sleeper(struct block_test *t)
{
    return guests_get_vcpu(&t->guests, 1, 0);
}

/* The vcpu runs on pcpu 0 from now on. */
static void run_on_pcpu(struct block_test *t, const struct vcpu *v)
{
    t->current = v;
}

/* The vcpu had an exit on pcpu 0; reason 1 of Intel is an interrupt. */
static void add_exit(struct block_test *t, const struct vcpu *v,
                     uint32_t reason, uint64_t start, uint64_t cycles)
{
    t->sink.ops->exit(t->sink.state, &(struct fact_exit){
        .vcpu = v, .reason = reason, .start = start, .cycles = cycles });
}

/* d1v0 was blocked, and is now in the state `next`. */
static void end_block(struct block_test *t, uint64_t from, uint64_t to,
                      unsigned int next)
{
    t->sink.ops->runstate(t->sink.state, &(struct fact_runstate){
        .vcpu = get_sleeper(t), .from = from, .to = to, .pcpu = 1,
        .state = STATE_BLOCKED, .next = next, .waker = t->current });
}

static void add_event(struct block_test *t, uint32_t event, uint64_t time)
{
    const struct xt_record r = { .event = event };

    t->sink.ops->event(t->sink.state, &(struct fact_event){
        .time = time, .record = &r });
}

static void add_irq(struct block_test *t, uint32_t irq, uint64_t time,
                    uint32_t cycles)
{
    t->sink.ops->irq(t->sink.state, &(struct fact_irq){
        .time = time, .kind = IRQ_HANDLED, .irq = irq, .has_cycles = true,
        .cycles = cycles });
}

static void add_call(struct block_test *t, const struct vcpu *v,
                     unsigned int kind, uint32_t number, uint64_t time)
{
    t->sink.ops->pv(t->sink.state, &(struct fact_pv){
        .vcpu = v, .kind = kind, .number = number, .time = time });
}

/* d2 runs on pcpu 0, in a trace with records of interrupts. */
static void begin_beside_guest(struct block_test *t)
{
    begin_test(t);
    add_irq(t, 24, 1, 0);
    run_on_pcpu(t, get_guest(t, 2));
}

static void add_vector(struct block_test *t, uint64_t time, uint64_t vector)
{
    t->sink.ops->handle(t->sink.state, &(struct fact_handle){
        .vcpu = get_sleeper(t), .time = time, .kind = HANDLE_INJECT,
        .at = vector });
}

/* End the trace; reasons, domains and cycles, as "event d2 10". */
static void expect_reasons(struct block_test *t, const char *expected)
{
    struct err e = ERR_INIT;
    const struct block_vcpu *v;
    char text[400] = "";
    size_t used = 0;
    uint64_t sum = 0;

    ck_assert_int_eq(t->sink.ops->end(t->sink.state, &(struct fact_end){
        .last = 1 }, &e), 0);
    block_reasons_close(&t->blocks);
    v = block_reasons_find(&t->blocks, 1, 0);
    ck_assert_ptr_nonnull(v);
    for ( const struct block_waker *w = v->wakers; w; w = w->next )
    {
        used += snprintf(text + used, sizeof(text) - used, "%s%s",
                         used ? "; " : "", block_reason_name(w->source.reason));
        if ( w->source.has_domain )
            used += snprintf(text + used, sizeof(text) - used, " d%u",
                             w->source.domain);
        if ( w->source.has_irq )
            used += snprintf(text + used, sizeof(text) - used, " irq %u",
                             w->source.irq);
        used += snprintf(text + used, sizeof(text) - used, " %" PRIu64,
                         w->stats.sum);
        sum += w->stats.sum;
    }
    ck_assert_uint_eq(sum, v->blocked);
    ck_assert_str_eq(text, expected);
    ck_assert_ptr_null(block_reasons_find(&t->blocks, 9, 9));
    block_reasons_fini(&t->blocks);
    guests_fini(&t->guests);
}

START_TEST(wakers)
{
    struct block_test t;

    begin_test(&t);
    /* No vcpu is known to run on pcpu 0. */
    end_block(&t, 10, 11, STATE_RUNNABLE);
    run_on_pcpu(&t, get_guest(&t, 2));
    end_block(&t, 20, 30, STATE_RUNNABLE);
    run_on_pcpu(&t, get_guest(&t, 1));
    end_block(&t, 40, 45, STATE_RUNNABLE);
    end_block(&t, 50, 54, STATE_OFFLINE);
    end_block(&t, 60, 63, STATE_LOST);
    end_block(&t, 70, 72, STATES);
    expect_reasons(&t, "event d2 10; sibling 5; paused 4; unknown 4; open 2");
}
END_TEST

START_TEST(vcpu_leaves_pcpu)
{
    struct block_test t;

    begin_test(&t);
    run_on_pcpu(&t, get_guest(&t, 2));
    run_on_pcpu(&t, NULL);
    end_block(&t, 20, 30, STATE_RUNNABLE);
    expect_reasons(&t, "unknown 10");
}
END_TEST

START_TEST(interrupts)
{
    const struct vcpu *idle;
    struct block_test t;

    begin_test(&t);
    idle = guests_get_vcpu(&t.guests, XT_DOMAIN_IDLE, 0);
    run_on_pcpu(&t, idle);
    /* The handler began before the wake-up, and ended after it. */
    end_block(&t, 100, 110, STATE_RUNNABLE);
    add_irq(&t, 24, 112, 5);
    /* The same interrupt again: a handler around the first one. */
    add_irq(&t, 25, 113, 9);
    /* A later handler. */
    end_block(&t, 200, 207, STATE_RUNNABLE);
    add_irq(&t, 24, 300, 5);
    /* A running guest is no waker, either. */
    run_on_pcpu(&t, get_guest(&t, 2));
    end_block(&t, 400, 403, STATE_RUNNABLE);
    add_irq(&t, 17, 404, 4);
    /* In a VM exit for an interrupt; and in one for a hypercall. */
    end_block(&t, 500, 502, STATE_RUNNABLE);
    add_exit(&t, get_guest(&t, 2), 1, 501, 5);
    end_block(&t, 600, 601, STATE_RUNNABLE);
    add_exit(&t, get_guest(&t, 2), 18, 600, 5);
    t.sink.ops->exit(t.sink.state, &(struct fact_exit){
        .reason = 0x60, .hardware = XT_HARDWARE_SVM, .start = 602,
        .cycles = 5 });
    expect_reasons(&t, "device irq 24 10; timer 9; device irq 17 3; "
                   "event d2 1");
}
END_TEST

/* d2 runs on the pcpu during an exit of d3, which the scheduler interrupted. */
START_TEST(exit_of_another)
{
    struct block_test t;

    begin_beside_guest(&t);
    end_block(&t, 500, 502, STATE_RUNNABLE);
    add_exit(&t, get_guest(&t, 3), 1, 400, 500);
    end_block(&t, 1000, 1001, STATE_RUNNABLE);
    add_exit(&t, get_guest(&t, 2), 1, 1000, 10);
    expect_reasons(&t, "event d2 2; timer 1");
}
END_TEST

/* One interrupt fires the timers of many vcpus. */
START_TEST(many_wakeups)
{
    struct block_test t;

    begin_beside_guest(&t);
    /* Before the interrupt. */
    end_block(&t, 90, 99, STATE_RUNNABLE);
    end_block(&t, 95, 100, STATE_RUNNABLE);
    for ( unsigned int i = 1; i < 90; i++ )
        t.sink.ops->runstate(t.sink.state, &(struct fact_runstate){
            .vcpu = guests_get_vcpu(&t.guests, 3, i), .from = 10,
            .to = 100 + i, .pcpu = 1, .state = STATE_BLOCKED,
            .next = STATE_RUNNABLE, .waker = t.current });
    add_exit(&t, get_guest(&t, 2), 1, 100, 100);
    expect_reasons(&t, "event d2 9; timer 5");
}
END_TEST

/* The fact of the exit would come behind the next block of d1v0. */
START_TEST(paused_exits)
{
    struct block_test t;

    begin_beside_guest(&t);
    for ( uint32_t reason = 1; reason <= 3; reason += 2 )
    {
        end_block(&t, 100 * reason, 100 * reason + reason, STATE_RUNNABLE);
        t.sink.ops->exit_pause(t.sink.state, &(struct fact_exit_pause){
            .vcpu = get_guest(&t, 2), .reason = reason,
            .start = 100 * reason, .time = 100 * reason + 9 });
    }
    expect_reasons(&t, "event d2 3; timer 1");
}
END_TEST

/* Without records of interrupts, only a timer's own record is a proof. */
START_TEST(no_irq_records)
{
    struct block_test t;

    begin_test(&t);
    run_on_pcpu(&t, guests_get_vcpu(&t.guests, XT_DOMAIN_IDLE, 0));
    end_block(&t, 100, 110, STATE_RUNNABLE);
    add_event(&t, TRC_HVM_EMUL_LAPIC_TIMER_CB, 200);
    end_block(&t, 195, 201, STATE_RUNNABLE);
    add_event(&t, TRC_HVM_EMUL_PIT_TIMER_CB, 300);
    end_block(&t, 60000, 60003, STATE_RUNNABLE);
    expect_reasons(&t, "unknown 13; timer 6");
}
END_TEST

START_TEST(pv_wakers)
{
    const struct vcpu *waker;
    struct block_test t;

    begin_test(&t);
    waker = get_guest(&t, 2);
    run_on_pcpu(&t, waker);
    add_irq(&t, 24, 1, 0);
    add_call(&t, waker, PV_HYPERCALL_V2, 32, 108);
    end_block(&t, 100, 110, STATE_RUNNABLE);
    add_call(&t, waker, PV_HYPERCALL, 29, 203);
    end_block(&t, 200, 204, STATE_RUNNABLE);
    add_call(&t, waker, PV_TRAP, 32, 302);
    end_block(&t, 300, 303, STATE_RUNNABLE);
    add_call(&t, waker, PV_HYPERCALL_SUBCALL, 41, 400);
    end_block(&t, 400, 401, STATE_RUNNABLE);
    /* Too long ago. */
    end_block(&t, 60000, 60002, STATE_RUNNABLE);
    expect_reasons(&t, "event d2 11; timer 9");
}
END_TEST

/* An event wakes one vcpu; calls of device models may wake several. */
START_TEST(one_event)
{
    struct block_test t;

    begin_beside_guest(&t);
    add_call(&t, get_guest(&t, 2), PV_HYPERCALL_V2, 32, 108);
    end_block(&t, 100, 110, STATE_RUNNABLE);
    end_block(&t, 111, 112, STATE_RUNNABLE);
    add_call(&t, get_guest(&t, 2), PV_HYPERCALL_V2, 41, 200);
    end_block(&t, 200, 202, STATE_RUNNABLE);
    end_block(&t, 203, 205, STATE_RUNNABLE);
    expect_reasons(&t, "event d2 14; timer 1");
}
END_TEST

/* Metadata with one domain, without the flags of HVM and PVH. */
static struct xt_host make_pv_host(unsigned int domain)
{
    const struct xt_meta meta = {
        .event = TRC_META_DOMAIN, .domain = { .dom = domain, .vcpus = 1 } };
    struct xt_host host = { .all = NULL };

    ck_assert_int_eq(xt_host_add(&host, &meta), 0);
    xt_host_finish(&host);
    ck_assert_ptr_nonnull(xt_host_domain(&host, domain));
    return host;
}

/* Another vcpu of a PV guest has hypercalls, or the metadata know the guest. */
START_TEST(pv_waker_without_calls)
{
    struct xt_host host = make_pv_host(3);
    struct block_test t;

    begin_beside_guest(&t);
    end_block(&t, 100, 110, STATE_RUNNABLE);
    add_call(&t, guests_get_vcpu(&t.guests, 2, 5), PV_HYPERCALL_V2, 32, 150);
    end_block(&t, 200, 205, STATE_RUNNABLE);
    run_on_pcpu(&t, get_guest(&t, 3));
    end_block(&t, 300, 303, STATE_RUNNABLE);
    expect_reasons(&t, "event d2 10; timer 5; event d3 3");

    begin_hosted_test(&t, &host);
    add_irq(&t, 24, 1, 0);
    run_on_pcpu(&t, get_guest(&t, 3));
    /* Without any PV record, these are not in the trace. */
    end_block(&t, 100, 110, STATE_RUNNABLE);
    add_call(&t, get_guest(&t, 2), PV_HYPERCALL_V2, 32, 150);
    end_block(&t, 200, 205, STATE_RUNNABLE);
    run_on_pcpu(&t, get_guest(&t, 4));
    end_block(&t, 300, 303, STATE_RUNNABLE);
    expect_reasons(&t, "event d3 10; timer 5; event d4 3");
    xt_host_fini(&host);
}
END_TEST

/* The blocked part of an exit ends. */
static void end_exit_block(struct block_test *t, const struct fact_exit *exit,
                           bool is_access)
{
    t->sink.ops->exit_block(t->sink.state, &(struct fact_exit_block){
        .exit = exit, .is_access = is_access });
}

START_TEST(emulated_devices)
{
    struct fact_exit exit = { .start = 95 };
    struct block_test t;

    begin_test(&t);
    exit.vcpu = get_sleeper(&t);
    run_on_pcpu(&t, get_guest(&t, 0));
    end_block(&t, 100, 110, STATE_RUNNABLE);
    end_exit_block(&t, &exit, true);
    end_block(&t, 200, 203, STATE_RUNNABLE);
    end_exit_block(&t, &exit, false);
    /* The exit began behind the block: another one. */
    end_block(&t, 300, 302, STATE_RUNNABLE);
    exit.start = 301;
    end_exit_block(&t, &exit, true);
    expect_reasons(&t, "emulated d0 10; event d0 5");
}
END_TEST

START_TEST(vectors)
{
    struct block_test t;

    begin_test(&t);
    run_on_pcpu(&t, guests_get_vcpu(&t.guests, XT_DOMAIN_IDLE, 0));
    end_block(&t, 100, 110, STATE_RUNNABLE);
    add_vector(&t, 90, 0x50);   /* before the wake-up */
    add_vector(&t, 120, 0xec);
    add_vector(&t, 121, 0xfd);
    end_block(&t, 200, 207, STATE_RUNNABLE);
    add_vector(&t, 208, 0xfd);
    end_block(&t, 300, 303, STATE_RUNNABLE);
    add_vector(&t, 304, 0x50);
    end_block(&t, 400, 401, STATE_RUNNABLE);
    add_vector(&t, 402, 0x1000);
    expect_reasons(&t, "timer 10; sibling 7; unknown 4");
}
END_TEST

START_TEST(learned_vectors)
{
    struct block_test t;

    begin_test(&t);
    run_on_pcpu(&t, guests_get_vcpu(&t.guests, XT_DOMAIN_IDLE, 0));
    for ( unsigned int i = 1; i <= 20; i++ )
    {
        add_event(&t, TRC_HVM_EMUL_LAPIC_TIMER_CB, 100 * i);
        end_block(&t, 100 * i, 100 * i + 1, STATE_RUNNABLE);
        add_vector(&t, 100 * i + 2, 0x31);
    }
    end_block(&t, 10000, 10005, STATE_RUNNABLE);
    add_vector(&t, 10006, 0x31);
    end_block(&t, 20000, 20003, STATE_RUNNABLE);
    add_vector(&t, 20006, 0x32);
    expect_reasons(&t, "timer 25; unknown 3");
}
END_TEST

/* More wakers than are kept share a row. */
START_TEST(many_wakers)
{
    struct block_test t;
    uint64_t sum = 0;

    begin_test(&t);
    for ( unsigned int i = 2; i < 2 + 2 * BLOCK_WAKERS; i++ )
    {
        run_on_pcpu(&t, get_guest(&t, i));
        end_block(&t, 100 * i, 100 * i + 1, STATE_RUNNABLE);
    }
    t.sink.ops->end(t.sink.state, &(struct fact_end){ .last = 1 },
                    &(struct err)ERR_INIT);
    block_reasons_close(&t.blocks);
    for ( const struct block_waker *w = t.blocks.vcpus[0]->wakers; w;
          w = w->next )
        sum += w->stats.sum;
    ck_assert_uint_eq(sum, 2 * BLOCK_WAKERS);
    ck_assert_uint_eq(t.blocks.vcpus[0]->nr_domains, BLOCK_WAKERS);
    ck_assert(!t.blocks.vcpus[0]->wakers->source.has_domain);
    ck_assert_uint_eq(t.blocks.vcpus[0]->wakers->stats.sum, BLOCK_WAKERS);
    block_reasons_fini(&t.blocks);
    guests_fini(&t.guests);
}
END_TEST

/* Interrupts beyond the limit share a row, and leave room for domains. */
START_TEST(many_irqs)
{
    struct block_test t;
    const struct block_waker *w;
    uint64_t sum = 0;
    unsigned int n = 0;

    begin_test(&t);
    run_on_pcpu(&t, guests_get_vcpu(&t.guests, XT_DOMAIN_IDLE, 0));
    for ( unsigned int i = 0; i < 2 * BLOCK_WAKERS; i++ )
    {
        end_block(&t, 100 * i, 100 * i + 1, STATE_RUNNABLE);
        add_irq(&t, UINT32_MAX - i, 100 * i + 2, 2);
    }
    run_on_pcpu(&t, get_guest(&t, 2));
    end_block(&t, 1000000, 1000000 + 2 * BLOCK_WAKERS, STATE_RUNNABLE);
    t.sink.ops->end(t.sink.state, &(struct fact_end){ .last = 1 },
                    &(struct err)ERR_INIT);
    block_reasons_close(&t.blocks);
    w = t.blocks.vcpus[0]->wakers;
    ck_assert(w->source.has_domain && w->source.domain == 2);
    ck_assert(!w->next->source.has_irq);
    ck_assert_uint_eq(w->next->source.reason, BLOCK_DEVICE);
    ck_assert_uint_eq(w->next->stats.sum, BLOCK_WAKERS);
    for ( w = w->next; w; w = w->next, n++ )
        sum += w->stats.sum;
    ck_assert_uint_eq(n, BLOCK_WAKERS + 1);
    ck_assert_uint_eq(sum, 2 * BLOCK_WAKERS);
    ck_assert_uint_eq(t.blocks.vcpus[0]->nr_irqs, BLOCK_WAKERS);
    block_reasons_fini(&t.blocks);
    guests_fini(&t.guests);
}
END_TEST

START_TEST(failed_allocations)
{
    struct err e = ERR_INIT;
    struct block_test t;
    uint64_t fired;
    int rc;

    for ( uint64_t n = 1; ; n++ )
    {
        begin_test(&t);
        get_sleeper(&t);
        get_guest(&t, 2);
        fault_arm(FAULT_ALLOC, n);
        add_call(&t, get_sleeper(&t), PV_HYPERCALL_V2, 32, 1);
        run_on_pcpu(&t, get_guest(&t, 2));
        end_block(&t, 10, 12, STATE_RUNNABLE);
        add_vector(&t, 13, 0x31);
        end_block(&t, 20, 22, STATE_OFFLINE);
        fired = fault_fired(FAULT_ALLOC);
        fault_disarm();
        rc = t.sink.ops->end(t.sink.state, &(struct fact_end){ .last = 1 },
                             &e);
        ck_assert_int_eq(rc, fired ? -ENOMEM : 0);
        block_reasons_fini(&t.blocks);
        guests_fini(&t.guests);
        if ( !fired )
            break;
    }
}
END_TEST

UNIT_MAIN("block reasons", wakers, vcpu_leaves_pcpu, interrupts,
          exit_of_another, many_wakeups, paused_exits, no_irq_records,
          pv_wakers, one_event, pv_waker_without_calls, emulated_devices,
          vectors, learned_vectors, many_wakers, many_irqs, failed_allocations)
