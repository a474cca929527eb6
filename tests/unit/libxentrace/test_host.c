/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The description of the host: replaced, contradicting, hostile and too many
 * records.
 */
#include "libxentrace/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

#define ALL_VCPUS 0xffffu

static void add(struct xt_host *h, struct xt_meta m)
{
    ck_assert_int_eq(xt_host_add(h, &m), 0);
}

static void add_domain(struct xt_host *h, unsigned int id, unsigned int flags)
{
    add(h, (struct xt_meta){ .event = TRC_META_DOMAIN,
                             .domain = { .dom = id, .flags = flags } });
}

static void add_mask(struct xt_host *h, unsigned int vcpu, unsigned int kind,
                     unsigned int first, uint32_t cpus)
{
    add(h, (struct xt_meta){ .event = TRC_META_AFFINITY,
                             .affinity = { .vcpu = vcpu, .dom = 1,
                                           .kind = kind, .first = first,
                                           .cpus0 = cpus } });
}

static void add_weight(struct xt_host *h, uint32_t domain, uint32_t weight)
{
    add(h, (struct xt_meta){ .event = TRC_META_DOMAIN_WEIGHT,
                             .domain_weight = { .dom = domain, .scheduler = 6,
                                                .weight = weight } });
}

static void add_cpus(struct xt_host *h, unsigned int nr)
{
    for ( unsigned int i = 0; i < nr; i++ )
        add(h, (struct xt_meta){ .event = TRC_META_CPU,
                                 .cpu = { .cpu = i, .core = i / 2,
                                          .socket = i / 4, .node = 0 } });
}

START_TEST(nothing)
{
    struct xt_host h = { .nr = 0 };
    char text[XT_AFFINITY_TEXT_MAX];
    struct xt_topology t;

    xt_host_finish(&h);
    ck_assert_ptr_null(xt_host_domain(&h, 0));
    ck_assert_ptr_null(xt_host_weight(&h, UINT32_MAX));
    ck_assert_ptr_null(xt_host_budget(&h, 1, UINT32_MAX));
    ck_assert_ptr_null(xt_host_next(&h, TRC_META_CPU, NULL));
    ck_assert(!xt_host_affinity_text(&h, 1, 0, XT_AFFINITY_HARD, text));
    ck_assert(!xt_host_affinity_text(&h, 65535, 99999, XT_AFFINITY_SOFT, text));
    ck_assert_int_eq(xt_host_next_pinned(&h, 1, 0), -1);
    ck_assert_int_eq(xt_host_next_pinned(&h, 65535, 0), -1);
    ck_assert(!xt_host_irq_text(&h, 1, text));
    ck_assert_int_eq(xt_host_count_units(&h, &t), 0);
    ck_assert_uint_eq(t.cpus + t.cores + t.sockets + t.nodes, 0);
    xt_host_fini(&h);
}
END_TEST

/* A new domain with a used id has nothing of the old one. */
START_TEST(reused_id)
{
    struct xt_host h = { .nr = 0 };

    add_domain(&h, 1, 1);
    add_weight(&h, 1, 100);
    add_weight(&h, 1, 200);
    add_mask(&h, 0, 0, 0, 1);
    add_weight(&h, 2, 300);
    xt_host_finish(&h);
    ck_assert_uint_eq(xt_host_weight(&h, 1)->weight, 200);
    add_domain(&h, 1, 0);
    xt_host_finish(&h);
    ck_assert_uint_eq(xt_host_domain(&h, 1)->flags, 0);
    ck_assert_ptr_null(xt_host_weight(&h, 1));
    ck_assert_int_eq(xt_host_next_pinned(&h, 1, 0), -1);
    ck_assert_uint_eq(xt_host_weight(&h, 2)->weight, 300);
    xt_host_fini(&h);
}
END_TEST

static void check_affinity(const struct xt_host *h, unsigned int vcpu,
                           enum xt_affinity_kind kind, const char *want)
{
    char text[XT_AFFINITY_TEXT_MAX];
    bool known = xt_host_affinity_text(h, 1, vcpu, kind, text);

    ck_assert_int_eq(known, want != NULL);
    if ( known )
        ck_assert_str_eq(text, want);
}

