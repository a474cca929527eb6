/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine, its clock, and the control operations.
 */
#include "tests/ring/kit.h"

/* ---- the machine ------------------------------------------------------ */

static uint64_t now;

/* Atomic: an interrupt during a reading gets a later time. */
static cycles_t next_cycle(void)
{
    return __atomic_add_fetch(&now, 1, __ATOMIC_RELAXED);
}

uint64_t kit_clock(void)
{
    return __atomic_load_n(&now, __ATOMIC_RELAXED);
}

void kit_set_clock(uint64_t to)
{
    ASSERT(to >= kit_clock());
    __atomic_store_n(&now, to, __ATOMIC_RELAXED);
}

int kit_start(const struct xensim_config *config)
{
    int rc;

    xensim_clock = next_cycle;
    xensim_capture_console();
    rc = xensim_start(config, NULL);
    if ( rc )
        return rc;

    init_trace_bufs();
    return 0;
}

int kit_start_simple(unsigned int cpus)
{
    const struct xensim_config config = {
        .cpus = cpus,
        .frames = 1024,
        .loglevel = 3,
    };

    return kit_start(&config);
}

/* ---- control ---------------------------------------------------------- */

int kit_op(uint32_t cmd, uint32_t size)
{
    struct xen_sysctl_tbuf_op op = { .cmd = cmd, .size = size };

    return tb_control(&op);
}

int kit_set_size(unsigned int pages)
{
    return kit_op(XEN_SYSCTL_TBUFOP_set_size, pages);
}

int kit_enable(void)
{
    return kit_op(XEN_SYSCTL_TBUFOP_enable, 0);
}

int kit_disable(void)
{
    return kit_op(XEN_SYSCTL_TBUFOP_disable, 0);
}

int kit_set_evt_mask(uint32_t mask)
{
    struct xen_sysctl_tbuf_op op = {
        .cmd = XEN_SYSCTL_TBUFOP_set_evt_mask,
        .evt_mask = mask,
    };

    return tb_control(&op);
}

int kit_set_cpu_mask(const void *bits, unsigned int nr_bits)
{
    struct xen_sysctl_tbuf_op op = {
        .cmd = XEN_SYSCTL_TBUFOP_set_cpu_mask,
        .cpu_mask.nr_bits = nr_bits,
    };

    set_xen_guest_handle(op.cpu_mask.bitmap, (uint8_t *)(uintptr_t)bits);
    return tb_control(&op);
}

int kit_get_info(struct xen_sysctl_tbuf_op *answer)
{
    *answer = (struct xen_sysctl_tbuf_op){
        .cmd = XEN_SYSCTL_TBUFOP_get_info,
    };
    return tb_control(answer);
}

#ifdef XEN_SYSCTL_TBUFOP_overwrite

int kit_overwrite(void)
{
    return kit_op(XEN_SYSCTL_TBUFOP_overwrite, 0);
}

int kit_freeze(void)
{
    return kit_op(XEN_SYSCTL_TBUFOP_freeze, 0);
}

int kit_free(void)
{
    return kit_op(XEN_SYSCTL_TBUFOP_free, 0);
}

int kit_resize(unsigned int pages)
{
    return kit_op(XEN_SYSCTL_TBUFOP_resize, pages);
}

int kit_read_state(struct xen_sysctl_tbuf_state *state,
                   struct xen_tbuf_cpu *cpus, uint32_t nr)
{
    union
    {
        struct xen_sysctl_tbuf_op op;
        struct xen_sysctl_tbuf_state state;
    } u = {
        .state = {
            .cmd = XEN_SYSCTL_TBUFOP_state,
            .version = XEN_TBUF_STATE_VERSION,
            .nr_cpus = nr,
        },
    };
    int rc;

    set_xen_guest_handle(u.state.cpus, cpus);
    rc = tb_control(&u.op);
    *state = u.state;
    return rc;
}

int kit_state(struct xen_sysctl_tbuf_state *state)
{
    return kit_read_state(state, NULL, 0);
}

int kit_cpu_state(unsigned int cpu, struct xen_tbuf_cpu *state)
{
    static struct xen_tbuf_cpu all[NR_CPUS];
    struct xen_sysctl_tbuf_state head;
    int rc = kit_read_state(&head, all, NR_CPUS);

    if ( rc )
        return rc;
    if ( cpu >= head.nr_cpus )
        return -ENODEV;
    *state = all[cpu];
    return 0;
}

#endif

/* ---- writing ---------------------------------------------------------- */

void kit_emit(uint32_t number, unsigned int words, bool timed)
{
    uint32_t word[KIT_MAX_WORDS];
    unsigned int i;

    ASSERT(words <= KIT_MAX_WORDS);
    for ( i = 0; i < words; i++ )
        word[i] = number * 8 + i;

    __trace_var(KIT_EVENT, timed, words * sizeof(*word), word);
}

unsigned int kit_size(unsigned int words, bool timed)
{
    return 4 + (timed ? 8 : 0) + words * 4;
}
