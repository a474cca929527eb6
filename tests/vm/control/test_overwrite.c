/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flight recorder: overwrite, freeze, drain the frozen records.
 */
#include <stdlib.h>
#include <string.h>

#include "kit.h"

static void freeze_once(struct tb_view *v, unsigned int pages, bool lapped)
{
    struct tb_seen *s = calloc(kit()->cpus, sizeof(*s));
    unsigned int cpu;
    uint64_t min = 0;

    CHECK_RC(tb_op(OP(overwrite), 0), 0);
    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
        CHECK(v->buf[cpu]->cons == v->buf[cpu]->prod,
              "cpu %u: not empty to a reader", cpu);
    wait_for_load(lapped ? v->data_size * 5ull / 4 + 4096 : 0);
    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
        CHECK(v->buf[cpu]->cons == v->buf[cpu]->prod,
              "cpu %u: not empty to a reader later", cpu);
    CHECK_RC(tb_op(OP(freeze), 0), 0);
    tb_drain_all(v, s, true);
    check_seen(s, "frozen");
    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
        if ( !cpu || s[cpu].bytes < min )
            min = s[cpu].bytes;
    if ( lapped && pages > 1 )
        CHECK(min >= 4096 * (pages - 1) - 64,
              "%u pages: the span has only %llu bytes", pages,
              (unsigned long long)min);
    print_note("%u pages: frozen span %llu%% of the ring", pages,
               (unsigned long long)(100 * min / v->data_size));

    /* The ring continues behind the span, in drained mode. */
    CHECK_RC(tb_op(OP(enable), 0), 0);
    wait_for_load(480);
    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
        CHECK(v->buf[cpu]->cons != v->buf[cpu]->prod,
              "cpu %u: no records after enable", cpu);
    tb_drain_all(v, s, false);
    check_seen(s, "after freeze");
    free(s);
}

void test_overwrite(void)
{
    static const unsigned int sizes[] = { 1, 2, 3, 4, 8, 60 };
    struct tb_view v;
    unsigned int i, n;

    start_load();
    for ( i = 0; i < sizeof(sizes) / sizeof(*sizes); i++ )
    {
        if ( !start_tracing(&v, sizes[i]) )
            break;
        for ( n = scale_rounds(10); n && is_in_time(); n-- )
            freeze_once(&v, sizes[i], n & 1);
        tb_unmap(&v);
        CHECK_RC(tb_op(OP(free), 0), 0);
    }
    stop_load();
}
