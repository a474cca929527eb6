/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The payload of each of the hypervisor's records as a struct, for access to
 * fields by name:
 *
 *     struct xt_rec_sched_switch { ... } of the newest layout
 *     struct xt_rec_NAME_until_4_18      of an older one
 *
 * The structs are packed, so any address is allowed, and they may alias the
 * bytes of a payload.  Padding of the declaration is an unnamed bit field.
 * Fields of the id are not in the payload, and fields without a fixed place
 * have no member.  The size includes the tail: check the number of words before
 * using members of the tail.
 */
#include "tracetool/rows.h"

#include <assert.h>

#include "tracetool/emit.h"
#include "tracetool/select.h"

struct layout
{
    FILE *out;
    unsigned int at;            /* next free bit */
};

/* Padding. */
static void put_gap(struct layout *l, unsigned int until)
{
    assert(l->at <= until);
    while ( l->at < until )
    {
        unsigned int bits = until - l->at < 32 ? until - l->at : 32;

        fprintf(l->out, "    uint32_t : %u;\n", bits);
        l->at += bits;
    }
}

static void put_member(struct layout *l, const struct tt_arg *a)
{
    assert(l->at <= a->bit && a->bits && !a->in_id);
    put_gap(l, a->bit);
    fprintf(l->out, "    %s ", a->type);
    emit_name(l->out, a->name);
    if ( a->bits != a->width )
        fprintf(l->out, " : %u", a->bits);
    fputs(";\n", l->out);
    l->at = a->bit + a->bits;
}

static void put_struct(const struct tt_request *r, const struct tt_event *e)
{
    struct layout layout = { .out = r->out };
    unsigned int words = select_fixed_words(e);

    if ( !words )
        return;

    fprintf(r->out, "/* 0x%08x */\nstruct xt_rec_", e->id);
    emit_layout(r->out, r->model, e);
    fputs("\n{\n", r->out);
    for ( size_t i = 0; i < e->nr_args; i++ )
        if ( !e->args[i].in_id && e->args[i].present < 0 )
            put_member(&layout, &e->args[i]);
    put_gap(&layout, 32 * words);
    assert(layout.at == 32 * words);
    fputs("} __attribute__((__packed__, __may_alias__));\n\n"
          "_Static_assert(sizeof(struct xt_rec_", r->out);
    emit_layout(r->out, r->model, e);
    fprintf(r->out, ") == %u, \"%s\");\n\n", 4 * words, e->name);
}

static int write_structs(const struct tt_request *r, struct err *why)
{
    (void)why;
    fputs("/* " EMIT_BANNER " */\n\n"
          "#ifndef XT_RECORD_STRUCTS_H\n#define XT_RECORD_STRUCTS_H\n\n"
          "#include <stdint.h>\n\n", r->out);
    for ( size_t i = 0; i < r->model->nr_events; i++ )
        if ( r->model->events[i].in_xen )
            put_struct(r, &r->model->events[i]);
    fputs("#endif\n", r->out);
    return 0;
}

const struct tt_format tt_format_structs = {
    .name = "structs",
    .text = "Header with a struct for the payload of each event.",
    .write = write_structs,
};
