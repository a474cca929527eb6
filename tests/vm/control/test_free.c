/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Free and resize rings, with and without a process that has them mapped.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit.h"

void test_busy(void)
{
    struct tb_seen *s = calloc(kit()->cpus, sizeof(*s));
    struct tb_state st;
    struct tb_view v;
    unsigned int i, cpu;
    uint64_t before;

    start_load();
    if ( !start_tracing(&v, 4) )
        return;
    for ( i = scale_rounds(20); i && is_in_time(); i-- )
    {
        tb_drain_all(&v, s, false);
        CHECK_RC(tb_op(OP(free), 0), -EBUSY);
        CHECK_RC(tb_state(&st), 0);
        CHECK(st.head.pages == 4, "%u pages", st.head.pages);
        if ( !(st.head.flags & XEN_TBUF_ENABLED) )
            CHECK_RC(tb_op(OP(enable), 0), 0);
        CHECK_RC(tb_op(OP(resize), 8), -EBUSY);
        CHECK_RC(tb_op(OP(enable), 0), 0);
        pause_us(5000);
    }
    wait_for_load(480);
    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
    {
        before = s[cpu].records;
        tb_drain(&v, cpu, &s[cpu], false);
        CHECK(s[cpu].records > before, "cpu %u: no more records", cpu);
    }
    check_seen(s, "busy");
    print_note("flags after a rejected free: %x", st.head.flags);
    tb_unmap(&v);
    CHECK_RC(tb_op(OP(free), 0), 0);
    CHECK_RC(tb_op(OP(set_size), 7), 0);
    stop_load();
    free(s);
}

/* A single mapped page rejects the operation; the others are shared again. */
void test_busy_each_page(void)
{
    struct tb_view v;
    unsigned int cpu, i;
    void *page;

    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
        for ( i = 0; i < 3; i++ )
        {
            uint32_t mfn;

            tb_op(OP(set_size), 3);
            CHECK_RC(tb_map(&v, kit()->cpus), 0);
            mfn = ((const uint32_t *)v.info)[v.info->mfn_offset[cpu] + i];
            CHECK_RC(tb_map_page(&page, mfn), 0);
            tb_unmap(&v);
            CHECK_RC(tb_op(OP(free), 0), -EBUSY);
            CHECK_RC(tb_op(OP(resize), 2), -EBUSY);
            CHECK_RC(tb_map(&v, kit()->cpus), 0);
            CHECK(v.pages == 3, "%u pages", v.pages);
            tb_unmap(&v);
            tb_unmap_page(page);
            CHECK_RC(tb_op(OP(free), 0), 0);
        }
    tb_op(OP(set_size), 3);
    CHECK_RC(tb_map(&v, 0), 0); /* the directory alone */
    CHECK_RC(tb_op(OP(free), 0), -EBUSY);
    tb_unmap(&v);
    CHECK_RC(tb_op(OP(free), 0), 0);
}

/* A reader that dies leaves no mapping behind. */
void test_reader_dies(void)
{
    unsigned int i;

    for ( i = scale_rounds(10); i && is_in_time(); i-- )
    {
        int status, rc;
        pid_t pid;

        CHECK_RC(tb_op(OP(set_size), 3), 0);
        pid = fork();
        if ( !pid )
        {
            struct tb_view v;

            tb_open();
            if ( tb_map(&v, kit()->cpus) )
                _exit(1);
            raise(SIGKILL);
        }
        waitpid(pid, &status, 0);
        CHECK(WIFSIGNALED(status), "status %x", status);
        rc = tb_op(OP(free), 0);
        CHECK(rc == 0, "free: %d", rc);
    }
}

/* A process maps and unmaps repeatedly while control frees the rings. */
void test_free_race(void)
{
    unsigned int i, freed = 0, busy = 0, other = 0;
    struct tb_view v;
    pid_t pid;

    CHECK_RC(tb_op(OP(set_size), 3), 0);
    start_load();
    pid = fork();
    if ( !pid )
    {
        tb_open();
        while ( getppid() != 1 )
            if ( !tb_map(&v, kit()->cpus) )
                tb_unmap(&v);
        _exit(0);
    }
    for ( i = scale_rounds(1000); i && is_in_time(); i-- )
    {
        int rc = tb_op(OP(free), 0);

        freed += rc == 0;
        busy += rc == -EBUSY;
        other += rc && rc != -EBUSY;
        if ( !rc )
            CHECK_RC(tb_op(OP(set_size), 1 + i % 5), 0);
        else
            CHECK_RC(tb_op(OP(enable), 0), 0);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    stop_load();
    CHECK(!other, "%u other results", other);
    CHECK(freed, "never freed");
    print_note("%u freed, %u busy", freed, busy);
}

void test_resize(void)
{
    struct tb_seen *s;
    struct tb_state st;
    struct tb_view v;
    long long before, after;
    uint64_t lost = 0;
    unsigned int i, pages = 4;
    int rc;

    before = tb_free_pages();
    CHECK_RC(tb_op(OP(set_size), pages), 0);
    CHECK_RC(tb_op(OP(set_evt_mask), 0x0022f000), 0);
    start_load();
    for ( i = scale_rounds(100); i && is_in_time(); i-- )
    {
        pages = 1 + (i * 37) % 200;
        CHECK_RC(tb_op(OP(resize), pages), 0);
        CHECK_RC(tb_state(&st), 0);
        CHECK(st.head.pages == pages && st.head.flags == XEN_TBUF_ENABLED &&
              st.head.evt_mask == 0x0022f000, "pages %u flags %x mask %x",
              st.head.pages, st.head.flags, st.head.evt_mask);
        CHECK(total_lost(&st) >= lost, "losses went back");
        lost = total_lost(&st);
        if ( i % 4 )
            continue;

        CHECK_RC(tb_map(&v, kit()->cpus), 0);
        CHECK(v.pages == pages, "%u pages", v.pages);
        s = calloc(kit()->cpus, sizeof(*s));
        wait_for_load(480);
        tb_drain_all(&v, s, true);
        tb_drain_all(&v, s, true);
        check_seen(s, "resized");
        CHECK(sum_seen(s).numbers, "no numbers");
        tb_unmap(&v);
        free(s);
    }
    print_note("%u of %u rounds", scale_rounds(100) - i, scale_rounds(100));
    CHECK_RC(tb_op(OP(disable), 0), 0);
    CHECK_RC(tb_op(OP(resize), 2), 0);
    CHECK_RC(tb_state(&st), 0);
    CHECK(!st.head.flags, "resize enabled tracing: %x", st.head.flags);
    /* The size is clamped to 256 MB a ring; the memory may not suffice. */
    rc = tb_op(OP(resize), 0x7fffffff);
    CHECK(rc == 0 || rc == -ENOMEM, "%d", rc);
    CHECK_RC(tb_state(&st), 0);
    CHECK((st.head.pages == 2) == (rc != 0), "%d and %u pages", rc,
          st.head.pages);
    print_note("resize to 2^31 - 1 pages: %d, %u pages", rc, st.head.pages);
    stop_load();
    CHECK_RC(tb_op(OP(free), 0), 0);
    after = tb_free_pages();
    print_note("free pages %lld -> %lld, lost %llu", before, after,
               (unsigned long long)lost);
    CHECK(after >= before - 300 && after <= before + 300, "a leak");
}
