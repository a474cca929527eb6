/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole programs, measured: run one, or two of them at once, on a trace that
 * xensim plays.
 */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#define PROGRAM_ARGS 20
#define PROGRAM_ROUNDS 31

struct took
{
    double cpu;                 /* s, its own and not the kernel's for it */
    double real;
    double resident;            /* MiB at most, with what it has mapped */
};

/* For the messages of all these: whose they are.  They end the program. */
void program_name(const char *name);
void give_up(const char *what) __attribute__((noreturn));

/* Standard input from a file, both outputs to nowhere. */
struct took program_run(const char *const *args, const char *input);

/* The same twice at once: how long until both were done. */
double program_run_two(const char *const *args, const char *input);

double median(double *values, unsigned int nr);

/* An empty file from a pattern that ends in XXXXXX. */
void make_file(char *path);

/* So many records has `xenalyze --count`. */
double count_records(const char *xenalyze, const char *trace);

#endif /* BENCH_PROGRAM_H */
