/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every order in which threads can touch what they share, for real code.
 *
 * The code is compiled with -fsanitize=thread, but linked with this instead of
 * TSan: the calls that the compiler puts in front of each access come here.
 * Threads are contexts on one thread of the kernel.  Before an access to what
 * is shared a context stops, and anybody may go on; all of the program's
 * memory is a state, which is kept and put back, and one that was seen before
 * is not gone into again.  So what is tried is all that can happen, and ends.
 *
 * A store that another CPU may see late (any atomic one that is weaker than
 * sequentially consistent) waits in a queue of its thread, as in the store
 * buffer of an x86; when it leaves is one more thing that can be either way.
 * Stores that are not atomic do not wait, and empty the queue.
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
    void (*check)(void);        /* of each state, as if killed there */
    void (*end)(void);          /* all threads are done */
    void (*handler)(void);      /* of signals */
    unsigned int signals;       /* how many come */
    bool late_stores;
};

/* All states of a plan; returns how many there were. */
size_t explore(const struct explore_plan *plan);

/* From begin(): a thread, and memory that threads share.  What is static in
 * the program, or on a stack, is part of a state without being named. */
void explore_spawn(void (*body)(void *arg), void *arg, bool has_signals);
void explore_share(void *at, size_t size);

/* In a thread: which of `nr` things happens?  All of them, one by one. */
unsigned int explore_choose(unsigned int nr);

/* Its number, from 0; as many as were spawned: nobody's, in check() or so. */
unsigned int explore_self(void);

/* Does not come back: says why, and who did what until then. */
void explore_fail(const char *file, int line, const char *what)
    __attribute__((noreturn));

#define EXPLORE_CHECK(what) \
    ((what) ? (void)0 : explore_fail(__FILE__, __LINE__, #what))

#endif /* TESTS_INTERLEAVE_EXPLORE_H */
