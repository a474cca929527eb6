/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Summary of HVM exits: cost by vcpu and exit reason, and details by handler.
 * Stock registers details once per call site, so stock prints details for the
 * first vcpu only; here every vcpu has its own.
 */
#include "xenalyze/account/summary.h"

#include <assert.h>
#include <string.h>

#include "common/debug.h"

_Static_assert((SUMMARY_FEW_EXITS & (SUMMARY_FEW_EXITS - 1)) == 0,
               "the first capacity is a power of two, as all others");

static struct summary_hvm *new_hvm(struct summary *b, struct summary_vcpu *own)
{
    assert(!own->hvm);
    own->hvm = arena_zalloc(&b->pool.arena, sizeof(*own->hvm), 64);
    if ( own->hvm )
        own->hvm->exits = own->hvm->first;
    else
        b->pool.failed = true;
    return own->hvm;
}

static inline struct summary_hvm *get_hvm(struct summary *b,
                                          const struct vcpu *v)
{
    struct summary_vcpu *own = summary_get_vcpu(b, v);

    if ( !own || own->hvm )
        return own ? own->hvm : NULL;
    return new_hvm(b, own);
}

/* Make room for another pointer; capacity is a power of two. */
static bool grow_exits(struct summary *b, struct summary_hvm *h)
{
    unsigned int nr = h->nr_exits + 1;
    struct summary_exit **larger;

    assert(nr <= EXIT_CAUSES);
    if ( nr < SUMMARY_FEW_EXITS || nr & (nr - 1) )
        return true;
    larger = arena_array(&b->pool.arena, 2 * nr, sizeof(*larger), 8);
    if ( !larger )
        return false;
    memcpy(larger, h->exits, nr * sizeof(*larger));
    h->exits = larger;
    return true;
}

COLD
struct summary_exit *summary_exit_find_slow(const struct summary_hvm *h,
                                            unsigned int cause)
{
    for ( unsigned int i = UINT8_MAX + 1; i <= h->nr_exits; i++ )
        if ( h->exits[i]->cause == cause )
            return h->exits[i];
    return NULL;
}

static struct summary_exit *new_exit(struct summary *b, struct summary_hvm *h,
                                     unsigned int cause)
{
    struct summary_exit *x = NULL;

    assert(cause < EXIT_CAUSES && !h->exit_index[cause]);
    /* Hot path: series are aligned to cache lines of their own. */
    if ( grow_exits(b, h) )
        x = arena_zalloc(&b->pool.arena, sizeof(*x), 64);
    if ( !x )
    {
        b->pool.failed = true;
        return NULL;
    }
    x->cause = cause;
    assert(!h->exits[0]);       /* the exit of all causes without one */
    h->exits[++h->nr_exits] = x;
    if ( h->nr_exits <= UINT8_MAX )
        h->exit_index[cause] = h->nr_exits;
    return x;
}

static inline struct summary_exit *get_exit(struct summary *b,
                                            struct summary_hvm *h,
                                            unsigned int cause)
{
    struct summary_exit *x = summary_exit_find(h, cause);

    return x ? x : new_exit(b, h, cause);
}

/*
 * Cold path: the first exit of a vcpu or cause, causes beyond the index, and
 * unknown reasons.
 */
COLD
static void summary_add_exit_slow(struct summary *b, const struct fact_exit *f)
{
    struct summary_hvm *h = get_hvm(b, f->vcpu);
    struct summary_exit *x = h ? get_exit(b, h, f->cause) : NULL;

    if ( !x )
        return;
    h->exit_cycles += f->cycles;
    h->guest_cycles += f->guest;
    if ( xt_exit_is_svm(f->reason) && f->hardware <= XT_HARDWARE_SVM )
        b->svm_exits[f->hardware]++;
    if ( f->cause == EXIT_OTHER )
        stats_map_add(&h->others, &b->pool, f->reason, f->cycles, f->start);
    stats_add(&x->cost, &b->pool, f->cycles, f->start);
}

/*
 * The vcpu changed: prefetch all its series at once, so the cache misses of the
 * next few dozen exits overlap.
 */
__attribute__((noinline))
static struct summary_hvm *switch_vcpu(struct summary *b, const struct vcpu *v)
{
    struct summary_hvm *h = get_hvm(b, v);

    if ( !h )
        return NULL;
    b->latest = v;
    b->latest_hvm = h;
    for ( unsigned int i = 1; i <= h->nr_exits; i++ )
        stats_prefetch(&h->exits[i]->cost);
    return h;
}

/* The vcpu of most facts is that of the fact before.  NULL: no memory. */
static inline struct summary_hvm *get_latest_hvm(struct summary *b,
                                             const struct vcpu *v)
{
    return v == b->latest ? b->latest_hvm : switch_vcpu(b, v);
}

