/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queries to Xen, each of which becomes one record.
 */
#include "xentrace/xen-describe.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xen/xen.h>
#include <xen/version.h>

#include "common/fault.h"
#include "xentrace/cycle-counter.h"
#include "xentrace/metadata.h"
#include "xentrace/xen-scheduler.h"

/*
 * Values of text_kind, hardware, runstate, cpu_flags and domain_flags of
 * events/11-meta.
 */
enum { TEXT_CHANGESET = 2, TEXT_COMPILER, TEXT_BUILD_DATE, TEXT_COMMAND_LINE,
       TEXT_CAPABILITIES };
enum { HARDWARE_NONE, HARDWARE_VMX, HARDWARE_SVM, HARDWARE_ARM };
enum { STATE_RUNNING, STATE_RUNNABLE, STATE_BLOCKED, STATE_OFFLINE };
#define CPU_ONLINE 1u
#define DOMAIN_HVM (1u << 0)
#define DOMAIN_PVH (1u << 2)
#define DOMAIN_CONTROL (1u << 4)
#define DOMAIN_HVM_OR_PVH (1u << 10)

/*
 * XEN_X86_EMU_*: ACPI PM timer, RTC, PIC, VGA, PIT.  Each HVM domain has some
 * of these devices, and a PVH domain none.
 */
#define EMULATED_DEVICES (1u << 2 | 1u << 3 | 1u << 5 | 1u << 6 | 1u << 8)

/* Bit numbers: XEN_DOMINF_* of public/domctl.h, and domain_flags. */
static const struct
{
    uint8_t xen;
    uint8_t meta;
} flag_bits[] = {
    { 0, 7 },   /* dying */
    { 1, 0 },   /* hvm */
    { 2, 8 },   /* shut down */
    { 3, 6 },   /* paused */
    { 7, 5 },   /* xenstore */
    { 8, 1 },   /* hap */
};

struct description
{
    struct xen_call *xen;
    hv_record_fn *put;
    void *arg;
};

/* --- Xen ------------------------------------------------------------------ */

static void put_meta_text(const struct description *t, uint16_t kind,
                          const char *text)
{
    metadata_put_text(t->put, t->arg, TRC_META_TEXT, kind, text);
}

/* Intel or AMD, by the vendor string of CPUID: Xen does not return it. */
static uint32_t detect_hardware(const char *capabilities)
{
#if defined(__x86_64__)
    unsigned int a = 0, b, c, d;

    if ( !strstr(capabilities, "hvm-") )
        return HARDWARE_NONE;
    __asm__ ( "cpuid" : "+a" (a), "=b" (b), "=c" (c), "=d" (d) );
    /* ecx of "GenuineIntel" */
    return c == 0x6c65746e ? HARDWARE_VMX : HARDWARE_SVM;
#else
    (void)capabilities;
    return HARDWARE_ARM;
#endif
}

static void put_version(const struct description *t, unsigned int nr_cpus)
{
    char text[sizeof(xen_capabilities_info_t)];
    struct xen_compile_info build;
    uint32_t version = xen_call_version(t->xen);
    struct xt_meta m = {
        .event = TRC_META_XEN,
        .xen = { .major = version >> 16, .minor = version & 0xffff,
                 .cpus = nr_cpus },
    };

    xen_call_text(t->xen, XENVER_capabilities, text, sizeof(text));
    m.xen.hardware = detect_hardware(text);
    t->put(t->arg, &m);
    put_meta_text(t, TEXT_CAPABILITIES, text);
    xen_call_text(t->xen, XENVER_changeset, text,
                  sizeof(xen_changeset_info_t));
    put_meta_text(t, TEXT_CHANGESET, text);
    xen_call_text(t->xen, XENVER_commandline, text, sizeof(xen_commandline_t));
    put_meta_text(t, TEXT_COMMAND_LINE, text);
    xen_call_text(t->xen, XENVER_compile_info, (char *)&build, sizeof(build));
    build.compiler[sizeof(build.compiler) - 1] = 0;
    put_meta_text(t, TEXT_COMPILER, build.compiler);
    put_meta_text(t, TEXT_BUILD_DATE, build.compile_date);
}

/* `pool_of`: the pool of each pcpu. */
static void put_cpus(const struct description *t, unsigned int nr,
                     const int32_t *pool_of)
{
    struct xen_call_cpu *cpu = fault_calloc(nr, sizeof(*cpu));
    int nr_known = cpu ? xen_call_cpus(t->xen, cpu, nr) : 0;

    assert(nr_known <= (int)nr);
    for ( int i = 0; i < nr_known; i++ )
    {
        struct xt_meta m = {
            .event = TRC_META_CPU,
            .cpu = { .cpu = i, .core = cpu[i].core, .socket = cpu[i].socket,
                     .node = cpu[i].node, .pool = pool_of[i] },
        };

        if ( cpu[i].core != XEN_CALL_NOWHERE )
            m.cpu.flags = CPU_ONLINE;
        t->put(t->arg, &m);
    }
    free(cpu);
}

