/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of the latency account, the CR3 table, and the report on VM exits:
 * facts in, rows out.
 */
#include <inttypes.h>

#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/account/account.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static void same_row(struct stage *s, const char *what, const char *expected)
{
    ck_assert_msg(!strcmp(stage_text(s), expected), "%s: %s is not %s", what,
                  stage_text(s), expected);
}

/* --- the longest waits ---------------------------------------------------- */

static const struct
{
    const char *what;
    size_t room, nr;
    struct { uint64_t from, to; } waits[5];
    const char *expected;
} longest[] = {
    { "nothing", 3, 0, { { 0, 0 } }, "" },
    { "in descending order", 3, 3, { { 10, 12 }, { 20, 29 }, { 30, 35 } },
      "20-29;30-35;10-12;" },
    { "a full list drops the shortest", 2, 3,
      { { 10, 15 }, { 20, 23 }, { 30, 34 } }, "10-15;30-34;" },
    { "too short for a full list", 2, 3,
      { { 10, 15 }, { 20, 24 }, { 30, 33 } }, "10-15;20-24;" },
    { "of the same length, the earlier first", 3, 3,
      { { 10, 15 }, { 30, 35 }, { 20, 25 } }, "10-15;20-25;30-35;" },
    { "the last place goes to the earlier", 1, 2, { { 10, 15 }, { 20, 25 } },
      "10-15;" },
    { "no length", 2, 2, { { 10, 10 }, { 20, 21 } }, "20-21;10-10;" },
    { "no room", 0, 1, { { 10, 15 } }, "" },
};

START_TEST(longest_waits_are_kept)
{
    struct latency *l;
    struct sink sink;
    struct stage s;

    stage_init(&s);
    ck_assert_int_eq(latency_new(&l, longest[_i].room), 0);
    sink = latency_sink(l);
    for ( size_t i = 0; i < longest[_i].nr; i++ )
        sink.ops->wait(l, &(struct fact_wait){
            .vcpu = &s.vcpus[2], .from = longest[_i].waits[i].from,
            .to = longest[_i].waits[i].to, .why = WHY_OTHER });
    stage_end(&sink, 0, 100);
    latency_close(l);
    for ( size_t i = 0; i < l->nr_worst; i++ )
    {
        ck_assert_uint_eq(l->worst[i].vcpu, LATENCY_KEY(1, 0));
        fprintf(s.out, "%" PRIu64 "-%" PRIu64 ";", l->worst[i].from,
                l->worst[i].to);
    }
    same_row(&s, longest[_i].what, longest[_i].expected);
    latency_free(l);
    stage_fini(&s);
}
END_TEST

/* The vcpus of `rivals`: 0 to 2 of the stage, 3 idle, 4 unknown. */
static const struct
{
    const char *what;
    size_t nr;
    struct { unsigned int vcpu; uint64_t cycles; } rivals[5];
    const char *expected;
} rivals[] = {
    { "nothing ran", 0, { { 0, 0 } }, "" },
    { "in descending order", 2, { { 0, 10 }, { 1, 20 } }, "d0v1 20;d0v0 10;" },
    { "all five", 5,
      { { 0, 10 }, { 1, 20 }, { 3, 40 }, { 4, 30 }, { 2, 5 } },
      "idle 40;unknown 30;d0v1 20;d0v0 10;d1v0 5;" },
    { "the third before the last", 4,
      { { 0, 10 }, { 1, 20 }, { 2, 5 }, { 3, 7 } },
      "d0v1 20;d0v0 10;idle 7;d1v0 5;" },
    { "of the same time, the first is first", 4,
      { { 0, 10 }, { 1, 10 }, { 2, 10 }, { 3, 10 } },
      "d0v0 10;d0v1 10;d1v0 10;idle 10;" },
};

