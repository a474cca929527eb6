/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The constants of the hypervisor's classes and events, as a block for
 * public/trace.h:
 *
 *     #define TRC_SCHED_MIN ...            the class
 *
 *     #define TRC_SCHED_RUNSTATE_CHANGE  (TRC_SCHED_MIN + 1)
 *     #define TRC_SCHED_CONTINUE_RUNNING (TRC_SCHED_MIN + 2)
 *
 * Events follow their class in the order of declaration; an event with several
 * layouts is listed once.
 */
#include "tracetool/rows.h"

#include <string.h>

#include "tracetool/emit.h"
#include "tracetool/select.h"

/* Larger offsets contain flags, and are printed in hex. */
#define MAX_PLAIN 0xffu

/* ---- classes ---------------------------------------------------------- */

static void put_class_name(FILE *out, const struct tt_class *c)
{
    fputs("TRC_", out);
    emit_upper(out, c->name);
}

static void put_class(FILE *out, const struct tt_class *c, size_t width)
{
    fputs("#define ", out);
    put_class_name(out, c);
    fprintf(out, "%*s 0x%08x /* ", (int)(width - strlen(c->name)), "", c->id);
    emit_comment(out, c->text);
    fputs(" */\n", out);
}

static void put_classes(const struct tt_request *r, bool main_ones)
{
    const struct tt_model *m = r->model;
    size_t width = 0;

    for ( size_t i = 0; i < m->nr_classes; i++ )
        if ( select_is_main(&m->classes[i]) == main_ones &&
             strlen(m->classes[i].name) > width )
            width = strlen(m->classes[i].name);
    if ( !width )
        return;

    fprintf(r->out, "\n/* %s */\n", main_ones ? "Classes" : "Subclasses");
    for ( size_t i = 0; i < m->nr_classes; i++ )
        if ( select_is_main(&m->classes[i]) == main_ones )
            put_class(r->out, &m->classes[i], width);
}

/* ---- events ----------------------------------------------------------- */

static bool is_shown(const struct tt_request *r, const struct tt_event *e,
                     const struct tt_class *c)
{
    return e->in_xen && e->class == c && !e->is_private &&
           select_owner(r->model, e) == e;
}

/* A comment above the constant of an id with fields. */
static void put_id_fields(FILE *out, const struct tt_event *e)
{
    if ( !e->id_fields )
        return;
    fprintf(out, "/* %s", e->constant);
    for ( size_t i = 0; i < e->nr_args; i++ )
        if ( e->args[i].in_id )
            fprintf(out, " | (%s << %u)", e->args[i].name, e->args[i].bit);
    fputs(": */\n", out);
}

static void put_constant(FILE *out, const struct tt_event *e, size_t width,
                         bool hex)
{
    put_id_fields(out, e);
    fprintf(out, "#define %-*s ", (int)width, e->constant);
    if ( !e->class )
        fprintf(out, "0x%08x", e->id);
    else
    {
        fputc('(', out);
        put_class_name(out, e->class);
        fprintf(out, hex ? " + 0x%02x)" : " + %u)", e->id - e->class->id);
    }
    fputc('\n', out);
}

static void put_ids_heading(FILE *out, const struct tt_class *c)
{
    fputs("\n/* ", out);
    if ( c )
    {
        put_class_name(out, c);
        fputs(": ", out);
        emit_comment(out, c->text);
    }
    else
        fputs("Of no class", out);
    fputs(" */\n", out);
}

/* The events of a class; NULL: events without class. */
static void put_ids_events(const struct tt_request *r, const struct tt_class *c)
{
    const struct tt_model *m = r->model;
    size_t width = 0;
    bool hex = false;

    for ( size_t i = 0; i < m->nr_events; i++ )
    {
        const struct tt_event *e = &m->events[i];

        if ( !is_shown(r, e, c) )
            continue;
        if ( strlen(e->constant) > width )
            width = strlen(e->constant);
        hex = hex || (c && e->id - c->id > MAX_PLAIN);
    }
    if ( !width )
        return;

    put_ids_heading(r->out, c);
    for ( size_t i = 0; i < m->nr_events; i++ )
        if ( is_shown(r, &m->events[i], c) )
            put_constant(r->out, &m->events[i], width, hex);
}

static int write_ids(const struct tt_request *r, struct err *why)
{
    (void)why;
    fputs("/* " EMIT_BANNER " */\n", r->out);
    put_classes(r, true);
    put_classes(r, false);
    for ( size_t i = 0; i < r->model->nr_classes; i++ )
        put_ids_events(r, &r->model->classes[i]);
    put_ids_events(r, NULL);
    return 0;
}

const struct tt_format tt_format_ids = {
    .name = "ids",
    .text = "Block of event ids for Xen's public/trace.h.",
    .write = write_ids,
};
