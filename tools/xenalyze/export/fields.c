/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of each type of column: name, value and description.  Durations have
 * two fields, cycles and nanoseconds, so a reader need not know the frequency
 * of the clock.
 */
#include "xenalyze/export/fields.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "common/debug.h"

/* --- statistics ----------------------------------------------------------- */

enum part_kind { PART_COUNT, PART_DURATION, PART_MOMENT, PART_HISTOGRAM };

/* Condition for a part's presence in a row. */
enum part_need { NEED_NOTHING, NEED_SAMPLES, NEED_WEIGHTS };

struct part
{
    const char *name;
    enum part_kind kind;
    enum part_need need;
    size_t value;               /* offset in struct series_values */
    const char *help;
};

/* The numbers of a series, so that one walk finds all percentiles. */
struct series_values
{
    uint64_t events, samples, total, mean, min, max, max_at;
    struct stats_percentiles places, weighted;
};

static void find_values(const struct stats *s, bool is_weighted,
                        struct series_values *v)
{
    *v = (struct series_values){
        .events = stats_events(s), .samples = s->count, .total = s->sum,
        .mean = stats_mean(s), .min = s->min, .max = s->max,
        .max_at = s->max_at,
    };
    if ( s->count )
        stats_percentiles(s, &v->places);
    if ( s->count && is_weighted && s->weighted )
        stats_weighted_percentiles(s, &v->weighted);
}

#define VALUE(member) offsetof(struct series_values, member)

