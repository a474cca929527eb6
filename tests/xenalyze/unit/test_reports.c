/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop over the report table: open reports by configuration, the frame of
 * the output in each format, the schema; and the wake-up graph.
 */
#include <errno.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/reports/table.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* --- a pass over facts ---------------------------------------------------- */

static int open_pass(struct report_pass *p, const struct stage *s,
                     const struct report_config *config, struct err *e)
{
    *p = (struct report_pass){
        .config = config, .name = "named", .out = s->out,
    };
    return report_pass_open(p, e);
}

static void begin_pass(struct report_pass *p, struct stage *s,
                       const struct report_config *config)
{
    struct err e = ERR_INIT;

    stage_init(s);
    ck_assert_msg(!open_pass(p, s, config, &e), "%s", e.text);
    for ( size_t i = 0; i < p->nr_sinks; i++ )
        stage_begin(s, &p->sinks[i], 0);
}

static void feed_waits(struct report_pass *p, const struct fact_wait *waits,
                       size_t nr)
{
    for ( size_t i = 0; i < nr; i++ )
        for ( size_t k = 0; k < p->nr_sinks; k++ )
            if ( p->sinks[k].ops->wait )
                p->sinks[k].ops->wait(p->sinks[k].state, &waits[i]);
}

static void feed_runstate(struct report_pass *p, const struct fact_runstate *f)
{
    for ( size_t k = 0; k < p->nr_sinks; k++ )
        if ( p->sinks[k].ops->runstate )
            p->sinks[k].ops->runstate(p->sinks[k].state, f);
}

/* Returns the output of the pass; valid until stage_fini(). */
static const char *end_pass(struct report_pass *p, struct stage *s)
{
    struct err e = ERR_INIT;

    for ( size_t i = 0; i < p->nr_sinks; i++ )
        stage_end(&p->sinks[i], 0, 10000);
    ck_assert_msg(!report_pass_print(p, &e), "%s", e.text);
    ck_assert_msg(!report_pass_check(p, &e), "%s", e.text);
    report_pass_fini(p);
    return stage_text(s);
}

/* --- the choice of reports ------------------------------------------------ */

static const struct choice
{
    struct report_config config;
    bool wanted;                /* no default is needed */
    bool tables, losses;        /* exports tables; shows losses */
    const char *open;           /* names of open reports */
} choices[] = {
    { { 0 }, false, false, false, "" },
    { { .summary = true }, true, false, true,
      "account;summary;data quality;" },
    { { .pcpus = true }, true, false, false, "account;pcpus;" },
    { { .exits = true }, true, false, false, "account;exits;" },
    { { .latency = true }, true, false, false, "latency;" },
    { { .wakeups = true }, true, false, false, "wakeups;" },
    { { .json = true }, true, true, true, "host;account;latency;" },
    { { .csv = true }, true, true, true, "host;account;latency;" },
    { { .csv = true, .wakeups = true }, true, true, true,
      "host;account;latency;wakeups;" },

    /* CSV with rows that are exported as facts arrive. */
    { { .csv = true, .scatter[SCATTER_PCPU] = true }, true, false, false,
      "scatterplots;" },
    { { .csv = true, .interval[0] = true, .interval_length = 1000 },
      true, false, false, "intervals;" },
    { { .csv = true, .scatter[SCATTER_PCPU] = true, .exits = true },
      true, true, true, "scatterplots;host;account;exits;latency;" },
    { { .json = true, .scatter[SCATTER_PCPU] = true }, true, true, true,
      "scatterplots;host;account;latency;" },

    /* The picture with and without a scatterplot. */
    { { .plot = "a.svg" }, true, false, true, "picture;" },
    { { .gnuplot = "a.gp", .scatter[SCATTER_PCPU] = true }, true, false,
      true, "picture;scatterplots;" },
    { { .plot = "a.svg", .wakeups = true }, true, false, false,
      "picture;wakeups;" },

    /* Additions alone need a default; some open other reports. */
    { { .ipi_latency = true }, false, false, false, "IPI latency;" },
    { { .request.cr3 = true }, false, false, false, "CR3;" },
    { { .ipi_latency = true, .csv = true }, true, true, true,
      "IPI latency;host;account;latency;" },
    { { .scatter[SCATTER_CR3_SWITCH] = true }, true, false, false,
      "CR3;scatterplots;" },
};

static void print_open_reports(const struct report_pass *p, FILE *out)
{
    for ( size_t i = 0; i < report_table_size; i++ )
        if ( p->is_open[i] )
            fprintf(out, "%s;", report_table[i]->name);
}

