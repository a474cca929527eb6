/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A CPU goes and comes: traced, controlled meanwhile, controlled at once.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit.h"

/* Records of that CPU, sooner or later: the host may be busy. */
static bool records_come(struct tb_view *v, struct tb_seen *s, unsigned int cpu)
{
    uint64_t before = s[cpu].records;
    double until = now() + 60;

    do {
        pause_us(10000);
        tb_drain_all(v, s, false);
    } while ( s[cpu].records == before && now() < until );

    return s[cpu].records > before;
}

static void check_hot(struct tb_view *v, struct tb_seen *s, bool up)
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
        CHECK(records_come(v, s, kit()->hot_cpu), "nothing since it came");
    else
        pause_us(50000);
    tb_drain_all(v, s, false);
    CHECK(up || s[kit()->hot_cpu].records == before, "%llu records, but down",
          (unsigned long long)(s[kit()->hot_cpu].records - before));
    check_seen(s, up ? "came" : "went");
}

void test_hotplug(void)
{
    struct tb_seen *s = calloc(kit()->cpus, sizeof(*s));
    struct tb_view v;
    unsigned int i;

    if ( !begin(&v, 8) )
        return;
    start_load();
    for ( i = rounds(20); i && !kit()->failed && in_time(); i-- )
    {
        CHECK_RC(tb_hotplug(kit()->hot_cpu, false), 0);
        check_hot(&v, s, false);
        CHECK_RC(tb_hotplug(kit()->hot_cpu, true), 0);
        check_hot(&v, s, true);
    }
    stop_load();
    note_seen(s);
    tb_unmap(&v);
    CHECK_RC(tb_op(OP(free), 0), 0);
    free(s);
}

/*
 * A way to control rings while a CPU is away: what is done before it goes,
 * while it is away, and after it came.  No operation is get_info, which does
 * nothing here.
 */
#define STEPS 2
struct step {
    uint32_t cmd, arg;
};

struct way {
    const char *name;
    struct step before[STEPS], away[STEPS], after[STEPS];
    bool masked;             /* masked out while away */
    bool silent;             /* traces nothing until enabled again */
};

static const struct way ways[] = {
    { "rings made", .away = { { OP(set_size), 6 } } },
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

static void take_steps(const struct step *step)
{
    unsigned int i;

    for ( i = 0; i < STEPS; i++ )
        if ( step[i].cmd != OP(get_info) )
            CHECK_RC(tb_op(step[i].cmd, step[i].arg), 0);
}

/* It has a ring, with what is to be in it. */
static void prove_ring(const struct way *way, struct tb_view *v,
                       struct tb_seen *s)
{
    const struct tb_seen *hot = &s[kit()->hot_cpu];
    uint64_t before;

    if ( !way->silent )
        CHECK(records_come(v, s, kit()->hot_cpu), "%s: nothing", way->name);
    if ( way->masked )
    {
        /* What it traced before it went is drained now. */
        tb_drain_all(v, s, false);
        before = hot->records;
        pause_us(20000);
        tb_drain_all(v, s, false);
        CHECK(hot->records == before, "%s, but traces", way->name);
        CHECK_RC(tb_cpu_mask(~0ull, 64), 0);
    }
}

static void go_way(const struct way *way)
{
    struct tb_seen *s = calloc(kit()->cpus, sizeof(*s));
    unsigned int hot = kit()->hot_cpu;
    struct tb_state st;
    struct tb_view v;

    take_steps(way->before);
    pause_us(20000);
    CHECK_RC(tb_hotplug(hot, false), 0);
    take_steps(way->away);
    if ( way->masked )
        CHECK_RC(tb_cpu_mask(~(1ull << hot), 64), 0);
    CHECK_RC(tb_hotplug(hot, true), 0);
    pause_us(20000);
    take_steps(way->after);

    CHECK_RC(tb_map(&v, kit()->cpus), 0);
    CHECK_RC(tb_state(&st), 0);
    CHECK(st.cpu[hot].flags & XEN_TBUF_CPU_RING, "%s: no ring", way->name);
    prove_ring(way, &v, s);
    CHECK_RC(tb_op(OP(enable), 0), 0);
    memset(&s[hot], 0, sizeof(*s));
    CHECK(records_come(&v, s, hot), "%s: nothing at last", way->name);
    check_seen(s, way->name);
    tb_unmap(&v);
    CHECK_RC(tb_op(OP(free), 0), 0);
    free(s);
}

void test_hotplug_control(void)
{
    unsigned int i;

    start_load();
    for ( i = 0; i < ARRAY_SIZE(ways); i++ )
        go_way(&ways[i]);
    stop_load();
}

/* Control and hotplug at the same time, from two processes. */
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
        for ( i = rounds(20); i && in_time(); i-- )
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
    note("%u rounds of control meanwhile", i);
    stop_load();
}
