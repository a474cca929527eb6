/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol between a measured program and its parent.  Lines of text, so
 * that either side can be played by hand:
 *
 *    request    1d 16384          case, and number of calls
 *    answer     26113             picoseconds per call; "?": no such case
 *
 * End of input ends the program.
 */
#ifndef BENCH_PACE_H
#define BENCH_PACE_H

#include <stdbool.h>

/*
 * Measure a case: warm up, call pace_begin(), make the calls, pace_end().
 * False: no such case.
 */
typedef bool pace_case_fn(const char *name, unsigned int calls);

void pace_begin(void);
void pace_end(void);

/* Answer requests until end of input; returns main's exit code. */
int pace_serve(pace_case_fn *measure);

#endif /* BENCH_PACE_H */
