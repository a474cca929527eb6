/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points as lines of stock's xenalyze, and the facts that each kind of
 * scatterplot turns into points.
 */
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/plot/plot.h"

/* --- lines ---------------------------------------------------------------- */

static const struct
{
    struct point point;
    const char *text;
} lines[] = {
    { { .owner = POINT_NO_OWNER, .time = 1500000000, .value = -7 },
      "1.500000000 -7\n" },
    { { .owner = POINT_VCPU, .domain = 1, .vcpu = 2, .time = 1, .value = 3 },
      "1v2 0.000000001 3\n" },
    { { .owner = POINT_D_VCPU, .domain = 32767, .vcpu = 2, .value = 0 },
      "d32767v2 0.000000000 0\n" },
    { { .owner = POINT_IRQ, .vcpu = 31, .time = 5, .value = 1 },
      "i1f 0.000000005 1\n" },
    { { .unit = POINT_TIME, .time = 5, .value = 2500000000 },
      "0.000000005 2.500000000\n" },
    { { .unit = POINT_LARGE, .value = -1 },
      "0.000000000 18446744073709551615\n" },
    { { .unit = POINT_NUMBER, .value = INT64_MIN },
      "0.000000000 -9223372036854775808\n" },
    /* A clock that went backward: stock prints 0. */
    { { .time = -5, .value = 1 }, "0.000000000 1\n" },
    { { .unit = POINT_TIME, .value = -5 }, "0.000000000 0.000000000\n" },
    { { .owner = POINT_D_VCPU, .domain = UINT32_MAX, .vcpu = UINT32_MAX,
        .time = INT64_MAX, .unit = POINT_LARGE, .value = -1 },
      "d4294967295v4294967295 9223372036.854775807 18446744073709551615\n" },
};

START_TEST(points_are_lines)
{
    for ( size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++ )
    {
        struct points points;
        struct stage s;

        stage_init(&s);
        points = points_to_file(s.out);
        points.put(points.state, &lines[i].point);
        same_text(stage_text(&s), lines[i].text);
        stage_fini(&s);
    }
}
END_TEST

/* --- kinds ---------------------------------------------------------------- */

static struct stage stage;
static struct scatter scatter;
static struct sink sink;

static void begin_kind(enum scatter_kind kind, uint64_t which)
{
    stage_init(&stage);
    scatter = (struct scatter){
        .points = points_to_file(stage.out), .which = which,
    };
    sink = scatter_sink(&scatter, kind);
    stage_begin(&stage, &sink, 1000);
}

static void end_kind(const char *text)
{
    same_text(stage_text(&stage), text);
    stage_end(&sink, 1000, 9000);
    ck_assert_ptr_null(scatter.seen);
    stage_fini(&stage);
}

/* Facts of d1v0 (0), d0v1 (1) and an idle vcpu (2). */
struct runstate_row
{
    unsigned int vcpu;
    uint64_t from, to;
    unsigned int state, next;
    uint32_t pcpu, next_pcpu;
    bool before_first_run;
};

static void send_runstates(const struct runstate_row *rows, size_t nr)
{
    static struct domain idle_domain = { .id = XT_DOMAIN_IDLE };
    static struct vcpu idle = { .index = 3, .domain = &idle_domain };

    for ( size_t i = 0; i < nr; i++ )
    {
        const struct runstate_row *r = &rows[i];
        struct fact_runstate f = {
            .vcpu = r->vcpu == 2 ? &idle : &stage.vcpus[r->vcpu ? 1 : 2],
            .from = r->from, .to = r->to, .state = r->state, .next = r->next,
            .pcpu = r->pcpu, .next_pcpu = r->next_pcpu,
            .before_first_run = r->before_first_run,
        };

        sink.ops->runstate(sink.state, &f);
    }
}

static const struct runstate_row runstates[] = {
    { 0, 500, 1000, STATE_RUNNABLE, STATE_RUNNING, FACT_NO_PCPU, 0, true },
    { 0, 1000, 3000, STATE_RUNNING, STATE_BLOCKED, 0, 0, false },
    { 1, 1500, 2500, STATE_RUNNABLE, STATE_RUNNING, FACT_NO_PCPU, 1, false },
    { 0, 3000, 4000, STATE_BLOCKED, STATE_RUNNING, 0, 1, false },
    { 2, 3000, 3500, STATE_RUNNABLE, STATE_RUNNING, 1, 1, false },
    { 0, 4000, 9000, STATE_RUNNING, STATES, 1, 0, false },
};

