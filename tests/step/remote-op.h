/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A control operation on CPU 1 that waits for CPU 0, while a test single-steps
 * CPU 0.
 *
 * A quiet machine has one thread, so the operation is a coroutine with a stack
 * of its own.  The operation yields before sending an IPI for the second time,
 * either because CPU 0 was busy or for the next step of the operation.
 */
#ifndef TESTS_STEP_REMOTE_OP_H
#define TESTS_STEP_REMOTE_OP_H

#include <stdbool.h>
#include <ucontext.h>

#define REMOTE_OP_STACK 65536

struct remote_op
{
    int (*operate)(void);
    int rc;                 /* result of operate() */
    bool done;
    bool sent;              /* an IPI was sent since the last resume */
    ucontext_t self, caller;
    char stack[REMOTE_OP_STACK];
};

/* Start the operation and run until it would wait. */
void remote_op_start(struct remote_op *op, int (*operate)(void));

/* Resume until the operation would wait again.  True: it has finished. */
bool remote_op_resume(struct remote_op *op);

#endif /* TESTS_STEP_REMOTE_OP_H */