START_TEST(rivals_are_kept_in_order)
{
    struct domain idle_domain = { .index = 2, .id = XT_DOMAIN_IDLE };
    const struct vcpu idle = { .index = 3, .domain = &idle_domain };
    struct fact_wait wait = { .to = 100, .why = WHY_OTHER };
    char name[LATENCY_NAME];
    struct latency *l;
    struct sink sink;
    struct stage s;

    stage_init(&s);
    ck_assert_int_eq(latency_new(&l, 1), 0);
    sink = latency_sink(l);
    wait.vcpu = &s.vcpus[0];
    for ( ; wait.nr_rivals < rivals[_i].nr; wait.nr_rivals++ )
    {
        unsigned int i = rivals[_i].rivals[wait.nr_rivals].vcpu;

        wait.rivals[wait.nr_rivals] = (struct fact_rival){
            i < 3 ? &s.vcpus[i] : i == 3 ? &idle : NULL,
            rivals[_i].rivals[wait.nr_rivals].cycles,
        };
    }
    sink.ops->wait(l, &wait);
    latency_close(l);
    for ( unsigned int i = 0; i < l->worst[0].nr_rivals; i++ )
        fprintf(s.out, "%s %" PRIu64 ";",
                latency_name(l->worst[0].rivals[i].key, name),
                l->worst[0].rivals[i].cycles);
    same_row(&s, rivals[_i].what, rivals[_i].expected);
    ck_assert_uint_eq(l->vcpus[0]->rivals.vcpus.used, rivals[_i].nr);
    ck_assert_uint_eq(l->vcpus[0]->preemptors.vcpus.used, 0);
    latency_free(l);
    stage_fini(&s);
}
END_TEST

/* Waits of a vcpu and of another: all accounts of the former are d0v0's. */
START_TEST(waits_are_counted_by_vcpu)
{
    static const struct
    {
        unsigned int vcpu, why;
        uint32_t before, pcpu;
    } waits[] = {
        { 2, WHY_WAKE, 0, 1 },
        { 0, WHY_WAKE, FACT_NO_PCPU, 1 },
        { 0, WHY_PREEMPT, 1, 1 },
        { 0, WHY_PREEMPT, 1, 2 },
        { 0, WHY_WAKE, 2, 0 },
    };
    struct latency *l;
    struct sink sink;
    struct stage s;

    stage_init(&s);
    ck_assert_int_eq(latency_new(&l, 1), 0);
    sink = latency_sink(l);
    for ( size_t i = 0; i < NR(waits); i++ )
        sink.ops->wait(l, &(struct fact_wait){
            .vcpu = &s.vcpus[waits[i].vcpu], .to = 10, .why = waits[i].why,
            .pcpu = waits[i].pcpu, .pcpu_before = waits[i].before,
            .nr_rivals = 1, .rivals = { { &s.vcpus[1], 9 } } });
    latency_close(l);
    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
    {
        const struct latency_vcpu *v = l->vcpus[i];

        fprintf(s.out, "d%uv%u wake=%" PRIu64 " preempt=%" PRIu64
                " migrated=%" PRIu64 " preemptors=%u;", v->domain, v->id,
                stats_events(&v->wait[WHY_WAKE]),
                stats_events(&v->wait[WHY_PREEMPT]), v->migrated,
                (unsigned int)v->preemptors.vcpus.used);
    }
    same_row(&s, "vcpus", "d0v0 wake=2 preempt=2 migrated=2 preemptors=1;"
             "d1v0 wake=1 preempt=0 migrated=1 preemptors=0;");
    latency_free(l);
    stage_fini(&s);
}
END_TEST

/* --- the CR3 table -------------------------------------------------------- */

#define NO_FLUSH (UINT64_C(1) << 63)

/* Steps at times 100, 200 ...; a frame, or LOSE for lost records. */
#define LOSE UINT64_MAX
#define FRAME(n) ((uint64_t)(n) << 12)

