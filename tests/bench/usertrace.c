/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of a trace point in a program, with the back end that this file is
 * compiled for: tests/bench/trace-points does so, and runs
 *
 *     usertrace clock | off | on | threads | block | stdio
 *
 * With TRACE_OF_QEMU the headers and simple back end are QEMU's own
 * (qemu-simple.c), which has no counters.
 *
 * Prints the nanoseconds of one event: minimum and median of many short rounds.
 * A round fits in a quarter of the ring, and is written to the file between
 * rounds, so the disk is not measured; the minimum is the cost on an idle CPU.
 * With "block", a thread that waits for room traces as fast as it can into a
 * file; the mean of all events, with waiting, is printed twice.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef TRACE_OF_QEMU
#include "tests/bench/qemu-simple.h"
#else
#include <trace/usertrace.h>
#endif
#include <trace-sample.h>

enum { ROUNDS = 400, EVENTS = 1000, WRITERS = 8 };

static double read_clock(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

/* ---- measured functions ------------------------------------------------- */

static void only_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    __asm__ __volatile__ ( "" :: "m" (t) );
}

static void emit_event(unsigned int i)
{
    trace_sample_done(i, NULL, 5);
}

/* The alternative to trace points: a line with the time. */
static void log_line(unsigned int i)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static FILE *out;
    struct timespec t;

    pthread_mutex_lock(&lock);
    if ( !out )
        out = fopen("/dev/null", "w");
    clock_gettime(CLOCK_REALTIME, &t);
    fprintf(out, "%lld.%06ld:sample_done worker %u request %p rc %d\n",
            (long long)t.tv_sec, t.tv_nsec / 1000, i, NULL, 5);
    pthread_mutex_unlock(&lock);
}

static void run_events(void)
{
    for ( unsigned int i = 0; i < EVENTS; i++ )
    {
        __asm__ __volatile__ ( "" : "+r" (i) );
        emit_event(i);
    }
}

static void run_lines(void)
{
    for ( unsigned int i = 0; i < EVENTS; i++ )
        log_line(i);
}

static void run_clock(void)
{
    for ( unsigned int i = 0; i < EVENTS; i++ )
        only_clock();
}

/* ---- rounds ------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_rounds(double *rounds, size_t nr)
{
    qsort(rounds, nr, sizeof(*rounds), by_value);
    printf("%.1f %.1f\n", rounds[0], rounds[nr / 2]);
}

static void measure_rounds(double *rounds, void (*what)(void), clockid_t clock)
{
    double begin;

    for ( size_t i = 0; i < ROUNDS; i++ )
    {
        begin = read_clock(clock);
        what();
        rounds[i] = (read_clock(clock) - begin) / EVENTS;
        if ( usertrace_has_backend("simple") )
            st_flush_trace_buffer();
    }
}

static double all_rounds[WRITERS][ROUNDS];

/* The CPU time of each, as there may be fewer CPUs than writers. */
static void *measure_writer(void *arg)
{
    measure_rounds(arg, run_events, CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

static void measure_writers(void)
{
    pthread_t threads[WRITERS];

    for ( size_t i = 0; i < WRITERS; i++ )
        if ( pthread_create(&threads[i], NULL, measure_writer, all_rounds[i]) )
            exit(1);
    for ( size_t i = 0; i < WRITERS; i++ )
        pthread_join(threads[i], NULL);
    print_rounds(&all_rounds[0][0], WRITERS * ROUNDS);
}

/* Were all events written to the file, without losses? */
static bool is_written(void)
{
#ifdef TRACE_OF_QEMU
    return qemu_simple_is_on();
#else
    struct usertrace_counts counts;

    usertrace_counts(&counts);
    return counts.written == EVENTS;
#endif
}

static void use_blocking(void)
{
#ifndef TRACE_OF_QEMU
    usertrace_ring_mode(USERTRACE_BLOCK);
    usertrace_file_rotate(16 << 20, 1);
    st_set_trace_file("bench.trace");
#endif
}

/* The file is complete at the end. */
static void measure_waiting(void)
{
    double begin = read_clock(CLOCK_MONOTONIC), mean;

    for ( size_t i = 0; i < 10 * ROUNDS; i++ )
        run_events();
    st_flush_trace_buffer();
    mean = (read_clock(CLOCK_MONOTONIC) - begin) / (10.0 * ROUNDS * EVENTS);
    printf("%.1f %.1f\n", mean, mean);
}

static void switch_on(void)
{
    trace_enable_events("sample_done");
    if ( !trace_init_backends() )
        exit(1);
    if ( !usertrace_has_backend("simple") )
        return;
    st_set_trace_file("/dev/null");
    st_set_trace_file_enabled(true);
    run_events();
    st_flush_trace_buffer();
    if ( !is_written() )
        exit(1);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "on";
    void (*measured)(void) = !strcmp(what, "clock") ? run_clock :
                             !strcmp(what, "stdio") ? run_lines : run_events;

    if ( !strcmp(what, "on") || !strcmp(what, "threads") ||
         !strcmp(what, "block") )
        switch_on();
    measured();
    if ( !strcmp(what, "threads") )
        measure_writers();
    else if ( !strcmp(what, "block") )
    {
        use_blocking();
        measure_waiting();
    }
    else
    {
        measure_rounds(all_rounds[0], measured, CLOCK_MONOTONIC);
        print_rounds(all_rounds[0], ROUNDS);
    }
    return 0;
}
