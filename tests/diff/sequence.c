/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random calls on several CPUs, with everything else that happens to a ring
 * in between: readers that are fast or slow, thorough or not; masks that
 * change; tracing that is switched off and on.
 *
 * One thing is avoided on the way and shown at the end instead.  When
 * tracing is switched off while records are owed as lost, ours says so in a
 * last LOST record, if there is room for one; from then on the two rings are
 * at different places, and nothing that follows can be compared.
 */
#include "tests/diff/driver.h"

#include <stdio.h>
#include <stdlib.h>

#define LOST_BYTES 28
#define MAX_CPUS   8
#define MAX_WORDS  12   /* more than fit a record: cut, and never read beyond */

struct pcpu
{
    struct kit_reader reader;
    uint32_t lost;          /* owed: lost since the last record */
    uint64_t first;         /* when that began */
};

struct run
{
    const struct sequence *how;
    struct pcpu pcpu[MAX_CPUS];
    unsigned int cpu;       /* that we play */
    unsigned long virqs;    /* seen so far */
    uint32_t answers;       /* hash of what trace_will_trace_event() said */
};

static uint64_t now;

static cycles_t read_clock(void)
{
    return now;
}

/* ---- calls ------------------------------------------------------------ */

/* Ids as they are: with and without subclasses, and of no class at all. */
static uint32_t any_event(void)
{
    static const uint32_t some[] = {
        TRC_GEN + 4, TRC_SCHED_RUNSTATE_CHANGE, TRC_SCHED_WAKE,
        TRC_SCHED_CLASS_EVT(CSCHED2, 3), TRC_DOM0_DOM_ADD, TRC_HVM_VMENTRY,
        TRC_HVM_VMEXIT64, TRC_HVM_PF_XEN, TRC_HVM_EMUL_PIC_KICK,
        TRC_MEM_SET_P2M_ENTRY, TRC_PV_TRAP, TRC_SHADOW_FIXUP,
        TRC_PM_IDLE_ENTRY, TRC_HW_IRQ_HANDLED, TRC_GUEST + 9,
    };

    if ( !one_in(16) )
        return some[draw_chance(ARRAY_SIZE(some))];
    return draw_chance(1U << 28);
}

static void call_macro(uint32_t e, const uint32_t *w)
{
    switch ( draw_chance(7) )
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
    bool timed = draw_chance(2);

    trace_var(e, timed, 4 * draw_chance(8), w);
}

/* Any number of bytes; stock reads on to the end of the word: let it be 0. */
static void call_odd_size(uint32_t e, const uint32_t *w)
{
    uint32_t copy[MAX_WORDS] = { 0 };
    unsigned int bytes = draw_chance(4 * TRACE_EXTRA_MAX + 6);
    bool timed = draw_chance(2);

    memcpy(copy, w, bytes);
    __trace_var(e, timed, bytes, copy);
}

static void call_hypercall(uint32_t e, const uint32_t *w)
{
    xen_ulong_t args[6];
    unsigned long op = one_in(8) ? draw_chance(1U << 20) : draw_chance(48);

    for ( unsigned int i = 0; i < ARRAY_SIZE(args); i++ )
        args[i] = (xen_ulong_t)w[i] << 32 | w[i + 1];
    __trace_hypercall(e, op, args);
}

static void make_call(struct run *run)
{
    static void (*const calls[])(uint32_t e, const uint32_t *w) = {
        call_macro, call_macro, call_macro, call_whole_words,
        call_whole_words, call_odd_size, call_hypercall,
    };
    struct pcpu *p = &run->pcpu[run->cpu];
    uint32_t words[MAX_WORDS], event = any_event();
    uint32_t before = p->reader.ring->prod;
    bool will = trace_will_trace_event(event);

    for ( unsigned int i = 0; i < MAX_WORDS; i++ )
        words[i] = draw_chance(UINT32_MAX);
    calls[draw_chance(ARRAY_SIZE(calls))](event, words);

    run->answers = run->answers * 31 + will;
    if ( p->reader.ring->prod != before )
        p->lost = 0;
    else if ( will && p->lost++ == 0 )
        p->first = now;
}

/* ---- reading ---------------------------------------------------------- */

static void drain_ring(struct run *run, unsigned int cpu, unsigned int limit)
{
    tell_records(&run->pcpu[cpu].reader, limit);
    tell_position(&run->pcpu[cpu].reader);
    printf("answers %08x\n", run->answers);
    if ( !run->how->whole )
        return;

    /*
     * Who reads in part can stop just below the high-water mark; ours sees
     * only later that there is room, and sends fewer.  Not compared then.
     */
    printf("virqs %lu\n", xensim_virqs() - run->virqs);
    run->virqs = xensim_virqs();
}

static void drain_some(struct run *run)
{
    unsigned int cpu = draw_chance(run->how->cpus);
    bool all = run->how->whole || one_in(20);

    drain_ring(run, cpu, all ? ALL_RECORDS : draw_chance(40));
}

/* ---- control ---------------------------------------------------------- */

/* Mostly all: a ring that nothing goes into tells nothing. */
static uint32_t any_mask(void)
{
    switch ( draw_chance(10) )
    {
    case 0: return any_event();
    case 1: return any_event() | 0xf000;
    case 2: return draw_chance(UINT32_MAX);
    case 3: return TRC_SCHED | TRC_HVM;
    default: return TRC_ALL;
    }
}

