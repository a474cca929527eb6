/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door of the export: results for programs, as JSON or CSV.
 *
 * Results are tables.  A table declares its columns once (struct export_table);
 * both formats, and the JSON Schema that describes them, are derived from that
 * declaration, so they cannot disagree.
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
 * Rows are written at once, so their number takes no memory.
 */
#ifndef XENALYZE_EXPORT_EXPORT_H
#define XENALYZE_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "libxentrace/libxentrace.h"
#include "xenalyze/stats/stats.h"

/* --- declaring a table ---------------------------------------------------- */

/* How a column appears: some types have several fields. */
enum export_type
{
    EXPORT_COUNT,               /* NAME: 0 or more */
    EXPORT_SIGNED,              /* NAME: may be negative */
    EXPORT_TEXT,                /* NAME */
    EXPORT_DURATION,            /* NAME_cycles, NAME_ns */
    EXPORT_MOMENT,              /* NAME_tsc, NAME_ns since the start, and
                                   NAME_wall_ns if the trace knows the date */
    EXPORT_SERIES,              /* statistics of durations; NAME is not used */
    EXPORT_WEIGHTED,            /* the same of states, whose percentiles are
                                   also given by time */
};

struct export_column
{
    const char *name;
    enum export_type type;
    const char *help;           /* for the schema and the manual */
    bool optional;              /* a row may have no value for it */
};

/* Where a table stands in the JSON document. */
enum export_place
{
    EXPORT_IN_TABLES,           /* in the object "tables" */
    EXPORT_AT_TOP,              /* beside it, as a list */
    EXPORT_AS_OBJECT,           /* beside it, as one object: it has one row */
};

struct export;

struct export_table
{
    const char *name;
    const char *help;
    enum export_place place;
    const struct export_column *columns;
    size_t nr_columns;
    /* Writes all rows from the state of a report; NULL: they are streamed. */
    void (*walk)(struct export *x, void *state);
};

#define EXPORT_COLUMNS(columns_) \
    .columns = (columns_), \
    .nr_columns = sizeof(columns_) / sizeof((columns_)[0])

#define EXPORT_COLUMN(name_, type_, help_) \
    { .name = (name_), .type = EXPORT_##type_, .help = help_ }
#define EXPORT_OPTIONAL(name_, type_, help_) \
    { .name = (name_), .type = EXPORT_##type_, .help = help_, \
      .optional = true }

/* Columns that many tables have. */
#define EXPORT_DOMAIN_ID EXPORT_COLUMN("domain", COUNT, "the domain's id")
#define EXPORT_VCPU_ID EXPORT_COLUMN("vcpu", COUNT, "the vcpu's number in it")
#define EXPORT_PCPU_ID EXPORT_COLUMN("pcpu", COUNT, "the physical CPU")
#define EXPORT_STATISTICS EXPORT_COLUMN("", SERIES, "")
#define EXPORT_STATE_STATISTICS EXPORT_COLUMN("", WEIGHTED, "")

/* --- writing -------------------------------------------------------------- */

struct export_value
{
    bool absent;
    union
    {
        uint64_t number;        /* signed ones as two's complement */
        const char *text;
        const struct stats *series;
    };
};

static inline struct export_value export_number(uint64_t number)
{
    return (struct export_value){ .number = number };
}

/* NULL is no value. */
static inline struct export_value export_text(const char *text)
{
    return (struct export_value){ .absent = !text, .text = text };
}

static inline struct export_value export_series(const struct stats *series)
{
    return (struct export_value){ .series = series };
}

/* The number, if `present`. */
static inline struct export_value export_optional(bool present,
                                                  uint64_t number)
{
    return (struct export_value){ .absent = !present, .number = number };
}

enum export_format { EXPORT_JSON, EXPORT_CSV };

/* `out` is borrowed.  0 or -ENOMEM. */
int export_new(struct export **x, enum export_format format, FILE *out);
void export_free(struct export *x);     /* NULL is fine */

/* Required before the first duration; the first call counts. */
void export_set_clock(struct export *x, const struct xt_clock *clock);

/*
 * Tables in the order of their places: those at the top first.  A table that
 * has been begun already goes on.
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

/* The JSON Schema of documents made of these tables. */
void export_schema(const struct export_table *const *tables, size_t nr,
                   FILE *out);

#endif /* XENALYZE_EXPORT_EXPORT_H */
