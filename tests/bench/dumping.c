/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What text costs: millions of lines a second of --dump-all and of rules,
 * beside stock's xenalyze and, through Python, Xen's xentrace_format, on traces
 * that xensim plays.  All take turns on each trace; what counts is the CPU time
 * that a program used itself (not the kernel for it), the median of all rounds.
 * Of two threads it is the time that passed, which means nothing on a busy
 * machine.
 *
 * What two threads could gain at most is in the row of two processes: each
 * makes the text of all with one thread, at the same time as the other.  Where
 * these are no faster together than one is alone, the machine has not got two
 * cores.
 *
 * How many records of a pcpu come in a row is printed beside: the longer, the
 * easier is order.
 *
 * Traces are long enough for starting a program not to count.  Others take far
 * longer for the same, and so get a piece, once: an eighth of the time played.
 * But where there is a bar, stock's xenalyze gets the trace, as often as ours.
 *
 *    dumping XENSIM XENALYZE FORMATS STOCK SCRIPT SECONDS ROUNDS [check]
 *
 * STOCK and SCRIPT may be "-": not to be had here.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxentrace/libxentrace.h"
#include "tests/bench/program.h"

enum { DUMP, DUMP_2, PAIR, RULES, RULES_2, STOCK, SCRIPT, NR_WAYS };

/* A line a record; and how many of these are of one pcpu in a row. */
static double count_lines(const char *path, double *stretch)
{
    struct err e = ERR_INIT;
    unsigned int cpu = UINT32_MAX;
    double lines = 0, stretches = 0;
    struct xt_trace *t;
    struct xt_batch b;
    int rc = xt_trace_open(&t, path, 0, &e);

    while ( !rc && (rc = xt_trace_next_batch(t, &b, &e)) > 0 )
    {
        for ( size_t i = 0; i < b.nr; i++ )
        {
            stretches += cpu != xt_item_cpu(&b.items[i]);
            cpu = xt_item_cpu(&b.items[i]);
        }
        lines += b.nr;
        rc = 0;
    }
    if ( rc || !lines )
    {
        fprintf(stderr, "dumping: %s: %s\n", path, e.text);
        exit(EXIT_FAILURE);
    }
    xt_trace_close(t);
    *stretch = lines / stretches;
    return lines;
}

/* Millions of lines a second with one thread, and with two. */
static const struct
{
    const char *cpus;
    double bar, bar_2;
    double bar_stock, bar_script;       /* times as fast; < 0: not to be run */
} sizes[] = {
    { "4", 16, 26, 10, 100 }, { "16", 16, 26, 0, -1 },
    { "128", 16, 26, 0, -1 }, { "1024", 6, 0, -1, -1 },
};

#define PIECE 8                 /* so many of them in a trace */

static unsigned int judge(const char *name, double lines, double took,
                          double bar)
{
    double speed = lines / took / 1e6;

    printf("  %-20s %8.2f s %8.2f M lines/s", name, took, speed);
    if ( bar > 0 )
        printf("   bar %3.0f  %s", bar, speed >= bar ? "PASS" : "MISS");
    putchar('\n');
    return bar > 0 && speed < bar;
}

/* Both took so long for a line. */
static unsigned int judge_ratio(const char *name, double theirs, double ours,
                                double bar)
{
    double ratio = theirs / ours;

    printf("  %-20s %8.2f M lines/s %8.1f x", name, 1 / theirs / 1e6, ratio);
    if ( bar > 0 )
        printf("   bar %3.0f  %s", bar, ratio >= bar ? "PASS" : "MISS");
    putchar('\n');
    return bar > 0 && ratio < bar;
}

struct programs
{
    const char *xensim, *xenalyze, *formats, *stock, *script, *seconds;
    unsigned int rounds;
};

/* The more pcpus, the more records a second: they play the shorter. */
static void play(const struct programs *p, const char *cpus, char *trace,
                 double part)
{
    char time[32];
    const char *const args[PROGRAM_ARGS] = {
        p->xensim, "--virtual", "--output", trace, "-T", time, "--cpus",
        cpus, "--seed", "1", "--kind", "hvm", NULL,
    };

    snprintf(time, sizeof(time), "%.6f",
             part * atof(p->seconds) * 4 / atof(cpus));
    program_run(args, "/dev/null");
}

struct input
{
    const char *trace, *piece;
    double lines, piece_lines;
};

