/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PV guests enter Xen.  In records of 64-bit guests, addresses are two words
 * wide; the first word of a hypercall has the width of each argument:
 *
 *     [19:0] number, then two bits for each of six: none, one word, two
 */
#include "xenalyze/machine/pcpu.h"

#include "common/compiler.h"

#define MAX_ARGUMENTS 6u

struct layout
{
    uint8_t words;
    struct xt_field_place rip, address, entry, number, error;
    struct xt_field_place has_error;  /* if a record says so */
};

#define WORDS(n) .words = XT_WORDS(n)
#define RIP(n) WORDS(n), .rip = XT_PLACE(n, rip)
#define FIXUP(n) RIP(n), .address = XT_PLACE(n, va)
#define FAULT(n) FIXUP(n), .error = XT_PLACE(n, error_code)
#define PTWR(n) FIXUP(n), .entry = XT_PLACE(n, npte)
#define GDT_LDT(n) RIP(n), .address = XT_PLACE(n, offset)
#define CALL(n) RIP(n), .number = XT_PLACE(n, op)
#define TRAP(n) \
    RIP(n), .number = XT_PLACE(n, trap), .error = XT_PLACE(n, error_code), \
    .has_error = XT_PLACE(n, has_error)

/* Layouts of 32-bit and 64-bit guests, or one layout for both. */
#define WIDTHS(fields, name) { { fields(name) }, { fields(name##64) } }
#define SAME(fields, name) { { fields(name) }, { fields(name) } }

/* Numbers below PV_KINDS that no event has, as bits. */
#define NO_KINDS (1u << 0 | 1u << 2)

static const struct layout layouts[PV_KINDS][2] = {
    [PV_HYPERCALL] = WIDTHS(CALL, pv_hypercall),
    [PV_TRAP] = WIDTHS(TRAP, pv_trap),
    [PV_PAGE_FAULT] = WIDTHS(FAULT, pv_page_fault),
    [PV_FORCED_INVALID_OP] = WIDTHS(RIP, pv_forced_invalid_op),
    [PV_EMULATE_PRIVOP] = WIDTHS(RIP, pv_emulate_privop),
    [PV_EMULATE_4GB] = SAME(RIP, pv_emulate_4gb),
    [PV_MATH_STATE_RESTORE] = SAME(WORDS, pv_math_state_restore),
    [PV_PAGING_FIXUP] = WIDTHS(FIXUP, pv_paging_fixup),
    [PV_GDT_LDT_MAPPING_FAULT] = WIDTHS(GDT_LDT, pv_gdt_ldt_mapping_fault),
    [PV_PTWR_EMULATION] = WIDTHS(PTWR, pv_ptwr_emulation),
    [PV_PTWR_EMULATION_PAE] = SAME(PTWR, pv_ptwr_emulation_pae),
    [PV_HYPERCALL_V2] = SAME(WORDS, pv_hypercall_v2),
    [PV_HYPERCALL_SUBCALL] = SAME(WORDS, pv_hypercall_subcall),
};

ASSERT_KIND(PV_HYPERCALL, TRC_PV_HYPERCALL);
ASSERT_KIND(PV_TRAP, TRC_PV_TRAP);
ASSERT_KIND(PV_PAGE_FAULT, TRC_PV_PAGE_FAULT);
ASSERT_KIND(PV_FORCED_INVALID_OP, TRC_PV_FORCED_INVALID_OP);
ASSERT_KIND(PV_EMULATE_PRIVOP, TRC_PV_EMULATE_PRIVOP);
ASSERT_KIND(PV_EMULATE_4GB, TRC_PV_EMULATE_4GB);
ASSERT_KIND(PV_MATH_STATE_RESTORE, TRC_PV_MATH_STATE_RESTORE);
ASSERT_KIND(PV_PAGING_FIXUP, TRC_PV_PAGING_FIXUP);
ASSERT_KIND(PV_GDT_LDT_MAPPING_FAULT, TRC_PV_GDT_LDT_MAPPING_FAULT);
ASSERT_KIND(PV_PTWR_EMULATION, TRC_PV_PTWR_EMULATION);
ASSERT_KIND(PV_PTWR_EMULATION_PAE, TRC_PV_PTWR_EMULATION_PAE);
ASSERT_KIND(PV_HYPERCALL_V2, TRC_PV_HYPERCALL_V2);
ASSERT_KIND(PV_HYPERCALL_SUBCALL, TRC_PV_HYPERCALL_SUBCALL);

_Static_assert(XT_BIT(pv_hypercall_v2, has5) - XT_BIT(pv_hypercall_v2, has0) ==
               2 * (MAX_ARGUMENTS - 1), "each argument has two bits");
_Static_assert(sizeof(((struct fact_pv *)0)->args) ==
               MAX_ARGUMENTS * sizeof(uint64_t), "all arguments fit");
_Static_assert(XT_BIT(pv_hypercall_subcall, has0) ==
               XT_BIT(pv_hypercall_v2, has0) &&
               XT_WORDS(pv_hypercall_subcall) == XT_WORDS(pv_hypercall_v2),
               "a subcall is a hypercall");