static void put_pools_and_cpus(const struct description *t, unsigned int nr)
{
    int32_t *pool_of = fault_malloc(nr * sizeof(*pool_of));

    if ( !pool_of )
        return;
    for ( unsigned int i = 0; i < nr; i++ )
        pool_of[i] = -1;
    xen_scheduler_put_pools(t->xen, pool_of, nr, t->put, t->arg);
    put_cpus(t, nr, pool_of);
    free(pool_of);
}

/* --- domains -------------------------------------------------------------- */

/* The kind of an HVM domain. */
static uint32_t find_type(const struct xen_call_domain *d)
{
#if defined(__x86_64__)
    if ( !d->has_devices )
        return DOMAIN_HVM_OR_PVH;
    return d->devices & EMULATED_DEVICES ? 0 : DOMAIN_PVH;
#else
    (void)d;
    return DOMAIN_PVH;  /* Arm has no other domains */
#endif
}

static uint32_t convert_flags(const struct xen_call_domain *d)
{
    uint32_t flags = d->id ? 0 : DOMAIN_CONTROL;

    for ( size_t i = 0; i < sizeof(flag_bits) / sizeof(*flag_bits); i++ )
        if ( d->flags >> flag_bits[i].xen & 1 )
            flags |= 1u << flag_bits[i].meta;
    return flags & DOMAIN_HVM ? flags | find_type(d) : flags;
}

void xen_describe_domains(struct xen_call *c, hv_record_fn *put, void *arg)
{
    struct xen_call_domain d;

    for ( unsigned int from = 0; from < DOMID_FIRST_RESERVED; from = d.id + 1 )
    {
        struct xt_meta m = { .event = TRC_META_DOMAIN };

        if ( xen_call_domain(c, from, &d) || d.id < from )
            break;
        m.domain.dom = d.id;
        m.domain.vcpus = d.vcpus;
        m.domain.flags = convert_flags(&d);
        m.domain.memory = d.pages * HV_PAGE_SIZE;
        m.domain.pool = d.pool;
        put(arg, &m);
    }
}

#define DOMCTL_GETVCPUINFO 14u

struct vcpu_info_op
{
    uint32_t vcpu;
    uint8_t online, blocked, running;   /* out, as all below */
    uint64_t ran;               /* ns */
    uint32_t cpu;
};

static uint32_t find_state(const struct vcpu_info_op *op)
{
    if ( !op->online )
        return STATE_OFFLINE;
    if ( op->running )
        return STATE_RUNNING;
    return op->blocked ? STATE_BLOCKED : STATE_RUNNABLE;
}

/* The state of each vcpu now, and its pcpu. */
static void put_vcpus(struct xen_call *c, const struct xen_call_domain *d,
                      hv_record_fn *put, void *arg)
{
    assert(d->id < DOMID_FIRST_RESERVED);
    for ( uint32_t id = 0; id < d->vcpu_ids; id++ )
    {
        struct vcpu_info_op op = { .vcpu = id };
        struct xt_meta m = { .event = TRC_META_VCPU };
        int rc = xen_call_domctl(c, DOMCTL_GETVCPUINFO, d->id, &op,
                                 sizeof(op));

        if ( rc == -ESRCH || rc == -EINVAL )
            continue;           /* no such vcpu */
        if ( rc )
            return;
        m.vcpu.vcpu = id;
        m.vcpu.dom = d->id;
        m.vcpu.cpu = op.cpu;
        m.vcpu.state = find_state(&op);
        m.vcpu.ran = op.ran;
        m.vcpu.tsc = cycle_counter_read();
        put(arg, &m);
    }
}

void xen_describe_domain(struct xen_call *c, unsigned int id,
                         hv_record_fn *put, void *arg)
{
    struct xt_meta m = { .event = TRC_META_DOMAIN_UUID };
    struct xen_call_domain d;
    struct hv_info info;

    if ( xen_call_domain(c, id, &d) || d.id != id )
        return;
    m.domain_uuid.dom = id;
    memcpy((char *)&m + offsetof(struct xt_meta, domain_uuid.id0), d.uuid,
           sizeof(d.uuid));
    put(arg, &m);
    put_vcpus(c, &d, put, arg);
    if ( !xen_call_info(c, &info) && info.nr_cpus &&
         info.nr_cpus <= XT_MAX_CPUS )
        xen_scheduler_put_domain(c, &d, info.nr_cpus, put, arg);
}

void xen_describe_machine(struct xen_call *c, hv_record_fn *put, void *arg)
{
    const struct description t = { .xen = c, .put = put, .arg = arg };
    struct hv_info info;

    if ( xen_call_info(c, &info) || info.nr_cpus > XT_MAX_CPUS )
        return;
    put_version(&t, info.nr_cpus);
    put_pools_and_cpus(&t, info.nr_cpus);
}
