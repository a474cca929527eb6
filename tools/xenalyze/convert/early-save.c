/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *     saved_head
 *     saved_vcpu, and its records     in the order of the array, since pcpus
 *                                     have indices of it
 *     saved_pcpu, and its slots
 *     saved_domain, and its record
 *
 * Numbers have the byte order of the machine.  A record is a saved_record and
 * the bytes of the record.
 */
#include "xenalyze/convert/early-save.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "common/grow.h"
#include "xenalyze/model/model.h"

struct saved_head
{
    uint64_t end;               /* number of the next record */
    uint32_t nr_vcpus, nr_pcpus, nr_domains, zero;
};

struct saved_record
{
    uint64_t number, time;
    uint16_t cpu;
    uint8_t size, zero[5];
};

enum vcpu_flag
{
    VCPU_AWAKE = 1, VCPU_OPEN_EXIT = 2, VCPU_KNOWN = 4, VCPU_RUNS = 8,
    VCPU_WAITS = 16,
};

struct saved_vcpu
{
    uint64_t awake_since;
    uint32_t id;
    uint8_t flags, nr, zero[2];
};

enum pcpu_flag { PCPU_IN_EXIT = 1, PCPU_BUSY = 2, PCPU_HAS_RECORDS = 4 };

struct saved_pcpu
{
    uint32_t current;
    uint8_t flags, slots, zero[2];      /* bit n: slot n is in use */
};

struct saved_domain
{
    uint16_t id;
    uint8_t dying, has_life, zero[4];
};

_Static_assert(EARLY_SLOTS <= 8 && EARLY_PER_VCPU <= 255, "a byte each");
_Static_assert(sizeof(struct saved_head) == 24 &&
               sizeof(struct saved_record) == 24 &&
               sizeof(struct saved_vcpu) == 16 &&
               sizeof(struct saved_pcpu) == 8 &&
               sizeof(struct saved_domain) == 8, "no holes");

/* --- writing -------------------------------------------------------------- */

static void save_record(const struct early_record *r, FILE *out)
{
    const struct saved_record s = {
        .number = r->number, .time = r->time, .cpu = r->cpu, .size = r->size,
    };

    assert(r->size && r->size <= XT_RECORD_MAX_BYTES);
    fwrite(&s, sizeof(s), 1, out);
    fwrite(r->bytes, 1, r->size, out);
}

static void save_vcpu(const struct early_vcpu *v, FILE *out)
{
    const struct saved_vcpu s = {
        .awake_since = v->awake_since, .id = v->id, .nr = v->nr,
        .flags = v->is_awake * VCPU_AWAKE | v->has_open_exit * VCPU_OPEN_EXIT |
                 v->is_known * VCPU_KNOWN | v->runs * VCPU_RUNS |
                 v->waits * VCPU_WAITS,
    };

    assert(v->nr <= EARLY_PER_VCPU);
    fwrite(&s, sizeof(s), 1, out);
    for ( unsigned int i = 0; i < v->nr; i++ )
        save_record(&v->records[i], out);
}

static void save_pcpu(const struct early_pcpu *p, FILE *out)
{
    struct saved_pcpu s = {
        .current = p->current,
        .flags = p->in_exit * PCPU_IN_EXIT | p->is_busy * PCPU_BUSY |
                 p->has_records * PCPU_HAS_RECORDS,
    };

    for ( unsigned int i = 0; i < EARLY_SLOTS; i++ )
        s.slots |= !!p->slots[i].size << i;
    fwrite(&s, sizeof(s), 1, out);
    for ( unsigned int i = 0; i < EARLY_SLOTS; i++ )
        if ( p->slots[i].size )
            save_record(&p->slots[i], out);
}

static bool has_domain(const struct early_domain *d)
{
    return d->dying || d->life.size;
}

static void save_domain(const struct early_domain *d, unsigned int id,
                        FILE *out)
{
    const struct saved_domain s = {
        .id = id, .dying = d->dying, .has_life = d->life.size > 0,
    };

    assert(id < XT_DOMAIN_IDLE);
    fwrite(&s, sizeof(s), 1, out);
    if ( s.has_life )
        save_record(&d->life, out);
}

void early_save(const struct early_records *h, FILE *out)
{
    struct saved_head s = {
        .end = h->end, .nr_vcpus = h->nr_vcpus, .nr_pcpus = h->nr_pcpus,
    };

    assert(h->begin == h->end);
    for ( unsigned int i = 0; i < h->nr_domains; i++ )
        s.nr_domains += has_domain(&h->domains[i]);
    fwrite(&s, sizeof(s), 1, out);
    for ( uint32_t i = 0; i < h->nr_vcpus; i++ )
        save_vcpu(&h->vcpus[i], out);
    for ( unsigned int i = 0; i < h->nr_pcpus; i++ )
        save_pcpu(&h->pcpus[i], out);
    for ( unsigned int i = 0; i < h->nr_domains; i++ )
        if ( has_domain(&h->domains[i]) )
            save_domain(&h->domains[i], i, out);
}

