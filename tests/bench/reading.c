/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of reading: ns per record, and millions of records per second,
 * compared with the bars of DESIGN.md.  All methods take turns, so that other
 * load affects all alike; the result is the CPU time of the thread.
 *
 *    memory    read every word of the file: a lower bound for any reader
 *    walk      the index, and every record of one pcpu after the other
 *    order     every record in time order
 *    stream    the same with the file read like a pipe
 *    heap      like order, with a heap of pcpus (heap.c)
 *    threads   walk with two threads: the time of the busier one
 *    orders    order in two threads at once, each for all records: the excess
 *              over order is the interference of the cores
 *    texts     order, and the text of each record
 *    seek      open, span, and the records of the last 10 ms
 *    stock     Xen's own xenalyze, which reads all and prints nothing; once
 *
 *    reading [--check] [--stock=PROGRAM] [--trace=FILE ...]
 *            [RECORDS [ROUNDS]]
 *
 * The inputs are these files, also for stock, and traces generated here, with
 * any number of pcpus but without meaningful contents.
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

/* --- work per record ------------------------------------------------------ */

struct seen
{
    uint64_t records, sum;
    uint64_t stretches;         /* runs of records of the same pcpu */
    unsigned int cpu;
};

static inline void count_record(struct seen *s, const struct xt_record *r)
{
    s->records++;
    s->sum += r->event ^ r->tsc;
}

static void count_record_in_thread(void *arg, unsigned int cpu, uint64_t time,
                                   const struct xt_record *r)
{
    struct seen *s = arg;

    (void)time;
    s->stretches += s->cpu != cpu;
    s->cpu = cpu;
    count_record(s, r);
}

/* --- reading methods ------------------------------------------------------ */

struct input
{
    const char *path;
    unsigned int cpus;
};

static double thread_now(void)
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

static unsigned int count_cpus(struct xt_trace *t)
{
    struct err e = ERR_INIT;
    unsigned int nr;

    if ( xt_trace_cpus(t, &nr, &e) )
        give_up(&e);
    return nr;
}

static double measure_memory(const struct input *in, struct seen *s)
{
    struct err e = ERR_INIT;
    struct xt_source *source;
    double start = thread_now();

    if ( xt_source_open(&source, in->path, 0, &e) )
        give_up(&e);
    for ( uint64_t at = 0; at + 8 <= source->size; at += 8 )
        s->sum ^= xt_load64(source->map + at);
    xt_source_close(source);
    return thread_now() - start;
}

static void walk_cpus(struct xt_trace *t, unsigned int first,
                      unsigned int step, struct seen *s)
{
    unsigned int nr = count_cpus(t);
    struct xt_record r;
    struct xt_walk w;

    for ( unsigned int cpu = first; cpu < nr; cpu += step )
    {
        xt_trace_begin_walk(t, cpu, &w);
        while ( xt_walk_next(&w, &r) )
            count_record(s, &r);
        xt_walk_fini(&w);
    }
}

static double measure_walk(const struct input *in, struct seen *s)
{
    double start = thread_now();
    struct xt_trace *t = open_trace(in->path, 0);

    walk_cpus(t, 0, 1, s);
    xt_trace_close(t);
    return thread_now() - start;
}

/* Read the rest of a trace. */
static void read_rest(struct xt_trace *t, struct seen *s)
{
    struct err e = ERR_INIT;
    struct xt_record r;
    struct xt_batch b;
    int rc;

    while ( (rc = xt_trace_next_batch(t, &b, &e)) > 0 )
        for ( size_t i = 0; i < b.nr; i++ )
        {
            xt_batch_record(&b, &b.items[i], &r);
            count_record_in_thread(s, xt_item_cpu(&b.items[i]), b.items[i].time,
                                   &r);
        }
    if ( rc )
        give_up(&e);
}

static double read_by_time(const struct input *in, struct seen *s,
                           unsigned int flags)
{
    double start = thread_now();
    struct xt_trace *t = open_trace(in->path, flags);

    read_rest(t, s);
    xt_trace_close(t);
    return thread_now() - start;
}

static double measure_order(const struct input *in, struct seen *s)
{
    return read_by_time(in, s, 0);
}

static double measure_stream(const struct input *in, struct seen *s)
{
    return read_by_time(in, s, XT_SOURCE_STREAM);
}

static double measure_heap(const struct input *in, struct seen *s)
{
    double start = thread_now();
    struct xt_trace *t = open_trace(in->path, 0);

    heap_walk(t, count_cpus(t), count_record_in_thread, s);
    xt_trace_close(t);
    return thread_now() - start;
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
    double start = thread_now();

    walk_cpus(h->t, h->first, 2, &h->seen);
    h->took = thread_now() - start;
    return NULL;
}

static double measure_threads(const struct input *in, struct seen *s)
{
    struct xt_trace *t = open_trace(in->path, 0);
    struct half halves[2] = { { .t = t, .first = 0 }, { .t = t, .first = 1 } };
    double start = thread_now(), alone;
    pthread_t thread;

    count_cpus(t);
    alone = thread_now() - start;
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

    r->took = measure_order(r->in, &r->seen);
    return NULL;
}

