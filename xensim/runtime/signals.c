/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupt vectors: each vector is a real-time signal to the thread of a
 * pcpu, so a vector arrives at any instruction.
 *
 *     vector   waits for irqs_off?   blocked during its handler
 *     IPI      yes                   IPI, IRQ
 *     IRQ      yes                   IPI, IRQ
 *     NMI      no                    IPI, IRQ, NMI
 *     MCE      no                    all
 *
 * As behind a real interrupt gate, no maskable vector interrupts an NMI.
 * Handlers interrupt any code, malloc() included: a handler may neither
 * allocate nor take a lock.
 */
#include "xensim/runtime/signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static const struct
{
    bool maskable;
    unsigned int blocks; /* 1 << vector */
} wires[XENSIM_NR_VECTORS] = {
    [XENSIM_IPI] = { true, 1 << XENSIM_IPI | 1 << XENSIM_IRQ },
    [XENSIM_IRQ] = { true, 1 << XENSIM_IPI | 1 << XENSIM_IRQ },
    [XENSIM_NMI] = { false,
                     1 << XENSIM_IPI | 1 << XENSIM_IRQ | 1 << XENSIM_NMI },
    [XENSIM_MCE] = { false, (1 << XENSIM_NR_VECTORS) - 1 },
};

static struct sigaction before[XENSIM_NR_VECTORS];

int vector_signal(enum xensim_vector vector)
{
    return SIGRTMIN + (int)vector;
}

static void handle_signal(int signal)
{
    enum xensim_vector vector = signal - SIGRTMIN;
    int saved = errno;

    ASSERT(vector < XENSIM_NR_VECTORS);
    if ( wires[vector].maskable && xensim_self.irqs_off )
        xensim_self.pending |= 1u << vector; /* for local_irq_restore() */
    else
        threads_vector(vector);
    errno = saved;
}

/*
 * Interrupts are on again. A vector that arrives during the loop either runs
 * at once, or finds irqs_off set by a handler in progress and is found by the
 * next iteration.
 */
void xensim_deliver_pending(void)
{
    while ( xensim_self.pending && !xensim_self.irqs_off )
    {
        enum xensim_vector vector = __builtin_ctz(xensim_self.pending);

        ASSERT(vector < XENSIM_NR_VECTORS && wires[vector].maskable);
        __atomic_fetch_and(&xensim_self.pending, ~(1u << vector),
                           __ATOMIC_RELAXED);
        threads_vector(vector);
    }
}

static void fill_sigset(sigset_t *set, unsigned int vectors)
{
    sigemptyset(set);
    for ( unsigned int v = 0; v < XENSIM_NR_VECTORS; v++ )
        if ( vectors >> v & 1 )
            sigaddset(set, vector_signal(v));
}

void signals_init(void)
{
    for ( unsigned int v = 0; v < XENSIM_NR_VECTORS; v++ )
    {
        struct sigaction action = { .sa_handler = handle_signal };
        int rc;

        fill_sigset(&action.sa_mask, wires[v].blocks);
        rc = sigaction(vector_signal(v), &action, &before[v]);
        BUG_ON(rc); /* 30 real-time signals exist, 4 are used */
    }
}

void signals_fini(void)
{
    for ( unsigned int v = 0; v < XENSIM_NR_VECTORS; v++ )
        sigaction(vector_signal(v), &before[v], NULL);
}

void signals_unblock(void)
{
    sigset_t all;

    fill_sigset(&all, (1 << XENSIM_NR_VECTORS) - 1);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}

void signals_block(void)
{
    sigset_t all;

    fill_sigset(&all, (1 << XENSIM_NR_VECTORS) - 1);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}