START_TEST(affinity)
{
    struct xt_host h = { .nr = 0 };

    add_cpus(&h, 6);
    add_domain(&h, 1, 0);
    add_mask(&h, 0, 0, 0, 0xd);
    add_mask(&h, 0, 1, 0, 0x4);
    add_mask(&h, 1, 0, 0, 0x3f);
    add_mask(&h, 2, 0, 0, 0x1);
    add_mask(&h, 2, 0, 160, 0x80000000);
    add_mask(&h, 3, 0, 0, 0);
    add_mask(&h, ALL_VCPUS, 2, 7, 0xffff); /* the mask means nothing */
    xt_host_finish(&h);
    check_affinity(&h, 0, XT_AFFINITY_HARD, "0,2-3");
    check_affinity(&h, 0, XT_AFFINITY_SOFT, "2");
    check_affinity(&h, 1, XT_AFFINITY_HARD, "all");
    check_affinity(&h, 1, XT_AFFINITY_SOFT, NULL);
    check_affinity(&h, 2, XT_AFFINITY_HARD, "0,191");
    check_affinity(&h, 3, XT_AFFINITY_HARD, "none");
    check_affinity(&h, 4, XT_AFFINITY_HARD, "all");
    check_affinity(&h, 4, XT_AFFINITY_SOFT, NULL);
    ck_assert_int_eq(xt_host_next_pinned(&h, 1, 0), 0);
    ck_assert_int_eq(xt_host_next_pinned(&h, 1, 4), XT_VCPU_OTHERS);
    ck_assert_int_eq(xt_host_next_pinned(&h, 1, XT_VCPU_OTHERS + 1), -1);
    ck_assert_int_eq(xt_host_next_pinned(&h, 0, 0), -1);

    /* The newest of contradicting records holds. */
    add_mask(&h, 2, 0, 0, 0x2);     /* without the second record */
    add_mask(&h, 0, 2, 0, 0);
    add_mask(&h, 1, 2, 0, 0);
    add_mask(&h, 1, 0, 0, 0x8);
    xt_host_finish(&h);
    check_affinity(&h, 2, XT_AFFINITY_HARD, "1");
    check_affinity(&h, 0, XT_AFFINITY_HARD, "all");
    check_affinity(&h, 0, XT_AFFINITY_SOFT, NULL);
    check_affinity(&h, 1, XT_AFFINITY_HARD, "3");
    xt_host_fini(&h);
}
END_TEST

/* Every second pcpu of many: the text is cut, and the end is visible. */
START_TEST(long_affinity)
{
    struct xt_host h = { .nr = 0 };
    char text[XT_AFFINITY_TEXT_MAX];

    for ( unsigned int first = 0; first < XT_MAX_CPUS; first += 160 )
        add_mask(&h, 0, 0, first, 0x55555555);
    xt_host_finish(&h);
    ck_assert(xt_host_affinity_text(&h, 1, 0, XT_AFFINITY_HARD, text));
    ck_assert_uint_gt(strlen(text), XT_AFFINITY_TEXT_MAX - 20);
    ck_assert_str_eq(text + strlen(text) - 3, "...");
    xt_host_fini(&h);
}
END_TEST

START_TEST(topology)
{
    struct xt_host h = { .nr = 0 };
    struct xt_topology t;

    add_cpus(&h, 7);
    add(&h, (struct xt_meta){ .event = TRC_META_CPU,
                              .cpu = { .cpu = 7, .core = -1, .socket = -1,
                                       .node = -1 } });
    xt_host_finish(&h);
    ck_assert_int_eq(xt_host_count_units(&h, &t), 0);
    ck_assert_uint_eq(t.cpus, 7);
    ck_assert_uint_eq(t.cores, 4);
    ck_assert_uint_eq(t.sockets, 2);
    ck_assert_uint_eq(t.nodes, 1);
    fault_arm(FAULT_ALLOC, 1);
    ck_assert_int_eq(xt_host_count_units(&h, &t), -ENOMEM);
    fault_disarm();
    xt_host_fini(&h);
}
END_TEST

