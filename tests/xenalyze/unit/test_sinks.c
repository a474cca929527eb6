/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scatterplots, intervals and waits, told facts by hand.
 */
#include "common/fault.h"
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/account/account.h"
#include "xenalyze/plot/plot.h"
#include "xenalyze/text/text.h"

/* --- scatterplots --------------------------------------------------------- */

static void start_scatter(struct stage *s, struct scatter *scatter,
                          struct sink *sink, enum scatter_kind kind)
{
    stage_init(s);
    *scatter = (struct scatter){ .points = points_to_file(s->out) };
    *sink = scatter_sink(scatter, kind);
    stage_begin(s, sink, 1000);
}

START_TEST(runstates_have_two_points)
{
    struct scatter scatter;
    struct stage s;
    struct sink sink;

    start_scatter(&s, &scatter, &sink, SCATTER_RUNSTATE);
    sink.ops->runstate(sink.state, &(struct fact_runstate){
        .vcpu = &s.vcpus[1], .from = 1000, .to = 2000,
        .state = STATE_RUNNING, .next = STATE_BLOCKED });
    sink.ops->runstate(sink.state, &(struct fact_runstate){
        .vcpu = &s.vcpus[1], .from = 2000, .to = 3000,
        .state = STATE_BLOCKED, .next = STATES });
    same_text(stage_text(&s), "0v1 0.000000000 -2\n0v1 0.000000000 3\n"
                              "0v1 0.000001000 3\n0v1 0.000001000 0\n");
    stage_end(&sink, 1000, 3000);
    stage_fini(&s);
}
END_TEST

/* Stock subtracts the start of the trace from this length, too. */
START_TEST(lengths_are_lengths)
{
    struct scatter scatter;
    struct stage s;
    struct sink sink;

    start_scatter(&s, &scatter, &sink, SCATTER_RUNSTATE_TIME);
    sink.ops->runstate(sink.state, &(struct fact_runstate){
        .vcpu = &s.vcpus[2], .from = 1500, .to = 4000,
        .state = STATE_RUNNING, .next = STATE_BLOCKED });
    same_text(stage_text(&s), "1v0 0.000003000 0.000002500\n");
    stage_fini(&s);
}
END_TEST

START_TEST(dispatches_leave_out_idle)
{
    struct domain idle = { .id = XT_DOMAIN_IDLE };
    struct vcpu nobody = { .domain = &idle };
    struct scatter scatter;
    struct stage s;
    struct sink sink;

    start_scatter(&s, &scatter, &sink, SCATTER_PCPU);
    sink.ops->runstate(sink.state, &(struct fact_runstate){
        .vcpu = &s.vcpus[0], .from = 1000, .to = 2000, .pcpu = 3,
        .next_pcpu = 5, .state = STATE_RUNNABLE, .next = STATE_RUNNING });
    sink.ops->runstate(sink.state, &(struct fact_runstate){
        .vcpu = &nobody, .from = 1000, .to = 2000, .pcpu = 3,
        .next_pcpu = 5, .state = STATE_RUNNABLE, .next = STATE_RUNNING });
    same_text(stage_text(&s), "0v0 0.000001000 3\n0v0 0.000001000 5\n");
    stage_fini(&s);
}
END_TEST

START_TEST(only_the_vector_that_was_asked_for)
{
    struct fact_exit exit = { .start = 1100, .cycles = 400,
                              .rip = 0xffff812345678000 };
    struct fact_handle handle = { .exit = &exit, .kind = HANDLE_INTERRUPT,
                                  .has_value = true, .at = 0xf0 };
    struct scatter scatter;
    struct stage s;
    struct sink sink;

    start_scatter(&s, &scatter, &sink, SCATTER_INTERRUPT_EIP);
    exit.vcpu = handle.vcpu = &s.vcpus[2];
    sink.ops->handle(sink.state, &handle);
    scatter.which = 0xf0;
    sink.ops->handle(sink.state, &handle);
    sink = scatter_sink(&scatter, SCATTER_EXTINT_CYCLES);
    sink.ops->handle(sink.state, &handle);
    sink = scatter_sink(&scatter, SCATTER_VMEXIT_EIP);
    sink.ops->exit(sink.state, &exit);
    same_text(stage_text(&s), "d1v0 0.000000100 141988488249344\n"
                              "d1v0 0.000000500 400\n"
                              "0.000000100 -139486488461312\n");
    stage_fini(&s);
}
END_TEST