static double measure_orders(const struct input *in, struct seen *s)
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

static double measure_texts(const struct input *in, struct seen *s)
{
    static char page[64 * XT_TEXT_MAX];
    const struct xt_dialect dialect = { 0 };
    double start = thread_now();
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
    return thread_now() - start;
}

/* The clock of the trace has 10^9 cycles per second. */
static double measure_seek(const struct input *in)
{
    struct seen s = { .cpu = -1u };
    double start = thread_now();
    struct xt_trace *t = open_trace(in->path, 0);
    struct err e = ERR_INIT;
    uint64_t first, last;

    if ( xt_trace_span(t, &first, &last, &e) ||
         xt_trace_seek(t, last - 10000000, &e) )
        give_up(&e);
    read_rest(t, &s);
    xt_trace_close(t);
    return thread_now() - start;
}

static void exec_stock(const char *program, const struct input *in)
{
    int null = open("/dev/null", O_WRONLY);

    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execl(program, program, "--cpu-hz", "1000000000", in->path, (char *)NULL);
    _exit(127);
}

/* User and system time of a child in ns; 0 on failure. */
static double measure_stock(const char *program, const struct input *in)
{
    struct rusage used;
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    if ( !child )
        exec_stock(program, in);
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
    { "memory", measure_memory }, { "walk", measure_walk },
    { "order", measure_order }, { "stream", measure_stream },
    { "heap", measure_heap }, { "threads", measure_threads },
    { "orders", measure_orders }, { "texts", measure_texts },
};

/* Millions of records per second; 0: no bar. */
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

static int compare_ns(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static double median_ns(double *ns, unsigned int nr)
{
    qsort(ns, nr, sizeof(*ns), compare_ns);
    return ns[nr / 2];
}

static unsigned int print_result(const char *name, double ns, double bar)
{
    printf("  %-10s %7.1f ns %7.0f M/s", name, ns, 1e3 / ns);
    if ( bar > 0 )
        printf("   bar %3.0f  %s", bar, 1e3 / ns >= bar ? "PASS" : "MISS");
    putchar('\n');
    return bar > 0 && 1e3 / ns < bar;
}

/* Returns the number of missed bars. */
static unsigned int measure_input(const struct input *in, const double *bars,
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
        missed += print_result(ways[way].name, median_ns(ns[way], rounds) /
                               last[ORDER].records, bars[way]);
    if ( last[HEAP].sum != last[ORDER].sum ||
         last[STREAM].sum != last[ORDER].sum )
    {
        printf("the ways do not agree\n");
        exit(EXIT_FAILURE);
    }
    return missed;
}

static void print_seek(const struct input *in)
{
    printf("  %-10s %7.1f ms\n", "seek", measure_seek(in) / 1e6);
}

/* The bars of the first size with at least as many pcpus. */
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
    struct input in = { .path = path, .cpus = count_cpus(t) };
    struct seen all = { .cpu = -1u };
    unsigned int missed;
    double took;

    xt_trace_close(t);
    printf("%s: ", path);
    missed = measure_input(&in, bars_for(in.cpus), rounds);
    print_seek(&in);
    measure_order(&in, &all);
    took = program ? measure_stock(program, &in) : 0;
    if ( took > 0 )
        print_result("stock", took / all.records, 0);
    return missed;
}

static unsigned int run_size(uint64_t records, unsigned int rounds)
{
    unsigned int missed = 0;

    for ( size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++ )
    {
        struct trace_params m = { .cpus = sizes[i].cpus, .records = records,
                               .window = 13000, .seed = 1 };
        char path[] = "reading.XXXXXX";
        struct input in = { .path = path, .cpus = m.cpus };
        FILE *file = fdopen(mkstemp(path), "w");
        int rc = file ? make_trace_records(&m, file) : -errno;

        if ( rc || fclose(file) )
        {
            fprintf(stderr, "reading: cannot make a trace: %s\n",
                    strerror(rc ? -rc : errno));
            unlink(path);
            exit(EXIT_FAILURE);
        }
        missed += measure_input(&in, sizes[i].bar, rounds);
        print_seek(&in);
        unlink(path);
    }
    return missed;
}

static void print_usage(void)
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
            print_usage();
    numbers = arg;
    if ( argc > numbers - argv )
        records = strtoull(numbers[0], NULL, 10);
    if ( argc > numbers - argv + 1 )
        rounds = strtoul(numbers[1], NULL, 10);
    if ( !records || !rounds || rounds > MAX_ROUNDS )
        print_usage();
    for ( arg = argv + 1; arg < numbers; arg++ )
        if ( !strncmp(*arg, "--trace=", 8) )
            missed += run_file(*arg + 8, rounds, program);
    missed += run_size(records, rounds);
    return check && missed ? EXIT_FAILURE : EXIT_SUCCESS;
}
