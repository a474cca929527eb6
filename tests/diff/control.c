/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scripts of control operations: every operation in every state, with the
 * result, the console output and the changed pages.  A script is a row of the
 * table; each runs on a new machine.
 */
#include "tests/diff/driver.h"

#include <stdio.h>

#define GET_INFO     XEN_SYSCTL_TBUFOP_get_info
#define SET_CPU_MASK XEN_SYSCTL_TBUFOP_set_cpu_mask
#define SET_EVT_MASK XEN_SYSCTL_TBUFOP_set_evt_mask
#define SET_SIZE     XEN_SYSCTL_TBUFOP_set_size
#define ENABLE       XEN_SYSCTL_TBUFOP_enable
#define DISABLE      XEN_SYSCTL_TBUFOP_disable

#define MAX_STEPS 20

/*
 * `value` is a size, an event mask, or the number of bits in a CPU mask.  With
 * more than CPU_BITS the mask lies in memory that the caller cannot access.
 */
#define CPU_BITS 2048

struct step
{
    uint32_t cmd, value;
};

/* A number that no operation has. */
#define END_CMD 0xe0d
#define END { END_CMD, 0 }

/*
 * A machine runs out of frames; the number of other allocations in between is
 * not specified, and invisible to the caller.
 */
static const struct script
{
    const char *name;
    struct xensim_config config;
    struct step steps[MAX_STEPS];
} scripts[] = {
    { "no-rings", { .cpus = 4 }, {
        { GET_INFO, 0 }, { ENABLE, 0 }, { DISABLE, 0 }, { GET_INFO, 0 },
        { SET_SIZE, 0 }, { GET_INFO, 0 }, { SET_EVT_MASK, 0x81001000 },
        { GET_INFO, 0 }, { SET_CPU_MASK, 4 }, { DISABLE, 0 }, END } },
    { "sizes", { .cpus = 4 }, {
        { SET_SIZE, 5 }, { GET_INFO, 0 }, { SET_SIZE, 5 }, { SET_SIZE, 6 },
        { SET_SIZE, 0 }, { SET_SIZE, UINT32_MAX }, { GET_INFO, 0 },
        { ENABLE, 0 }, { ENABLE, 0 }, { GET_INFO, 0 }, { DISABLE, 0 },
        { DISABLE, 0 }, { GET_INFO, 0 }, { SET_SIZE, 5 }, { ENABLE, 0 },
        END } },
    { "masks", { .cpus = 4 }, {
        { SET_SIZE, 1 }, { SET_EVT_MASK, 0 }, { GET_INFO, 0 },
        { SET_EVT_MASK, UINT32_MAX }, { GET_INFO, 0 }, { SET_EVT_MASK, 0x2f },
        { GET_INFO, 0 }, { SET_CPU_MASK, 0 }, { SET_CPU_MASK, 1 },
        { SET_CPU_MASK, 2 }, { SET_CPU_MASK, 4 }, { SET_CPU_MASK, 2000 },
        { SET_CPU_MASK, 2 }, { SET_CPU_MASK, 4096 }, { GET_INFO, 0 }, END } },
    { "unknown", { .cpus = 2 }, {
        { 6, 0 }, { 7, 1 }, { 0xff, 2 }, { 0x7fffffff, 0 }, { UINT32_MAX, 3 },
        { SET_SIZE, 1 }, { 6, 0 }, { 0xff, 2 }, { UINT32_MAX, 0 },
        { GET_INFO, 0 }, END } },
    { "one-page", { .cpus = 1 }, {
        { SET_SIZE, 1 }, { GET_INFO, 0 }, END } },
    { "holes", { .cpus = 8, .online = 3 }, {
        { SET_SIZE, 2 }, { GET_INFO, 0 }, END } },
    { "clamped", { .cpus = 1024, .online = 2, .frames = 4096 }, {
        { SET_SIZE, UINT32_MAX }, { GET_INFO, 0 }, { SET_SIZE, UINT32_MAX },
        { SET_SIZE, 63 }, { SET_SIZE, 64 }, END } },
    { "clamped-by-64", { .cpus = 64, .online = 2, .frames = 4096 }, {
        { SET_SIZE, 1033 }, { GET_INFO, 0 }, { SET_SIZE, 1032 }, END } },
    { "not-clamped", { .cpus = 64, .online = 1, .frames = 4096 }, {
        { SET_SIZE, 1032 }, { GET_INFO, 0 }, { SET_SIZE, 1032 }, END } },
    { "no-memory", { .cpus = 4, .frames = 64 }, {
        { SET_SIZE, 20 }, { GET_INFO, 0 }, { ENABLE, 0 }, { SET_SIZE, 20 },
        { SET_SIZE, 60 }, { SET_SIZE, 10 }, { GET_INFO, 0 }, { SET_SIZE, 10 },
        END } },
    { "no-memory-for-t_info", { .cpus = 64, .online = 1, .frames = 60 }, {
        { SET_SIZE, 1000 }, { GET_INFO, 0 }, { DISABLE, 0 }, { SET_SIZE, 3 },
        { GET_INFO, 0 }, END } },
    { "boot-size", { .cpus = 3, .boot = "tbuf_size=3" }, {
        { GET_INFO, 0 }, { SET_SIZE, 3 }, { SET_SIZE, 4 }, { DISABLE, 0 },
        { ENABLE, 0 }, END } },
    { "boot-mask", { .cpus = 3, .boot = "tbuf_size=2 tevt_mask=0x2f000" }, {
        { GET_INFO, 0 }, { SET_EVT_MASK, TRC_ALL }, { GET_INFO, 0 }, END } },
    { "boot-mask-alone", { .cpus = 2, .boot = "tevt_mask=0x2f000" }, {
        { GET_INFO, 0 }, { SET_SIZE, 2 }, { GET_INFO, 0 }, END } },
    { "boot-no-memory",
      { .cpus = 4, .frames = 64, .boot = "tbuf_size=30 tevt_mask=0x1f000" }, {
        { GET_INFO, 0 }, { ENABLE, 0 }, { SET_SIZE, 3 }, { GET_INFO, 0 },
        END } },
};

