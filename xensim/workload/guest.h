/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guests: transitions between guest and Xen, and the operations of guests.
 *
 *     enter_xen(p, vector)    an interrupt: the vcpu on p is interrupted
 *       ... wake, tickle, whatever the interrupt is for
 *     leave_xen(p)            schedule if requested, and resume a vcpu
 *
 * An operation of a guest itself starts in guest_step() and ends in
 * leave_xen().
 */
#ifndef XENSIM_GUEST_H
#define XENSIM_GUEST_H

#include "xensim/workload/sim.h"

/* Vectors as in Xen: the local APIC's timer, and event check. */
#define TIMER_VECTOR    0xfa
#define IPI_VECTOR      0xfc
#define DEVICE_VECTOR   0x51
#define DEVICE_IRQ      24
#define DEVICE_IRQS     8
#define CALLBACK_VECTOR 0xf3    /* event channels of HVM guests */
#define NMI_VECTOR      2

void enter_xen(struct sim_cpu *p, unsigned int vector);
void leave_xen(struct sim_cpu *p);

/* Choose the CPU frequency of the pcpu. */
void update_frequency(struct sim_cpu *p);

/* Event callback: the next operation of the vcpu on p. */
void guest_step(struct sim_cpu *p, struct event *e);
/* Event callback: the timer of a vcpu. */
void guest_timer(struct sim_cpu *p, struct event *e);

/* ---- kinds of guests: guest-pv.c, guest-hvm.c ------------------------ */

struct guest_ops
{
    /* Do an operation of normal load. */
    void (*act)(struct sim_cpu *p, struct sim_vcpu *v);
    /* Do an operation of booting. */
    void (*boot)(struct sim_cpu *p, struct sim_vcpu *v);
    /* Do a hypercall: the entry to Xen and the record of its number. */
    void (*hypercall)(struct sim_cpu *p, struct sim_vcpu *v, unsigned int op,
                      uint64_t arg0, uint64_t arg1);
    /* Wait for an event. */
    void (*wait)(struct sim_cpu *p, struct sim_vcpu *v);
};

const struct guest_ops *guest_pv(void);
const struct guest_ops *guest_hvm(void);

static inline const struct guest_ops *guest_ops_of(const struct sim_vcpu *v)
{
    return is_hvm(v) ? guest_hvm() : guest_pv();
}

/*
 * Guests repeat sequences of operations: a sequence is one task of a guest
 * kernel, such as a timer tick.
 */
#define SEQUENCE_MAX 12
#define SEQUENCE_UNIT 256

struct op_sequence
{
    uint32_t weight;
    unsigned int kinds;     /* bit mask, 1 << enum sim_kind */
    bool tsc;               /* only if reading the TSC is emulated */
    void (*ops[SEQUENCE_MAX])(struct sim_cpu *p, struct sim_vcpu *v);
};

static inline uint32_t sequence_weight(const struct op_sequence *f,
                                       const struct sim_vcpu *v, bool tsc)
{
    return (f->kinds >> kind_of(v) & 1) && (tsc || !f->tsc) ? f->weight : 0;
}

/* Is it the time of v's storm of exits? */
bool guest_has_exit_storm(const struct sim_cpu *p, const struct sim_vcpu *v);

/* Does v wait for a lock of a vcpu that has been preempted? */
bool guest_spins(const struct sim_vcpu *v);

/* Do the next operation of v's sequence, or choose a new sequence. */
void guest_run_op(struct sim_cpu *p, struct sim_vcpu *v,
                  const struct op_sequence *sequences, size_t nr);

/* VM exits and entries; any context. */
void hvm_exit_for_interrupt(struct sim_cpu *p, unsigned int vector);
void hvm_exit_for_nmi(struct sim_cpu *p);
void hvm_enter(struct sim_cpu *p);

/*
 * v gets this interrupt at its next entry.  v may be running: an interrupt of
 * its pcpu makes an exit and an entry without the lock of the simulation.
 */
static inline void post_vector(struct sim_vcpu *v, unsigned int vector)
{
    __atomic_store_n(&v->work.vector, vector, __ATOMIC_RELAXED);
}

/*
 * Program the timer of v's local APIC, to wake v after `ns`; the timer fires,
 * and v gets the interrupt at its next entry.
 */
void apic_timer_start(struct sim_cpu *p, struct sim_vcpu *v, uint64_t ns);
void apic_timer_fire(struct sim_vcpu *v);

/* ---- load.c: computing and waiting ------------------------------------ */

/* Start a compute phase of v; and how long v waits after it, in ns. */
void load_begin(struct sim_cpu *p, struct sim_vcpu *v);
uint64_t load_wait(struct sim_cpu *p, struct sim_vcpu *v);
/* Return true if the load waits for I/O, not for a timer. */
bool load_does_io(const struct sim_vcpu *v);

/* ---- io-backend.c: dom0 as back end ----------------------------------- */

/* Queue a request of v at a vcpu of dom0, which is woken. */
void request_send(struct sim_cpu *p, struct sim_vcpu *v,
                  enum request_kind kind);
/* Serve one request at dom0's vcpu. Return false if there is none. */
bool request_serve(struct sim_cpu *p, struct sim_vcpu *v);
/* Event callback: the device has completed an I/O. */
void device_done(struct sim_cpu *p, struct event *e);

/* ---- domain-lifecycle.c ----------------------------------------------- */

/* Start the domains that are present from the beginning. */
void lifecycle_begin(struct sim_cpu *p);
/* Event callback: time for the next action of a domain's configuration. */
void lifecycle_run_plan(struct sim_cpu *p, struct event *e);
/* Run one task of the toolstack in dom0. Return false if there is none. */
bool lifecycle_serve(struct sim_cpu *p);
/* Shut the domain of v down, if requested. Return false if it was not. */
bool lifecycle_shut_down(struct sim_cpu *p, struct sim_vcpu *v);
/* Bring the next vcpu of a booting guest up, if there is one. */
void lifecycle_bring_up_vcpu(struct sim_cpu *p, struct sim_vcpu *v);

#endif /* XENSIM_GUEST_H */
