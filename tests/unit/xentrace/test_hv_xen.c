/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The back end for the real Xen, against the many kinds of Xen that fake_xen.c
 * simulates: sysctls have the layout of <xen/sysctl.h>, and each refusal
 * becomes a message.  tests/vm tests the real Xen.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xen/io/xs_wire.h>
#include <xen/sysctl.h>

#include "common/fault.h"
#include "xentrace/domains.h"
#include "xentrace/hv-xen.h"
#include "xentrace/hypervisor.h"
#include "xentrace/interrupt-names.h"
#include "xentrace/xen-names.h"

#include "tests/unit/libxentrace/unit.h"
#include "tests/unit/xentrace/fake_xen.h"

#define KNOWN_VERSIONS 5u

static const struct hv_address nowhere;

static void reset_fake(void)
{
    *fake_xen() = (struct fake_xen){ .version = 0x15, .max_cpu_id = 5 };
}

static struct hv *open_it(void)
{
    struct err e = ERR_INIT;
    struct hv *hv;

    ck_assert_int_eq(hv_xen()->open(&hv, &nowhere, &e), 0);
    ck_assert_int_eq(e.code, 0);
    return hv;
}

/* open() fails, `word` is in the message, and no handle stays open. */
static void check_refusal(int code, const char *word)
{
    struct err e = ERR_INIT;
    struct hv *hv;

    ck_assert_int_eq(hv_xen()->open(&hv, &nowhere, &e), code);
    ck_assert_int_eq(e.code, code);
    ck_assert_msg(strstr(e.text, word) != NULL, "the message is %s", e.text);
    ck_assert_int_eq(fake_xen()->open, 0);
}

/* --- open and close ------------------------------------------------------- */

START_TEST(every_version)
{
    unsigned int found = 0;

    for ( uint32_t version = 0; version < 0x40; version++ )
    {
        struct hv_info info;
        struct err e = ERR_INIT;
        struct hv *hv;

        reset_fake();
        fake_xen()->version = version;
        if ( hv_xen()->open(&hv, &nowhere, &e) )
        {
            ck_assert_int_eq(e.code, -EACCES);
            ck_assert_ptr_nonnull(strstr(e.text, "0x12 to 0x16"));
            ck_assert_uint_eq(fake_xen()->sysctls, KNOWN_VERSIONS);
            continue;
        }
        found++;
        ck_assert_int_eq(hv->type->info(hv, &info, &e), 0);
        ck_assert_uint_eq(info.nr_cpus, 6);
        ck_assert_uint_eq(info.nr_online, 3);
        ck_assert_uint_eq(info.tsc_khz, 2100000);
        ck_assert_str_eq(info.version, "4.17.5-fake");
        hv_close(hv);
        ck_assert_int_eq(fake_xen()->open, 0);
    }
    ck_assert_uint_eq(found, KNOWN_VERSIONS);
}
END_TEST

/* Xen's answer is the last id, and may be anything. */
START_TEST(numbers_of_pcpus)
{
    static const struct { unsigned int last; int code; } rows[] = {
        { 0, 0 }, { XT_MAX_CPUS - 1, 0 },
        { XT_MAX_CPUS, -EPROTO }, { UINT32_MAX - 1, -EPROTO },
        { UINT32_MAX, -EPROTO },
    };

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        struct err e = ERR_INIT;
        struct hv_info info;
        struct hv *hv;

        reset_fake();
        hv = open_it();
        fake_xen()->max_cpu_id = rows[i].last;
        ck_assert_int_eq(hv_query(hv, &info, &e), rows[i].code);
        if ( rows[i].code )
            ck_assert_ptr_nonnull(strstr(e.text, "there can be 1 to 16384"));
        else
            ck_assert_uint_eq(info.nr_cpus, rows[i].last + 1);
        hv_close(hv);
    }
}
END_TEST

START_TEST(refusals)
{
    reset_fake();
    fake_xen()->open_errno = EACCES;
    check_refusal(-EACCES, "root");
    fake_xen()->open_errno = ENOENT;
    check_refusal(-ENODEV, "privcmd");
    fake_xen()->open_errno = EMFILE;
    check_refusal(-EMFILE, "cannot reach Xen");
    reset_fake();
    fake_xen()->sysctl_errno = EPERM;
    check_refusal(-EPERM, "not privileged");
    fake_xen()->sysctl_errno = EFAULT;
    check_refusal(-EFAULT, "cannot query Xen:");
    reset_fake();
    fake_xen()->tbuf_errno = ENOSYS;
    check_refusal(-ENOSYS, "CONFIG_TRACEBUFFER");
    fake_xen()->tbuf_errno = EPERM;
    check_refusal(-EPERM, "XSM");
}
END_TEST