const char *control_name(unsigned int i)
{
    return i < ARRAY_SIZE(scripts) ? scripts[i].name : NULL;
}

static struct xen_sysctl_tbuf_op make_op(const struct step *s, uint8_t *bits)
{
    struct xen_sysctl_tbuf_op op = { .cmd = s->cmd };

    if ( s->cmd == SET_CPU_MASK )
    {
        op.cpu_mask.bitmap.p = s->value <= CPU_BITS ? bits : NULL;
        op.cpu_mask.nr_bits = s->value;
    }
    else if ( s->cmd == SET_EVT_MASK )
        op.evt_mask = s->value;
    else
        op.size = s->value;

    return op;
}

/* Emit a record on each CPU, and print whether the masks let it through. */
static void print_masks(void)
{
    unsigned int cpu;

    printf("traced:");
    for_each_online_cpu ( cpu )
    {
        xensim_become_cpu(cpu);
        TRACE_1D(TRC_SCHED_WAKE, cpu);
        TRACE_1D(TRC_HVM_NMI, cpu);
        printf(" %d%d", trace_will_trace_event(TRC_SCHED_WAKE),
               trace_will_trace_event(TRC_HVM_NMI));
    }
    xensim_become_cpu(0);
    putchar('\n');
}

static void print_ring(unsigned int cpu)
{
    struct kit_reader r;
    int rc = kit_open(&r, cpu);

    printf("ring %u: %d\n", cpu, rc);
    if ( rc )
        return;

    r.stale = true;
    for ( unsigned int i = 0; i < r.pages; i++ )
        printf(" %x", r.mfn[i]);
    printf("\npages %u size %u\n", r.pages, r.size);
    print_position(&r);
    print_records(&r, ALL_RECORDS);
    kit_close(&r);
}

/* Print the pages that dom0 may map, and the allocated frames. */
static void print_memory(void)
{
    for ( unsigned long mfn = 0; mfn < xensim_nr_frames(); mfn++ )
    {
        struct page_info *pg = mfn_to_page(_mfn(mfn));

        if ( pg->owner )
            printf(" %lx:%lx:%d:%lx", mfn, pg->count_info,
                   pg->owner == dom_xen, pg->u.inuse.type_info);
    }
    printf("\nframes in use: %lu\n", xensim_frames_in_use());
}

static void run_script(const struct step *step)
{
    uint8_t bits[CPU_BITS / 8];
    char what[32];

    memset(bits, 0xfa, sizeof(bits));
    xensim_guest_window(bits, sizeof(bits));
    for ( ; step->cmd != END_CMD; step++ )
    {
        snprintf(what, sizeof(what), "op %u %u", step->cmd, step->value);
        run_control_op(what, make_op(step, bits));
        print_masks();
    }
    xensim_guest_window(NULL, 0);
}

int control_run(const char *name)
{
    const struct script *s = scripts;
    struct xensim_config config;
    int rc;

    for ( ; strcmp(s->name, name); s++ )
        if ( s == &scripts[ARRAY_SIZE(scripts) - 1] )
            return -ENOENT;

    config = s->config;
    config.loglevel = 4;
    rc = kit_start(&config);
    if ( rc )
        return rc;
    print_console();
    run_script(s->steps);
    for ( unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++ )
        print_ring(cpu);
    print_memory();
    xensim_stop();

    return 0;
}
