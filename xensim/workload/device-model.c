/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An access takes two or three steps, each with an event at its begin, and
 * some computing of dom0's vcpu up to the next one:
 *
 *     ioreq_pio    device_write    [dma_start]    answer
 *
 * Without --programs the answer follows at once, without a step. An event is
 * in the file and in the ground truth, with the same time.
 */
#include "xensim/workload/device-model.h"

#include "xensim/workload/ground-truth.h"
#include "xensim/workload/workload.h"

/* Steps of a device model compute for about so long. */
#define STEP_NS 15000u

#define FIRST_PID 1000u         /* of the device model of domain 0 */
#define ITEM_EVENT 1u           /* the type of an event in the file */

enum { IOREQ_PIO, DEVICE_WRITE, DMA_START, EVENTS };

static const struct
{
    const char *name, *declaration;
} events[] = {
    [IOREQ_PIO] = { "ioreq_pio",
        "ioreq_pio(uint32_t port, uint32_t vcpu) \"port 0x%x of vcpu %u\"" },
    [DEVICE_WRITE] = { "device_write",
        "device_write(uint32_t port, uint32_t value) \"0x%x = 0x%x\"" },
    [DMA_START] = { "dma_start",
        "dma_start(uint32_t sector, uint32_t count) \"sector %u, %u more\"" },
};

const char *workload_program_event(unsigned int i, const char **declaration)
{
    if ( i >= EVENTS )
        return NULL;
    *declaration = events[i].declaration;
    return events[i].name;
}

struct sim_vcpu *device_model_vcpu(struct sim *s, const struct sim_vcpu *v)
{
    struct sim_dom *dom0 = &s->doms[0];

    ASSERT(dom0->nr);
    return s->config.programs ? &dom0->vcpus[dom_of(v) % dom0->nr] : NULL;
}

static void write_event(struct sim_cpu *p, unsigned int event, uint32_t pid,
                        uint64_t a, uint64_t b)
{
    struct
    {
        uint64_t type, id, ns;
        uint32_t length, pid;
        uint64_t args[2];
    } item = {
        ITEM_EVENT, event, to_ns(p->sim, true_now(p) - p->sim->start), 40, pid,
        { a, b },
    };

    _Static_assert(sizeof(item) == 48, "the layout of the file");
    fwrite(&item, sizeof(item), 1, p->sim->config.programs);
}

/* Each step is an event, and takes time. */
static void begin_step(struct sim_cpu *p, struct sim_vcpu *b,
                       const struct sim_vcpu *v, unsigned int event)
{
    uint64_t cycles = to_cycles(p->sim, random_around(&b->random, STEP_NS));
    const uint64_t args[EVENTS][2] = {
        [IOREQ_PIO] = { 0x1f7, v->id },
        [DEVICE_WRITE] = { 0x1f7, 0xc8 },
        [DMA_START] = { random_below(&b->random, 1u << 20), 7 },
    };
    uint32_t pid = FIRST_PID + dom_of(v);

    ASSERT(event < EVENTS);
    write_event(p, event, pid, args[event][0], args[event][1]);
    truth_log_program(p, b, events[event].name, pid);
    if ( b->work.left < cycles )
        b->work.left = cycles;
}

bool device_model_step(struct sim_cpu *p, struct sim_vcpu *b,
                       struct sim_vcpu *v)
{
    if ( !p->sim->config.programs )
        return false;
    if ( !v->emulation_step )
        v->emulation_steps = 2 + random_below(&b->random, EVENTS - 1);
    if ( v->emulation_step == v->emulation_steps )
    {
        v->emulation_step = 0;
        return false;
    }
    begin_step(p, b, v, v->emulation_step++);
    return true;
}