#define PERCENTILE(place)                                                   \
    { "p" #place, PART_DURATION, NEED_SAMPLES, VALUE(places.p##place),      \
      "percentile " #place " of the durations" }

#define WEIGHTED(place)                                                     \
    { "weighted_p" #place, PART_DURATION, NEED_WEIGHTS,                     \
      VALUE(weighted.p##place),                                             \
      "percentile " #place " of the durations, weighted by length" }

static const struct part parts[] = {
    { "events", PART_COUNT, NEED_NOTHING, VALUE(events),
      "the number of values" },
    { "samples", PART_COUNT, NEED_NOTHING, VALUE(samples),
      "the number of values that are not 0" },
    { "total", PART_DURATION, NEED_SAMPLES, VALUE(total),
      "the sum of the samples" },
    { "mean", PART_DURATION, NEED_SAMPLES, VALUE(mean),
      "the mean of the samples" },
    { "min", PART_DURATION, NEED_SAMPLES, VALUE(min), "the shortest sample" },
    { "max", PART_DURATION, NEED_SAMPLES, VALUE(max), "the longest sample" },
    { "max_at", PART_MOMENT, NEED_SAMPLES, VALUE(max_at),
      "the time of the longest sample" },
    PERCENTILE(5), PERCENTILE(50), PERCENTILE(95), PERCENTILE(99),
    WEIGHTED(5), WEIGHTED(50), WEIGHTED(95), WEIGHTED(99),
    { "histogram", PART_HISTOGRAM, NEED_SAMPLES, 0,
      "pairs of the lower bound of a power of two, in cycles, and the number "
      "of samples from there to the next" },
};

#define NR_PARTS (sizeof(parts) / sizeof(parts[0]))

/* --- declaring ------------------------------------------------------------ */

static void declare_field(struct fields *f, const char *name,
                          const char *suffix, enum field_kind kind,
                          bool optional)
{
    struct field *field = &f->all[f->nr++];
    size_t length = strlen(name), end = strlen(suffix);

    assert(f->nr <= FIELDS_MAX && length + end < FIELD_NAME_MAX);
    memcpy(field->name, name, length);
    memcpy(field->name + length, suffix, end + 1);
    field->kind = kind;
    field->optional = optional;
}

static void declare_duration(struct fields *f, const char *name, bool optional)
{
    declare_field(f, name, "_cycles", FIELD_COUNT, optional);
    declare_field(f, name, "_ns", FIELD_COUNT, optional);
}

static void declare_moment(struct fields *f, const char *name, bool optional)
{
    declare_field(f, name, "_tsc", FIELD_COUNT, optional);
    declare_field(f, name, "_ns", FIELD_SIGNED, optional);
    declare_field(f, name, "_wall_ns", FIELD_COUNT, true);
}

/* True if a series of this type has the part. */
static bool has_part(enum export_type type, const struct part *part)
{
    return type == EXPORT_WEIGHTED || part->need != NEED_WEIGHTS;
}

static void declare_series(struct fields *f, enum export_type type)
{
    for ( size_t i = 0; i < NR_PARTS; i++ )
    {
        const struct part *part = &parts[i];
        bool optional = part->need != NEED_NOTHING;

        if ( !has_part(type, part) )
            continue;
        switch ( part->kind )
        {
        case PART_COUNT:
            declare_field(f, part->name, "", FIELD_COUNT, optional);
            break;
        case PART_DURATION:
            declare_duration(f, part->name, optional);
            break;
        case PART_MOMENT:
            declare_moment(f, part->name, optional);
            break;
        case PART_HISTOGRAM:
            declare_field(f, part->name, "", FIELD_HISTOGRAM, optional);
            break;
        }
    }
}

static void declare_column(struct fields *f, const struct export_column *c,
                           bool has_names)
{
    switch ( c->type )
    {
    case EXPORT_DOMAIN:
        declare_field(f, c->name, "", FIELD_COUNT, c->optional);
        if ( has_names )
            declare_field(f, c->name, "_name", FIELD_TEXT, true);
        break;
    case EXPORT_COUNT:
        declare_field(f, c->name, "", FIELD_COUNT, c->optional);
        break;
    case EXPORT_SIGNED:
        declare_field(f, c->name, "", FIELD_SIGNED, c->optional);
        break;
    case EXPORT_TEXT:
        declare_field(f, c->name, "", FIELD_TEXT, c->optional);
        break;
    case EXPORT_DURATION:
        declare_duration(f, c->name, c->optional);
        break;
    case EXPORT_MOMENT:
        declare_moment(f, c->name, c->optional);
        break;
    case EXPORT_SERIES:
    case EXPORT_WEIGHTED:
        declare_series(f, c->type);
        break;
    }
}

void fields_declare(struct fields *f, const struct export_table *table,
                    bool has_names)
{
    f->nr = 0;
    for ( size_t i = 0; i < table->nr_columns; i++ )
        declare_column(f, &table->columns[i], has_names);
}

/* --- filling -------------------------------------------------------------- */

static struct field *fill_duration(struct field *field, bool absent,
                                   uint64_t cycles,
                                   const struct xt_clock *clock)
{
    debug_assert(field[0].kind == FIELD_COUNT && field[1].kind == FIELD_COUNT);
    field[0].absent = field[1].absent = absent;
    field[0].number = cycles;
    field[1].number = absent ? 0 : xt_clock_duration(clock, cycles);
    return field + 2;
}

static struct field *fill_moment(struct field *field, bool absent,
                                 uint64_t tsc, const struct xt_clock *clock)
{
    int64_t wall = absent ? 0 : xt_clock_wall(clock, tsc);

    debug_assert(field[0].kind == FIELD_COUNT && field[1].kind == FIELD_SIGNED);
    field[0].absent = field[1].absent = absent;
    field[0].number = tsc;
    field[1].number = absent ? 0 : (uint64_t)xt_clock_ns(clock, tsc);
    field[2].absent = absent || !clock->has_wall || wall < 0;
    field[2].number = (uint64_t)wall;
    return field + 3;
}

static bool lacks_part(const struct part *part, const struct stats *s)
{
    return (part->need != NEED_NOTHING && !s->count) ||
           (part->need == NEED_WEIGHTS && !s->weighted);
}

static struct field *fill_part(struct field *field, const struct part *part,
                               const struct stats *s,
                               const struct series_values *values,
                               const struct xt_clock *clock)
{
    bool absent = lacks_part(part, s);
    uint64_t value = 0;

    if ( !absent )
        memcpy(&value, (const char *)values + part->value, sizeof(value));
    switch ( part->kind )
    {
    case PART_DURATION:
        return fill_duration(field, absent, value, clock);
    case PART_MOMENT:
        return fill_moment(field, absent, value, clock);
    case PART_COUNT:
        field->number = value;
        break;
    case PART_HISTOGRAM:
        debug_assert(field->kind == FIELD_HISTOGRAM);
        field->series = s;
        break;
    }
    field->absent = absent;
    return field + 1;
}

static struct field *fill_series(struct field *field, enum export_type type,
                                 const struct stats *s,
                                 const struct xt_clock *clock)
{
    struct series_values values;

    find_values(s, type == EXPORT_WEIGHTED, &values);
    for ( size_t i = 0; i < NR_PARTS; i++ )
        if ( has_part(type, &parts[i]) )
            field = fill_part(field, &parts[i], s, &values, clock);
    return field;
}

static struct field *fill_domain(struct field *field,
                                 const struct export_value *v,
                                 const struct xt_domain_names *names)
{
    field->number = v->number;
    field->absent = v->absent;
    if ( !names )
        return field + 1;
    field[1].text = v->absent ? NULL : xt_domain_name(names, v->number);
    field[1].absent = !field[1].text;
    return field + 2;
}

static struct field *fill_column(struct field *field, enum export_type type,
                                 const struct export_value *v,
                                 const struct fields_context *context)
{
    const struct xt_clock *clock = &context->clock;

    switch ( type )
    {
    case EXPORT_DOMAIN:
        return fill_domain(field, v, context->names);
    case EXPORT_DURATION:
        return fill_duration(field, v->absent, v->number, clock);
    case EXPORT_MOMENT:
        return fill_moment(field, v->absent, v->number, clock);
    case EXPORT_SERIES:
    case EXPORT_WEIGHTED:
        return fill_series(field, type, v->series, clock);
    case EXPORT_TEXT:
        debug_assert(field->kind == FIELD_TEXT && (v->absent || v->text));
        field->text = v->text;
        break;
    case EXPORT_COUNT:
    case EXPORT_SIGNED:
        field->number = v->number;
        break;
    }
    field->absent = v->absent;
    return field + 1;
}

void fields_fill(struct fields *f, const struct export_table *table,
                 const struct export_value *values,
                 const struct fields_context *context)
{
    struct field *field = f->all;

    for ( size_t i = 0; i < table->nr_columns; i++ )
    {
        assert(!values[i].absent || table->columns[i].optional);
        field = fill_column(field, table->columns[i].type, &values[i],
                            context);
    }
    assert(field == f->all + f->nr);
}

/* --- describing ----------------------------------------------------------- */

/* The meaning of field `i` of a column with several fields. */
static const char *get_unit(enum export_type type, size_t i)
{
    static const char *const duration[] = { "cycles", "nanoseconds" };
    static const char *const domain[] = { "id", "name, if known" };
    static const char *const moment[] = {
        "time stamp", "nanoseconds since the start",
        "nanoseconds since 1970, if the trace knows the date",
    };

    assert(i < (type == EXPORT_MOMENT ? 3 : 2));
    return type == EXPORT_MOMENT ? moment[i] :
           type == EXPORT_DOMAIN ? domain[i] : duration[i];
}

static size_t count_part_fields(const struct part *part)
{
    return part->kind == PART_DURATION ? 2 : part->kind == PART_MOMENT ? 3 : 1;
}

static bool is_series(const struct export_column *c)
{
    return c->type == EXPORT_SERIES || c->type == EXPORT_WEIGHTED;
}

static size_t count_column_fields(const struct export_column *c)
{
    size_t nr = 0;

    if ( c->type == EXPORT_MOMENT )
        return 3;
    if ( c->type == EXPORT_DURATION || c->type == EXPORT_DOMAIN )
        return 2;
    if ( !is_series(c) )
        return 1;
    for ( size_t i = 0; i < NR_PARTS; i++ )
        nr += has_part(c->type, &parts[i]) ? count_part_fields(&parts[i]) : 0;
    return nr;
}

static void format_help(char help[FIELD_HELP_MAX], const char *text, size_t nr,
                        enum export_type type, size_t i)
{
    if ( nr == 1 )
        snprintf(help, FIELD_HELP_MAX, "%s", text);
    else
        snprintf(help, FIELD_HELP_MAX, "%s (%s)", text, get_unit(type, i));
}

static void format_part_help(enum export_type type, size_t i,
                             char help[FIELD_HELP_MAX])
{
    const struct part *part = parts;

    for ( ; !has_part(type, part) || i >= count_part_fields(part); part++ )
        i -= has_part(type, part) ? count_part_fields(part) : 0;
    assert(part < parts + NR_PARTS);
    format_help(help, part->help, count_part_fields(part),
                part->kind == PART_MOMENT ? EXPORT_MOMENT : EXPORT_DURATION,
                i);
}

void fields_describe(const struct export_table *table, size_t i,
                     char help[FIELD_HELP_MAX])
{
    const struct export_column *c = table->columns;

    for ( ; i >= count_column_fields(c); c++ )
        i -= count_column_fields(c);
    assert(c < table->columns + table->nr_columns);
    if ( is_series(c) )
        format_part_help(c->type, i, help);
    else
        format_help(help, c->help, count_column_fields(c), c->type, i);
}
