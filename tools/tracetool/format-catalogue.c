/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hypervisor's events as C tables for libxentrace; libxentrace/catalogue.h
 * declares the structs.  Events are sorted by id, and layouts of an event from
 * old to new versions of Xen, so that readers can use binary search.
 *
 * Fields and pieces of event N are the arrays fields_N and pieces_N; values of
 * word N are the array values_N.
 */
#include "tracetool/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tracetool/emit.h"
#include "tracetool/select.h"

static const char *const meanings[] = {
    [TT_PLAIN] = "XT_PLAIN",
    [TT_ENUM] = "XT_ENUM",
    [TT_FLAGS] = "XT_FLAGS",
};

static const char *yes_no(bool yes)
{
    return yes ? "true" : "false";
}

/* "values_7", or NULL for an empty array. */
static void put_array_name(FILE *out, const char *what, size_t number,
                           size_t nr)
{
    if ( nr )
        fprintf(out, "%s_%zu", what, number);
    else
        fputs("NULL", out);
}

/* ---- words ------------------------------------------------------------ */

static void put_values(FILE *out, const struct tt_sem *sem, size_t number)
{
    if ( !sem->nr_values )
        return;
    fprintf(out, "static const struct xt_value values_%zu[] = {\n", number);
    for ( size_t i = 0; i < sem->nr_values; i++ )
    {
        fprintf(out, "    { UINT64_C(0x%llx), ",
                (unsigned long long)sem->values[i].value);
        emit_string(out, sem->values[i].name);
        fputs(", ", out);
        emit_string(out, sem->values[i].text);
        fputs(" },\n", out);
    }
    fputs("};\n\n", out);
}

static void put_sem(FILE *out, const struct tt_sem *sem, size_t number)
{
    assert(sem->meaning <= TT_FLAGS);
    fputs("    { .name = ", out);
    emit_string(out, sem->name);
    fputs(", .text = ", out);
    emit_string(out, sem->text);
    fprintf(out, ",\n      .meaning = %s, .values = ", meanings[sem->meaning]);
    put_array_name(out, "values", number, sem->nr_values);
    fprintf(out, ", .nr_values = %zu },\n", sem->nr_values);
}

/* A C array needs an element, even if xt_catalogue_nr_sems is 0. */
static void put_sems(FILE *out, const struct tt_model *m)
{
    for ( size_t i = 0; i < m->nr_sems; i++ )
        put_values(out, &m->sems[i], i);

    fputs("const struct xt_sem xt_catalogue_sems[] = {\n", out);
    for ( size_t i = 0; i < m->nr_sems; i++ )
        put_sem(out, &m->sems[i], i);
    fprintf(out, "%s};\n\nconst size_t xt_catalogue_nr_sems = %zu;\n\n",
            m->nr_sems ? "" : "    { .name = NULL },\n", m->nr_sems);
}

/* ---- events ----------------------------------------------------------- */

static void put_catalogue_field(FILE *out, const struct tt_model *m,
                                const struct tt_arg *a)
{
    assert(!a->sem || (m->sems <= a->sem && a->sem < m->sems + m->nr_sems));
    fputs("    { .name = ", out);
    emit_string(out, a->name);
    if ( a->sem )
        fprintf(out, ", .sem = &xt_catalogue_sems[%zu]",
                (size_t)(a->sem - m->sems));
    fprintf(out, ",\n      .bit = %u, .bits = %u, .is_signed = %s, "
            ".in_id = %s,\n      .optional = %s, .present = %d },\n",
            a->bit, a->bits, yes_no(a->is_signed), yes_no(a->in_id),
            yes_no(a->optional), a->present);
}

static void put_fields(FILE *out, const struct tt_model *m,
                       const struct tt_event *e, size_t number)
{
    if ( !e->nr_args )
        return;
    fprintf(out, "static const struct xt_field fields_%zu[] = {\n", number);
    for ( size_t i = 0; i < e->nr_args; i++ )
        put_catalogue_field(out, m, &e->args[i]);
    fputs("};\n\n", out);
}

