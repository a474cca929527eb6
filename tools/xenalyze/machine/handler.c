/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handler records: a table of the fields of each record, and the facts of the
 * handlers of a finished exit.  A record of the other width has its own row.
 */
#include "xenalyze/machine/pcpu.h"

struct layout
{
    uint32_t event;
    uint8_t kind, words;        /* minimum */
    uint8_t write;
    struct xt_field_place at, value;
};

/*
 * Bits by minor id: events that do not tell the purpose of an exit.  These are
 * injections, and 0, which according to stock's analyze.h is never written.
 */
#define SECONDARY_EVENTS (UINT64_C(0x3d) | UINT64_C(1) << 0x20)

/* Index: minor id with its flags. */
#define KEY(event) ((event) & 0x3ff)

#define NONE { 0, 0 }
#define ROW(event, ...) [KEY(event)] = { event, __VA_ARGS__ }
#define BOTH(event, name, kind, write, at, value) \
    ROW(event, kind, XT_WORDS(name), write, XT_PLACE(name, at), \
        XT_PLACE(name, value))
#define ONLY_AT(event, name, kind, at) \
    ROW(event, kind, XT_WORDS(name), 0, XT_PLACE(name, at), NONE)
#define ONLY_VALUE(event, name, kind, value) \
    ROW(event, kind, XT_WORDS(name), 0, NONE, XT_PLACE(name, value))

/* A record may end behind the field `last`. */
#define UNTIL(event, name, kind, last, at, value) \
    ROW(event, kind, (XT_BIT(name, last) + XT_BITS(name, last)) / 32, 0, \
        XT_PLACE(name, at), XT_PLACE(name, value))

/* Only in traces of an old 32-bit Xen, with one word for each value. */
#define OLD(event, kind, write, at, value) \
    ROW(event, kind, 2, write, { 32 * (at), 32 }, { 32 * (value), 32 })

static const struct layout layouts[0x400] = {
    BOTH(TRC_HVM_PF_XEN, hvm_pf_xen, HANDLE_PF_XEN, 0, va, error_code),
    BOTH(TRC_HVM_PF_XEN64, hvm_pf_xen64, HANDLE_PF_XEN, 0, va, error_code),
    BOTH(TRC_HVM_PF_INJECT, hvm_pf_inject, HANDLE_PF_INJECT, 0, cr2,
         error_code),
    BOTH(TRC_HVM_PF_INJECT64, hvm_pf_inject64, HANDLE_PF_INJECT, 0, cr2,
         error_code),
    BOTH(TRC_HVM_INJ_EXC, hvm_inj_exc, HANDLE_EXCEPTION, 0, trap, error_code),
    UNTIL(TRC_HVM_INJ_VIRQ, hvm_inj_virq, HANDLE_INJECT, vector, vector, fake),
    ONLY_AT(TRC_HVM_REINJ_VIRQ, hvm_reinj_virq, HANDLE_REINJECT, vector),
    UNTIL(TRC_HVM_INTR_WINDOW, hvm_intr_window, HANDLE_WINDOW, source,
          pending, source),
    BOTH(TRC_HVM_IOPORT_READ, hvm_ioport_read, HANDLE_PIO, 0, port, data),
    BOTH(TRC_HVM_IOPORT_WRITE, hvm_ioport_write, HANDLE_PIO, 1, port, data),
    BOTH(TRC_HVM_IOMEM_READ, hvm_iomem_read, HANDLE_MMIO, 0, gpa, data),
    BOTH(TRC_HVM_IOMEM_WRITE, hvm_iomem_write, HANDLE_MMIO, 1, gpa, data),
    BOTH(TRC_HVM_IOMEM_READ | TRC_64_FLAG, hvm_iomem_read64, HANDLE_MMIO, 0,
         gpa, data),
    BOTH(TRC_HVM_IOMEM_WRITE | TRC_64_FLAG, hvm_iomem_write64, HANDLE_MMIO, 1,
         gpa, data),
    OLD(TRC_HVM_CR_READ, HANDLE_CR, 0, 0, 1),
    BOTH(TRC_HVM_CR_READ64, hvm_cr_read64, HANDLE_CR, 0, cr, value),
    OLD(TRC_HVM_CR_WRITE, HANDLE_CR, 1, 0, 1),
    BOTH(TRC_HVM_CR_WRITE64, hvm_cr_write64, HANDLE_CR, 1, cr, value),
    BOTH(TRC_HVM_MSR_READ, hvm_msr_read, HANDLE_MSR, 0, msr, value),
    BOTH(TRC_HVM_MSR_WRITE, hvm_msr_write, HANDLE_MSR, 1, msr, value),
    BOTH(TRC_HVM_XCR_READ64, hvm_xcr_read64, HANDLE_XCR, 0, xcr, value),
    BOTH(TRC_HVM_XCR_WRITE64, hvm_xcr_write64, HANDLE_XCR, 1, xcr, value),
    UNTIL(TRC_HVM_CPUID, hvm_cpuid, HANDLE_CPUID, subleaf, leaf, subleaf),
    ONLY_VALUE(TRC_HVM_INTR, hvm_intr, HANDLE_INTERRUPT, vector),
    ONLY_AT(TRC_HVM_VMMCALL, hvm_vmmcall, HANDLE_HYPERCALL, op),
    ONLY_VALUE(TRC_HVM_HLT, hvm_hlt, HANDLE_HALT, pending),
    OLD(TRC_HVM_INVLPG, HANDLE_INVLPG, 0, 1, 0),
    BOTH(TRC_HVM_INVLPG64, hvm_invlpg64, HANDLE_INVLPG, 0, va, invlpga),
    ROW(TRC_HVM_LMSW, HANDLE_LMSW, 1, 0, NONE, { 0, 32 }),
    ONLY_VALUE(TRC_HVM_LMSW64, hvm_lmsw64, HANDLE_LMSW, value),
    ONLY_VALUE(TRC_HVM_RDTSC, hvm_rdtsc, HANDLE_RDTSC, tsc),
    BOTH(TRC_HVM_NPF, hvm_npf, HANDLE_NPF, 0, gpa, qualification),
    ONLY_AT(TRC_HVM_TRAP, hvm_trap, HANDLE_TRAP, trap),
};

