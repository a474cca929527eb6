/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accounts by tables: facts in, numbers out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/grow.h"
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/account/account.h"
#include "xenalyze/account/grid.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* --- the grid ------------------------------------------------------------- */

/* Rows of 10 cycles from 100 on; `to` 0: count 1 at `from`. */
static const struct grid_row
{
    const char *what;
    size_t nr;
    struct { size_t column; uint64_t from, to; } adds[3];
    const char *expected;       /* cells, row by row */
} grid_rows[] = {
    { "nothing", 0, { { 0, 0, 0 } }, "" },
    { "within a row", 1, { { 0, 102, 105 } }, "3;" },
    { "a whole row", 1, { { 0, 100, 110 } }, "10;" },
    { "split at a border", 1, { { 0, 105, 112 } }, "5;2;" },
    { "over three rows", 1, { { 0, 105, 125 } }, "5;10;5;" },
    { "from before the first row", 1, { { 0, 50, 105 } }, "5;" },
    { "before the first row", 1, { { 0, 50, 60 } }, "" },
    { "no length", 1, { { 0, 105, 105 } }, "" },
    { "two columns", 2, { { 0, 100, 101 }, { 2, 110, 115 } },
      "1 0 0;0 0 5;" },
    { "counts", 3, { { 1, 100, 0 }, { 1, 109, 0 }, { 1, 110, 0 } },
      "0 2;0 1;" },
    { "a count before the first row", 1, { { 0, 5, 0 } }, "1;" },
};

static void print_grid(const struct grid *g, FILE *out)
{
    for ( size_t row = 0; row < g->nr_rows; row++ )
        for ( size_t i = 0; i < g->nr_columns; i++ )
            fprintf(out, "%" PRIu64 "%s", grid_cell(g, i, row),
                    i + 1 < g->nr_columns ? " " : ";");
}

START_TEST(grid_splits_time)
{
    const struct grid_row *r = &grid_rows[_i];
    struct grid g = { .first = 100, .width = 10 };
    struct stage s;

    stage_init(&s);
    for ( size_t i = 0; i < r->nr; i++ )
        if ( r->adds[i].to )
            grid_add(&g, r->adds[i].column, r->adds[i].from, r->adds[i].to);
        else
            grid_count(&g, r->adds[i].column, r->adds[i].from, 1);
    print_grid(&g, s.out);
    ck_assert_msg(!strcmp(stage_text(&s), r->expected), "%s: %s", r->what,
                  stage_text(&s));
    ck_assert(!g.rc && !g.truncated);
    grid_fini(&g);
    stage_fini(&s);
}
END_TEST

START_TEST(grid_is_bounded)
{
    struct grid g = { .first = 0, .width = 1 };

    grid_count(&g, 0, GRID_MAX_ROWS - 1, 1);
    ck_assert(!g.truncated);
    grid_count(&g, 0, GRID_MAX_ROWS, 1);
    ck_assert(g.truncated && !g.rc);
    ck_assert_uint_eq(g.nr_rows, GRID_MAX_ROWS);
    ck_assert_uint_eq(grid_cell(&g, 0, GRID_MAX_ROWS - 1), 1);
    ck_assert_uint_eq(grid_cell(&g, 7, 0), 0);
    grid_fini(&g);
}
END_TEST

START_TEST(grid_drops_columns)
{
    const size_t beyond = GRID_MAX_CELLS / GRID_MAX_ROWS;
    struct grid g = { .first = 0, .width = 1 };

    grid_count(&g, 0, GRID_MAX_ROWS - 1, 1);
    grid_count(&g, beyond, 5, 1);
    grid_add(&g, beyond, 5, 7);
    ck_assert(g.truncated && !g.rc);
    ck_assert_uint_eq(grid_cell(&g, beyond, 5), 0);
    grid_count(&g, beyond - 2, 5, 1);
    ck_assert_uint_eq(grid_cell(&g, beyond - 2, 5), 1);
    grid_fini(&g);
}
END_TEST

/* --- categories ----------------------------------------------------------- */