__attribute__((noinline))
static void switch_and_add_exit(struct summary *b, const struct fact_exit *f)
{
    if ( switch_vcpu(b, f->vcpu) )
        summary_add_exit(b, f);
}

/* Hot path: all calls are tail calls, so that no register is saved. */
void summary_add_exit(void *state, const struct fact_exit *f)
{
    struct summary *b = state;
    struct summary_hvm *h = b->latest_hvm;
    struct summary_exit *x;

    debug_assert(!b->closed && f->cause < EXIT_CAUSES);
    if ( f->vcpu != b->latest )
    {
        switch_and_add_exit(b, f);
        return;
    }
    x = summary_exit_find_fast(h, f->cause);
    b->fault_va = 0;
    b->counts_left_out = false;
    if ( !x || f->cause == EXIT_OTHER )
    {
        summary_add_exit_slow(b, f);
        return;
    }
    h->exit_cycles += f->cycles;
    h->guest_cycles += f->guest;
    stats_add(&x->cost, &b->pool, f->cycles, f->start);
}

/* --- handlers ------------------------------------------------------------- */

/* An exit with several keys, or the first of its cause. */
COLD
static void note_details_slow(struct summary *b, struct summary_hvm *h,
                              const struct fact_handle *f)
{
    struct summary_exit *x = get_exit(b, h, f->exit->cause);
    uint64_t keys[SUMMARY_DETAILS];
    unsigned int nr = summary_detail_keys(f, keys);

    debug_assert(nr <= SUMMARY_DETAILS && f->vcpu == f->exit->vcpu);
    for ( unsigned int i = 0; x && i < nr; i++ )
        stats_map_add(&x->details, &b->pool, keys[i], f->exit->cycles,
                      f->exit->start);
}

static inline void note_details(struct summary *b, struct summary_hvm *h,
                                const struct fact_handle *f)
{
    struct summary_exit *x = summary_exit_find_fast(h, f->exit->cause);

    if ( !x || summary_detail_has_parts(f) )
        note_details_slow(b, h, f);
    else
        stats_map_add(&x->details, &b->pool, summary_detail_whole(f),
                      f->exit->cycles, f->exit->start);
}

static bool is_interrupt(const struct fact_handle *f, uint32_t vector)
{
    return f->kind == HANDLE_INTERRUPT && f->has_value && f->at == vector;
}

/* Lists of guest addresses are per domain, as in stock. */
static struct summary_domain *get_list_owner(struct summary *b,
                                             const struct fact_handle *f)
{
    return f->exit ? summary_get_domain(b, f->vcpu->domain) : NULL;
}

static void note_emulation(struct summary *b, const struct fact_handle *f)
{
    struct summary_domain *d = get_list_owner(b, f);

    if ( d )
        stats_map_add(&d->emulated, &b->pool, f->exit->rip, f->exit->cycles,
                      f->exit->start);
}

static void note_page_fault(struct summary *b, struct summary_hvm *h,
                            const struct fact_handle *f)
{
    (void)h;
    if ( f->linear )
        note_emulation(b, f);
}

static void note_shadow(struct summary *b, struct summary_hvm *h,
                        const struct fact_handle *f)
{
    (void)h;
    if ( f->shadow.kind == SHADOW_EMULATE )
        note_emulation(b, f);
    if ( f->exit && (f->shadow.kind == SHADOW_MMIO ||
                     f->shadow.kind == SHADOW_FAST_MMIO) )
        b->fault_va = f->shadow.va;
}

static void note_interrupt(struct summary *b, struct summary_hvm *h,
                           const struct fact_handle *f)
{
    struct summary_domain *d;

    if ( b->want.eips && is_interrupt(f, b->want.eip_vector) &&
         (d = get_list_owner(b, f)) )
        stats_map_add(&d->hit, &b->pool, f->exit->rip, f->exit->cycles,
                      f->exit->start);
    if ( b->want.histogram && f->exit &&
         is_interrupt(f, b->want.histogram_vector) )
        stats_map_add(&h->bars, &b->pool, f->exit->rip / b->want.histogram,
                      0, f->time);
}

static void note_injection(struct summary *b, struct summary_hvm *h,
                           const struct fact_handle *f)
{
    stats_map_add(&h->interrupts, &b->pool, f->at, 0, f->time);
}

/* Accesses without an address, once for each exit. */
COLD
static void note_left_out(struct summary *b, struct stats_map *m,
                          const struct fact_exit *x, uint64_t cycles)
{
    struct stats *others = b->counts_left_out
                           ? NULL : stats_map_get_others(m, &b->pool);

    debug_assert(x->left_out < x->accesses);
    b->counts_left_out = true;
    for ( uint32_t i = 0; others && i < x->left_out; i++ )
        stats_add(others, &b->pool, cycles, x->start);
}

