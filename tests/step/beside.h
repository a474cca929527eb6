/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A control operation on CPU 1 that waits for CPU 0, which a test has in the
 * middle of something.
 *
 * A quiet machine has one thread, so the operation gets a stack of its own
 * and runs in turn with the other: until it is about to send its IPI a second
 * time, which it does only because CPU 0 was busy, or for its next step.
 */
#ifndef TESTS_STEP_BESIDE_H
#define TESTS_STEP_BESIDE_H

#include <stdbool.h>
#include <ucontext.h>

#define BESIDE_STACK 65536

struct beside
{
    int (*operate)(void);
    int rc;                 /* its answer */
    bool done;
    bool sent;              /* an IPI, since it was last let run */
    ucontext_t self, caller;
    char stack[BESIDE_STACK];
};

/* Begin; the operation runs until it would wait. */
void beside_start(struct beside *b, int (*operate)(void));

/* Let it go on until it would wait again.  True: it is done. */
bool beside_run(struct beside *b);

#endif /* TESTS_STEP_BESIDE_H */