#define NR_RUNSTATES (sizeof(runstates) / sizeof(runstates[0]))

static const struct
{
    enum scatter_kind kind;
    const char *text;
} runstate_kinds[] = {
    { SCATTER_RUNSTATE,
      "1v0 0.000000000 -2\n1v0 0.000000000 3\n"
      "1v0 0.000002000 3\n1v0 0.000002000 0\n"
      "0v1 0.000000500 -2\n0v1 0.000000500 2\n"
      "0v1 0.000001500 2\n0v1 0.000001500 3\n"
      "1v0 0.000003000 0\n1v0 0.000003000 3\n"
      "32767v0 0.000002000 -2\n32767v0 0.000002000 2\n"
      "32767v0 0.000002500 2\n32767v0 0.000002500 3\n" },
    { SCATTER_RUNSTATE_TIME,
      "1v0 0.000002000 0.000002000\n0v1 0.000001500 0.000001000\n"
      "1v0 0.000003000 0.000001000\n32767v0 0.000002500 0.000000500\n" },
    /* The previous pcpu, if known, and the new one. */
    { SCATTER_PCPU,
      "0v1 0.000001500 1\n1v0 0.000003000 0\n1v0 0.000003000 1\n" },
};

START_TEST(runstates_become_points)
{
    for ( size_t i = 0; i < 3; i++ )
    {
        begin_kind(runstate_kinds[i].kind, 0);
        send_runstates(runstates, NR_RUNSTATES);
        end_kind(runstate_kinds[i].text);
    }
}
END_TEST

/* Handlers of an exit at 2000 of 300 cycles, and one without an exit. */
static const struct
{
    enum scatter_kind kind;
    uint64_t which;
    const char *text;
} handle_kinds[] = {
    { SCATTER_RDTSC, 0, "1v0 0.000001100 77\n" },
    { SCATTER_INTERRUPT_EIP, 0xef, "d1v0 0.000001000 281474976706611\n" },
    { SCATTER_INTERRUPT_EIP, 0xee, "" },
    { SCATTER_EXTINT_CYCLES, 0xef, "d1v0 0.000001300 300\n" },
    { SCATTER_IO, 0x3f8, "0.000001300 300\n" },
    { SCATTER_IO, 0x3f9, "" },
};

static void send_handles(void)
{
    static const struct
    {
        enum fact_handle_kind kind;
        uint64_t at, value;
        bool has_value, in_exit;
    } rows[] = {
        { HANDLE_RDTSC, 0, 77, true, true },
        { HANDLE_INTERRUPT, 0xef, 1, true, true },
        { HANDLE_INTERRUPT, 0xef, 1, true, false },
        { HANDLE_INTERRUPT, 0xef, 0, false, true },
        { HANDLE_PIO, 0x3f8, 1, true, true },
        { HANDLE_PIO, 0x3f8, 1, true, false },
    };
    const struct fact_exit exit = {
        .vcpu = &stage.vcpus[2], .start = 2000, .cycles = 300,
        .rip = 0xfffffffffffff033,
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        struct fact_handle f = {
            .vcpu = &stage.vcpus[2], .time = 2100, .kind = rows[i].kind,
            .at = rows[i].at, .value = rows[i].value,
            .has_value = rows[i].has_value,
            .exit = rows[i].in_exit ? &exit : NULL,
        };

        sink.ops->handle(sink.state, &f);
    }
}

START_TEST(handlers_become_points)
{
    for ( size_t i = 0; i < sizeof(handle_kinds) / sizeof(*handle_kinds); i++ )
    {
        begin_kind(handle_kinds[i].kind, handle_kinds[i].which);
        send_handles();
        end_kind(handle_kinds[i].text);
    }
}
END_TEST

START_TEST(exits_become_points)
{
    const struct fact_exit exit = { .start = 2000, .rip = 0x1000 };
    struct fact_exit f = exit;

    begin_kind(SCATTER_VMEXIT_EIP, 0);
    f.vcpu = &stage.vcpus[2];
    sink.ops->exit(sink.state, &f);
    end_kind("0.000001000 4096\n");
}
END_TEST

START_TEST(irqs_become_points)
{
    begin_kind(SCATTER_IRQ, 0);
    sink.ops->irq(sink.state, &(struct fact_irq){
        .kind = IRQ_HANDLED, .irq = 0x1a, .pcpu = 3, .time = 4000 });
    for ( unsigned int kind = 0; kind < IRQ_HANDLED; kind++ )
        sink.ops->irq(sink.state, &(struct fact_irq){
            .kind = kind, .irq = 0x1a, .pcpu = 3, .time = 5000 });
    end_kind("i1a 0.000003000 3\n");
}
END_TEST

