/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers of the hypervisor's records, for the structs of format structs.  Code
 * that decodes records names their fields, and never counts words:
 *
 *     XT_WORDS_sched_wake                  words of payload, at least
 *     XT_BIT_sched_wake__vcpu, XT_BITS_... the bits of a field
 *     xt_view_sched_wake(r)                the payload as a struct, or NULL
 *     xt_is_NAME(event), xt_id_NAME_FIELD(event), XT_ID_FIELDS_NAME
 *                                          ids that carry fields
 *     xt_layout_NAME(version, words)       index of the layout, 0 the oldest
 *     XT_VALUE_runstate__blocked           a value of an enum
 *
 * The output includes tools/libxentrace/place.h for common definitions.
 */
#include "tracetool/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tracetool/emit.h"
#include "tracetool/select.h"

/* ---- values ----------------------------------------------------------- */

/* Enumeration constants of C are of type int: larger values are omitted. */
static void put_values(FILE *out, const struct tt_sem *sem)
{
    fprintf(out, "/* %s: ", sem->name);
    emit_comment(out, sem->text);
    fputs(" */\nenum\n{\n", out);
    for ( size_t i = 0; i < sem->nr_values; i++ )
        if ( sem->values[i].value <= INT32_MAX )
            fprintf(out, "    XT_VALUE_%s__%s = %llu,\n", sem->name,
                    sem->values[i].name,
                    (unsigned long long)sem->values[i].value);
    fputs("};\n\n", out);
}

static bool has_values(const struct tt_sem *sem)
{
    return sem->meaning == TT_ENUM && sem->nr_values &&
           sem->values[0].value <= INT32_MAX;
}

/* ---- fields ----------------------------------------------------------- */

/* A struct xt_field_place is part of a word, or two whole words. */
static bool has_place(const struct tt_arg *a)
{
    return !a->in_id && a->present < 0 &&
           (a->bits == 64 ? a->bit % 32 == 0 : a->bit % 32 + a->bits <= 32);
}

static void put_readers_field(const struct tt_request *r,
                              const struct tt_event *e,
                              const struct tt_arg *a)
{
    if ( !has_place(a) )
        return;
    fputs("    XT_BIT_", r->out);
    emit_layout(r->out, r->model, e);
    fputs("__", r->out);
    emit_name(r->out, a->name);
    fprintf(r->out, " = %u, XT_BITS_", a->bit);
    emit_layout(r->out, r->model, e);
    fputs("__", r->out);
    emit_name(r->out, a->name);
    fprintf(r->out, " = %u,\n", a->bits);
}

static void put_constants(const struct tt_request *r, const struct tt_event *e)
{
    assert(e->in_xen);
    fprintf(r->out, "/* 0x%08x */\nenum\n{\n    XT_WORDS_", e->id);
    emit_layout(r->out, r->model, e);
    fprintf(r->out, " = %u,\n", e->words);
    if ( e->id_fields )
    {
        fputs("    XT_ID_FIELDS_", r->out);
        emit_layout(r->out, r->model, e);
        fprintf(r->out, " = 0x%08x,\n", e->id_fields);
    }
    for ( size_t i = 0; i < e->nr_args; i++ )
        put_readers_field(r, e, &e->args[i]);
    fputs("};\n\n", r->out);
}

/* ---- the payload ------------------------------------------------------ */

static void put_view(const struct tt_request *r, const struct tt_event *e)
{
    if ( !select_fixed_words(e) )
        return;
    fputs("static inline const struct xt_rec_", r->out);
    emit_layout(r->out, r->model, e);
    fputs(" *\nxt_view_", r->out);
    emit_layout(r->out, r->model, e);
    fputs("(const struct xt_record *r)\n{\n    return ", r->out);
    if ( e->words )
        fprintf(r->out, "r->words >= %u ? (const void *)r->payload : NULL",
                e->words);
    else
        fputs("(const void *)r->payload", r->out);
    fputs(";\n}\n\n", r->out);
}