static const struct
{
    const char *what;
    size_t nr;
    struct { unsigned int vcpu; uint64_t value; } steps[4];
    const char *expected;       /* domain:frame switches flushes first-last */
} cr3_rows[] = {
    { "a load", 1, { { 2, FRAME(9) } }, "1:9 1 0 100-900;" },
    { "bits below the frame", 1, { { 2, FRAME(9) | 0xfff } },
      "1:9 1 0 100-900;" },
    { "a second load of the frame", 2, { { 2, FRAME(9) }, { 2, FRAME(9) } },
      "1:9 1 1 100-900;" },
    { "the bit that avoids a flush", 2,
      { { 2, FRAME(9) }, { 2, FRAME(9) | NO_FLUSH } }, "1:9 1 1 100-900;" },
    { "another frame, and back", 3,
      { { 2, FRAME(9) }, { 2, FRAME(7) }, { 2, FRAME(9) } },
      "1:9 2 0 100-900;1:7 1 0 200-300;" },
    { "two vcpus of a domain", 2, { { 0, FRAME(9) }, { 1, FRAME(9) } },
      "0:9 2 0 100-900;" },
    { "two domains", 2, { { 0, FRAME(9) }, { 2, FRAME(9) } },
      "0:9 1 0 100-900;1:9 1 0 200-900;" },
    { "frame 0 has no row", 2, { { 2, FRAME(9) }, { 2, 0 } },
      "1:9 1 0 100-200;" },
    { "a frame is unknown after a loss", 3,
      { { 2, FRAME(9) }, { 2, LOSE }, { 2, FRAME(9) } }, "1:9 2 0 100-900;" },
    { "a loss ends the stay", 2, { { 2, FRAME(9) }, { 2, LOSE } },
      "1:9 1 0 100-200;" },
};

/* The exit takes the last 10 cycles before `time`. */
static void load_cr3(const struct sink *sink, const struct vcpu *v,
                     uint64_t time, uint64_t value)
{
    const struct fact_exit exit = {
        .vcpu = v, .start = time - 10, .cycles = 10, .guest = 50,
    };

    sink->ops->handle(sink->state, &(struct fact_handle){
        .vcpu = v, .exit = &exit, .kind = HANDLE_CR, .at = 3, .value = value,
        .write = true, .main = true });
    sink->ops->exit(sink->state, &exit);
}

static struct cr3_table *start_cr3_table(struct stage *s, struct sink *sink)
{
    struct cr3_table *t;

    stage_init(s);
    ck_assert_int_eq(cr3_table_new(&t), 0);
    *sink = cr3_table_sink(t);
    return t;
}

START_TEST(cr3_frames_have_rows)
{
    struct cr3_row *const *rows;
    struct cr3_table *t;
    struct sink sink;
    struct stage s;
    uint32_t nr;

    t = start_cr3_table(&s, &sink);
    for ( size_t i = 0; i < cr3_rows[_i].nr; i++ )
    {
        const struct vcpu *v = &s.vcpus[cr3_rows[_i].steps[i].vcpu];
        const uint64_t value = cr3_rows[_i].steps[i].value;

        if ( value != LOSE )
            load_cr3(&sink, v, (i + 1) * 100, value);
        else
            sink.ops->runstate(t, &(struct fact_runstate){
                .vcpu = v, .to = (i + 1) * 100, .next = STATE_LOST });
    }
    stage_end(&sink, 0, 900);
    rows = cr3_table_rows(t, &nr);
    for ( uint32_t i = 0; i < nr; i++ )
        fprintf(s.out, "%u:%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "-%"
                PRIu64 ";", rows[i]->domain, rows[i]->frame,
                rows[i]->switches, rows[i]->flushes, rows[i]->first,
                rows[i]->last);
    same_row(&s, cr3_rows[_i].what, cr3_rows[_i].expected);
    ck_assert_uint_eq(cr3_table_dropped_loads(t), 0);
    cr3_table_free(t);
    stage_fini(&s);
}
END_TEST

/* A load counts for the old frame by category, for the new one as time. */
START_TEST(loads_are_split_between_frames)
{
    const struct cr3_row *old, *new;
    struct cr3_table *t;
    struct sink sink;
    struct stage s;

    t = start_cr3_table(&s, &sink);
    load_cr3(&sink, &s.vcpus[2], 100, FRAME(9));
    ck_assert(cr3_table_has_switched(t));
    old = cr3_table_current_row(t, &s.vcpus[2]);
    load_cr3(&sink, &s.vcpus[2], 300, FRAME(7));
    new = cr3_table_current_row(t, &s.vcpus[2]);
    load_cr3(&sink, &s.vcpus[2], 400, FRAME(7));
    ck_assert(!cr3_table_has_switched(t));
    ck_assert_uint_eq(old->total.sum, 200);
    ck_assert_uint_eq(old->guest.sum, 50);
    ck_assert_uint_eq(old->xen.sum, 10);
    ck_assert_uint_eq(old->by_category[CATEGORY_CR3]->sum, 10);
    ck_assert_uint_eq(new->xen.sum, 20);
    ck_assert_uint_eq(new->run, 70);
    ck_assert_ptr_eq(cr3_table_first_row(t, 1), old);
    ck_assert_ptr_eq(old->sibling, new);
    ck_assert_ptr_null(cr3_table_first_row(t, 0));
    cr3_table_free(t);
    stage_fini(&s);
}
END_TEST