/* An exit may have many accesses, such as those of REP: each has a part. */
static void note_access(struct summary *b, struct stats_map *m,
                        const struct fact_handle *f)
{
    const struct fact_exit *x = f->exit;
    uint64_t cycles = x ? x->cycles : 0;

    if ( x && x->accesses > 1 )
        cycles /= x->accesses;
    stats_map_add(m, &b->pool, f->at * 2 + f->write, cycles, f->time);
    if ( x && x->left_out )
        note_left_out(b, m, x, cycles);
}

static void note_port(struct summary *b, struct summary_hvm *h,
                      const struct fact_handle *f)
{
    note_access(b, &h->io, f);
}

/* The shadow fault has the guest-virtual address, the access the physical. */
static void note_mmio(struct summary *b, struct summary_hvm *h,
                      const struct fact_handle *f)
{
    note_access(b, &h->mmio, f);
    if ( b->fault_va && f->exit )
        stats_map_add(&h->mmio_va, &b->pool, f->at, b->fault_va, f->time);
}

/* Statistics beside those of the exit. */
static void (*const notes[HANDLE_KINDS])(struct summary *b,
                                         struct summary_hvm *h,
                                         const struct fact_handle *f) = {
    [HANDLE_PF_XEN] = note_page_fault, [HANDLE_INJECT] = note_injection,
    [HANDLE_PIO] = note_port, [HANDLE_MMIO] = note_mmio,
    [HANDLE_INTERRUPT] = note_interrupt, [HANDLE_SHADOW] = note_shadow,
};

void summary_add_handle(void *state, const struct fact_handle *f)
{
    struct summary *b = state;
    struct summary_hvm *h = get_latest_hvm(b, f->vcpu);

    debug_assert(f->kind < HANDLE_KINDS);
    if ( !h )
        return;
    if ( notes[f->kind] )
        notes[f->kind](b, h, f);
    if ( f->exit && f->main && f->kind != HANDLE_MSR )
        note_details(b, h, f);
}

/* A global fact, so shards have none, and a merge need not add any. */
void summary_add_exit_block(void *state, const struct fact_exit_block *f)
{
    struct summary *b = state;
    struct summary_hvm *h = get_hvm(b, f->exit->vcpu);
    struct summary_exit *x = h ? get_exit(b, h, f->exit->cause) : NULL;
    uint64_t keys[SUMMARY_DETAILS];
    unsigned int nr = 0;

    if ( x && !x->off_cpu )
        x->off_cpu = arena_zalloc(&b->pool.arena, sizeof(*x->off_cpu), 8);
    if ( !x || !x->off_cpu )
    {
        b->pool.failed = true;
        return;
    }
    x->off_cpu->cycles += f->cycles;
    if ( f->handle && f->handle->kind != HANDLE_MSR )
        nr = summary_detail_keys(f->handle, keys);
    debug_assert(nr <= SUMMARY_DETAILS);
    for ( unsigned int i = 0; i < nr; i++ )
        stats_map_add(&x->off_cpu->details, &b->pool, keys[i], f->cycles,
                      f->exit->start);
}

static void merge_exit(struct summary *to, struct summary_hvm *h,
                       const struct summary_exit *from)
{
    struct summary_exit *x = get_exit(to, h, from->cause);

    assert(!x || x->cause == from->cause);
    if ( !x )
        return;
    stats_merge(&x->cost, &to->pool, &from->cost);
    stats_map_merge(&x->details, &to->pool, &from->details);
}

void summary_merge_hvm(struct summary *to, struct summary_vcpu *v,
                       const struct summary_hvm *from)
{
    assert(v->hvm && v->hvm != from && from->nr_exits <= EXIT_CAUSES);
    v->hvm->exit_cycles += from->exit_cycles;
    v->hvm->guest_cycles += from->guest_cycles;
    stats_map_merge(&v->hvm->others, &to->pool, &from->others);
    stats_map_merge(&v->hvm->interrupts, &to->pool, &from->interrupts);
    stats_map_merge(&v->hvm->io, &to->pool, &from->io);
    stats_map_merge(&v->hvm->mmio, &to->pool, &from->mmio);
    stats_map_merge(&v->hvm->mmio_va, &to->pool, &from->mmio_va);
    stats_map_merge(&v->hvm->bars, &to->pool, &from->bars);
    for ( unsigned int i = 1; i <= from->nr_exits; i++ )
        merge_exit(to, v->hvm, from->exits[i]);
}
