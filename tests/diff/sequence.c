/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random calls on several CPUs, mixed with all other operations on a ring:
 * fast and slow readers, full and partial drains, changing masks, tracing
 * disabled and enabled.
 *
 * One known difference is avoided during the sequence and shown at its end: if
 * tracing is disabled while records are owed as lost, ours writes a last LOST
 * record if there is room.  Afterwards the rings have different positions, and
 * cannot be compared any more.
 */
#include "tests/diff/driver.h"

#include <stdio.h>
#include <stdlib.h>

#define LOST_BYTES 28
#define MAX_CPUS   8
#define MAX_WORDS  12   /* more than a record has: the excess is never read */

struct pcpu
{
    struct kit_reader reader;
    uint32_t lost;          /* records lost since the last written one */
    uint64_t first;         /* time of the first of these */
};

struct run
{
    const struct sequence *params;
    struct pcpu pcpu[MAX_CPUS];
    unsigned int cpu;       /* current CPU */
    unsigned long virqs;    /* seen so far */
    uint32_t answers;       /* hash of trace_will_trace_event()'s results */
};

static uint64_t now;

static cycles_t read_clock(void)
{
    return now;
}

/* ---- calls ------------------------------------------------------------ */

/* Realistic ids: with and without subclasses, and some of no class at all. */
static uint32_t random_event(void)
{
    static const uint32_t some[] = {
        TRC_GEN + 4, TRC_SCHED_RUNSTATE_CHANGE, TRC_SCHED_WAKE,
        TRC_SCHED_CLASS_EVT(CSCHED2, 3), TRC_DOM0_DOM_ADD, TRC_HVM_VMENTRY,
        TRC_HVM_VMEXIT64, TRC_HVM_PF_XEN, TRC_HVM_EMUL_PIC_KICK,
        TRC_MEM_SET_P2M_ENTRY, TRC_PV_TRAP, TRC_SHADOW_FIXUP,
        TRC_PM_IDLE_ENTRY, TRC_HW_IRQ_HANDLED, TRC_GUEST + 9,
    };

    if ( !one_in(16) )
        return some[random_below(ARRAY_SIZE(some))];
    return random_below(1U << 28);
}

static void call_macro(uint32_t e, const uint32_t *w)
{
    switch ( random_below(7) )
    {
    case 0: TRACE_0D(e); break;
    case 1: TRACE_1D(e, w[0]); break;
    case 2: TRACE_2D(e, w[0], w[1]); break;
    case 3: TRACE_3D(e, w[0], w[1], w[2]); break;
    case 4: TRACE_4D(e, w[0], w[1], w[2], w[3]); break;
    case 5: TRACE_5D(e, w[0], w[1], w[2], w[3], w[4]); break;
    case 6: TRACE_6D(e, w[0], w[1], w[2], w[3], w[4], w[5]); break;
    }
}

static void call_whole_words(uint32_t e, const uint32_t *w)
{
    bool timed = random_below(2);

    trace_var(e, timed, 4 * random_below(8), w);
}

/* Any number of bytes; the rest of the last word is 0, as stock reads it. */
static void call_partial_words(uint32_t e, const uint32_t *w)
{
    uint32_t copy[MAX_WORDS] = { 0 };
    unsigned int bytes = random_below(4 * TRACE_EXTRA_MAX + 6);
    bool timed = random_below(2);

    memcpy(copy, w, bytes);
    __trace_var(e, timed, bytes, copy);
}

static void call_hypercall(uint32_t e, const uint32_t *w)
{
    xen_ulong_t args[6];
    unsigned long op = one_in(8) ? random_below(1U << 20) : random_below(48);

    for ( unsigned int i = 0; i < ARRAY_SIZE(args); i++ )
        args[i] = (xen_ulong_t)w[i] << 32 | w[i + 1];
    __trace_hypercall(e, op, args);
}