#define MAX_FRAMES 32768u       /* table size, see xenalyze-json(5) */

START_TEST(loads_beyond_the_table_are_counted)
{
    struct cr3_table *t;
    struct sink sink;
    struct stage s;
    uint32_t nr;

    t = start_cr3_table(&s, &sink);
    for ( uint32_t i = 1; i <= MAX_FRAMES + 3; i++ )
        load_cr3(&sink, &s.vcpus[2], i * 100, FRAME(i));
    ck_assert_uint_eq(cr3_table_dropped_loads(t), 3);
    ck_assert_ptr_null(cr3_table_current_row(t, &s.vcpus[2]));
    load_cr3(&sink, &s.vcpus[2], UINT64_C(1) << 32, FRAME(1));
    ck_assert_uint_eq(cr3_table_dropped_loads(t), 3);
    ck_assert_uint_eq(cr3_table_rows(t, &nr)[0]->switches, 2);
    ck_assert_uint_eq(nr, MAX_FRAMES);
    cr3_table_free(t);
    stage_fini(&s);
}
END_TEST

/* --- the report on VM exits ----------------------------------------------- */

#define NPF (EXIT_SVM_HIGH + 0)
#define HALT (EXIT_VMX + 12)

struct exit_step
{
    unsigned int vcpu, cause, handler;
    uint64_t cycles;
};

static void feed_exit(const struct stage *s, const struct sink *sink,
                      const struct exit_step *step)
{
    const struct fact_exit exit = {
        .vcpu = &s->vcpus[step->vcpu], .cause = step->cause,
        .reason = step->cause, .cycles = step->cycles,
    };

    if ( step->handler )
        sink->ops->handle(sink->state, &(struct fact_handle){
            .vcpu = exit.vcpu, .exit = &exit, .event = 0x82021,
            .kind = step->handler, .main = true });
    sink->ops->exit(sink->state, &exit);
}

static const struct
{
    const char *what;
    size_t nr;
    struct exit_step exits[4];
    const char *expected;       /* domain cause: handler times cycles */
} exit_rows[] = {
    { "nothing", 0, { { 0, 0, 0, 0 } }, "" },
    { "an exit without a handler", 1, { { 2, HALT, 0, 10 } },
      "1 HLT 1 10;" },
    { "an exit with a handler", 1, { { 2, NPF, HANDLE_NPF, 10 } },
      "1 VMEXIT_NPF 1 10;1 VMEXIT_NPF: npf 1 10;" },
    { "some with a handler", 2, { { 2, NPF, HANDLE_NPF, 10 },
                                  { 2, NPF, 0, 5 } },
      "1 VMEXIT_NPF 2 15;1 VMEXIT_NPF: npf 1 10;" },
    { "the vcpus of a domain share a row", 3,
      { { 1, HALT, 0, 10 }, { 0, HALT, 0, 20 }, { 2, HALT, 0, 40 } },
      "0 HLT 2 30;1 HLT 1 40;" },
    { "a cause without a name", 1, { { 2, EXIT_OTHER, 0, 10 } },
      "1 (others) 1 10;" },
};

static void print_exit_row(const struct exit_report_row *r, FILE *out)
{
    char name[EXIT_REPORT_NAME], handler[SUMMARY_DETAIL_NAME];

    fprintf(out, "%u %s", r->domain, exit_report_name(r->cause, name));
    if ( exit_report_has_handler(r) )
        fprintf(out, ": %s", summary_detail_name(r->handler, handler));
    fprintf(out, " %" PRIu64 " %" PRIu64 ";", stats_events(&r->cost),
            r->cost.sum);
}

