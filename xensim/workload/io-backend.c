/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dom0 as back end for other domains. The path of an I/O:
 *
 *     guest      event channel -> waits
 *     dom0       maps the page, starts the device, waits
 *     device     interrupt, on some pcpu -> wakes dom0
 *     dom0       unmaps the page, event channel -> wakes the guest
 *
 * An access to an emulated device takes a shorter path: the device model in
 * dom0 answers (device-model.c).
 *
 * Each vcpu has at most one request, so the request queues are lists linked
 * through the vcpus.
 */
#include "xensim/workload/guest.h"

#include "xensim/workload/device-model.h"
#include "xensim/workload/ground-truth.h"
#include "xensim/workload/scheduler.h"
#include "xensim/workload/trace-emit.h"

#define DEVICE_NS   US(90)      /* mean time of an I/O */
#define GNTTAB_MAP  0
#define GNTTAB_UNMAP 1
#define EVTCHN_SEND 4

static void queue_request(struct sim_vcpu *to, struct sim_vcpu *v,
                          enum request_kind kind)
{
    ASSERT(kind != REQUEST_NONE && dom_of(to) == 0);
    v->request = kind;
    v->next_request = NULL;
    *to->requests_end = v;
    to->requests_end = &v->next_request;
}

/* Let the backend continue with this request. */
static void requeue_request(struct sim_vcpu *to, struct sim_vcpu *v)
{
    ASSERT(v->request != REQUEST_NONE);
    v->next_request = to->requests;
    to->requests = v;
    if ( !v->next_request )
        to->requests_end = &v->next_request;
}

static struct sim_vcpu *dequeue_request(struct sim_vcpu *from)
{
    struct sim_vcpu *v = from->requests;

    if ( !v )
        return NULL;
    from->requests = v->next_request;
    if ( !from->requests )
        from->requests_end = &from->requests;
    return v;
}

/* Choose a vcpu of dom0, round robin. */
static struct sim_vcpu *choose_backend(struct sim *s)
{
    struct sim_dom *dom0 = &s->doms[0];

    ASSERT(dom0->nr);
    return &dom0->vcpus[s->next_backend++ % dom0->nr];
}

static void wake_backend(struct sim_cpu *p, struct sim_vcpu *b, enum wake_by by,
                         const struct sim_vcpu *waker)
{
    if ( b->blocked && !b->work.left )
        b->work.left = 1;
    if ( is_hvm(b) )
        post_vector(b, CALLBACK_VECTOR);
    vcpu_wake(p, b, by, waker);
}

/* Send an event; returns the time of the first record of the hypercall. */
static uint64_t send_event(struct sim_cpu *p, struct sim_vcpu *v)
{
    guest_ops_of(v)->hypercall(p, v, __HYPERVISOR_event_channel_op,
                               EVTCHN_SEND, 0);
    return is_hvm(v) ? v->exit.at : p->stamp;
}

void request_send(struct sim_cpu *p, struct sim_vcpu *v, enum request_kind kind)
{
    struct sim_vcpu *b = kind == REQUEST_EMULATE
                         ? device_model_vcpu(p->sim, v) : NULL;

    ASSERT(!v->request && v == p->runs);
    if ( !b )
        b = choose_backend(p->sim);
    queue_request(b, v, kind);
    if ( kind == REQUEST_IO )
        v->io.sent = send_event(p, v);
    wake_backend(p, b, BY_EVENT, v);
}

/* ---- device ----------------------------------------------------------- */

static void device_queue(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t ns = random_around(&p->random, DEVICE_NS);

    ASSERT(v->request == REQUEST_IO_DONE);
    v->next_request = NULL;
    *p->ios_end = v;
    p->ios_end = &v->next_request;
    if ( !event_is_queued(&p->device) )
        event_at(p, &p->device, true_now(p) + to_cycles(p->sim, ns));
}

/*
 * Sometimes the interrupt moves to another vector: the vector is assigned
 * here, and the old vector cleaned up at the next interrupt by the new one.
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
    struct sim_vcpu *v = p->ios, *b = choose_backend(p->sim);
    unsigned int irq = DEVICE_IRQ + p->id % DEVICE_IRQS;
    bool sleeps = b->up && b->blocked;
    uint64_t from;
    uint32_t in;

    (void)e;
    if ( !v )
        return;
    p->ios = v->next_request;
    if ( !p->ios )
        p->ios_end = &p->ios;
    else
        event_at(p, &p->device, true_now(p) + to_cycles(p->sim, US(20)));

    enter_xen(p, DEVICE_VECTOR);
    from = true_now(p);
    in = skewed_clock_read(&p->clock, from);
    queue_request(b, v, REQUEST_IO_DONE);
    wake_backend(p, b, BY_INTERRUPT, NULL);
    EMIT(p, trace_hw_irq_handled(irq, in,
                                 skewed_clock_read(&p->clock, true_now(p))));
    truth_log_interrupt(p, irq, from, sleeps ? b : NULL);
    move_irq(p, irq);
    leave_xen(p);
}

/* ---- dom0 ------------------------------------------------------------- */

static void serve_request(struct sim_cpu *p, struct sim_vcpu *b,
                          struct sim_vcpu *v)
{
    ASSERT(v->request == REQUEST_IO && b == p->runs);
    guest_ops_of(b)->hypercall(p, b, __HYPERVISOR_grant_table_op, GNTTAB_MAP,
                               1);
    EMIT(p, trace_mem_page_grant_map(dom_of(v)));
    v->io.mapped = p->stamp;
    v->request = REQUEST_IO_DONE;
    device_queue(p, v);
}

static void serve_done(struct sim_cpu *p, struct sim_vcpu *b,
                       struct sim_vcpu *v)
{
    ASSERT(v->request == REQUEST_IO_DONE && b == p->runs);
    guest_ops_of(b)->hypercall(p, b, __HYPERVISOR_grant_table_op, GNTTAB_UNMAP,
                               1);
    EMIT(p, trace_mem_page_grant_unmap(dom_of(v)));
    v->io.unmapped = p->stamp;
    v->io.answered = send_event(p, b);
    truth_log_io(p, v, b);
    v->request = REQUEST_NONE;
    load_begin(p, v);
    post_vector(v, CALLBACK_VECTOR);
    vcpu_wake(p, v, BY_EVENT, b);
}

static void serve_emulate(struct sim_cpu *p, struct sim_vcpu *b,
                          struct sim_vcpu *v)
{
    ASSERT(v->request == REQUEST_EMULATE && b == p->runs);
    if ( device_model_step(p, b, v) )
    {
        requeue_request(b, v);
        return;
    }
    v->request = REQUEST_NONE;
    send_event(p, b);
    truth_log_emulated(p, v, b);
    vcpu_wake(p, v, BY_EVENT, b);
}

bool request_serve(struct sim_cpu *p, struct sim_vcpu *b)
{
    static void (*const serve[])(struct sim_cpu *p, struct sim_vcpu *b,
                                 struct sim_vcpu *v) = {
        [REQUEST_IO] = serve_request,
        [REQUEST_EMULATE] = serve_emulate,
        [REQUEST_IO_DONE] = serve_done,
    };
    struct sim_vcpu *v = dequeue_request(b);

    if ( !v )
        return false;
    serve[v->request](p, b, v);
    return true;
}
