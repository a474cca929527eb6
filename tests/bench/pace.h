/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a program that is measured talks with the one that asks.  Lines of
 * text, so that a person can play either side:
 *
 *    asked      1d 16384          case, and how many calls
 *    answered   26113             picoseconds a call; "?" : no such case
 *
 * The end of input ends the program.
 */
#ifndef BENCH_PACE_H
#define BENCH_PACE_H

#include <stdbool.h>

/*
 * Measure a case: warm up, call pace_begin(), make the calls, pace_end().
 * False: there is no such case.
 */
typedef bool pace_case_fn(const char *name, unsigned int calls);

void pace_begin(void);
void pace_end(void);

/* Answer until the input ends; what main is to return. */
int pace_serve(pace_case_fn *measure);

#endif /* BENCH_PACE_H */
