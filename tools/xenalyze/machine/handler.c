/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handler records: a table of the fields of each record, and the facts of the
 * handlers of a finished exit.  A record of the other width has its own row.
 *
 * A handler is decoded when its exit has ended, from the copy of the record in
 * struct open_exit: the fact is large, and needs the end of the exit.
 */
#include "xenalyze/machine/pcpu.h"

#include "common/compiler.h"

/* A field that an 8-byte load contains. */
struct field
{
    uint64_t mask;              /* 0: no such field, which reads as 0 */
    uint8_t byte, shift;
    uint8_t end;                /* words that a record with the field has */
};

struct handler_row
{
    uint32_t event;
    uint8_t kind, words;        /* minimum */
    uint8_t write;
    bool more;                  /* the kind has fields in decode_more() */
    struct field at, value;
};

/* Index: minor id with its flags. */
#define KEY(event) ((event) & 0x3ff)

#define FIELD_AT(bit, bits) \
    { UINT64_MAX >> (64 - (bits)), (bit) / 32 * 4, (bit) % 32, \
      ((bit) + (bits) + 31) / 32 }
#define FIELD(name, field) FIELD_AT(XT_BIT(name, field), XT_BITS(name, field))
#define NONE { 0, 0, 0, 0 }
#define ROW(event, ...) [KEY(event)] = { event, __VA_ARGS__ }
#define BOTH(event, name, kind, write, at, value) \
    ROW(event, kind, XT_WORDS(name), write, false, FIELD(name, at), \
        FIELD(name, value))
#define MORE(event, name, kind, at, value) \
    ROW(event, kind, XT_WORDS(name), 0, true, FIELD(name, at), \
        FIELD(name, value))
#define ONLY_AT(event, name, kind, at) \
    ROW(event, kind, XT_WORDS(name), 0, false, FIELD(name, at), NONE)
#define ONLY_VALUE(event, name, kind, value) \
    ROW(event, kind, XT_WORDS(name), 0, false, NONE, FIELD(name, value))

/* A record may end behind the field `last`. */
#define UNTIL(event, name, kind, last, at, value) \
    ROW(event, kind, (XT_BIT(name, last) + XT_BITS(name, last)) / 32, 0, \
        false, FIELD(name, at), FIELD(name, value))

/* Only in traces of an old 32-bit Xen, with one word for each value. */
#define OLD(event, kind, write, at, value) \
    ROW(event, kind, 2, write, false, FIELD_AT(32 * (at), 32), \
        FIELD_AT(32 * (value), 32))

static const struct handler_row rows[0x400] = {
    /* All events without a row: handlers without fields, and shadow faults. */
    [0] = { 0, HANDLE_GENERIC, 0, 0, true, NONE, NONE },
    MORE(TRC_HVM_PF_XEN, hvm_pf_xen, HANDLE_PF_XEN, va, error_code),
    MORE(TRC_HVM_PF_XEN64, hvm_pf_xen64, HANDLE_PF_XEN, va, error_code),
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
    BOTH(TRC_HVM_INTR, hvm_intr, HANDLE_INTERRUPT, 0, vector, vector),
    ONLY_AT(TRC_HVM_VMMCALL, hvm_vmmcall, HANDLE_HYPERCALL, op),
    ONLY_VALUE(TRC_HVM_HLT, hvm_hlt, HANDLE_HALT, pending),
    OLD(TRC_HVM_INVLPG, HANDLE_INVLPG, 0, 1, 0),
    BOTH(TRC_HVM_INVLPG64, hvm_invlpg64, HANDLE_INVLPG, 0, va, invlpga),
    ROW(TRC_HVM_LMSW, HANDLE_LMSW, 1, 0, false, NONE, FIELD_AT(0, 32)),
    ONLY_VALUE(TRC_HVM_LMSW64, hvm_lmsw64, HANDLE_LMSW, value),
    ONLY_VALUE(TRC_HVM_RDTSC, hvm_rdtsc, HANDLE_RDTSC, tsc),
    MORE(TRC_HVM_NPF, hvm_npf, HANDLE_NPF, gpa, qualification),
    ONLY_AT(TRC_HVM_TRAP, hvm_trap, HANDLE_TRAP, trap),
};

static inline const struct handler_row *find_handler_row(uint32_t event)
{
    const struct handler_row *row = &rows[KEY(event)];

    return row->event == event ? row : &rows[0];
}

static inline bool is_shadow(uint32_t event)
{
    return event >> TRC_CLS_SHIFT == TRC_SHADOW >> TRC_CLS_SHIFT;
}

bool handler_is_complete(const struct handler_record *h)
{
    return is_shadow(h->event) ? shadow_is_complete(h->event, h->words)
                               : h->words >= find_handler_row(h->event)->words;
}

static inline uint64_t load_field(const struct handler_record *h,
                                  const struct field *f)
{
    return f->end <= h->words ? xt_load64(h->payload + f->byte) >> f->shift &
                                f->mask
                              : 0;
}

