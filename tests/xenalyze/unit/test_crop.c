/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters in front of sinks: facts are cut at the borders of a span of time,
 * dropped if they are about other pcpus or vcpus, and passed unchanged
 * otherwise.
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/common/unit.h"
#include "xenalyze/engine/crop.h"

#define FROM 100u
#define UNTIL 200u

static struct domain domains[2] = { { .id = 1 }, { .id = 2 } };
static struct vcpu vcpus[2] = {
    { .id = 0, .domain = &domains[0] }, { .id = 0, .domain = &domains[1] },
};

/* The fact that came through, as text. */
static char seen[200];

static void see(const char *kind, uint64_t from, uint64_t to,
                const char *flags)
{
    ck_assert_str_eq(seen, "");
    snprintf(seen, sizeof(seen), "%s %u..%u%s", kind, (unsigned int)from,
             (unsigned int)to, flags);
}

static void see_runstate(void *state, const struct fact_runstate *f)
{
    bool has_next = f->next == STATES && f->next_pcpu != FACT_NO_PCPU;
    char flags[64], next[24] = "";

    (void)state;
    if ( has_next )
        snprintf(next, sizeof(next), " p%u", (unsigned int)f->next_pcpu);
    snprintf(flags, sizeof(flags), " since %u%s%s%s", (unsigned int)f->since,
             f->before_first_run ? " unseen" : "",
             f->next == STATES ? " end" : "", next);
    see("runstate", f->from, f->to, flags);
}

static void see_domain(void *state, const struct fact_domain *f)
{
    (void)state;
    see("domain", f->from, f->to, f->last ? " end" : "");
}

static void see_residency(void *state, const struct fact_residency *f)
{
    (void)state;
    see("residency", f->from, f->to, f->next == FACT_NO_PCPU ? " end" : "");
}

static void see_loss(void *state, const struct fact_loss *f)
{
    (void)state;
    see("loss", f->from, f->to, "");
}

static uint64_t seen_since;

static void see_pcpu(void *state, const struct fact_pcpu *f)
{
    (void)state;
    seen_since = f->since;
    see("pcpu", f->from, f->to, "");
}

static void see_wait(void *state, const struct fact_wait *f)
{
    (void)state;
    see("wait", f->from, f->to, "");
}

static void see_open_wait(void *state, const struct fact_open_wait *f)
{
    char flags[64];

    (void)state;
    snprintf(flags, sizeof(flags), " p%u unknown %u%s%s", f->wait.pcpu,
             (unsigned int)f->wait.unknown, f->no_begin ? " no begin" : "",
             f->no_end ? " no end" : "");
    ck_assert(f->wait.unknown || f->wait.nr_rivals);
    see("open_wait", f->wait.from, f->wait.to, flags);
}

static void see_domain_reuse(void *state, const struct fact_domain_reuse *f)
{
    (void)state;
    see("domain_reuse", f->time, f->time, "");
}

static void see_exit_pause(void *state, const struct fact_exit_pause *f)
{
    (void)state;
    see("exit_pause", f->start, f->time, "");
}

static void see_exit_block(void *state, const struct fact_exit_block *f)
{
    (void)state;
    see("exit_block", f->exit->start, f->exit->start + f->cycles, "");
}

static void see_exit(void *state, const struct fact_exit *f)
{
    (void)state;
    see("exit", f->start, f->start + f->cycles, "");
}

static void see_memory(void *state, const struct fact_memory *f)
{
    (void)state;
    see("memory", f->time, f->time, "");
}

static void see_irq(void *state, const struct fact_irq *f)
{
    (void)state;
    see("irq", f->time, f->time, "");
}

static void see_power(void *state, const struct fact_power *f)
{
    (void)state;
    see("power", f->time, f->time, "");
}

static void see_domain_name(void *state, const struct fact_domain_name *f)
{
    (void)state;
    see("domain_name", f->time, f->time, "");
}

static void see_volume(void *state, const struct fact_volume *f)
{
    (void)state;
    see("volume", f->first, f->last, "");
}