START_TEST(reports_are_chosen)
{
    const struct choice *c = &choices[_i];
    struct err e = ERR_INIT;
    struct report_pass p;
    struct stage s;

    stage_init(&s);
    ck_assert_int_eq(report_is_wanted(&c->config), c->wanted);
    ck_assert_int_eq(open_pass(&p, &s, &c->config, &e), 0);
    print_open_reports(&p, s.out);
    ck_assert_str_eq(stage_text(&s), c->open);
    ck_assert_int_eq(p.exports_tables, c->tables);
    ck_assert_int_eq(report_pass_shows_losses(&p), c->losses);
    ck_assert_int_eq(!!p.export, c->config.json || c->config.csv);
    report_pass_fini(&p);
    stage_fini(&s);
}
END_TEST

/* A user of another report's state gets each fact after this report. */
START_TEST(needed_reports_come_first)
{
    static const struct report_config config = {
        .csv = true, .scatter[SCATTER_CR3_SWITCH] = true,
    };
    static const char *const names[] = { "export clock", "cr3" };
    struct err e = ERR_INIT;
    struct report_pass p;
    struct stage s;

    for ( size_t i = 0; i < report_table_size; i++ )
        for ( size_t k = 0; k < 3 && report_table[i]->needs[k]; k++ )
        {
            size_t row = 0;

            while ( row < i && report_table[row] != report_table[i]->needs[k] )
                row++;
            ck_assert_msg(row < i, "%s needs a report below",
                          report_table[i]->name);
        }
    stage_init(&s);
    ck_assert_int_eq(open_pass(&p, &s, &config, &e), 0);
    ck_assert_uint_eq(p.nr_sinks, NR(names) + 1);
    for ( size_t i = 0; i < NR(names); i++ )
        ck_assert_str_eq(p.sinks[i].ops->name, names[i]);
    ck_assert_ptr_eq(report_state(&p, &report_cr3), p.sinks[1].state);
    ck_assert_ptr_null(report_state(&p, &report_wakeups));
    report_pass_fini(&p);
    stage_fini(&s);
}
END_TEST

static const struct
{
    struct report_config config;
    int rc;
    const char *text;
} refusals[] = {
    { { .plot = "a.svg", .scatter = { true, true } }, -EINVAL,
      "one picture cannot show 2 scatterplots; ask for one of them" },
    { { .summary = true, .symbol_file = "no such file" }, -ENOENT,
      "no such file" },
};

START_TEST(impossible_reports_are_refused)
{
    struct err e = ERR_INIT;
    struct report_pass p;
    struct stage s;

    stage_init(&s);
    ck_assert_int_eq(open_pass(&p, &s, &refusals[_i].config, &e),
                     refusals[_i].rc);
    ck_assert_int_eq(e.code, refusals[_i].rc);
    ck_assert_msg(strstr(e.text, refusals[_i].text), "%s", e.text);
    report_pass_fini(&p);
    stage_fini(&s);
}
END_TEST

static const struct report_config everything = {
    .summary = true, .pcpus = true, .latency = true, .exits = true,
    .wakeups = true, .io = true, .why = true, .ipi_latency = true,
    .migrations = true, .timers = true, .interrupts = true,
    .storms = true, .critical_path = "d0v0",
    .check_scheduler = true,
    .allow_late = 1000000,
    .json = true,
    .scatter[SCATTER_PCPU] = true, .interval[0] = true,
    .interval_length = 1000, .request.cr3 = true,
};

START_TEST(failing_allocations_are_reported)
{
    bool fired = true;

    for ( uint64_t n = 1; fired; n++ )
    {
        struct err e = ERR_INIT;
        struct report_pass p;
        struct stage s;
        int rc;

        stage_init(&s);
        fault_arm(FAULT_ALLOC, n);
        rc = open_pass(&p, &s, &everything, &e);
        fired = fault_fired(FAULT_ALLOC);
        fault_disarm();
        ck_assert_int_eq(rc, fired ? -ENOMEM : 0);
        ck_assert_int_eq(e.code, rc);
        report_pass_fini(&p);
        stage_fini(&s);
    }
}
END_TEST

/* --- the frame of the output ---------------------------------------------- */

