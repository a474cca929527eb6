/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A record enters the ring, and on leaving it replaces earlier records of its
 * vcpu and pcpu.
 */
#include "xenalyze/convert/early-records.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/grow.h"
#include "libxentrace/readers.h"
#include "xenalyze/model/model.h"

#define RING 8192u              /* records, a power of 2 */
#define FIRST_VCPUS 64u

int early_init(struct early_records *h)
{
    *h = (struct early_records){ .nr_buckets = 2 * FIRST_VCPUS };
    h->ring = fault_calloc(RING, sizeof(*h->ring));
    h->buckets = fault_calloc(h->nr_buckets, sizeof(*h->buckets));
    if ( h->ring && h->buckets )
        return 0;
    early_fini(h);
    return -ENOMEM;
}

void early_fini(struct early_records *h)
{
    free(h->ring);
    free(h->vcpus);
    free(h->buckets);
    free(h->pcpus);
    free(h->domains);
    *h = (struct early_records){ .ring = NULL };
}

void early_reset(struct early_records *h)
{
    assert(h->ring && h->buckets);
    h->begin = h->end = 0;
    h->nr_vcpus = 0;
    memset(h->buckets, 0, h->nr_buckets * sizeof(*h->buckets));
    if ( h->nr_pcpus )
        memset(h->pcpus, 0, h->nr_pcpus * sizeof(*h->pcpus));
    if ( h->nr_domains )
        memset(h->domains, 0, h->nr_domains * sizeof(*h->domains));
}

/* --- vcpus and pcpus ------------------------------------------------------ */

static uint32_t *find_bucket(const struct early_records *h, uint32_t id)
{
    assert(!(h->nr_buckets & (h->nr_buckets - 1)));
    return &h->buckets[(id ^ id >> 12) * 2654435761u & (h->nr_buckets - 1)];
}

static int grow_vcpus(struct early_records *h)
{
    uint32_t room = h->room_vcpus ? 2 * h->room_vcpus : FIRST_VCPUS;
    struct early_vcpu *v = fault_realloc(h->vcpus, room * sizeof(*v));
    uint32_t *buckets;

    assert(h->nr_vcpus == h->room_vcpus);
    if ( !v )
        return -ENOMEM;
    h->vcpus = v;
    buckets = fault_calloc(2 * room, sizeof(*buckets));
    if ( !buckets )
        return -ENOMEM;
    free(h->buckets);
    h->buckets = buckets;
    h->nr_buckets = 2 * room;
    h->room_vcpus = room;
    for ( uint32_t i = 0; i < h->nr_vcpus; i++ )
    {
        uint32_t *b = find_bucket(h, v[i].id);

        v[i].next = *b;
        *b = i + 1;
    }
    return 0;
}

struct early_vcpu *early_find_vcpu(const struct early_records *h, uint32_t id)
{
    for ( uint32_t i = *find_bucket(h, id); i; i = h->vcpus[i - 1].next )
        if ( h->vcpus[i - 1].id == id )
            return &h->vcpus[i - 1];
    return NULL;
}

struct early_vcpu *early_get_vcpu(struct early_records *h, uint32_t id,
                                  int *rc)
{
    struct early_vcpu *v = early_find_vcpu(h, id);
    uint32_t *b;

    if ( v || h->nr_vcpus == GUESTS_MAX_VCPUS )
        return v;
    if ( h->nr_vcpus == h->room_vcpus && grow_vcpus(h) )
    {
        *rc = -ENOMEM;
        return NULL;
    }
    b = find_bucket(h, id);
    v = &h->vcpus[h->nr_vcpus];
    *v = (struct early_vcpu){ .id = id, .next = *b };
    *b = ++h->nr_vcpus;
    return v;
}

/* --- the meaning of records ----------------------------------------------- */

static bool is_entry_or_exit(uint32_t event)
{
    return (event & ~0xfffu) == TRC_HVM_ENTRYEXIT;
}

static bool is_entry(uint32_t event)
{
    return (event & ~TRC_HVM_NESTEDFLAG) == TRC_HVM_VMENTRY;
}

