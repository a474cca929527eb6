/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory: grants, the physical map, populate on demand.  The acting vcpu is
 * the pcpu's current one; the record names the domain whose memory changes.
 *
 * Xen 4.17 packs domain and order into one word, and the next word is
 * arbitrary; 4.19 has a word for each.  So a trace of unknown version counts
 * as 4.17's, unless the domain word's upper half is 0 and the next word is an
 * order of populate on demand.
 */
#include "xenalyze/machine/pcpu.h"

#define XEN_4_19 0x0413u

enum shape { GRANT, SET, RANGE, POD };

static const struct
{
    bool known;
    uint8_t kind, shape, words;
} layouts[] = {
    [1] = { true, MEMORY_GRANT_MAP, GRANT, 1 },
    [2] = { true, MEMORY_GRANT_UNMAP, GRANT, 1 },
    [3] = { true, MEMORY_GRANT_TRANSFER, GRANT, 1 },
    [4] = { true, MEMORY_SET_P2M, SET, 6 },
    [5] = { true, MEMORY_DECREASE_RESERVATION, RANGE, 3 },
    [16] = { true, MEMORY_POD_POPULATE, POD, 5 },
    [17] = { true, MEMORY_POD_ZERO_RECLAIM, POD, 5 },
    [18] = { true, MEMORY_POD_SPLINTER, RANGE, 3 },
};

#define NR_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static bool has_order_word(const struct pcpu *p, const struct xt_record *r,
                           unsigned int at)
{
    uint32_t order = record_word(r, at + 1);

    if ( p->dialect->version )
        return p->dialect->version >= XEN_4_19;
    return !(record_word(r, at) >> 16) && r->words > at + 1 &&
           (order == 9 || order == 18);
}

/* The domain, and *order, at word `at`. */
static unsigned int decode_domain(const struct pcpu *p,
                                  const struct xt_record *r,
                                  unsigned int at, uint16_t *order)
{
    *order = has_order_word(p, r, at) ? record_word(r, at + 1)
                                      : record_word(r, at) >> 16;
    return record_word(r, at) & 0xffff;
}

/* Returns the domain. */
static unsigned int decode_memory(struct fact_memory *f, const struct pcpu *p,
                                  const struct xt_record *r,
                                  unsigned int shape)
{
    if ( shape == GRANT )
        return record_word(r, 0);
    f->gfn = record_word64(r, 0);
    if ( shape == RANGE )
        return decode_domain(p, r, 2, &f->order);
    f->mfn = record_word64(r, 2);
    if ( shape == POD )
        return decode_domain(p, r, 4, &f->order);
    f->type = record_word(r, 4);
    f->order = record_word(r, 5) >> 16;
    return record_word(r, 5) & 0xffff;
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
    { EXIT_VMX + 48, POD_FAULT },       /* EPT_VIOLATION */
    { EXIT_SVM_HIGH + 0, POD_FAULT },   /* NPF */
    { EXIT_VMX + 18, POD_BALLOON },     /* VMCALL */
    { EXIT_SVM + 129, POD_BALLOON },    /* VMMCALL */
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
    unsigned int minor = event_minor(r->event);
    struct fact_memory f = {
        .by = p->current, .pcpu = p->id, .time = p->time,
    };

    if ( minor >= NR_LAYOUTS || !layouts[minor].known )
    {
        pcpu_emit_event(p, r);
        return;
    }
    if ( !record_has_words(p, r, layouts[minor].words) ||
         !emit_wants_memory(p->emit) )
        return;
    f.kind = layouts[minor].kind;
    f.context = find_context(p, f.kind);
    f.target = guests_get_domain(p->guests,
                                 decode_memory(&f, p, r,
                                               layouts[minor].shape));
    emit_memory(p->emit, &f);
}
