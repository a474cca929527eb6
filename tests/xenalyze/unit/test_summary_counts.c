/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of the summary that are allocated on first use: facts in, counts
 * out, from one summary and from merged shards.
 */
#include <inttypes.h>

#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/account/account.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* A summary, and a second shard that merge_shards() adds to it. */
struct shards
{
    struct stage stage;
    struct summary *summary;
    struct sink sinks[2];
};

static void start_shards(struct shards *x)
{
    static const struct summary_want want = { .off_cpu = true };

    stage_init(&x->stage);
    ck_assert_int_eq(summary_new(&x->summary, &want), 0);
    x->sinks[0] = x->sinks[1] = summary_sink(x->summary);
    stage_begin(&x->stage, &x->sinks[0], 0);
    ck_assert_int_eq(x->sinks[0].ops->clone(&x->sinks[1].state, x->summary),
                     0);
}

static void merge_shards(struct shards *x)
{
    ck_assert_int_eq(x->sinks[0].ops->merge(x->summary, x->sinks[1].state),
                     0);
    stage_end(&x->sinks[0], 0, 10000);
    ck_assert_int_eq(summary_close(x->summary), 0);
}

static void end_shards(struct shards *x)
{
    summary_free(x->summary);
    stage_fini(&x->stage);
}

static void same_counts(struct shards *x, const char *what,
                        const char *expected)
{
    ck_assert_msg(!strcmp(stage_text(&x->stage), expected), "%s: %s is not %s",
                  what, stage_text(&x->stage), expected);
}

/* --- memory --------------------------------------------------------------- */

#define NOBODY 9u               /* no vcpu, no domain */

#define MAP MEMORY_GRANT_MAP
#define POPULATE MEMORY_POD_POPULATE
#define RECLAIM MEMORY_POD_ZERO_RECLAIM

struct memory_step
{
    unsigned int shard, by, target, kind, order, context;
};

static const struct memory_row
{
    const char *what;
    size_t nr;
    struct memory_step steps[5];
    const char *expected;
} memory_rows[] = {
    { "nothing", 0, { { 0 } }, "" },
    { "a domain maps its own memory", 1, { { 0, 0, 0, MAP, 0, 0 } },
      "d0 by=1 for=1;" },
    { "a domain maps that of another", 1, { { 0, 0, 1, MAP, 0, 0 } },
      "d0 by=1 for=0;d1 by=0 for=1;" },
    { "by an unknown vcpu", 1, { { 0, NOBODY, 1, MAP, 0, 0 } },
      "d1 by=0 for=1;" },
    { "vcpus of the same domain", 2,
      { { 0, 0, 1, MAP, 0, 0 }, { 0, 1, 1, MAP, 0, 0 } },
      "d0 by=2 for=0;d1 by=0 for=2;" },
    { "pages of 4 KiB, 2 MiB, 1 GiB, and larger", 5,
      { { 0, NOBODY, 1, POPULATE, 0, 0 }, { 0, NOBODY, 1, POPULATE, 9, 0 },
        { 0, NOBODY, 1, POPULATE, 18, 0 }, { 0, NOBODY, 1, POPULATE, 27, 0 },
        { 0, NOBODY, 1, POPULATE, UINT16_MAX, 0 } },
      "d1 by=0 for=5 populated 1 1 1 2;" },
    { "orders between round down", 3,
      { { 0, NOBODY, 1, POPULATE, 8, 0 }, { 0, NOBODY, 1, POPULATE, 17, 0 },
        { 0, NOBODY, 1, POPULATE, 26, 0 } },
      "d1 by=0 for=3 populated 1 1 1 0;" },
    { "zero pages, by context", 4,
      { { 0, NOBODY, 1, RECLAIM, 0, POD_FAULT },
        { 0, NOBODY, 1, RECLAIM, 9, POD_BALLOON },
        { 0, NOBODY, 1, RECLAIM, 9, POD_UNKNOWN },
        { 0, NOBODY, 1, RECLAIM, 9, POD_CONTEXTS } },
      "d1 by=0 for=4 reclaimed 1 3 0 0 unknown 0 2 0 0 fault 1 0 0 0 "
      "balloon 0 1 0 0;" },
    { "both shards", 2,
      { { 0, 0, 1, MAP, 0, 0 }, { 1, 0, 1, POPULATE, 9, 0 } },
      "d0 by=2 for=0;d1 by=0 for=2 populated 0 1 0 0;" },
    { "only the second shard", 2,
      { { 1, 0, 1, MAP, 0, 0 }, { 1, 0, 1, RECLAIM, 0, POD_FAULT } },
      "d0 by=2 for=0;"
      "d1 by=0 for=2 reclaimed 1 0 0 0 fault 1 0 0 0;" },
    { "a domain in each shard", 2,
      { { 0, NOBODY, 0, MAP, 0, 0 }, { 1, NOBODY, 1, MAP, 0, 0 } },
      "d0 by=0 for=1;d1 by=0 for=1;" },
};

