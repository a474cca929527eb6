/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary of a short sequence of facts: its text line by line, and the same
 * text from merged shards.
 */
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/text/text.h"

#define NPF (EXIT_SVM_HIGH + 0)

static const struct report_request plain = { .sample_size = 1024 };

/* d0v0 runs, waits, runs; d1v0 runs meanwhile, until the end. */
static void tell_scheduling(const struct stage *s, const struct sink *sink)
{
    const struct fact_runstate states[] = {
        { .vcpu = &s->vcpus[0], .from = 0, .to = 1000, .pcpu = 0,
          .state = STATE_RUNNING, .next = STATE_RUNNABLE,
          .next_why = WHY_PREEMPT },
        { .vcpu = &s->vcpus[0], .from = 1000, .to = 4000, .pcpu = 0,
          .state = STATE_RUNNABLE, .why = WHY_PREEMPT,
          .next = STATE_RUNNING },
        { .vcpu = &s->vcpus[2], .from = 1000, .to = 4000, .pcpu = 0,
          .state = STATE_RUNNING, .next = STATE_BLOCKED },
        { .vcpu = &s->vcpus[2], .since = 1000, .from = 4000, .to = 10000,
          .pcpu = 0, .state = STATE_BLOCKED, .next = STATES },
        { .vcpu = &s->vcpus[0], .from = 4000, .to = 10000, .pcpu = 0,
          .state = STATE_RUNNING, .next = STATE_LOST },
    };
    const struct fact_domain domain = {
        .domain = &s->domains[0], .from = 0, .to = 10000,
        .state = DOMAIN_FULL_RUN,
    };
    const struct fact_residency residency = {
        .vcpu = &s->vcpus[0], .from = 0, .to = 10000, .pcpu = 0,
        .next = FACT_NO_PCPU,
    };

    for ( size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++ )
        sink->ops->runstate(sink->state, &states[i]);
    sink->ops->domain(sink->state, &domain);
    sink->ops->residency(sink->state, &residency);
}

/* The last state of d0v0, and that of its domain from 10000 on. */
static void tell_end(const struct stage *s, const struct sink *sink,
                     uint64_t from, uint64_t to)
{
    const struct fact_runstate last = {
        .vcpu = &s->vcpus[0], .from = from, .to = to,
        .state = STATE_BLOCKED, .next = STATES,
    };
    const struct fact_domain domain = {
        .domain = &s->domains[0], .from = 10000, .to = to,
        .state = DOMAIN_BLOCKED, .last = true,
    };

    sink->ops->runstate(sink->state, &last);
    sink->ops->domain(sink->state, &domain);
}

static void tell_exit(const struct stage *s, const struct sink *sink,
                      uint64_t start, uint64_t cycles)
{
    const struct fact_exit exit = {
        .vcpu = &s->vcpus[2], .reason = 0x400, .cause = NPF,
        .handler = 0x21, .start = start, .cycles = cycles, .guest = cycles,
        .rip = 0xffff0000,
    };
    const struct fact_handle handle = {
        .vcpu = &s->vcpus[2], .exit = &exit, .time = start,
        .event = 0x82021, .kind = HANDLE_NPF, .main = true, .at = 0xfee00000,
    };

    sink->ops->handle(sink->state, &handle);
    sink->ops->exit(sink->state, &exit);
}

static struct summary *new_summary(struct sink *sink)
{
    static const struct summary_want want;
    struct summary *summary;

    ck_assert_int_eq(summary_new(&summary, &want), 0);
    *sink = summary_sink(summary);
    return summary;
}

START_TEST(summary_is_stock_s)
{
    struct summary *summary;
    struct sink sink;
    struct stage s;

    stage_init(&s);
    summary = new_summary(&sink);
    stage_begin(&s, &sink, 0);
    tell_scheduling(&s, &sink);
    tell_exit(&s, &sink, 100, 2000);
    stage_end(&sink, 0, 10000);
    ck_assert_int_eq(summary_close(summary), 0);
    text_print_summary(summary, &plain, s.out);
    same_text(stage_text(&s),
"Total time: 0.00 seconds (using cpu speed 1000.00 MHz)\n"
"--- Log volume summary ---\n"
"|-- Domain 0 --|\n"
" Runstates:\n"
"  full run:       1  0.00s  10000 { 10000| 10000| 10000}\n"
" Grant table ops:\n"
"  Done by:\n"
"  Done for:\n"
" Populate-on-demand:\n"
"  Populated:\n"
"  Reclaim order:\n"
"  Reclaim contexts:\n"
"-- v0 --\n"
" Runstates:\n"
"   running:       2  0.00s   3500 {  1000|  6000|  6000}\n"
"  runnable:       1  0.00s   3000 {  3000|  3000|  3000}\n"
"     preempt:       1  0.00s   3000 {  3000|  3000|  3000}\n"
" cpu affinity:       1  10000 { 10000| 10000| 10000}\n"
"   [0]:       1  10000 { 10000| 10000| 10000}\n"
"Emulate eip list\n"
"|-- Domain 1 --|\n"
" Runstates:\n"
" Grant table ops:\n"
"  Done by:\n"
"  Done for:\n"
" Populate-on-demand:\n"
"  Populated:\n"
"  Reclaim order:\n"
"  Reclaim contexts:\n"
"-- v0 --\n"
" Runstates:\n"
"   running:       1  0.00s   3000 {  3000|  3000|  3000}\n"
"Exit reasons:\n"
" VMEXIT_NPF                  1  0.00s 20.00%  2000 cyc { 2000| 2000| 2000}\n"
"   npf        1  0.00s 20.00%  2000 cyc { 2000| 2000| 2000}\n"
"Guest interrupt counts:\n"
"Emulate eip list\n");
    summary_free(summary);
    stage_fini(&s);
}
END_TEST

