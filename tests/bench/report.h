/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results of all rounds: a table of ns per call, and a verdict for each of
 * DESIGN.md's bars for the ring.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

/* A cell of the table.  ns has room for every round. */
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
    struct cell cells[NR_CELLS];    /* row-major */
};

#define cell_at(r, row, column) (&(r)->cells[(row) * NR_COLUMNS + (column)])

/* The name of a case in the protocol of pace.h. */
const char *report_case(enum row row);

/* Compute min and median of each cell. */
void report_reduce(struct results *r);

void report_table(const struct results *r);

/* Print a line per bar; count bars by verdict. */
struct verdicts
{
    unsigned int pass, miss, unknown;
};
struct verdicts report_bars(const struct results *r);

#endif /* BENCH_REPORT_H */