static void change_mask(struct run *run)
{
    (void)run;
    tell_control("set_evt_mask", (struct xen_sysctl_tbuf_op){
        .cmd = XEN_SYSCTL_TBUFOP_set_evt_mask, .evt_mask = any_mask() });
}

static void set_cpus(uint8_t bits)
{
    struct xen_sysctl_tbuf_op op = {
        .cmd = XEN_SYSCTL_TBUFOP_set_cpu_mask,
        .cpu_mask = { .bitmap = { &bits }, .nr_bits = 8 },
    };

    tell_control("set_cpu_mask", op);
}

static void change_cpus(struct run *run)
{
    (void)run;
    set_cpus(one_in(4) ? draw_chance(256) : 0xff);
}

static uint32_t room_left(const struct pcpu *p, uint32_t bytes)
{
    int32_t used = p->reader.ring->prod - p->reader.ring->cons;

    return bytes - (used < 0 ? used + 2 * bytes : (uint32_t)used);
}

/* See the top of this file: owe nothing, or have no room to say it. */
static void settle_losses(struct run *run)
{
    for ( unsigned int cpu = 0; cpu < run->how->cpus; cpu++ )
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
    settle_losses(run);
    tell_control("disable", (struct xen_sysctl_tbuf_op){
        .cmd = XEN_SYSCTL_TBUFOP_disable });
    for ( unsigned int i = 0; i < 20; i++ )
        make_call(run);
}

static void switch_on(struct run *run)
{
    (void)run;
    tell_control("enable", (struct xen_sysctl_tbuf_op){
        .cmd = XEN_SYSCTL_TBUFOP_enable });
}

static void ask_control(struct run *run)
{
    (void)run;
    tell_control("get_info", (struct xen_sysctl_tbuf_op){
        .cmd = XEN_SYSCTL_TBUFOP_get_info });
}

/* ---- the run ---------------------------------------------------------- */

static void move_cpu(struct run *run)
{
    run->cpu = draw_chance(run->how->cpus);
    xensim_become_cpu(run->cpu);
}

static void schedule_vcpu(struct run *run)
{
    domid_t domid = one_in(4) ? DOMID_IDLE : draw_chance(30);

    set_current(xensim_vcpu(domid, draw_chance(run->how->cpus)));
}

static void do_step(struct run *run)
{
    const struct
    {
        unsigned int once_in;
        void (*act)(struct run *run);
    } acts[] = {
        { 8, move_cpu }, { 30, schedule_vcpu }, { run->how->drain, drain_some },
        { 200, change_mask }, { 250, change_cpus }, { 1500, switch_off },
        { 100, switch_on }, { 5000, ask_control },
    };

    now += 1 + draw_chance(1000);
    for ( unsigned int i = 0; i < ARRAY_SIZE(acts); i++ )
        if ( one_in(acts[i].once_in) )
            acts[i].act(run);
    make_call(run);
    xensim_run_tasklets();
}

/* Lose some records on each CPU but the last, which may owe nothing. */
static void lose_some(struct run *run)
{
    for ( run->cpu = 0; run->cpu < run->how->cpus; run->cpu++ )
    {
        struct pcpu *p = &run->pcpu[run->cpu];

        xensim_become_cpu(run->cpu);
        while ( run->cpu + 1 < run->how->cpus && p->lost < 3 )
        {
            now += 10;
            make_call(run);
        }
        drain_ring(run, run->cpu, ALL_RECORDS);
    }
}

/* In the words of tell_record(): what a late LOST record has to say. */
static void tell_owed(unsigned int cpu, const struct pcpu *p)
{
    if ( !p->lost )
        return;

    xensim_become_cpu(cpu);
    printf("owing p %x %x @ %llx %x %x %x %x\n", cpu,
           (uint32_t)TRC_LOST_RECORDS, (unsigned long long)now, p->lost,
           current->domain->domain_id | current->vcpu_id << 16,
           (uint32_t)p->first, (uint32_t)(p->first >> 32));
}

/* The known difference: who owes what, and who says so. */
static void finish_sequence(struct run *run)
{
    kit_set_evt_mask(TRC_ALL);
    set_cpus(0xff);
    switch_on(run);
    lose_some(run);
    tell_control("disable", (struct xen_sysctl_tbuf_op){
        .cmd = XEN_SYSCTL_TBUFOP_disable });
    for ( unsigned int cpu = 0; cpu < run->how->cpus; cpu++ )
    {
        tell_owed(cpu, &run->pcpu[cpu]);
        tell_late(&run->pcpu[cpu].reader);
    }
}

int sequence_run(const struct sequence *how)
{
    const struct xensim_config config = {
        .cpus = how->cpus, .frames = 1024, .loglevel = 3, .poison = true,
    };
    struct run run = { .how = how };
    int rc = kit_start(&config);

    if ( rc )
        return rc;
    xensim_clock = read_clock;
    chance_seed(how->seed);

    rc = kit_set_size(how->pages);
    for ( unsigned int cpu = 0; cpu < how->cpus && !rc; cpu++ )
    {
        rc = kit_open(&run.pcpu[cpu].reader, cpu);
        run.pcpu[cpu].reader.stale = true;
    }
    if ( rc )
        return rc;

    for ( unsigned int i = 0; i < how->calls; i++ )
        do_step(&run);
    finish_sequence(&run);

    for ( unsigned int cpu = 0; cpu < how->cpus; cpu++ )
        kit_close(&run.pcpu[cpu].reader);
    xensim_stop();

    return 0;
}