_Static_assert(XT_BIT(pv_hypercall_v2, op) == 0 &&
               XT_BITS(pv_hypercall_v2, op) == XT_BIT(pv_hypercall_v2, has0) &&
               XT_BITS(pv_hypercall_subcall, op) ==
               XT_BITS(pv_hypercall_v2, op), "the number comes first");

/* Most PV records are hypercalls.  Returns how many words the record needs. */
static inline unsigned int decode_hypercall(struct fact_pv *f,
                                            unsigned int words,
                                            const unsigned char *payload)
{
    unsigned int at = XT_WORDS(pv_hypercall_v2), width;
    uint32_t first, widths;

    if ( words < at )
        return at;
    first = xt_load32(payload);
    f->number = first & ((1u << XT_BITS(pv_hypercall_v2, op)) - 1);
    widths = first >> XT_BIT(pv_hypercall_v2, has0);
    for ( unsigned int i = 0; i < MAX_ARGUMENTS; i++ )
    {
        width = widths >> 2 * i & 3;
        if ( width == 0 || width == 3 )
            break;
        at += width;
        if ( at > words )
            break;
        f->args[f->nr_args++] = width == 2
                                ? xt_load64(payload + 4 * (at - 2))
                                : xt_load32(payload + 4 * (at - 1));
    }
    return at;
}

/* The same for any other record. */
COLD
static unsigned int decode_fields(struct fact_pv *f, unsigned int words,
                                  const unsigned char *payload)
{
    const struct xt_record r = { .words = words, .payload = payload };
    const struct layout *l = &layouts[f->kind][f->wide];

    f->rip = xt_field_load(&r, l->rip);
    f->address = xt_field_load(&r, l->address);
    f->entry = xt_field_load(&r, l->entry);
    f->number = xt_field_load(&r, l->number);
    f->error = xt_field_load(&r, l->error);
    if ( l->has_error.bits && !xt_field_load(&r, l->has_error) )
        f->error = 0;
    return l->words;
}

/* All but vcpu and the fields of the record; no argument is set. */
static inline void begin_pv(struct fact_pv *f, const struct pcpu *p,
                            uint32_t event)
{
    f->pcpu = p->id;
    f->time = p->time;
    f->kind = event_minor8(event);
    f->wide = event_is_wide(event);
    f->nr_args = 0;
    f->number = f->error = 0;
    f->rip = f->address = f->entry = 0;
}

static inline bool is_known(uint32_t event)
{
    unsigned int kind = event_minor8(event);

    return kind < PV_KINDS && !(NO_KINDS >> kind & 1);
}

__attribute__((always_inline))
static inline void handle_pv(struct pcpu *p, struct vcpu *v,
                             const struct xt_record *r)
{
    struct fact_pv f;
    unsigned int needed;

    begin_pv(&f, p, r->event);
    f.vcpu = v;
    if ( f.kind == PV_HYPERCALL_V2 || f.kind == PV_HYPERCALL_SUBCALL )
        needed = decode_hypercall(&f, r->words, r->payload);
    else
        needed = decode_fields(&f, r->words, r->payload);
    if ( needed > r->words )
        p->anomalies[ANOMALY_SHORT]++;
    else
        emit_pv(p->emit, &f);
}

void pv_slow(struct pcpu *p, const struct xt_record *r)
{
    struct vcpu *v;

    if ( !is_known(r->event) )
    {
        pcpu_emit_event(p, r);
        return;
    }
    v = pcpu_get_guest(p);
    if ( v && emit_wants_pv(p->emit) )
        handle_pv(p, v, r);
}

static inline bool is_pv_record(uint32_t event)
{
    uint32_t subclass = event >> TRC_SUBCLS_SHIFT;

    return (subclass == TRC_PV_ENTRY >> TRC_SUBCLS_SHIFT ||
            subclass == TRC_PV_SUBCALL >> TRC_SUBCLS_SHIFT) && is_known(event);
}

const unsigned char *pv_fast(struct pcpu *p, const unsigned char *at,
                             const unsigned char *end, uint64_t offset,
                             uint64_t limit)
{
    struct vcpu *v = p->current ? p->current : p->default_vcpu;
    const unsigned char *from = at, *next;
    bool wanted = emit_wants_pv(p->emit);
    struct xt_record r;
    uint64_t nr = 0;

    if ( !p->begun || !v || vcpu_is_idle(v) )
        return at;
    for ( ; end - at >= (ptrdiff_t)XT_RECORD_MAX_BYTES &&
            is_pv_record(TRC_HD_TO_EVENT(xt_load32(at))); at = next, nr++ )
    {
        next = pcpu_next_record(p, &r, at, offset, limit);
        if ( !next )
            break;
        if ( wanted )
            handle_pv(p, v, &r);
    }
    volume_add(p, VOLUME_PV, nr, at - from);
    return at;
}
