/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shadow faults.  The event id has the number of levels of the guest's page
 * tables, which determines the width of all fields; records are packed:
 *
 *                       2 levels   3 levels   4 levels
 *     gl1e, gfn, wval   W          D          D
 *     va                W          W          D
 */
#include "xenalyze/machine/pcpu.h"

static unsigned int event_levels(uint32_t event)
{
    return (event >> 8 & 3) + 2;
}

/* e entry, w written value, g gfn, v va, f flags, F flags since 4.19. */
static const char *const shapes[SHADOW_KINDS] = {
    [SHADOW_PROPAGATE] = "evf", [SHADOW_FAST_PROPAGATE] = "v",
    [SHADOW_FAST_MMIO] = "v", [SHADOW_FALSE_FAST_PATH] = "v",
    [SHADOW_MMIO] = "v", [SHADOW_FIXUP] = "evf", [SHADOW_DOMF_DYING] = "v",
    [SHADOW_EMULATE] = "ewvf", [SHADOW_UNSHADOW_USER] = "gvF",
    [SHADOW_UNSHADOW_EVTINJ] = "gvF", [SHADOW_UNSHADOW_UNHANDLED] = "gvF",
};

/* Read one word or two; words past the end of the record are 0. */
static uint64_t read_value(const struct xt_record *r, unsigned int *at,
                           bool wide)
{
    uint64_t value = wide ? record_word64(r, *at) : record_word(r, *at);

    *at += wide ? 2 : 1;
    return value;
}

/* Returns the number of words that the record should have. */
static unsigned int decode_shape(struct fact_shadow *s, const char *shape,
                                 const struct xt_record *r)
{
    unsigned int at = 0;

    for ( ; *shape; shape++ )
        switch ( *shape )
        {
        case 'e': s->gl1e = read_value(r, &at, s->levels > 2); break;
        case 'w': s->written = read_value(r, &at, s->levels > 2); break;
        case 'g': s->gfn = read_value(r, &at, s->levels > 2); break;
        case 'v': s->va = read_value(r, &at, s->levels > 3); break;
        case 'f': s->flags = read_value(r, &at, false); break;
        case 'F':
            s->flags = at < r->words ? read_value(r, &at, false) : 0;
            break;
        }
    return at;
}

bool shadow_decode(struct fact_handle *f, const struct xt_record *r)
{
    struct fact_shadow *s = &f->shadow;
    unsigned int kind = event_minor8(r->event);

    if ( kind >= SHADOW_KINDS || !kind )
        return true;
    f->kind = HANDLE_SHADOW;
    s->kind = kind;
    if ( kind >= SHADOW_WRMAP_BF )
    {
        s->gfn = record_word64(r, 0);
        f->main = false;
        return r->words >= 2;
    }
    s->levels = event_levels(r->event);
    if ( decode_shape(s, shapes[kind], r) > r->words )
        return false;
    f->at = s->va;
    f->value = s->flags;
    f->linear = find_linear_level(s->levels, s->va);
    if ( kind == SHADOW_EMULATE )
    {
        s->count = s->flags >> 29;
        s->flags &= (1u << 29) - 1;
    }
    return true;
}

/*
 * Windows maps its page tables by an entry of the root table that points to
 * the root table itself.  So in the address of a table of level n the topmost
 * n indices are the index of that entry.
 */
unsigned int find_linear_level(unsigned int levels, uint64_t va)
{
    static const struct { uint8_t bits, top; uint16_t self; } maps[] = {
        [2] = { 10, 32, 768 }, [4] = { 9, 48, 0x1ed },
    };
    unsigned int level = 0, bits, shift;

    /* Three levels: the four root tables are at the end of 8 MiB. */
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

/* Events besides the fault; an exit may have many of them. */
static void note_secondary(struct open_exit *o, unsigned int kind)
{
    if ( kind == SHADOW_WRMAP_BF )
        o->exit.brute_force = true;
    else if ( kind == SHADOW_PREALLOC_UNPIN )
        o->exit.unpinned = true;
    else if ( o->exit.resyncs < UINT8_MAX )
        o->exit.resyncs++;
}

/* All kinds but the last four name the way in which a fault was handled. */
void shadow_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int kind = event_minor8(r->event);

    if ( p->open_exit.open && kind < SHADOW_WRMAP_BF )
        p->open_exit.exit.levels = event_levels(r->event);
    else if ( p->open_exit.open && kind < SHADOW_KINDS )
        note_secondary(&p->open_exit, kind);
    hvm_add_handler(p, r, event_minor8(TRC_HVM_PF_XEN));
}
