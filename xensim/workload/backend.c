/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dom0 at work for other domains, by the way that an I/O takes:
 *
 *     guest      event channel -> waits
 *     dom0       maps the page, starts the device, waits
 *     device     interrupt, on some pcpu -> wakes dom0
 *     dom0       unmaps the page, event channel -> wakes the guest
 *
 * An access to an emulated device takes a shorter one: the device model in
 * dom0 answers at once.
 *
 * Each vcpu has at most one wish, so the inboxes are lists through them.
 */
#include "xensim/workload/guest.h"

#include "xensim/workload/emit.h"
#include "xensim/workload/sched.h"

#define DEVICE_NS   US(90)      /* how long the device needs, about */
#define GNTTAB_MAP  0
#define GNTTAB_UNMAP 1
#define EVTCHN_SEND 4

static void put(struct sim_vcpu *to, struct sim_vcpu *v, enum mail_kind kind)
{
    v->mail = kind;
    v->next_mail = NULL;
    *to->inbox_end = v;
    to->inbox_end = &v->next_mail;
}

static struct sim_vcpu *take(struct sim_vcpu *from)
{
    struct sim_vcpu *v = from->inbox;

    if ( !v )
        return NULL;
    from->inbox = v->next_mail;
    if ( !from->inbox )
        from->inbox_end = &from->inbox;
    return v;
}

/* Dom0's vcpus take turns. */
static struct sim_vcpu *backend(struct world *w)
{
    struct sim_dom *dom0 = &w->doms[0];

    return &dom0->vcpus[w->next_backend++ % dom0->nr];
}

static void need(struct sim_cpu *p, struct sim_vcpu *b, enum wake_by by,
                 const struct sim_vcpu *waker)
{
    if ( b->blocked && !b->work.left )
        b->work.left = 1;
    wake(p, b, by, waker);
}

void mail_send(struct sim_cpu *p, struct sim_vcpu *v, enum mail_kind kind)
{
    struct sim_vcpu *b = backend(p->world);

    put(b, v, kind);
    if ( kind == MAIL_REQUEST )
        ops_of(v)->hypercall(p, v, __HYPERVISOR_event_channel_op,
                             EVTCHN_SEND, 0);
    need(p, b, BY_EVENT, v);
}

/* ---- the device ------------------------------------------------------- */

static void device_take(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t ns = random_around(&p->random, DEVICE_NS);

    v->next_mail = NULL;
    *p->ios_end = v;
    p->ios_end = &v->next_mail;
    if ( !event_is_due(&p->device) )
        event_at(p, &p->device, true_now(p) + to_cycles(p->world, ns));
}

/*
 * Now and then the interrupt gets another vector: it is assigned here, and the
 * old one is cleaned up when the next has come by the new one.
 */
static void move_irq(struct sim_cpu *p, unsigned int irq)
{
    uint32_t mask[6] = { 0 };

    if ( p->irq_moves )
        EMIT(p, trace_hw_irq_move_cleanup(irq, DEVICE_VECTOR, p->id));
    p->irq_moves = random_once_in(&p->random, 64);
    if ( !p->irq_moves )
        return;
    if ( p->id < 32 * ARRAY_SIZE(mask) )
        mask[p->id / 32] = 1u << p->id % 32;
    EMIT(p, trace_hw_irq_assign_vector(irq, DEVICE_VECTOR + 8, mask[0],
                                       mask[1], mask[2], mask[3], mask[4],
                                       mask[5]));
}

void device_done(struct sim_cpu *p, struct event *e)
{
    struct sim_vcpu *v = p->ios, *b = backend(p->world);
    unsigned int irq = DEVICE_IRQ + p->id % 8;
    uint32_t in;

    (void)e;
    if ( !v )
        return;
    p->ios = v->next_mail;
    if ( !p->ios )
        p->ios_end = &p->ios;
    else
        event_at(p, &p->device, true_now(p) + to_cycles(p->world, US(20)));

    enter_xen(p, DEVICE_VECTOR);
    in = clock_shows(&p->clock, true_now(p));
    put(b, v, MAIL_DONE);
    need(p, b, BY_INTERRUPT, NULL);
    EMIT(p, trace_hw_irq_handled(irq, in,
                                 clock_shows(&p->clock, true_now(p))));
    move_irq(p, irq);
    leave_xen(p);
}

/* ---- dom0's part ------------------------------------------------------ */

static void serve_request(struct sim_cpu *p, struct sim_vcpu *b,
                          struct sim_vcpu *v)
{
    ops_of(b)->hypercall(p, b, __HYPERVISOR_grant_table_op, GNTTAB_MAP, 1);
    EMIT(p, trace_mem_page_grant_map(dom_of(v)));
    v->mail = MAIL_DONE;
    device_take(p, v);
}

static void serve_done(struct sim_cpu *p, struct sim_vcpu *b,
                       struct sim_vcpu *v)
{
    ops_of(b)->hypercall(p, b, __HYPERVISOR_grant_table_op, GNTTAB_UNMAP, 1);
    EMIT(p, trace_mem_page_grant_unmap(dom_of(v)));
    ops_of(b)->hypercall(p, b, __HYPERVISOR_event_channel_op, EVTCHN_SEND, 0);
    v->mail = MAIL_NONE;
    load_begin(p, v);
    v->work.vector = CALLBACK_VECTOR;
    wake(p, v, BY_EVENT, b);
}

static void serve_emulate(struct sim_cpu *p, struct sim_vcpu *b,
                          struct sim_vcpu *v)
{
    v->mail = MAIL_NONE;
    ops_of(b)->hypercall(p, b, __HYPERVISOR_event_channel_op, EVTCHN_SEND, 0);
    wake(p, v, BY_EVENT, b);
}

bool mail_serve(struct sim_cpu *p, struct sim_vcpu *b)
{
    static void (*const serve[])(struct sim_cpu *p, struct sim_vcpu *b,
                                 struct sim_vcpu *v) = {
        [MAIL_REQUEST] = serve_request,
        [MAIL_EMULATE] = serve_emulate,
        [MAIL_DONE] = serve_done,
    };
    struct sim_vcpu *v = take(b);

    if ( !v )
        return false;
    serve[v->mail](p, b, v);
    return true;
}
