/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison as text, in at most 80 columns: lost records of both traces, and
 * the table of changes.
 */
#include "xenalyze/compare/comparison.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/num.h"
#include "common/utf8.h"
#include "xenalyze/text/text.h"

#define SUBJECT_WIDTH 12
#define VALUE_WIDTH 26
#define TEXT_MAX 80u
#define LINE_WIDTH 79u

/* A load has to last for a tenth of a trace to differ from noise. */
#define SHORTEST_LOAD 10u

/* --- values --------------------------------------------------------------- */

static void format_time(char text[NUM_CLOCK_MAX], double ns)
{
    *num_duration(text, ns > 0 ? (uint64_t)llround(fmin(ns, 9e18)) : 0) = '\0';
}

static void format_rate(char text[NUM_CLOCK_MAX], double rate)
{
    if ( rate < 100 )
        snprintf(text, NUM_CLOCK_MAX, "%.1f/s", rate);
    else if ( rate < 999999.5 )
        snprintf(text, NUM_CLOCK_MAX, "%.0f/s", rate);
    else
        *num_human(text, (uint64_t)fmin(rate, 1e18), "/s") = '\0';
}

static void format_value(char text[NUM_CLOCK_MAX], enum measure_unit unit,
                         double value)
{
    if ( unit == MEASURE_SHARE )
        snprintf(text, NUM_CLOCK_MAX, "%.*f %%",
                 value < 0.1 ? 3 : value < 10 ? 1 : 0, 100 * value);
    else if ( unit == MEASURE_RATE )
        format_rate(text, value);
    else
        format_time(text, value);
}

/* "+12 %", "x 15", "new". */
static void format_change(char text[NUM_CLOCK_MAX], double a, double b)
{
    if ( !(a > 0) || !(b > 0) )
        snprintf(text, NUM_CLOCK_MAX, "%s", a > 0 ? "gone" : b > 0 ? "new"
                                                           : "-");
    else if ( b / a >= 1e6 )
        snprintf(text, NUM_CLOCK_MAX, "x 1e6+");
    else if ( b / a >= 10 )
        snprintf(text, NUM_CLOCK_MAX, "x %.0f", b / a);
    else
        snprintf(text, NUM_CLOCK_MAX, "%+.1f %%", 100 * (b / a - 1));
}

/* "+169.1 ms/s"; "-" for a row without a known cost. */
static void format_cost(char text[NUM_CLOCK_MAX], double cost)
{
    char time[NUM_CLOCK_MAX];

    format_time(time, fabs(cost));
    if ( fabs(cost) < 1 )
        snprintf(text, NUM_CLOCK_MAX, "-");
    else if ( fabs(cost) >= 60e9 )
        snprintf(text, NUM_CLOCK_MAX, "%+.0f s/s", fmin(cost, 1e18) / 1e9);
    else
        snprintf(text, NUM_CLOCK_MAX, "%c%.*s/s", cost < 0 ? '-' : '+',
                 (int)NUM_CLOCK_MAX - 5, time);
}

/* --- rows ----------------------------------------------------------------- */

static void format_subject(const struct comparison *c,
                           const struct comparison_row *row,
                           char text[XT_LABEL_MAX])
{
    uint16_t domain = figure_domain(row->keys[0]);
    uint32_t vcpu = figure_vcpu(row->keys[0]);
    const struct xt_domain_names *names = c->sides[0].names;

    if ( domain == FIGURE_HOST && vcpu == FIGURE_WHOLE )
        snprintf(text, XT_LABEL_MAX, "all pcpus");
    else if ( domain == FIGURE_HOST )
        snprintf(text, XT_LABEL_MAX, "pcpu %" PRIu32, vcpu - 1);
    else if ( vcpu == FIGURE_WHOLE )
        xt_domain_column(names, domain, SUBJECT_WIDTH, text);
    else
        xt_vcpu_column(names, domain, vcpu - 1, SUBJECT_WIDTH, text);
}

