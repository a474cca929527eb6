/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interval series: facts in, cells out.  An interval is 1000 cycles.
 */
#include <inttypes.h>

#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/account/account.h"
#include "xenalyze/account/grid.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* Print "TIME DOMAIN=VALUE", with the length of a shorter interval. */
static void print_cell(void *state, const struct interval_cell *c)
{
    FILE *out = state;

    fprintf(out, "%" PRIu64, c->at);
    if ( c->cycles != 1000 )
        fprintf(out, "/%" PRIu64, c->cycles);
    if ( c->has_domain )
        fprintf(out, " d%" PRIu64, c->domain);
    if ( c->has_number )
        fprintf(out, " %" PRIu64, c->number);
    fprintf(out, "%s%s=%" PRIu64 ";", c->name ? " " : "",
            c->name ? c->name : "", c->value);
}

/* As print_cell(), without the cells that are 0. */
static void print_used_cell(void *state, const struct interval_cell *c)
{
    if ( c->value )
        print_cell(state, c);
}

static void same_cells(struct stage *s, const char *what, const char *expected)
{
    ck_assert_msg(!strcmp(stage_text(s), expected), "%s: %s is not %s", what,
                  stage_text(s), expected);
}

static void count_cell(void *state, const struct interval_cell *c)
{
    ck_assert(c->has_domain);
    ++*(size_t *)state;
}

/* --- waiting time --------------------------------------------------------- */

/* Vcpus after the three of the stage. */
enum { IDLE = 3, DEFAULT, VCPUS };

#define WAIT STATE_RUNNABLE

static const struct wait_row
{
    const char *what;
    uint64_t first, last;
    size_t nr;
    struct { unsigned int vcpu, state; uint64_t from, to; } states[4];
    const char *expected;
} wait_rows[] = {
    { "no waits", 0, 2000, 0, { { 0, 0, 0, 0 } }, "" },
    { "within an interval", 0, 2000, 1, { { 2, WAIT, 1100, 1150 } },
      "0 d1=0;1000 d1=50;" },
    { "across a border", 0, 2000, 1, { { 2, WAIT, 900, 1250 } },
      "0 d1=100;1000 d1=250;" },
    { "an interval as a whole, and parts of its neighbours", 0, 3000, 1,
      { { 2, WAIT, 999, 2001 } }, "0 d1=1;1000 d1=1000;2000 d1=1;" },
    { "from border to border", 0, 3000, 1, { { 2, WAIT, 1000, 2000 } },
      "0 d1=0;1000 d1=1000;2000 d1=0;" },
    { "no length", 0, 1000, 1, { { 2, WAIT, 500, 500 } }, "0 d1=0;" },
    { "intervals count from the first record", 700, 2700, 1,
      { { 2, WAIT, 1600, 1800 } }, "700 d1=100;1700 d1=100;" },
    { "time before the first record", 700, 1700, 1,
      { { 2, WAIT, 300, 800 } }, "700 d1=100;" },
    { "the last interval is shorter", 0, 1250, 1,
      { { 2, WAIT, 1200, 1250 } }, "0 d1=0;1000/250 d1=50;" },
    { "one record: no time at all", 500, 500, 1, { { 2, WAIT, 500, 500 } },
      "" },
    { "vcpus of a domain wait longer than the interval", 0, 1000, 2,
      { { 0, WAIT, 0, 1000 }, { 1, WAIT, 100, 1000 } }, "0 d0=1900;" },
    { "domains in the order of ids", 0, 1000, 3,
      { { 2, WAIT, 0, 10 }, { 0, WAIT, 0, 20 }, { 2, WAIT, 30, 35 } },
      "0 d0=20;0 d1=15;" },
    { "only waits count", 0, 1000, 4,
      { { 2, STATE_RUNNING, 0, 100 }, { 2, STATE_BLOCKED, 100, 200 },
        { 2, STATE_LOST, 200, 300 }, { 0, WAIT, 300, 301 } }, "0 d0=1;" },
    { "an idle vcpu does not wait, an unknown one is of no domain", 0, 1000, 3,
      { { IDLE, WAIT, 0, 100 }, { DEFAULT, WAIT, 0, 100 },
        { 1, WAIT, 0, 7 } }, "0 d0=7;" },
};

static void feed_state(const struct sink *sink, const struct vcpu *v,
                       unsigned int state, uint64_t from, uint64_t to)
{
    sink->ops->runstate(sink->state, &(struct fact_runstate){
        .vcpu = v, .from = from, .to = to, .state = state,
        .next = STATE_RUNNING });
}

static struct interval *start_interval(struct stage *s, struct sink *sink,
                                       enum interval_kind kind,
                                       const uint64_t *ids, size_t nr_ids,
                                       uint64_t first)
{
    struct interval *i;

    stage_init(s);
    ck_assert_int_eq(interval_new(&i, kind, 1000, ids, nr_ids), 0);
    *sink = interval_sink(i);
    stage_begin(s, sink, first);
    return i;
}

