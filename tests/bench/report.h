/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rounds came to: a table of ns a call, and a verdict for each bar
 * that DESIGN.md sets the ring.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

/* One place in the table.  ns has room for every round. */
struct cell
{
    double *ns;
    unsigned int nr;    /* 0: not measured */
    double min, median;
};

enum column { OURS, STOCK, LTTNG, NR_COLUMNS };

enum row
{
    EMPTY, CLOCK, WORDS_0, WORDS_1, WORDS_3, WORDS_5, UNTIMED, LOSING, MASKED,
    DISABLED, NR_ROWS
};

#define NR_CELLS ((unsigned int)NR_ROWS * NR_COLUMNS)

struct results
{
    unsigned int rounds, calls;
    struct cell cells[NR_CELLS];    /* row by row */
};

#define cell_at(r, row, column) (&(r)->cells[(row) * NR_COLUMNS + (column)])

/* The name of a case as the children know it (pace.h). */
const char *report_case(enum row row);

/* Fill in min and median. */
void report_reduce(struct results *r);

void report_table(const struct results *r);

/* Print a line for every bar; count them by verdict. */
struct verdicts
{
    unsigned int pass, miss, unknown;
};
struct verdicts report_bars(const struct results *r);

#endif /* BENCH_REPORT_H */