static void feed_memory(const struct shards *x, const struct memory_step *m)
{
    const struct sink *sink = &x->sinks[m->shard];

    sink->ops->memory(sink->state, &(struct fact_memory){
        .by = m->by == NOBODY ? NULL : &x->stage.vcpus[m->by],
        .target = &x->stage.domains[m->target], .kind = m->kind,
        .order = m->order, .context = m->context, .is_guess = m->order == 9 });
}

static void print_orders(FILE *out, const char *name,
                         const uint64_t orders[SUMMARY_ORDERS])
{
    if ( orders[0] + orders[1] + orders[2] + orders[3] )
        fprintf(out, " %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, name,
                orders[0], orders[1], orders[2], orders[3]);
}

static void print_domain_memory(FILE *out, const struct summary_domain *d)
{
    static const char *const contexts[] = { "unknown", "fault", "balloon" };
    const struct summary_memory *m = summary_get_memory(d);
    uint64_t by = 0, target = 0;

    for ( unsigned int k = 0; k < MEMORY_KINDS; k++ )
    {
        by += m->done_by[k];
        target += m->done_for[k];
    }
    fprintf(out, "d%u by=%" PRIu64 " for=%" PRIu64, d->id, by, target);
    print_orders(out, "populated", m->populated);
    print_orders(out, "reclaimed", m->reclaimed);
    for ( unsigned int k = 0; k < POD_CONTEXTS; k++ )
        print_orders(out, contexts[k], m->contexts[k]);
    fprintf(out, ";");
}

START_TEST(memory_is_counted)
{
    const struct memory_row *r = &memory_rows[_i];
    uint64_t guesses = 0;
    struct shards x;

    start_shards(&x);
    for ( size_t i = 0; i < r->nr; i++ )
    {
        feed_memory(&x, &r->steps[i]);
        guesses += r->steps[i].order == 9;
    }
    merge_shards(&x);
    for ( uint32_t i = 0; i < x.summary->nr_domains; i++ )
        print_domain_memory(x.stage.out, x.summary->domains[i]);
    same_counts(&x, r->what, r->expected);
    ck_assert_uint_eq(x.summary->layout_guesses, guesses);
    end_shards(&x);
}
END_TEST

/* A domain with other facts has no counters of memory, and reads as zeros. */
START_TEST(memory_without_facts_is_zero)
{
    struct shards x;

    start_shards(&x);
    for ( unsigned int i = 0; i < 2; i++ )
        x.sinks[i].ops->domain_name(x.sinks[i].state,
                                    &(struct fact_domain_name){
            .domain = &x.stage.domains[1], .name = i ? "second" : "first",
            .time = 100 + i });
    merge_shards(&x);
    ck_assert_uint_eq(x.summary->nr_domains, 1);
    ck_assert_ptr_null(x.summary->domains[0]->memory);
    ck_assert_str_eq(x.summary->domains[0]->name, "second");
    print_domain_memory(x.stage.out, x.summary->domains[0]);
    same_counts(&x, "no facts", "d1 by=0 for=0;");
    end_shards(&x);
}
END_TEST