static const struct category_row
{
    const char *name;
    struct fact_handle handle;
} category_rows[] = {
    { "other", { .kind = HANDLE_GENERIC } },
    { "hlt", { .kind = HANDLE_HALT } },
    { "vmcall", { .kind = HANDLE_HYPERCALL } },
    { "intr", { .kind = HANDLE_INTERRUPT } },
    { "cr3", { .kind = HANDLE_CR, .at = 3, .write = true } },
    { "other", { .kind = HANDLE_CR, .at = 3 } },
    { "other", { .kind = HANDLE_CR, .at = 0, .write = true } },
    { "emulate", { .kind = HANDLE_SHADOW, .shadow.kind = SHADOW_EMULATE } },
    { "mmio", { .kind = HANDLE_SHADOW, .shadow.kind = SHADOW_FAST_MMIO } },
    { "propagate", { .kind = HANDLE_SHADOW,
                     .shadow.kind = SHADOW_DOMF_DYING } },
    { "fixup", { .kind = HANDLE_SHADOW, .shadow.kind = SHADOW_FIXUP } },
    { "unsync", { .kind = HANDLE_SHADOW,
                  .shadow = { .kind = SHADOW_FIXUP,
                              .flags = SHADOW_FLAG_UNSYNC } } },
    { "other", { .kind = HANDLE_SHADOW, .shadow.kind = SHADOW_WRMAP_BF } },
};

START_TEST(handlers_have_categories)
{
    const struct category_row *r = &category_rows[_i];

    ck_assert_str_eq(category_name(category_of_handler(&r->handle)), r->name);
}
END_TEST

/* --- concurrency ---------------------------------------------------------- */

static const struct concurrency_row
{
    const char *what;
    size_t nr;
    struct
    {
        uint64_t from, to;
        unsigned int vcpus, running, runnable, blocked, ended;
    } facts[2];
    const char *expected;
} concurrency_rows[] = {
    { "one runs", 1, { { 0, 10, 2, 1, 0, 1, 0 } }, "vcpus=2 1:10" },
    { "none runs", 1, { { 0, 10, 2, 0, 0, 2, 0 } }, "vcpus=2 0:10" },
    { "one waits for the other", 1, { { 0, 10, 2, 1, 1, 0, 0 } },
      "vcpus=2 1:10 hazard=10" },
    { "all wait", 1, { { 0, 10, 2, 0, 2, 0, 0 } }, "vcpus=2 0:10" },
    { "one is lost", 1, { { 0, 10, 2, 1, 0, 0, 0 } }, "vcpus=2 lost=10" },
    { "one ran to the end of its records", 1, { { 0, 10, 2, 1, 0, 0, 1 } },
      "vcpus=2 2:10" },
    { "a vcpu appears", 2, { { 0, 10, 1, 1, 0, 0, 0 },
                             { 10, 40, 2, 2, 0, 0, 0 } },
      "vcpus=2 1:10 2:30" },
    { "more than the array has", 1, { { 0, 10, 70, 70, 0, 0, 0 } },
      "vcpus=70 64:10" },
};

static void print_concurrency(const struct concurrency_domain *d, FILE *out)
{
    fprintf(out, "vcpus=%" PRIu32, d->vcpus);
    for ( unsigned int i = 0; i <= CONCURRENCY_MAX; i++ )
        if ( d->cycles[i] )
            fprintf(out, " %u:%" PRIu64, i, d->cycles[i]);
    if ( d->lost )
        fprintf(out, " lost=%" PRIu64, d->lost);
    if ( d->hazard )
        fprintf(out, " hazard=%" PRIu64, d->hazard);
}

START_TEST(concurrency_is_summed)
{
    const struct concurrency_row *r = &concurrency_rows[_i];
    struct concurrency t = { 0 };
    struct sink sink = concurrency_sink(&t);
    struct stage s;

    stage_init(&s);
    for ( size_t i = 0; i < r->nr; i++ )
        sink.ops->domain(sink.state, &(struct fact_domain){
            .domain = &s.domains[1], .from = r->facts[i].from,
            .to = r->facts[i].to, .nr_vcpus = r->facts[i].vcpus,
            .census = r->facts[i].running * FACT_CENSUS(CENSUS_RUNNING) +
                      r->facts[i].runnable * FACT_CENSUS(CENSUS_RUNNABLE) +
                      r->facts[i].blocked * FACT_CENSUS(CENSUS_BLOCKED),
            .ended = r->facts[i].ended });
    concurrency_close(&t);
    ck_assert_uint_eq(t.nr, 1);
    print_concurrency(&t.domains[0], s.out);
    ck_assert_msg(!strcmp(stage_text(&s), r->expected), "%s: %s", r->what,
                  stage_text(&s));
    concurrency_fini(&t);
    stage_fini(&s);
}
END_TEST