bool early_read_change(const struct xt_record *r, struct vcpu_change *c)
{
    bool stays = r->event == TRC_SCHED_CONTINUE_RUNNING;

    if ( (!stays && !xt_is_sched_runstate_change(r->event)) ||
         r->words < XT_WORDS(sched_runstate_change) )
        return false;
    c->id = xt_vcpu_key(xt_field_load(r, XT_AT(sched_runstate_change, dom)),
                        xt_field_load(r, XT_AT(sched_runstate_change, vcpu)));
    c->from = stays ? STATE_RUNNING
                    : xt_id_sched_runstate_change_from(r->event);
    c->to = stays ? STATE_RUNNING : xt_id_sched_runstate_change_to(r->event);
    assert(c->from <= STATE_OFFLINE && c->to <= STATE_OFFLINE);
    return true;
}

static uint32_t read_found_vcpu(const struct xt_record *r)
{
    assert(r->event == TRC_LOST_RECORDS);
    return xt_vcpu_key(xt_field_load(r, XT_AT(lost_records, dom)),
                       xt_field_load(r, XT_AT(lost_records, vcpu)));
}

/* The change of a domain's life; false: another record. */
struct domain_change
{
    unsigned int id;
    bool is_end;
};

static bool read_domain_change(const struct xt_record *r,
                               struct domain_change *c)
{
    uint32_t id = xt_field_load(r, XT_AT(sched_dom_add, dom));

    assert(r->words <= XT_RECORD_MAX_WORDS);
    if ( !r->words || id >= XT_DOMAIN_IDLE ||
         (r->event != TRC_DOM0_DOM_ADD && r->event != TRC_DOM0_DOM_REM &&
          r->event != TRC_SCHED_DOM_ADD && r->event != TRC_SCHED_DOM_REM) )
        return false;
    c->id = id;
    c->is_end = r->event == TRC_DOM0_DOM_REM || r->event == TRC_SCHED_DOM_REM;
    return true;
}

static void follow_change(struct early_records *h, struct early_vcpu *v,
                          struct early_pcpu *p, const struct vcpu_change *c,
                          uint64_t time)
{
    bool is_awake = (c->to == STATE_RUNNING || c->to == STATE_RUNNABLE) &&
                    !xt_vcpu_key_is_idle(v->id);

    assert(h->nr_vcpus);
    if ( is_awake && (!v->is_awake || c->from == STATE_BLOCKED ||
                      c->from == STATE_OFFLINE) )
        v->awake_since = time;
    v->is_awake = is_awake;
    if ( c->to == STATE_RUNNING && c->from != STATE_RUNNING )
    {
        p->in_exit = v->has_open_exit;
        v->has_open_exit = false;
    }
    else if ( c->from == STATE_RUNNING && c->to != STATE_RUNNING )
    {
        v->has_open_exit = p->in_exit && c->to != STATE_RUNNABLE;
        p->in_exit = false;
    }
    else if ( c->to == STATE_RUNNABLE )
        v->has_open_exit = false;
}

/* A vcpu off its pcpu is unknown now, and with it the end of its exit. */
static void follow_loss(struct early_records *h, struct early_pcpu *p)
{
    assert(h->nr_vcpus <= h->room_vcpus && h->nr_pcpus);
    p->in_exit = false;
    for ( uint32_t i = 0; i < h->nr_vcpus; i++ )
        h->vcpus[i].has_open_exit = false;
}

int early_follow(struct early_records *h, unsigned int cpu, uint64_t time,
                   const struct xt_record *r)
{
    struct early_vcpu *v;
    struct vcpu_change c;
    int rc = 0;

    assert(h->ring && cpu < XT_MAX_CPUS);
    if ( !grow_to_index(&h->pcpus, &h->nr_pcpus, cpu, sizeof(*h->pcpus)) )
        return -ENOMEM;
    h->pcpus[cpu].has_records = true;
    if ( is_entry_or_exit(r->event) )
        h->pcpus[cpu].in_exit = !is_entry(r->event);
    else if ( r->event == TRC_LOST_RECORDS )
        follow_loss(h, &h->pcpus[cpu]);
    else if ( early_read_change(r, &c) )
    {
        v = early_get_vcpu(h, c.id, &rc);
        if ( v )
            follow_change(h, v, &h->pcpus[cpu], &c, time);
    }
    return rc;
}

