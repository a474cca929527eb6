/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handler records: a table of the position of each record's values, and the
 * facts of the handlers of a finished exit.  W is one word, D two words; a
 * record of the other width has its own row.
 */
#include "xenalyze/machine/pcpu.h"

enum width { NONE, W, D };

struct place
{
    uint8_t width, word;
};

struct layout
{
    uint32_t event;
    uint8_t kind, words;        /* minimum */
    struct place at, value;
    uint8_t write;
};

/*
 * Bits by minor id: events that do not tell the purpose of an exit.  These are
 * injections, and 0, which according to stock's analyze.h is never written.
 */
#define SECONDARY_EVENTS (UINT64_C(0x3d) | UINT64_C(1) << 0x20)

/* Index: minor id with its flags. */
#define KEY(event) ((event) & 0x3ff)

#define ROW(event, ...) [KEY(event)] = { event, __VA_ARGS__ }
#define IO(event, k, aw, vw, wr)                                            \
    ROW(event, k, aw, { aw, 0 }, { vw, aw }, wr)

static const struct layout layouts[0x400] = {
    ROW(TRC_HVM_PF_XEN, HANDLE_PF_XEN, 2, { W, 1 }, { W, 0 }, 0),
    ROW(TRC_HVM_PF_XEN64, HANDLE_PF_XEN, 3, { D, 1 }, { W, 0 }, 0),
    ROW(TRC_HVM_PF_INJECT, HANDLE_PF_INJECT, 2, { W, 1 }, { W, 0 }, 0),
    ROW(TRC_HVM_PF_INJECT64, HANDLE_PF_INJECT, 3, { D, 1 }, { W, 0 }, 0),
    ROW(TRC_HVM_INJ_EXC, HANDLE_EXCEPTION, 2, { W, 0 }, { W, 1 }, 0),
    ROW(TRC_HVM_INJ_VIRQ, HANDLE_INJECT, 1, { W, 0 }, { W, 1 }, 0),
    ROW(TRC_HVM_REINJ_VIRQ, HANDLE_REINJECT, 1, { W, 0 }, { 0 }, 0),
    ROW(TRC_HVM_INTR_WINDOW, HANDLE_WINDOW, 2, { W, 0 }, { W, 1 }, 0),
    IO(TRC_HVM_IOPORT_READ, HANDLE_PIO, W, W, 0),
    IO(TRC_HVM_IOPORT_WRITE, HANDLE_PIO, W, W, 1),
    IO(TRC_HVM_IOMEM_READ, HANDLE_MMIO, W, W, 0),
    IO(TRC_HVM_IOMEM_WRITE, HANDLE_MMIO, W, W, 1),
    IO(TRC_HVM_IOMEM_READ | TRC_64_FLAG, HANDLE_MMIO, D, D, 0),
    IO(TRC_HVM_IOMEM_WRITE | TRC_64_FLAG, HANDLE_MMIO, D, D, 1),
    ROW(TRC_HVM_CR_READ, HANDLE_CR, 2, { W, 0 }, { W, 1 }, 0),
    ROW(TRC_HVM_CR_READ64, HANDLE_CR, 3, { W, 0 }, { D, 1 }, 0),
    ROW(TRC_HVM_CR_WRITE, HANDLE_CR, 2, { W, 0 }, { W, 1 }, 1),
    ROW(TRC_HVM_CR_WRITE64, HANDLE_CR, 3, { W, 0 }, { D, 1 }, 1),
    ROW(TRC_HVM_MSR_READ, HANDLE_MSR, 3, { W, 0 }, { D, 1 }, 0),
    ROW(TRC_HVM_MSR_WRITE, HANDLE_MSR, 3, { W, 0 }, { D, 1 }, 1),
    ROW(TRC_HVM_XCR_READ64, HANDLE_XCR, 3, { W, 0 }, { D, 1 }, 0),
    ROW(TRC_HVM_XCR_WRITE64, HANDLE_XCR, 3, { W, 0 }, { D, 1 }, 1),
    ROW(TRC_HVM_CPUID, HANDLE_CPUID, 2, { W, 0 }, { W, 1 }, 0),
    ROW(TRC_HVM_INTR, HANDLE_INTERRUPT, 0, { NONE, 0 }, { W, 0 }, 0),
    ROW(TRC_HVM_VMMCALL, HANDLE_HYPERCALL, 1, { W, 0 }, { NONE, 0 }, 0),
    ROW(TRC_HVM_HLT, HANDLE_HALT, 1, { NONE, 0 }, { W, 0 }, 0),
    ROW(TRC_HVM_INVLPG, HANDLE_INVLPG, 2, { W, 1 }, { W, 0 }, 0),
    ROW(TRC_HVM_INVLPG64, HANDLE_INVLPG, 3, { D, 1 }, { W, 0 }, 0),
    ROW(TRC_HVM_LMSW, HANDLE_LMSW, 1, { NONE, 0 }, { W, 0 }, 0),
    ROW(TRC_HVM_LMSW64, HANDLE_LMSW, 2, { NONE, 0 }, { D, 0 }, 0),
    ROW(TRC_HVM_RDTSC, HANDLE_RDTSC, 2, { NONE, 0 }, { D, 0 }, 0),
    ROW(TRC_HVM_NPF, HANDLE_NPF, 6, { D, 0 }, { W, 4 }, 0),
    ROW(TRC_HVM_TRAP, HANDLE_TRAP, 1, { W, 0 }, { NONE, 0 }, 0),
};