/* Each way in turn, `rounds` times; one of a piece, once. */
static void take_turns(const struct programs *p, unsigned int size,
                       const struct input *in,
                       struct took (*took)[PROGRAM_ROUNDS])
{
    const bool stock_is_judged = sizes[size].bar_stock > 0;
    const char *const dump[] = { p->xenalyze, "--dump-all", "--threads=1",
                                 in->trace, NULL };
    const char *const dump_2[] = { p->xenalyze, "--dump-all", "--threads=2",
                                   in->trace, NULL };
    const char *const rules[] = { p->xenalyze, "--threads=1", p->formats,
                                  in->trace, NULL };
    const char *const rules_2[] = { p->xenalyze, "--threads=2", p->formats,
                                    in->trace, NULL };
    const char *const stock[] = { p->stock, "--dump-all",
                                  stock_is_judged ? in->trace : in->piece,
                                  NULL };
    const char *const script[] = { "python3", p->script, p->formats, NULL };
    const struct
    {
        const char *const *args, *input;
        bool wanted, once;
    } ways[NR_WAYS] = {
        [DUMP] = { dump, in->trace, true, false },
        [DUMP_2] = { dump_2, in->trace, true, false },
        [PAIR] = { dump, in->trace, true, false },
        [RULES] = { rules, in->trace, true, false },
        [RULES_2] = { rules_2, in->trace, true, false },
        [STOCK] = { stock, in->trace, strcmp(p->stock, "-") &&
                    sizes[size].bar_stock >= 0, !stock_is_judged },
        [SCRIPT] = { script, in->piece, strcmp(p->script, "-") &&
                     sizes[size].bar_script >= 0, true },
    };

    for ( unsigned int round = 0; round < p->rounds; round++ )
        for ( unsigned int way = 0; way < NR_WAYS; way++ )
            if ( !ways[way].wanted || (round && ways[way].once) )
                continue;
            else if ( way == PAIR )
                took[way][round].real = program_run_two(ways[way].args,
                                                        ways[way].input);
            else
                took[way][round] = program_run(ways[way].args,
                                               ways[way].input);
}

/* The median; of what was run once, that. */
static double median_of(const struct took *took, bool real, unsigned int nr)
{
    double t[PROGRAM_ROUNDS];

    if ( nr > 1 && !took[1].real )
        nr = 1;
    for ( unsigned int i = 0; i < nr; i++ )
        t[i] = real ? took[i].real : took[i].cpu;
    return median(t, nr);
}

static unsigned int measure(const struct programs *p, unsigned int size,
                            struct input *in)
{
    static struct took took[NR_WAYS][PROGRAM_ROUNDS];
    double stretch, none, cpu[NR_WAYS], real[NR_WAYS], lines;
    unsigned int missed = 0;

    lines = in->lines = count_lines(in->trace, &stretch);
    in->piece_lines = count_lines(in->piece, &none);
    memset(took, 0, sizeof(took));
    take_turns(p, size, in, took);
    for ( unsigned int way = 0; way < NR_WAYS; way++ )
    {
        cpu[way] = median_of(took[way], false, p->rounds);
        real[way] = median_of(took[way], true, p->rounds);
    }
    printf("%s pcpus, %.0f lines, %.1f of a pcpu in a row\n",
           sizes[size].cpus, lines, stretch);
    missed += judge("--dump-all", lines, cpu[DUMP], sizes[size].bar);
    judge("  real", lines, real[DUMP], 0);
    missed += judge("  2 threads, real", lines, real[DUMP_2],
                    sizes[size].bar_2);
    judge("  2 processes, real", 2 * lines, real[PAIR], 0);
    missed += judge("formats", lines, cpu[RULES], sizes[size].bar);
    missed += judge("  2 threads, real", lines, real[RULES_2],
                    sizes[size].bar_2);
    if ( cpu[STOCK] > 0 )
        missed += judge_ratio("stock's --dump-all",
                              cpu[STOCK] / (sizes[size].bar_stock > 0
                                            ? lines : in->piece_lines),
                              cpu[DUMP] / lines, sizes[size].bar_stock);
    if ( cpu[SCRIPT] > 0 )
        missed += judge_ratio("xentrace_format",
                              cpu[SCRIPT] / in->piece_lines,
                              cpu[RULES] / lines, sizes[size].bar_script);
    return missed;
}

int main(int argc, char **argv)
{
    char trace[] = "dumping.XXXXXX", piece[] = "dumping.XXXXXX";
    struct input in = { .trace = trace, .piece = piece };
    struct programs p;
    unsigned int missed = 0;

    program_name("dumping");
    if ( argc < 8 )
    {
        fprintf(stderr, "dumping: see tests/bench/dump\n");
        return EXIT_FAILURE;
    }
    p = (struct programs){ argv[1], argv[2], argv[3], argv[4], argv[5],
                           argv[6], strtoul(argv[7], NULL, 10) };
    if ( !p.rounds || p.rounds > PROGRAM_ROUNDS )
        p.rounds = 3;
    setvbuf(stdout, NULL, _IOLBF, 0);
    make_file(trace);
    make_file(piece);
    for ( unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++ )
    {
        play(&p, sizes[i].cpus, trace, 1);
        play(&p, sizes[i].cpus, piece, 1.0 / PIECE);
        missed += measure(&p, i, &in);
    }
    unlink(trace);
    unlink(piece);
    printf("%u bars missed\n", missed);
    return argc > 8 && missed ? EXIT_FAILURE : EXIT_SUCCESS;
}