bool early_ends_exit(struct early_records *h, const struct xt_record *r)
{
    const struct early_vcpu *v;
    struct vcpu_change c;

    assert(r->words <= XT_RECORD_MAX_WORDS);
    if ( r->event == TRC_LOST_RECORDS )
        return early_count_open_exits(h);
    if ( !early_read_change(r, &c) )
        return false;
    v = early_find_vcpu(h, c.id);
    return v && v->has_open_exit;
}

bool early_has_pcpu(const struct early_records *h, unsigned int cpu)
{
    assert(cpu < XT_MAX_CPUS);
    return cpu < h->nr_pcpus && h->pcpus[cpu].has_records;
}

bool early_in_exit(const struct early_records *h, unsigned int cpu)
{
    assert(cpu < XT_MAX_CPUS);
    return cpu < h->nr_pcpus && h->pcpus[cpu].in_exit;
}

uint32_t early_count_open_exits(const struct early_records *h)
{
    uint32_t nr = 0;

    for ( uint32_t i = 0; i < h->nr_vcpus; i++ )
        nr += h->vcpus[i].has_open_exit;
    assert(nr <= h->nr_vcpus);
    return nr;
}

/* --- records that leave the ring ------------------------------------------ */

/* Add a record behind those of the vcpu; the first one is never replaced. */
static void keep_behind(struct early_vcpu *v, const struct early_record *r)
{
    if ( v->nr == EARLY_PER_VCPU )
    {
        memmove(&v->records[1], &v->records[2],
                (EARLY_PER_VCPU - 2) * sizeof(v->records[0]));
        v->nr--;
    }
    assert(v->nr < EARLY_PER_VCPU);
    v->records[v->nr++] = *r;
}

/* The record puts the vcpu on its pcpu: earlier records do not matter. */
static void restart_records(struct early_vcpu *v,
                            const struct early_record *r)
{
    assert(r->size);
    v->nr = 0;
    v->runs = true;
    keep_behind(v, r);
}

static struct early_record *get_slot(struct early_records *h,
                                     const struct early_record *kept,
                                     enum early_slot slot)
{
    assert(kept->cpu < h->nr_pcpus && slot < EARLY_SLOTS);
    return &h->pcpus[kept->cpu].slots[slot];
}

static bool is_dying(const struct early_records *h, unsigned int domain)
{
    assert(h->ring);
    return domain < h->nr_domains && h->domains[domain].dying;
}

/* The vcpus of a domain that has ended have no state. */
static void forget_domain(struct early_records *h, unsigned int domain)
{
    assert(is_dying(h, domain));
    for ( uint32_t i = 0; i < h->nr_vcpus; i++ )
        if ( h->vcpus[i].id >> 16 == domain )
        {
            h->vcpus[i].nr = 0;
            h->vcpus[i].is_known = h->vcpus[i].runs = false;
            h->vcpus[i].waits = false;
        }
}

/* The vcpus of a domain that is destroyed run on until their pcpus notice. */
static void check_end_of_life(struct early_records *h, unsigned int domain)
{
    assert(is_dying(h, domain));
    for ( uint32_t i = 0; i < h->nr_vcpus; i++ )
        if ( h->vcpus[i].id >> 16 == domain &&
             (h->vcpus[i].runs || h->vcpus[i].waits) )
            return;
    forget_domain(h, domain);
}

static bool domain_runs(const struct early_records *h, unsigned int domain)
{
    assert(domain < h->nr_domains);
    for ( uint32_t i = 0; i < h->nr_vcpus; i++ )
        if ( h->vcpus[i].id >> 16 == domain && h->vcpus[i].runs )
            return true;
    return false;
}

static int replace_life(struct early_records *h,
                        const struct early_record *kept,
                        const struct domain_change *c)
{
    struct early_domain *d;

    assert(kept->size && c->id < XT_DOMAIN_IDLE);
    if ( !grow_to_index(&h->domains, &h->nr_domains, c->id, sizeof(*d)) )
        return -ENOMEM;
    d = &h->domains[c->id];
    if ( d->dying && !c->is_end )
        check_end_of_life(h, c->id);
    d->dying = c->is_end;
    d->life = *kept;
    if ( c->is_end && !domain_runs(h, c->id) )
        forget_domain(h, c->id);
    return 0;
}

