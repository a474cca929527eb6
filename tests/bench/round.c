/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One measured trace.c on a quiet machine of one pcpu.  Compiled with ours and
 * with stock's, from the same source.
 *
 * The ring has xentrace's default of 32 pages, and a reader that keeps up:
 * every 256 calls it consumes all records by moving cons.  On a real machine
 * the reader runs on another CPU, which adds cache misses on the line of cons
 * and prod; these depend on the machine, and are left out for both alike.
 */
#include "xensim/runtime/runtime.h"

#include <stdio.h>
#include <string.h>

#include <xen/trace.h>

#include "tests/bench/calls.h"
#include "tests/bench/pace.h"

#define PAGES   32
#define KEEP_UP 256
/* Twice the capacity of the ring: half of the records are lost. */
#define FALL_BEHIND (2 * PAGES * 4096 / 16)

static const struct measured
{
    const char *name;
    calls_fn *run;
    uint32_t cmd;       /* enable or disable before the case */
    uint32_t evt_mask;
    unsigned int drain_ring; /* calls between drains */
} cases[] = {
#define ON XEN_SYSCTL_TBUFOP_enable
#define OFF XEN_SYSCTL_TBUFOP_disable
    { "empty",    calls_empty,   ON,  TRC_ALL,      KEEP_UP },
    { "clock",    calls_clock,   ON,  TRC_ALL,      KEEP_UP },
    { "0d",       calls_0d,      ON,  TRC_ALL,      KEEP_UP },
    { "1d",       calls_1d,      ON,  TRC_ALL,      KEEP_UP },
    { "3d",       calls_3d,      ON,  TRC_ALL,      KEEP_UP },
    { "5d",       calls_5d,      ON,  TRC_ALL,      KEEP_UP },
    { "untimed",  calls_untimed, ON,  TRC_ALL,      KEEP_UP },
    { "losing",   calls_1d,      ON,  TRC_ALL,      FALL_BEHIND },
    { "masked",   calls_1d,      ON,  CALLS_OTHERS, KEEP_UP },
    { "disabled", calls_1d,      OFF, TRC_ALL,      KEEP_UP },
#undef ON
#undef OFF
};

/* The reader's view of pcpu 0's ring; main sets it once. */
static volatile struct t_buf *ring;

static int do_control(struct xen_sysctl_tbuf_op op)
{
    int rc = tb_control(&op);

    if ( rc )
        fprintf(stderr, "tbuf_op %u: %s\n", op.cmd, strerror(-rc));
    return rc;
}

static volatile struct t_buf *find_ring(void)
{
    struct xen_sysctl_tbuf_op op = { .cmd = XEN_SYSCTL_TBUFOP_get_info };
    const uint32_t *info;

    if ( tb_control(&op) || op.buffer_mfn == 0 )
        return NULL;
    info = mfn_to_virt(op.buffer_mfn);
    return mfn_to_virt(info[((const struct t_info *)info)->mfn_offset[0]]);
}

static void drain_ring(void)
{
    ring->cons = ring->prod;
    xensim_run_tasklets();
}

static void run_calls(const struct measured *m, unsigned int calls)
{
    unsigned int step;

    for ( ; calls; calls -= step )
    {
        step = calls < m->drain_ring ? calls : m->drain_ring;
        m->run(step);
        drain_ring();
    }
}

/* Check that records were written as expected, lest an idle ring passes. */
static bool check_written(const struct measured *m)
{
    uint32_t before = ring->prod;

    m->run(1);
    return ring->prod != before;
}

static bool measure_calls(const char *name, unsigned int calls)
{
    const struct measured *m = cases;

    for ( ; strcmp(m->name, name); m++ )
        if ( m == &cases[ARRAY_SIZE(cases) - 1] )
            return false;

    if ( do_control((struct xen_sysctl_tbuf_op){
             .cmd = XEN_SYSCTL_TBUFOP_set_evt_mask,
             .evt_mask = m->evt_mask }) ||
         do_control((struct xen_sysctl_tbuf_op){ .cmd = m->cmd }) )
        return false;

    drain_ring();
    if ( check_written(m) != (m->run != calls_empty && m->run != calls_clock &&
                              m->evt_mask == TRC_ALL &&
                              m->cmd == XEN_SYSCTL_TBUFOP_enable) )
    {
        fprintf(stderr, "%s: writes no records, or should write none\n", name);
        return false;
    }

    run_calls(m, calls / 4);
    pace_begin();
    run_calls(m, calls);
    pace_end();
    return true;
}

int main(void)
{
    static const struct xensim_config config = { .cpus = 1, .loglevel = 1 };
    struct xen_sysctl_tbuf_op size = {
        .cmd = XEN_SYSCTL_TBUFOP_set_size, .size = PAGES,
    };
    int rc;

    rc = xensim_start(&config, NULL);
    if ( rc )
    {
        fprintf(stderr, "no machine: %s\n", strerror(-rc));
        return 1;
    }
    init_trace_bufs();
    rc = do_control(size);
    ring = find_ring();
    if ( !rc && ring )
        rc = pace_serve(measure_calls);
    xensim_stop();

    return rc || !ring;
}