static void add_line(struct xt_host *h, unsigned int irq, const char *text)
{
    unsigned int parts = xt_meta_count_parts(strlen(text));

    for ( unsigned int i = 0; i < parts; i++ )
    {
        struct xt_meta m = {
            .event = TRC_META_IRQ_NAME,
            .irq_name = { .irq = irq, .part = i, .parts = parts },
        };

        xt_meta_copy_part((char *)&m + offsetof(struct xt_meta, irq_name.t0),
                          text, strlen(text), i);
        add(h, m);
    }
}

static void check_device(const struct xt_host *h, unsigned int irq,
                         const char *want)
{
    char text[XT_IRQ_TEXT_MAX];
    bool known = xt_host_irq_device(h, irq, text);

    ck_assert_int_eq(known, want != NULL);
    if ( known )
        ck_assert_str_eq(text, want);
}

START_TEST(interrupts)
{
    char text[XT_IRQ_TEXT_MAX], longest[200];
    struct xt_host h = { .nr = 0 };

    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    add_line(&h, 1, "xen-pirq -ioapic-edge i8042");
    add_line(&h, 9, "xen-pirq -ioapic-level acpi, ehci_hcd:usb1");
    add_line(&h, 10, "xen-pirq -ioapic-level");
    add_line(&h, 11, "xen-pirq -ioapic-level ");
    add_line(&h, 4, "IO-APIC 4-edge ttyS0");
    add_line(&h, 24, "IO-APIC 2-edge other");
    add_line(&h, 70, "xen-pirq -msi-x nvme0q1");
    add_line(&h, 61, "xen-dyn -event vif1.0");
    add_line(&h, 62, "\x1b[31m\xff");
    add_line(&h, 63, longest);
    add_line(&h, 64, "IO-APIC ");
    xt_host_finish(&h);
    check_device(&h, 1, "i8042");
    check_device(&h, 9, "acpi, ehci_hcd:usb1");
    check_device(&h, 10, NULL);
    check_device(&h, 11, NULL);
    check_device(&h, 4, "ttyS0");
    check_device(&h, 24, NULL);
    check_device(&h, 70, NULL);
    check_device(&h, 61, NULL);
    check_device(&h, 64, NULL);
    check_device(&h, 100000, NULL);
    ck_assert(xt_host_irq_text(&h, 62, text));
    ck_assert_str_eq(text, "?[31m?");
    /* The text is cut; its remaining parts are ignored. */
    ck_assert(xt_host_irq_text(&h, 63, text));
    ck_assert_uint_eq(strlen(text), XT_IRQ_TEXT_MAX - 1);
    xt_host_fini(&h);
}
END_TEST

/* A missing part, and parts that disagree on their number. */
START_TEST(broken_text)
{
    char text[XT_IRQ_TEXT_MAX];
    struct xt_host h = { .nr = 0 };
    struct xt_meta m = { .event = TRC_META_IRQ_NAME,
                         .irq_name = { .irq = 1, .part = 0, .parts = 2,
                                       .t0 = 'a' } };

    add(&h, m);
    xt_host_finish(&h);
    ck_assert(!xt_host_irq_text(&h, 1, text));
    m.irq_name.part = 1;
    m.irq_name.parts = 3;
    add(&h, m);
    xt_host_finish(&h);
    ck_assert(!xt_host_irq_text(&h, 1, text));
    m.irq_name.part = 0;
    m.irq_name.parts = 0;
    add(&h, m);
    xt_host_finish(&h);
    ck_assert(!xt_host_irq_text(&h, 1, text));
    xt_host_fini(&h);
}
END_TEST

/* Records with absurd keys are ignored. */
START_TEST(absurd)
{
    struct xt_host h = { .nr = 0 };

    add_domain(&h, 0x7ff0, 0);
    add_weight(&h, 0x10001, 1);
    add_weight(&h, UINT32_MAX, 1);
    add_mask(&h, 0, 3, 0, 1);
    add_mask(&h, 0, 0, 32, 1);
    add_mask(&h, 0, 0, 65440, 1);
    add(&h, (struct xt_meta){ .event = TRC_META_CPU, .cpu.cpu = XT_MAX_CPUS });
    add(&h, (struct xt_meta){ .event = TRC_META_POOL, .pool.pool = 1 << 16 });
    add(&h, (struct xt_meta){ .event = TRC_META_CLOCK });
    ck_assert_uint_eq(h.nr, 0);
    xt_host_fini(&h);
}
END_TEST