/* --- PV guests and pcpus -------------------------------------------------- */

static void feed_pv(const struct sink *sink, const struct vcpu *v,
                    unsigned int kind, uint32_t number)
{
    sink->ops->pv(sink->state, &(struct fact_pv){
        .vcpu = v, .kind = kind, .number = number });
}

/* The last counter is for all numbers beyond the bound. */
START_TEST(pv_events_are_counted)
{
    const struct summary_pv *pv;
    struct shards x;

    start_shards(&x);
    for ( uint32_t i = 0; i < SUMMARY_HYPERCALLS + 2; i++ )
        feed_pv(&x.sinks[i & 1], &x.stage.vcpus[2], PV_HYPERCALL_V2, i);
    for ( uint32_t i = 0; i < SUMMARY_TRAPS + 3; i++ )
        feed_pv(&x.sinks[i & 1], &x.stage.vcpus[2], PV_TRAP, i);
    feed_pv(&x.sinks[1], &x.stage.vcpus[0], PV_TRAP, 3);
    merge_shards(&x);
    ck_assert_uint_eq(x.summary->nr_vcpus, 2);
    ck_assert_uint_eq(x.summary->vcpus[0]->pv->traps[3], 1);
    pv = x.summary->vcpus[1]->pv;
    ck_assert_uint_eq(pv->times[PV_HYPERCALL_V2], SUMMARY_HYPERCALLS + 2);
    ck_assert_uint_eq(pv->times[PV_TRAP], SUMMARY_TRAPS + 3);
    for ( unsigned int i = 0; i < SUMMARY_HYPERCALLS; i++ )
        ck_assert_uint_eq(pv->hypercalls[i], 1);
    ck_assert_uint_eq(pv->hypercalls[SUMMARY_HYPERCALLS], 2);
    for ( unsigned int i = 0; i < SUMMARY_TRAPS; i++ )
        ck_assert_uint_eq(pv->traps[i], 1);
    ck_assert_uint_eq(pv->traps[SUMMARY_TRAPS], 3);
    ck_assert_ptr_null(x.summary->vcpus[1]->hvm);
    end_shards(&x);
}
END_TEST

START_TEST(pcpus_are_counted)
{
    const struct summary_pcpu *p;
    struct shards x;

    start_shards(&x);
    for ( unsigned int i = 0; i < 2; i++ )
    {
        const struct sink *sink = &x.sinks[i];

        sink->ops->irq(sink->state, &(struct fact_irq){
            .pcpu = 3, .kind = IRQ_HANDLED, .has_cycles = !i, .cycles = 70 });
        sink->ops->power(sink->state, &(struct fact_power){
            .pcpu = 3, .kind = POWER_WAKE, .matched = !i, .cycles = 40 });
        sink->ops->pcpu(sink->state, &(struct fact_pcpu){
            .pcpu = 3, .from = 100, .to = 150, .state = PCPU_IDLE,
            .before_first_run = i });
        sink->ops->volume(sink->state, &(struct fact_volume){
            .pcpu = 3, .records = 5 + i, .lost = 2 });
    }
    x.sinks[1].ops->irq(x.sinks[1].state, &(struct fact_irq){
        .pcpu = 1, .kind = IRQ_ASSIGN_VECTOR });
    merge_shards(&x);
    ck_assert_uint_eq(x.summary->nr_pcpus, 2);
    ck_assert_uint_eq(x.summary->pcpus[0]->interrupts, 0);
    p = x.summary->pcpus[1];
    ck_assert_uint_eq(p->id, 3);
    ck_assert_uint_eq(p->interrupts, 2);
    ck_assert_uint_eq(p->interrupt_cycles, 70);
    ck_assert_uint_eq(p->sleep.sum, 40);
    ck_assert_uint_eq(p->time, 100);
    ck_assert_uint_eq(p->state[PCPU_IDLE].sum, 50);
    ck_assert_uint_eq(p->volume.records, 11);
    ck_assert_uint_eq(p->volume.lost, 4);
    end_shards(&x);
}
END_TEST

