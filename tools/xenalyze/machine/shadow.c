/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shadow faults.  The id says how many levels the guest's page tables have,
 * and so how wide everything is; records are packed:
 *
 *                       2 levels   3 levels   4 levels
 *     gl1e, gfn, wval   W          D          D
 *     va                W          W          D
 */
#include "xenalyze/machine/pcpu.h"

#define LEVELS(event) (((event) >> 8 & 3) + 2)
#define MINOR(event) ((event) & 0xff)

/* e entry, w what was written, g gfn, v va, f flags. */
static const char *const shapes[SHADOW_KINDS] = {
    [SHADOW_PROPAGATE] = "evf", [SHADOW_FAST_PROPAGATE] = "v",
    [SHADOW_FAST_MMIO] = "v", [SHADOW_FALSE_FAST_PATH] = "v",
    [SHADOW_MMIO] = "v", [SHADOW_FIXUP] = "evf", [SHADOW_DOMF_DYING] = "v",
    [SHADOW_EMULATE] = "ewvf", [SHADOW_UNSHADOW_USER] = "gvF",
    [SHADOW_UNSHADOW_EVTINJ] = "gvF", [SHADOW_UNSHADOW_UNHANDLED] = "gvF",
};

/* Takes a number of one or two words; past the end there are zeroes. */
static uint64_t take(const struct xt_record *r, unsigned int *at, bool wide)
{
    uint64_t value = wide ? word64(r, *at) : word(r, *at);

    *at += wide ? 2 : 1;
    return value;
}

static unsigned int decode(struct fact_shadow *s, const char *shape,
                           const struct xt_record *r)
{
    unsigned int at = 0;

    for ( ; *shape; shape++ )
        switch ( *shape )
        {
        case 'e': s->gl1e = take(r, &at, s->levels > 2); break;
        case 'w': s->written = take(r, &at, s->levels > 2); break;
        case 'g': s->gfn = take(r, &at, s->levels > 2); break;
        case 'v': s->va = take(r, &at, s->levels > 3); break;
        case 'f': s->flags = take(r, &at, false); break;
        /* Since 4.19 only. */
        case 'F': s->flags = at < r->words ? take(r, &at, false) : 0; break;
        }
    return at;
}

bool shadow_decode(struct fact_handle *f, const struct xt_record *r)
{
    struct fact_shadow *s = &f->shadow;
    unsigned int kind = MINOR(r->event);

    if ( kind >= SHADOW_KINDS || !kind )
        return true;
    f->kind = HANDLE_SHADOW;
    s->kind = kind;
    if ( kind >= SHADOW_WRMAP_BF )
    {
        s->gfn = word64(r, 0);
        f->main = false;
        return r->words >= 2;
    }
    s->levels = LEVELS(r->event);
    if ( decode(s, shapes[kind], r) > r->words )
        return false;
    f->at = s->va;
    f->value = s->flags;
    if ( kind == SHADOW_EMULATE )
    {
        s->count = s->flags >> 29;
        s->flags &= (1u << 29) - 1;
    }
    return true;
}

/* All but the last four are the way in which an exit was handled. */
void shadow_record(struct pcpu *p, const struct xt_record *r)
{
    if ( MINOR(r->event) < SHADOW_WRMAP_BF && p->outside.open )
        p->outside.levels = LEVELS(r->event);
    hvm_handle(p, r, MINOR(TRC_HVM_PF_XEN));
}
