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
} sizes[] = {
    { "4", 16, 26 }, { "16", 16, 26 }, { "128", 16, 26 }, { "1024", 6, 0 },
};

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

static unsigned int judge_ratio(const char *name, double theirs, double ours,
                                double bar)
{
    double ratio = theirs / ours;

    printf("  %-20s %8.2f s %8.1f x", name, theirs, ratio);
    printf("             bar %3.0f  %s\n", bar, ratio >= bar ? "PASS" : "MISS");
    return ratio < bar;
}

struct programs
{
    const char *xensim, *xenalyze, *formats, *stock, *script, *seconds;
    unsigned int rounds;
};

/* The more pcpus, the more records a second: they play the shorter. */
static void play(const struct programs *p, const char *cpus, char *trace)
{
    char time[32];
    const char *const args[PROGRAM_ARGS] = {
        p->xensim, "--virtual", "--output", trace, "-T", time, "--cpus",
        cpus, "--seed", "1", "--kind", "hvm", NULL,
    };

    snprintf(time, sizeof(time), "%.6f",
             atof(p->seconds) * 4 / atof(cpus));
    program_run(args, "/dev/null");
}

/* Each way in turn, `rounds` times. */
static void take_turns(const struct programs *p, unsigned int size,
                       const char *trace,
                       struct took (*took)[PROGRAM_ROUNDS])
{
    const char *const dump[] = { p->xenalyze, "--dump-all", "--threads=1",
                                 trace, NULL };
    const char *const dump_2[] = { p->xenalyze, "--dump-all", "--threads=2",
                                   trace, NULL };
    const char *const rules[] = { p->xenalyze, "--threads=1", p->formats,
                                  trace, NULL };
    const char *const rules_2[] = { p->xenalyze, "--threads=2", p->formats,
                                    trace, NULL };
    const char *const stock[] = { p->stock, "--dump-all", trace, NULL };
    const char *const script[] = { "python3", p->script, p->formats, NULL };
    const struct
    {
        const char *const *args;
        bool wanted;
    } ways[NR_WAYS] = {
        [DUMP] = { dump, true }, [DUMP_2] = { dump_2, true },
        [PAIR] = { dump, true }, [RULES] = { rules, true },
        [RULES_2] = { rules_2, true },
        [STOCK] = { stock, strcmp(p->stock, "-") && size < 3 },
        [SCRIPT] = { script, strcmp(p->script, "-") && size < 1 },
    };

    for ( unsigned int round = 0; round < p->rounds; round++ )
        for ( unsigned int way = 0; way < NR_WAYS; way++ )
            /* The script needs minutes: once is enough. */
            if ( ways[way].wanted && way == PAIR )
                took[way][round].real = program_run_two(ways[way].args,
                                                        trace);
            else if ( ways[way].wanted && !(way == SCRIPT && round) )
                took[way][round] = program_run(ways[way].args, trace);
}

static double median_of(const struct took *took, bool real, unsigned int nr)
{
    double t[PROGRAM_ROUNDS];

    for ( unsigned int i = 0; i < nr; i++ )
        t[i] = real ? took[i].real : took[i].cpu;
    return median(t, nr);
}

static unsigned int measure(const struct programs *p, unsigned int size,
                            const char *trace)
{
    static struct took took[NR_WAYS][PROGRAM_ROUNDS];
    double stretch, lines = count_lines(trace, &stretch);
    double cpu[NR_WAYS], real[NR_WAYS];
    unsigned int missed = 0;

    memset(took, 0, sizeof(took));
    take_turns(p, size, trace, took);
    for ( unsigned int way = 0; way < NR_WAYS; way++ )
    {
        unsigned int rounds = way == SCRIPT ? 1 : p->rounds;

        cpu[way] = median_of(took[way], false, rounds);
        real[way] = median_of(took[way], true, rounds);
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
        missed += judge_ratio("stock's --dump-all", cpu[STOCK], cpu[DUMP],
                              10);
    if ( cpu[SCRIPT] > 0 )
        missed += judge_ratio("xentrace_format", cpu[SCRIPT], cpu[RULES],
                              100);
    return missed;
}

int main(int argc, char **argv)
{
    char trace[] = "dumping.XXXXXX";
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
    for ( unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++ )
    {
        play(&p, sizes[i].cpus, trace);
        missed += measure(&p, i, trace);
    }
    unlink(trace);
    printf("%u bars missed\n", missed);
    return argc > 8 && missed ? EXIT_FAILURE : EXIT_SUCCESS;
}
