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
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_ROUNDS 31
#define MAX_ARGS 16

enum { DUMP, DUMP_2, RULES, STOCK, SCRIPT, NR_WAYS };

struct took
{
    double cpu, real;
};

static void give_up(const char *what)
{
    fprintf(stderr, "dumping: %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
}

static double seconds(struct timeval t)
{
    return t.tv_sec + t.tv_usec / 1e6;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

/* Standard input from a file, both outputs to nowhere. */
static void run_child(const char *const *args, const char *input)
{
    int nowhere = open("/dev/null", O_RDWR), in = open(input, O_RDONLY);

    dup2(in, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(args[0], (char **)(uintptr_t)args);
    _exit(127);
}

static struct took run(const char *const *args, const char *input)
{
    struct rusage used;
    double start = now();
    pid_t pid = fork();
    int status;

    if ( pid < 0 )
        give_up("fork");
    if ( !pid )
        run_child(args, input);
    if ( wait4(pid, &status, 0, &used) < 0 )
        give_up("wait4");
    if ( status )
    {
        errno = EINVAL;
        give_up(args[0]);
    }
    return (struct took){ seconds(used.ru_utime), now() - start };
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static double median(double *t, unsigned int nr)
{
    qsort(t, nr, sizeof(*t), compare);
    return t[nr / 2];
}

/* The last line of --count: "  1234  in all". */
static double count_lines(const char *xenalyze, const char *trace)
{
    char command[4096];
    double lines = 0;
    FILE *p;

    snprintf(command, sizeof(command),
             "'%s' --count '%s' | tail -n 1", xenalyze, trace);
    p = popen(command, "r");
    if ( !p || fscanf(p, "%lf", &lines) != 1 || lines < 1 )
        give_up("--count");
    pclose(p);
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
    const char *const args[MAX_ARGS] = {
        p->xensim, "--virtual", "--output", trace, "-T", time, "--cpus",
        cpus, "--seed", "1", "--kind", "hvm", NULL,
    };

    snprintf(time, sizeof(time), "%.6f",
             atof(p->seconds) * 4 / atof(cpus));
    run(args, "/dev/null");
}

static unsigned int measure(const struct programs *p, unsigned int size,
                            char *trace)
{
    const char *const ways[NR_WAYS][MAX_ARGS] = {
        [DUMP] = { p->xenalyze, "--dump-all", "--threads=1", trace },
        [DUMP_2] = { p->xenalyze, "--dump-all", "--threads=2", trace },
        [RULES] = { p->xenalyze, "--threads=1", p->formats, trace },
        [STOCK] = { p->stock, "--dump-all", trace },
        [SCRIPT] = { "python3", p->script, p->formats },
    };
    static double took[NR_WAYS][MAX_ROUNDS];
    bool wanted[NR_WAYS] = {
        true, true, true, strcmp(p->stock, "-") && size < 3,
        strcmp(p->script, "-") && size < 1,
    };
    double lines = count_lines(p->xenalyze, trace);
    unsigned int missed = 0;

    for ( unsigned int round = 0; round < p->rounds; round++ )
        for ( unsigned int way = 0; way < NR_WAYS; way++ )
        {
            struct took t;

            /* The script needs minutes: once is enough. */
            if ( !wanted[way] || (way == SCRIPT && round) )
                continue;
            t = run(ways[way], trace);
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
    int fd;

    if ( argc < 8 )
    {
        fprintf(stderr, "dumping: see tests/bench/dump\n");
        return EXIT_FAILURE;
    }
    p = (struct programs){ argv[1], argv[2], argv[3], argv[4], argv[5],
                           argv[6], strtoul(argv[7], NULL, 10) };
    if ( !p.rounds || p.rounds > MAX_ROUNDS )
        p.rounds = 3;
    setvbuf(stdout, NULL, _IOLBF, 0);
    fd = mkstemp(trace);
    if ( fd < 0 )
        give_up("a trace");
    close(fd);
    for ( unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++ )
    {
        play(&p, sizes[i].cpus, trace);
        missed += measure(&p, i, trace);
    }
    unlink(trace);
    printf("%u bars missed\n", missed);
    return argc > 8 && missed ? EXIT_FAILURE : EXIT_SUCCESS;
}