/* --- many exit causes ----------------------------------------------------- */

static void feed_exit(const struct sink *sink, const struct vcpu *v,
                      unsigned int cause, bool halt)
{
    const struct fact_exit exit = {
        .vcpu = v, .cause = cause, .cycles = 1000 + cause,
    };

    if ( halt )
        sink->ops->handle(sink->state, &(struct fact_handle){
            .vcpu = v, .exit = &exit, .event = 0x82013, .kind = HANDLE_HALT,
            .main = true });
    sink->ops->exit(sink->state, &exit);
}

static void feed_block(const struct sink *sink, const struct vcpu *v,
                       unsigned int cause)
{
    const struct fact_exit exit = {
        .vcpu = v, .cause = cause, .cycles = 1000 + cause,
    };

    sink->ops->exit_block(sink->state, &(struct fact_exit_block){
        .exit = &exit, .cycles = cause });
}

/*
 * A table of 8-bit indexes finds the first 255 causes of a vcpu, a search the
 * others.  The numbers of causes are next to all bounds of the arrays.
 */
static const unsigned int nr_causes[] = {
    1, 15, 16, 17, 254, 255, 256, 257, EXIT_CAUSES,
};

START_TEST(exits_are_found_by_cause)
{
    const unsigned int nr = nr_causes[_i];
    const struct summary_hvm *hvm;
    struct shards x;

    start_shards(&x);
    for ( unsigned int round = 0; round < 2; round++ )
        for ( unsigned int c = 0; c < nr; c++ )
            feed_exit(&x.sinks[0], &x.stage.vcpus[2], c, round);
    for ( unsigned int c = 0; c < nr; c++ )
        feed_block(&x.sinks[0], &x.stage.vcpus[2], c);
    merge_shards(&x);
    hvm = x.summary->vcpus[0]->hvm;
    ck_assert_uint_eq(hvm->nr_exits, nr);
    for ( unsigned int c = 0; c < nr; c++ )
    {
        const struct summary_exit *exit = summary_exit_find(hvm, c);

        ck_assert_ptr_nonnull(exit);
        ck_assert_uint_eq(exit->cause, c);
        ck_assert_uint_eq(stats_events(&exit->cost), 2);
        ck_assert_uint_eq(exit->cost.sum, 2 * (1000 + c));
        ck_assert_uint_eq(exit->details.used, 1);
        ck_assert_uint_eq(summary_exit_off_cpu(exit), c);
    }
    for ( unsigned int c = nr; c < EXIT_CAUSES; c++ )
        ck_assert_ptr_null(summary_exit_find(hvm, c));
    end_shards(&x);
}
END_TEST

/* The second shard sees the causes in reverse order. */
START_TEST(exits_of_shards_are_merged_by_cause)
{
    const struct summary_hvm *hvm;
    struct shards x;

    start_shards(&x);
    for ( unsigned int c = 0; c < EXIT_CAUSES; c++ )
    {
        feed_exit(&x.sinks[0], &x.stage.vcpus[2], c, true);
        feed_exit(&x.sinks[1], &x.stage.vcpus[2], EXIT_CAUSES - 1 - c, true);
    }
    feed_exit(&x.sinks[1], &x.stage.vcpus[0], 300, false);
    merge_shards(&x);
    ck_assert_uint_eq(x.summary->vcpus[0]->hvm->nr_exits, 1);
    hvm = x.summary->vcpus[1]->hvm;
    ck_assert_uint_eq(hvm->nr_exits, EXIT_CAUSES);
    for ( unsigned int c = 0; c < EXIT_CAUSES; c++ )
    {
        const struct summary_exit *exit = summary_exit_find(hvm, c);

        ck_assert_uint_eq(exit->cause, c);
        ck_assert_uint_eq(exit->cost.sum, 2 * (1000 + c));
        ck_assert_uint_eq(exit->details.used, 1);
    }
    end_shards(&x);
}
END_TEST

