/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Concurrent control operations as coroutines: two stacks, one thread.
 */
#include "tests/step/remote-op.h"

#include "tests/step/ipi.h"

static struct remote_op *running; /* NULL while CPU 0 runs */

static void leave_operation(void)
{
    running = NULL;
    ipi_intercept(NULL);
    xensim_become_cpu(0);
}

/* Switch back to CPU 0. */
static void yield_to_caller(struct remote_op *op)
{
    leave_operation();
    swapcontext(&op->self, &op->caller);
}

/* Send the first IPI; yield to CPU 0 before each further one. */
static void send_or_yield(struct ipi *ipi)
{
    if ( running->sent )
        yield_to_caller(running);
    running->sent = true;
    ipi_send(ipi);
}

/* makecontext() passes ints only, so the operation comes from `running`. */
static void run_operation(void)
{
    struct remote_op *op = running;

    op->rc = op->operate();
    op->done = true;
    leave_operation();
}

void remote_op_start(struct remote_op *op, int (*operate)(void))
{
    op->operate = operate;
    op->done = false;
    getcontext(&op->self);
    op->self.uc_stack.ss_sp = op->stack;
    op->self.uc_stack.ss_size = sizeof(op->stack);
    op->self.uc_link = &op->caller;
    makecontext(&op->self, run_operation, 0);
    remote_op_resume(op);
}

bool remote_op_resume(struct remote_op *op)
{
    if ( op->done )
        return true;

    running = op;
    op->sent = false;
    ipi_intercept(send_or_yield);
    xensim_become_cpu(1);
    swapcontext(&op->caller, &op->self);
    return op->done;
}
