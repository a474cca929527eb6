/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Each record is in a window of pcpu 0 of its own: 12 more bytes, and no
 * buffer. A window without a seal is valid, and readers that do not know
 * metadata skip the records.
 */
#include "xensim/file-metadata.h"

#include "xensim/runtime/runtime.h"

#include <errno.h>
#include <string.h>

#include <public/trace.h>

/* 2026-01-01T00:00:00Z, where the wall clock begins by default */
#define FIRST_DATE (1767225600 * UINT64_C(1000000000))

/* Values of events/11-meta. */
#define TEXT_HOST 7u
#define SOURCE_HYPERVISOR 2u
#define HARDWARE_VMX 1u
#define HARDWARE_SVM 2u
#define DOMAIN_HVM 1u
#define DOMAIN_PVH (1u << 2)
#define DOMAIN_CONTROL (1u << 4)
#define CPU_ONLINE 1u
#define CPU_TRACED 2u
#define AFFINITY_ANY 2u
#define ALL_VCPUS 0xffffu
#define UNKNOWN UINT32_MAX
#define PART_BYTES 24u
#define CPUS_PER_RECORD 160u

static void write_record(uint32_t event, const uint32_t *words,
                         unsigned int nr, FILE *out)
{
    const uint32_t header[] = {
        TRC_TRACE_CPU_CHANGE | 2u << TRACE_EXTRA_SHIFT, 0,
        (1 + nr) * sizeof(*words), event | nr << TRACE_EXTRA_SHIFT,
    };

    ASSERT(nr && nr <= TRACE_EXTRA_MAX);
    fwrite(header, sizeof(header), 1, out);
    fwrite(words, sizeof(*words), nr, out);
}

#define WRITE_RECORD(event_, out_, ...) \
    do { \
        const uint32_t words_[] = { __VA_ARGS__ }; \
        \
        write_record(event_, words_, ARRAY_SIZE(words_), out_); \
    } while ( 0 )

#define LOW(n) ((uint32_t)(n))
#define HIGH(n) ((uint32_t)((uint64_t)(n) >> 32))

/* `id`: kind of text, or domain. */
static void write_text(uint32_t event, uint16_t id, const char *text,
                       FILE *out)
{
    size_t length = strlen(text);
    uint32_t parts = (length + PART_BYTES - 1) / PART_BYTES;

    for ( uint32_t i = 0; i < parts; i++ )
    {
        uint32_t words[1 + PART_BYTES / sizeof(uint32_t)] = {
            id | i << 16 | parts << 24,
        };
        size_t at = i * PART_BYTES, left = length - at;

        memcpy(words + 1, text + at, left < PART_BYTES ? left : PART_BYTES);
        write_record(event, words, ARRAY_SIZE(words), out);
    }
}

/* ---- the machine ------------------------------------------------------ */

uint64_t file_metadata_date(const struct options *o)
{
    return FIRST_DATE + o->wall_clock;
}

/* Both clocks of dom0 start with the simulation, when the TSC is `tsc`. */
static void write_clock(const struct options *o, uint64_t tsc, FILE *out)
{
    uint64_t date = file_metadata_date(o);

    WRITE_RECORD(TRC_META_CLOCK, out, LOW(tsc), HIGH(tsc), 0, 0, LOW(date),
                 HIGH(date), 0);
}

/* Each pcpu is a core; a socket is a node, and has a run queue of credit2. */
static void write_topology(const struct xensim_guest *guest, unsigned int cpus,
                           FILE *out)
{
    ASSERT(guest->socket_cpus);
    for ( uint32_t cpu = 0; cpu < cpus; cpu++ )
        WRITE_RECORD(TRC_META_CPU, out, cpu, cpu, cpu / guest->socket_cpus,
                     cpu / guest->socket_cpus, 0, CPU_ONLINE | CPU_TRACED);
    WRITE_RECORD(TRC_META_POOL, out, 0, guest->scheduler, cpus, 1);
    WRITE_RECORD(TRC_META_POOL_TIMES, out, 0, UNKNOWN, guest->ratelimit,
                 UNKNOWN);
}

