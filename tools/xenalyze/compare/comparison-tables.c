/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of a comparison for programs, with all rows.  Fields are integers:
 * nanoseconds, nanoseconds per second, or events per 1000 seconds.
 */
#include "xenalyze/compare/comparison.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

static struct export_value export_rounded(bool present, double value)
{
    bool is_known = present && isfinite(value) && fabs(value) < 9e18;

    return export_optional(is_known, is_known ? (uint64_t)llround(value) : 0);
}

/* --- both traces ---------------------------------------------------------- */

static void walk_sides(struct export *x, void *state)
{
    const struct comparison *c = state;

    for ( unsigned int i = 0; i < 2; i++ )
    {
        const struct profile *p = c->sides[i].profile;

        EXPORT_ROW(x, export_text(comparison_letter(i)),
                   export_text(c->sides[i].name),
                   export_number(xt_clock_hz(&p->clock)),
                   export_number(xt_clock_duration(&p->clock,
                                                   profile_whole(p))),
                   export_number(p->nr_pcpus),
                   export_rounded(true, 1e9 * measure_busy(p)),
                   export_number(p->records),
                   export_number(p->lost_records),
                   export_number(xt_clock_duration(
                       &p->clock, measure_lost_time(p))),
                   export_number(p->damaged), export_number(p->segments),
                   export_number(xt_clock_duration(
                       &p->clock, fact_disorder_error(&p->disorder))));
    }
}

static const struct export_column side_columns[] = {
    EXPORT_COLUMN("trace", TEXT, "A, the first, or B, the second"),
    EXPORT_COLUMN("name", TEXT, "the name of the file"),
    EXPORT_COLUMN("tsc_hz", COUNT, "the frequency of the time stamp counter"),
    EXPORT_COLUMN("length_ns", COUNT, "the length of the compared span"),
    EXPORT_COLUMN("pcpus", COUNT, "the number of pcpus with records"),
    EXPORT_COLUMN("busy", COUNT,
                  "the time for which a pcpu ran a vcpu, in ns per second, "
                  "mean of all pcpus"),
    EXPORT_COLUMN("records", COUNT, "the number of records in the span"),
    EXPORT_COLUMN("lost_records", COUNT,
                  "the number of records lost in the span"),
    EXPORT_COLUMN("lost_ns", COUNT,
                  "the time in which records were lost, summed over pcpus"),
    EXPORT_COLUMN("damaged", COUNT, "the number of damaged places"),
    EXPORT_COLUMN("segments", COUNT,
                  "the number of parts of the file whose times cannot be "
                  "compared; the first is compared"),
    EXPORT_COLUMN("clock_error_ns", COUNT,
                  "waits may be wrong by so much, since the clocks of two "
                  "pcpus differ; 0: they agree"),
};

static void export_side_domain(struct export *x, const struct comparison *c,
                               unsigned int side, uint16_t id)
{
    char label[XT_LABEL_MAX];

    assert(id != DOMAIN_NO_MATCH);
    EXPORT_ROW(x, export_text(comparison_letter(side)), export_number(id),
               export_text(xt_domain_label(c->sides[side].names, id, label)));
}

static void walk_unmatched(struct export *x, void *state)
{
    const struct comparison *c = state;

    for ( size_t i = 0; i < c->nr_pairs; i++ )
        for ( unsigned int k = 0; k < 2; k++ )
            if ( c->pairs[i].ids[!k] == DOMAIN_NO_MATCH )
                export_side_domain(x, c, k, c->pairs[i].ids[k]);
}

static const struct export_column unmatched_columns[] = {
    EXPORT_COLUMN("trace", TEXT, "the trace that has the domain"),
    EXPORT_COLUMN("domain", COUNT, "the number of the domain"),
    EXPORT_COLUMN("label", TEXT, "its name, or its number as d7"),
};

static void walk_missing(struct export *x, void *state)
{
    const struct comparison *c = state;

    for ( unsigned int class = 0; class < MEASURE_CLASSES; class++ )
        for ( unsigned int side = 0; side < 2; side++ )
            if ( c->lacks[class][side] )
                EXPORT_ROW(x, export_text(comparison_letter(side)),
                           export_text(comparison_class_name(class)),
                           export_text(comparison_class_events(class)));
}

static const struct export_column missing_columns[] = {
    EXPORT_COLUMN("trace", TEXT, "the trace that lacks the events"),
    EXPORT_COLUMN("class", TEXT, "what the events would show"),
    EXPORT_COLUMN("events", TEXT, "the argument of xentrace -e that adds them"),
};

/* --- rows ----------------------------------------------------------------- */