static void put_pieces(FILE *out, const struct tt_event *e, size_t number)
{
    if ( !e->nr_pieces )
        return;
    fprintf(out, "static const struct xt_piece pieces_%zu[] = {\n", number);
    for ( size_t i = 0; i < e->nr_pieces; i++ )
    {
        fputs("    { ", out);
        emit_string(out, e->pieces[i].text);
        fprintf(out, ", %d, %u },\n", e->pieces[i].arg,
                e->pieces[i].group);
    }
    fputs("};\n\n", out);
}

static void put_catalogue_event(FILE *out, const struct tt_event *e,
                                size_t number)
{
    assert(e->in_xen);
    fprintf(out, "    { .id = 0x%08x, .id_fields = 0x%08x, .name = ", e->id,
            e->id_fields);
    emit_string(out, e->name);
    fputs(", .constant = ", out);
    emit_string(out, e->constant);
    fputs(",\n      .fields = ", out);
    put_array_name(out, "fields", number, e->nr_args);
    fputs(", .pieces = ", out);
    put_array_name(out, "pieces", number, e->nr_pieces);
    fprintf(out, ", .nr_fields = %zu, .nr_pieces = %zu,\n", e->nr_args,
            e->nr_pieces);
    fprintf(out, "      .words = %u, .max_words = %u, .timed = %s, "
            ".unused = %s,\n      .since = 0x%04x, .until = 0x%04x },\n",
            e->words, e->max_words, yes_no(e->timed), yes_no(e->unused),
            e->since, e->until);
}

static void put_catalogue_events(FILE *out, const struct tt_model *m,
                                 const struct tt_event *const *events,
                                 size_t nr)
{
    for ( size_t i = 0; i < nr; i++ )
    {
        assert(!i || events[i - 1]->id <= events[i]->id);
        put_fields(out, m, events[i], i);
        put_pieces(out, events[i], i);
    }
    fputs("const struct xt_event xt_catalogue_events[] = {\n", out);
    for ( size_t i = 0; i < nr; i++ )
        put_catalogue_event(out, events[i], i);
    fprintf(out, "%s};\n\nconst size_t xt_catalogue_nr_events = %zu;\n",
            nr ? "" : "    { .name = NULL },\n", nr);
}

/* ---- classes ---------------------------------------------------------- */

static const struct tt_class *find_parent(const struct tt_model *m,
                                          const struct tt_class *c)
{
    for ( size_t i = 0; i < m->nr_classes; i++ )
        if ( select_is_main(&m->classes[i]) &&
             (m->classes[i].id ^ c->id) >> 16 == 0 )
            return &m->classes[i];
    return c;
}

/* The name for users: "sched", and "sched:min" for subclass sched_min. */
static void put_class_name(FILE *out, const struct tt_model *m,
                           const struct tt_class *c)
{
    const struct tt_class *above = find_parent(m, c);
    const char *own = strchr(c->name, '_');

    if ( above == c || !own )
        fprintf(out, "\"%s\"", c->name);
    else
        fprintf(out, "\"%s:%s\"", above->name, own + 1);
}

static void put_classes(FILE *out, const struct tt_model *m)
{
    fputs("const struct xt_class xt_catalogue_classes[] = {\n", out);
    for ( size_t i = 0; i < m->nr_classes; i++ )
    {
        fputs("    { ", out);
        put_class_name(out, m, &m->classes[i]);
        fprintf(out, ", 0x%08x, ", m->classes[i].id);
        emit_string(out, m->classes[i].text);
        fputs(" },\n", out);
    }
    fprintf(out, "%s};\n\nconst size_t xt_catalogue_nr_classes = %zu;\n\n",
            m->nr_classes ? "" : "    { .name = NULL },\n", m->nr_classes);
}

static int write_catalogue(const struct tt_request *r, struct err *why)
{
    const struct tt_event **events;
    size_t nr;
    int rc = select_by_id(r->model, &events, &nr, why);

    if ( rc )
        return rc;

    fputs("/* " EMIT_BANNER " */\n\n#include \"libxentrace/catalogue.h\"\n\n",
          r->out);
    put_classes(r->out, r->model);
    put_sems(r->out, r->model);
    put_catalogue_events(r->out, r->model, events, nr);
    free(events);
    return 0;
}

const struct tt_format tt_format_catalogue = {
    .name = "catalogue",
    .text = "Tables of events for libxentrace.",
    .write = write_catalogue,
};
