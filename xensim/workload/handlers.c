/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the guest's interrupts and NMIs do.  They run at any instruction of
 * the pcpu, in the middle of a trace point too, which is what they are for.
 * An HVM vcpu that is in its guest leaves it for them.
 */
#include "xensim/workload/emit.h"
#include "xensim/workload/stage.h"

#include <asm/hardirq.h>

#define DEVICE_IRQ          24
#define DEVICE_VECTOR       0x51
#define NMI_VECTOR          2
#define EXIT_REASON_NMI     0       /* with exceptions */
#define EXIT_REASON_INTR    1

void handle_irq(void *workload)
{
    struct player *p = this_player(workload);
    uint32_t in = get_cycles();
    bool in_guest = p->in_guest;

    ASSERT(in_irq());
    if ( in_guest )
    {
        stage_exit(p, EXIT_REASON_INTR);
        EMIT_UNTIMED(p, TRC_HVM_INTR, DEVICE_VECTOR);
    }
    EMIT(p, TRC_HW_IRQ_HANDLED,
         TRACE_3D(TRC_HW_IRQ_HANDLED,
                  DEVICE_IRQ + random_below(&p->irq_random, 4), in,
                  (uint32_t)get_cycles()));
    if ( in_guest )
        stage_enter(p);
    __atomic_add_fetch(&p->interrupts, 1, __ATOMIC_RELAXED);
}

/* Real Xen leaves no record of an NMI of its own; this one leaves a stray. */
void handle_nmi(void *workload)
{
    struct player *p = this_player(workload);
    bool in_guest = p->in_guest;

    ASSERT(in_nmi_handler());
    if ( in_guest )
    {
        stage_exit(p, EXIT_REASON_NMI);
        EMIT(p, TRC_HVM_NMI, trace_var(TRC_HVM_NMI, 0, 0, NULL));
        stage_enter(p);
    }
    else
        EMIT(p, TRC_HW_IRQ_UNMAPPED_VECTOR,
             TRACE_1D(TRC_HW_IRQ_UNMAPPED_VECTOR, NMI_VECTOR));
    __atomic_add_fetch(&p->nmis, 1, __ATOMIC_RELAXED);
}
