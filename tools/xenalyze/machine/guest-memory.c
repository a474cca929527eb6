/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory: grants, the physical map, populate on demand.  Who did it is who
 * runs on the pcpu; for whom, stands in the record.
 *
 * Xen 4.17 has domain and order in the halves of one word, and anything in the
 * next; 4.19 has a word for each.  So a dialect that is not known is 4.17's,
 * unless the domain word has nothing in its upper half and an order that
 * populate on demand knows stands in the next one.
 */
#include "xenalyze/machine/pcpu.h"
#include "xenalyze/model/model.h"

#define XEN_4_19 0x0413u
#define MINOR(event) ((event) & 0xfff)

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

static bool is_new(const struct pcpu *p, const struct xt_record *r,
                   unsigned int at)
{
    uint32_t order = word(r, at + 1);

    if ( p->dialect->version )
        return p->dialect->version >= XEN_4_19;
    return !(word(r, at) >> 16) && r->words > at + 1 &&
           (order == 9 || order == 18);
}

/* The domain and the order at word `at`. */
static unsigned int whose(const struct pcpu *p, const struct xt_record *r,
                          unsigned int at, uint16_t *order)
{
    *order = is_new(p, r, at) ? word(r, at + 1) : word(r, at) >> 16;
    return word(r, at) & 0xffff;
}

static unsigned int decode(struct fact_memory *f, const struct pcpu *p,
                           const struct xt_record *r, unsigned int shape)
{
    if ( shape == GRANT )
        return word(r, 0);
    f->gfn = word64(r, 0);
    if ( shape == RANGE )
        return whose(p, r, 2, &f->order);
    f->mfn = word64(r, 2);
    if ( shape == POD )
        return whose(p, r, 4, &f->order);
    f->type = word(r, 4);
    f->order = word(r, 5) >> 16;
    return word(r, 5) & 0xffff;
}

/*
 * Zero pages are looked for in a fault that needs one, or when the balloon
 * driver gives some back, by a hypercall.
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

static unsigned int context(const struct pcpu *p, unsigned int kind)
{
    const struct outside *o = &p->outside;

    if ( kind != MEMORY_POD_ZERO_RECLAIM || !o->open )
        return POD_UNKNOWN;
    for ( size_t i = 0; i < NR_CONTEXTS; i++ )
        if ( contexts[i].cause == o->exit.cause )
            return contexts[i].context;
    return POD_UNKNOWN;
}

void memory_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int minor = MINOR(r->event);
    struct fact_memory f = {
        .by = p->current, .pcpu = p->id, .time = p->time,
    };

    if ( minor >= NR_LAYOUTS || !layouts[minor].known )
    {
        event_record(p, r);
        return;
    }
    if ( !has_words(p, r, layouts[minor].words) ||
         !emit_wants_memory(p->emit) )
        return;
    f.kind = layouts[minor].kind;
    f.context = context(p, f.kind);
    f.target = guests_get_domain(p->guests,
                                 decode(&f, p, r, layouts[minor].shape));
    emit_memory(p->emit, &f);
}