/* --- time by CR3 ---------------------------------------------------------- */

/* `frame`: load at `from`; else the vcpu ran. */
static const struct cr3_time_row
{
    const char *what;
    size_t nr;
    struct { uint64_t frame, from, to; } facts[4];
    const char *expected;
} cr3_time_rows[] = {
    { "unknown before the first load", 1, { { 0, 0, 100 } }, "" },
    { "a load while running", 2, { { 9, 40, 0 }, { 0, 0, 100 } },
      "9:40-100;" },
    { "two loads", 3, { { 9, 40, 0 }, { 10, 70, 0 }, { 0, 0, 100 } },
      "9:40-70;10:70-100;" },
    { "the frame stays", 3, { { 9, 40, 0 }, { 0, 0, 50 }, { 0, 60, 80 } },
      "9:40-50;9:60-80;" },
    { "a load after the end counts from the end", 3,
      { { 9, 120, 0 }, { 0, 0, 100 }, { 0, 130, 140 } }, "9:130-140;" },
    { "a load before the begin", 2, { { 9, 10, 0 }, { 0, 50, 100 } },
      "9:50-100;" },
};

static void print_cr3_time(void *owner, const struct vcpu *v, uint64_t frame,
                           uint64_t from, uint64_t to)
{
    (void)v;
    fprintf(owner, "%" PRIu64 ":%" PRIu64 "-%" PRIu64 ";", frame, from, to);
}

START_TEST(running_time_is_split_by_cr3)
{
    const struct cr3_time_row *r = &cr3_time_rows[_i];
    struct cr3 c = { .add_time = print_cr3_time };
    struct stage s;

    stage_init(&s);
    c.owner = s.out;
    for ( size_t i = 0; i < r->nr; i++ )
        if ( r->facts[i].frame )
            cr3_note_load(&c, &(struct fact_cr3){
                .vcpu = &s.vcpus[2], .time = r->facts[i].from,
                .value = r->facts[i].frame << 12 });
        else
            cr3_note_runstate(&c, &(struct fact_runstate){
                .vcpu = &s.vcpus[2], .from = r->facts[i].from,
                .to = r->facts[i].to, .state = STATE_RUNNING });
    ck_assert_msg(!strcmp(stage_text(&s), r->expected), "%s: %s", r->what,
                  stage_text(&s));
    cr3_fini(&c);
    stage_fini(&s);
}
END_TEST

/* --- latency of IPIs ------------------------------------------------------ */

#define ICR 0xfee00300u
#define ALL_BUT_SELF (3u << 18)

enum ipi_step { IPI_SEND, IPI_SEND_ONE, IPI_INJECT, IPI_INJECT_IN_EXIT };

static const struct ipi_row
{
    const char *what;
    size_t nr;
    struct { enum ipi_step step; uint64_t time; uint32_t vector; } steps[3];
    const char *expected;
} ipi_rows[] = {
    { "sent, delivered", 2, { { IPI_SEND, 100, 0xf0 },
                              { IPI_INJECT, 350, 0xf0 } },
      " [vla] d0v1 vec 240 ipis 1, latency 250 (0.000000250 s)\n" },
    { "delivered with the next entry", 2, { { IPI_SEND, 100, 0xf0 },
                                            { IPI_INJECT_IN_EXIT, 350, 0xf0 } },
      " [vla] d0v1 vec 240 ipis 1, latency 300 (0.000000300 s)\n" },
    { "sent twice", 3, { { IPI_SEND, 100, 0xf0 }, { IPI_SEND, 200, 0xf0 },
                         { IPI_INJECT, 350, 0xf0 } },
      " [vla] d0v1 vec 240 ipis 2, latency 250 (0.000000250 s)\n" },
    { "the delivery's fact comes first", 2, { { IPI_INJECT, 350, 0xf0 },
                                              { IPI_SEND, 100, 0xf0 } },
      " [vla] d0v1 vec 240 ipis 1, latency 250 (0.000000250 s)\n" },
    { "another vector", 2, { { IPI_SEND, 100, 0xf0 },
                             { IPI_INJECT, 350, 0xf1 } }, "" },
    { "not a broadcast", 2, { { IPI_SEND_ONE, 100, 0xf0 },
                              { IPI_INJECT, 350, 0xf0 } }, "" },
};