/* Any records with random contents, in any order. */
START_TEST(random_records)
{
    struct xt_host h = { .nr = 0 };
    char text[XT_AFFINITY_TEXT_MAX], irq[XT_IRQ_TEXT_MAX];
    uint64_t seed = 5;

    for ( unsigned int i = 0; i < 20000; i++ )
    {
        struct xt_meta m;
        unsigned char *bytes = (unsigned char *)&m;

        for ( size_t k = 0; k < sizeof(m); k++ )
            bytes[k] = make_random(&seed) & (i % 2 ? 0x83 : 0xff);
        m.event = TRC_META_VERSION + i % (TRC_META_IRQ_NAME -
                                          TRC_META_VERSION + 1);
        add(&h, m);
    }
    xt_host_finish(&h);
    for ( size_t i = 1; i < h.nr; i++ )
        ck_assert_uint_lt(h.all[i - 1].key, h.all[i].key);
    for ( unsigned int dom = 0; dom < 1024; dom++ )
        for ( int v = -1; (v = xt_host_next_pinned(&h, dom, v + 1)) >= 0; )
            xt_host_affinity_text(&h, dom, v, XT_AFFINITY_HARD, text);
    for ( unsigned int i = 0; i < 65536; i++ )
        xt_host_irq_device(&h, i, irq);
    xt_host_fini(&h);
}
END_TEST

/* Repeated records cost nothing; beyond the limit, later objects are missing.*/
START_TEST(limit)
{
    struct xt_host h = { .nr = 0 };

    for ( unsigned int i = 0; i < XT_HOST_MAX + 10; i++ )
        add_weight(&h, 1, i);
    ck_assert(!h.is_full);
    xt_host_finish(&h);
    ck_assert_uint_eq(h.nr, 1);
    ck_assert_uint_eq(xt_host_weight(&h, 1)->weight, XT_HOST_MAX + 9);
    for ( unsigned int i = 0; i < XT_HOST_MAX + 10; i++ )
        add(&h, (struct xt_meta){
            .event = TRC_META_VCPU_BUDGET,
            .vcpu_budget = { .dom = i >> 16, .vcpu = i & 0xffff },
        });
    ck_assert(h.is_full);
    xt_host_finish(&h);
    ck_assert_uint_eq(h.nr, XT_HOST_MAX);
    ck_assert_uint_le(h.room, XT_HOST_MAX);
    xt_host_fini(&h);
}
END_TEST

START_TEST(no_memory)
{
    struct xt_host h = { .nr = 0 };
    struct xt_meta m = { .event = TRC_META_DOMAIN };

    fault_arm(FAULT_ALLOC, 1);
    ck_assert_int_eq(xt_host_add(&h, &m), -ENOMEM);
    fault_disarm();
    xt_host_finish(&h);
    xt_host_fini(&h);
}
END_TEST

START_TEST(types)
{
    static const struct
    {
        uint32_t flags;
        const char *type;
    } all[] = {
        { 0, "PV" }, { 1, "HVM" }, { 1 | 4, "PVH" }, { 4, "PVH" },
        { 1 | 1024, "HVM or PVH" }, { 8 | 16, "PV" },
    };

    for ( size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++ )
    {
        struct xt_rec_meta_domain d = { .flags = all[i].flags };

        ck_assert_str_eq(xt_host_domain_type(&d), all[i].type);
    }
    ck_assert_str_eq(xt_scheduler_name(6), "credit2");
    ck_assert_str_eq(xt_scheduler_name(9), "null");
    ck_assert_ptr_null(xt_scheduler_name(0));
    ck_assert_ptr_null(xt_scheduler_name(10));
}
END_TEST

START_TEST(uuid)
{
    struct xt_rec_meta_domain_uuid u = {
        .id0 = 0x33221100, .id1 = 0x77665544, .id2 = 0xbbaa9988,
        .id3 = 0xffeeddcc,
    };
    char text[XT_UUID_TEXT];

    xt_uuid_format(&u, text);
    ck_assert_str_eq(text, "00112233-4455-6677-8899-aabbccddeeff");
}
END_TEST

UNIT_MAIN("host", nothing, reused_id, affinity, long_affinity, topology,
          interrupts, broken_text, absurd, random_records, limit, no_memory,
          types, uuid)
