/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reading costs: ns a record, and millions of records a second, beside
 * the bars of DESIGN.md.  All ways to read take turns, so that what else the
 * machine does falls on all alike; what counts is the CPU time of the thread.
 *
 *    memory    every word of the file is looked at, nothing else: no reader
 *              can be faster, and the rest can be judged by it
 *    walk      index, and every record of every pcpu, one after the other
 *    order     every record in the order of time
 *    stream    the same of a file that is read as a pipe is
 *    heap      the same as order, by a heap of pcpus (heap.c)
 *    threads   walk, by two threads: the busier one's time
 *    orders    order, by two threads at once, each all of it for itself: what
 *              is more than order is what the cores take from each other
 *    texts     order, and the text of each record
 *    seek      open, span, and the records of the last 10 ms
 *    stock     Xen's own xenalyze, which reads all and prints nothing; once
 *
 *    reading [--check] [--stock=PROGRAM] [--trace=FILE ...]
 *            [RECORDS [ROUNDS]]
 *
 * The inputs are these files, for stock as well, and traces made here, which
 * have any number of pcpus, but make no sense to who looks into records.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/heap.h"
#include "libxentrace/catalogue.h"
#include "libxentrace/libxentrace.h"
#include "tests/bench/maketrace.h"

#define MAX_ROUNDS 31

/* --- what is done with each record ---------------------------------------- */

struct seen
{
    uint64_t records, sum;
    uint64_t stretches;         /* of records of the same pcpu */
    unsigned int cpu;
};

static inline void look(struct seen *s, const struct xt_record *r)
{
    s->records++;
    s->sum += r->event ^ r->tsc;
}

static void look_beside(void *arg, unsigned int cpu, uint64_t time,
                        const struct xt_record *r)
{
    struct seen *s = arg;

    (void)time;
    s->stretches += s->cpu != cpu;
    s->cpu = cpu;
    look(s, r);
}

/* --- ways to read --------------------------------------------------------- */

struct input
{
    const char *path;
    unsigned int cpus;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static void give_up(const struct err *e)
{
    err_print("reading", e);
    exit(EXIT_FAILURE);
}

static struct xt_trace *open_trace(const char *path, unsigned int flags)
{
    struct err e = ERR_INIT;
    struct xt_trace *t;

