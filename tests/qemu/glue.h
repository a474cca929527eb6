/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of QEMU and glib that QEMU's simple back end, its trace/control.h
 * and its generated code depend on, so that they can be compiled alone: for a
 * benchmark, and for a test.  Each header that they include is a link to this
 * file (glue.sh).
 */
#ifndef TESTS_QEMU_GLUE_H
#define TESTS_QEMU_GLUE_H

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define CONFIG_TRACE_FILE "trace"
#define CONFIG_TRACE_SIMPLE 1
#define FMT_pid "%d"
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define unlikely(x) __builtin_expect(!!(x), 0)
#define likely(x) __builtin_expect(!!(x), 1)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define qemu_printf printf
#define warn_report(...) fprintf(stderr, __VA_ARGS__)

/* QEMU's module_init(), but run at once. */
#define trace_init(function)                                            \
    static void __attribute__((constructor)) glue_##function(void)      \
    {                                                                   \
        function();                                                     \
    }

typedef struct CPUState CPUState;
typedef struct QemuOptsList { int unused; } QemuOptsList;

static inline int64_t get_clock(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* ---- glib --------------------------------------------------------------- */

typedef int gint;
typedef void *gpointer;
typedef pthread_mutex_t GMutex;
typedef pthread_cond_t GCond;
typedef pthread_t GThread;
typedef void *(*GThreadFunc)(void *arg);

#define g_mutex_lock pthread_mutex_lock
#define g_mutex_unlock pthread_mutex_unlock
#define g_cond_wait pthread_cond_wait
#define g_cond_signal pthread_cond_signal
#define g_free free
#define g_atomic_int_get(at) __atomic_load_n(at, __ATOMIC_SEQ_CST)
#define g_atomic_int_inc(at) (void)__atomic_fetch_add(at, 1, __ATOMIC_SEQ_CST)
#define g_atomic_int_compare_and_exchange(at, from, to) \
    __sync_bool_compare_and_swap(at, from, to)

static inline GThread *g_thread_new(const char *name, GThreadFunc work,
                                    void *arg)
{
    static GThread thread;

    (void)name;
    return pthread_create(&thread, NULL, work, arg) ? NULL : &thread;
}

static inline __attribute__((format(printf, 1, 2)))
char *g_strdup_printf(const char *format, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    return n < 0 ? NULL : text;
}

#endif /* TESTS_QEMU_GLUE_H */