static void fault_loop(enum fault_kind kind, int code)
{
    bool fired;
    uint64_t n = 0;

    do
    {
        uint64_t mfn = 1;
        struct err e = ERR_INIT;
        struct hv *hv = NULL;
        void *at;
        int rc, fd;

        reset_fake();
        fake_xen()->event_fd = STDERR_FILENO;
        fault_arm(kind, ++n);
        rc = hv_xen()->open(&hv, &nowhere, &e);
        if ( !rc )
            rc = hv->type->bind_virq(hv, &fd, &e);
        if ( !rc )
            rc = hv->type->map(hv, &mfn, 1, true, &at, &e);
        if ( !rc )
            hv->type->unmap(hv, at);
        fired = fault_fired(kind);
        fault_disarm();
        ck_assert_int_eq(rc, fired ? code : 0);
        hv_close(hv);
        ck_assert_int_eq(fake_xen()->open, 0);
    }
    while ( fired );
    ck_assert_uint_ge(n, 2);
}

START_TEST(faults)
{
    fault_loop(FAULT_ALLOC, -ENOMEM);
    fault_loop(FAULT_OPEN, -EMFILE);
    fault_loop(FAULT_MMAP, -ENOMEM);
}
END_TEST

/* --- queries -------------------------------------------------------------- */

START_TEST(control)
{
    struct hv_tbuf info = { .cmd = HV_TBUF_GET_INFO };
    struct hv_tbuf size = { .cmd = HV_TBUF_SET_SIZE, .size = 17 };
    struct hv_tbuf mask = { .cmd = HV_TBUF_SET_EVT_MASK, .evt_mask = 0x2f000 };
    struct err e = ERR_INIT;
    struct hv *hv;

    reset_fake();
    hv = open_it();
    ck_assert_int_eq(hv->type->tbuf(hv, &info, &e), 0);
    ck_assert_uint_eq(info.mfn, 0x123456789a);
    ck_assert_uint_eq(info.size, 4096);
    ck_assert_uint_eq(info.evt_mask, 0x0ffff000);

    ck_assert_int_eq(hv->type->tbuf(hv, &size, &e), 0);
    ck_assert_uint_eq(fake_xen()->tbuf.cmd, XEN_SYSCTL_TBUFOP_set_size);
    ck_assert_uint_eq(fake_xen()->tbuf.size, 17);
    ck_assert_int_eq(hv->type->tbuf(hv, &mask, &e), 0);
    ck_assert_uint_eq(fake_xen()->tbuf.cmd, XEN_SYSCTL_TBUFOP_set_evt_mask);
    ck_assert_uint_eq(fake_xen()->tbuf.evt_mask, 0x2f000);

    /* The caller describes the refusals of Xen. */
    fake_xen()->tbuf_errno = EINVAL;
    size.size = 18;
    ck_assert_int_eq(hv->type->tbuf(hv, &size, &e), -EINVAL);
    ck_assert_uint_eq(size.size, 18);
    ck_assert_int_eq(e.code, 0);
    hv_close(hv);
}
END_TEST

START_TEST(bits)
{
    static const unsigned char mask[] = { 0x81, 0x03 };
    struct hv_tbuf in = {
        .cmd = HV_TBUF_SET_CPU_MASK, .in = mask, .nr_bits = 10,
    };
    struct err e = ERR_INIT;
    struct hv *hv;
    int open;

    reset_fake();
    hv = open_it();
    open = fake_xen()->open;
    ck_assert_int_eq(hv->type->tbuf(hv, &in, &e), 0);
    ck_assert_uint_eq(fake_xen()->tbuf.cpu_mask.nr_bits, 10);
    ck_assert_int_eq(memcmp(fake_xen()->bits, mask, sizeof(mask)), 0);
    ck_assert_int_eq(fake_xen()->open, open);
    hv_close(hv);
}
END_TEST

