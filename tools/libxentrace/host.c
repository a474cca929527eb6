/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * All records are in one array.  The key of a record names its object:
 *
 *     63     56 55        40 39        24 23                0
 *     +--------+------------+------------+------------------+
 *     | kind   | domain,    | vcpu, part | kind of affinity |
 *     |        | pcpu, irq  |            | and first pcpu   |
 *     +--------+------------+------------+------------------+
 *
 * Records are appended; sorting by key and order of arrival drops replaced
 * records.  A full array is sorted as well, so repeated records cost no memory.
 */
#include "libxentrace/host.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "libxentrace/meta-event.h"

#define NR_DOMAINS 0x7ff0u      /* larger ids are reserved: public/xen.h */
#define PARTS_MAX ((XT_IRQ_TEXT_MAX - 1) / XT_META_PART)

/* Values of affinity_kind and domain_flags of events/11-meta. */
#define AFFINITY_ANY 2u
#define CPUS_PER_RECORD 160u
#define DOMAIN_HVM (1u << 0)
#define DOMAIN_PVH (1u << 2)
#define DOMAIN_PAUSED (1u << 6)
#define DOMAIN_DYING (1u << 7)
#define DOMAIN_SHUT_DOWN (1u << 8)
#define DOMAIN_HVM_OR_PVH (1u << 10)

_Static_assert((XT_IRQ_TEXT_MAX - 1) % XT_META_PART == 0, "whole parts");

/* --- keys ----------------------------------------------------------------- */

static uint64_t make_key(uint32_t event, uint64_t a, uint64_t b, uint64_t c)
{
    assert(xt_event_is_meta(event) && a <= 0xffff && b <= 0xffff &&
           c <= 0xffffff);
    return (uint64_t)(event - TRC_META_WINDOW) << 56 | a << 40 | b << 24 | c;
}

static unsigned int key_first(uint64_t key)
{
    return key >> 40 & 0xffff;
}

static uint64_t affinity_key(const struct xt_rec_meta_affinity *a)
{
    uint16_t first = a->kind == AFFINITY_ANY ? 0 : a->first;

    if ( a->dom >= NR_DOMAINS || a->kind > AFFINITY_ANY ||
         first % CPUS_PER_RECORD || first >= XT_MAX_CPUS )
        return 0;
    return make_key(TRC_META_AFFINITY, a->dom, a->vcpu,
                    (uint32_t)a->kind << 16 | first);
}

/* A key of one number, which must be less than `end`; 0: absurd. */
static uint64_t plain_key(const struct xt_meta *m, uint32_t id, uint32_t end)
{
    return id < end ? make_key(m->event, id, 0, 0) : 0;
}

/* 0: the record is ignored. */
static uint64_t record_key(const struct xt_meta *m)
{
    switch ( m->event )
    {
    case TRC_META_DOMAIN:
        return plain_key(m, m->domain.dom, NR_DOMAINS);
    case TRC_META_DOMAIN_UUID:
        return plain_key(m, m->domain_uuid.dom, NR_DOMAINS);
    case TRC_META_DOMAIN_WEIGHT:
        return plain_key(m, m->domain_weight.dom, NR_DOMAINS);
    case TRC_META_VCPU_BUDGET:
        return m->vcpu_budget.dom >= NR_DOMAINS ? 0
               : make_key(m->event, m->vcpu_budget.dom, m->vcpu_budget.vcpu,
                          0);
    case TRC_META_VCPU:
        return m->vcpu.dom >= NR_DOMAINS ? 0
               : make_key(m->event, m->vcpu.dom, m->vcpu.vcpu, 0);
    case TRC_META_AFFINITY:
        return affinity_key(&m->affinity);
    case TRC_META_CPU:
        return plain_key(m, m->cpu.cpu, XT_MAX_CPUS);
    case TRC_META_POOL:
        return plain_key(m, m->pool.pool, 0x10000);
    case TRC_META_POOL_TIMES:
        return plain_key(m, m->pool_times.pool, 0x10000);
    case TRC_META_IRQ_NAME:
        return m->irq_name.part >= PARTS_MAX ? 0
               : make_key(m->event, m->irq_name.irq, m->irq_name.part, 0);
    default:
        return 0;
    }
}