/* Rows: of the domain, and of each cause with its only handler. */
START_TEST(reports_have_all_causes)
{
    const uint64_t sum = EXIT_CAUSES * (EXIT_CAUSES - 1) / 2;
    struct exit_report report = { 0 };
    uint64_t cost = 0, off_cpu = 0;
    struct shards x;

    start_shards(&x);
    for ( unsigned int v = 0; v < 2; v++ )
        for ( unsigned int c = 0; c < EXIT_CAUSES; c++ )
        {
            feed_exit(&x.sinks[0], &x.stage.vcpus[v], c, v);
            feed_block(&x.sinks[0], &x.stage.vcpus[v], c);
        }
    merge_shards(&x);
    ck_assert_int_eq(exit_report_build(&report, x.summary), 0);
    ck_assert_uint_eq(report.nr, 1 + 2 * EXIT_CAUSES);
    for ( size_t i = 0; i < report.nr; i++ )
    {
        const struct exit_report_row *r = &report.rows[i];
        const unsigned int vcpus = exit_report_has_handler(r) ? 1 : 2;

        ck_assert_uint_eq(r->domain, 0);
        if ( r->handler == EXIT_REPORT_DOMAIN )
            continue;
        ck_assert_uint_eq(r->cost.sum, vcpus * (1000 + r->cause));
        if ( r->handler != EXIT_REPORT_WHOLE )
            continue;
        cost += r->cost.sum;
        off_cpu += r->off_cpu;
    }
    ck_assert_uint_eq(report.rows[0].handler, EXIT_REPORT_DOMAIN);
    ck_assert_uint_eq(report.rows[0].cost.sum, cost);
    ck_assert_uint_eq(cost, 2 * (1000 * EXIT_CAUSES + sum));
    ck_assert_uint_eq(report.rows[0].off_cpu, off_cpu);
    ck_assert_uint_eq(off_cpu, 2 * sum);
    exit_report_fini(&report);
    end_shards(&x);
}
END_TEST

/* Vcpus of an unknown domain have rows of their own, after those of others. */
START_TEST(reports_have_unknown_vcpus)
{
    struct domain unknown = { .index = 2, .id = XT_DOMAIN_DEFAULT };
    const struct vcpu vcpu = { .index = 3, .domain = &unknown };
    struct exit_report report = { 0 };
    struct shards x;

    start_shards(&x);
    feed_exit(&x.sinks[0], &vcpu, 7, false);
    feed_exit(&x.sinks[0], &x.stage.vcpus[2], 7, false);
    feed_exit(&x.sinks[0], &x.stage.vcpus[0], 9, false);
    merge_shards(&x);
    ck_assert_int_eq(exit_report_build(&report, x.summary), 0);
    for ( size_t i = 0; i < report.nr; i++ )
        fprintf(x.stage.out, "%u %s %" PRIu64 ";", report.rows[i].domain,
                report.rows[i].handler == EXIT_REPORT_DOMAIN ? "all" :
                "reason", exit_report_in_xen(&report.rows[i]));
    same_counts(&x, "domains", "0 all 1009;0 reason 1009;1 all 1007;"
                "1 reason 1007;32768 all 1007;32768 reason 1007;");
    exit_report_fini(&report);
    end_shards(&x);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("counts of the summary");
    TCase *tcase = tcase_create("counts of the summary");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, UNIT_SECONDS);
    tcase_add_loop_test(tcase, memory_is_counted, 0, NR(memory_rows));
    tcase_add_test(tcase, memory_without_facts_is_zero);
    tcase_add_test(tcase, pv_events_are_counted);
    tcase_add_test(tcase, pcpus_are_counted);
    tcase_add_loop_test(tcase, exits_are_found_by_cause, 0, NR(nr_causes));
    tcase_add_test(tcase, exits_of_shards_are_merged_by_cause);
    tcase_add_test(tcase, reports_have_all_causes);
    tcase_add_test(tcase, reports_have_unknown_vcpus);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
