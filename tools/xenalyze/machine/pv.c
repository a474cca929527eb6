/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PV guests come into Xen.  Of a 64-bit guest's record the addresses are two
 * words wide; a hypercall's says itself how wide each argument is:
 *
 *     [19:0] number, then two bits for each of six: none, one word, two
 */
#include "xenalyze/machine/pcpu.h"

#define KIND(event) ((event) & 0xff)
#define IS_WIDE(event) ((event) & 0x100)
#define ARGUMENTS 6u

/* p program counter, a address, e error code, t trap, n number, P entry. */
static const char *const shapes[PV_KINDS] = {
    [PV_HYPERCALL] = "pn", [PV_TRAP] = "pt", [PV_PAGE_FAULT] = "pae",
    [PV_FORCED_INVALID_OP] = "p", [PV_EMULATE_PRIVOP] = "p",
    [PV_EMULATE_4GB] = "p", [PV_MATH_STATE_RESTORE] = "",
    [PV_PAGING_FIXUP] = "pa", [PV_GDT_LDT_MAPPING_FAULT] = "pa",
    [PV_PTWR_EMULATION] = "Pap", [PV_PTWR_EMULATION_PAE] = "Pap",
    [PV_HYPERCALL_V2] = "h", [PV_HYPERCALL_SUBCALL] = "h",
};

static uint64_t take(const struct xt_record *r, unsigned int *at, bool wide)
{
    uint64_t value = wide ? word64(r, *at) : word(r, *at);

    *at += wide ? 2 : 1;
    return value;
}

static void take_trap(struct fact_pv *f, uint32_t w)
{
    f->number = w & 0x7fff;
    f->error = w & 0x8000 ? w >> 16 : 0;
}

static void take_hypercall(struct fact_pv *f, const struct xt_record *r,
                           unsigned int *at)
{
    uint32_t w = take(r, at, false);
    unsigned int width;

    f->number = w & 0xfffff;
    for ( unsigned int i = 0; i < ARGUMENTS; i++ )
    {
        width = w >> (20 + 2 * i) & 3;
        if ( width == 0 || width == 3 )
            return;
        f->args[f->nr_args++] = take(r, at, width == 2);
    }
}

static unsigned int decode(struct fact_pv *f, const struct xt_record *r)
{
    unsigned int at = 0;

    for ( const char *shape = shapes[f->kind]; *shape; shape++ )
        switch ( *shape )
        {
        case 'p': f->rip = take(r, &at, f->wide); break;
        case 'a': f->address = take(r, &at, f->wide); break;
        case 'P': f->entry = take(r, &at, true); break;
        case 'e': f->error = take(r, &at, false); break;
        case 'n': f->number = take(r, &at, false); break;
        case 't': take_trap(f, take(r, &at, false)); break;
        case 'h': take_hypercall(f, r, &at); break;
        }
    return at;
}

void pv_record(struct pcpu *p, const struct xt_record *r)
{
    struct fact_pv f = {
        .pcpu = p->id, .time = p->time, .kind = KIND(r->event),
        .wide = IS_WIDE(r->event),
    };

    if ( f.kind >= PV_KINDS || !shapes[f.kind] )
    {
        event_record(p, r);
        return;
    }
    f.vcpu = pcpu_guest(p);
    if ( !f.vcpu || !emit_wants_pv(p->emit) )
        return;
    if ( decode(&f, r) > r->words )
        p->anomalies[ANOMALY_SHORT]++;
    else
        emit_pv(p->emit, &f);
}