START_TEST(interrupts_by_number)
{
    struct scatter scatter;
    struct stage s;
    struct sink sink;

    start_scatter(&s, &scatter, &sink, SCATTER_IRQ);
    sink.ops->irq(sink.state, &(struct fact_irq){
        .pcpu = 2, .time = 1001, .kind = IRQ_HANDLED, .irq = 0x1a });
    sink.ops->irq(sink.state, &(struct fact_irq){
        .pcpu = 2, .time = 1002, .kind = IRQ_ASSIGN_VECTOR, .irq = 0x1a });
    same_text(stage_text(&s), "i1a 0.000000001 2\n");
    stage_fini(&s);
}
END_TEST

/* --- intervals ------------------------------------------------------------ */

static void tell_running(const struct stage *s, const struct sink *sink,
                         unsigned int vcpu, uint64_t from, uint64_t to)
{
    sink->ops->runstate(sink->state, &(struct fact_runstate){
        .vcpu = &s->vcpus[vcpu], .from = from, .to = to,
        .state = STATE_RUNNING, .next = STATE_BLOCKED });
}

/* Intervals of a microsecond each; the trace ends in the fourth. */
static void print_interval(enum interval_kind kind, const uint64_t *ids,
                           size_t nr_ids,
                           void (*tell)(const struct stage *s,
                                        const struct sink *sink),
                           const char *expected)
{
    struct interval *i;
    struct stage s;
    struct sink sink;

    stage_init(&s);
    ck_assert_int_eq(interval_new(&i, kind, 1000, ids, nr_ids), 0);
    sink = interval_sink(i);
    stage_begin(&s, &sink, 5000);
    tell(&s, &sink);
    stage_end(&sink, 5000, 8500);
    text_print_interval(i, s.out);
    same_text(stage_text(&s), expected);
    interval_free(i);
    stage_fini(&s);
}

static void tell_domains(const struct stage *s, const struct sink *sink)
{
    tell_running(s, sink, 0, 5500, 7100);
    tell_running(s, sink, 1, 5000, 5250);
    tell_running(s, sink, 2, 8000, 8500);
}

START_TEST(time_is_split_at_borders)
{
    const uint64_t ids[] = { 1, 0, 7 };

    print_interval(INTERVAL_DOMAIN_TIME, ids, 3, tell_domains,
                   "0.000000000 0.0 75.00 0.0\n"
                   "0.000001000 0.0 100.00 0.0\n"
                   "0.000002000 0.0 10.00 0.0\n"
                   "0.000003000 100.00 0.00 0.0\n");
    print_interval(INTERVAL_DOMAIN_TIME_ALL, NULL, 0, tell_domains,
                   "0.000000000 75.00 0.00\n"
                   "0.000001000 100.00 0.00\n"
                   "0.000002000 10.00 0.00\n"
                   "0.000003000 0.00 100.00\n"
                   "time 0 1\n");
}
END_TEST

static void tell_exits(const struct stage *s, const struct sink *sink)
{
    const struct fact_exit exit = { .vcpu = &s->vcpus[2], .start = 5900,
                                    .cycles = 200 };
    const struct fact_handle handle = { .vcpu = &s->vcpus[2], .exit = &exit,
                                        .kind = HANDLE_HALT, .main = true };
    const struct fact_exit other = { .vcpu = &s->vcpus[2], .start = 8000,
                                     .cycles = 250 };

    sink->ops->handle(sink->state, &handle);
    sink->ops->exit(sink->state, &exit);
    sink->ops->exit(sink->state, &other);
}

START_TEST(exits_by_what_they_were_for)
{
    const uint64_t id = 1;

    print_interval(INTERVAL_DOMAIN_SUMMARY, &id, 1, tell_exits,
        "time running emulate unsync fixup mmio propagate cr3 vmcall intr "
        "hlt other\n"
        "0.000000000 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 10.00 "
        "0.00\n"
        "0.000001000 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 10.00 "
        "0.00\n"
        "0.000002000 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 "
        "0.00\n"
        "0.000003000 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00 "
        "50.00\n");
}
END_TEST