/* The exit that the vcpu is in when it blocks ends later. */
static void keep_exit(struct early_records *h, const struct early_record *kept,
                      struct early_vcpu *v, const struct vcpu_change *c)
{
    struct early_record *exit = get_slot(h, kept, EARLY_EXIT);

    assert(kept->size);
    if ( v && exit->size && c->from == STATE_RUNNING &&
         (c->to == STATE_BLOCKED || c->to == STATE_OFFLINE) )
        keep_behind(v, exit);
    if ( c->from != c->to &&
         (c->from == STATE_RUNNING || c->to == STATE_RUNNING) )
        exit->size = 0;
}

/* A run ends at the latest when another vcpu arrives on the pcpu. */
static void replace_current(struct early_records *h,
                            const struct early_record *kept,
                            const struct early_vcpu *v)
{
    struct early_pcpu *p = &h->pcpus[kept->cpu];
    struct early_vcpu *before = p->current ? &h->vcpus[p->current - 1] : NULL;

    assert(v >= h->vcpus && p->current <= h->nr_vcpus);
    if ( before && before != v && before->runs &&
         before->records[before->nr - 1].cpu == kept->cpu )
        before->runs = false;
    p->current = v - h->vcpus + 1;
}

static int replace_change(struct early_records *h,
                          const struct early_record *kept,
                          const struct vcpu_change *c)
{
    int rc = 0;
    struct early_vcpu *v = early_get_vcpu(h, c->id, &rc);

    assert(kept->size);
    keep_exit(h, kept, v, c);
    if ( !v || (!v->is_known && is_dying(h, c->id >> 16) &&
                c->to != STATE_RUNNING) )
        return rc;
    if ( c->to == STATE_RUNNING )
        replace_current(h, kept, v);
    if ( c->to == STATE_RUNNING && c->from == STATE_RUNNING && v->runs )
        return 0;
    if ( c->to == STATE_RUNNING )
        restart_records(v, kept);
    else
        keep_behind(v, kept);
    v->is_known = true;
    v->runs = c->to == STATE_RUNNING;
    v->waits = c->to == STATE_RUNNABLE;
    if ( c->to == STATE_OFFLINE && is_dying(h, c->id >> 16) )
        check_end_of_life(h, c->id >> 16);
    return 0;
}

static int replace_by_loss(struct early_records *h,
                           const struct early_record *kept,
                           const struct xt_record *r)
{
    int rc = 0;
    struct early_vcpu *v;

    get_slot(h, kept, EARLY_EXIT)->size = 0;
    get_slot(h, kept, EARLY_LAST)->size = 0;
    *get_slot(h, kept, EARLY_LOSS) = *kept;
    for ( uint32_t i = 0; i < h->nr_vcpus; i++ )
    {
        v = &h->vcpus[i];
        v->waits = false;
        if ( v->runs && v->records[v->nr - 1].cpu == kept->cpu )
        {
            keep_behind(v, kept);
            v->runs = false;
        }
    }
    if ( read_found_vcpu(r) >> 16 >= XT_DOMAIN_DEFAULT )
    {
        h->pcpus[kept->cpu].is_busy = true;
        h->pcpus[kept->cpu].current = 0;
        return 0;
    }
    v = early_get_vcpu(h, read_found_vcpu(r), &rc);
    assert(v || rc || h->nr_vcpus == GUESTS_MAX_VCPUS);
    if ( !v )
        return rc;
    replace_current(h, kept, v);
    restart_records(v, kept);
    v->is_known = true;
    h->pcpus[kept->cpu].is_busy = !xt_vcpu_key_is_idle(v->id);
    return 0;
}

/* A pcpu is silent from its last record on: see PCPU_SILENCE in pcpu.h. */
static void replace_last(struct early_records *h,
                         const struct early_record *kept,
                         const struct xt_record *r, const struct vcpu_change *c)
{
    struct early_pcpu *p = &h->pcpus[kept->cpu];

    assert(kept->cpu < h->nr_pcpus);
    if ( c && c->to == STATE_RUNNING )
    {
        p->is_busy = !xt_vcpu_key_is_idle(c->id);
        p->slots[EARLY_LAST].size = 0;
    }
    if ( !p->is_busy && xt_record_is_timed(r) &&
         (!c || (c->to == STATE_RUNNING && c->from == STATE_RUNNING)) )
        p->slots[EARLY_LAST] = *kept;
}

