/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings that are drained under load, enabled and disabled under load, and
 * drained by a hostile reader.
 */
#include <stdlib.h>
#include <string.h>

#include "kit.h"

/* Records are complete, in order and unique, with and without losses. */
static void drain_under_load(unsigned int pages, long pause)
{
    struct tb_seen *s = calloc(kit()->cpus, sizeof(*s)), all;
    struct tb_state before, after;
    struct tb_view v;
    double until;

    CHECK_RC(tb_state(&before), 0);
    CHECK_RC(tb_op(OP(set_evt_mask), 0x0020f000 | 0x0002f000), 0);
    if ( !start_tracing(&v, pages) )
        return;
    start_load();
    until = now() + 4.0 * kit()->percent / 100;
    do {
        tb_drain_all(&v, s, true);
        if ( pause )
            pause_us(pause);
    } while ( now() < until || lacks_numbers(s, until + 60) );
    stop_load();

    /* Make room for the owed LOST record, without further losses. */
    CHECK_RC(tb_op(OP(set_evt_mask), 0), 0);
    tb_drain_all(&v, s, true);
    CHECK_RC(tb_op(OP(disable), 0), 0);
    tb_drain_all(&v, s, true);

    CHECK_RC(tb_state(&after), 0);
    check_seen(s, "draining");
    all = sum_seen(s);
    print_note("%u pages, %ld us between: ", pages, pause);
    print_seen(s);
    CHECK(all.lost == total_lost(&after) - total_lost(&before),
          "LOST records say %llu, state says %llu",
          (unsigned long long)all.lost,
          (unsigned long long)(total_lost(&after) - total_lost(&before)));
    tb_unmap(&v);
    CHECK_RC(tb_op(OP(free), 0), 0);
    free(s);
}

void test_drain(void)
{
    drain_under_load(1, 0);
    drain_under_load(1, 5000);
    drain_under_load(2, 20000);
    drain_under_load(3, 1000);
    drain_under_load(32, 1000);
    drain_under_load(256, 10000);
}

static void disable_once(struct tb_view *v, struct tb_seen *s, unsigned int i)
{
    uint32_t prod[MAX_CPUS];
    unsigned int cpu;

    CHECK_RC(tb_op(OP(disable), 0), 0);
    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
        prod[cpu] = v->buf[cpu]->prod;
    if ( i % 8 == 0 )
        pause_us(500);
    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
        CHECK(prod[cpu] == v->buf[cpu]->prod, "cpu %u traced while disabled",
              cpu);
    tb_drain_all(v, s, false);
    CHECK_RC(tb_op(OP(enable), 0), 0);
    if ( i % 3 == 0 )
        pause_us(300);
}

void test_enable_disable(void)
{
    struct tb_seen *s = calloc(kit()->cpus, sizeof(*s));
    struct tb_view v;
    unsigned int i, more = 0;
    double until;

    if ( !start_tracing(&v, 4) )
        return;
    start_load();
    for ( i = scale_rounds(1000); i && is_in_time(); i-- )
        disable_once(&v, s, i);
    /* The load of a round depends on the machine. */
    for ( until = now() + 60; lacks_numbers(s, until); more++ )
        disable_once(&v, s, more);
    stop_load();
    tb_drain_all(&v, s, false);
    check_seen(s, "enable/disable");
    print_note("%u of %u rounds", scale_rounds(1000) - i, scale_rounds(1000));
    print_note("%u more rounds for the load", more);
    print_seen(s);
    tb_unmap(&v);
    free(s);
}

/* A reader with an invalid cons affects its own ring only, until repaired. */
void test_hostile(void)
{
    static const uint32_t cons[] = {
        1, 0x13, 0xfffffff0, 0x80000000, 2 * 4088
    };
    struct tb_seen *s = calloc(kit()->cpus, sizeof(*s));
    struct tb_state before, after;
    struct tb_view v;
    unsigned int i, n, cpu;

    if ( !start_tracing(&v, 1) )
        return;
    start_load();
    for ( i = 0; i < sizeof(cons) / sizeof(*cons) + 1; i++ )
    {
        struct tb_seen *fresh = calloc(kit()->cpus, sizeof(*s));

        wait_for_load(4088);
        tb_drain_all(&v, s, false);
        /* The last one is plausible, but ahead of prod. */
        v.buf[0]->cons = i < sizeof(cons) / sizeof(*cons)
                         ? cons[i] : (v.buf[0]->prod + 2048) % (2 * 4088);
        v.buf[0]->prod = 0x13;
        CHECK_RC(tb_state(&before), 0);
        for ( n = 0; n < 2; n++ )
        {
            wait_for_load(2 * 4088);
            for ( cpu = 1; cpu < kit()->cpus; cpu++ )
            {
                uint64_t seen = fresh[cpu].records;

                tb_drain(&v, cpu, &fresh[cpu], false);
                CHECK(fresh[cpu].records > seen, "cpu %u stopped, too",
                      cpu);
            }
        }
        CHECK_RC(tb_state(&after), 0);
        CHECK(after.cpu[0].lost > before.cpu[0].lost, "cons %x: nothing lost",
              v.buf[0]->cons);
        check_seen(fresh, "hostile");

        /* Repaired: discard the unread records, and continue. */
        v.buf[0]->cons = v.buf[0]->prod;
        wait_for_load(480);
        memset(&fresh[0], 0, sizeof(*fresh));
        tb_drain(&v, 0, &fresh[0], false);
        CHECK(fresh[0].records && fresh[0].lost, "%llu records, %llu lost",
              (unsigned long long)fresh[0].records,
              (unsigned long long)fresh[0].lost);
        check_seen(fresh, "repaired");
        free(fresh);
    }
    stop_load();
    tb_unmap(&v);
    free(s);
}