START_TEST(state)
{
    struct hv_tbuf_cpu cpus[3] = { { .flags = 0 } };
    struct hv_tbuf out = {
        .cmd = XEN_SYSCTL_TBUFOP_state, .out = cpus,
        .nr_bits = 8 * sizeof(cpus),
    };
    struct err e = ERR_INIT;
    struct hv *hv;
    int open;

    reset_fake();
    fake_xen()->cpus[1] = (struct xen_tbuf_cpu){
        .flags = XEN_TBUF_CPU_ONLINE, .lost = 1ull << 40,
    };
    hv = open_it();
    open = fake_xen()->open;
    ck_assert_int_eq(hv->type->tbuf(hv, &out, &e), 0);
    ck_assert_uint_eq(fake_xen()->state.version, XEN_TBUF_STATE_VERSION);
    ck_assert_uint_eq(fake_xen()->state.nr_cpus, 3);
    ck_assert_uint_eq(out.nr_cpus, 2);
    ck_assert_uint_eq(out.flags, XEN_TBUF_OVERWRITE);
    ck_assert_uint_eq(out.evt_mask, 0x2f000);
    ck_assert_uint_eq(out.size, 7);
    ck_assert_uint_eq(cpus[1].flags, XEN_TBUF_CPU_ONLINE);
    ck_assert_uint_eq(cpus[1].lost, 1ull << 40);

    /* Xen does not know the operation: no value is returned. */
    fake_xen()->tbuf_errno = EINVAL;
    memset(cpus, 0, sizeof(cpus));
    ck_assert_int_eq(hv->type->tbuf(hv, &out, &e), -EINVAL);
    ck_assert_uint_eq(cpus[1].flags, 0);
    fault_arm(FAULT_ALLOC, 1);
    ck_assert_int_eq(hv->type->tbuf(hv, &out, &e), -ENOMEM);
    fault_disarm();
    ck_assert_int_eq(fake_xen()->open, open);
    hv_close(hv);
}
END_TEST

/* --- description of the machine ------------------------------------------- */

#define MAX_RECORDS 64u

struct record_list
{
    struct xt_meta m[MAX_RECORDS];
    unsigned int nr;
};

static void add_record(void *to, const struct xt_meta *m)
{
    struct record_list *list = to;

    if ( m->event == TRC_META_IRQ_NAME )
        return; /* these depend on the machine of the test */
    ck_assert_uint_lt(list->nr, MAX_RECORDS);
    list->m[list->nr++] = *m;
}

/* The number of records of this event. */
static unsigned int count_records(const struct record_list *list,
                                  uint32_t event)
{
    unsigned int nr = 0;

    for ( unsigned int i = 0; i < list->nr; i++ )
        nr += list->m[i].event == event;
    return nr;
}

/* The nth record of this event. */
static const struct xt_meta *find_nth(const struct record_list *list,
                                      uint32_t event, unsigned int n)
{
    for ( unsigned int i = 0; i < list->nr; i++ )
        if ( list->m[i].event == event && !n-- )
            return &list->m[i];
    ck_abort_msg("no such record");
    return NULL;
}

static void describe_text(struct record_list *list)
{
    struct hv *hv = open_it();
    struct err e = ERR_INIT;
    struct domains domains;

    *list = (struct record_list){ .nr = 0 };
    hv->type->describe(hv, add_record, list);
    ck_assert_int_eq(domains_init(&domains, &e), 0);
    domains_poll(&domains, hv, add_record, list);
    domains_fini(&domains);
    hv_close(hv);
    ck_assert_int_eq(fake_xen()->open, 0);
}

START_TEST(machine)
{
    struct record_list list;

    reset_fake();
    describe_text(&list);
    ck_assert_uint_eq(find_nth(&list, TRC_META_XEN, 0)->xen.major, 4);
    ck_assert_uint_eq(find_nth(&list, TRC_META_XEN, 0)->xen.minor, 17);
    ck_assert_uint_eq(find_nth(&list, TRC_META_XEN, 0)->xen.cpus, 6);
    ck_assert_uint_ne(find_nth(&list, TRC_META_XEN, 0)->xen.hardware, 0);
    /* Two texts have two parts; the build has no date. */
    ck_assert_uint_eq(count_records(&list, TRC_META_TEXT), 2 + 1 + 2 + 1);
    ck_assert_uint_eq(count_records(&list, TRC_META_CPU), 6);
    ck_assert_int_eq(find_nth(&list, TRC_META_CPU, 4)->cpu.core, 2);
    ck_assert_uint_eq(find_nth(&list, TRC_META_CPU, 4)->cpu.flags, 1);
    ck_assert_int_eq(find_nth(&list, TRC_META_CPU, 5)->cpu.core, -1);
    ck_assert_uint_eq(find_nth(&list, TRC_META_CPU, 5)->cpu.flags, 0);
    ck_assert_uint_eq(count_records(&list, TRC_META_DOMAIN), 0);
}
END_TEST

/* Values without memory or without an answer are left out. */
START_TEST(machine_in_parts)
{
    struct record_list all, list;
    struct hv_info info;
    struct err e = ERR_INIT;
    uint64_t n = 0;
    bool fired;
    struct hv *hv;

    reset_fake();
    describe_text(&all);
    do
    {
        reset_fake();
        hv = open_it();
        list = (struct record_list){ .nr = 0 };
        fault_arm(FAULT_ALLOC, ++n);
        hv->type->describe(hv, add_record, &list);
        fired = fault_fired(FAULT_ALLOC);
        fault_disarm();
        hv_close(hv);
        ck_assert_int_eq(fake_xen()->open, 0);
        ck_assert_uint_le(list.nr, all.nr);
        ck_assert_uint_ge(count_records(&list, TRC_META_XEN), 1);
    }
    while ( fired );
    ck_assert_uint_eq(list.nr, all.nr);
    ck_assert_uint_ge(n, 6);

    hv = open_it();
    fake_xen()->sysctl_errno = EPERM;
    list = (struct record_list){ .nr = 0 };
    hv->type->describe(hv, add_record, &list);
    ck_assert_uint_eq(list.nr, 0);
    ck_assert_int_eq(hv->type->info(hv, &info, &e), -EPERM);
    ck_assert_ptr_nonnull(strstr(e.text, "how many pcpus"));
    hv_close(hv);
    ck_assert_int_eq(fake_xen()->open, 0);
}
END_TEST

