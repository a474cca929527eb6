/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns as fields.  A field is one member of a JSON object, or one column of
 * CSV; a column has one or several, always the same ones.  This header is for
 * the room's own files.
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
    bool optional;              /* some rows have no value for it */

    /* Of the row that is being written. */
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

/* The fields of a table, without values. */
void fields_declare(struct fields *f, const struct export_table *table);

/* Their values in a row. */
void fields_fill(struct fields *f, const struct export_table *table,
                 const struct export_value *values,
                 const struct xt_clock *clock);

/* What field `i` of the table means, in words. */
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
    struct xt_clock clock;
    bool has_clock;
    const struct export_table *table;   /* begun and not ended; or NULL */
    struct fields fields;               /* of `table` */
    bool has_rows;                      /* `table` has a row */
    bool has_tables;                    /* JSON: "tables" is open */
    bool has_output;                    /* something was written */
};

#endif /* XENALYZE_EXPORT_FIELDS_H */