static void see_begin(void *state, const struct fact_begin *f)
{
    (void)state;
    see("begin", f->first, f->first, "");
}

static int see_end(void *state, const struct fact_end *f, struct err *e)
{
    (void)state;
    (void)e;
    see("end", f->first, f->last, "");
    return 0;
}

static const struct sink_ops ops = {
    .name = "seen", .begin = see_begin, .end = see_end,
    .runstate = see_runstate, .domain = see_domain,
    .residency = see_residency, .loss = see_loss, .pcpu = see_pcpu,
    .wait = see_wait, .exit = see_exit, .domain_reuse = see_domain_reuse,
    .exit_pause = see_exit_pause, .exit_block = see_exit_block,
    .memory = see_memory, .irq = see_irq,
    .domain_name = see_domain_name, .volume = see_volume,
};

static bool wants_first_pcpu(const void *filter, unsigned int pcpu)
{
    (void)filter;
    return pcpu == 0;
}

static bool wants_first_domain(const void *filter, unsigned int domain,
                               unsigned int vcpu)
{
    (void)filter;
    (void)vcpu;
    return domain == 1;
}

/* A filter in front of `ops`. */
static const struct sink *filtered(struct arena *arena,
                                   const struct analyze_options *options)
{
    const struct sink sink = { .ops = &ops };
    struct sink *out;

    ck_assert(crop_is_needed(options));
    ck_assert_int_eq(crop_sinks(arena, options, &sink, 1, &out), 0);
    seen[0] = '\0';
    return out;
}

START_TEST(durations_are_cut)
{
    static const struct
    {
        uint64_t from, to;
        const char *runstate, *domain, *residency, *loss, *pcpu;
    } rows[] = {
        { 120, 150, "runstate 120..150 since 100", "domain 120..150",
          "residency 120..150", "loss 120..150", "pcpu 120..150" },
        { 50, 150, "runstate 100..150 since 100 unseen", "domain 100..150",
          "residency 100..150", "loss 100..150", "pcpu 100..150" },
        { 150, 250, "runstate 150..200 since 100 end", "domain 150..200 end",
          "residency 150..200 end", "loss 150..200", "pcpu 150..200" },
        { 50, 250, "runstate 100..200 since 100 unseen end",
          "domain 100..200 end", "residency 100..200 end", "loss 100..200",
          "pcpu 100..200" },
        { 50, 100, "runstate 100..100 since 100 unseen", "domain 100..100",
          "residency 100..100", "loss 100..100", "pcpu 100..100" },
        { 200, 250, "runstate 200..200 since 100 end", "domain 200..200 end",
          "residency 200..200 end", "loss 200..200", "pcpu 200..200" },
        { 50, 99, "", "", "", "", "" },
        { 201, 250, "", "", "", "", "" },
    };
    const struct analyze_options options = {
        .bounded = true, .from = FROM, .until = UNTIL };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        const struct fact_runstate runstate = {
            .vcpu = &vcpus[0], .from = rows[i].from, .to = rows[i].to,
            .since = 10, .next = STATE_RUNNABLE };
        const struct fact_domain domain = {
            .domain = &domains[0], .from = rows[i].from, .to = rows[i].to };
        const struct fact_residency residency = {
            .vcpu = &vcpus[0], .from = rows[i].from, .to = rows[i].to };
        const struct fact_loss loss = { .from = rows[i].from,
                                        .to = rows[i].to };
        const struct fact_pcpu pcpu = { .from = rows[i].from,
                                        .to = rows[i].to,
                                        .since = rows[i].from };
        struct arena arena;
        const struct sink *sink;

        arena_init(&arena, 0);
        sink = filtered(&arena, &options);
#define PASS(kind)                                                          \
        sink->ops->kind(sink->state, &kind);                                \
        ck_assert_str_eq(seen, rows[i].kind);                               \
        seen[0] = '\0';
        PASS(runstate)
        PASS(domain)
        PASS(residency)
        PASS(loss)
        PASS(pcpu)
#undef PASS
        arena_fini(&arena);
    }
}
END_TEST

