/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface of export/: machine-readable results, as JSON or CSV tables.
 *
 * A table declares its columns once (struct export_table); JSON, CSV and the
 * JSON Schema are derived from the declaration, so the formats cannot disagree.
 *
 *     struct export *x;
 *
 *     export_new(&x, EXPORT_JSON, out);
 *     export_set_clock(x, &clock);
 *     export_begin(x, &table);
 *     EXPORT_ROW(x, export_number(1), export_text("running"),
 *                export_series(&series));
 *     export_end(x);
 *     export_close(x);
 *
 * Rows are written immediately, so memory use is constant.
 */
#ifndef XENALYZE_EXPORT_EXPORT_H
#define XENALYZE_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libxentrace/internal.h"
#include "xenalyze/stats/stats.h"

/* --- declaring a table ---------------------------------------------------- */

/* Type of a column; some types have several fields. */
enum export_type
{
    EXPORT_COUNT,               /* NAME: unsigned */
    EXPORT_SIGNED,              /* NAME: may be negative */
    EXPORT_TEXT,                /* NAME */
    EXPORT_DOMAIN,              /* NAME: its id; NAME_name if the trace has
                                   names */
    EXPORT_DURATION,            /* NAME_cycles, NAME_ns */
    EXPORT_MOMENT,              /* NAME_tsc, NAME_ns since the start, and
                                   NAME_wall_ns if the trace has a date */
    EXPORT_SERIES,              /* statistics of durations; NAME is unused */
    EXPORT_WEIGHTED,            /* same for states; also percentiles weighted
                                   by time */
};

struct export_column
{
    const char *name;
    enum export_type type;
    const char *help;           /* for the schema and the manual */
    bool optional;              /* the value may be absent in a row */
};

/* Position of a table in the JSON document. */
enum export_place
{
    EXPORT_IN_TABLES,           /* member of the object "tables" */
    EXPORT_AT_TOP,              /* top level, a list */
    EXPORT_AS_OBJECT,           /* top level, an object: a single row */
};

struct export;

struct export_table
{
    const char *name;
    const char *help;
    enum export_place place;
    const struct export_column *columns;
    size_t nr_columns;
    /*
     * Callback that writes all rows of a report's state; NULL: rows are
     * streamed.
     */
    void (*walk)(struct export *x, void *state);
    /* Left out if the state has no rows for it; NULL: never. */
    bool (*has_rows)(const void *state);
};

#define EXPORT_COLUMNS(columns_) \
    .columns = (columns_), \
    .nr_columns = sizeof(columns_) / sizeof((columns_)[0])

#define EXPORT_COLUMN(name_, type_, help_) \
    { .name = (name_), .type = EXPORT_##type_, .help = help_ }
#define EXPORT_OPTIONAL(name_, type_, help_) \
    { .name = (name_), .type = EXPORT_##type_, .help = help_, \
      .optional = true }

/* Columns shared by many tables. */
#define EXPORT_DOMAIN_ID EXPORT_COLUMN("domain", DOMAIN, "the domain")
#define EXPORT_VCPU_ID \
    EXPORT_COLUMN("vcpu", COUNT, "the number of the vcpu in the domain")
#define EXPORT_PCPU_ID EXPORT_COLUMN("pcpu", COUNT, "the physical CPU")
#define EXPORT_STATISTICS EXPORT_COLUMN("", SERIES, "")
#define EXPORT_STATE_STATISTICS EXPORT_COLUMN("", WEIGHTED, "")

/* --- writing -------------------------------------------------------------- */

struct export_value
{
    bool absent;
    union
    {
        uint64_t number;        /* signed numbers: two's complement */
        const char *text;
        const struct stats *series;
    };
};

static inline struct export_value export_number(uint64_t number)
{
    return (struct export_value){ .number = number };
}

/* NULL: absent. */
static inline struct export_value export_text(const char *text)
{
    return (struct export_value){ .absent = !text, .text = text };
}

static inline struct export_value export_series(const struct stats *series)
{
    return (struct export_value){ .series = series };
}

/* Absent unless `present`. */
static inline struct export_value export_optional(bool present,
                                                  uint64_t number)
{
    return (struct export_value){ .absent = !present, .number = number };
}

enum export_format { EXPORT_JSON, EXPORT_CSV };

/* `out` is borrowed.  0 or -ENOMEM. */
int export_new(struct export **x, enum export_format format, FILE *out);
void export_free(struct export *x);     /* accepts NULL */

/* Required before the first duration; further calls are ignored. */
void export_set_clock(struct export *x, const struct xt_clock *clock);

/* `names` are borrowed; required before the first table. */
void export_set_names(struct export *x, const struct xt_domain_names *names);

/*
 * Begin a table; top-level tables must precede the rest.  No effect if the
 * table is already the current table.
 */
void export_begin(struct export *x, const struct export_table *table);
void export_row(struct export *x, const struct export_value *values,
                size_t nr);

#define EXPORT_ROW(x, ...)                                                  \
    do {                                                                    \
        const struct export_value values_[] = { __VA_ARGS__ };              \
                                                                            \
        export_row(x, values_, sizeof(values_) / sizeof(values_[0]));       \
    } while ( 0 )

void export_end(struct export *x);

/* Complete the document. */
void export_close(struct export *x);

/* --- the schema ----------------------------------------------------------- */

/* Write the JSON Schema of documents with these tables. */
void export_write_schema(const struct export_table *const *tables, size_t nr,
                   FILE *out);

#endif /* XENALYZE_EXPORT_EXPORT_H */