/* ---- the id ----------------------------------------------------------- */

static void put_id_readers(const struct tt_request *r,
                           const struct tt_event *e)
{
    assert(e->id_fields);
    fprintf(r->out, "static inline bool xt_is_%s(uint32_t event)\n{\n"
            "    return (event & ~0x%08xu) == 0x%08x;\n}\n\n", e->name,
            e->id_fields, e->id);
    for ( size_t i = 0; i < e->nr_args; i++ )
    {
        const struct tt_arg *a = &e->args[i];

        if ( a->in_id )
            fprintf(r->out, "static inline uint32_t xt_id_%s_%s"
                    "(uint32_t event)\n{\n    return event >> %u & 0x%llx;\n"
                    "}\n\n", e->name, a->name, a->bit,
                    (unsigned long long)select_mask(a->bits));
    }
}

/* ---- versions --------------------------------------------------------- */

/* The number of layouts of the first event, in events sorted by id. */
static size_t count_layouts(const struct tt_event *const *events, size_t nr)
{
    size_t i = 1;

    assert(nr);
    while ( i < nr && events[i]->id == events[0]->id &&
            !strcmp(events[i]->name, events[0]->name) )
        i++;
    return i;
}

static void put_chooser(FILE *out, const struct tt_event *const *layouts,
                        size_t nr)
{
    assert(nr > 1);
    fprintf(out, "static inline unsigned int\n"
            "xt_layout_%s(uint16_t version, unsigned int words)\n{\n"
            "    static const struct xt_sizes sizes[] = {\n       ",
            layouts[0]->name);
    for ( size_t i = 0; i < nr; i++ )
        fprintf(out, " { %u, %u },", layouts[i]->words, layouts[i]->max_words);
    fputs("\n    };\n\n    return xt_layout_fit(", out);
    for ( size_t i = 1; i < nr; i++ )
        fprintf(out, "%s(version >= 0x%04x)", i > 1 ? " + " : "",
                layouts[i]->since);
    fprintf(out, ", words, sizes, %zu);\n}\n\n", nr);
}

/* ---- all of it -------------------------------------------------------- */

static void put_readers_event(const struct tt_request *r,
                              const struct tt_event *e)
{
    put_constants(r, e);
    put_view(r, e);
    if ( e->id_fields && select_is_newest(r->model, e) )
        put_id_readers(r, e);
}

static void put_readers_events(const struct tt_request *r,
                               const struct tt_event *const *events, size_t nr)
{
    size_t layouts;

    for ( size_t i = 0; i < nr; i += layouts )
    {
        layouts = count_layouts(events + i, nr - i);
        assert(layouts && layouts <= nr - i);
        for ( size_t j = i; j < i + layouts; j++ )
            put_readers_event(r, events[j]);
        if ( layouts > 1 )
            put_chooser(r->out, events + i, layouts);
    }
}

static int write_readers(const struct tt_request *r, struct err *why)
{
    const struct tt_model *m = r->model;
    const struct tt_event **events;
    size_t nr;
    int rc = select_by_id(m, &events, &nr, why);

    if ( rc )
        return rc;

    fputs("/* " EMIT_BANNER " */\n\n"
          "#ifndef XT_RECORD_READERS_H\n#define XT_RECORD_READERS_H\n\n"
          "#include \"libxentrace/place.h\"\n"
          "#include \"libxentrace/records.h\"\n\n", r->out);
    for ( size_t i = 0; i < m->nr_sems; i++ )
        if ( has_values(&m->sems[i]) )
            put_values(r->out, &m->sems[i]);
    put_readers_events(r, events, nr);
    free(events);
    fputs("#endif\n", r->out);
    return 0;
}

const struct tt_format tt_format_readers = {
    .name = "readers",
    .text = "Header with readers of each event's record, by field names.",
    .write = write_readers,
};