/* A sink of open waits gets the part in the span of each wait. */
START_TEST(waits_are_cut)
{
    static const struct
    {
        uint64_t from, to;
        bool no_end;
        const char *expected;
    } rows[] = {
        { 120, 150, false, "wait 120..150" },
        { 100, 200, false, "wait 100..200" },
        { 50, 150, false, "open_wait 100..150 p0 unknown 50 no begin" },
        { 150, 250, false, "open_wait 150..200 p1 unknown 50 no end" },
        { 50, 250, false, "open_wait 100..200 p1 unknown 100 no begin no end" },
        { 120, 150, true, "open_wait 120..150 p1 unknown 0 no end" },
        { 150, 250, true, "open_wait 150..200 p1 unknown 50 no end" },
        { 50, 100, false, "" }, { 200, 250, true, "" },
        { 50, 99, false, "" }, { 201, 250, false, "" },
    };
    const struct analyze_options options = {
        .bounded = true, .from = FROM, .until = UNTIL };
    struct sink_ops with_open = ops;
    struct sink sink = { .ops = &with_open }, *out;

    with_open.open_wait = see_open_wait;
    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        struct fact_open_wait open = {
            .wait = { .vcpu = &vcpus[0], .from = rows[i].from,
                      .to = rows[i].to, .pcpu_before = 1, .nr_rivals = 1,
                      .rivals = { { &vcpus[1], rows[i].to - rows[i].from } } },
            .no_end = rows[i].no_end };
        struct arena arena;

        arena_init(&arena, 0);
        ck_assert_int_eq(crop_sinks(&arena, &options, &sink, 1, &out), 0);
        seen[0] = '\0';
        if ( open.no_end )
            out->ops->open_wait(out->state, &open);
        else
            out->ops->wait(out->state, &open.wait);
        ck_assert_str_eq(seen, rows[i].expected);
        arena_fini(&arena);
    }
}
END_TEST

/* A wait counts by its end, an exit by its begin. */
START_TEST(single_times_are_in_or_out)
{
    static const struct
    {
        uint64_t time;
        bool inside;
    } rows[] = {
        { 99, false }, { 100, true }, { 150, true }, { 200, true },
        { 201, false },
    };
    const struct analyze_options options = {
        .bounded = true, .from = FROM, .until = UNTIL };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        const struct fact_wait wait = { .vcpu = &vcpus[0], .from = 10,
                                        .to = rows[i].time };
        const struct fact_exit exit = { .vcpu = &vcpus[0], .cycles = 1000,
                                        .start = rows[i].time };
        const struct fact_exit_pause exit_pause = { .vcpu = &vcpus[0],
                                                    .start = rows[i].time };
        const struct fact_exit_block exit_block = { .exit = &exit };
        const struct fact_irq irq = { .time = rows[i].time };
        struct arena arena;
        const struct sink *sink;

        arena_init(&arena, 0);
        sink = filtered(&arena, &options);
#define PASS(kind)                                                          \
        sink->ops->kind(sink->state, &kind);                                \
        ck_assert(!seen[0] == !rows[i].inside);                             \
        seen[0] = '\0';
        PASS(wait)
        PASS(exit)
        PASS(exit_pause)
        PASS(exit_block)
        PASS(irq)
#undef PASS
        arena_fini(&arena);
    }
}
END_TEST

/* At a bound of the span, one of the two domains is outside. */
START_TEST(reused_ids)
{
    static const struct analyze_options options = {
        .bounded = true, .from = FROM, .until = UNTIL };

    for ( uint64_t time = FROM - 1; time <= UNTIL + 1; time++ )
    {
        struct arena arena;
        const struct sink *sink;

        arena_init(&arena, 0);
        sink = filtered(&arena, &options);
        sink->ops->domain_reuse(sink->state, &(struct fact_domain_reuse){
            .domain = vcpus[0].domain, .time = time });
        ck_assert(!seen[0] == (time <= FROM || time >= UNTIL));
        seen[0] = '\0';
        arena_fini(&arena);
    }
}
END_TEST