static const struct layout *find_layout(uint32_t event)
{
    const struct layout *l = &layouts[KEY(event)];

    return l->event == event ? l : NULL;
}

bool handler_is_main(uint32_t event)
{
    if ( event >> TRC_CLS_SHIFT == TRC_SHADOW >> TRC_CLS_SHIFT )
        return shadow_is_main(event);
    return !(SECONDARY_EVENTS >> (event & 0x3f) & 1);
}

/* All but the fields of the record.  The struct is too large to be cleared. */
static inline void begin_handle(struct fact_handle *f, const struct pcpu *p,
                                uint32_t event, bool main)
{
    f->vcpu = NULL;
    f->exit = NULL;
    f->time = p->time;
    f->pcpu = p->id;
    f->event = event;
    f->kind = HANDLE_GENERIC;
    f->write = f->has_value = false;
    f->main = main;
    f->linear = 0;
    f->type = 0;
    f->at = f->value = f->mfn = 0;
    f->shadow = (struct fact_shadow){ .kind = SHADOW_NONE };
}

bool handler_decode(struct fact_handle *f, const struct pcpu *p,
                    const struct xt_record *r, bool main)
{
    const struct layout *l;

    begin_handle(f, p, r->event, main);
    if ( r->event >> TRC_CLS_SHIFT == TRC_SHADOW >> TRC_CLS_SHIFT )
        return shadow_decode(f, r);
    l = find_layout(r->event);
    if ( !l )
        return true;
    if ( r->words < l->words )
        return false;
    f->kind = l->kind;
    f->at = xt_field_load(r, l->at);
    f->value = xt_field_load(r, l->value);
    f->has_value = xt_field_present(r, l->value);
    f->write = l->write;
    if ( f->kind == HANDLE_INTERRUPT )
        f->at = f->value;
    if ( f->kind == HANDLE_NPF )
    {
        f->mfn = RECORD_FIELD(r, hvm_npf, mfn);
        f->type = RECORD_FIELD(r, hvm_npf, type);
    }
    return true;
}

/* The exit has ended. */
static inline void finish_handle(struct fact_handle *f,
                                 const struct fact_exit *exit)
{
    debug_assert(exit->vcpu && f->pcpu == exit->pcpu);
    f->vcpu = exit->vcpu;
    f->exit = exit;
    f->time = exit->start;
    if ( f->kind == HANDLE_PF_XEN )
        f->linear = find_linear_level(exit->levels, f->at);
}

void exit_emit_handlers(const struct emit *e, struct open_exit *o)
{
    debug_assert(o->open && o->nr_pending <= FACT_HANDLERS);
    for ( unsigned int i = 0; i < o->nr_pending; i++ )
    {
        finish_handle(&o->pending[i], &o->exit);
        emit_handle(e, &o->pending[i]);
    }
}

void exit_emit_block(const struct emit *e, struct open_exit *o,
                     uint64_t cycles)
{
    struct fact_exit_block f = { .exit = &o->exit, .cycles = cycles };
    unsigned int i = 0;

    debug_assert(o->exit.vcpu && cycles <= o->exit.cycles);
    while ( i < o->nr_pending && !o->pending[i].main )
        i++;
    if ( i < o->nr_pending )
    {
        finish_handle(&o->pending[i], &o->exit);
        f.handle = &o->pending[i];
    }
    emit_exit_block(e, &f);
}