/* Begin and end of the output; `whole`: there is nothing in between. */
static const struct frame
{
    struct report_config config;
    bool whole;
    const char *begin, *end;
} frames[] = {
    { { .summary = true }, false, "Total time: 0.00 seconds", "\n" },
    { { .wakeups = true }, true,
      "--- Wake-ups: waker, woken vcpu, wait until it ran ---\n",
      " waker        woken           count     mean      p99      max"
      "    total\n" },
    { { .latency = true }, false,
      "--- Scheduling latency: from wake-up to running ---\n",
      "--- The longest waits ---\n" },
    { { .exits = true }, false, "--- VM exits by domain ---\n",
      "--- Time in guest mode ---\n" },
    { { .ipi_latency = true }, true, "", "" },
    { { .json = true }, false, "{\"format\":\"xenalyze\",\"version\":",
      "]\n}}\n" },
    { { .json = true, .scatter[SCATTER_PCPU] = true }, false,
      "{\"format\":\"xenalyze\",\"version\":", "]\n}}\n" },
    { { .csv = true, .scatter[SCATTER_PCPU] = true }, true,
      "plot,domain,vcpu,irq,device,time_tsc,",
      "time_ns,time_wall_ns,value,address\n" },
};

START_TEST(empty_output_has_a_frame)
{
    const struct frame *f = &frames[_i];
    size_t length, ends = strlen(f->end), begins = strlen(f->begin);
    struct report_pass p;
    const char *text;
    struct stage s;

    begin_pass(&p, &s, &f->config);
    text = end_pass(&p, &s);
    length = strlen(text);
    ck_assert_msg(!strncmp(text, f->begin, begins), "%s", text);
    ck_assert_msg(length >= ends && !strcmp(text + length - ends, f->end),
                  "%s", text);
    if ( f->whole )
        ck_assert_uint_eq(length, begins + ends);
    stage_fini(&s);
}
END_TEST

static unsigned int count_occurrences(const char *text, const char *part)
{
    unsigned int nr = 0;

    for ( ; (text = strstr(text, part)); text += strlen(part) )
        nr++;
    return nr;
}

/*
 * Returns the number of tables; `form` makes the searched text of a name.  The
 * state has no rows for tables that are left out then.
 */
static unsigned int find_each_table(const char *text, const char *form,
                                    bool leaves_out)
{
    unsigned int nr = 0, found;
    char part[128];

    for ( size_t i = 0; i < report_table_size; i++ )
        for ( size_t k = 0; k < REPORT_MAX_TABLES; k++ )
            for ( const struct export_table *t = report_table[i]->tables[k];
                  t && t->name; t++, nr++ )
            {
                snprintf(part, sizeof(part), form, t->name);
                found = count_occurrences(text, part);
                ck_assert_msg(found == !(leaves_out && t->has_rows),
                              "%s %u times", t->name, found);
            }
    return nr;
}

START_TEST(schema_names_each_table_once)
{
    const struct export_table *const none[] = { NULL };
    struct stage s;
    unsigned int nr;

    stage_init(&s);
    report_print_schema(none, s.out);
    nr = find_each_table(stage_text(&s), "\n  \"%s\":{\"description\":", false);
    ck_assert_uint_gt(nr, report_table_size);
    /* Properties of a table have four spaces. */
    ck_assert_uint_eq(count_occurrences(s.text, "\n  \""), nr + 3);
    stage_fini(&s);
}
END_TEST

START_TEST(json_has_each_table_once)
{
    struct report_pass p;
    struct stage s;

    begin_pass(&p, &s, &everything);
    feed_runstate(&p, &(struct fact_runstate){
        .vcpu = &s.vcpus[0], .to = 1000, .state = STATE_RUNNING,
        .next = STATE_BLOCKED });
    find_each_table(end_pass(&p, &s), "\n\"%s\":", true);
    stage_fini(&s);
}
END_TEST

/* --- the wake-up graph ---------------------------------------------------- */

