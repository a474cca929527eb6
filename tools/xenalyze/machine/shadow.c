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
    f->linear = linear_level(s->levels, s->va);
    if ( kind == SHADOW_EMULATE )
    {
        s->count = s->flags >> 29;
        s->flags &= (1u << 29) - 1;
    }
    return true;
}

/*
 * Windows maps its page tables by an entry of the root that points to the root
 * itself.  So an address has that entry's index at its top as often as the walk
 * stays in the root: that often for the table of that level.
 */
unsigned int linear_level(unsigned int levels, uint64_t va)
{
    static const struct { uint8_t bits, top; uint16_t self; } maps[] = {
        [2] = { 10, 32, 768 }, [4] = { 9, 48, 0x1ed },
    };
    unsigned int level = 0, bits, shift;

    /* Three levels: the root's four tables are the last of 8 MiB. */
    if ( levels == 3 )
        return va >> 23 != 0xc0000000ull >> 23 ? 0
               : va >> 14 != 0xc0600000ull >> 14 ? 1
               : va >> 5 != 0xc0603000ull >> 5 ? 2 : 3;
    if ( levels != 2 && levels != 4 )
        return 0;
    bits = maps[levels].bits;
    shift = maps[levels].top - bits;
    while ( level < levels &&
            (va >> shift & ((1u << bits) - 1)) == maps[levels].self )
    {
        level++;
        shift -= bits;
    }
    return level;
}

/* What else came in an exit, of which there may be many. */
static void note_aside(struct outside *o, unsigned int kind)
{
    if ( kind == SHADOW_WRMAP_BF )
        o->exit.brute_force = true;
    else if ( kind == SHADOW_PREALLOC_UNPIN )
        o->exit.unpinned = true;
    else if ( o->exit.resyncs < UINT8_MAX )
        o->exit.resyncs++;
}

/* All but the last four are the way in which an exit was handled. */
void shadow_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int kind = MINOR(r->event);

    if ( p->outside.open && kind < SHADOW_WRMAP_BF )
        p->outside.exit.levels = LEVELS(r->event);
    else if ( p->outside.open && kind < SHADOW_KINDS )
        note_aside(&p->outside, kind);
    hvm_handle(p, r, MINOR(TRC_HVM_PF_XEN));
}
