/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU hotplug: while traced, with control operations meanwhile, and in a race
 * with control.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit.h"

/* Wait for records of the CPU; the host may be busy. */
static bool wait_for_records(struct tb_view *v, struct tb_seen *s,
                             unsigned int cpu)
{
    uint64_t before = s[cpu].records;
    double until = now() + 60;

    do {
        pause_us(10000);
        tb_drain_all(v, s, false);
    } while ( s[cpu].records == before && now() < until );

    return s[cpu].records > before;
}

static void check_hot_cpu(struct tb_view *v, struct tb_seen *s, bool up)
{
    struct tb_state st;
    uint64_t before;

    CHECK_RC(tb_state(&st), 0);
    CHECK(!(st.cpu[kit()->hot_cpu].flags & XEN_TBUF_CPU_ONLINE) == !up,
          "flags %x", st.cpu[kit()->hot_cpu].flags);
    CHECK(st.cpu[kit()->hot_cpu].flags & XEN_TBUF_CPU_RING, "lost its ring");
    pause_us(10000);
    tb_drain_all(v, s, false);
    before = s[kit()->hot_cpu].records;
    if ( up )
        CHECK(wait_for_records(v, s, kit()->hot_cpu), "no records when online");
    else
        pause_us(50000);
    tb_drain_all(v, s, false);
    CHECK(up || s[kit()->hot_cpu].records == before,
          "%llu records, but offline",
          (unsigned long long)(s[kit()->hot_cpu].records - before));
    check_seen(s, up ? "online" : "offline");
}

void test_hotplug(void)
{
    struct tb_seen *s = calloc(kit()->cpus, sizeof(*s));
    struct tb_view v;
    unsigned int i;

    if ( !start_tracing(&v, 8) )
        return;
    start_load();
    for ( i = scale_rounds(20); i && !kit()->failed && is_in_time(); i-- )
    {
        CHECK_RC(tb_hotplug(kit()->hot_cpu, false), 0);
        check_hot_cpu(&v, s, false);
        CHECK_RC(tb_hotplug(kit()->hot_cpu, true), 0);
        check_hot_cpu(&v, s, true);
    }
    stop_load();
    print_seen(s);
    tb_unmap(&v);
    CHECK_RC(tb_op(OP(free), 0), 0);
    free(s);
}

/*
 * A sequence of control operations around hotplug of a CPU: before offline,
 * while offline, and after online.  get_info has no effect here, and fills
 * unused steps.
 */
#define STEPS 2
struct step {
    uint32_t cmd, arg;
};

struct scenario {
    const char *name;
    struct step before[STEPS], offline[STEPS], after[STEPS];
    bool masked;             /* the CPU is masked out while offline */
    bool silent;             /* no records until enabled again */
};

static const struct scenario scenarios[] = {
    { "rings made", .offline = { { OP(set_size), 6 } } },
    { "resized", { { OP(set_size), 4 } }, { { OP(resize), 6 } } },
    { "freed, made", { { OP(set_size), 4 } },
      { { OP(free) }, { OP(set_size), 5 } } },
    { "disabled, enabled", { { OP(set_size), 4 } },
      { { OP(disable) }, { OP(enable) } } },
    { "overwrites", { { OP(set_size), 4 } }, { { OP(overwrite) } },
      { { OP(freeze) } } },
    { "frozen", { { OP(set_size), 4 }, { OP(overwrite) } },
      { { OP(freeze) } } },
    { "frozen later", { { OP(set_size), 4 }, { OP(overwrite) } }, { { 0 } },
      { { OP(freeze) } } },
    { "masked", { { OP(set_size), 4 } }, .masked = true, .silent = true },
    { "disabled", { { OP(set_size), 4 }, { OP(disable) } }, .silent = true },
};

static void run_steps(const struct step *step)
{
    unsigned int i;

    for ( i = 0; i < STEPS; i++ )
        if ( step[i].cmd != OP(get_info) )
            CHECK_RC(tb_op(step[i].cmd, step[i].arg), 0);
}

/* Check that the CPU has a ring with the expected records. */
static void check_ring(const struct scenario *scenario, struct tb_view *v,
                       struct tb_seen *s)
{
    const struct tb_seen *hot = &s[kit()->hot_cpu];
    uint64_t before;

    if ( !scenario->silent )
        CHECK(wait_for_records(v, s, kit()->hot_cpu), "%s: no records",
              scenario->name);
    if ( scenario->masked )
    {
        /* Drain the records from before the hotplug. */
        tb_drain_all(v, s, false);
        before = hot->records;
        pause_us(20000);
        tb_drain_all(v, s, false);
        CHECK(hot->records == before, "%s, but still traced", scenario->name);
        CHECK_RC(tb_cpu_mask(~0ull, 64), 0);
    }
}

static void run_scenario(const struct scenario *scenario)
{
    struct tb_seen *s = calloc(kit()->cpus, sizeof(*s));
    unsigned int hot = kit()->hot_cpu;
    struct tb_state st;
    struct tb_view v;

    run_steps(scenario->before);
    pause_us(20000);
    CHECK_RC(tb_hotplug(hot, false), 0);
    run_steps(scenario->offline);
    if ( scenario->masked )
        CHECK_RC(tb_cpu_mask(~(1ull << hot), 64), 0);
    CHECK_RC(tb_hotplug(hot, true), 0);
    pause_us(20000);
    run_steps(scenario->after);

    CHECK_RC(tb_map(&v, kit()->cpus), 0);
    CHECK_RC(tb_state(&st), 0);
    CHECK(st.cpu[hot].flags & XEN_TBUF_CPU_RING, "%s: no ring", scenario->name);
    check_ring(scenario, &v, s);
    CHECK_RC(tb_op(OP(enable), 0), 0);
    memset(&s[hot], 0, sizeof(*s));
    CHECK(wait_for_records(&v, s, hot), "%s: no records at the end",
          scenario->name);
    check_seen(s, scenario->name);
    tb_unmap(&v);
    CHECK_RC(tb_op(OP(free), 0), 0);
    free(s);
}

void test_hotplug_control(void)
{
    unsigned int i;

    start_load();
    for ( i = 0; i < ARRAY_SIZE(scenarios); i++ )
        run_scenario(&scenarios[i]);
    stop_load();
}

/* Control and hotplug concurrently, from two processes. */
void test_hotplug_race(void)
{
    struct tb_state st;
    unsigned int i;
    pid_t pid;
    int status;

    CHECK_RC(tb_op(OP(set_size), 2), 0);
    start_load();
    pid = fork();
    if ( !pid )
    {
        tb_open();
        for ( i = scale_rounds(20); i && is_in_time(); i-- )
        {
            if ( tb_hotplug(kit()->hot_cpu, false) ||
                 tb_hotplug(kit()->hot_cpu, true) )
                _exit(1);
        }
        _exit(0);
    }
    for ( i = 0; !waitpid(pid, &status, WNOHANG); i++ )
    {
        CHECK_RC(tb_op(OP(resize), 1 + i % 9), 0);
        CHECK_RC(tb_op(OP(overwrite), 0), 0);
        CHECK_RC(tb_op(OP(freeze), 0), 0);
        CHECK_RC(tb_op(OP(enable), 0), 0);
        CHECK_RC(tb_state(&st), 0);
    }
    CHECK(!status, "hotplug failed: %x", status);
    print_note("%u rounds of control meanwhile", i);
    stop_load();
}