START_TEST(waits_are_split_by_interval)
{
    struct domain idle = { .index = 2, .id = XT_DOMAIN_IDLE };
    struct domain unknown = { .index = 3, .id = XT_DOMAIN_DEFAULT };
    const struct wait_row *r = &wait_rows[_i];
    struct vcpu vcpus[VCPUS];
    struct interval *i;
    struct sink sink;
    struct stage s;

    i = start_interval(&s, &sink, INTERVAL_DOMAIN_WAIT_ALL, NULL, 0, r->first);
    memcpy(vcpus, s.vcpus, sizeof(s.vcpus));
    vcpus[IDLE] = (struct vcpu){ .index = 3, .domain = &idle };
    vcpus[DEFAULT] = (struct vcpu){ .index = 4, .domain = &unknown };
    for ( size_t k = 0; k < r->nr; k++ )
        feed_state(&sink, &vcpus[r->states[k].vcpu], r->states[k].state,
                   r->states[k].from, r->states[k].to);
    stage_end(&sink, r->first, r->last);
    interval_walk(i, print_cell, s.out);
    same_cells(&s, r->what, r->expected);
    ck_assert(!interval_is_truncated(i) && !interval_has_too_many_ids(i));
    interval_free(i);
    stage_fini(&s);
}
END_TEST

START_TEST(only_the_first_segment_counts)
{
    struct interval *i;
    struct sink sink;
    struct stage s;

    i = start_interval(&s, &sink, INTERVAL_DOMAIN_WAIT_ALL, NULL, 0, 0);
    feed_state(&sink, &s.vcpus[2], WAIT, 0, 100);
    stage_end(&sink, 0, 1000);
    sink.ops->begin(i, &(struct fact_begin){ .segment = 1, .first = 9000,
                                             .clock = &s.clock });
    feed_state(&sink, &s.vcpus[0], WAIT, 0, 100);
    feed_state(&sink, &s.vcpus[2], WAIT, 200, 300);
    interval_walk(i, print_cell, s.out);
    same_cells(&s, "segments", "0 d1=100;");
    interval_free(i);
    stage_fini(&s);
}
END_TEST

/* --- bounds --------------------------------------------------------------- */

#define MAX_IDS 4096u           /* columns, see interval.h */

START_TEST(domains_are_bounded)
{
    struct interval *i;
    struct sink sink;
    struct stage s;

    i = start_interval(&s, &sink, INTERVAL_DOMAIN_WAIT_ALL, NULL, 0, 0);
    for ( unsigned int id = 0; id <= MAX_IDS; id++ )
    {
        struct domain d = { .id = id };
        const struct vcpu v = { .domain = &d };

        ck_assert(!interval_has_too_many_ids(i));
        feed_state(&sink, &v, WAIT, id, 2 * id + 1);
    }
    ck_assert(interval_has_too_many_ids(i));
    feed_state(&sink, &s.vcpus[0], WAIT, 500, 501);
    stage_end(&sink, 0, 1000);
    ck_assert(!interval_is_truncated(i));
    interval_walk(i, print_used_cell, s.out);
    ck_assert_ptr_eq(strstr(stage_text(&s), "0 d0=2;0 d1=2;0 d2=3;"),
                     stage_text(&s));
    ck_assert_ptr_nonnull(strstr(stage_text(&s), ";0 d999=1;"));
    ck_assert_ptr_null(strstr(stage_text(&s), "d1000="));
    interval_free(i);
    stage_fini(&s);
}
END_TEST

static const struct
{
    const char *what;
    uint64_t last;
    bool truncated;
} bounds[] = {
    { "as many intervals as there is room for", GRID_MAX_ROWS * 1000ull,
      false },
    { "one interval more", GRID_MAX_ROWS * 1000ull + 1, true },
};

/* The wait ends with the trace. */
START_TEST(intervals_are_bounded)
{
    struct interval *i;
    size_t cells = 0;
    struct sink sink;
    struct stage s;

    i = start_interval(&s, &sink, INTERVAL_DOMAIN_WAIT_ALL, NULL, 0, 0);
    feed_state(&sink, &s.vcpus[2], WAIT, GRID_MAX_ROWS * 1000ull - 400,
               bounds[_i].last);
    stage_end(&sink, 0, bounds[_i].last);
    ck_assert_msg(interval_is_truncated(i) == bounds[_i].truncated, "%s",
                  bounds[_i].what);
    interval_walk(i, print_used_cell, s.out);
    same_cells(&s, bounds[_i].what, "1048575000 d1=400;");
    interval_walk(i, count_cell, &cells);
    ck_assert_uint_eq(cells, GRID_MAX_ROWS);
    interval_free(i);
    stage_fini(&s);
}
END_TEST