static const char *const unit_names[MEASURE_UNITS] = {
    [MEASURE_SHARE] = "ns/s", [MEASURE_RATE] = "events/1000s",
    [MEASURE_MEAN] = "ns", [MEASURE_QUANTILE] = "ns",
};

static double unit_factor(enum measure_unit unit)
{
    assert(unit < MEASURE_UNITS);
    return unit == MEASURE_SHARE ? 1e9 : unit == MEASURE_RATE ? 1e3 : 1;
}

static const char *const verdict_names[] = {
    [VERDICT_CHANCE] = "noise", [VERDICT_LOST] = "lost",
    [VERDICT_CHANGED] = "changed",
};

static void export_comparison_row(struct export *x, const struct comparison *c,
                                  const struct comparison_row *row)
{
    double factor = unit_factor(row->measure->unit);
    bool is_host = figure_domain(row->keys[0]) == FIGURE_HOST;
    uint32_t vcpu = figure_vcpu(row->keys[0]);
    char label[XT_LABEL_MAX], detail[COMPARISON_DETAIL];

    EXPORT_ROW(x, export_text(is_host ? NULL : xt_domain_label(
                   c->sides[0].names, figure_domain(row->keys[0]), label)),
               export_optional(!is_host, figure_domain(row->keys[0])),
               export_optional(!is_host, figure_domain(row->keys[1])),
               export_optional(!is_host && vcpu, vcpu - 1),
               export_optional(is_host && vcpu, vcpu - 1),
               export_text(row->measure->name),
               export_text(comparison_detail(row, detail)),
               export_text(unit_names[row->measure->unit]),
               export_rounded(true, factor * row->values[0]),
               export_rounded(true, factor * row->values[1]),
               export_rounded(row->shift.is_known, factor * row->shift.low),
               export_rounded(row->shift.is_known, factor * row->shift.high),
               export_rounded(fabs(row->cost) >= 1, row->cost),
               export_text(verdict_names[row->verdict]));
}

static void walk_rows(struct export *x, void *state)
{
    const struct comparison *c = state;

    for ( size_t i = 0; i < c->nr; i++ )
        export_comparison_row(x, c, &c->rows[i]);
}

static const struct export_column row_columns[] = {
    EXPORT_OPTIONAL("label", TEXT, "the domain, as in A; absent: pcpus"),
    EXPORT_OPTIONAL("domain_a", COUNT, "the number of the domain in A"),
    EXPORT_OPTIONAL("domain_b", COUNT, "the number of the domain in B"),
    EXPORT_OPTIONAL("vcpu", COUNT, "the vcpu; absent: all of the domain"),
    EXPORT_OPTIONAL("pcpu", COUNT, "the pcpu; absent: all, or a domain"),
    EXPORT_COLUMN("value", TEXT, "what is compared: running, exits ..."),
    EXPORT_OPTIONAL("detail", TEXT,
                    "the exit reason, or the name of the hypercall"),
    EXPORT_COLUMN("unit", TEXT, "ns, ns/s or events/1000s"),
    EXPORT_OPTIONAL("a", COUNT, "the value in A"),
    EXPORT_OPTIONAL("b", COUNT, "the value in B"),
    EXPORT_OPTIONAL("shift_low", SIGNED,
                    "the least change from A to B that noise and lost records "
                    "allow; absent: not known"),
    EXPORT_OPTIONAL("shift_high", SIGNED, "the greatest such change"),
    EXPORT_OPTIONAL("cost", SIGNED,
                    "the change in ns of time per second; absent: not known"),
    EXPORT_COLUMN("verdict", TEXT,
                  "changed, noise, or lost: lost records may be the cause"),
};

static const struct export_table tables[] = {
    { "compared_traces", "The two traces of a comparison (--compare).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(side_columns), walk_sides },
    { "compared_values", "Values in both traces, differences beyond noise "
      "first.", EXPORT_IN_TABLES, EXPORT_COLUMNS(row_columns), walk_rows },
    { "compared_unmatched", "Domains of one of both traces.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(unmatched_columns), walk_unmatched },
    { "compared_missing", "Events that one of both traces lacks.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(missing_columns), walk_missing },
    { .name = NULL },
};

const struct export_table *comparison_tables(void)
{
    return tables;
}

int comparison_export(const struct comparison *c, enum export_format format,
                      FILE *out)
{
    struct export *x;
    int rc = export_new(&x, format, out);

    if ( rc )
        return rc;
    export_set_clock(x, &c->sides[0].profile->clock);
    for ( const struct export_table *t = tables; t->name; t++ )
    {
        export_begin(x, t);
        t->walk(x, (void *)c);
        export_end(x);
    }
    export_close(x);
    export_free(x);
    return 0;
}
