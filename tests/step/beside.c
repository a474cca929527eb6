/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control operations beside: two stacks, one thread.
 */
#include "tests/step/beside.h"

#include "tests/step/ipi.h"

static struct beside *running; /* NULL: nobody is on the other stack */

static void leave_gate(void)
{
    running = NULL;
    ipi_divert(NULL);
    xensim_become_cpu(0);
}

/* Give the thread back to CPU 0. */
static void yield_to_other(struct beside *b)
{
    leave_gate();
    swapcontext(&b->self, &b->caller);
}

/* One is sent; before the next CPU 0 goes on. */
static void in_turn(struct ipi *ipi)
{
    if ( running->sent )
        yield_to_other(running);
    running->sent = true;
    ipi_send(ipi);
}

/* makecontext() hands over ints only: the operation is the one that runs. */
static void run_operation(void)
{
    struct beside *b = running;

    b->rc = b->operate();
    b->done = true;
    leave_gate();
}

void beside_start(struct beside *b, int (*operate)(void))
{
    b->operate = operate;
    b->done = false;
    getcontext(&b->self);
    b->self.uc_stack.ss_sp = b->stack;
    b->self.uc_stack.ss_size = sizeof(b->stack);
    b->self.uc_link = &b->caller;
    makecontext(&b->self, run_operation, 0);
    beside_run(b);
}

bool beside_run(struct beside *b)
{
    if ( b->done )
        return true;

    running = b;
    b->sent = false;
    ipi_divert(in_turn);
    xensim_become_cpu(1);
    swapcontext(&b->caller, &b->self);
    return b->done;
}
