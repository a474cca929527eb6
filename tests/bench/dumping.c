/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of text: millions of lines per second of --dump-all and of rules,
 * compared with stock's xenalyze and with Xen's xentrace_format (Python), on
 * traces of xensim.  The programs take turns on each trace; the result is the
 * median CPU time in user mode.  With two threads it is elapsed time, which is
 * meaningless on a busy machine.
 *
 * The maximum gain of two threads is in the row of two processes: each prints
 * the whole text with one thread, at the same time as the other.  If both
 * together are no faster than one after the other, the machine has less than
 * two cores.
 *
 * The number of consecutive records of one pcpu is also printed: the larger,
 * the cheaper is sorting by time.
 *
 * Traces are long enough to make start-up negligible.  Slow programs get a
 * piece, once: an eighth of the simulated time.  But where there is a bar,
 * stock's xenalyze gets the whole trace, as often as ours.
 *
 * STOCK and SCRIPT may be "-": not available.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxentrace/libxentrace.h"
#include "tests/bench/program.h"

enum { DUMP, DUMP_2, PAIR, RULES, RULES_2, STOCK, SCRIPT, NR_WAYS };

/* Count lines; *stretch: mean number of consecutive lines of one pcpu. */
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

/* Millions of lines per second with one thread and with two. */
static const struct
{
    const char *cpus;
    double bar, bar_2;
    double bar_stock, bar_script;       /* times as fast; < 0: skipped */
} sizes[] = {
    { "4", 24, 26, 10, 100 }, { "16", 16, 26, 0, -1 },
    { "128", 16, 26, 0, -1 }, { "1024", 10, 0, -1, -1 },
};

#define PIECE 8                 /* pieces per trace */

static unsigned int print_row(const char *name, double lines, double took,
                              double bar)
{
    double speed = lines / took / 1e6;

    printf("  %-20s %8.2f s %8.2f M lines/s", name, took, speed);
    if ( bar > 0 )
        printf("   bar %3.0f  %s", bar, speed >= bar ? "PASS" : "MISS");
    putchar('\n');
    return bar > 0 && speed < bar;
}

/* The time per line of both. */
static unsigned int print_ratio_row(const char *name, double theirs,
                                    double ours, double bar)
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

/* More pcpus make more records per second, so these simulations are shorter. */
static void make_trace_file(const struct programs *p, const char *cpus,
                            char *trace, double part)
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

/* Run each program in turn, `rounds` times; those with a piece once. */
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

/* The median, or the single result. */
static double median_took(const struct took *took, bool real, unsigned int nr)
{
    double t[PROGRAM_ROUNDS];

    if ( nr > 1 && !took[1].real )
        nr = 1;
    for ( unsigned int i = 0; i < nr; i++ )
        t[i] = real ? took[i].real : took[i].cpu;
    return median_of_doubles(t, nr);
}

static unsigned int measure_trace(const struct programs *p, unsigned int size,
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
        cpu[way] = median_took(took[way], false, p->rounds);
        real[way] = median_took(took[way], true, p->rounds);
    }
    printf("%s pcpus, %.0f lines, %.1f of a pcpu in a row\n",
           sizes[size].cpus, lines, stretch);
    missed += print_row("--dump-all", lines, cpu[DUMP], sizes[size].bar);
    print_row("  real", lines, real[DUMP], 0);
    missed += print_row("  2 threads, real", lines, real[DUMP_2],
                        sizes[size].bar_2);
    print_row("  2 processes, real", 2 * lines, real[PAIR], 0);
    missed += print_row("formats", lines, cpu[RULES], sizes[size].bar);
    missed += print_row("  2 threads, real", lines, real[RULES_2],
                        sizes[size].bar_2);
    if ( cpu[STOCK] > 0 )
        missed += print_ratio_row("stock's --dump-all",
                                  cpu[STOCK] / (sizes[size].bar_stock > 0
                                                ? lines : in->piece_lines),
                                  cpu[DUMP] / lines, sizes[size].bar_stock);
    if ( cpu[SCRIPT] > 0 )
        missed += print_ratio_row("xentrace_format",
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
        make_trace_file(&p, sizes[i].cpus, trace, 1);
        make_trace_file(&p, sizes[i].cpus, piece, 1.0 / PIECE);
        missed += measure_trace(&p, i, &in);
    }
    unlink(trace);
    unlink(piece);
    printf("%u bars missed\n", missed);
    return argc > 8 && missed ? EXIT_FAILURE : EXIT_SUCCESS;
}
