/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PV guests enter Xen.  In records of 64-bit guests, addresses are two words
 * wide; the first word of a hypercall has the width of each argument:
 *
 *     [19:0] number, then two bits for each of six: none, one word, two
 */
#include "xenalyze/machine/pcpu.h"

#define MAX_ARGUMENTS 6u

/* p program counter, a address, e error code, t trap, n number, P entry. */
static const char *const shapes[PV_KINDS] = {
    [PV_HYPERCALL] = "pn", [PV_TRAP] = "pt", [PV_PAGE_FAULT] = "pae",
    [PV_FORCED_INVALID_OP] = "p", [PV_EMULATE_PRIVOP] = "p",
    [PV_EMULATE_4GB] = "p", [PV_MATH_STATE_RESTORE] = "",
    [PV_PAGING_FIXUP] = "pa", [PV_GDT_LDT_MAPPING_FAULT] = "pa",
    [PV_PTWR_EMULATION] = "Pap", [PV_PTWR_EMULATION_PAE] = "Pap",
    [PV_HYPERCALL_V2] = "h", [PV_HYPERCALL_SUBCALL] = "h",
};

/* Words past the end of the record are 0. */
static uint64_t read_number(const struct xt_record *r, unsigned int *at,
                            bool wide)
{
    uint64_t value = wide ? record_word64(r, *at) : record_word(r, *at);

    *at += wide ? 2 : 1;
    return value;
}

static void decode_trap(struct fact_pv *f, uint32_t w)
{
    f->number = w & 0x7fff;
    f->error = w & 0x8000 ? w >> 16 : 0;
}

static void decode_hypercall(struct fact_pv *f, const struct xt_record *r,
                             unsigned int *at)
{
    uint32_t w = read_number(r, at, false);
    unsigned int width;

    f->number = w & 0xfffff;
    for ( unsigned int i = 0; i < MAX_ARGUMENTS; i++ )
    {
        width = w >> (20 + 2 * i) & 3;
        if ( width == 0 || width == 3 )
            return;
        f->args[f->nr_args++] = read_number(r, at, width == 2);
    }
}

/* Returns the number of words that the record should have. */
static unsigned int decode_pv(struct fact_pv *f, const struct xt_record *r)
{
    unsigned int at = 0;

    for ( const char *shape = shapes[f->kind]; *shape; shape++ )
        switch ( *shape )
        {
        case 'p': f->rip = read_number(r, &at, f->wide); break;
        case 'a': f->address = read_number(r, &at, f->wide); break;
        case 'P': f->entry = read_number(r, &at, true); break;
        case 'e': f->error = read_number(r, &at, false); break;
        case 'n': f->number = read_number(r, &at, false); break;
        case 't': decode_trap(f, read_number(r, &at, false)); break;
        case 'h': decode_hypercall(f, r, &at); break;
        }
    return at;
}

void pv_record(struct pcpu *p, const struct xt_record *r)
{
    struct fact_pv f = {
        .pcpu = p->id, .time = p->time, .kind = event_minor8(r->event),
        .wide = event_is_wide(r->event),
    };

    if ( f.kind >= PV_KINDS || !shapes[f.kind] )
    {
        pcpu_emit_event(p, r);
        return;
    }
    f.vcpu = pcpu_get_guest(p);
    if ( !f.vcpu || !emit_wants_pv(p->emit) )
        return;
    if ( decode_pv(&f, r) > r->words )
        p->anomalies[ANOMALY_SHORT]++;
    else
        emit_pv(p->emit, &f);
}
