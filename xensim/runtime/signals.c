/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupt wires: each vector is a real-time signal to the thread of a
 * pcpu, so it lands at any instruction.
 *
 *   vector   waits for irqs_off?   its handler keeps out
 *   IPI      yes                   IPI, IRQ
 *   IRQ      yes                   IPI, IRQ
 *   NMI      no                    IPI, IRQ, NMI
 *   MCE      no                    all
 *
 * As behind a real interrupt gate, nothing maskable gets into an NMI.
 * Handlers may interrupt anything, malloc() included: nothing that runs in
 * one may allocate or take a lock.
 */
#include "xensim/runtime/signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static const struct
{
    bool maskable;
    unsigned int keeps_out; /* 1 << vector */
} wires[XENSIM_NR_VECTORS] = {
    [XENSIM_IPI] = { true, 1 << XENSIM_IPI | 1 << XENSIM_IRQ },
    [XENSIM_IRQ] = { true, 1 << XENSIM_IPI | 1 << XENSIM_IRQ },
    [XENSIM_NMI] = { false,
                     1 << XENSIM_IPI | 1 << XENSIM_IRQ | 1 << XENSIM_NMI },
    [XENSIM_MCE] = { false, (1 << XENSIM_NR_VECTORS) - 1 },
};

static struct sigaction before[XENSIM_NR_VECTORS];

int signal_of(enum xensim_vector vector)
{
    return SIGRTMIN + (int)vector;
}

static void land(int signal)
{
    enum xensim_vector vector = signal - SIGRTMIN;
    int saved = errno;

    if ( wires[vector].maskable && xensim_self.irqs_off )
        xensim_self.held |= 1u << vector; /* local_irq_restore() looks */
    else
        threads_vector(vector);
    errno = saved;
}

/*
 * Interrupts are on again.  One that lands while we are here either runs at
 * once, or finds irqs_off set by the handler that we run, and is seen by the
 * next turn of the loop.
 */
void xensim_deliver_held(void)
{
    while ( xensim_self.held && !xensim_self.irqs_off )
    {
        enum xensim_vector vector = __builtin_ctz(xensim_self.held);

        __atomic_fetch_and(&xensim_self.held, ~(1u << vector),
                           __ATOMIC_RELAXED);
        threads_vector(vector);
    }
}

static void fill(sigset_t *set, unsigned int vectors)
{
    sigemptyset(set);
    for ( unsigned int v = 0; v < XENSIM_NR_VECTORS; v++ )
        if ( vectors >> v & 1 )
            sigaddset(set, signal_of(v));
}

void signals_init(void)
{
    for ( unsigned int v = 0; v < XENSIM_NR_VECTORS; v++ )
    {
        struct sigaction action = { .sa_handler = land };
        int rc;

        fill(&action.sa_mask, wires[v].keeps_out);
        rc = sigaction(signal_of(v), &action, &before[v]);
        BUG_ON(rc); /* there are 30 real-time signals, and we take four */
    }
}

void signals_fini(void)
{
    for ( unsigned int v = 0; v < XENSIM_NR_VECTORS; v++ )
        sigaction(signal_of(v), &before[v], NULL);
}

void signals_open(void)
{
    sigset_t all;

    fill(&all, (1 << XENSIM_NR_VECTORS) - 1);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}

void signals_close(void)
{
    sigset_t all;

    fill(&all, (1 << XENSIM_NR_VECTORS) - 1);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}
