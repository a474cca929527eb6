/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shadow faults.  The event id has the number of levels of the guest's page
 * tables, which determines the width of all fields; records are packed:
 *
 *                       2 levels   3 levels   4 levels
 *     gl1e, gfn, value  1 word     2 words    2 words
 *     va                1          1          2
 */
#include "xenalyze/machine/pcpu.h"

#define MIN_LEVELS 2u
#define MAX_LEVELS 4u

static unsigned int event_levels(uint32_t event)
{
    return (event >> 8 & 3) + MIN_LEVELS;
}

struct layout
{
    uint8_t words;              /* at least */
    struct xt_field_place gl1e, written, gfn, va, path, count;
};

#define VA(n) .words = XT_WORDS(n), .va = XT_PLACE(n, va)
#define ENTRY(n) \
    VA(n), .gl1e = XT_PLACE(n, gl1e), .path = XT_PLACE(n, path)
#define EMULATE(n) \
    ENTRY(n), .written = XT_PLACE(n, value), .count = XT_PLACE(n, emulations)
/* The path is there since 4.19 only. */
#define UNSHADOW(n) \
    .words = XT_WORDS(n##_until_4_18), .va = XT_PLACE(n, va), \
    .gfn = XT_PLACE(n, gfn), .path = XT_PLACE(n, path)
#define ROW(fields, name) \
    { { fields(name##_2) }, { fields(name##_3) }, { fields(name##_4) } }

static const struct layout layouts[SHADOW_WRMAP_BF]
                                  [MAX_LEVELS - MIN_LEVELS + 1] = {
    [SHADOW_PROPAGATE] = ROW(ENTRY, shadow_not_shadow),
    [SHADOW_FAST_PROPAGATE] = ROW(VA, shadow_fast_propagate),
    [SHADOW_FAST_MMIO] = ROW(VA, shadow_fast_mmio),
    [SHADOW_FALSE_FAST_PATH] = ROW(VA, shadow_false_fast_path),
    [SHADOW_MMIO] = ROW(VA, shadow_mmio),
    [SHADOW_FIXUP] = ROW(ENTRY, shadow_fixup),
    [SHADOW_DOMF_DYING] = ROW(VA, shadow_domf_dying),
    [SHADOW_EMULATE] = ROW(EMULATE, shadow_emulate),
    [SHADOW_UNSHADOW_USER] = ROW(UNSHADOW, shadow_emulate_unshadow_user),
    [SHADOW_UNSHADOW_EVTINJ] = ROW(UNSHADOW, shadow_emulate_unshadow_evtinj),
    [SHADOW_UNSHADOW_UNHANDLED] =
        ROW(UNSHADOW, shadow_emulate_unshadow_unhandled),
};

ASSERT_KIND(SHADOW_PROPAGATE, TRC_SHADOW_NOT_SHADOW);
ASSERT_KIND(SHADOW_FAST_PROPAGATE, TRC_SHADOW_FAST_PROPAGATE);
ASSERT_KIND(SHADOW_FAST_MMIO, TRC_SHADOW_FAST_MMIO);
ASSERT_KIND(SHADOW_FALSE_FAST_PATH, TRC_SHADOW_FALSE_FAST_PATH);
ASSERT_KIND(SHADOW_MMIO, TRC_SHADOW_MMIO);
ASSERT_KIND(SHADOW_FIXUP, TRC_SHADOW_FIXUP);
ASSERT_KIND(SHADOW_DOMF_DYING, TRC_SHADOW_DOMF_DYING);
ASSERT_KIND(SHADOW_EMULATE, TRC_SHADOW_EMULATE);
ASSERT_KIND(SHADOW_UNSHADOW_USER, TRC_SHADOW_EMULATE_UNSHADOW_USER);
ASSERT_KIND(SHADOW_UNSHADOW_EVTINJ, TRC_SHADOW_EMULATE_UNSHADOW_EVTINJ);
ASSERT_KIND(SHADOW_UNSHADOW_UNHANDLED, TRC_SHADOW_EMULATE_UNSHADOW_UNHANDLED);
ASSERT_KIND(SHADOW_WRMAP_BF, TRC_SHADOW_WRMAP_BF);
ASSERT_KIND(SHADOW_PREALLOC_UNPIN, TRC_SHADOW_PREALLOC_UNPIN);
ASSERT_KIND(SHADOW_RESYNC_FULL, TRC_SHADOW_RESYNC_FULL);
ASSERT_KIND(SHADOW_RESYNC_ONLY, TRC_SHADOW_RESYNC_ONLY);

static void load_fields(struct fact_shadow *s, const struct xt_record *r,
                        const struct layout *l)
{
    s->gl1e = xt_field_load(r, l->gl1e);
    s->written = xt_field_load(r, l->written);
    s->gfn = xt_field_load(r, l->gfn);
    s->va = xt_field_load(r, l->va);
    s->flags = xt_field_load(r, l->path);
    s->count = xt_field_load(r, l->count);
}

/* The layout of a fault.  Five levels are nobody's, and read as four. */
static const struct layout *find_layout(uint32_t event)
{
    unsigned int levels = event_levels(event);

    return &layouts[event_minor8(event)]
                   [(levels < MAX_LEVELS ? levels : MAX_LEVELS) - MIN_LEVELS];
}

bool shadow_is_complete(uint32_t event, unsigned int words)
{
    unsigned int kind = event_minor8(event);

    if ( kind >= SHADOW_KINDS || !kind )
        return true;
    return words >= (kind < SHADOW_WRMAP_BF ? find_layout(event)->words
                                            : XT_WORDS(shadow_wrmap_bf));
}

void shadow_decode(struct fact_handle *f, const struct xt_record *r)
{
    struct fact_shadow *s = &f->shadow;
    unsigned int kind = event_minor8(r->event);

    if ( kind >= SHADOW_KINDS || !kind )
        return;
    f->kind = HANDLE_SHADOW;
    s->kind = kind;
    if ( kind >= SHADOW_WRMAP_BF )
    {
        /* All of them have a frame number only. */
        s->gfn = RECORD_FIELD(r, shadow_wrmap_bf, gfn);
        f->main = false;
        return;
    }
    s->levels = event_levels(r->event);
    load_fields(s, r, find_layout(r->event));
    f->at = s->va;
    f->value = s->flags | (uint64_t)s->count << XT_BITS(shadow_emulate_2, path);
    f->linear = find_linear_level(s->levels, s->va);
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
    debug_assert(o->open && kind >= SHADOW_WRMAP_BF && kind < SHADOW_KINDS);
    if ( kind == SHADOW_WRMAP_BF )
        o->exit.brute_force = true;
    else if ( kind == SHADOW_PREALLOC_UNPIN )
        o->exit.unpinned = true;
    else if ( o->exit.resyncs < UINT8_MAX )
        o->exit.resyncs++;
}

bool shadow_is_main(uint32_t event)
{
    unsigned int kind = event_minor8(event);

    return kind && kind < SHADOW_WRMAP_BF;
}

void shadow_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int kind = event_minor8(r->event);

    if ( p->open_exit.open && shadow_is_main(r->event) )
        p->open_exit.exit.levels = event_levels(r->event);
    else if ( p->open_exit.open && kind && kind < SHADOW_KINDS )
        note_secondary(&p->open_exit, kind);
    hvm_add_handler(p, r, event_minor8(TRC_HVM_PF_XEN));
}