/* A long name of an exit reason is cut, so that the row fits. */
static void format_measure(const struct comparison_row *row,
                           char text[TEXT_MAX])
{
    char detail[COMPARISON_DETAIL];
    const char *name = comparison_detail(row, detail);
    const char *label = row->measure->label;
    int room = VALUE_WIDTH - 2 - (int)strlen(label);

    assert(!name || room > 0);
    if ( name )
        snprintf(text, TEXT_MAX, "%.*s: %s", room, name, label);
    else
        snprintf(text, TEXT_MAX, "%s", label);
}

/* Without losses, vcpus are unknown only at the start of a trace. */
static bool has_losses(const struct comparison *c)
{
    bool lost = false;

    for ( unsigned int i = 0; i < 2; i++ )
        lost |= c->sides[i].profile->losses ||
                c->sides[i].profile->lost_records;
    return lost;
}

static void print_row(const struct comparison *c,
                      const struct comparison_row *row, FILE *out)
{
    char subject[XT_LABEL_MAX], measure[TEXT_MAX], a[NUM_CLOCK_MAX];
    char b[NUM_CLOCK_MAX], change[NUM_CLOCK_MAX], cost[NUM_CLOCK_MAX];

    format_subject(c, row, subject);
    format_measure(row, measure);
    format_value(a, row->measure->unit, row->values[0]);
    format_value(b, row->measure->unit, row->values[1]);
    format_change(change, row->values[0], row->values[1]);
    format_cost(cost, row->cost);
    if ( row->verdict != VERDICT_CHANGED )
        snprintf(cost, sizeof(cost), "%s",
                 row->verdict != VERDICT_LOST ? "noise" :
                 has_losses(c) ? "lost?" : "start?");
    fprintf(out, " %-*s %-*s %8s %8s %8s %11s\n",
            utf8_width(subject, SUBJECT_WIDTH), subject,
            VALUE_WIDTH, measure, a, b, change, cost);
}

static size_t count_verdicts(const struct comparison *c, enum verdict verdict)
{
    size_t nr = 0;

    for ( size_t i = 0; i < c->nr; i++ )
        nr += c->rows[i].verdict == verdict;
    return nr;
}

/* --- both traces ---------------------------------------------------------- */

/* A file name is any bytes: control bytes must not reach a terminal. */
static void print_name(const char *name, FILE *out)
{
    for ( ; *name; name++ )
        putc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name, out);
}

static void print_quality(const struct comparison *c, unsigned int side,
                          FILE *out)
{
    const struct profile *p = c->sides[side].profile;
    uint64_t whole = profile_whole(p) * p->nr_pcpus;
    char length[NUM_CLOCK_MAX];

    format_time(length, (double)xt_clock_duration(&p->clock,
                                                  profile_whole(p)));
    fprintf(out, " %s: ", comparison_letter(side));
    print_name(c->sides[side].name, out);
    fprintf(out, "\n    %s, %u pcpu%s, %.1f %% busy; ", length, p->nr_pcpus,
            p->nr_pcpus == 1 ? "" : "s", 100 * measure_busy(p));
    if ( p->lost_records || p->losses )
        fprintf(out, "lost: %" PRIu64 " record%s, %.2f %% of the time\n",
                p->lost_records, num_plural(p->lost_records),
                stats_share(measure_lost_time(p), whole));
    else
        fprintf(out, "lost: nothing\n");
    if ( p->damaged )
        fprintf(out, "    damaged in %" PRIu64 " place%s; xenalyze info says "
                "where\n", p->damaged, num_plural(p->damaged));
    if ( fact_disorder_error(&p->disorder) )
        fputs("    ", out);
    text_print_disorder(&p->disorder, &p->clock, out);
    if ( p->segments > 1 )
        fprintf(out, "    %u parts whose times cannot be compared; only the "
                "first counts\n", p->segments);
    if ( p->too_many )
        fprintf(out, "    records of too many vcpus, ignored: %" PRIu64 "\n",
                p->too_many);
    if ( c->sides[side].clock_assumed )
        fprintf(out, "    the clock's frequency is assumed: give --cpu-hz\n");
}

