/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace points in the hypervisor: records in Xen's own trace rings, by the
 * macros of xen/trace.h.
 *
 * A payload word is composed of the arguments with bits in the word, each
 * masked to its width, so that a large value does not damage other fields:
 *
 *     vcpu uint16_t vcpu, domain uint16_t dom, gfn uint64_t gfn
 *
 *     TRACE_3D(TRC_ALICE,
 *         (uint32_t)vcpu | ((uint32_t)dom << 16),
 *         (uint32_t)gfn,
 *         (uint32_t)(gfn >> 32));
 *
 * The macros evaluate these expressions only while tracing is on.
 */
#include "tracetool/rows.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tracetool/emit.h"
#include "tracetool/select.h"

/* Maximum n of the macros TRACE_nD. */
#define MAX_ND 6u

/* Names trace_...() that xen/trace.h defines. */
static const char *const own[] = {
    "is_on", "record", "time", "var", "will_trace_event",
};

static int xen_refuse(const struct tt_event *e, struct err *why,
                      const char *text)
{
    return err_set(why, -EINVAL, "back end xen: %s: %s", e->name, text);
}

static int xen_accepts(const struct tt_event *e, struct err *why)
{
    if ( !e->in_xen )
        return xen_refuse(e, why, "an event of the hypervisor has an id; give "
                          "it one (id=0x...), or keep it in a file of its own");
    for ( size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++ )
        if ( !strcmp(e->name, own[i]) )
            return xen_refuse(e, why, "xen/trace.h has a function of this "
                              "name; take another one");
    return 0;
}

/* ---- constants -------------------------------------------------------- */

/*
 * In Xen's tree, public/trace.h may define the constant, too.  Different values
 * are a compile-time error.
 */
static void define_constant(FILE *out, const struct tt_event *e)
{
    fprintf(out, "#ifndef %s\n#define %s 0x%08x\n", e->constant, e->constant,
            e->id);
    fprintf(out, "#elif %s != 0x%08x\n", e->constant, e->id);
    fprintf(out, "#error \"%s: defined elsewhere with another id\"\n#endif\n\n",
            e->constant);
}

static void xen_h_begin(const struct tt_request *r)
{
    const struct tt_model *m = r->model;

    fputs("#include <xen/trace.h>\n\n", r->out);
    for ( size_t i = 0; i < m->nr_events; i++ )
        if ( !m->events[i].is_private &&
             select_owner(m, &m->events[i]) == &m->events[i] )
            define_constant(r->out, &m->events[i]);
}

static void xen_h_enabled(const struct tt_request *r, const struct tt_event *e)
{
    (void)e;
    fputs("unlikely(tb_init_done)", r->out);
}

/* ---- packing ---------------------------------------------------------- */

/* The argument, masked to its width, as an unsigned type for shifts. */
static void put_xen_value(FILE *out, const struct tt_arg *a, bool wide)
{
    bool cut = a->bits < (wide ? 64 : 32) &&
               (a->is_signed || a->bits != a->width);

    fputs(cut ? "(" : "", out);
    if ( a->is_signed || a->width != 64 || !wide )
        fprintf(out, "(uint%d_t)", wide ? 64 : 32);
    emit_name(out, a->name);
    if ( cut && wide )
        fprintf(out, " & 0x%llxull)",
                (unsigned long long)select_mask(a->bits));
    else if ( cut )
        fprintf(out, " & 0x%xu)", (unsigned int)select_mask(a->bits));
}

/*
 * The part of argument `a` in a word: shifted left to its place, or right if
 * the field begins in the previous word.  A field that continues in the next
 * word has 64 bits; the cast to 32 bits drops the next word's part.
 */
static void put_part(FILE *out, const struct tt_arg *a, unsigned int word)
{
    int place = (int)a->bit - (int)(32 * word);
    bool wide = place < 0 || place + a->bits > 32;

    assert(select_in_word(a, word));
    if ( select_is_whole(a) && place == 0 )
    {
        fputs(a->width == 32 && !a->is_signed ? "" : "(uint32_t)", out);
        emit_name(out, a->name);
        return;
    }
    fputs(wide ? "(uint32_t)(" : place ? "(" : "", out);
    put_xen_value(out, a, wide);
    if ( place )
        fprintf(out, " %s %d", place > 0 ? "<<" : ">>", abs(place));
    fputs(wide || place ? ")" : "", out);
}

static void put_word(FILE *out, const struct tt_event *e, unsigned int word)
{
    bool any = false;

    for ( size_t i = 0; i < e->nr_args; i++ )
    {
        if ( !select_in_word(&e->args[i], word) )
            continue;
        fputs(any ? " | " : "", out);
        put_part(out, &e->args[i], word);
        any = true;
    }
    if ( !any )
        fputc('0', out);
}

/* The id: its constant or number, and the fields of arguments. */
static void put_xen_event(const struct tt_request *r, const struct tt_event *e)
{
    const struct tt_event *owner = select_owner(r->model, e);

    if ( owner && owner->id == e->id && !e->is_private )
        fputs(e->constant, r->out);
    else
        fprintf(r->out, "0x%08x", e->id);

    for ( size_t i = 0; i < e->nr_args; i++ )
    {
        const struct tt_arg *a = &e->args[i];

        if ( !a->in_id )
            continue;
        fputs(" | (((uint32_t)", r->out);
        emit_name(r->out, a->name);
        fprintf(r->out, " & 0x%xu) << %u)", (unsigned int)select_mask(a->bits),
                a->bit);
    }
}

static void xen_h_body(const struct tt_request *r, const struct tt_event *e)
{
    if ( !e->timed )
        fputs("    TRACE(", r->out);
    else if ( e->max_words <= MAX_ND )
        fprintf(r->out, "    TRACE_%uD(", e->max_words);
    else
        fputs("    TRACE_TIME(", r->out);

    put_xen_event(r, e);
    for ( unsigned int word = 0; word < e->max_words; word++ )
    {
        fputs(e->max_words > 1 ? ",\n        " : ", ", r->out);
        put_word(r->out, e, word);
    }
    fputs(");\n", r->out);
}

const struct tt_backend tt_backend_xen = {
    .name = "xen",
    .text = "Xen's trace rings (events with an id).",
    .h_begin = xen_h_begin,
    .h_body = xen_h_body,
    .h_enabled = xen_h_enabled,
    .accepts = xen_accepts,
};