static void call_randomly(struct run *run)
{
    static void (*const calls[])(uint32_t e, const uint32_t *w) = {
        call_macro, call_macro, call_macro, call_whole_words,
        call_whole_words, call_partial_words, call_hypercall,
    };
    struct pcpu *p = &run->pcpu[run->cpu];
    uint32_t words[MAX_WORDS], event = random_event();
    uint32_t before = p->reader.ring->prod;
    bool will = trace_will_trace_event(event);

    for ( unsigned int i = 0; i < MAX_WORDS; i++ )
        words[i] = random_below(UINT32_MAX);
    calls[random_below(ARRAY_SIZE(calls))](event, words);

    run->answers = run->answers * 31 + will;
    if ( p->reader.ring->prod != before )
        p->lost = 0;
    else if ( will && p->lost++ == 0 )
        p->first = now;
}

/* ---- reading ---------------------------------------------------------- */

static void drain_ring(struct run *run, unsigned int cpu, unsigned int limit)
{
    print_records(&run->pcpu[cpu].reader, limit);
    print_position(&run->pcpu[cpu].reader);
    printf("answers %08x\n", run->answers);
    if ( !run->params->whole )
        return;

    /*
     * A partial drain can stop just below the high-water mark.  Ours notices
     * the room later and sends fewer notifications, so these are not compared.
     */
    printf("virqs %lu\n", xensim_virqs() - run->virqs);
    run->virqs = xensim_virqs();
}

static void drain_some(struct run *run)
{
    unsigned int cpu = random_below(run->params->cpus);
    bool all = run->params->whole || one_in(20);

    drain_ring(run, cpu, all ? ALL_RECORDS : random_below(40));
}

/* ---- control ---------------------------------------------------------- */

/* Mostly TRC_ALL, since an empty ring compares nothing. */
static uint32_t random_mask(void)
{
    switch ( random_below(10) )
    {
    case 0: return random_event();
    case 1: return random_event() | 0xf000;
    case 2: return random_below(UINT32_MAX);
    case 3: return TRC_SCHED | TRC_HVM;
    default: return TRC_ALL;
    }
}

static void change_mask(struct run *run)
{
    (void)run;
    run_control_op("set_evt_mask", (struct xen_sysctl_tbuf_op){
        .cmd = XEN_SYSCTL_TBUFOP_set_evt_mask, .evt_mask = random_mask() });
}

static void set_cpus(uint8_t bits)
{
    struct xen_sysctl_tbuf_op op = {
        .cmd = XEN_SYSCTL_TBUFOP_set_cpu_mask,
        .cpu_mask = { .bitmap = { &bits }, .nr_bits = 8 },
    };

    run_control_op("set_cpu_mask", op);
}

static void change_cpus(struct run *run)
{
    (void)run;
    set_cpus(one_in(4) ? random_below(256) : 0xff);
}

static uint32_t room_left(const struct pcpu *p, uint32_t bytes)
{
    int32_t used = p->reader.ring->prod - p->reader.ring->cons;

    return bytes - (used < 0 ? used + 2 * bytes : (uint32_t)used);
}

/* Leave no owed loss that fits in its ring: see the top of this file. */
static void clear_owed_losses(struct run *run)
{
    for ( unsigned int cpu = 0; cpu < run->params->cpus; cpu++ )
    {
        struct pcpu *p = &run->pcpu[cpu];

        if ( !p->lost )
            continue;
        if ( room_left(p, p->reader.size) >= LOST_BYTES )
        {
            drain_ring(run, cpu, ALL_RECORDS);
            xensim_become_cpu(cpu);
            TRACE_0D(TRC_GEN + 4);
        }
        p->lost = 0;
    }
    xensim_become_cpu(run->cpu);
}

static void switch_off(struct run *run)
{
    kit_set_evt_mask(TRC_ALL);
    set_cpus(0xff);
    clear_owed_losses(run);
    run_control_op("disable", (struct xen_sysctl_tbuf_op){
        .cmd = XEN_SYSCTL_TBUFOP_disable });
    for ( unsigned int i = 0; i < 20; i++ )
        call_randomly(run);
}