START_TEST(guests)
{
    static const xen_domctl_getdomaininfo_t domain[] = {
        { .domain = 0, .nr_online_vcpus = 2, .tot_pages = 1000 },
        { .domain = 7, .nr_online_vcpus = 1, .cpupool = 3,
          .flags = XEN_DOMINF_hvm_guest | XEN_DOMINF_hap |
                   XEN_DOMINF_running,
          .arch_config.emulation_flags = XEN_X86_EMU_ALL },
        { .domain = 8, .flags = XEN_DOMINF_hvm_guest, .max_vcpu_id = ~0u,
          .arch_config.emulation_flags = XEN_X86_EMU_LAPIC },
    };
    const struct xt_meta *m;
    struct record_list list;

    reset_fake();
    fake_xen()->domain = domain;
    fake_xen()->domains = 3;
    describe_text(&list);
    ck_assert_uint_eq(count_records(&list, TRC_META_DOMAIN), 3);
    ck_assert_uint_eq(count_records(&list, TRC_META_DOMAIN_NAME), 0);
    m = find_nth(&list, TRC_META_DOMAIN, 0);
    ck_assert_uint_eq(m->domain.dom, 0);
    ck_assert_uint_eq(m->domain.vcpus, 2);
    ck_assert_uint_eq(m->domain.flags, 1 << 4);
    ck_assert_uint_eq(m->domain.memory, 4096000);
    m = find_nth(&list, TRC_META_DOMAIN, 1);
    ck_assert_uint_eq(m->domain.dom, 7);
    ck_assert_uint_eq(m->domain.flags, 3);
    ck_assert_int_eq(m->domain.pool, 3);
    ck_assert_uint_eq(find_nth(&list, TRC_META_DOMAIN, 2)->domain.flags, 1 | 4);
    /* No domctl and no pool is known: there is no value, and no guess. */
    ck_assert_uint_eq(count_records(&list, TRC_META_DOMAIN_WEIGHT), 0);
    ck_assert_uint_eq(count_records(&list, TRC_META_AFFINITY), 0);
    ck_assert_uint_eq(count_records(&list, TRC_META_DOMAIN_UUID), 3);
}
END_TEST

static const xen_domctl_getdomaininfo_t pinned[] = {
    { .domain = 0, .max_vcpu_id = 1, .handle = { 1, 2 } },
    { .domain = 9, .max_vcpu_id = 1, .cpupool = 3, .handle = { [15] = 0xab } },
};

static void describe_pinned(struct record_list *list, uint32_t scheduler,
                            unsigned int affinity_vcpus)
{
    reset_fake();
    fake_xen()->domain = pinned;
    fake_xen()->domains = 2;
    fake_xen()->domctl_version = 0x15;
    fake_xen()->scheduler = scheduler;
    fake_xen()->affinity_vcpus = affinity_vcpus;
    describe_text(list);
}

static const struct xt_rec_meta_affinity *
nth_affinity(const struct record_list *list, unsigned int n)
{
    return &find_nth(list, TRC_META_AFFINITY, n)->affinity;
}