/* --- reading -------------------------------------------------------------- */

struct loader
{
    struct early_records *h;
    const unsigned char *at, *end;
    int rc;                     /* the first failure */
};

static void take_bytes(struct loader *l, void *to, size_t size)
{
    if ( l->rc || (size_t)(l->end - l->at) < size )
    {
        l->rc = l->rc ? l->rc : -EINVAL;
        memset(to, 0, size);
        return;
    }
    memcpy(to, l->at, size);
    l->at += size;
}

static void check_loaded(struct loader *l, bool is_valid)
{
    if ( !l->rc && !is_valid )
        l->rc = -EINVAL;
}

static void load_record(struct loader *l, struct early_record *r)
{
    struct saved_record s;
    struct xt_record view;

    take_bytes(l, &s, sizeof(s));
    check_loaded(l, s.size >= 4 && s.size <= XT_RECORD_MAX_BYTES &&
                 s.cpu < l->h->nr_pcpus && s.number <= l->h->end);
    if ( l->rc )
        return;
    *r = (struct early_record){
        .number = s.number, .time = s.time, .cpu = s.cpu, .size = s.size,
    };
    take_bytes(l, r->bytes, s.size);
    check_loaded(l, xt_record_view(&view, r->bytes) == s.size);
}

static void load_vcpu(struct loader *l, uint32_t index)
{
    struct early_vcpu *v;
    struct saved_vcpu s;

    take_bytes(l, &s, sizeof(s));
    check_loaded(l, s.nr <= EARLY_PER_VCPU && (s.nr || !(s.flags & VCPU_RUNS)));
    v = l->rc ? NULL : early_get_vcpu(l->h, s.id, &l->rc);
    check_loaded(l, v && v == &l->h->vcpus[index]);
    if ( l->rc )
        return;
    v->awake_since = s.awake_since;
    v->is_awake = s.flags & VCPU_AWAKE;
    v->has_open_exit = s.flags & VCPU_OPEN_EXIT;
    v->is_known = s.flags & VCPU_KNOWN;
    v->runs = s.flags & VCPU_RUNS;
    v->waits = s.flags & VCPU_WAITS;
    v->nr = s.nr;
    for ( unsigned int i = 0; i < s.nr; i++ )
        load_record(l, &v->records[i]);
}

static void load_pcpu(struct loader *l, struct early_pcpu *p)
{
    struct saved_pcpu s;

    take_bytes(l, &s, sizeof(s));
    check_loaded(l, s.current <= l->h->nr_vcpus && !(s.slots >> EARLY_SLOTS));
    if ( l->rc )
        return;
    p->current = s.current;
    p->in_exit = s.flags & PCPU_IN_EXIT;
    p->is_busy = s.flags & PCPU_BUSY;
    p->has_records = s.flags & PCPU_HAS_RECORDS;
    for ( unsigned int i = 0; i < EARLY_SLOTS; i++ )
        if ( s.slots >> i & 1 )
            load_record(l, &p->slots[i]);
}

static void load_domain(struct loader *l)
{
    struct early_records *h = l->h;
    struct saved_domain s;

    take_bytes(l, &s, sizeof(s));
    check_loaded(l, s.id < XT_DOMAIN_IDLE);
    if ( l->rc )
        return;
    if ( !grow_to_index(&h->domains, &h->nr_domains, s.id,
                        sizeof(*h->domains)) )
    {
        l->rc = -ENOMEM;
        return;
    }
    h->domains[s.id].dying = s.dying;
    if ( s.has_life )
        load_record(l, &h->domains[s.id].life);
}

int early_load(struct early_records *h, const void *bytes, size_t size)
{
    struct loader l = {
        .h = h, .at = bytes, .end = (const unsigned char *)bytes + size,
    };
    struct saved_head s;

    assert(!h->end && !h->nr_vcpus && !h->nr_pcpus && !h->nr_domains);
    take_bytes(&l, &s, sizeof(s));
    check_loaded(&l, s.nr_pcpus <= XT_MAX_CPUS);
    if ( !l.rc && s.nr_pcpus &&
         !grow_to_index(&h->pcpus, &h->nr_pcpus, s.nr_pcpus - 1,
                        sizeof(*h->pcpus)) )
        l.rc = -ENOMEM;
    h->begin = h->end = s.end;
    for ( uint32_t i = 0; !l.rc && i < s.nr_vcpus; i++ )
        load_vcpu(&l, i);
    for ( uint32_t i = 0; !l.rc && i < s.nr_pcpus; i++ )
        load_pcpu(&l, &h->pcpus[i]);
    for ( uint32_t i = 0; !l.rc && i < s.nr_domains; i++ )
        load_domain(&l);
    check_loaded(&l, l.at == l.end);
    return l.rc;
}
