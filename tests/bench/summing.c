/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a summary: millions of records per second of --summary, compared
 * with stock's, on traces of xensim: of exits and entries, or of scheduling.
 * All take turns on each trace, and the result is the median of all rounds:
 * CPU time with one thread, elapsed time with two.  As the latter depends on
 * the machine's second CPU, one row has the speed-up of two independent
 * processes over one after the other.
 *
 *    summing XENSIM XENALYZE STOCK SCALE ROUNDS [check]
 *
 * STOCK may be "-": not available.  SCALE multiplies the simulated time.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/program.h"

#define EXITS "tbuf_size=128 tevt_mask=0x000a1000"
#define SCHED "tbuf_size=128 tevt_mask=0x00021000"

/*
 * Bars: M records/s, times stock, times one thread, MiB; 0: none.  The traces
 * have 15 million records, those of exits with a few scheduling records in a
 * hundred.  A computing vcpu causes 400,000 exits and entries per second, so
 * there are five vcpus.
 */
static const struct workload
{
    const char *name, *cpus, *domains, *vcpus, *events;
    double seconds;
    bool stock;
    double speed, ratio, threads, resident;
} workloads[] = {
    { "exits, 16 vcpus", "4", "4", "4", EXITS, 9.5, true,
      70, 7, 1.6, 32 + 8 },
    { "exits, 64 vcpus", "16", "8", "8", EXITS, 2.4, true, 0, 0, 0, 0 },
    { "exits, 512 vcpus", "128", "32", "16", EXITS, 0.3, true,
      40, 40, 1.3, 32 + 40 },
    { "exits, 4,096 vcpus", "1024", "128", "32", EXITS, 0.037, false,
      18, 0, 0, 32 + 160 },
    { "scheduling, 16 vcpus", "4", "4", "4", SCHED, 260, true,
      18, 4.5, 0, 0 },
};

enum { ONE, TWO, BOTH, STOCK, NR_WAYS };

struct programs
{
    const char *xensim, *xenalyze, *stock;
    double scale;
    unsigned int rounds;
};

struct result
{
    double cpu, real, real_2, both, stock, resident;
};

static void make_trace_file(const struct programs *p, const struct workload *w,
                            const char *trace)
{
    char time[32];
    const char *const args[PROGRAM_ARGS] = {
        p->xensim, "--virtual", "--output", trace, "-T", time, "--cpus",
        w->cpus, "--domains", w->domains, "--vcpus", w->vcpus, "--kind",
        "hvm", "--rate", "400k", "--boot", w->events, NULL,
    };

    snprintf(time, sizeof(time), "%.6f", w->seconds * p->scale);
    program_run(args, "/dev/null");
}

static struct result measure_workload(const struct programs *p,
                                      const struct workload *w,
                                      const char *trace)
{
    const char *const one[PROGRAM_ARGS] = {
        p->xenalyze, "--summary", "--threads=1", trace };
    const char *const two[PROGRAM_ARGS] = {
        p->xenalyze, "--summary", "--threads=2", trace };
    const char *const stock[PROGRAM_ARGS] = {
        p->stock, "--summary", "--cpu-hz", "1000000000", trace };
    double cpu[PROGRAM_ROUNDS], real[PROGRAM_ROUNDS], real_2[PROGRAM_ROUNDS];
    double both[PROGRAM_ROUNDS], theirs[PROGRAM_ROUNDS] = { 0 };
    struct result r = { .resident = 0 };

    for ( unsigned int i = 0; i < p->rounds; i++ )
    {
        struct took took = program_run(one, trace);

        cpu[i] = took.cpu;
        real[i] = took.real;
        if ( took.resident > r.resident )
            r.resident = took.resident;
        real_2[i] = program_run(two, trace).real;
        both[i] = program_run_two(one, trace);
        if ( w->stock && strcmp(p->stock, "-") )
            theirs[i] = program_run(stock, trace).cpu;
    }
    r.cpu = median_of_doubles(cpu, p->rounds);
    r.real = median_of_doubles(real, p->rounds);
    r.real_2 = median_of_doubles(real_2, p->rounds);
    r.both = median_of_doubles(both, p->rounds);
    r.stock = median_of_doubles(theirs, p->rounds);
    return r;
}

/* Print a row; returns the number of missed bars.  `less`: less is better. */
static unsigned int print_bar_row(const char *name, double value,
                                  const char *unit, double bar, bool less)
{
    bool good = less ? value <= bar : value >= bar;

    printf("  %-24s %8.1f %-12s", name, value, unit);
    if ( bar > 0 )
        printf(" bar %5.1f  %s", bar, good ? "PASS" : "MISS");
    putchar('\n');
    return bar > 0 && !good;
}

static unsigned int print_report(const struct workload *w,
                                 const struct result *r, double records)
{
    unsigned int missed = 0;

    printf("%s, %s pcpus, %.0f records\n", w->name, w->cpus, records);
    missed += print_bar_row("--summary", records / r->cpu / 1e6, "M records/s",
                            w->speed, false);
    if ( r->stock > 0 )
        missed += print_bar_row("  stock's takes", r->stock / r->cpu,
                                "times that",
                                w->ratio, false);
    missed += print_bar_row("  2 threads", r->real / r->real_2, "times 1",
                            w->threads, false);
    print_bar_row("  2 processes at once", 2 * r->real / r->both, "times 1", 0,
                  false);
    missed += print_bar_row("  resident", r->resident, "MiB", w->resident,
                            true);
    return missed;
}

int main(int argc, char **argv)
{
    char trace[] = "summing.XXXXXX";
    struct programs p;
    unsigned int missed = 0;

    program_name("summing");
    if ( argc < 6 )
    {
        fprintf(stderr, "summing: see tests/bench/summary\n");
        return EXIT_FAILURE;
    }
    p = (struct programs){ argv[1], argv[2], argv[3], atof(argv[4]),
                           strtoul(argv[5], NULL, 10) };
    if ( !p.rounds || p.rounds > PROGRAM_ROUNDS )
        p.rounds = 3;
    setvbuf(stdout, NULL, _IOLBF, 0);
    make_file(trace);
    for ( size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++ )
    {
        struct result r;

        make_trace_file(&p, &workloads[i], trace);
        r = measure_workload(&p, &workloads[i], trace);
        missed += print_report(&workloads[i], &r, count_records(p.xenalyze,
                                                                trace));
    }
    unlink(trace);
    printf("%u bars missed\n", missed);
    return argc > 6 && missed ? EXIT_FAILURE : EXIT_SUCCESS;
}
