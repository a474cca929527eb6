/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Each record is in a window of pcpu 0 of its own: 12 more bytes, and no
 * buffer. A window without a seal is valid, and readers that do not know
 * metadata skip the records.
 */
#include "xensim/file-metadata.h"

#include "xensim/hypercall.h"
#include "xensim/runtime/runtime.h"

#include <errno.h>
#include <string.h>

#include <public/trace.h>

/* 2026-01-01T00:00:00Z, the date of the first time stamp */
#define FIRST_DATE (1767225600 * UINT64_C(1000000000))

/* Values of events/11-meta. */
#define TEXT_HOST 7u
#define SOURCE_HYPERVISOR 2u
#define HARDWARE_VMX 1u
#define HARDWARE_SVM 2u
#define DOMAIN_HVM 1u
#define DOMAIN_CONTROL (1u << 4)
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

static void write_clock(FILE *out)
{
    uint64_t tsc = hypercall_clock();

    /* dom0's monotonic clock starts with the simulation */
    WRITE_RECORD(TRC_META_CLOCK, out, LOW(tsc), HIGH(tsc), 0, 0,
                 LOW(FIRST_DATE), HIGH(FIRST_DATE), 0);
}

static void write_machine(const struct options *o, FILE *out)
{
    uint64_t hz = UINT64_C(1000) * xensim_cpu_khz(), bytes = o->memory;
    uint32_t minor = o->layout == SIM_4_17 ? 17 : 19;

    WRITE_RECORD(TRC_META_TSC, out, LOW(hz), HIGH(hz), SOURCE_HYPERVISOR, 0);
    write_clock(out);
    WRITE_RECORD(TRC_META_XEN, out, 4 | minor << 16,
                 o->vendor == SIM_AMD ? HARDWARE_SVM : HARDWARE_VMX, o->cpus,
                 LOW(bytes), HIGH(bytes));
    write_text(TRC_META_TEXT, TEXT_HOST, "xensim", out);
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

static void write_affinity(const struct xensim_domain *d, uint32_t vcpu,
                           FILE *out)
{
    uint32_t first = d->first_cpu / CPUS_PER_RECORD * CPUS_PER_RECORD;

    ASSERT(d->last_cpu < NR_CPUS);
    for ( ; first <= d->last_cpu; first += CPUS_PER_RECORD )
        WRITE_RECORD(TRC_META_AFFINITY, out, vcpu | (uint32_t)d->id << 16,
                     first << 16, mask_word(d, first),
                     mask_word(d, first + 32), mask_word(d, first + 64),
                     mask_word(d, first + 96), mask_word(d, first + 128));
}

static bool has_new_affinity(const struct xensim_domain *old,
                             const struct xensim_domain *d)
{
    return old->vcpus ? old->first_cpu != d->first_cpu ||
                        old->last_cpu != d->last_cpu
                      : d->first_cpu <= d->last_cpu;
}

/* All pcpus, where a domain was pinned before. */
static struct xensim_domain unpin(struct xensim_domain d)
{
    if ( d.first_cpu > d.last_cpu )
    {
        d.first_cpu = 0;
        d.last_cpu = nr_cpu_ids - 1;
    }
    return d;
}

static void write_domain(const struct xensim_domain *old,
                         const struct xensim_domain *d, FILE *out)
{
    struct xensim_domain pinned = unpin(*d);

    if ( !old->vcpus )
        WRITE_RECORD(TRC_META_DOMAIN, out, d->id | (uint32_t)d->vcpus << 16,
                     (d->is_hvm ? DOMAIN_HVM : 0) |
                     (d->id ? 0 : DOMAIN_CONTROL), 0, 0, 0);
    if ( strcmp(old->name, d->name) )
        write_text(TRC_META_DOMAIN_NAME, d->id, d->name, out);
    for ( uint32_t i = 0; has_new_affinity(old, d) && i < d->vcpus; i++ )
        write_affinity(&pinned, i, out);
}

int file_metadata_update(struct file_metadata *m, FILE *out)
{
    size_t nr = xensim_list_domains(m->now, ARRAY_SIZE(m->now));

    for ( size_t i = 0; i < nr; i++ )
    {
        struct xensim_domain *old = &m->written[m->now[i].id];

        ASSERT(m->now[i].id < ARRAY_SIZE(m->written));
        write_domain(old, &m->now[i], out);
        *old = m->now[i];
    }
    return ferror(out) ? -EIO : 0;
}

int file_metadata_begin(struct file_metadata *m, const struct options *o,
                        FILE *out)
{
    memset(m, 0, sizeof(*m));
    write_machine(o, out);
    return file_metadata_update(m, out);
}
