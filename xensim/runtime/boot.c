/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Power on and power off. The order is Xen's: memory and the boot CPU,
 * parameters, presmp initcalls, the other CPUs one by one, initcalls. All
 * steps from the initcalls on run on pcpu 0.
 */
#include "xensim/runtime/machine.h"

#include <xen/init.h>

#define FRAMES_PRESET   65536
#define LOGLEVEL_PRESET 2       /* errors and warnings */

extern xensim_initcall *const __start_xensim_presmp_initcalls[]
    __attribute__((weak));
extern xensim_initcall *const __stop_xensim_presmp_initcalls[]
    __attribute__((weak));
extern xensim_initcall *const __start_xensim_initcalls[]
    __attribute__((weak));
extern xensim_initcall *const __stop_xensim_initcalls[]
    __attribute__((weak));

static struct
{
    const struct machine_ops *ops; /* NULL: off */
    struct xensim_config config;
    int rc; /* result of boot_pcpus() */
} machine;

const struct machine_ops *machine_ops(void)
{
    return machine.ops;
}

const struct xensim_config *machine_config(void)
{
    return &machine.config;
}

static int run_initcalls(xensim_initcall *const *from,
                         xensim_initcall *const *to)
{
    int rc = 0;

    for ( ; from < to && !rc; from++ )
        rc = (*from)();
    return rc;
}

/* Run the initcalls and start the other pcpus; called on pcpu 0. */
static void boot_pcpus(void *unused)
{
    int rc = run_initcalls(__start_xensim_presmp_initcalls,
                           __stop_xensim_presmp_initcalls);

    (void)unused;
    for ( unsigned int cpu = 1; cpu < machine.config.online && !rc; cpu++ )
        rc = cpu_up(cpu);
    if ( !rc )
        rc = run_initcalls(__start_xensim_initcalls, __stop_xensim_initcalls);
    machine.rc = rc;
}

static int set_config(const struct xensim_config *config)
{
    struct xensim_config *c = &machine.config;

    if ( config->cpus == 0 || config->cpus > NR_CPUS ||
         config->online > config->cpus )
        return -ERANGE;

    *c = *config;
    c->online = c->online ?: c->cpus;
    c->frames = c->frames ?: FRAMES_PRESET;
    c->loglevel = c->loglevel ?: LOGLEVEL_PRESET;
    machine.ops = c->threads ? threaded_machine() : single_machine();
    return 0;
}

/*
 * Initialize all parts that need memory only; power_down() releases their
 * memory.
 */
static int init_parts(void)
{
    const struct xensim_config *c = &machine.config;
    int rc;

    console_init(c->loglevel, c->all_messages);
    clock_init();
    percpu_init();
    cpus_init(c->cpus);
    tasklets_init();
    rc = memory_init(c->frames);
    if ( !rc )
        rc = domains_init(c->cpus);
    if ( !rc )
        rc = percpu_alloc(0);
    return rc;
}

static void power_down(void)
{
    virqs_fini();
    percpu_fini();
    domains_fini();
    memory_fini();
    machine.ops = NULL;
}

int xensim_start(const struct xensim_config *config, const char **bad)
{
    int rc;

    ASSERT(!machine.ops);
    rc = set_config(config);
    if ( rc )
        return rc;

    rc = init_parts();
    if ( !rc )
        rc = params_parse(config->boot, bad);
    if ( !rc )
        rc = machine.ops->power_on();
    if ( rc )
    {
        power_down();
        return rc;
    }

    rc = machine.ops->call(0, boot_pcpus, NULL) ?: machine.rc;
    if ( rc )
        xensim_stop();
    return rc;
}

void xensim_stop(void)
{
    ASSERT(machine.ops);
    machine.ops->power_off();
    power_down();
}

int xensim_call_on(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
    ASSERT(!xensim_self.in_irq && !xensim_self.in_nmi);
    if ( cpu >= nr_cpu_ids )
        return -ENODEV;
    return machine.ops->call(cpu, fn, arg);
}

void xensim_kick(unsigned int cpu)
{
    machine.ops->kick(cpu);
}