/* What all handlers of the exit, or of none, have in common. */
static inline void begin_handle(struct fact_handle *f, const struct vcpu *v,
                                const struct fact_exit *exit, uint64_t time,
                                uint32_t pcpu)
{
    /* By member: clearing the whole struct first would take longer. */
    f->vcpu = v;
    f->exit = exit;
    f->time = time;
    f->pcpu = pcpu;
    f->linear = 0;
    f->type = 0;
    f->mfn = 0;
    f->shadow.kind = SHADOW_NONE;
    f->shadow.levels = f->shadow.count = 0;
    f->shadow.va = f->shadow.gl1e = f->shadow.written = f->shadow.gfn = 0;
    f->shadow.flags = 0;
}

static inline void begin_handle_of_exit(struct fact_handle *f,
                                        const struct fact_exit *exit)
{
    debug_assert(exit->vcpu);
    begin_handle(f, exit->vcpu, exit, exit->start, exit->pcpu);
}

/* Fields that few kinds have. */
COLD
static void decode_more(struct fact_handle *f, const struct handler_record *h)
{
    const struct xt_record r = { .event = h->event, .words = h->words,
                                 .payload = h->payload };

    if ( is_shadow(h->event) )
        shadow_decode(f, &r);
    if ( f->kind == HANDLE_PF_XEN && f->exit )
        f->linear = find_linear_level(f->exit->levels, f->at);
    if ( f->kind == HANDLE_NPF )
    {
        f->mfn = RECORD_FIELD(&r, hvm_npf, mfn);
        f->type = RECORD_FIELD(&r, hvm_npf, type);
    }
}

/* The fields that each handler has of its own. */
static inline void decode_handler(struct fact_handle *f,
                                  const struct handler_record *h,
                                  const struct handler_row *row)
{
    f->event = h->event;
    f->main = h->main;
    f->kind = row->kind;
    f->write = row->write;
    f->at = load_field(h, &row->at);
    f->value = load_field(h, &row->value);
    f->has_value = row->value.mask && row->value.end <= h->words;
}

/* The fact of a complete record. */
static void decode_handler_slow(struct fact_handle *f,
                                const struct handler_record *h)
{
    debug_assert(handler_is_complete(h));
    decode_handler(f, h, find_handler_row(h->event));
    decode_more(f, h);
}

void handler_emit(const struct pcpu *p, const struct handler_record *h,
                  const struct vcpu *v)
{
    struct fact_handle f;

    if ( !handler_is_complete(h) )
        return;
    begin_handle(&f, v, NULL, p->time, p->id);
    decode_handler_slow(&f, h);
    emit_handle(p->emit, &f);
}

COLD
static void emit_handler_slow(const struct emit *e,
                              const struct fact_exit *exit,
                              const struct handler_record *h)
{
    struct fact_handle f;

    if ( !handler_is_complete(h) )
        return;
    begin_handle_of_exit(&f, exit);
    decode_handler_slow(&f, h);
    emit_handle(e, &f);
}

static uint32_t count_accesses(const struct open_exit *o)
{
    uint32_t nr = o->exit.left_out;

    for ( unsigned int i = 0; i < o->nr_pending; i++ )
        nr += handler_is_access(o->pending[i].event);
    debug_assert(nr >= o->exit.left_out);
    return nr;
}

void exit_emit_handlers(const struct emit *e, struct open_exit *o)
{
    const struct handler_record *h = o->pending, *end = h + o->nr_pending;
    struct fact_handle f;

    debug_assert(o->open && o->nr_pending <= FACT_HANDLERS);
    if ( o->nr_pending > 1 && o->exit.seen & ACCESS_EVENTS )
        o->exit.accesses = count_accesses(o);
    begin_handle_of_exit(&f, &o->exit);
    for ( ; h < end; h++ )
    {
        const struct handler_row *row = find_handler_row(h->event);

        if ( row->more || h->words < row->words )
        {
            emit_handler_slow(e, &o->exit, h);
            continue;
        }
        decode_handler(&f, h, row);
        emit_handle(e, &f);
    }
}

/* Does a device model answer the access?  `f`: the main handler, or NULL. */
static bool is_device_access(const struct fact_exit *exit,
                             const struct fact_handle *f)
{
    if ( !f )
        return exit_is_port(exit->hardware, exit->reason);
    switch ( f->kind )
    {
    case HANDLE_PIO: case HANDLE_MMIO:
        return true;
    case HANDLE_NPF:
        return f->type == XT_VALUE(p2m_type, mmio_dm);
    case HANDLE_SHADOW:
        return f->shadow.kind == SHADOW_MMIO ||
               f->shadow.kind == SHADOW_FAST_MMIO;
    default:
        return false;
    }
}

void exit_emit_block(const struct emit *e, struct open_exit *o,
                     uint64_t cycles)
{
    struct fact_exit_block block = { .exit = &o->exit, .cycles = cycles };
    struct fact_handle f;
    unsigned int i = 0;

    debug_assert(o->exit.vcpu && cycles <= o->exit.cycles);
    while ( i < o->nr_pending && !o->pending[i].main )
        i++;
    if ( i < o->nr_pending && handler_is_complete(&o->pending[i]) )
    {
        begin_handle_of_exit(&f, &o->exit);
        decode_handler_slow(&f, &o->pending[i]);
        block.handle = &f;
    }
    block.is_access = is_device_access(&o->exit, block.handle);
    emit_exit_block(e, &block);
}