/* A list of the domains of one trace only, as many as fit into a line. */
static void print_unmatched(const struct comparison *c, unsigned int side,
                            FILE *out)
{
    size_t used = 0, left = 0;
    char label[XT_LABEL_MAX];

    for ( size_t i = 0; i < c->nr_pairs; i++ )
    {
        uint16_t id = c->pairs[i].ids[side];

        if ( c->pairs[i].ids[!side] != DOMAIN_NO_MATCH )
            continue;
        xt_domain_label(c->sides[side].names, id, label);
        left += used + strlen(label) >= LINE_WIDTH - 30;
        if ( left )
            continue;
        used += fprintf(out, used ? ", %s" : " only in %s: %s",
                        used ? label : comparison_letter(side), label);
    }
    if ( left )
        fprintf(out, " and %zu more", left);
    if ( used )
        fprintf(out, "\n");
}

static void print_missing(const struct comparison *c, FILE *out)
{
    for ( unsigned int class = 0; class < MEASURE_CLASSES; class++ )
        for ( unsigned int side = 0; side < 2; side++ )
            if ( c->lacks[class][side] )
                fprintf(out, " not recorded in %s: %s; capture with xentrace "
                        "-e %s\n", comparison_letter(side),
                        comparison_class_name(class),
                        comparison_class_events(class));
}

/* --- the table ------------------------------------------------------------ */

static size_t count_rows(const struct comparison *c,
                         const struct report_request *request, bool all_rows)
{
    size_t nr = all_rows ? c->nr : count_verdicts(c, VERDICT_CHANGED);

    return request->top && request->top < nr ? request->top : nr;
}

/* A burst in few intervals is within noise (shift.h). */
static void print_sensitivity(const struct comparison *c, FILE *out)
{
    uint64_t longest = 0;
    char length[NUM_CLOCK_MAX];

    for ( unsigned int i = 0; i < 2; i++ )
    {
        const struct profile *p = c->sides[i].profile;
        uint64_t ns = xt_clock_duration(&p->clock, profile_whole(p));

        longest = ns > longest ? ns : longest;
    }
    format_time(length, (double)(longest / SHORTEST_LOAD));
    fprintf(out, " a load of less than %s is not seen; compare spans: "
            "--time=A..B\n", length);
}

static void print_rest(const struct comparison *c, size_t printed,
                       bool all_rows, FILE *out)
{
    size_t changed = count_verdicts(c, VERDICT_CHANGED);
    size_t lost = count_verdicts(c, VERDICT_LOST);
    size_t chance = count_verdicts(c, VERDICT_CHANCE);

    if ( printed < (all_rows ? c->nr : changed) )
        fprintf(out, " %zu more rows; --top=0 prints all\n",
                (all_rows ? c->nr : changed) - printed);
    if ( lost )
        fprintf(out, " %zu row%s, but %s may be the cause\n", lost,
                lost == 1 ? " differs" : "s differ",
                has_losses(c) ? "lost records" : "vcpus unknown at the start");
    fprintf(out, " %zu row%s within noise%s\n", chance, chance == 1 ? "" : "s",
            all_rows || !(chance + lost) ? ""
                                         : "; --all-rows prints them, too");
}

void comparison_print(const struct comparison *c,
                      const struct report_request *request, bool all_rows,
                      FILE *out)
{
    size_t nr = count_rows(c, request, all_rows);

    assert(request);
    fprintf(out, "--- Comparison of B with A ---\n");
    print_quality(c, 0, out);
    print_quality(c, 1, out);
    print_unmatched(c, 0, out);
    print_unmatched(c, 1, out);
    print_missing(c, out);
    if ( !count_verdicts(c, VERDICT_CHANGED) )
    {
        fprintf(out, "--- No difference beyond noise ---\n");
        print_sensitivity(c, out);
    }
    else
        fputs("--- Differences beyond noise, most expensive first ---\n", out);
    if ( nr )
        fprintf(out, " %-*s %-*s %8s %8s %8s %11s\n", SUBJECT_WIDTH, "domain",
                VALUE_WIDTH, "value", "A", "B", "change", "cost");
    /* Changed rows come first. */
    assert(all_rows || !nr || c->rows[nr - 1].verdict == VERDICT_CHANGED);
    for ( size_t i = 0; i < nr; i++ )
        print_row(c, &c->rows[i], out);
    if ( nr )
        fputs(" cost: time per second that B takes more (+) or less (-)\n",
              out);
    print_rest(c, nr, all_rows, out);
}