static void replace_power(struct early_records *h,
                          const struct early_record *kept,
                          const struct xt_record *r)
{
    if ( r->event == TRC_PM_FREQ_CHANGE )
        *get_slot(h, kept, EARLY_FREQUENCY) = *kept;
    else if ( r->event == TRC_PM_IDLE_ENTRY )
    {
        *get_slot(h, kept, EARLY_SLEEP) = *kept;
        get_slot(h, kept, EARLY_WAKE_UP)->size = 0;
    }
    else if ( r->event == TRC_PM_IDLE_EXIT )
        *get_slot(h, kept, EARLY_WAKE_UP) = *kept;
    assert(kept->size);
}

/* A record outside of the ring replaces earlier ones. */
static int replace(struct early_records *h, const struct early_record *kept)
{
    struct domain_change life;
    struct vcpu_change c;
    struct xt_record r;

    xt_record_view(&r, kept->bytes);
    assert(kept->cpu < h->nr_pcpus);
    if ( early_read_change(&r, &c) )
    {
        replace_last(h, kept, &r, &c);
        return replace_change(h, kept, &c);
    }
    if ( r.event == TRC_LOST_RECORDS )
        return replace_by_loss(h, kept, &r);
    replace_last(h, kept, &r, NULL);
    if ( (r.event & ~0xfffu) == TRC_HW_PM )
        replace_power(h, kept, &r);
    else if ( r.event == TRC_HW_IRQ_HANDLED )
        *get_slot(h, kept, EARLY_IRQ) = *kept;
    else if ( is_entry(r.event) )
        get_slot(h, kept, EARLY_EXIT)->size = 0;
    else if ( is_entry_or_exit(r.event) )
        *get_slot(h, kept, EARLY_EXIT) = *kept;
    else if ( read_domain_change(&r, &life) )
        return replace_life(h, kept, &life);
    return 0;
}

static int leave_ring(struct early_records *h)
{
    assert(h->begin < h->end);
    return replace(h, &h->ring[h->begin++ % RING]);
}

static void fill_record(struct early_record *r, uint64_t number,
                        unsigned int cpu, uint64_t time, const void *bytes,
                        size_t size)
{
    assert(size && size <= XT_RECORD_MAX_BYTES);
    r->number = number;
    r->time = time;
    r->cpu = cpu;
    r->size = size;
    memcpy(r->bytes, bytes, size);
}

int early_keep(struct early_records *h, unsigned int cpu, uint64_t time,
                 const void *bytes, size_t size)
{
    int rc = h->end - h->begin == RING ? leave_ring(h) : 0;

    assert(cpu < h->nr_pcpus);
    fill_record(&h->ring[h->end % RING], h->end, cpu, time, bytes, size);
    h->end++;
    return rc;
}

/* Records that replace none but EARLY_LAST: most of a trace. */
static bool replaces_nothing(uint32_t event)
{
    const uint32_t classes = TRC_PV | TRC_MEM | TRC_SHADOW;

    return (event & ~0xfffu) == TRC_HVM_HANDLER ||
           (event >> TRC_CLS_SHIFT & classes >> TRC_CLS_SHIFT);
}

int early_pass(struct early_records *h, unsigned int cpu, uint64_t time,
               const struct xt_record *r, const void *bytes, size_t size)
{
    struct early_pcpu *p = cpu < h->nr_pcpus ? &h->pcpus[cpu] : NULL;
    bool is_busy = p && p->is_busy;
    struct early_record kept;
    int rc;

    assert(h->begin == h->end);
    if ( is_busy && replaces_nothing(r->event) )
        return 0;
    h->begin = ++h->end;
    if ( is_busy && is_entry_or_exit(r->event) )
    {
        p->in_exit = !is_entry(r->event);
        p->slots[EARLY_EXIT].size = 0;
        if ( p->in_exit )
            fill_record(&p->slots[EARLY_EXIT], h->end, cpu, time, bytes, size);
        return 0;
    }
    rc = early_follow(h, cpu, time, r);
    fill_record(&kept, h->end, cpu, time, bytes, size);
    return rc ? rc : replace(h, &kept);
}