START_TEST(schedulers)
{
    struct record_list list;
    const struct xt_meta *m;

    describe_pinned(&list, XEN_SCHEDULER_CREDIT2, 2);
    ck_assert_uint_eq(count_records(&list, TRC_META_POOL), 2);
    m = find_nth(&list, TRC_META_POOL, 1);
    ck_assert_uint_eq(m->pool.pool, 3);
    ck_assert_uint_eq(m->pool.scheduler, XEN_SCHEDULER_CREDIT2);
    ck_assert_uint_eq(m->pool.cpus, 1);
    m = find_nth(&list, TRC_META_POOL_TIMES, 0);
    ck_assert_uint_eq(m->pool_times.timeslice, UINT32_MAX);
    ck_assert_uint_eq(m->pool_times.ratelimit, 500);
    ck_assert_int_eq(find_nth(&list, TRC_META_CPU, 3)->cpu.pool, 0);
    ck_assert_int_eq(find_nth(&list, TRC_META_CPU, 4)->cpu.pool, 3);
    ck_assert_int_eq(find_nth(&list, TRC_META_CPU, 5)->cpu.pool, -1);
    m = find_nth(&list, TRC_META_DOMAIN_WEIGHT, 1);
    ck_assert_uint_eq(m->domain_weight.dom, 9);
    ck_assert_uint_eq(m->domain_weight.weight, 256 + 9);
    ck_assert_uint_eq(m->domain_weight.cap, 150);
    m = find_nth(&list, TRC_META_DOMAIN_UUID, 0);
    ck_assert_uint_eq(m->domain_uuid.id0, 0x201);
    m = find_nth(&list, TRC_META_DOMAIN_UUID, 1);
    ck_assert_uint_eq(m->domain_uuid.id3, 0xab000000);

    describe_pinned(&list, XEN_SCHEDULER_CREDIT, 2);
    m = find_nth(&list, TRC_META_POOL_TIMES, 0);
    ck_assert_uint_eq(m->pool_times.timeslice, 30000);
    ck_assert_uint_eq(m->pool_times.ratelimit, 1000);
    ck_assert_uint_eq(m->pool_times.migration_delay, 7);

    describe_pinned(&list, XEN_SCHEDULER_NULL, 2);
    ck_assert_uint_eq(count_records(&list, TRC_META_POOL), 2);
    ck_assert_uint_eq(count_records(&list, TRC_META_POOL_TIMES), 0);
    ck_assert_uint_eq(count_records(&list, TRC_META_DOMAIN_WEIGHT), 0);
}
END_TEST

START_TEST(vcpus)
{
    static const xen_domctl_getdomaininfo_t many = { .domain = 7,
                                                     .max_vcpu_id = 5 };
    static const struct { uint16_t vcpu; uint32_t state; } rows[] = {
        { 0, 0 }, { 1, 2 }, { 3, 1 }, { 4, 3 },
    };
    struct record_list list;
    uint64_t before = 0;

    reset_fake();
    fake_xen()->domain = &many;
    fake_xen()->domains = 1;
    fake_xen()->domctl_version = 0x15;
    describe_text(&list);
    ck_assert_uint_eq(count_records(&list, TRC_META_VCPU), 4);
    for ( unsigned int i = 0; i < 4; i++ )
    {
        const struct xt_rec_meta_vcpu *v =
            &find_nth(&list, TRC_META_VCPU, i)->vcpu;

        ck_assert_uint_eq(v->dom, 7);
        ck_assert_uint_eq(v->vcpu, rows[i].vcpu);
        ck_assert_uint_eq(v->state, rows[i].state);
        ck_assert_int_eq(v->cpu, 2 + rows[i].vcpu);
        ck_assert_uint_eq(v->ran, 5000000000u + rows[i].vcpu);
        ck_assert_uint_gt(v->tsc, before);
        before = v->tsc;
    }
}
END_TEST

START_TEST(budgets)
{
    struct record_list list;
    const struct xt_meta *m;

    describe_pinned(&list, XEN_SCHEDULER_RTDS, 2);
    ck_assert_uint_eq(count_records(&list, TRC_META_VCPU_BUDGET), 4);
    m = find_nth(&list, TRC_META_VCPU_BUDGET, 3);
    ck_assert_uint_eq(m->vcpu_budget.dom, 9);
    ck_assert_uint_eq(m->vcpu_budget.vcpu, 1);
    ck_assert_uint_eq(m->vcpu_budget.period, 10000);
    ck_assert_uint_eq(m->vcpu_budget.budget, 4000);
    ck_assert_uint_eq(m->vcpu_budget.extra, 1);
}
END_TEST

START_TEST(pinning)
{
    struct record_list list;

    describe_pinned(&list, XEN_SCHEDULER_CREDIT2, 2);
    ck_assert_uint_eq(count_records(&list, TRC_META_AFFINITY), 2 * 3);
    ck_assert_uint_eq(nth_affinity(&list, 0)->kind, 0);
    ck_assert_uint_eq(nth_affinity(&list, 0)->vcpu, 0);
    ck_assert_uint_eq(nth_affinity(&list, 0)->cpus0, 0x0d);
    ck_assert_uint_eq(nth_affinity(&list, 1)->kind, 1);
    ck_assert_uint_eq(nth_affinity(&list, 1)->cpus0, 0x04);
    ck_assert_uint_eq(nth_affinity(&list, 2)->kind, 2);
    ck_assert_uint_eq(nth_affinity(&list, 2)->vcpu, 0xffff);
    ck_assert_uint_eq(nth_affinity(&list, 5)->dom, 9);

    /* The affinity of vcpu 1 is unknown. */
    describe_pinned(&list, XEN_SCHEDULER_CREDIT2, 1);
    ck_assert_uint_eq(count_records(&list, TRC_META_AFFINITY), 2 * 2);
    ck_assert_uint_eq(nth_affinity(&list, 1)->vcpu, 0);
    describe_pinned(&list, XEN_SCHEDULER_CREDIT2, 0);
    ck_assert_uint_eq(count_records(&list, TRC_META_AFFINITY), 0);
}
END_TEST

