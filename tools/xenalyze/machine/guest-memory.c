/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory: grants, the physical map, populate on demand.  The acting vcpu is
 * the pcpu's current one; the record names the owner of the memory.
 *
 * Xen 4.17 packs domain and order into one word, and the next word is
 * arbitrary; 4.19 has a word for each.  So a trace of unknown version counts
 * as 4.17's, unless the domain word's upper half is 0 and the next word is an
 * order of populate on demand.
 */
#include "xenalyze/machine/pcpu.h"

/* A record without the domain is too short. */
struct layout
{
    struct xt_field_place gfn, mfn, type, dom, order;
};

struct kind
{
    uint32_t event;             /* 0: no such event */
    uint8_t kind;
    /* Which of two layouts: 0 until 4.18, 1 since; NULL: there is one. */
    unsigned int (*choose)(uint16_t version, unsigned int words);
    struct layout layouts[2];
};

#define DOM(name) .dom = XT_PLACE(name, dom)
#define RANGE(name) \
    DOM(name), .gfn = XT_PLACE(name, gfn), .order = XT_PLACE(name, order)
#define POD(name) RANGE(name), .mfn = XT_PLACE(name, mfn)
#define P2M(name) POD(name), .type = XT_PLACE(name, type)
/* Until 4.18 without an order. */
#define SPLINTER(name) DOM(name), .gfn = XT_PLACE(name, gfn)

#define ROW(event, ...) [(event) - TRC_MEM] = { event, __VA_ARGS__ }
#define ONE(fields, name) NULL, { { fields(name) } }
#define TWO(old, new, name) \
    xt_layout_##name, { { old(name##_until_4_18) }, { new(name) } }

static const struct kind kinds[] = {
    ROW(TRC_MEM_PAGE_GRANT_MAP, MEMORY_GRANT_MAP,
        ONE(DOM, mem_page_grant_map)),
    ROW(TRC_MEM_PAGE_GRANT_UNMAP, MEMORY_GRANT_UNMAP,
        ONE(DOM, mem_page_grant_unmap)),
    ROW(TRC_MEM_PAGE_GRANT_TRANSFER, MEMORY_GRANT_TRANSFER,
        ONE(DOM, mem_page_grant_transfer)),
    ROW(TRC_MEM_SET_P2M_ENTRY, MEMORY_SET_P2M, ONE(P2M, mem_set_p2m_entry)),
    ROW(TRC_MEM_DECREASE_RESERVATION, MEMORY_DECREASE_RESERVATION,
        TWO(RANGE, RANGE, mem_decrease_reservation)),
    ROW(TRC_MEM_POD_POPULATE, MEMORY_POD_POPULATE,
        TWO(POD, POD, mem_pod_populate)),
    ROW(TRC_MEM_POD_ZERO_RECLAIM, MEMORY_POD_ZERO_RECLAIM,
        TWO(POD, POD, mem_pod_zero_reclaim)),
    ROW(TRC_MEM_POD_SUPERPAGE_SPLINTER, MEMORY_POD_SPLINTER,
        TWO(SPLINTER, RANGE, mem_pod_superpage_splinter)),
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

_Static_assert((TRC_MEM & 0xfff) == 0, "event_minor() is the row");

static const struct kind *find_kind(uint32_t event)
{
    unsigned int minor = event_minor(event);

    return minor < NR_KINDS && kinds[minor].event ? &kinds[minor] : NULL;
}

/* As a record since 4.19: a word for the domain and an order that PoD has. */
static bool looks_new(const struct xt_record *r, const struct layout *l)
{
    uint64_t order = xt_field_load(r, l->order);

    return !(xt_field_load(r, l->dom) >> 16) && (order == 9 || order == 18);
}

static const struct layout *choose_layout(const struct kind *k,
                                          const struct pcpu *p,
                                          const struct xt_record *r)
{
    uint16_t version = p->dialect->version;

    if ( !k->choose )
        return &k->layouts[0];
    if ( !version )
        return &k->layouts[looks_new(r, &k->layouts[1])];
    return &k->layouts[k->choose(version, r->words)];
}

/*
 * Xen looks for zero pages in a fault that needs a page, or when the balloon
 * driver returns memory, by a hypercall.
 */
static const struct
{
    uint16_t cause;
    uint8_t context;
} contexts[] = {
    { EXIT_VMX + XT_VALUE(vmx_exit, EPT_VIOLATION), POD_FAULT },
    { EXIT_SVM_HIGH + 0, POD_FAULT },   /* NPF */
    { EXIT_VMX + XT_VALUE(vmx_exit, VMCALL), POD_BALLOON },
    { EXIT_SVM + XT_VALUE(svm_exit, VMMCALL), POD_BALLOON },
};

#define NR_CONTEXTS (sizeof(contexts) / sizeof(contexts[0]))

static unsigned int find_context(const struct pcpu *p, unsigned int kind)
{
    const struct open_exit *o = &p->open_exit;

    if ( kind != MEMORY_POD_ZERO_RECLAIM || !o->open )
        return POD_UNKNOWN;
    for ( size_t i = 0; i < NR_CONTEXTS; i++ )
        if ( contexts[i].cause == o->exit.cause )
            return contexts[i].context;
    return POD_UNKNOWN;
}

void memory_record(struct pcpu *p, const struct xt_record *r)
{
    const struct kind *k = find_kind(r->event);
    struct fact_memory f = {
        .by = p->current, .pcpu = p->id, .time = p->time,
    };
    const struct layout *l;

    if ( !k )
    {
        pcpu_emit_event(p, r);
        return;
    }
    l = choose_layout(k, p, r);
    if ( !record_has_field(p, r, l->dom) || !emit_wants_memory(p->emit) )
        return;
    f.kind = k->kind;
    f.context = find_context(p, f.kind);
    f.is_guess = k->choose && !p->dialect->version;
    f.target = guests_get_domain(p->guests, xt_field_load(r, l->dom));
    f.gfn = xt_field_load(r, l->gfn);
    f.mfn = xt_field_load(r, l->mfn);
    f.type = xt_field_load(r, l->type);
    f.order = xt_field_load(r, l->order);
    emit_memory(p->emit, &f);
}
