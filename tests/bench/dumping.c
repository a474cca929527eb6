/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What text costs: millions of lines a second of --dump-all and of rules, beside
 * stock's xenalyze and, through Python, Xen's xentrace_format, on traces that
 * xensim plays.  All take turns on each trace; what counts is the CPU time that
 * a program used itself (not the kernel for it), the median of all rounds.  Of
 * two threads it is the time that passed, which means nothing on a busy machine.
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

#include "tests/bench/program.h"

enum { DUMP, DUMP_2, RULES, STOCK, SCRIPT, NR_WAYS };

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

static unsigned int measure(const struct programs *p, unsigned int size,
                            char *trace)
{
    const char *const ways[NR_WAYS][PROGRAM_ARGS] = {
        [DUMP] = { p->xenalyze, "--dump-all", "--threads=1", trace },
        [DUMP_2] = { p->xenalyze, "--dump-all", "--threads=2", trace },
        [RULES] = { p->xenalyze, "--threads=1", p->formats, trace },
        [STOCK] = { p->stock, "--dump-all", trace },
        [SCRIPT] = { "python3", p->script, p->formats },
    };
    static double took[NR_WAYS][PROGRAM_ROUNDS];
    bool wanted[NR_WAYS] = {
        true, true, true, strcmp(p->stock, "-") && size < 3,
        strcmp(p->script, "-") && size < 1,
    };
    double lines = count_records(p->xenalyze, trace);
    unsigned int missed = 0;

    for ( unsigned int round = 0; round < p->rounds; round++ )
        for ( unsigned int way = 0; way < NR_WAYS; way++ )
        {
            struct took t;

            /* The script needs minutes: once is enough. */
            if ( !wanted[way] || (way == SCRIPT && round) )
                continue;
            t = program_run(ways[way], trace);
            took[way][round] = way == DUMP_2 ? t.real : t.cpu;
        }
    printf("%s pcpus, %.0f lines\n", sizes[size].cpus, lines);
    for ( unsigned int way = 0; way < SCRIPT; way++ )
        took[way][0] = wanted[way] ? median(took[way], p->rounds) : 0;
    missed += judge("--dump-all", lines, took[DUMP][0], sizes[size].bar);
    missed += judge("  2 threads, real", lines, took[DUMP_2][0],
                    sizes[size].bar_2);
    missed += judge("formats", lines, took[RULES][0], sizes[size].bar);
    if ( wanted[STOCK] )
        missed += judge_ratio("stock's --dump-all", took[STOCK][0],
                              took[DUMP][0], 10);
    if ( wanted[SCRIPT] )
        missed += judge_ratio("xentrace_format", took[SCRIPT][0],
                              took[RULES][0], 100);
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
