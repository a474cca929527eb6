/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time and memory of a report on a trace, in one line of numbers:
 *
 *     CPU  REAL  REAL_2  REAL_PAIR  STOCK  MIB
 *
 * CPU time in user mode and elapsed time with one thread, elapsed time with two
 * threads, and of two processes at once, which have a thread each; CPU time of
 * the other program: all in seconds.  Then the memory in MiB, without the
 * mapped trace, of which the kernel decides how much is resident.
 *
 * All take turns, and each time is the median of all rounds.  Elapsed times
 * are meaningful on an idle machine only: if a pair takes twice as long as one
 * process, there is no second processor.
 *
 *     timing ROUNDS TRACE XENALYZE OPTION... -- [STOCK OPTION...]
 *
 * Without STOCK its time is 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/program.h"

/* The words of a command up to "--" or the end; returns their number. */
static unsigned int take_words(char **from, const char **to)
{
    unsigned int n = 0;

    while ( from[n] && strcmp(from[n], "--") && n < PROGRAM_ARGS - 3 )
    {
        to[n] = from[n];
        n++;
    }
    return n;
}

int main(int argc, char **argv)
{
    double cpu[PROGRAM_ROUNDS], real[PROGRAM_ROUNDS], real_2[PROGRAM_ROUNDS];
    double pair[PROGRAM_ROUNDS], theirs[PROGRAM_ROUNDS] = { 0 };
    const char *one[PROGRAM_ARGS] = { NULL }, *two[PROGRAM_ARGS];
    const char *stock[PROGRAM_ARGS] = { NULL }, *trace;
    unsigned int rounds, nr, nr_stock = 0;

    program_name("timing");
    if ( argc < 4 )
    {
        fprintf(stderr, "timing: see tests/bench/outputs\n");
        return EXIT_FAILURE;
    }
    rounds = strtoul(argv[1], NULL, 10);
    if ( !rounds || rounds > PROGRAM_ROUNDS )
        rounds = 3;
    trace = argv[2];
    nr = take_words(argv + 3, one);
    if ( argv[3 + nr] )
        nr_stock = take_words(argv + 4 + nr, stock);
    one[nr + 1] = trace;
    memcpy(two, one, sizeof(two));
    one[nr] = "--threads=1";
    two[nr] = "--threads=2";
    stock[nr_stock] = trace;
    for ( unsigned int i = 0; i < rounds; i++ )
    {
        struct took took = program_run(one, trace);

        cpu[i] = took.cpu;
        real[i] = took.real;
        real_2[i] = program_run(two, trace).real;
        pair[i] = program_run_two(one, trace);
        if ( nr_stock )
            theirs[i] = program_run(stock, trace).cpu;
    }
    printf("%.4f %.4f %.4f %.4f %.4f %.1f\n",
           median_of_doubles(cpu, rounds), median_of_doubles(real, rounds),
           median_of_doubles(real_2, rounds), median_of_doubles(pair, rounds),
           median_of_doubles(theirs, rounds), program_own_memory(one, trace));
    return EXIT_SUCCESS;
}