static bool is_property_of_domain(uint64_t key)
{
    switch ( (key >> 56) + TRC_META_WINDOW )
    {
    case TRC_META_DOMAIN_UUID:
    case TRC_META_DOMAIN_WEIGHT:
    case TRC_META_VCPU:
    case TRC_META_VCPU_BUDGET:
    case TRC_META_AFFINITY:
        return true;
    default:
        return false;
    }
}

/* --- the array ------------------------------------------------------------ */

/* Index of the first entry with this key or a higher one. */
static size_t find_key(const struct xt_host_entry *all, size_t nr,
                       uint64_t key)
{
    size_t low = 0, high = nr;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( all[middle].key < key )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct xt_host_entry *get_entry(const struct xt_host_entry *all,
                                             size_t nr, uint64_t key)
{
    size_t at = find_key(all, nr, key);

    return at < nr && all[at].key == key ? &all[at] : NULL;
}

static int order_by_key(const void *a, const void *b)
{
    const struct xt_host_entry *x = a, *y = b;

    if ( x->key != y->key )
        return x->key < y->key ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Did the id of the domain get a new domain after this record? */
static bool is_outdated(const struct xt_host *h, size_t nr,
                        const struct xt_host_entry *entry)
{
    const struct xt_host_entry *d;

    if ( !is_property_of_domain(entry->key) )
        return false;
    d = get_entry(h->all, nr, make_key(TRC_META_DOMAIN,
                                       key_first(entry->key), 0, 0));
    return d && d->number > entry->number;
}

_Static_assert(TRC_META_DOMAIN < TRC_META_AFFINITY &&
               TRC_META_DOMAIN < TRC_META_DOMAIN_UUID,
               "domains are sorted in front of their properties");

void xt_host_finish(struct xt_host *h)
{
    size_t nr = 0;

    if ( h->nr )
        qsort(h->all, h->nr, sizeof(*h->all), order_by_key);
    for ( size_t i = 0; i < h->nr; i++ )
        if ( (i + 1 == h->nr || h->all[i + 1].key != h->all[i].key) &&
             !is_outdated(h, nr, &h->all[i]) )
            h->all[nr++] = h->all[i];
    assert(nr <= h->nr);
    h->nr = nr;
}

/* Make room for an entry.  0, -ENOMEM, or -ENOSPC at the limit. */
static int make_entry_room(struct xt_host *h)
{
    size_t room = h->room ? 2 * h->room : 64;
    struct xt_host_entry *all;

    assert(h->nr <= h->room && h->room <= XT_HOST_MAX);
    if ( h->nr < h->room )
        return 0;
    if ( h->room == XT_HOST_MAX )
    {
        xt_host_finish(h);
        /* Sorting again after a few records would take for ever. */
        h->is_full = h->nr > XT_HOST_MAX / 2;
        return h->is_full ? -ENOSPC : 0;
    }
    all = fault_realloc(h->all, room * sizeof(*all));
    if ( !all )
        return -ENOMEM;
    h->all = all;
    h->room = room;
    return 0;
}

int xt_host_add(struct xt_host *h, const struct xt_meta *m)
{
    uint64_t key = record_key(m);
    int rc;

    if ( !key || h->is_full )
        return 0;
    rc = make_entry_room(h);
    if ( rc )
        return rc == -ENOSPC ? 0 : rc;
    h->all[h->nr++] = (struct xt_host_entry){ key, h->number++, *m };
    return 0;
}

void xt_host_fini(struct xt_host *h)
{
    free(h->all);
    *h = (struct xt_host){ .nr = 0 };
}

/* --- queries -------------------------------------------------------------- */

static const struct xt_meta *find_record(const struct xt_host *h,
                                         uint32_t event, unsigned int a,
                                         unsigned int b)
{
    const struct xt_host_entry *entry;

    if ( a > 0xffff || b > 0xffff )
        return NULL;
    entry = get_entry(h->all, h->nr, make_key(event, a, b, 0));
    return entry ? &entry->m : NULL;
}

const struct xt_meta *xt_host_next(const struct xt_host *h, uint32_t event,
                                   const struct xt_meta *after)
{
    const struct xt_host_entry *entry;
    size_t at;

    if ( after )
    {
        entry = (const void *)((const char *)after -
                               offsetof(struct xt_host_entry, m));
        at = entry - h->all + 1;
        assert(at && at <= h->nr);
    }
    else
        at = find_key(h->all, h->nr, make_key(event, 0, 0, 0));
    return at < h->nr && h->all[at].m.event == event ? &h->all[at].m : NULL;
}

const struct xt_rec_meta_domain *xt_host_domain(const struct xt_host *h,
                                                unsigned int id)
{
    const struct xt_meta *m = find_record(h, TRC_META_DOMAIN, id, 0);

    return m ? &m->domain : NULL;
}

const struct xt_rec_meta_domain_uuid *xt_host_uuid(const struct xt_host *h,
                                                   unsigned int domain)
{
    const struct xt_meta *m = find_record(h, TRC_META_DOMAIN_UUID, domain, 0);

    return m ? &m->domain_uuid : NULL;
}

const struct xt_rec_meta_domain_weight *
xt_host_weight(const struct xt_host *h, unsigned int domain)
{
    const struct xt_meta *m = find_record(h, TRC_META_DOMAIN_WEIGHT, domain,
                                          0);

    return m ? &m->domain_weight : NULL;
}

const struct xt_rec_meta_vcpu_budget *
xt_host_budget(const struct xt_host *h, unsigned int domain,
               unsigned int vcpu)
{
    const struct xt_meta *m = find_record(h, TRC_META_VCPU_BUDGET, domain,
                                          vcpu);

    return m ? &m->vcpu_budget : NULL;
}

const struct xt_rec_meta_pool *xt_host_pool(const struct xt_host *h,
                                            unsigned int pool)
{
    const struct xt_meta *m = find_record(h, TRC_META_POOL, pool, 0);

    return m ? &m->pool : NULL;
}

const struct xt_rec_meta_pool_times *
xt_host_pool_times(const struct xt_host *h, unsigned int pool)
{
    const struct xt_meta *m = find_record(h, TRC_META_POOL_TIMES, pool, 0);

    return m ? &m->pool_times : NULL;
}

const struct xt_rec_meta_cpu *xt_host_cpu(const struct xt_host *h,
                                          unsigned int cpu)
{
    const struct xt_meta *m = find_record(h, TRC_META_CPU, cpu, 0);

    return m ? &m->cpu : NULL;
}

bool xt_host_domain_is_pv(const struct xt_rec_meta_domain *d)
{
    return !(d->flags & (DOMAIN_HVM | DOMAIN_PVH));
}

bool xt_host_domain_is_stopped(const struct xt_rec_meta_domain *d)
{
    return d->flags & (DOMAIN_PAUSED | DOMAIN_DYING | DOMAIN_SHUT_DOWN);
}

const char *xt_host_domain_type(const struct xt_rec_meta_domain *d)
{
    if ( xt_host_domain_is_pv(d) )
        return "PV";
    if ( !(d->flags & DOMAIN_HVM) )
        return "PVH";
    if ( d->flags & DOMAIN_HVM_OR_PVH )
        return "HVM or PVH";
    return d->flags & DOMAIN_PVH ? "PVH" : "HVM";
}

/* --- affinity ------------------------------------------------------------- */

static void add_mask_word(uint64_t mask[XT_AFFINITY_WORDS], unsigned int first,
                          uint32_t word)
{
    /* The last record may reach beyond the highest pcpu. */
    if ( first / 64 < XT_AFFINITY_WORDS )
        mask[first / 64] |= (uint64_t)word << first % 64;
}

static void add_mask(uint64_t mask[XT_AFFINITY_WORDS],
                     const struct xt_rec_meta_affinity *a)
{
    assert(a->first % 32 == 0);
    add_mask_word(mask, a->first, a->cpus0);
    add_mask_word(mask, a->first + 32u, a->cpus1);
    add_mask_word(mask, a->first + 64u, a->cpus2);
    add_mask_word(mask, a->first + 96u, a->cpus3);
    add_mask_word(mask, a->first + 128u, a->cpus4);
}

/*
 * Join the records of one kind.  Each writing of a mask begins with its first
 * pcpus: an entry that is older than the first entry is left from a longer
 * mask.  Returns the number of the first entry plus 1; 0: there is none.
 */
static uint64_t join_mask(const struct xt_host *h, unsigned int domain,
                          unsigned int vcpu, unsigned int kind,
                          uint64_t mask[XT_AFFINITY_WORDS])
{
    uint64_t key = make_key(TRC_META_AFFINITY, domain, vcpu, kind << 16);
    size_t first = find_key(h->all, h->nr, key);

    assert(kind < AFFINITY_ANY);
    memset(mask, 0, XT_AFFINITY_WORDS * sizeof(*mask));
    for ( size_t i = first; i < h->nr && h->all[i].key >> 16 == key >> 16;
          i++ )
        if ( h->all[i].number >= h->all[first].number )
            add_mask(mask, &h->all[i].m.affinity);
    return first < h->nr && h->all[first].key >> 16 == key >> 16
           ? h->all[first].number + 1 : 0;
}

static uint64_t number_of_any(const struct xt_host *h, unsigned int domain,
                              unsigned int vcpu)
{
    const struct xt_host_entry *entry =
        get_entry(h->all, h->nr, make_key(TRC_META_AFFINITY, domain, vcpu,
                                          AFFINITY_ANY << 16));

    return entry ? entry->number + 1 : 0;
}

/* The affinity of a vcpu by records that name this vcpu, or all vcpus. */
static enum xt_affinity find_affinity(const struct xt_host *h,
                                      unsigned int domain, unsigned int vcpu,
                                      enum xt_affinity_kind kind,
                                      uint64_t mask[XT_AFFINITY_WORDS])
{
    uint64_t any = number_of_any(h, domain, vcpu);
    uint64_t hard = join_mask(h, domain, vcpu, XT_AFFINITY_HARD, mask);
    uint64_t soft;

    if ( kind == XT_AFFINITY_HARD )
        return hard > any ? XT_AFFINITY_MASK
               : any ? XT_AFFINITY_ANY : XT_AFFINITY_UNKNOWN;
    soft = join_mask(h, domain, vcpu, XT_AFFINITY_SOFT, mask);
    /* The hard mask precedes the soft mask of the same writing. */
    if ( soft > any && soft > hard )
        return XT_AFFINITY_MASK;
    return any || hard ? XT_AFFINITY_ANY : XT_AFFINITY_UNKNOWN;
}

enum xt_affinity xt_host_affinity(const struct xt_host *h, unsigned int domain,
                                  unsigned int vcpu,
                                  enum xt_affinity_kind kind,
                                  uint64_t mask[XT_AFFINITY_WORDS])
{
    enum xt_affinity affinity = XT_AFFINITY_UNKNOWN;

    if ( domain < NR_DOMAINS && vcpu < XT_VCPU_OTHERS )
        affinity = find_affinity(h, domain, vcpu, kind, mask);
    if ( !affinity && domain < NR_DOMAINS )
        affinity = find_affinity(h, domain, XT_VCPU_OTHERS, kind, mask);
    return affinity;
}

int xt_host_next_pinned(const struct xt_host *h, unsigned int domain,
                        unsigned int vcpu)
{
    uint64_t key, end;
    size_t at;

    if ( domain >= NR_DOMAINS || vcpu > XT_VCPU_OTHERS )
        return -1;
    key = make_key(TRC_META_AFFINITY, domain, vcpu, 0);
    end = make_key(TRC_META_AFFINITY, domain + 1, 0, 0);
    at = find_key(h->all, h->nr, key);
    return at < h->nr && h->all[at].key < end
           ? (int)(h->all[at].key >> 24 & 0xffff) : -1;
}

/* The number of pcpus, by the highest known; 0: unknown. */
static unsigned int count_cpu_ids(const struct xt_host *h)
{
    size_t at = find_key(h->all, h->nr, make_key(TRC_META_CPU + 1, 0, 0, 0));

    return at && h->all[at - 1].m.event == TRC_META_CPU
           ? h->all[at - 1].m.cpu.cpu + 1 : 0;
}

static bool mask_has(const uint64_t mask[XT_AFFINITY_WORDS], unsigned int cpu)
{
    return mask[cpu / 64] >> cpu % 64 & 1;
}

/* The first pcpu from `cpu` on whose bit is `bit`; XT_MAX_CPUS: none. */
static unsigned int find_bit(const uint64_t mask[XT_AFFINITY_WORDS],
                             unsigned int cpu, bool bit)
{
    const uint64_t skip = bit ? 0 : UINT64_MAX;

    while ( cpu < XT_MAX_CPUS && mask_has(mask, cpu) != bit )
        cpu += cpu % 64 == 0 && mask[cpu / 64] == skip ? 64 : 1;
    return cpu;
}

static void format_mask(const uint64_t mask[XT_AFFINITY_WORDS],
                        char text[XT_AFFINITY_TEXT_MAX])
{
    unsigned int first = find_bit(mask, 0, true), end;
    size_t used = 0;

    snprintf(text, XT_AFFINITY_TEXT_MAX, "none");
    for ( ; first < XT_MAX_CPUS; first = find_bit(mask, end, true) )
    {
        end = find_bit(mask, first, false);
        /* Room for ",16383-16383" and a mark of the end. */
        if ( used + 16 >= XT_AFFINITY_TEXT_MAX )
        {
            snprintf(text + used, XT_AFFINITY_TEXT_MAX - used, "...");
            return;
        }
        used += snprintf(text + used, XT_AFFINITY_TEXT_MAX - used,
                         end == first + 1 ? "%s%u" : "%s%u-%u",
                         used ? "," : "", first, end - 1);
    }
    assert(used < XT_AFFINITY_TEXT_MAX);
}

bool xt_host_affinity_text(const struct xt_host *h, unsigned int domain,
                           unsigned int vcpu, enum xt_affinity_kind kind,
                           char text[XT_AFFINITY_TEXT_MAX])
{
    uint64_t mask[XT_AFFINITY_WORDS];
    enum xt_affinity affinity = xt_host_affinity(h, domain, vcpu, kind, mask);
    unsigned int nr = count_cpu_ids(h);
    bool is_all = affinity == XT_AFFINITY_ANY ||
                  (affinity == XT_AFFINITY_MASK && nr &&
                   find_bit(mask, 0, false) >= nr);

    if ( !affinity || (is_all && kind == XT_AFFINITY_SOFT) )
        return false;
    if ( is_all )
        snprintf(text, XT_AFFINITY_TEXT_MAX, "all");
    else
        format_mask(mask, text);
    return true;
}

/* --- topology ------------------------------------------------------------- */

static int order_units(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static unsigned int count_different(uint64_t *units, unsigned int nr)
{
    unsigned int different = 0;

    qsort(units, nr, sizeof(*units), order_units);
    for ( unsigned int i = 0; i < nr; i++ )
        different += !i || units[i] != units[i - 1];
    return different;
}

/*
 * Collect a number for each pcpu: node, or socket << 32 | core & core_mask.
 */
static unsigned int collect_units(const struct xt_host *h, uint64_t *units,
                                  bool by_node, uint32_t core_mask)
{
    const struct xt_meta *m = NULL;
    unsigned int nr = 0;

    while ( (m = xt_host_next(h, TRC_META_CPU, m)) )
        if ( m->cpu.core != -1 )
            units[nr++] = by_node ? (uint32_t)m->cpu.node
                          : (uint64_t)m->cpu.socket << 32 |
                            ((uint32_t)m->cpu.core & core_mask);
    return nr;
}

int xt_host_count_units(const struct xt_host *h, struct xt_topology *t)
{
    uint64_t *units = fault_malloc(XT_MAX_CPUS * sizeof(*units));

    *t = (struct xt_topology){ .cpus = 0 };
    if ( !units )
        return -ENOMEM;
    t->cpus = collect_units(h, units, false, UINT32_MAX);
    t->cores = count_different(units, t->cpus);
    collect_units(h, units, false, 0);
    t->sockets = count_different(units, t->cpus);
    collect_units(h, units, true, 0);
    t->nodes = count_different(units, t->cpus);
    free(units);
    return 0;
}

const char *xt_scheduler_name(uint32_t scheduler)
{
    static const char *const names[] = {
        [XT_SCHEDULER_SEDF] = "sedf", [XT_SCHEDULER_CREDIT] = "credit",
        [XT_SCHEDULER_CREDIT2] = "credit2",
        [XT_SCHEDULER_ARINC653] = "arinc653", [XT_SCHEDULER_RTDS] = "rtds",
        [XT_SCHEDULER_NULL] = "null",
    };

    return scheduler < sizeof(names) / sizeof(names[0]) ? names[scheduler]
                                                        : NULL;
}

/* --- interrupts ----------------------------------------------------------- */

/* Join the parts of a text; false: a part is missing. */
static bool join_parts(const struct xt_host *h, unsigned int irq,
                       char text[XT_IRQ_TEXT_MAX])
{
    const struct xt_meta *m = find_record(h, TRC_META_IRQ_NAME, irq, 0);
    unsigned int parts = m ? m->irq_name.parts : 0;

    if ( parts > PARTS_MAX )
        parts = PARTS_MAX;
    for ( unsigned int i = 0; i < parts; i++ )
    {
        const struct xt_meta *part = find_record(h, TRC_META_IRQ_NAME, irq, i);

        if ( !part || part->irq_name.parts != m->irq_name.parts )
            return false;
        memcpy(text + i * XT_META_PART,
               (const char *)part + offsetof(struct xt_meta, irq_name.t0),
               XT_META_PART);
    }
    text[parts * XT_META_PART] = '\0';
    return *text;
}

bool xt_host_irq_text(const struct xt_host *h, unsigned int irq,
                      char text[XT_IRQ_TEXT_MAX])
{
    if ( !join_parts(h, irq, text) )
        return false;
    for ( char *c = text; *c; c++ )
        if ( *c < ' ' || *c > '~' )
            *c = '?';
    return true;
}

/*
 * Interrupts whose number in dom0 is also Xen's: lines of an IO-APIC.  Of a PVH
 * dom0, whose kernel numbers its own IO-APICs, only those of ISA.
 */
static bool has_number_of_xen(const char *text, unsigned int irq)
{
    return !strncmp(text, "xen-pirq -ioapic-", 17) ||
           (!strncmp(text, "IO-APIC ", 8) && irq < 16);
}

bool xt_host_irq_device(const struct xt_host *h, unsigned int irq,
                        char text[XT_IRQ_TEXT_MAX])
{
    const char *device;

    if ( !xt_host_irq_text(h, irq, text) || !has_number_of_xen(text, irq) )
        return false;
    device = strchr(strchr(text, ' ') + 1, ' ');
    if ( !device || !device[1] )
        return false;
    memmove(text, device + 1, strlen(device));
    return true;
}

/* --- UUIDs ---------------------------------------------------------------- */

_Static_assert(offsetof(struct xt_rec_meta_domain_uuid, id3) -
               offsetof(struct xt_rec_meta_domain_uuid, id0) == 12,
               "16 bytes");

void xt_uuid_format(const struct xt_rec_meta_domain_uuid *u,
                    char text[XT_UUID_TEXT])
{
    unsigned char b[16];
    char *p = text;

    memcpy(b, (const char *)u + offsetof(struct xt_rec_meta_domain_uuid, id0),
           sizeof(b));
    for ( size_t i = 0; i < sizeof(b); i++ )
        p += sprintf(p, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x"
                                                              : "%02x", b[i]);
    assert(p == text + XT_UUID_TEXT - 1);
}