/* A second has 100 cycles. */
static struct xt_clock make_slow_clock(void)
{
    struct xt_clock clock;

    xt_clock_init(&clock, 100, 1000000000, 0);
    ck_assert_uint_eq(xt_clock_cycles(&clock, 1000000000), 100);
    return clock;
}

/* A second of records behind the span is read for this. */
START_TEST(the_next_pcpu_is_known_behind_the_span)
{
    static const struct
    {
        uint64_t to;
        unsigned int next;
        const char *seen;
    } rows[] = {
        { 200, STATE_RUNNING, "runstate 150..200 since 150" },
        { 201, STATE_RUNNING, "runstate 150..200 since 150 end p3" },
        { 300, STATE_RUNNING, "runstate 150..200 since 150 end p3" },
        { 301, STATE_RUNNING, "runstate 150..200 since 150 end" },
        { 250, STATE_LOST, "runstate 150..200 since 150 end" },
    };
    const struct analyze_options options = {
        .bounded = true, .from = FROM, .until = UNTIL };
    const struct xt_clock clock = make_slow_clock();
    const struct fact_begin begin = { .clock = &clock, .first = 10 };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        const struct fact_runstate f = {
            .vcpu = &vcpus[0], .from = 150, .to = rows[i].to, .since = 150,
            .state = STATE_RUNNABLE, .next = rows[i].next, .next_pcpu = 3 };
        struct arena arena;
        const struct sink *sink;

        arena_init(&arena, 0);
        sink = filtered(&arena, &options);
        sink->ops->begin(sink->state, &begin);
        seen[0] = '\0';
        sink->ops->runstate(sink->state, &f);
        ck_assert_str_eq(seen, rows[i].seen);
        arena_fini(&arena);
    }
}
END_TEST

static void expect_early(struct sink_ops *early, bool wants, uint64_t time,
                         const char *runstate, const char *power)
{
    const struct analyze_options options = {
        .bounded = true, .from = FROM, .until = UNTIL };
    const struct fact_runstate f = {
        .vcpu = &vcpus[0], .from = 50, .to = time, .since = 10,
        .next = STATE_RUNNABLE };
    const struct fact_power p = { .time = time, .kind = POWER_SLEEP };
    const struct sink sink = { .ops = early };
    struct arena arena;
    struct sink *out;

    early->early_facts = wants;
    arena_init(&arena, 0);
    ck_assert_int_eq(crop_sinks(&arena, &options, &sink, 1, &out), 0);
    seen[0] = '\0';
    out->ops->runstate(out->state, &f);
    ck_assert_str_eq(seen, runstate);
    seen[0] = '\0';
    out->ops->power(out->state, &p);
    ck_assert_str_eq(seen, power);
    arena_fini(&arena);
}

/* The states that a span begins with, for sinks that want them. */
START_TEST(early_facts_are_passed_whole)
{
    struct sink_ops early = ops;

    early.power = see_power;
    expect_early(&early, true, 99, "runstate 50..99 since 10", "power 99..99");
    expect_early(&early, false, 99, "", "");
    expect_early(&early, true, 100, "runstate 100..100 since 100 unseen",
                 "power 100..100");
    expect_early(&early, true, 201, "runstate 100..200 since 100 unseen end",
                 "");
}
END_TEST

static void add_seen(char *all, size_t size)
{
    if ( seen[0] && all[0] )
        strncat(all, ", ", size - strlen(all) - 1);
    strncat(all, seen, size - strlen(all) - 1);
    seen[0] = '\0';
}

