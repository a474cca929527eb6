/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two tables: measured cases, and the bars they are compared with.
 *
 * Medians are compared, and minima shown beside them: a large distance between
 * both means a busy machine and an unreliable verdict.  Where possible a bar is
 * a ratio instead of nanoseconds, because both sides of a ratio are measured on
 * the same machine at the same time.
 */
#include "tests/bench/report.h"

#include <stdio.h>
#include <stdlib.h>

static const struct
{
    const char *name, *text;
} rows[NR_ROWS] = {
    [EMPTY]    = { "empty",    "empty loop" },
    [CLOCK]    = { "clock",    "get_cycles alone (lfence; rdtsc)" },
    [WORDS_0]  = { "0d",       "TRACE_0D" },
    [WORDS_1]  = { "1d",       "TRACE_1D (LTTng: two integers)" },
    [WORDS_3]  = { "3d",       "TRACE_3D" },
    [WORDS_5]  = { "5d",       "TRACE_5D" },
    [UNTIMED]  = { "untimed",  "three words, no time stamp" },
    [LOSING]   = { "losing",   "TRACE_1D, every second one lost" },
    [MASKED]   = { "masked",   "TRACE_1D, masked out" },
    [DISABLED] = { "disabled", "TRACE_1D, tracing off" },
};

static const char *const columns[NR_COLUMNS] = {
    [OURS] = "ours", [STOCK] = "stock", [LTTNG] = "LTTng-UST",
};

/* A bar: ours in `row` is at most factor * other + ns. */
static const struct bar
{
    const char *text;
    enum row row;
    double factor;
    enum row of;
    enum column in;
    double ns;
} bars[] = {
    { "1 word <= rdtsc + 9 ns",  WORDS_1,  1.0, CLOCK,   OURS,  9.0 },
    { "5 words <= rdtsc + 9 ns", WORDS_5,  1.0, CLOCK,   OURS,  9.0 },
    { "1 word <= 0.6 x stock",   WORDS_1,  0.6, WORDS_1, STOCK, 0.0 },
    { "5 words <= 0.6 x stock",  WORDS_5,  0.6, WORDS_5, STOCK, 0.0 },
    { "no time stamp <= 9 ns",   UNTIMED,  0.0, EMPTY,   OURS,  9.0 },
    { "masked out <= stock",     MASKED,   1.0, MASKED,  STOCK, 0.0 },
    /* Half a cycle: equal loops may differ by their alignment. */
    { "off = empty loop + 0.2",  DISABLED, 1.0, EMPTY,   OURS,  0.2 },
};

#define NR_BARS (sizeof(bars) / sizeof(bars[0]))

const char *report_case(enum row row)
{
    return rows[row].name;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void report_reduce(struct results *r)
{
    for ( struct cell *c = r->cells; c < r->cells + NR_CELLS; c++ )
    {
        if ( c->nr == 0 )
            continue;
        qsort(c->ns, c->nr, sizeof(*c->ns), by_value);
        c->min = c->ns[0];
        c->median = c->ns[c->nr / 2];
    }
}

static void print_cell(const struct cell *c)
{
    if ( c->nr )
        printf("  %8.2f %6.2f", c->median, c->min);
    else
        printf("  %8s %6s", "-", "-");
}

static void print_ratio(const struct cell *ours, const struct cell *other)
{
    if ( ours->nr && other->nr )
        printf(" %6.2f", ours->median / other->median);
    else
        printf(" %6s", "-");
}

void report_table(const struct results *r)
{
    unsigned int row, column;

    printf("ns a call, median and min of %u rounds of %u calls\n\n%-34s",
           r->rounds, r->calls, "");
    for ( column = 0; column < NR_COLUMNS; column++ )
        printf("  %15s", columns[column]);
    printf("  ours/stock /LTTng\n");

    for ( row = 0; row < NR_ROWS; row++ )
    {
        const struct cell *c = cell_at(r, row, 0);

        printf("%-34s", rows[row].text);
        for ( column = 0; column < NR_COLUMNS; column++ )
            print_cell(&c[column]);
        printf("    ");
        print_ratio(&c[OURS], &c[STOCK]);
        print_ratio(&c[OURS], &c[LTTNG]);
        putchar('\n');
    }
    putchar('\n');
}

struct verdicts report_bars(const struct results *r)
{
    struct verdicts v = { 0 };

    for ( const struct bar *b = bars; b < bars + NR_BARS; b++ )
    {
        const struct cell *ours = cell_at(r, b->row, OURS);
        const struct cell *other = cell_at(r, b->of, b->in);
        double bar = b->factor * other->median + b->ns;

        if ( !ours->nr || !other->nr )
        {
            printf("?     %-26s not measured\n", b->text);
            v.unknown++;
            continue;
        }
        printf("%s  %-26s %6.2f, bar %6.2f\n",
               ours->median <= bar ? "PASS" : "MISS", b->text, ours->median,
               bar);
        if ( ours->median <= bar )
            v.pass++;
        else
            v.miss++;
    }

    return v;
}