/* Each known version of domctls; other versions and refusals cost values. */
START_TEST(domctl_versions)
{
    struct record_list list;

    for ( uint32_t version = 0; version < 0x20; version++ )
    {
        bool known = version >= 0x11 && version <= 0x17;

        reset_fake();
        fake_xen()->domain = pinned;
        fake_xen()->domains = 2;
        fake_xen()->domctl_version = version;
        fake_xen()->scheduler = XEN_SCHEDULER_CREDIT2;
        fake_xen()->affinity_vcpus = 2;
        describe_text(&list);
        ck_assert_uint_eq(count_records(&list, TRC_META_DOMAIN_WEIGHT),
                          known ? 2 : 0);
        ck_assert_uint_eq(count_records(&list, TRC_META_AFFINITY),
                          known ? 6 : 0);
    }
    reset_fake();
    fake_xen()->domain = pinned;
    fake_xen()->domains = 2;
    fake_xen()->domctl_errno = EPERM;
    describe_text(&list);
    ck_assert_uint_eq(count_records(&list, TRC_META_AFFINITY), 0);
    ck_assert_uint_eq(count_records(&list, TRC_META_DOMAIN_UUID), 2);
    /* A refusal for lack of rights is not repeated with other versions. */
    ck_assert_uint_eq(fake_xen()->domctls, 6);
}
END_TEST

/* --- names of interrupts -------------------------------------------------- */

static void add_line(void *text, const struct xt_meta *m)
{
    char *end = (char *)text + strlen(text);

    if ( !m->irq_name.part )
        end += sprintf(end, "|%u:", m->irq_name.irq);
    memcpy(end, (const char *)m + offsetof(struct xt_meta, irq_name.t0),
           XT_META_PART);
    end[XT_META_PART] = '\0';
}

static void check_lines(const char *file, size_t size, const char *want)
{
    char path[] = "test_hv_xen.XXXXXX", text[1000] = "";
    int fd = mkstemp(path);

    ck_assert_int_eq(write(fd, file, size), size);
    close(fd);
    interrupt_names_put(path, add_line, text);
    ck_assert_str_eq(text, want);
    unlink(path);
}

#define CHECK_LINES(file, want) check_lines(file, sizeof(file) - 1, want)

START_TEST(interrupt_lines)
{
    CHECK_LINES("           CPU0       CPU1       \n"
                "  1:          9          0   xen-pirq    -ioapic-edge  i8042\n"
                " 48:      33411          0   xen-percpu    -virq      timer0\n"
                " 61:        511          0   xen-dyn    -event     vif1.0\n"
                "NMI:          0          0   Non-maskable interrupts\n"
                "ERR:          0\n"
                " 70:          1          2   xen-pirq    -msi-x     nvme0q1, "
                "a second name\n",
                "|1:xen-pirq -ioapic-edge i8042|61:xen-dyn -event vif1.0"
                "|70:xen-pirq -msi-x nvme0q1, a second name");
    /* A name that begins with a digit; fewer counts than pcpus. */
    CHECK_LINES("CPU0\n 5: 1 8250\n6: 7\n 7: word\n8:\n", "|5:8250|7:word");
    /* Absurd and cut lines. */
    CHECK_LINES("", "");
    CHECK_LINES("CPU0", "");
    CHECK_LINES("CPU0\n: a\n 65536: 1 a\n99999999999999999999: 1 a\n"
                "-1: 1 a\n0x5: 1 a\n12\n65535: 1 last", "|65535:last");
    CHECK_LINES("CPU0\n1: 1 a\0b\n2: 1 \xff\x1b[m\n",
                "|1:a|2:\xff\x1b[m");
    interrupt_names_put("/nowhere/interrupts", add_line, NULL);
}
END_TEST

static void count_line(void *nr, const struct xt_meta *m)
{
    *(unsigned int *)nr += !m->irq_name.part;
}

/* Lines beyond the limit are left out; a long name is cut. */
START_TEST(many_interrupts)
{
    char path[] = "test_hv_xen.XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");
    unsigned int nr = 0;

    fprintf(f, "CPU0\n");
    for ( unsigned int i = 0; i < INTERRUPT_NAMES_MAX + 10; i++ )
        fprintf(f, "%u: 1 %0500u\n", i, 1);
    fclose(f);
    interrupt_names_put(path, count_line, &nr);
    ck_assert_uint_eq(nr, INTERRUPT_NAMES_MAX);
    unlink(path);
}
END_TEST

