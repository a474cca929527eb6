/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of a point and of a cell, and the order of parts.
 */
#include "xenalyze/export/export.h"

#define NUMBER(what, value) { .name = what, .number = (uint64_t)(value) }
#define SIGNED(what, value, sign)                                           \
    { .name = what, .number = (uint64_t)(value), .is_signed = sign }
#define MAYBE(what, value, absent)                                          \
    { .name = what, .number = (uint64_t)(value), .is_absent = absent }

#define NR(fields) (sizeof(fields) / sizeof((fields)[0]))

typedef void fields_fn(struct form *f, const struct form_field *fields,
                       size_t nr);

static void tell_point(struct form *f, fields_fn *fn, enum scatter_kind kind,
                       const struct point *p)
{
    bool is_irq = p->who == POINT_IRQ;
    bool is_large = p->unit == POINT_LARGE ||
                    scatter_about(kind)->unit == PLOT_ADDRESS;
    const struct form_field fields[] = {
        { .name = "plot", .text = scatter_name(kind) },
        MAYBE("domain", p->domain, is_irq),
        MAYBE("vcpu", p->vcpu, is_irq),
        MAYBE("irq", p->vcpu, !is_irq),
        NUMBER("time", p->at),
        SIGNED("ns", p->time, true),
        SIGNED("value", p->value, !is_large),
    };

    fn(f, fields, NR(fields));
}

static void tell_cell(struct form *f, fields_fn *fn,
                      const struct interval_cell *c)
{
    const struct form_field fields[] = {
        { .name = "interval", .text = interval_name(c->kind) },
        MAYBE("domain", c->domain, !c->has_domain),
        { .name = "name", .text = c->name, .is_absent = !c->name },
        MAYBE("number", c->number, !c->has_number),
        NUMBER("time", c->at),
        NUMBER("ns", c->ns),
        NUMBER("cycles", c->cycles),
        NUMBER("value", c->value),
    };

    fn(f, fields, NR(fields));
}

/* --- parts ---------------------------------------------------------------- */

static void begin_points(struct form *f, const struct form_field *fields,
                         size_t nr)
{
    f->ops->begin(f, "points", fields, nr);
}

static void begin_intervals(struct form *f, const struct form_field *fields,
                            size_t nr)
{
    f->ops->begin(f, "intervals", fields, nr);
}

void form_reach(struct form *f, enum form_part part)
{
    if ( f->part >= part )
        return;
    if ( part == FORM_POINTS )
        tell_point(f, begin_points, 0, &(struct point){ 0 });
    if ( part == FORM_INTERVALS )
        tell_cell(f, begin_intervals, &(struct interval_cell){ 0 });
    f->part = part;
    f->more = false;
}

static void put_point(void *state, const struct point *p)
{
    struct form_plot *plot = state;

    form_reach(plot->form, FORM_POINTS);
    tell_point(plot->form, plot->form->ops->put, plot->kind, p);
    plot->form->more = true;
}

struct points form_points(struct form_plot *plot)
{
    return (struct points){ put_point, plot };
}

static void put_cell(void *state, const struct interval_cell *c)
{
    struct form *f = state;

    tell_cell(f, f->ops->put, c);
    f->more = true;
}

void form_interval(struct form *f, const struct interval *i)
{
    form_reach(f, FORM_INTERVALS);
    interval_walk(i, put_cell, f);
}

void form_rows(struct form *f, const struct rows *rows, const char *name)
{
    f->ops->rows(f, rows, name);
    form_reach(f, FORM_ROWS);
}