/* FNV-1a. */
static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    for ( unsigned int i = 0; i < 64; i += 8 )
        hash = (hash ^ (number >> i & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for ( const char *c = text; *c; c++ )
        hash = hash_number(hash, (unsigned char)*c);
    return hash;
}

static uint64_t hash_domain(uint64_t hash, const struct dom_config *d)
{
    const uint64_t numbers[] = {
        d->copies, d->kind, d->vcpus, d->period, d->duty, d->weight, d->cap,
        d->start, d->stagger, d->end, d->nr_loads,
    };

    hash = hash_text(hash, d->name);
    for ( size_t i = 0; i < ARRAY_SIZE(numbers); i++ )
        hash = hash_number(hash, numbers[i]);
    for ( unsigned int i = 0; i < d->nr_loads; i++ )
        hash = hash_number(hash, d->loads[i]);
    if ( d->spins || d->apic_timer )
        hash = hash_number(hash, 2 * d->spins + d->apic_timer);
    return hash;
}

/*
 * The boot id is a hash of the options that change the simulation, so that
 * different runs differ, and the same run has the same bytes again.
 */
static uint64_t hash_options(const struct options *o, uint64_t hash)
{
    const uint64_t numbers[] = {
        o->cpus, o->online, o->memory, o->scatter, o->park, o->vendor,
        o->layout, o->nested, o->cstates, o->cstate_exit, o->scheduler,
        o->runq_cpus, o->ratelimit, o->domains, o->vcpus, o->dom0_vcpus,
        o->kind, o->load, o->nr_dom_configs, o->rate, o->interrupts, o->nmis,
        o->storm, o->hotplug, o->skew, o->drift, o->jump, o->seed,
    };

    for ( size_t i = 0; i < ARRAY_SIZE(numbers); i++ )
        hash = hash_number(hash, numbers[i]);
    /* Runs without these have the boot ids of earlier versions. */
    if ( o->interrupt_cpus )
        hash = hash_number(hash, o->interrupt_cpus);
    if ( o->timer_slack )
        hash = hash_number(hash, o->timer_slack);
    if ( !o->tickle_idle )
        hash = hash_number(hash, 1);
    if ( o->wall_clock )
        hash = hash_number(hash, o->wall_clock);
    if ( strcmp(o->host_name, HOST_NAME) )
        hash = hash_text(hash, o->host_name);
    if ( o->stall )
        hash = hash_number(hash_number(hash, o->stall), o->stall_for);
    if ( o->programs )
        hash = hash_number(hash, 1);
    for ( unsigned int i = 0; i < o->nr_dom_configs; i++ )
        hash = hash_domain(hash, &o->dom_configs[i]);
    return hash;
}

void file_metadata_boot_id(const struct options *o, unsigned char id[16])
{
    uint64_t low = hash_options(o, UINT64_C(0xcbf29ce484222325));
    uint64_t high = hash_options(o, low);

    memcpy(id, &low, sizeof(low));
    memcpy(id + sizeof(low), &high, sizeof(high));
}

static void write_boot_id(const struct options *o, FILE *out)
{
    uint32_t id[4];

    file_metadata_boot_id(o, (unsigned char *)id);
    WRITE_RECORD(TRC_META_BOOT_ID, out, id[0], id[1], id[2], id[3]);
}

/* Lines of /proc/interrupts: network cards and disks in turn. */
static void write_interrupts(const struct xensim_guest *guest, FILE *out)
{
    static const char *const devices[] = { "eth", "nvme" };
    char text[64];

    ASSERT(guest->first_irq + guest->nr_irqs <= UINT16_MAX);
    for ( unsigned int i = 0; i < guest->nr_irqs; i++ )
    {
        snprintf(text, sizeof(text), "xen-pirq -ioapic-level %s%u",
                 devices[i % ARRAY_SIZE(devices)],
                 i / (unsigned int)ARRAY_SIZE(devices));
        write_text(TRC_META_IRQ_NAME, guest->first_irq + i, text, out);
    }
}

static void write_machine(const struct options *o, uint64_t first, FILE *out)
{
    uint64_t hz = UINT64_C(1000) * xensim_cpu_khz(), bytes = o->memory;
    const struct xensim_guest *guest = xensim_guest();

    write_boot_id(o, out);
    WRITE_RECORD(TRC_META_TSC, out, LOW(hz), HIGH(hz), SOURCE_HYPERVISOR, 0);
    write_clock(o, first, out);
    WRITE_RECORD(TRC_META_XEN, out, 4 | guest->minor << 16,
                 o->vendor == SIM_AMD ? HARDWARE_SVM : HARDWARE_VMX, o->cpus,
                 LOW(bytes), HIGH(bytes));
    write_text(TRC_META_TEXT, TEXT_HOST, o->host_name, out);
    write_topology(guest, o->cpus, out);
    write_interrupts(guest, out);
}

/* ---- domains ---------------------------------------------------------- */

static uint32_t mask_word(const struct xensim_domain *d, uint32_t first)
{
    uint32_t word = 0;

    for ( uint32_t i = 0; i < 32; i++ )
        if ( first + i >= d->first_cpu && first + i <= d->last_cpu )
            word |= 1u << i;
    return word;
}

/* A mask is written from pcpu 0 on, so that a reader knows where it begins. */
static void write_mask(const struct xensim_domain *d, uint32_t vcpu, FILE *out)
{
    ASSERT(d->last_cpu < NR_CPUS);
    for ( uint32_t first = 0; first <= d->last_cpu; first += CPUS_PER_RECORD )
        WRITE_RECORD(TRC_META_AFFINITY, out, vcpu | (uint32_t)d->id << 16,
                     first << 16, mask_word(d, first),
                     mask_word(d, first + 32), mask_word(d, first + 64),
                     mask_word(d, first + 96), mask_word(d, first + 128));
}

static bool has_new_affinity(const struct xensim_domain *old,
                             const struct xensim_domain *d)
{
    return !old->vcpus || old->first_cpu != d->first_cpu ||
           old->last_cpu != d->last_cpu;
}

/* The vcpus of a domain are pinned alike. */
static void write_affinity(const struct xensim_domain *d, FILE *out)
{
    if ( d->first_cpu > d->last_cpu )
        WRITE_RECORD(TRC_META_AFFINITY, out,
                     ALL_VCPUS | (uint32_t)d->id << 16, AFFINITY_ANY, 0, 0, 0,
                     0, 0);
    else
        write_mask(d, ALL_VCPUS, out);
}

static void write_new_domain(const struct xensim_domain *d, FILE *out)
{
    static const uint32_t flags[] = {
        [XENSIM_PV] = 0, [XENSIM_HVM] = DOMAIN_HVM,
        [XENSIM_PVH] = DOMAIN_HVM | DOMAIN_PVH,
    };
    uint32_t uuid[4];

    ASSERT(d->kind < ARRAY_SIZE(flags));
    _Static_assert(sizeof(uuid) == sizeof(d->uuid), "a UUID");
    memcpy(uuid, d->uuid, sizeof(uuid));
    WRITE_RECORD(TRC_META_DOMAIN, out, d->id | (uint32_t)d->vcpus << 16,
                 flags[d->kind] | (d->id ? 0 : DOMAIN_CONTROL), 0, 0, 0);
    WRITE_RECORD(TRC_META_DOMAIN_UUID, out, d->id, uuid[0], uuid[1], uuid[2],
                 uuid[3]);
}

static void write_domain(const struct xensim_domain *old,
                         const struct xensim_domain *d, FILE *out)
{
    if ( !old->vcpus )
        write_new_domain(d, out);
    if ( strcmp(old->name, d->name) )
        write_text(TRC_META_DOMAIN_NAME, d->id, d->name, out);
    if ( old->weight != d->weight )
        WRITE_RECORD(TRC_META_DOMAIN_WEIGHT, out, d->id,
                     xensim_guest()->scheduler, d->weight, 0);
    if ( has_new_affinity(old, d) )
        write_affinity(d, out);
}

int file_metadata_update(struct file_metadata *m, FILE *out)
{
    size_t nr = xensim_list_domains(m->now, ARRAY_SIZE(m->now));

    errno = 0;
    for ( size_t i = 0; i < nr; i++ )
    {
        struct xensim_domain *old = &m->written[m->now[i].id];

        ASSERT(m->now[i].id < ARRAY_SIZE(m->written));
        write_domain(old, &m->now[i], out);
        *old = m->now[i];
    }
    return ferror(out) ? (errno ? -errno : -EIO) : 0;
}

int file_metadata_begin(struct file_metadata *m, const struct options *o,
                        uint64_t first, FILE *out)
{
    memset(m, 0, sizeof(*m));
    write_machine(o, first, out);
    return file_metadata_update(m, out);
}