/*
 * A xenstored with one kind of answer: 1 a name, 2 an error, 3 too long for a
 * name, 4 half an answer, 5 nothing.
 */
static void answer_names(int listener, int kind)
{
    struct { struct xsd_sockmsg head; char text[512]; } m = {
        .head = { .type = kind == 2 ? XS_ERROR : XS_READ,
                  .len = kind == 3 ? 400 : 7 }, .text = "A guest",
    };
    int fd = accept(listener, NULL, NULL);

    while ( read(fd, &m.text, 512) > 0 && kind < 5 )
    {
        strcpy(m.text, "A guest");
        if ( write(fd, &m, sizeof(m.head) + m.head.len - (kind == 4) ) < 0 )
            break;
    }
    _exit(0);
}

static int names_daemon(const char *path, int kind, pid_t *pid)
{
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd;

    strcpy(a.sun_path, path);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&a, sizeof(a)), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    *pid = fork();
    if ( !*pid )
        answer_names(listener, kind);
    close(listener);
    fd = xen_names_open(path);
    ck_assert_int_ge(fd, 0);
    return fd;
}

START_TEST(names)
{
    char dir[] = "/tmp/test_hv_xen.XXXXXX", path[64], name[XEN_NAMES_MAX];
    pid_t pid;

    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/s", dir);
    ck_assert_int_eq(xen_names_open(path), -1);
    for ( int kind = 1; kind <= 5; kind++ )
    {
        int fd = names_daemon(path, kind, &pid);

        for ( int i = 0; i < 2; i++ )
        {
            ck_assert_int_eq(xen_names_get(&fd, 7, name), kind == 1);
            if ( kind == 1 )
                ck_assert_str_eq(name, "A guest");
            /* After an error the connection is usable, otherwise not. */
            ck_assert(kind <= 2 ? fd >= 0 : fd < 0);
        }
        xen_names_close(fd);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        /* The socket of a server that has ended. */
        ck_assert_int_eq(xen_names_open(path), -1);
        unlink(path);
    }
    rmdir(dir);
}
END_TEST

START_TEST(frames)
{
    uint64_t mfn[FAKE_FRAMES] = { 3, 0x1000000001, 2, 9 };
    struct err e = ERR_INIT;
    struct hv *hv;
    void *at, *first;
    int open;

    reset_fake();
    hv = open_it();
    open = fake_xen()->open;
    ck_assert_int_eq(hv->type->map(hv, mfn, 4, true, &at, &e), 0);
    ck_assert_uint_eq(fake_xen()->owner, DOMID_XEN);
    ck_assert_int_eq(fake_xen()->prot, PROT_READ | PROT_WRITE);
    ck_assert_uint_eq(fake_xen()->frames, 4);
    ck_assert_int_eq(memcmp(fake_xen()->frame, mfn, sizeof(mfn)), 0);
    hv->type->unmap(hv, at);
    ck_assert_uint_eq(fake_xen()->unmapped, 4);

    ck_assert_int_eq(hv->type->map(hv, mfn, 2, false, &at, &e), 0);
    ck_assert_int_eq(fake_xen()->prot, PROT_READ);
    hv->type->unmap(hv, at);
    ck_assert_uint_eq(fake_xen()->unmapped, 2);

    /* Not in the order of the unmaps. */
    ck_assert_int_eq(hv->type->map(hv, mfn, 3, true, &first, &e), 0);
    ck_assert_int_eq(hv->type->map(hv, mfn, 1, true, &at, &e), 0);
    ck_assert_ptr_ne(first, at);
    hv->type->unmap(hv, first);
    ck_assert_uint_eq(fake_xen()->unmapped, 3);
    hv->type->unmap(hv, at);
    ck_assert_uint_eq(fake_xen()->unmapped, 1);

    fake_xen()->map_errno = EPERM;
    ck_assert_int_eq(hv->type->map(hv, mfn, 2, true, &at, &e), -EPERM);
    ck_assert_int_eq(e.code, 0);
    ck_assert_int_eq(fake_xen()->open, open);
    hv_close(hv);
}
END_TEST

/* --- VIRQ ----------------------------------------------------------------- */