/* --- delivery ------------------------------------------------------------- */

/* The time W. */
static uint64_t find_ring_begin(const struct early_records *h)
{
    uint64_t time = UINT64_MAX;

    assert(h->begin <= h->end);
    for ( uint32_t i = 0; i < h->nr_vcpus; i++ )
        if ( h->vcpus[i].is_awake && h->vcpus[i].awake_since < time )
            time = h->vcpus[i].awake_since;
    return time;
}

static int order_records(const void *a, const void *b)
{
    const struct early_record *const *x = a, *const *y = b;

    return (*x)->number < (*y)->number ? -1 : (*x)->number > (*y)->number;
}

static size_t count_room(const struct early_records *h)
{
    assert(h->nr_vcpus <= GUESTS_MAX_VCPUS);
    return (size_t)h->nr_pcpus * EARLY_SLOTS + h->nr_domains +
           (size_t)h->nr_vcpus * EARLY_PER_VCPU;
}

static size_t collect_records(const struct early_records *h,
                              const struct early_record **all)
{
    size_t nr = 0;

    for ( uint32_t i = 0; i < h->nr_vcpus; i++ )
        for ( unsigned int k = 0; k < h->vcpus[i].nr; k++ )
            all[nr++] = &h->vcpus[i].records[k];
    for ( unsigned int i = 0; i < h->nr_pcpus; i++ )
        for ( unsigned int k = 0; k < EARLY_SLOTS; k++ )
            if ( h->pcpus[i].slots[k].size )
                all[nr++] = &h->pcpus[i].slots[k];
    for ( unsigned int i = 0; i < h->nr_domains; i++ )
        if ( h->domains[i].life.size )
            all[nr++] = &h->domains[i].life;
    assert(nr <= count_room(h));
    if ( nr )
        qsort(all, nr, sizeof(*all), order_records);
    return nr;
}

/* A record may be kept for several reasons. */
static int deliver_before(const struct early_records *h, early_fn *fn,
                          void *arg)
{
    size_t room = count_room(h), nr;
    const struct early_record **all;
    int rc = 0;

    assert(fn);
    all = fault_calloc(room ? room : 1, sizeof(*all));
    if ( !all )
        return -ENOMEM;
    nr = collect_records(h, all);
    for ( size_t i = 0; !rc && i < nr; i++ )
        if ( !i || all[i]->number != all[i - 1]->number )
            rc = fn(arg, all[i]);
    free(all);
    return rc;
}

static int visit_records(const struct early_record *r, unsigned int nr,
                         early_fn *fn, void *arg)
{
    int rc = 0;

    for ( unsigned int i = 0; !rc && i < nr; i++ )
        if ( r[i].size )
            rc = fn(arg, &r[i]);
    return rc;
}

int early_visit(const struct early_records *h, early_fn *fn, void *arg)
{
    int rc = 0;

    assert(fn);
    for ( uint32_t i = 0; !rc && i < h->nr_vcpus; i++ )
        rc = visit_records(h->vcpus[i].records, h->vcpus[i].nr, fn, arg);
    for ( unsigned int i = 0; !rc && i < h->nr_pcpus; i++ )
        rc = visit_records(h->pcpus[i].slots, EARLY_SLOTS, fn, arg);
    for ( unsigned int i = 0; !rc && i < h->nr_domains; i++ )
        rc = visit_records(&h->domains[i].life, 1, fn, arg);
    return rc;
}

int early_deliver(struct early_records *h, early_fn *before, early_fn *behind,
                    void *arg)
{
    uint64_t time = find_ring_begin(h);
    int rc = 0;

    while ( !rc && h->begin < h->end && h->ring[h->begin % RING].time < time )
        rc = leave_ring(h);
    rc = rc ? rc : deliver_before(h, before, arg);
    for ( ; !rc && h->begin < h->end; h->begin++ )
        rc = behind(arg, &h->ring[h->begin % RING]);
    assert(rc || h->begin == h->end);
    return rc;
}
