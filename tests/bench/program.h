/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measure whole programs: run one, or two at once, on a trace of xensim.
 */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#define PROGRAM_ARGS 20
#define PROGRAM_ROUNDS 31

struct took
{
    double cpu;                 /* s, user mode */
    double real;
};

/* Set the program name in messages; give_up() ends the program. */
void program_name(const char *name);
void give_up(const char *what) __attribute__((noreturn));

/* Run with standard input from a file, and both outputs discarded. */
struct took program_run(const char *const *args, const char *input);

/* Run two at once; returns the time until both have ended. */
double program_run_two(const char *const *args, const char *input);

/* Run, and return the most memory in MiB, without mapped files: by samples. */
double program_own_memory(const char *const *args, const char *input);

double median_of_doubles(double *values, unsigned int nr);

/* Make an empty file from a pattern that ends in XXXXXX. */
void make_file(char *path);

#endif /* BENCH_PROGRAM_H */