START_TEST(virq)
{
    struct err e = ERR_INIT;
    struct hv *hv;
    int fds[2], fd;

    ck_assert_int_eq(pipe(fds), 0);
    reset_fake();
    fake_xen()->event_fd = fds[0];
    hv = open_it();
    ck_assert_int_eq(hv->type->bind_virq(hv, &fd, &e), 0);
    ck_assert_int_eq(fd, fds[0]);
    ck_assert_uint_eq(fake_xen()->virq, VIRQ_TBUF);

    /* No event: the call does not block. */
    ck_assert_int_eq(hv->type->ack_virq(hv, &e), 0);
    ck_assert_uint_eq(fake_xen()->unmasked, 0);
    ck_assert_int_eq(write(fds[1], "\7", 1), 1);
    ck_assert_int_eq(hv->type->ack_virq(hv, &e), 0);
    ck_assert_uint_eq(fake_xen()->unmasked, 7);
    hv_close(hv);
    ck_assert_int_eq(fake_xen()->open, 0);

    reset_fake();
    hv = open_it();
    fake_xen()->bind_errno = EEXIST;
    ck_assert_int_eq(hv->type->bind_virq(hv, &fd, &e), -EEXIST);
    ck_assert_ptr_nonnull(strstr(e.text, "another program"));
    hv_close(hv);
    ck_assert_int_eq(fake_xen()->open, 0);
}
END_TEST

/* Failures of the port, its descriptor, an event, and the unmask. */
START_TEST(virq_that_fails)
{
    struct err e = ERR_INIT;
    struct hv *hv;
    int fds[2], fd;

    ck_assert_int_eq(pipe(fds), 0);
    reset_fake();
    hv = open_it();
    fake_xen()->event_fd = -1;
    ck_assert_int_eq(hv->type->bind_virq(hv, &fd, &e), -EBADF);
    ck_assert_int_eq(hv->type->ack_virq(hv, &e), -EBADF);
    fake_xen()->event_fd = fds[0];
    fake_xen()->unmask_errno = EINVAL;
    e = (struct err)ERR_INIT;
    ck_assert_int_eq(write(fds[1], "\7", 1), 1);
    ck_assert_int_eq(hv->type->ack_virq(hv, &e), -EINVAL);
    ck_assert_ptr_nonnull(strstr(e.text, "VIRQ_TBUF again"));
    hv_close(hv);
    ck_assert_int_eq(fake_xen()->open, 0);

    hv = open_it();
    fake_xen()->bind_errno = EPERM;
    ck_assert_int_eq(hv->type->bind_virq(hv, &fd, &e), -EPERM);
    hv_close(hv);
    ck_assert_int_eq(fake_xen()->open, 0);
    close(fds[0]);
    close(fds[1]);
}
END_TEST

/* --- probe ---------------------------------------------------------------- */

static void make_file(const char *root, const char *name, const char *text)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", root, name);
    f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static void make_folder(const char *root, const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", root, name);
    ck_assert_int_eq(mkdir(path, 0777), 0);
}

static void no_xen(const char *root, const char *word)
{
    struct err e = ERR_INIT;

    ck_assert_int_eq(xen_probe_below(root, &e), -ENODEV);
    ck_assert_msg(strstr(e.text, word) != NULL, "the message is %s", e.text);
}

START_TEST(probe)
{
    static const char *const rubbish[] = {
        "proc/xen/capabilities", "proc/xen", "proc", "dev/xen/privcmd",
        "dev/xen", "dev", ".",
    };
    struct hv_address elsewhere = { .socket = "/s" };
    char root[] = "/tmp/test_hv_xen.XXXXXX", path[128];
    struct err e = ERR_INIT;

    ck_assert_ptr_nonnull(mkdtemp(root));
    no_xen(root, "privcmd");
    make_folder(root, "dev");
    make_folder(root, "dev/xen");
    make_file(root, "dev/xen/privcmd", "");
    ck_assert_int_eq(xen_probe_below(root, &e), 0);
    make_folder(root, "proc");
    make_folder(root, "proc/xen");
    make_file(root, "proc/xen/capabilities", "");
    no_xen(root, "guest");
    make_file(root, "proc/xen/capabilities", "control_d\n");
    ck_assert_int_eq(xen_probe_below(root, &e), 0);
    for ( size_t i = 0; i < sizeof(rubbish) / sizeof(rubbish[0]); i++ )
    {
        snprintf(path, sizeof(path), "%s/%s", root, rubbish[i]);
        remove(path);
    }
    rmdir(root);

    ck_assert_int_eq(hv_xen()->probe(&elsewhere, &e), -ENODEV);
    ck_assert_ptr_nonnull(strstr(e.text, "socket"));
    e = (struct err)ERR_INIT;
    setenv("XENSIM_SOCKET", "/s", 1);
    ck_assert_int_eq(hv_xen()->probe(&nowhere, &e), -ENODEV);
    ck_assert_ptr_nonnull(strstr(e.text, "socket"));
}
END_TEST

UNIT_MAIN("hv-xen", every_version, numbers_of_pcpus, refusals, faults, control,
          bits, state, machine, machine_in_parts, guests, schedulers, vcpus,
          budgets, pinning, domctl_versions, interrupt_lines, many_interrupts,
          names, frames, virq, virq_that_fails, probe)