static void tell_injections(const struct stage *s, const struct sink *sink)
{
    static const struct { uint64_t time, vector; bool fake; } rows[] = {
        { 5100, 243, false }, { 5200, 236, false }, { 5300, 243, false },
        { 7000, 243, false }, { 7001, 243, true },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
        sink->ops->handle(sink->state, &(struct fact_handle){
            .vcpu = &s->vcpus[2], .kind = HANDLE_INJECT,
            .time = rows[i].time, .at = rows[i].vector,
            .value = rows[i].fake });
}

START_TEST(interrupts_are_counted)
{
    const uint64_t id = 1;

    print_interval(INTERVAL_DOMAIN_INTERRUPT, &id, 1, tell_injections,
                   "0.000000000 2 1\n0.000001000 0 0\n0.000002000 2 0\n"
                   "0.000003000 0 0\ntime 243 236\n");
}
END_TEST

static void tell_grants(const struct stage *s, const struct sink *sink)
{
    sink->ops->memory(sink->state, &(struct fact_memory){
        .by = &s->vcpus[0], .time = 6100, .kind = MEMORY_GRANT_MAP });
    sink->ops->memory(sink->state, &(struct fact_memory){
        .by = &s->vcpus[2], .time = 6100, .kind = MEMORY_GRANT_MAP });
    sink->ops->memory(sink->state, &(struct fact_memory){
        .by = &s->vcpus[0], .time = 6100, .kind = MEMORY_GRANT_UNMAP });
}

START_TEST(grants_are_counted)
{
    const uint64_t id = 0;

    print_interval(INTERVAL_DOMAIN_GRANT_MAPS, &id, 1, tell_grants,
                   "0.000000000 0\n0.000001000 1\n0.000002000 0\n"
                   "0.000003000 0\n");
}
END_TEST

/* Frame 9, then 10; the value before is unknown. */
static void tell_cr3(const struct stage *s, const struct sink *sink)
{
    sink->ops->cr3(sink->state, &(struct fact_cr3){
        .vcpu = &s->vcpus[2], .time = 5500, .value = 0x9000 });
    tell_running(s, sink, 2, 5000, 6000);
    sink->ops->cr3(sink->state, &(struct fact_cr3){
        .vcpu = &s->vcpus[2], .time = 7250, .value = 0xa018 });
    tell_running(s, sink, 2, 7000, 8500);
}

START_TEST(address_spaces_have_their_time)
{
    const uint64_t ids[] = { 10, 9 };

    print_interval(INTERVAL_CR3_TIME, ids, 2, tell_cr3,
                   "0.000000000 0.0 50.00\n0.000001000 0.0 0.00\n"
                   "0.000002000 75.00 25.00\n0.000003000 100.00 0.00\n");
    print_interval(INTERVAL_CR3_TIME_ALL, NULL, 0, tell_cr3,
                   "0.000000000 50.00 0.00\n0.000001000 0.00 0.00\n"
                   "0.000002000 25.00 75.00\n0.000003000 0.00 100.00\n"
                   "time 9 a\n");
    print_interval(INTERVAL_CR3_ORDERED, NULL, 0, tell_cr3,
                   "0.000000000        9: 50.00 *\n0.000001000\n"
                   "0.000002000        a: 75.00 *        9: 25.00  \n"
                   "0.000003000        a: 100.00  \n");
}
END_TEST

/* A year in nanoseconds exceeds the limit, and is reported. */
static void tell_nothing(const struct stage *s, const struct sink *sink)
{
    (void)s;
    (void)sink;
}

START_TEST(intervals_of_nothing)
{
    const uint64_t id = 1;

    print_interval(INTERVAL_DOMAIN_GRANT_MAPS, &id, 1, tell_nothing,
                   "0.000000000 0\n0.000001000 0\n0.000002000 0\n"
                   "0.000003000 0\n");
}
END_TEST

START_TEST(too_many_intervals)
{
    struct interval *i;
    struct stage s;
    struct sink sink;

    stage_init(&s);
    ck_assert_int_eq(interval_new(&i, INTERVAL_DOMAIN_TIME_ALL, 1, NULL, 0),
                     0);
    sink = interval_sink(i);
    stage_begin(&s, &sink, 0);
    ck_assert(!interval_is_truncated(i));
    tell_running(&s, &sink, 0, 0, 3);
    tell_running(&s, &sink, 0, UINT64_MAX - 5, UINT64_MAX);
    stage_end(&sink, 0, UINT64_MAX);
    ck_assert(interval_is_truncated(i));
    text_print_interval(i, s.out);
    same_text(stage_text(&s), "0.000000000 100.00\n0.000000001 100.00\n"
                              "0.000000002 100.00\ntime 0\n");
    interval_free(i);
    stage_fini(&s);
}
END_TEST

/* --- waits ---------------------------------------------------------------- */

static void tell_waits(const struct stage *s, const struct sink *sink)
{
    sink->ops->wait(sink->state, &(struct fact_wait){
        .vcpu = &s->vcpus[2], .from = 6000, .to = 10000, .pcpu = 1,
        .pcpu_before = 1, .why = WHY_PREEMPT, .nr_rivals = 2,
        .rivals = { { &s->vcpus[0], 1000 }, { &s->vcpus[1], 3000 } } });
    sink->ops->wait(sink->state, &(struct fact_wait){
        .vcpu = &s->vcpus[2], .from = 20000, .to = 20500, .pcpu = 0,
        .pcpu_before = 1, .why = WHY_WAKE, .waker = &s->vcpus[0],
        .nr_rivals = 1, .rivals = { { &s->vcpus[1], 500 } } });
}

START_TEST(who_waited_and_why)
{
    const struct report_request request = { .top = 10 };
    struct latency *l;
    struct stage s;
    struct sink sink;

    stage_init(&s);
    ck_assert_int_eq(latency_new(&l, 10), 0);
    sink = latency_sink(l);
    stage_begin(&s, &sink, 5000);
    tell_waits(&s, &sink);
    stage_end(&sink, 5000, 30000);
    latency_close(l);
    ck_assert_int_eq(text_print_latency(l, &request, s.out), 0);
    same_text(stage_text(&s),
"--- Scheduling latency: from wake-up to running ---\n"
" vcpu         times     mean      p50      p99      max    total  max at\n"
" d1v0             1   500 ns   500 ns   500 ns   500 ns   500 ns"
"  0.000015000\n"
"--- From preemption to running again ---\n"
" vcpu         times     mean      p50      p99      max    total  max at\n"
" d1v0             1   4.0 us   4.0 us   4.0 us   4.0 us   4.0 us"
"  0.000001000\n"
"--- Competing domains (share of the wait) ---\n"
" d1         waited 4.5 us; d0 100.0% (4.5 us)\n"
"--- Distribution of waits (count, shorter than) ---\n"
" vcpu       after     1us  10us 100us   1ms  10ms 100ms    1s  more\n"
" d1v0       wake        1     0     0     0     0     0     0     0\n"
" d1v0       preempt     0     1     0     0     0     0     0     0\n"
"--- Competing vcpus (share of the wait) ---\n"
" d1v0       waited 4.5 us; d0v1 77.8% (3.5 us in 2), d0v0 22.2% "
"(1.0 us in 1)\n"
"--- Preempting vcpus (share of the wait after preemption) ---\n"
" d1v0       waited 4.0 us; d0v1 75.0% (3.0 us in 1), d0v0 25.0% "
"(1.0 us in 1)\n"
"--- Wake-ups by waker (count) ---\n"
" d1v0       by d0v0 1\n"
"--- Migrations: waits that ended on another pcpu ---\n"
" d1v0       1 times, after 50.0% of its waits\n"
"--- Vcpus of a domain that ran at the same time (share of time) ---\n"
" (no domain here has more than one vcpu)\n"
"--- The longest waits ---\n"
" 0.000001000 d1v0 waited 4.0 us for pcpu 1 after a preemption,\n"
"    while it ran d0v1 3.0 us, d0v0 1.0 us\n"
" 0.000015000 d1v0 waited 500 ns for pcpu 0 after being woken by d0v0,\n"
"    while it ran d0v1 500 ns\n");
    latency_free(l);
    stage_fini(&s);
}
END_TEST

/* Two vcpus of domain 0: one, both, one while the other waits; then a loss. */
START_TEST(who_ran_together)
{
    static const struct fact_domain facts[] = {
        { .from = 0, .to = 400,
          .census = FACT_CENSUS(CENSUS_RUNNING) + FACT_CENSUS(CENSUS_BLOCKED) },
        { .from = 400, .to = 500, .census = 2 * FACT_CENSUS(CENSUS_RUNNING) },
        { .from = 500, .to = 700,
          .census = FACT_CENSUS(CENSUS_RUNNING) +
                    FACT_CENSUS(CENSUS_RUNNABLE) },
        { .from = 700, .to = 800, .census = FACT_CENSUS(CENSUS_RUNNING) },
        { .from = 800, .to = 1000, .census = FACT_CENSUS(CENSUS_RUNNING),
          .ended = 1 },
    };
    struct concurrency t = { 0 };
    struct sink sink = concurrency_sink(&t);
    struct stage s;

    stage_init(&s);
    stage_begin(&s, &sink, 0);
    for ( size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++ )
    {
        struct fact_domain f = facts[i];

        f.domain = &s.domains[0];
        f.nr_vcpus = 2;
        sink.ops->domain(sink.state, &f);
    }
    stage_end(&sink, 0, 1000);
    concurrency_close(&t);
    ck_assert_int_eq(text_print_concurrency(&t, &(struct report_request){ 0 },
                                            s.out), 0);
    same_text(stage_text(&s),
"--- Vcpus of a domain that ran at the same time (share of time) ---\n"
" d0: 1 60.00%, 2 30.00%, unknown 10.00%; some waited while others ran "
"20.00%\n");
    concurrency_fini(&t);
    stage_fini(&s);
}
END_TEST

START_TEST(only_the_worst_are_kept)
{
    struct latency *l;
    struct stage s;
    struct sink sink;
    uint64_t seed = unit_seed();

    stage_init(&s);
    ck_assert_int_eq(latency_new(&l, 5), 0);
    sink = latency_sink(l);
    stage_begin(&s, &sink, 0);
    for ( unsigned int i = 0; i < 1000; i++ )
        sink.ops->wait(sink.state, &(struct fact_wait){
            .vcpu = &s.vcpus[2], .from = i,
            .to = i + (i == 500 ? 9999 : unit_random(&seed) % 5000),
            .why = WHY_WAKE });
    ck_assert_uint_eq(l->nr_worst, 5);
    ck_assert_uint_eq(l->worst[0].from, 500);
    for ( unsigned int i = 1; i < 5; i++ )
        ck_assert_uint_ge(l->worst[i - 1].to - l->worst[i - 1].from,
                          l->worst[i].to - l->worst[i].from);
    latency_free(l);
    stage_fini(&s);
}
END_TEST

START_TEST(no_memory)
{
    for ( uint64_t n = 1; ; n++ )
    {
        struct latency *l = NULL;
        struct interval *i = NULL;

        fault_arm(FAULT_ALLOC, n);
        if ( latency_new(&l, 5) == 0 )
            latency_free(l);
        if ( interval_new(&i, INTERVAL_DOMAIN_TIME, 1, (uint64_t[]){ 1 },
                          1) == 0 )
            interval_free(i);
        if ( !fault_fired(FAULT_ALLOC) )
            break;
        ck_assert(!l || !i);
    }
    fault_disarm();
}
END_TEST

UNIT_MAIN("sinks", runstates_have_two_points, lengths_are_lengths,
          dispatches_leave_out_idle, only_the_vector_that_was_asked_for,
          interrupts_by_number, time_is_split_at_borders,
          exits_by_what_they_were_for, interrupts_are_counted,
          grants_are_counted, address_spaces_have_their_time,
          intervals_of_nothing, too_many_intervals, who_waited_and_why,
          who_ran_together, only_the_worst_are_kept, no_memory)