    if ( xt_trace_open(&t, path, flags, &e) )
        give_up(&e);
    return t;
}

static unsigned int cpus_of(struct xt_trace *t)
{
    struct err e = ERR_INIT;
    unsigned int nr;

    if ( xt_trace_cpus(t, &nr, &e) )
        give_up(&e);
    return nr;
}

static double memory(const struct input *in, struct seen *s)
{
    struct err e = ERR_INIT;
    struct xt_source *source;
    double start = now();

    if ( xt_source_open(&source, in->path, 0, &e) )
        give_up(&e);
    for ( uint64_t at = 0; at + 8 <= source->size; at += 8 )
        s->sum ^= xt_load64(source->map + at);
    xt_source_close(source);
    return now() - start;
}

static void walk_some(struct xt_trace *t, unsigned int first,
                      unsigned int step, struct seen *s)
{
    unsigned int nr = cpus_of(t);
    struct xt_record r;
    struct xt_walk w;

    for ( unsigned int cpu = first; cpu < nr; cpu += step )
    {
        xt_trace_begin_walk(t, cpu, &w);
        while ( xt_walk_next(&w, &r) )
            look(s, &r);
    }
}

static double walk(const struct input *in, struct seen *s)
{
    double start = now();
    struct xt_trace *t = open_trace(in->path, 0);

    walk_some(t, 0, 1, s);
    xt_trace_close(t);
    return now() - start;
}

/* All that is left of a trace. */
static void read_on(struct xt_trace *t, struct seen *s)
{
    struct err e = ERR_INIT;
    struct xt_record r;
    struct xt_batch b;
    int rc;

    while ( (rc = xt_trace_next_batch(t, &b, &e)) > 0 )
        for ( size_t i = 0; i < b.nr; i++ )
        {
            xt_batch_record(&b, &b.items[i], &r);
            look_beside(s, xt_item_cpu(&b.items[i]), b.items[i].time, &r);
        }
    if ( rc )
        give_up(&e);
}

static double by_time(const struct input *in, struct seen *s,
                      unsigned int flags)
{
    double start = now();
    struct xt_trace *t = open_trace(in->path, flags);

    read_on(t, s);
    xt_trace_close(t);
    return now() - start;
}

static double order(const struct input *in, struct seen *s)
{
    return by_time(in, s, 0);
}

static double stream(const struct input *in, struct seen *s)
{
    return by_time(in, s, XT_SOURCE_STREAM);
}

static double heap(const struct input *in, struct seen *s)
{
    double start = now();
    struct xt_trace *t = open_trace(in->path, 0);

    heap_walk(t, cpus_of(t), look_beside, s);
    xt_trace_close(t);
    return now() - start;
}

struct half
{
    struct xt_trace *t;
    unsigned int first;
    struct seen seen;
    double took;
};

static void *walk_half(void *arg)
{
    struct half *h = arg;
    double start = now();

    walk_some(h->t, h->first, 2, &h->seen);
    h->took = now() - start;
    return NULL;
}

static double threads(const struct input *in, struct seen *s)
{
    struct xt_trace *t = open_trace(in->path, 0);
    struct half halves[2] = { { .t = t, .first = 0 }, { .t = t, .first = 1 } };
    double start = now(), alone;
    pthread_t thread;

    cpus_of(t);
    alone = now() - start;
    if ( pthread_create(&thread, NULL, walk_half, &halves[0]) )
        exit(EXIT_FAILURE);
    walk_half(&halves[1]);
    pthread_join(thread, NULL);
    xt_trace_close(t);
    s->records = halves[0].seen.records + halves[1].seen.records;
    return alone + (halves[0].took > halves[1].took ? halves[0].took
                                                    : halves[1].took);
}

struct reader
{
    const struct input *in;
    struct seen seen;
    double took;
};

static void *order_all(void *arg)
{
    struct reader *r = arg;

    r->took = order(r->in, &r->seen);
    return NULL;
}

static double orders(const struct input *in, struct seen *s)
{
    struct reader readers[2] = { { .in = in }, { .in = in } };
    pthread_t thread;

    if ( pthread_create(&thread, NULL, order_all, &readers[0]) )
        exit(EXIT_FAILURE);
    order_all(&readers[1]);
    pthread_join(thread, NULL);
    *s = readers[1].seen;
    return readers[0].took > readers[1].took ? readers[0].took
                                             : readers[1].took;
}

static double texts(const struct input *in, struct seen *s)
{
    static char page[64 * XT_TEXT_MAX];
    const struct xt_dialect dialect = { 0 };
    double start = now();
    struct xt_trace *t = open_trace(in->path, 0);
    struct xt_catalogue *c;
    struct err e = ERR_INIT;
    struct xt_record r;
    struct xt_batch b;
    char *p = page;

    if ( xt_catalogue_new(&c, &dialect) )
        exit(EXIT_FAILURE);
    while ( xt_trace_next_batch(t, &b, &e) > 0 )
        for ( size_t i = 0; i < b.nr; i++, s->records++ )
        {
            xt_batch_record(&b, &b.items[i], &r);
            p = xt_catalogue_text(c, p, xt_catalogue_find(c, r.event, r.words),
                                  &r);
            if ( p > page + sizeof(page) - XT_TEXT_MAX )
                p = page;
        }
    xt_catalogue_free(c);
    xt_trace_close(t);
    return now() - start;
}

/* A trace counts 10^9 cycles a second. */
static double seek(const struct input *in)
{
    struct seen s = { .cpu = -1u };
    double start = now();
    struct xt_trace *t = open_trace(in->path, 0);
    struct err e = ERR_INIT;
    uint64_t first, last;

    if ( xt_trace_span(t, &first, &last, &e) ||
         xt_trace_seek(t, last - 10000000, &e) )
        give_up(&e);
    read_on(t, &s);
    xt_trace_close(t);
    return now() - start;
}

static void be_stock(const char *program, const struct input *in)
{
    int null = open("/dev/null", O_WRONLY);

    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execl(program, program, "--cpu-hz", "1000000000", in->path, (char *)NULL);
    _exit(127);
}

/* User and system time of a child, ns; 0: it did not do it. */
static double stock(const char *program, const struct input *in)
{
    struct rusage used;
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    if ( !child )
        be_stock(program, in);
    if ( child < 0 || wait4(child, &status, 0, &used) != child || status )
        return 0;
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
           (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3;
}

/* --- the table ------------------------------------------------------------ */

enum { MEMORY, WALK, ORDER, STREAM, HEAP, THREADS, ORDERS, TEXTS,
       NR_WAYS };

static const struct
{
    const char *name;
    double (*read)(const struct input *in, struct seen *s);
} ways[NR_WAYS] = {
    { "memory", memory }, { "walk", walk }, { "order", order },
    { "stream", stream }, { "heap", heap }, { "threads", threads },
    { "orders", orders }, { "texts", texts },
};

/* Millions of records a second; 0: no bar. */
static const struct
{
    unsigned int cpus;
    double bar[NR_WAYS];
} sizes[] = {
    { 4,    { [WALK] = 130, [ORDER] = 60, [TEXTS] = 16 } },
    { 16,   { [WALK] = 130, [ORDER] = 50, [TEXTS] = 16 } },
    { 128,  { [WALK] = 130, [ORDER] = 45, [TEXTS] = 16 } },
    { 1024, { [WALK] = 130, [ORDER] = 25, [TEXTS] = 6 } },
};

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static double median(double *ns, unsigned int nr)
{
    qsort(ns, nr, sizeof(*ns), compare);
    return ns[nr / 2];
}

static unsigned int print(const char *name, double ns, double bar)
{
    printf("  %-10s %7.1f ns %7.0f M/s", name, ns, 1e3 / ns);
    if ( bar > 0 )
        printf("   bar %3.0f  %s", bar, 1e3 / ns >= bar ? "PASS" : "MISS");
    putchar('\n');
    return bar > 0 && 1e3 / ns < bar;
}

/* How many bars were missed. */
static unsigned int measure(const struct input *in, const double *bars,
                            unsigned int rounds)
{
    static double ns[NR_WAYS][MAX_ROUNDS];
    struct seen last[NR_WAYS];
    unsigned int missed = 0;

    for ( unsigned int round = 0; round < rounds; round++ )
        for ( unsigned int way = 0; way < NR_WAYS; way++ )
        {
            last[way] = (struct seen){ .cpu = -1u };
            ns[way][round] = ways[way].read(in, &last[way]);
        }
    printf("%u pcpus, %llu records, %.1f of a pcpu in a row\n", in->cpus,
           (unsigned long long)last[ORDER].records,
           (double)last[ORDER].records / last[ORDER].stretches);
    for ( unsigned int way = 0; way < NR_WAYS; way++ )
        missed += print(ways[way].name, median(ns[way], rounds) /
                        last[ORDER].records, bars[way]);
    if ( last[HEAP].sum != last[ORDER].sum ||
         last[STREAM].sum != last[ORDER].sum )
    {
        printf("the ways do not agree\n");
        exit(EXIT_FAILURE);
    }
    return missed;
}

static void measure_seek(const struct input *in)
{
    printf("  %-10s %7.1f ms\n", "seek", seek(in) / 1e6);
}

/* The bars of the first size that has as many pcpus. */
static const double *bars_for(unsigned int cpus)
{
    size_t i = 0;

    while ( i + 1 < sizeof(sizes) / sizeof(sizes[0]) && sizes[i].cpus < cpus )
        i++;
    return sizes[i].bar;
}

static unsigned int run_file(const char *path, unsigned int rounds,
                             const char *program)
{
    struct xt_trace *t = open_trace(path, 0);
    struct input in = { .path = path, .cpus = cpus_of(t) };
    struct seen all = { .cpu = -1u };
    unsigned int missed;
    double took;

    xt_trace_close(t);
    printf("%s: ", path);
    missed = measure(&in, bars_for(in.cpus), rounds);
    measure_seek(&in);
    order(&in, &all);
    took = program ? stock(program, &in) : 0;
    if ( took > 0 )
        print("stock", took / all.records, 0);
    return missed;
}

static unsigned int run(uint64_t records, unsigned int rounds)
{
    unsigned int missed = 0;

    for ( size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++ )
    {
        struct maketrace m = { .cpus = sizes[i].cpus, .records = records,
                               .window = 13000, .seed = 1 };
        char path[] = "reading.XXXXXX";
        struct input in = { .path = path, .cpus = m.cpus };
        FILE *file = fdopen(mkstemp(path), "w");
        int rc = file ? maketrace(&m, file) : -errno;

        if ( rc || fclose(file) )
        {
            fprintf(stderr, "reading: cannot make a trace: %s\n",
                    strerror(rc ? -rc : errno));
            unlink(path);
            exit(EXIT_FAILURE);
        }
        missed += measure(&in, sizes[i].bar, rounds);
        measure_seek(&in);
        unlink(path);
    }
    return missed;
}

static void usage(void)
{
    fprintf(stderr, "usage: reading [--check] [--stock=PROGRAM] "
            "[--trace=FILE ...] [RECORDS [ROUNDS, at most %u]]\n",
            MAX_ROUNDS);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    uint64_t records = 15000000;
    unsigned int rounds = 5, missed = 0;
    const char *program = NULL;
    char **arg = argv + 1, **numbers;
    bool check = false;

    for ( ; *arg && !strncmp(*arg, "--", 2); arg++ )
        if ( !strcmp(*arg, "--check") )
            check = true;
        else if ( !strncmp(*arg, "--stock=", 8) )
            program = *arg + 8;
        else if ( strncmp(*arg, "--trace=", 8) )
            usage();
    numbers = arg;
    if ( argc > numbers - argv )
        records = strtoull(numbers[0], NULL, 10);
    if ( argc > numbers - argv + 1 )
        rounds = strtoul(numbers[1], NULL, 10);
    if ( !records || !rounds || rounds > MAX_ROUNDS )
        usage();
    for ( arg = argv + 1; arg < numbers; arg++ )
        if ( !strncmp(*arg, "--trace=", 8) )
            missed += run_file(*arg + 8, rounds, program);
    missed += run(records, rounds);
    return check && missed ? EXIT_FAILURE : EXIT_SUCCESS;
}