/* A clock of 100 Hz: records up to 100 ticks behind the span are read. */
static void expect_beyond(bool early, bool late, uint64_t time,
                          const char *expected)
{
    const struct analyze_options options = {
        .bounded = true, .from = FROM, .until = UNTIL };
    const struct xt_clock clock = make_slow_clock();
    const struct sink_ops beyond = {
        .early_facts = early, .late_facts = late, .begin = see_begin,
        .wait = see_wait, .memory = see_memory, .loss = see_loss,
        .runstate = see_runstate,
    };
    const struct sink sink = { .ops = &beyond };
    char all[256] = "";
    struct arena arena;
    struct sink *out;

    arena_init(&arena, 0);
    ck_assert_int_eq(crop_sinks(&arena, &options, &sink, 1, &out), 0);
    out->ops->begin(out->state, &(struct fact_begin){ .clock = &clock });
    seen[0] = '\0';
    out->ops->wait(out->state, &(struct fact_wait){
        .vcpu = &vcpus[0], .from = time - 5, .to = time });
    add_seen(all, sizeof(all));
    out->ops->memory(out->state, &(struct fact_memory){
        .target = &domains[0], .time = time });
    add_seen(all, sizeof(all));
    out->ops->loss(out->state, &(struct fact_loss){
        .from = time - 5, .to = time });
    add_seen(all, sizeof(all));
    out->ops->runstate(out->state, &(struct fact_runstate){
        .vcpu = &vcpus[0], .from = time - 5, .to = time, .since = time - 5 });
    add_seen(all, sizeof(all));
    ck_assert_str_eq(all, expected);
    arena_fini(&arena);
}

START_TEST(facts_beyond_the_span)
{
    expect_beyond(true, false, 90, "wait 85..90, memory 90..90, "
                                   "loss 85..90, runstate 85..90 since 85");
    expect_beyond(false, true, 90, "");
    expect_beyond(false, true, 290, "wait 285..290, memory 290..290, "
                                    "loss 285..290, runstate 285..290 since "
                                    "285");
    expect_beyond(true, false, 290, "");
    /* Part of the loss is in the span. */
    expect_beyond(false, true, 203, "wait 198..203, memory 203..203, "
                                    "loss 198..200, runstate 198..203 since "
                                    "198");
    expect_beyond(true, false, 203, "loss 198..200, runstate 198..200 since "
                                    "198 end p0");
    /* The trace need not be read so far. */
    expect_beyond(true, true, 310, "");
    expect_beyond(true, true, 303, "runstate 298..300 since 298 end");
}
END_TEST

START_TEST(segments_begin_and_end_in_the_span)
{
    const struct analyze_options options = {
        .bounded = true, .from = FROM, .until = UNTIL };
    const struct xt_clock clock = make_slow_clock();
    const struct fact_begin before = { .clock = &clock, .first = 10 };
    const struct fact_begin in = { .clock = &clock, .first = 150 };
    struct fact_end end = { .first = 10, .last = 300 };
    const struct fact_domain_name name = { .domain = &domains[0], .time = 1 };
    const struct fact_volume volume = { .first = 1, .last = 2 };
    struct err e = ERR_INIT;
    struct arena arena;
    const struct sink *sink;

    arena_init(&arena, 0);
    sink = filtered(&arena, &options);
    sink->ops->begin(sink->state, &before);
    ck_assert_str_eq(seen, "begin 100..100");
    seen[0] = '\0';
    sink->ops->begin(sink->state, &in);
    ck_assert_str_eq(seen, "begin 150..150");
    seen[0] = '\0';
    ck_assert_int_eq(sink->ops->end(sink->state, &end, &e), 0);
    ck_assert_str_eq(seen, "end 100..200");
    seen[0] = '\0';
    end = (struct fact_end){ .first = 210, .last = 300 };
    ck_assert_int_eq(sink->ops->end(sink->state, &end, &e), 0);
    ck_assert_str_eq(seen, "end 300..300");
    seen[0] = '\0';
    /* Names and volumes have no time. */
    sink->ops->domain_name(sink->state, &name);
    ck_assert_str_eq(seen, "domain_name 1..1");
    seen[0] = '\0';
    sink->ops->volume(sink->state, &volume);
    ck_assert_str_eq(seen, "volume 1..2");
    arena_fini(&arena);
}
END_TEST