/* The time off the pcpu, by reason and by handler, and of the whole domain. */
START_TEST(exits_have_time_off_cpu)
{
    static const struct summary_want want = { .off_cpu = true };
    static const struct exit_step steps[] = {
        { 0, HALT, HANDLE_HALT, 100 }, { 1, HALT, HANDLE_HALT, 50 },
        { 0, NPF, HANDLE_NPF, 10 },
    };
    struct exit_report x = { 0 };
    struct summary *summary;
    struct sink sink;
    struct stage s;

    stage_init(&s);
    ck_assert_int_eq(summary_new(&summary, &want), 0);
    sink = summary_sink(summary);
    stage_begin(&s, &sink, 0);
    for ( size_t i = 0; i < 3; i++ )
        feed_exit(&s, &sink, &steps[i]);
    for ( size_t i = 0; i < 2; i++ )
    {
        const struct fact_exit exit = {
            .vcpu = &s.vcpus[i], .cause = HALT, .cycles = steps[i].cycles,
        };
        const struct fact_handle handle = {
            .vcpu = exit.vcpu, .exit = &exit, .kind = HANDLE_HALT,
            .event = 0x82021, .main = true,
        };

        sink.ops->exit_block(sink.state, &(struct fact_exit_block){
            .exit = &exit, .handle = i ? NULL : &handle,
            .cycles = exit.cycles - 7 });
    }
    stage_end(&sink, 0, 10000);
    ck_assert_int_eq(summary_close(summary), 0);
    ck_assert_int_eq(exit_report_build(&x, summary), 0);
    for ( size_t i = 0; i < x.nr; i++ )
        fprintf(s.out, "%s %" PRIu64 "+%" PRIu64 ";",
                x.rows[i].handler == EXIT_REPORT_DOMAIN ? "all" :
                exit_report_has_handler(&x.rows[i]) ? "handler" : "reason",
                exit_report_in_xen(&x.rows[i]), x.rows[i].off_cpu);
    same_row(&s, "time off the pcpu", "all 24+136;reason 14+136;"
             "handler 57+93;reason 10+0;handler 10+0;");
    exit_report_fini(&x);
    summary_free(summary);
    stage_fini(&s);
}
END_TEST

START_TEST(exits_are_reported_by_domain)
{
    static const struct summary_want want;
    struct exit_report x = { 0 };
    struct summary *summary;
    struct sink sink;
    struct stage s;

    stage_init(&s);
    ck_assert_int_eq(summary_new(&summary, &want), 0);
    sink = summary_sink(summary);
    stage_begin(&s, &sink, 0);
    for ( size_t i = 0; i < exit_rows[_i].nr; i++ )
        feed_exit(&s, &sink, &exit_rows[_i].exits[i]);
    stage_end(&sink, 0, 10000);
    ck_assert_int_eq(summary_close(summary), 0);
    ck_assert_int_eq(exit_report_build(&x, summary), 0);
    for ( size_t i = 0; i < x.nr; i++ )
        if ( x.rows[i].handler != EXIT_REPORT_DOMAIN )
            print_exit_row(&x.rows[i], s.out);
    same_row(&s, exit_rows[_i].what, exit_rows[_i].expected);
    exit_report_fini(&x);
    summary_free(summary);
    stage_fini(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("account tables");
    TCase *tcase = tcase_create("account tables");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, longest_waits_are_kept, 0, NR(longest));
    tcase_add_loop_test(tcase, rivals_are_kept_in_order, 0, NR(rivals));
    tcase_add_test(tcase, waits_are_counted_by_vcpu);
    tcase_add_loop_test(tcase, cr3_frames_have_rows, 0, NR(cr3_rows));
    tcase_add_test(tcase, loads_are_split_between_frames);
    tcase_add_test(tcase, loads_beyond_the_table_are_counted);
    tcase_add_test(tcase, exits_have_time_off_cpu);
    tcase_add_loop_test(tcase, exits_are_reported_by_domain, 0,
                        NR(exit_rows));
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
