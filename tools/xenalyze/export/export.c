/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common code of both formats: state of the current table and its fields.
 */
#include "xenalyze/export/export.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/export/fields.h"

int export_new(struct export **x, enum export_format format, FILE *out)
{
    assert(out && (format == EXPORT_JSON || format == EXPORT_CSV));
    *x = fault_calloc(1, sizeof(**x));
    if ( !*x )
        return -ENOMEM;
    (*x)->ops = format == EXPORT_JSON ? export_json_ops() : export_csv_ops();
    (*x)->out = out;
    return 0;
}

void export_free(struct export *x)
{
    free(x);
}

void export_set_clock(struct export *x, const struct xt_clock *clock)
{
    if ( !x->has_clock )
        x->context.clock = *clock;
    x->has_clock = true;
}

void export_set_names(struct export *x, const struct xt_domain_names *names)
{
    assert(!x->has_output);
    x->context.names = names && names->nr ? names : NULL;
}

void export_begin(struct export *x, const struct export_table *table)
{
    assert(table && table->nr_columns);
    if ( x->table == table )
        return;
    if ( x->table )
        export_end(x);
    x->table = table;
    x->has_rows = false;
    fields_declare(&x->fields, table, x->context.names);
    x->ops->begin(x);
}

void export_row(struct export *x, const struct export_value *values,
                size_t nr)
{
    assert(x->table && nr == x->table->nr_columns);
    assert(x->table->place != EXPORT_AS_OBJECT || !x->has_rows);
    fields_fill(&x->fields, x->table, values, &x->context);
    x->ops->row(x);
    x->has_rows = true;
}

void export_end(struct export *x)
{
    assert(x->table);
    x->ops->end(x);
    x->table = NULL;
}

void export_close(struct export *x)
{
    if ( x->table )
        export_end(x);
    x->ops->close(x);
}