/* The last row of `wakes` is no wake-up. */
static void feed_wakes(struct report_pass *p, const struct stage *s)
{
    static struct domain idle_domain = { .index = 2, .id = XT_DOMAIN_IDLE };
    static const struct vcpu idle[] = {
        { .index = 3, .id = 0, .domain = &idle_domain },
        { .index = 4, .id = 1, .domain = &idle_domain },
    };
    const struct vcpu *d0v0 = &s->vcpus[0], *d0v1 = &s->vcpus[1];
    const struct vcpu *d1v0 = &s->vcpus[2];
    const struct fact_wait waits[] = {
        { .vcpu = d1v0, .waker = d0v0, .to = 1000, .why = WHY_WAKE },
        { .vcpu = d0v0, .waker = &idle[0], .from = 1000, .to = 1200,
          .why = WHY_WAKE },
        { .vcpu = d1v0, .waker = d0v0, .from = 2000, .to = 5000,
          .why = WHY_WAKE },
        { .vcpu = d0v1, .from = 2000, .to = 5500, .why = WHY_WAKE },
        { .vcpu = d0v0, .waker = &idle[1], .from = 6000, .to = 6400,
          .why = WHY_WAKE },
        { .vcpu = d0v0, .waker = &idle[0], .from = 7000, .to = 7000,
          .why = WHY_WAKE },
        { .vcpu = d1v0, .waker = d0v0, .from = 8000, .to = 9000,
          .why = WHY_PREEMPT },
    };

    feed_waits(p, waits, NR(waits));
}

#define WAKEUPS_HEAD \
    "--- Wake-ups: waker, woken vcpu, wait until it ran ---\n" \
    " waker        woken           count     mean      p99      max" \
    "    total\n"
#define FROM_D0V0 \
    " d0v0         d1v0                2   2.0 us   3.0 us   3.0 us" \
    "   4.0 us\n"
#define FROM_INTERRUPT \
    " interrupt    d0v0                3   300 ns   400 ns   400 ns" \
    "   600 ns\n"
#define FROM_UNKNOWN \
    " unknown      d0v1                1   3.5 us   3.5 us   3.5 us" \
    "   3.5 us\n"

static const struct
{
    struct report_request request;
    const char *text;
} graphs[] = {
    { { .sort = SORT_AUTO },
      WAKEUPS_HEAD FROM_INTERRUPT FROM_D0V0 FROM_UNKNOWN },
    { { .sort = SORT_NAME },
      WAKEUPS_HEAD FROM_D0V0 FROM_INTERRUPT FROM_UNKNOWN },
    { { .sort = SORT_AUTO, .top = 2 },
      WAKEUPS_HEAD FROM_INTERRUPT FROM_D0V0 },
    { { .sort = SORT_NAME, .top = 1 }, WAKEUPS_HEAD FROM_D0V0 },
};

START_TEST(wakeups_are_printed)
{
    const struct report_config config = {
        .wakeups = true, .request = graphs[_i].request,
    };
    struct report_pass p;
    struct stage s;

    begin_pass(&p, &s, &config);
    feed_wakes(&p, &s);
    same_text(end_pass(&p, &s), graphs[_i].text);
    stage_fini(&s);
}
END_TEST

START_TEST(wakeups_are_exported)
{
    static const struct report_config config = {
        .wakeups = true, .csv = true,
    };
    static const char *const parts[] = {
        "\ntable,waker,woken,",
        "\nwakeups,\"d0v0\",\"d1v0\",2,2,4000,4000,2000,2000,1000,",
        "\nwakeups,\"interrupt\",\"d0v0\",3,2,600,600,300,300,200,",
        "\nwakeups,\"unknown\",\"d0v1\",1,1,3500,3500,3500,3500,",
        /* Tables that are in each export. */
        "\nwait_wakers,0,0,\"idle\",3\n",
        "\nwait_wakers,0,1,\"unknown\",1\n",
        "\nwait_wakers,1,0,\"d0v0\",2\n",
    };
    struct report_pass p;
    const char *text;
    struct stage s;

    begin_pass(&p, &s, &config);
    feed_wakes(&p, &s);
    text = end_pass(&p, &s);
    for ( size_t i = 0; i < NR(parts); i++ )
        ck_assert_msg(count_occurrences(text, parts[i]) == 1, "%s in:\n%s",
                      parts[i], text);
    ck_assert_uint_eq(count_occurrences(text, "\nwakeups,"), 3);
    stage_fini(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reports");
    TCase *tcase = tcase_create("reports");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, reports_are_chosen, 0, NR(choices));
    tcase_add_test(tcase, needed_reports_come_first);
    tcase_add_loop_test(tcase, impossible_reports_are_refused, 0,
                        NR(refusals));
    tcase_add_test(tcase, failing_allocations_are_reported);
    tcase_add_loop_test(tcase, empty_output_has_a_frame, 0, NR(frames));
    tcase_add_test(tcase, schema_names_each_table_once);
    tcase_add_test(tcase, json_has_each_table_once);
    tcase_add_loop_test(tcase, wakeups_are_printed, 0, NR(graphs));
    tcase_add_test(tcase, wakeups_are_exported);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
