/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Test the trace control operations in a real dom0, under load, with a reader
 * of its own.  Prints TAP on stdout.  Needs dom0_vcpus_pin, so that a vcpu's
 * records are in its pcpu's ring.
 *
 *    control ours [PERCENT [TEST...]]    percentage of the default rounds; a
 *                                        test repeats for at most a minute (ten
 *                                        if selected), scaled by PERCENT
 *    control stock                       stock Xen rejects the new operations
 *    control state                       print the rings' state
 *    control moves SECONDS               do records appear in that time?
 *                                        Discards unread records.  For any Xen.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit.h"

static const struct {
    const char *name;
    void (*run)(void);
    bool hotplug;
} tests[] = {
    { "no-rings", test_no_rings, false },
    { "set-size", test_set_size, false },
    { "state", test_state, false },
    { "state-short", test_state_short, false },
    { "drain", test_drain, false },
    { "enable-disable", test_enable_disable, false },
    { "overwrite", test_overwrite, false },
    { "busy", test_busy, false },
    { "busy-each-page", test_busy_each_page, false },
    { "reader-dies", test_reader_dies, false },
    { "free-race", test_free_race, false },
    { "resize", test_resize, false },
    { "hostile", test_hostile, false },
    { "huge", test_huge, false },
    { "hotplug", test_hotplug, true },
    { "hotplug-control", test_hotplug_control, true },
    { "hotplug-race", test_hotplug_race, true },
};

static bool is_selected(const char *name, int n, char **names)
{
    int i;

    for ( i = 0; i < n; i++ )
        if ( !strcmp(names[i], name) )
            return true;

    return n == 0;
}

static unsigned int report_test(unsigned int n, const char *name)
{
    stop_load();
    if ( kit()->failed > 10 )
        print_note("%u checks failed", kit()->failed);
    printf("%sok %u - %s\n", kit()->failed ? "not " : "", n, name);
    fflush(stdout);

    return !!kit()->failed;
}

/* Xen has CPU hotplug on x86 only, and says so: an unknown operation. */
static bool has_hotplug(void)
{
    return tb_hotplug(kit()->cpus - 1, true) != -ENOSYS;
}

static int run_ours(int n, char **args)
{
    unsigned int i, bad = 0, ran = 0;

    kit()->percent = n ? atoi(args[0]) : 100;
    if ( n )
        n--, args++;
    for ( i = 0; i < ARRAY_SIZE(tests); i++ )
    {
        if ( !is_selected(tests[i].name, n, args) )
            continue;
        kit()->failed = 0;
        kit()->deadline = now() + (n ? 600 : 60) * kit()->percent / 100.0;
        CHECK_RC(free_rings(), 0);
        kit()->hot_cpu = kit()->cpus - 1;
        if ( tests[i].hotplug && (!kit()->hot_cpu || !has_hotplug()) )
        {
            printf("ok %u - %s # skip no CPU can go\n", ++ran, tests[i].name);
            continue;
        }
        if ( !kit()->failed )
            tests[i].run();
        bad += report_test(++ran, tests[i].name);
    }
    bad += free_rings() != 0;
    printf("1..%u\n", ran);

    return bad || !ran;
}

static int run_stock(int n, char **args)
{
    unsigned int bad;

    (void)n;
    (void)args;
    test_refused();
    bad = report_test(1, "stock refuses");
    printf("1..1\n");

    return bad;
}

static int print_state(int n, char **args)
{
    struct tb_state s;
    unsigned int cpu;
    int rc = tb_state(&s);

    (void)n;
    (void)args;
    if ( rc )
    {
        printf("state: %d\n", rc);
        return 1;
    }
    printf("flags %x evt_mask %x pages %u cpus %u\n", s.head.flags,
           s.head.evt_mask, s.head.pages, s.head.nr_cpus);
    for ( cpu = 0; cpu < s.head.nr_cpus; cpu++ )
        printf("  cpu %u flags %x lost %llu\n", cpu, s.cpu[cpu].flags,
               (unsigned long long)s.cpu[cpu].lost);

    return 0;
}

static bool any_moves(struct tb_view *v, double until)
{
    uint32_t at[MAX_CPUS];
    unsigned int cpu;

    for ( cpu = 0; cpu < v->cpus; cpu++ )
        if ( v->buf[cpu] )
            v->buf[cpu]->cons = at[cpu] = v->buf[cpu]->prod;
    do {
        pause_us(10000);
        for ( cpu = 0; cpu < v->cpus; cpu++ )
            if ( v->buf[cpu] && v->buf[cpu]->prod != at[cpu] )
                return true;
    } while ( now() < until );

    return false;
}

static int check_moves(int n, char **args)
{
    struct tb_view v;
    int rc = tb_map(&v, sysconf(_SC_NPROCESSORS_ONLN));
    bool moves = !rc && any_moves(&v, now() + (n ? atof(args[0]) : 1));

    if ( rc )
        printf("moves: %d\n", rc);
    else
        tb_unmap(&v);

    return rc ? 2 : !moves;
}

static const struct {
    const char *name;
    int (*run)(int n, char **args);
} commands[] = {
    { "ours", run_ours },
    { "stock", run_stock },
    { "state", print_state },
    { "moves", check_moves },
};

int main(int argc, char **argv)
{
    unsigned int i;
    int rc;

    for ( i = 0; argc > 1 && i < ARRAY_SIZE(commands); i++ )
    {
        if ( strcmp(argv[1], commands[i].name) )
            continue;
        rc = tb_open();
        if ( !rc )
            rc = share_numbers();
        if ( !rc )
            return commands[i].run(argc - 2, argv + 2);
        fprintf(stderr, "control: %s\n", strerror(-rc));
        return 2;
    }
    fprintf(stderr, "usage: control ours|stock|state|moves ...\n");

    return 2;
}