/* The vcpu d0v0 sends, d0v1 receives. */
static void run_ipi_step(const struct stage *s, const struct sink *sink,
                         enum ipi_step step, uint64_t time, uint32_t vector)
{
    const struct fact_exit exit = { .vcpu = &s->vcpus[1], .start = 300,
                                    .cycles = 100 };
    const bool send = step == IPI_SEND || step == IPI_SEND_ONE;
    const struct fact_handle handle = {
        .vcpu = &s->vcpus[send ? 0 : 1], .time = time,
        .kind = send ? HANDLE_MMIO : HANDLE_INJECT,
        .at = send ? ICR : vector, .write = send, .has_value = send,
        .value = vector | (step == IPI_SEND ? ALL_BUT_SELF : 0),
        .exit = step == IPI_INJECT_IN_EXIT ? &exit : NULL,
    };

    sink->ops->handle(sink->state, &handle);
    if ( handle.exit )
        sink->ops->exit(sink->state, &exit);
}

START_TEST(ipis_have_a_latency)
{
    const struct ipi_row *r = &ipi_rows[_i];
    struct ipi_latency ipis = { 0 };
    struct sink sink;
    struct stage s;

    stage_init(&s);
    ipi_latency_init(&ipis, s.out);
    sink = ipi_latency_sink(&ipis);
    stage_begin(&s, &sink, 0);
    sink.ops->exit(sink.state, &(struct fact_exit){ .vcpu = &s.vcpus[1] });
    for ( size_t i = 0; i < r->nr; i++ )
        run_ipi_step(&s, &sink, r->steps[i].step, r->steps[i].time,
                     r->steps[i].vector);
    ck_assert_msg(!strcmp(stage_text(&s), r->expected), "%s: %s", r->what,
                  stage_text(&s));
    ipi_latency_close(&ipis);
    ipi_latency_fini(&ipis);
    stage_fini(&s);
}
END_TEST

/* --- order of tables ------------------------------------------------------ */

static const struct sort_case
{
    unsigned int sort, top;
    size_t shown;
    size_t indexes[4];
} sort_cases[] = {
    { SORT_NAME, 0, 4, { 0, 1, 2, 3 } },
    { SORT_NAME, 2, 2, { 0, 1, 2, 3 } },
    { SORT_TOTAL, 0, 4, { 1, 3, 0, 2 } },
    { SORT_TOTAL, 3, 3, { 1, 3, 0, 2 } },
    { SORT_TOTAL, 9, 4, { 1, 3, 0, 2 } },
};

START_TEST(rows_are_sorted)
{
    const struct sort_case *c = &sort_cases[_i];
    const struct report_request request = { .sort = c->sort, .top = c->top };
    struct sort_row rows[] = { { 5, 0 }, { 9, 1 }, { 5, 2 }, { 7, 3 } };

    ck_assert_uint_eq(sort_rows(&request, rows, 4), c->shown);
    for ( size_t i = 0; i < 4; i++ )
        ck_assert_uint_eq(rows[i].index, c->indexes[i]);
}
END_TEST

START_TEST(arrays_grow)
{
    uint64_t *array = NULL;
    uint32_t nr = 0;

    ck_assert(grow_to_index(&array, &nr, 0, sizeof(*array)));
    array[0] = 7;
    ck_assert(grow_to_index(&array, &nr, 1000, sizeof(*array)));
    ck_assert_uint_gt(nr, 1000);
    ck_assert_uint_eq(array[0], 7);
    for ( uint32_t i = 1; i < nr; i++ )
        ck_assert_uint_eq(array[i], 0);
    free(array);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("account");
    TCase *tcase = tcase_create("account");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_add_loop_test(tcase, grid_splits_time, 0, NR(grid_rows));
    tcase_add_test(tcase, grid_is_bounded);
    tcase_add_test(tcase, grid_drops_columns);
    tcase_add_loop_test(tcase, handlers_have_categories, 0,
                        NR(category_rows));
    tcase_add_loop_test(tcase, concurrency_is_summed, 0,
                        NR(concurrency_rows));
    tcase_add_loop_test(tcase, running_time_is_split_by_cr3, 0,
                        NR(cr3_time_rows));
    tcase_add_loop_test(tcase, ipis_have_a_latency, 0, NR(ipi_rows));
    tcase_add_loop_test(tcase, rows_are_sorted, 0, NR(sort_cases));
    tcase_add_test(tcase, arrays_grow);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
