/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explores every order in which threads can access shared memory, with real
 * code.
 *
 * The code is compiled with -fsanitize=thread, but linked with this library
 * instead of TSan's: the compiler's calls before each access come here.
 * Threads are contexts on a single kernel thread.  Before an access to shared
 * memory a context stops, and any thread may continue.  A state is all of the
 * program's memory, which is saved and restored; a state that was seen before
 * is not explored again.  So the search covers everything that can happen, and
 * terminates.
 *
 * A store that another CPU may see late (any atomic store weaker than
 * sequentially consistent) waits in a queue of its thread, like the store
 * buffer of an x86 CPU; the moment when it leaves is one more choice.  Plain
 * stores do not wait, and flush the queue.
 */
#ifndef TESTS_INTERLEAVE_EXPLORE_H
#define TESTS_INTERLEAVE_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct explore_plan
{
    const char *name;
    void (*begin)(void);        /* spawns the threads */
    void (*check)(void);        /* for each state, as if killed there */
    void (*end)(void);          /* all threads have ended */
    void (*handler)(void);      /* signal handler */
    unsigned int signals;       /* number of signals */
    bool late_stores;
};

/* Explore all states of a plan; returns their number. */
size_t explore_run(const struct explore_plan *plan);

/*
 * From begin(): create a thread, and declare shared memory.  Static variables
 * and stacks are part of a state without being declared.
 */
void explore_spawn(void (*body)(void *arg), void *arg, bool has_signals);
void explore_share(void *at, size_t size);

/* In a thread: choose one of `nr` alternatives.  All of them are explored. */
unsigned int explore_choose(unsigned int nr);

/*
 * The number of the running thread, from 0; outside of threads, the number of
 * threads.
 */
unsigned int explore_self(void);

/* Print the failure and the steps that led to it, and exit. */
void explore_fail(const char *file, int line, const char *what)
    __attribute__((noreturn));

#define EXPLORE_CHECK(what) \
    ((what) ? (void)0 : explore_fail(__FILE__, __LINE__, #what))

#endif /* TESTS_INTERLEAVE_EXPLORE_H */
