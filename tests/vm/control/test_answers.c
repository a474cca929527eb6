/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of each operation in every state, on our Xen and on stock's.
 */
#include <errno.h>
#include <string.h>

#include "kit.h"

void test_refused(void)
{
    uint8_t raw[64];
    uint32_t needed;

    CHECK_RC(tb_state_raw(raw, 64, 512, &needed), -EINVAL);
    CHECK(raw[0] == 0xa5, "written");
    CHECK_RC(tb_op(OP(overwrite), 0), -EINVAL);
    CHECK_RC(tb_op(OP(freeze), 0), -EINVAL);
    CHECK_RC(tb_op(OP(free), 0), -EINVAL);
    CHECK_RC(tb_op(OP(resize), 4), -EINVAL);
    CHECK_RC(tb_op(0x105, 0), -EINVAL);
    CHECK_RC(tb_op(6, 0), -EINVAL);
}

void test_no_rings(void)
{
    uint64_t mfn;
    uint32_t bytes, mask;

    CHECK_RC(tb_op(OP(enable), 0), -EINVAL);
    CHECK_RC(tb_op(OP(overwrite), 0), -EINVAL);
    CHECK_RC(tb_op(OP(freeze), 0), -EINVAL);
    CHECK_RC(tb_op(OP(free), 0), -EINVAL);
    CHECK_RC(tb_op(OP(resize), 4), -EINVAL);
    CHECK_RC(tb_op(OP(set_size), 0), -EINVAL);
    CHECK_RC(tb_op(OP(disable), 0), 0);
    CHECK_RC(tb_op(0x105, 0), -EINVAL);
    CHECK_RC(tb_op(6, 0), -EINVAL);
    CHECK_RC(tb_info(&mfn, &bytes, &mask), 0);
    CHECK(!mfn && mask == TRC_ALL, "mfn %llx mask %x",
          (unsigned long long)mfn, mask);
}

void test_set_size(void)
{
    CHECK_RC(tb_op(OP(set_size), 3), 0);
    CHECK_RC(tb_op(OP(set_size), 3), -EBUSY);
    CHECK_RC(tb_op(OP(set_size), 4), -EINVAL);
    CHECK_RC(tb_op(OP(set_size), 0), -EINVAL);
    CHECK_RC(tb_op(OP(resize), 0), -EINVAL);
    CHECK_RC(tb_op(OP(free), 0), 0);
    CHECK_RC(tb_op(OP(set_size), 4), 0);
    CHECK_RC(tb_op(OP(set_size), 4), -EBUSY);
}

void test_state(void)
{
    struct tb_state s;
    unsigned int cpu;

    CHECK_RC(tb_state(&s), 0);
    CHECK(!s.head.flags && !s.head.pages, "flags %x pages %u", s.head.flags,
          s.head.pages);
    CHECK(s.head.cpu_offset == 24 && s.head.cpu_size == 16, "%u %u",
          s.head.cpu_offset, s.head.cpu_size);
    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
        CHECK(s.cpu[cpu].flags == XEN_TBUF_CPU_ONLINE, "cpu %u flags %x", cpu,
              s.cpu[cpu].flags);

    CHECK_RC(tb_op(OP(set_size), 5), 0);
    CHECK_RC(tb_op(OP(set_evt_mask), 0x8002f000), 0);
    CHECK_RC(tb_cpu_mask(1, 64), 0);
    CHECK_RC(tb_state(&s), 0);
    CHECK(s.head.flags == XEN_TBUF_ENABLED, "flags %x", s.head.flags);
    CHECK(s.head.pages == 5, "pages %u", s.head.pages);
    CHECK(s.head.evt_mask == 0x8002f000, "mask %x", s.head.evt_mask);
    for ( cpu = 0; cpu < kit()->cpus; cpu++ )
        CHECK(s.cpu[cpu].flags == (XEN_TBUF_CPU_ONLINE | XEN_TBUF_CPU_RING |
                                   (cpu ? XEN_TBUF_CPU_MASKED : 0)),
              "cpu %u flags %x", cpu, s.cpu[cpu].flags);

    CHECK_RC(tb_op(OP(overwrite), 0), 0);
    CHECK_RC(tb_state(&s), 0);
    CHECK(s.head.flags == (XEN_TBUF_ENABLED | XEN_TBUF_OVERWRITE), "flags %x",
          s.head.flags);
    CHECK_RC(tb_op(OP(freeze), 0), 0);
    CHECK_RC(tb_op(OP(freeze), 0), -EINVAL);
    CHECK_RC(tb_state(&s), 0);
    CHECK(!s.head.flags && s.head.pages == 5, "flags %x pages %u",
          s.head.flags, s.head.pages);
}

/* For every length of the buffer, exactly the part that fits is written. */
void test_state_short(void)
{
    uint8_t whole[4096], part[4096];
    uint32_t all, needed, bits;

    CHECK_RC(tb_state_raw(whole, 4096, 4096 * 8, &all), 0);
    CHECK(all == 24 + 16 * kit()->cpus, "%u", all);
    CHECK(whole[all] == 0xa5, "written behind");
    for ( bits = 0; bits <= all * 8 + 64; bits++ )
    {
        uint32_t bytes = bits / 8 < all ? bits / 8 : all;

        CHECK_RC(tb_state_raw(part, 4096, bits, &needed), 0);
        CHECK(needed == all, "%u bits: %u", bits, needed);
        CHECK(!memcmp(part, whole, bytes), "%u bits: differs", bits);
        CHECK(part[bytes] == 0xa5 && part[bytes + 1] == 0xa5,
              "%u bits: written behind", bits);
    }
}

void test_huge(void)
{
    struct tb_state st;
    int rc;

    /* The size is clamped; the memory may or may not suffice. */
    rc = tb_op(OP(set_size), 0xffffffff);
    CHECK(rc == -ENOMEM || rc == 0, "%d", rc);
    CHECK_RC(tb_state(&st), 0);
    print_note("set_size of 2^32 - 1 pages: %d, %u pages", rc, st.head.pages);
    if ( !rc )
        CHECK_RC(tb_op(OP(free), 0), 0);
    CHECK_RC(tb_op(OP(set_size), 4), 0);
}