START_TEST(time_adds_up)
{
    struct summary *summary;
    struct sink sink;
    struct stage s;

    stage_init(&s);
    summary = new_summary(&sink);
    stage_begin(&s, &sink, 0);
    tell_scheduling(&s, &sink);
    tell_end(&s, &sink, 10000, 10000);
    stage_end(&sink, 0, 10000);
    ck_assert_int_eq(summary_close(summary), 0);
    text_print_quality(summary, &plain, s.out);
    ck_assert_ptr_nonnull(strstr(stage_text(&s),
        " d0v0         70.00   30.00    0.00    0.00    0.00    0.00"
        " 10.0us\n"));
    ck_assert_ptr_nonnull(strstr(stage_text(&s),
        " d1v0         33.33    0.00   66.67    0.00    0.00    0.00"
        " 9.00us\n"));
    ck_assert_ptr_null(strstr(stage_text(&s), "DOES NOT"));
    summary_free(summary);
    stage_fini(&s);
}
END_TEST

/* A gap left by the state machine is detected. */
START_TEST(time_that_is_missing_is_seen)
{
    struct summary *summary;
    struct sink sink;
    struct stage s;

    stage_init(&s);
    summary = new_summary(&sink);
    stage_begin(&s, &sink, 0);
    tell_scheduling(&s, &sink);
    tell_end(&s, &sink, 10500, 11000);
    stage_end(&sink, 0, 11000);
    ck_assert_int_eq(summary_close(summary), 0);
    text_print_quality(summary, &plain, s.out);
    ck_assert_ptr_nonnull(strstr(stage_text(&s),
                                 "DOES NOT ADD UP: -500 cycles\n"));
    summary_free(summary);
    stage_fini(&s);
}
END_TEST

static void tell_exits(const struct stage *s, const struct sink *one,
                       const struct sink *other)
{
    uint64_t seed = unit_seed();

    for ( unsigned int i = 0; i < 500; i++ )
        tell_exit(s, unit_random(&seed) & 1 ? one : other, i * 1000,
                  1 + unit_random(&seed) % 5000);
}

static void print_whole(struct stage *s, struct summary *summary)
{
    ck_assert_int_eq(summary_close(summary), 0);
    text_print_summary(summary, &plain, s->out);
    text_print_pcpus(summary, &plain, s->out);
    text_print_quality(summary, &plain, s->out);
}

START_TEST(shards_make_the_same_summary)
{
    struct sink whole, first, second;
    struct summary *summaries[2];
    struct stage s[2];

    for ( unsigned int i = 0; i < 2; i++ )
        stage_init(&s[i]);
    summaries[0] = new_summary(&whole);
    summaries[1] = new_summary(&first);
    stage_begin(&s[0], &whole, 0);
    stage_begin(&s[1], &first, 0);
    second = first;
    ck_assert_int_eq(first.ops->clone(&second.state, first.state), 0);
    tell_scheduling(&s[0], &whole);
    tell_scheduling(&s[1], &first);
    tell_exits(&s[0], &whole, &whole);
    tell_exits(&s[1], &first, &second);
    ck_assert_int_eq(first.ops->merge(first.state, second.state), 0);
    stage_end(&whole, 0, 500000);
    stage_end(&first, 0, 500000);
    print_whole(&s[0], summaries[0]);
    print_whole(&s[1], summaries[1]);
    same_text(stage_text(&s[0]), stage_text(&s[1]));
    for ( unsigned int i = 0; i < 2; i++ )
    {
        summary_free(summaries[i]);
        stage_fini(&s[i]);
    }
}
END_TEST

/* Extreme values: any pcpu, any vector, the maximum of everything. */
START_TEST(hostile_numbers_are_harmless)
{
    struct summary *summary;
    struct sink sink;
    struct stage s;

    stage_init(&s);
    summary = new_summary(&sink);
    stage_begin(&s, &sink, 0);
    tell_exit(&s, &sink, UINT64_MAX, UINT64_MAX);
    sink.ops->exit(summary, &(struct fact_exit){
        .vcpu = &s.vcpus[0], .cause = EXIT_OTHER, .reason = UINT32_MAX,
        .cycles = 5 });
    sink.ops->pcpu(summary, &(struct fact_pcpu){ .pcpu = UINT32_MAX, .to = 1 });
    sink.ops->pv(summary, &(struct fact_pv){
        .vcpu = &s.vcpus[1], .kind = PV_HYPERCALL_V2,
        .number = UINT32_MAX });
    sink.ops->memory(summary, &(struct fact_memory){
        .by = &s.vcpus[1], .target = &s.domains[1],
        .kind = MEMORY_POD_POPULATE, .order = UINT16_MAX });
    stage_end(&sink, 0, 11000);
    print_whole(&s, summary);
    ck_assert_ptr_nonnull(strstr(stage_text(&s), "           4294967295 "));
    ck_assert_ptr_nonnull(strstr(stage_text(&s), "(higher ones)"));
    summary_free(summary);
    stage_fini(&s);
}
END_TEST

UNIT_MAIN("summary", summary_is_stock_s, time_adds_up,
          time_that_is_missing_is_seen, shards_make_the_same_summary,
          hostile_numbers_are_harmless)