static void switch_on(struct run *run)
{
    (void)run;
    run_control_op("enable", (struct xen_sysctl_tbuf_op){
        .cmd = XEN_SYSCTL_TBUFOP_enable });
}

static void query_info(struct run *run)
{
    (void)run;
    run_control_op("get_info", (struct xen_sysctl_tbuf_op){
        .cmd = XEN_SYSCTL_TBUFOP_get_info });
}

/* ---- the run ---------------------------------------------------------- */

static void move_cpu(struct run *run)
{
    run->cpu = random_below(run->params->cpus);
    xensim_become_cpu(run->cpu);
}

static void schedule_vcpu(struct run *run)
{
    domid_t domid = one_in(4) ? DOMID_IDLE : random_below(30);

    set_current(xensim_vcpu(domid, random_below(run->params->cpus)));
}

static void run_random_step(struct run *run)
{
    const struct
    {
        unsigned int once_in;
        void (*act)(struct run *run);
    } actions[] = {
        { 8, move_cpu }, { 30, schedule_vcpu },
        { run->params->drain, drain_some },
        { 200, change_mask }, { 250, change_cpus }, { 1500, switch_off },
        { 100, switch_on }, { 5000, query_info },
    };

    now += 1 + random_below(1000);
    for ( unsigned int i = 0; i < ARRAY_SIZE(actions); i++ )
        if ( one_in(actions[i].once_in) )
            actions[i].act(run);
    call_randomly(run);
    xensim_run_tasklets();
}

/* Lose some records on each CPU but the last. */
static void lose_records(struct run *run)
{
    for ( run->cpu = 0; run->cpu < run->params->cpus; run->cpu++ )
    {
        struct pcpu *p = &run->pcpu[run->cpu];

        xensim_become_cpu(run->cpu);
        while ( run->cpu + 1 < run->params->cpus && p->lost < 3 )
        {
            now += 10;
            call_randomly(run);
        }
        drain_ring(run, run->cpu, ALL_RECORDS);
    }
}

/* Print the expected late LOST record in the format of print_record(). */
static void print_owed_loss(unsigned int cpu, const struct pcpu *p)
{
    if ( !p->lost )
        return;

    xensim_become_cpu(cpu);
    printf("owing p %x %x @ %llx %x %x %x %x\n", cpu,
           (uint32_t)TRC_LOST_RECORDS, (unsigned long long)now, p->lost,
           current->domain->domain_id | current->vcpu_id << 16,
           (uint32_t)p->first, (uint32_t)(p->first >> 32));
}

/* Show the known difference: owed losses are reported when disabling. */
static void finish_sequence(struct run *run)
{
    kit_set_evt_mask(TRC_ALL);
    set_cpus(0xff);
    switch_on(run);
    lose_records(run);
    run_control_op("disable", (struct xen_sysctl_tbuf_op){
        .cmd = XEN_SYSCTL_TBUFOP_disable });
    for ( unsigned int cpu = 0; cpu < run->params->cpus; cpu++ )
    {
        print_owed_loss(cpu, &run->pcpu[cpu]);
        print_late_records(&run->pcpu[cpu].reader);
    }
}

int sequence_run(const struct sequence *params)
{
    const struct xensim_config config = {
        .cpus = params->cpus, .frames = 1024, .loglevel = 3, .poison = true,
    };
    struct run run = { .params = params };
    int rc = kit_start(&config);

    if ( rc )
        return rc;
    xensim_clock = read_clock;
    random_seed(params->seed);

    rc = kit_set_size(params->pages);
    for ( unsigned int cpu = 0; cpu < params->cpus && !rc; cpu++ )
    {
        rc = kit_open(&run.pcpu[cpu].reader, cpu);
        run.pcpu[cpu].reader.stale = true;
    }
    if ( rc )
        return rc;

    for ( unsigned int i = 0; i < params->calls; i++ )
        run_random_step(&run);
    finish_sequence(&run);

    for ( unsigned int cpu = 0; cpu < params->cpus; cpu++ )
        kit_close(&run.pcpu[cpu].reader);
    xensim_stop();

    return 0;
}