static const struct layout *find_layout(uint32_t event)
{
    const struct layout *l = &layouts[KEY(event)];

    return l->event == event ? l : NULL;
}

static uint64_t load_place(const struct xt_record *r, struct place p)
{
    if ( p.width == NONE )
        return 0;
    return p.width == W ? record_word(r, p.word) : record_word64(r, p.word);
}

bool handler_is_main(uint32_t event)
{
    if ( event >> TRC_CLS_SHIFT == TRC_SHADOW >> TRC_CLS_SHIFT )
        return event_minor8(event) < SHADOW_WRMAP_BF;
    return !(SECONDARY_EVENTS >> (event & 0x3f) & 1);
}

bool handler_decode(struct fact_handle *f, const struct xt_record *r)
{
    const struct layout *l;

    if ( r->event >> TRC_CLS_SHIFT == TRC_SHADOW >> TRC_CLS_SHIFT )
        return shadow_decode(f, r);
    l = find_layout(r->event);
    if ( !l )
        return true;
    if ( r->words < l->words )
        return false;
    f->kind = l->kind;
    f->at = load_place(r, l->at);
    f->value = load_place(r, l->value);
    f->has_value = l->value.width != NONE &&
                   r->words >= l->value.word + l->value.width;
    f->write = l->write;
    if ( f->kind == HANDLE_INTERRUPT )
        f->at = f->value;
    if ( f->kind == HANDLE_PF_XEN && f->exit )
        f->linear = find_linear_level(f->exit->levels, f->at);
    if ( f->kind == HANDLE_NPF )
    {
        f->mfn = record_word64(r, 2);
        f->type = record_word(r, 5);
    }
    return true;
}

/* The first main handler of an exit is the one that stock accounts for. */
void exit_emit_handlers(const struct emit *e, const struct open_exit *o)
{
    const struct fact_exit *exit = &o->exit;
    bool has_main = false;

    for ( unsigned int i = 0; i < o->nr_pending; i++ )
    {
        const struct pending_handler *h = &o->pending[i];
        struct xt_record r = {
            .event = h->event, .words = h->words,
            .payload = (const unsigned char *)h->payload,
        };
        struct fact_handle f = {
            .vcpu = exit->vcpu, .exit = exit, .time = exit->start,
            .pcpu = exit->pcpu, .event = h->event,
        };

        f.main = !has_main && handler_is_main(h->event);
        has_main |= f.main;
        if ( handler_decode(&f, &r) )
            emit_handle(e, &f);
    }
}
