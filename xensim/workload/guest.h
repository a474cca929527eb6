/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the guests into Xen and back, and what guests do of their own accord.
 *
 *     enter_xen(p, vector)    an interrupt: whoever runs on p is interrupted
 *       ... wake, tickle, whatever it is about
 *     leave_xen(p)            schedule if asked to, and let somebody run
 *
 * What a guest does itself begins in guest_step() and ends in leave_xen().
 */
#ifndef XENSIM_GUEST_H
#define XENSIM_GUEST_H

#include "xensim/workload/world.h"

#define TIMER_VECTOR    0xf0
#define IPI_VECTOR      0xfb
#define DEVICE_VECTOR   0x51
#define DEVICE_IRQ      24
#define CALLBACK_VECTOR 0xf3    /* of event channels, in HVM guests */
#define NMI_VECTOR      2

void enter_xen(struct sim_cpu *p, unsigned int vector);
void leave_xen(struct sim_cpu *p);

/* Time to look how fast the pcpu should be. */
void set_speed(struct sim_cpu *p);

/* The step that was planned. */
void guest_step(struct sim_cpu *p, struct event *e);
/* The vcpu's timer. */
void guest_timer(struct sim_cpu *p, struct event *e);

/* ---- what kinds of guests there are: guest-pv.c, guest-hvm.c ---------- */

struct guest_ops
{
    /* Something that guests do all the time. */
    void (*act)(struct sim_cpu *p, struct sim_vcpu *v);
    /* Something that they do while they boot. */
    void (*boot)(struct sim_cpu *p, struct sim_vcpu *v);
    /* A hypercall, from the guest until Xen has seen its number. */
    void (*hypercall)(struct sim_cpu *p, struct sim_vcpu *v, unsigned int op,
                      uint64_t arg0, uint64_t arg1);
    /* Nothing to do: wait for an event. */
    void (*wait)(struct sim_cpu *p, struct sim_vcpu *v);
};

const struct guest_ops *guest_pv(void);
const struct guest_ops *guest_hvm(void);

static inline const struct guest_ops *ops_of(const struct sim_vcpu *v)
{
    return is_hvm(v) ? guest_hvm() : guest_pv();
}

/*
 * Guests repeat themselves: a phrase is what one thing that they do all the
 * time makes them want of Xen, an atom a step.
 */
#define PHRASE_MAX 12
#define PHRASE_ONE 256

struct phrase
{
    uint32_t weight;
    unsigned int kinds;     /* 1 << enum sim_kind: who says it */
    bool tsc;               /* only where reading the time is emulated */
    void (*atoms[PHRASE_MAX])(struct sim_cpu *p, struct sim_vcpu *v);
};

static inline uint32_t phrase_weight(const struct phrase *f,
                                     const struct sim_vcpu *v, bool tsc)
{
    return (f->kinds >> kind_of(v) & 1) && (tsc || !f->tsc) ? f->weight : 0;
}

/* The next atom of what v is saying, or of something new. */
void guest_say(struct sim_cpu *p, struct sim_vcpu *v,
               const struct phrase *phrases, size_t nr);

/* Any context. */
void hvm_exit_for_interrupt(struct sim_cpu *p, unsigned int vector);
void hvm_exit_for_nmi(struct sim_cpu *p);
void hvm_enter(struct sim_cpu *p);

/* ---- load.c: how they compute and wait -------------------------------- */

/* What v computes before it waits next; and how long it waits then, ns. */
void load_begin(struct sim_cpu *p, struct sim_vcpu *v);
uint64_t load_wait(struct sim_cpu *p, struct sim_vcpu *v);
/* It is the kind that waits for its I/O, not for a time. */
bool load_does_io(const struct sim_vcpu *v);

/* ---- backend.c: dom0 at work for others ------------------------------- */

/* v wants something of dom0, and waits (or not: MAIL_DONE). */
void mail_send(struct sim_cpu *p, struct sim_vcpu *v, enum mail_kind kind);
/* dom0's vcpu does one thing that somebody wants.  False: nobody does. */
bool mail_serve(struct sim_cpu *p, struct sim_vcpu *v);
/* The device has done an I/O. */
void device_done(struct sim_cpu *p, struct event *e);

/* ---- life.c: domains come, go, and are told things -------------------- */

/* Everything that is there from the beginning. */
void life_begin(struct sim_cpu *p);
/* Time for the next thing in a domain's plan. */
void life_plan(struct sim_cpu *p, struct event *e);
/* The toolstack in dom0 does one thing.  False: there is none. */
bool life_serve(struct sim_cpu *p);
/* v has been told to shut its domain down, and does.  False: it was not. */
bool life_ends(struct sim_cpu *p, struct sim_vcpu *v);
/* The next vcpu of the booting guest, if there is one. */
void life_bring_up(struct sim_cpu *p, struct sim_vcpu *v);

#endif /* XENSIM_GUEST_H */
