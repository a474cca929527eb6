/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of columns.  A field is a member of a JSON object, or a CSV column; a
 * table column has a fixed number of fields, at least one.  Private header of
 * export/.
 */
#ifndef XENALYZE_EXPORT_FIELDS_H
#define XENALYZE_EXPORT_FIELDS_H

#include "xenalyze/export/export.h"

#define FIELDS_MAX 64u
#define FIELD_NAME_MAX 40u
#define FIELD_HELP_MAX 160u

enum field_kind { FIELD_COUNT, FIELD_SIGNED, FIELD_TEXT, FIELD_HISTOGRAM };

struct field
{
    char name[FIELD_NAME_MAX];
    enum field_kind kind;
    bool optional;              /* the value may be absent in a row */

    /* Values of the current row. */
    bool absent;
    union
    {
        uint64_t number;
        const char *text;
        const struct stats *series;
    };
};

struct fields
{
    struct field all[FIELDS_MAX];
    size_t nr;
};

/*
 * Set names and kinds of a table's fields.  `has_names`: with fields for names
 * of domains.
 */
void fields_declare(struct fields *f, const struct export_table *table,
                    bool has_names);

/* The clock and the names that convert values. */
struct fields_context
{
    struct xt_clock clock;
    const struct xt_domain_names *names;        /* NULL: none */
};

/* Set the values of a row. */
void fields_fill(struct fields *f, const struct export_table *table,
                 const struct export_value *values,
                 const struct fields_context *context);

/* Describe field `i` of the table. */
void fields_describe(const struct export_table *table, size_t i,
                     char help[FIELD_HELP_MAX]);

/* --- the formats ---------------------------------------------------------- */

struct export_ops
{
    void (*begin)(struct export *x);
    void (*row)(struct export *x);
    void (*end)(struct export *x);
    void (*close)(struct export *x);
};

const struct export_ops *export_json_ops(void);
const struct export_ops *export_csv_ops(void);

struct export
{
    const struct export_ops *ops;
    FILE *out;
    struct fields_context context;
    bool has_clock;
    const struct export_table *table;   /* current table, or NULL */
    struct fields fields;               /* fields of `table` */
    bool has_rows;                      /* `table` has a row */
    bool has_tables;                    /* JSON: "tables" is open */
    bool has_output;                    /* any output written */
};

#endif /* XENALYZE_EXPORT_FIELDS_H */
