/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of each operation in every state, on our Xen and on stock's.
 */
#include <errno.h>
#include <string.h>

#include "kit.h"

void test_refused(void)
{
    struct tb_state s;

    CHECK_RC(tb_state(&s), -EINVAL);
    CHECK(*(uint8_t *)s.cpu == 0xa5, "written");
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
    CHECK(s.head.nr_cpus == kit()->cpus, "%u", s.head.nr_cpus);
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

/* For every room, exactly the pcpus that fit are written. */
void test_state_short(void)
{
    struct tb_state whole, part;
    const uint8_t *behind;
    uint32_t nr, most;

    CHECK_RC(tb_state(&whole), 0);
    for ( nr = 0; nr < MAX_CPUS; nr++ )
    {
        most = nr < whole.head.nr_cpus ? nr : whole.head.nr_cpus;
        behind = (const uint8_t *)&part.cpu[most];
        CHECK_RC(tb_state_part(&part, nr, XEN_TBUF_STATE_VERSION), 0);
        CHECK(part.head.nr_cpus == whole.head.nr_cpus, "%u: %u", nr,
              part.head.nr_cpus);
        CHECK(!memcmp(part.cpu, whole.cpu, most * sizeof(part.cpu[0])),
              "%u: differs", nr);
        CHECK(behind[0] == 0xa5 && behind[1] == 0xa5, "%u: written behind", nr);
    }
    CHECK_RC(tb_state_part(&part, 4, 0), -EINVAL);
    CHECK_RC(tb_state_part(&part, 4, XEN_TBUF_STATE_VERSION + 1), -EINVAL);
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