/* --- the other kinds ------------------------------------------------------ */

static void feed_exit(const struct sink *sink, const struct vcpu *v,
                      unsigned int handler, uint64_t start, uint64_t cycles)
{
    const struct fact_exit exit = { .vcpu = v, .start = start,
                                    .cycles = cycles };

    sink->ops->handle(sink->state, &(struct fact_handle){
        .vcpu = v, .exit = &exit, .time = start, .kind = handler,
        .at = 0xf3, .main = handler != HANDLE_INJECT });
    if ( sink->ops->exit )
        sink->ops->exit(sink->state, &exit);
}

static void feed_cr3(const struct sink *sink, const struct vcpu *v,
                     uint64_t time, uint64_t frame)
{
    sink->ops->cr3(sink->state, &(struct fact_cr3){
        .vcpu = v, .time = time, .value = frame << 12 });
}

/*
 * The vcpu d1v0 loads frame 9, runs from 100 to 1400, and halts meanwhile for
 * 50 cycles; d0v0 has an exit too.
 */
static void feed_all(const struct stage *s, const struct sink *sink)
{
    const struct vcpu *v = &s->vcpus[2];

    if ( sink->ops->cr3 )
        feed_cr3(sink, v, 100, 9);
    if ( sink->ops->handle )
    {
        feed_exit(sink, v, HANDLE_HALT, 980, 50);
        feed_exit(sink, v, HANDLE_INJECT, 1200, 10);
        feed_exit(sink, &s->vcpus[0], HANDLE_INJECT, 1300, 10);
    }
    if ( sink->ops->runstate )
        feed_state(sink, v, STATE_RUNNING, 100, 1400);
    for ( unsigned int k = 0; sink->ops->memory && k < 3; k++ )
        sink->ops->memory(sink->state, &(struct fact_memory){
            .by = k < 2 ? v : NULL, .kind = MEMORY_GRANT_MAP,
            .time = 600 + 600 * k });
}

static const struct
{
    enum interval_kind kind;
    size_t nr_ids;
    uint64_t ids[2];
    const char *expected;       /* cells other than 0 */
} kinds[] = {
    { INTERVAL_DOMAIN_TIME, 2, { 7, 1 }, "0 d1=900;1000/500 d1=400;" },
    { INTERVAL_DOMAIN_TIME, 1, { 0 }, "" },
    { INTERVAL_DOMAIN_TIME_ALL, 0, { 0 }, "0 d1=900;1000/500 d1=400;" },
    { INTERVAL_DOMAIN_SUMMARY, 1, { 1 },
      "0 d1 running=900;0 d1 hlt=20;1000/500 d1 running=400;"
      "1000/500 d1 hlt=30;1000/500 d1 other=10;" },
    { INTERVAL_DOMAIN_INTERRUPT, 1, { 1 }, "1000/500 d1 243=1;" },
    { INTERVAL_DOMAIN_GRANT_MAPS, 1, { 1 }, "0 d1=1;1000/500 d1=1;" },
    { INTERVAL_DOMAIN_GRANT_MAPS, 1, { 0 }, "" },
    { INTERVAL_CR3_TIME, 2, { 9, 8 }, "0 9=900;1000/500 9=400;" },
    { INTERVAL_CR3_TIME_ALL, 0, { 0 }, "0 9=900;1000/500 9=400;" },
    { INTERVAL_CR3_ORDERED, 0, { 0 }, "0 9 new=900;1000/500 9=400;" },
    { INTERVAL_CR3_SUMMARY, 1, { 9 },
      "0 9 guest=900;0 9 hlt=20;1000/500 9 guest=400;1000/500 9 hlt=30;"
      "1000/500 9 other=10;" },
    { INTERVAL_CR3_SUMMARY, 1, { 8 }, "" },
};

START_TEST(kinds_have_their_cells)
{
    struct interval *i;
    struct sink sink;
    struct stage s;

    i = start_interval(&s, &sink, kinds[_i].kind, kinds[_i].ids,
                       kinds[_i].nr_ids, 0);
    feed_all(&s, &sink);
    stage_end(&sink, 0, 1500);
    interval_walk(i, print_used_cell, s.out);
    same_cells(&s, interval_name(kinds[_i].kind), kinds[_i].expected);
    interval_free(i);
    stage_fini(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("intervals");
    TCase *tcase = tcase_create("intervals");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, UNIT_SECONDS);
    tcase_add_loop_test(tcase, waits_are_split_by_interval, 0, NR(wait_rows));
    tcase_add_test(tcase, only_the_first_segment_counts);
    tcase_add_test(tcase, domains_are_bounded);
    tcase_add_loop_test(tcase, intervals_are_bounded, 0, NR(bounds));
    tcase_add_loop_test(tcase, kinds_have_their_cells, 0, NR(kinds));
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