/* A wake-up without an interrupt before its end is no point. */
START_TEST(wake_ups_become_points)
{
    begin_kind(SCATTER_WAKE_TO_HALT, 0);
    for ( uint64_t time = 2000; time <= 4000; time += 1000 )
    {
        const struct fact_interrupt first = { .time = time };
        struct fact_wake_to_halt f = { .vcpu = &stage.vcpus[2], .to = 3500,
                                       .vectors = &first };

        sink.ops->wake_to_halt(sink.state, &f);
    }
    end_kind("0.000002500 1500\n0.000002500 500\n");
}
END_TEST

/* Each kind has a name, a title, and a sink that gets facts in order. */
START_TEST(kinds_are_described)
{
    for ( unsigned int kind = 0; kind < SCATTER_KINDS; kind++ )
    {
        const struct plot_about *about = scatter_about(kind);

        begin_kind(kind, 0);
        ck_assert_ptr_nonnull(scatter_name(kind));
        ck_assert(*about->title && *about->label);
        ck_assert(about->unit <= PLOT_VCPUS && sink.ops->ordered);
        for ( unsigned int other = 0; other < kind; other++ )
            ck_assert_str_ne(scatter_name(kind), scatter_name(other));
        end_kind("");
    }
}
END_TEST

/* --- order ---------------------------------------------------------------- */

static const struct
{
    size_t limit;
    const char *times, *text;
    uint64_t late;
} orders[] = {
    { 0, "", "", 0 },
    { 0, "5 6 6 9", "5 6 6 9 ", 0 },
    { 0, "5 3 9 1", "1 3 5 9 ", 0 },
    /* A full array delivers its earlier half. */
    { 4, "5 6 7 8 9", "5 6 7 8 9 ", 0 },
    { 4, "4 3 2 1 5", "1 2 3 4 5 ", 0 },
    { 4, "4 3 2 1 2", "1 2 2 3 4 ", 0 },
    { 4, "4 3 2 1 5 1", "1 2 1 3 4 5 ", 1 },
    { 1, "4 3 5", "4 3 5 ", 1 },
    /* The times of another segment begin again. */
    { 4, "7 6 0 2 1", "6 7 1 2 ", 0 },
};

static void order_times(struct point_order *o, const char *times,
                        const struct points *to)
{
    char *end;

    for ( ; *times; times = end )
    {
        struct point p = { .time = 0 };

        p.at = strtoull(times, &end, 10);
        if ( p.at )
            point_order_put(o, &p, to);
        else
            point_order_flush(o);
    }
    point_order_flush(o);
}

static void print_at(void *state, const struct point *p)
{
    fprintf(state, "%u ", (unsigned int)p->at);
}

START_TEST(points_are_ordered)
{
    for ( size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++ )
    {
        struct point_order o = { .limit = orders[i].limit };
        struct points to = { .put = print_at };
        struct stage s;

        stage_init(&s);
        to.state = s.out;
        order_times(&o, orders[i].times, &to);
        same_text(stage_text(&s), orders[i].text);
        ck_assert_uint_eq(o.late, orders[i].late);
        ck_assert_uint_eq(o.nr, 0);
        point_order_fini(&o);
        stage_fini(&s);
    }
}
END_TEST

/* Points of the same time keep their order, in a large array, too. */
static void check_next(void *state, const struct point *p)
{
    int64_t *next = state;

    if ( p->value != *next )
        ck_abort_msg("point %d, not %d", (int)p->value, (int)*next);
    /* The times fall in steps of three points. */
    *next += *next % 3 == 2 ? -5 : 1;
}

START_TEST(equal_times_keep_order)
{
    struct point_order o = { .limit = 0 };
    int64_t next = 2997;
    const struct points to = { .put = check_next, .state = &next };

    for ( unsigned int i = 0; i < 3000; i++ )
        point_order_put(&o, &(struct point){ .at = 2000 - i / 3, .value = i },
                        &to);
    ck_assert_uint_eq(o.nr, 3000);
    point_order_flush(&o);
    ck_assert_int_eq(next, -3);
    point_order_fini(&o);
}
END_TEST

UNIT_MAIN("points", points_are_lines, runstates_become_points,
          handlers_become_points, exits_become_points, irqs_become_points,
          wake_ups_become_points, kinds_are_described, points_are_ordered,
          equal_times_keep_order)