START_TEST(only_wanted_pcpus_and_vcpus)
{
    static const struct analyze_options options = {
        .wants_pcpu = wants_first_pcpu, .wants_vcpu = wants_first_domain,
    };
    struct arena arena;
    const struct sink *sink;

    arena_init(&arena, 0);
    sink = filtered(&arena, &options);
    for ( unsigned int i = 0; i < 8; i++ )
    {
        const struct vcpu *v = i & 2 ? &vcpus[1] : &vcpus[0];
        const struct vcpu *vcpu = i & 4 ? NULL : v;
        const uint32_t p = i & 1;
        const struct fact_exit exit = { .vcpu = vcpu, .pcpu = p };
        const struct fact_runstate runstate = { .vcpu = v, .pcpu = p };
        const struct fact_domain domain = { .domain = v->domain };
        const struct fact_pcpu pcpu = { .pcpu = p, .vcpu = vcpu };
        const struct fact_memory memory = { .target = v->domain, .pcpu = p };

#define PASS(kind, wanted)                                                  \
        sink->ops->kind(sink->state, &kind);                                \
        ck_assert(!seen[0] == !(wanted));                                   \
        seen[0] = '\0';
        PASS(exit, vcpu == &vcpus[0] && p == 0)
        PASS(runstate, v == &vcpus[0])
        PASS(domain, v == &vcpus[0])
        PASS(pcpu, p == 0)
        PASS(memory, v == &vcpus[0] && p == 0)
#undef PASS
    }
    arena_fini(&arena);
}
END_TEST

START_TEST(slots_are_those_of_the_sink)
{
    static const struct analyze_options none;
    const struct analyze_options options = {
        .bounded = true, .from = FROM, .until = UINT64_MAX };
    struct arena arena;
    const struct sink *sink;

    ck_assert(!crop_is_needed(&none));
    arena_init(&arena, 0);
    sink = filtered(&arena, &options);
    ck_assert_ptr_null(sink->ops->clone);
    ck_assert_ptr_null(sink->ops->merge);
    ck_assert_ptr_null(sink->ops->handle);
    ck_assert_ptr_null(sink->ops->power);
    ck_assert_ptr_nonnull(sink->ops->irq);
    arena_fini(&arena);
}
END_TEST

/* A state that lasts since before the pcpu's first record may fill the span. */
START_TEST(states_of_pcpus_begin_early)
{
    static const struct
    {
        uint64_t since, from, to, seen_since;
        const char *seen;
    } rows[] = {
        { 10, 120, 150, 100, "pcpu 120..150" },
        { 110, 120, 150, 110, "pcpu 120..150" },
        { 10, 50, 150, 100, "pcpu 100..150" },
        { 10, 250, 300, 100, "pcpu 200..200" },
        { 150, 250, 300, 150, "pcpu 200..200" },
        { 201, 250, 300, 0, "" },
        { 10, 50, 99, 0, "" },
    };
    const struct analyze_options options = {
        .bounded = true, .from = FROM, .until = UNTIL };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        const struct fact_pcpu pcpu = {
            .since = rows[i].since, .from = rows[i].from, .to = rows[i].to };
        struct arena arena;
        const struct sink *sink;

        arena_init(&arena, 0);
        sink = filtered(&arena, &options);
        seen_since = 0;
        sink->ops->pcpu(sink->state, &pcpu);
        ck_assert_str_eq(seen, rows[i].seen);
        ck_assert_uint_eq(seen_since, rows[i].seen_since);
        seen[0] = '\0';
        arena_fini(&arena);
    }
}
END_TEST

UNIT_MAIN("crop", durations_are_cut, waits_are_cut,
          states_of_pcpus_begin_early, single_times_are_in_or_out,
          reused_ids,
          the_next_pcpu_is_known_behind_the_span,
          early_facts_are_passed_whole, facts_beyond_the_span,
          segments_begin_and_end_in_the_span, only_wanted_pcpus_and_vcpus,
          slots_are_those_of_the_sink)
