/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of xensim: one table, and checks across options.
 *
 * A scenario's options are parsed first, so the command line overrides them.
 */
#include "config.h"

#include "xensim/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "xensim/outfile.h"
#include "xensim/wire.h"

#include <xen/lib.h>

#define AT(field) offsetof(struct options, field)
#define PPB_MAX 1000000
#define INTERVAL_MIN 10000      /* ns */

static const char *const vendors[] = { "intel", "amd", NULL };
static const char *const layouts[] = { "4.17", "master", NULL };
static const char *const schedulers[] = { "credit2", "null", NULL };
static const char *const kinds[] = { "pv", "pvh", "hvm", "mix", NULL };
static const char *const loads[] = {
    "busy", "periodic", "io", "bursty", "quiet", "mix", NULL,
};

static const struct opt opts[] = {
    { .name = "scenario", .letter = 'f', .type = OPT_FILE, .arg = "FILE",
      .at = AT(scenario),
      .help = "read options and domains from a scenario file" },

    { .type = OPT_GROUP, .help = "The machine" },
    { .name = "cpus", .letter = 'c', .type = OPT_UINT, .arg = "N",
      .at = AT(cpus), .min = 1, .max = NR_CPUS, .preset = "4",
      .help = "number of pcpus" },
    { .name = "online", .type = OPT_UINT, .arg = "N", .at = AT(online),
      .min = 0, .max = NR_CPUS, .preset = "0",
      .help = "pcpus online at boot (0: all)" },
    { .name = "memory", .type = OPT_SIZE, .arg = "SIZE", .at = AT(memory),
      .min = 1 << 20, .max = 1ull << 40, .preset = "1G",
      .help = "memory of the hypervisor (allocated on use)" },
    { .name = "boot", .letter = 'b', .type = OPT_TEXT, .arg = "PARAMETERS",
      .at = AT(boot),
      .help = "boot parameters, such as \"tbuf_size=8 tevt_mask=0x2f000\"" },
    { .name = "scatter", .type = OPT_FLAG, .at = AT(scatter),
      .help = "never allocate contiguous frames for a ring" },
    { .name = "park", .type = OPT_FLAG, .at = AT(park),
      .help = "keep the per-CPU memory of pcpus that go offline" },
    { .name = "vendor", .type = OPT_CHOICE, .arg = "VENDOR",
      .at = AT(vendor), .choices = vendors, .preset = "intel",
      .help = "CPU vendor, which selects the exit reasons" },
    { .name = "layout", .type = OPT_CHOICE, .arg = "VERSION",
      .at = AT(layout), .choices = layouts, .preset = "4.17",
      .help = "version of Xen that defines the record layouts" },
    { .name = "nested", .type = OPT_FLAG, .at = AT(nested),
      .help = "nested guests (AMD only)" },
    { .name = "cstates", .type = OPT_FLAG, .at = AT(cstates),
      .preset = "yes", .help = "C-states of idle pcpus (--no-cstates: none)" },
    { .name = "cstate-exit", .type = OPT_TIME, .arg = "TIME",
      .at = AT(cstate_exit), .preset = "0", .max = 10000000,
      .help = "with --virtual: time to leave a C-state" },
    { .name = "timer-slack", .type = OPT_TIME, .arg = "TIME",
      .at = AT(timer_slack), .preset = "0", .max = 10000000,
      .help = "with --virtual: time that local APIC timers fire late" },

    { .type = OPT_GROUP, .help = "Scheduler" },
    { .name = "scheduler", .type = OPT_CHOICE, .arg = "NAME",
      .at = AT(scheduler), .choices = schedulers, .preset = "credit2",
      .help = "scheduler of the hypervisor" },
    { .name = "runq-cpus", .type = OPT_UINT, .arg = "N", .at = AT(runq_cpus),
      .min = 1, .max = NR_CPUS, .preset = "16",
      .help = "credit2: pcpus per run queue" },
    { .name = "ratelimit", .type = OPT_TIME, .arg = "TIME",
      .at = AT(ratelimit), .preset = "1ms", .max = 10000000,
      .help = "credit2: minimum run time of a vcpu" },
    { .name = "tickle-idle", .type = OPT_FLAG, .at = AT(tickle_idle),
      .preset = "yes",
      .help = "credit2: idle pcpus learn of vcpus that wait "
              "(--no-tickle-idle: a defect)" },

    { .type = OPT_GROUP, .help = "Domains, unless the scenario defines them" },
    { .name = "domains", .type = OPT_UINT, .arg = "N", .at = AT(domains),
      .min = 0, .max = SIM_DOMAINS_MAX - 1, .preset = "0",
      .help = "number of guests (0: slightly more vcpus than pcpus)" },
    { .name = "vcpus", .type = OPT_UINT, .arg = "N", .at = AT(vcpus),
      .min = 1, .max = SIM_VCPUS_MAX, .preset = "2",
      .help = "vcpus per guest" },
    { .name = "dom0-vcpus", .type = OPT_UINT, .arg = "N",
      .at = AT(dom0_vcpus), .min = 0, .max = SIM_VCPUS_MAX, .preset = "0",
      .help = "vcpus of dom0 (0: one per pcpu, at most 4)" },
    { .name = "kind", .type = OPT_CHOICE, .arg = "KIND", .at = AT(kind),
      .choices = kinds, .preset = "mix", .help = "kind of the guests" },
    { .name = "load", .type = OPT_CHOICE, .arg = "LOAD", .at = AT(load),
      .choices = loads, .preset = "mix", .help = "load of the guests' vcpus" },

    { .type = OPT_GROUP, .help = "Events" },
    { .name = "rate", .letter = 'r', .type = OPT_HZ, .arg = "RATE",
      .at = AT(rate), .min = 0, .max = 1000000000, .preset = "20k",
      .help = "records per second and busy pcpu (0: maximum)" },
    { .name = "interrupts", .letter = 'i', .type = OPT_HZ, .arg = "RATE",
      .at = AT(interrupts), .min = 0, .max = 1000000, .preset = "100",
      .help = "interrupts per second and pcpu" },
    { .name = "interrupt-cpus", .type = OPT_UINT, .arg = "N",
      .at = AT(interrupt_cpus), .min = 0, .max = NR_CPUS, .preset = "0",
      .help = "with --virtual: only the first N pcpus get interrupts (0: "
              "all)" },
    { .name = "nmis", .letter = 'n', .type = OPT_HZ, .arg = "RATE",
      .at = AT(nmis), .min = 0, .max = 1000000, .preset = "1",
      .help = "NMIs per second and pcpu" },
    { .name = "storm", .type = OPT_TIME, .arg = "TIME", .at = AT(storm),
      .min = 0, .max = SIM_TIME_MAX, .preset = "0",
      .help = "interval of bursts of nested interrupts (0: none)" },
    { .name = "stall", .type = OPT_TIME, .arg = "TIME", .at = AT(stall),
      .min = 0, .max = SIM_TIME_MAX, .preset = "0",
      .help = "with --virtual: interval of stalls of the whole machine (0: "
              "none)" },
    { .name = "stall-for", .type = OPT_TIME, .arg = "TIME",
      .at = AT(stall_for), .min = 1000, .max = 1000000000, .preset = "1ms",
      .help = "length of a stall" },
    { .name = "hotplug", .type = OPT_TIME, .arg = "TIME", .at = AT(hotplug),
      .min = 0, .max = SIM_TIME_MAX, .preset = "0",
      .help = "interval of pcpu hotplug operations (0: none)" },
    { .name = "tsc-skew", .type = OPT_TIME, .arg = "TIME", .at = AT(skew),
      .min = 0, .max = 1000000000, .preset = "0",
      .help = "maximum offset of a pcpu's clock" },
    { .name = "tsc-drift", .type = OPT_UINT, .arg = "PPB", .at = AT(drift),
      .min = 0, .max = PPB_MAX, .preset = "0",
      .help = "maximum drift of a pcpu's clock, in parts per 10^9" },
    { .name = "tsc-jump", .type = OPT_TIME, .arg = "TIME", .at = AT(jump),
      .min = 0, .max = SIM_TIME_MAX, .preset = "0",
      .help = "interval of clock jumps of up to --tsc-skew (0: none)" },
    { .name = "seed", .type = OPT_U64, .arg = "N", .at = AT(seed),
      .min = 0, .max = UINT64_MAX, .preset = "1",
      .help = "seed of the random numbers" },

    { .type = OPT_GROUP, .help = "Run" },
    { .name = "virtual", .type = OPT_FLAG, .at = AT(virtual_time),
      .help = "run in virtual time, as fast as possible" },
    { .name = "output", .letter = 'o', .type = OPT_FILE, .arg = "FILE",
      .at = AT(output),
      .help = "with --virtual: write the trace to FILE, no reader" },
    { .name = "host-name", .type = OPT_TEXT, .arg = "NAME",
      .at = AT(host_name), .preset = HOST_NAME,
      .help = "with --output: the name of the host" },
    { .name = "wall-clock", .type = OPT_TIME, .arg = "TIME",
      .at = AT(wall_clock), .min = 0, .max = SIM_TIME_MAX, .preset = "0",
      .help = "with --output: begin the wall clock TIME after 2026-01-01" },
    { .name = "drain", .type = OPT_TIME, .arg = "TIME", .at = AT(drain),
      .min = 0, .max = SIM_TIME_MAX, .preset = "0",
      .help = "with --output: drain interval (0: before a ring is full)" },
    { .name = "socket", .letter = 's', .type = OPT_FILE, .arg = "PATH",
      .at = AT(socket),
      .help = "path of the control socket" },
    { .name = "duration", .letter = 'T', .type = OPT_TIME, .arg = "TIME",
      .at = AT(duration), .min = 0, .max = SIM_TIME_MAX, .preset = "0",
      .help = "duration of the run (0: until a signal)" },
    { .name = "truth", .type = OPT_FILE, .arg = "FILE", .at = AT(truth),
      .help = "write the ground truth, as lines of JSON" },
    { .name = "programs", .type = OPT_FILE, .arg = "FILE",
      .at = AT(programs),
      .help = "with --output: write the events of device models, as a trace "
              "of programs" },
    { .name = "report", .type = OPT_FILE, .arg = "FILE", .at = AT(report),
      .help = "write record counts of each pcpu at the end, as JSON" },
    { .name = "ready-fd", .type = OPT_UINT, .arg = "N", .at = AT(ready_fd),
      .min = 0, .max = INT32_MAX,
      .help = "write a byte to descriptor N once the socket listens" },
    { .name = "verbose", .letter = 'v', .type = OPT_FLAG, .at = AT(verbose),
      .help = "print all messages of the hypervisor" },
};

static const struct program program = {
    .name = "xensim",
    .version = PACKAGE_VERSION,
    .synopsis = "[OPTION...] [-- COMMAND [ARG...]]",
    .summary = "simulate a Xen hypervisor with trace buffers",
    .footer = "Without a COMMAND, run until SIGINT or SIGTERM.  With one, run\n"
              "until COMMAND exits, and return its exit code; COMMAND finds\n"
              "the socket through " XENSIM_SOCKET_ENV ".\n\n"
              "Examples: xensim --cpus 8 -- xentrace -T 5 trace.xt\n"
              "          xensim --virtual --output trace.xt -T 5\n",
    .opts = opts,
    .nr_opts = ARRAY_SIZE(opts),
    .min_args = 0,
    .max_args = ~0u,
};

/* ---- what options mean together --------------------------------------- */

/* Options that change a trace of --output only. */
static int check_no_output(const struct options *o, struct err *e)
{
    if ( o->programs )
        return err_usage(e, "--programs needs --output: the traces have one "
                         "clock in virtual time only");
    if ( o->drain )
        return err_usage(e, "--drain needs --output: with a reader, "
                         "the reader decides when to drain");
    if ( o->wall_clock )
        return err_usage(e, "--wall-clock needs --output: a reader gets the "
                         "wall clock of this machine");
    if ( strcmp(o->host_name, HOST_NAME) )
        return err_usage(e, "--host-name needs --output: a reader gets the "
                         "name of this machine");
    return 0;
}

static int check_output(const struct options *o, struct err *e)
{
    if ( !o->output )
        return check_no_output(o, e);
    if ( !o->virtual_time )
        return err_usage(e, "--output needs --virtual: in real time "
                         "run xentrace as the COMMAND instead");
    if ( o->command )
        return err_usage(e, "--output and a COMMAND cannot both read "
                         "the rings; use only one of them");
    if ( !o->duration )
        return err_usage(e, "--output needs --duration: virtual time "
                         "has no other limit");
    return 0;
}

/* As in Xen: the mask is set together with rings at boot, unless 0. */
static int check_boot(const struct options *o, struct err *e)
{
    static const char name[] = "tevt_mask=";
    const char *mask = o->boot ? strstr(o->boot, name) : NULL;
    char *end;

    if ( !mask )
        return 0;
    if ( !strstr(o->boot, "tbuf_size=") )
        return err_usage(e, "--boot tevt_mask=MASK has no effect without rings "
                         "at boot: add tbuf_size=PAGES");
    mask += strlen(name);
    if ( !strtoul(mask, &end, 0) && end > mask && (!*end || *end == ' ') )
        return err_usage(e, "--boot tevt_mask=0 has no effect, as in Xen: all "
                         "events are traced; leave it out");
    return 0;
}

/* Two outputs in one file, or an output that replaces the scenario. */
static int check_files(const struct options *o, struct err *e)
{
    const struct
    {
        const char *option, *name;
    } files[] = {
        { "scenario", o->scenario }, { "output", o->output },
        { "truth", o->truth }, { "report", o->report },
        { "socket", o->socket }, { "programs", o->programs },
    };

    for ( size_t i = 0; i < ARRAY_SIZE(files); i++ )
        for ( size_t k = 0; k < i; k++ )
            if ( files[i].name && files[k].name &&
                 outfile_is_same(files[k].name, files[i].name) )
                return err_usage(e, "--%s %s is also the file of --%s: give "
                                 "each a file of its own", files[i].option,
                                 files[i].name, files[k].option);
    return 0;
}

/* Shorter intervals are so dense that a run makes no progress. */
static int check_intervals(const struct options *o, struct err *e)
{
    const struct
    {
        const char *name;
        uint64_t ns;
    } intervals[] = {
        { "storm", o->storm }, { "hotplug", o->hotplug },
        { "tsc-jump", o->jump }, { "drain", o->drain },
    };

    for ( size_t i = 0; i < ARRAY_SIZE(intervals); i++ )
        if ( intervals[i].ns && intervals[i].ns < INTERVAL_MIN )
            return err_usage(e, "--%s: must be 0, or at least 10us",
                             intervals[i].name);
    return 0;
}

static int check_options(const struct options *o, struct err *e)
{
    if ( o->online > o->cpus )
        return err_usage(e, "--online %u: only %u pcpus; raise "
                         "--cpus, or lower this", o->online, o->cpus);
    if ( o->ready_fd != NO_FD && fcntl(o->ready_fd, F_GETFD) < 0 )
        return err_usage(e, "--ready-fd %u: not an open descriptor",
                         o->ready_fd);
    if ( o->cstate_exit && !o->virtual_time )
        return err_usage(e, "--cstate-exit needs --virtual: in real time "
                         "no pcpu sleeps");
    if ( o->timer_slack && !o->virtual_time )
        return err_usage(e, "--timer-slack needs --virtual: in real time "
                         "timers are as late as the machine makes them");
    if ( (o->stall || o->interrupt_cpus) && !o->virtual_time )
        return err_usage(e, "--stall and --interrupt-cpus need --virtual: in "
                         "real time threads and signals do not obey");
    if ( o->stall && o->stall <= o->stall_for )
        return err_usage(e, "--stall is the interval of stalls, which has to "
                         "be longer than their length, --stall-for");
    if ( o->jump && !o->skew )
        return err_usage(e, "--tsc-jump needs --tsc-skew, the "
                         "maximum jump");
    if ( o->virtual_time && !o->duration && !o->command && !o->output )
        return err_usage(e, "--virtual needs --duration or a COMMAND: virtual "
                         "time has no other limit");
    if ( o->nested && o->vendor != SIM_AMD )
        return err_usage(e, "--nested needs --vendor=amd: nested guests leave "
                         "records on AMD only");
    return check_intervals(o, e) ?: check_output(o, e) ?: check_boot(o, e) ?:
           check_files(o, e);
}

/*
 * Parsing applies the defaults, so options of the file are parsed again each
 * time.
 */
static int parse_args(struct options *o, int argc, char **argv, int *first,
                      enum opts_next *next, struct err *e)
{
    *o = (struct options){ .ready_fd = NO_FD, .file = o->file };
    return opts_parse(&program, argc, argv, o, first, next, e);
}

/* Parse the options of the scenario file, then argv. */
static int parse_file_and_args(struct options *o, int argc, char **argv,
                               enum opts_next *next, struct err *e)
{
    int more = o->file.nr_args, all = more + argc, first, rc;
    char **args = calloc(all + 1, sizeof(*args));

    ASSERT(argc > 0);
    if ( !args )
        return err_set(e, -ENOMEM, "no memory");
    args[0] = argv[0];
    if ( more )
        memcpy(args + 1, o->file.args, more * sizeof(*args));
    memcpy(args + 1 + more, argv + 1, (argc - 1) * sizeof(*args));
    rc = parse_args(o, all, args, &first, next, e);
    /* Point to the command at argv's end: args is freed. */
    if ( !rc && first < all )
        o->command = argv + argc - (all - first);
    free(args);
    return rc;
}

static int configure_domains(struct options *o, struct err *e);

int options_parse(struct options *o, int argc, char **argv,
                  enum opts_next *next, struct err *e)
{
    int first, rc;

    *o = (struct options){ .scenario = NULL };
    rc = parse_args(o, argc, argv, &first, next, e);
    if ( rc || *next == OPTS_EXIT )
        return rc;
    if ( first < argc )
        o->command = argv + first;
    if ( o->scenario )
        rc = scenario_read(&o->file, o->scenario, &program, sizeof(*o), e)
             ?: parse_file_and_args(o, argc, argv, next, e);
    if ( !rc )
        rc = check_options(o, e);
    return rc ?: configure_domains(o, e);
}

void options_fini(struct options *o)
{
    scenario_free(&o->file);
    free(o->dom_configs);
}

/* ---- domains ---------------------------------------------------------- */

static const struct dom_config dom0_default = {
    .name = DOM0_NAME, .copies = 1, .kind = SIM_PV,
    .loads = { SIM_QUIET }, .nr_loads = 1, .weight = 256, .pin.first = 1,
};

/* Loads of mixed guests: mostly busy, to keep the pcpus busy. */
static const unsigned int mixed_loads[] = {
    SIM_BUSY, SIM_IO, SIM_BUSY, SIM_PERIODIC, SIM_BUSY, SIM_BURSTY,
};

static void configure_guest(const struct options *o, struct dom_config *d,
                            unsigned int nr)
{
    static const char *const mixed_names[] = { "pv", "pvh", "hvm" };
    bool mix = o->kind == ARRAY_SIZE(mixed_names);
    unsigned int kind = mix ? nr % ARRAY_SIZE(mixed_names) : o->kind;
    bool any = o->load == SIM_QUIET + 1;

    ASSERT(o->vcpus && o->vcpus <= SIM_VCPUS_MAX);
    *d = dom0_default;
    snprintf(d->name, sizeof(d->name), "%s%u", mixed_names[kind], nr + 1);
    d->kind = SIM_PV + kind;
    d->vcpus = o->vcpus;
    d->loads[0] = any ? mixed_loads[nr % ARRAY_SIZE(mixed_loads)]
                      : o->load;
}

static bool has_dom0(const struct scenario *s)
{
    return s->nr_dom_configs && !strcmp(s->dom_configs[0].name, DOM0_NAME);
}

static int count_domains(const struct options *o, struct err *e)
{
    uint64_t nr = 0;

    for ( unsigned int i = 0; i < o->nr_dom_configs; i++ )
        nr += o->dom_configs[i].copies;
    return nr <= SIM_DOMAINS_MAX ? 0 :
           err_set(e, -E2BIG, "%llu domains are too many; there can be %u",
                   (unsigned long long)nr, SIM_DOMAINS_MAX);
}

static int check_pin(const struct options *o, const struct dom_config *d,
                     const char *key, struct cpu_range pin, struct err *e)
{
    if ( pin.first > pin.last || pin.last < o->cpus )
        return 0;
    return err_set(e, -EINVAL, "[domain %s]: %s %u-%u: there are only %u "
                   "pcpus; raise --cpus, or lower this", d->name, key,
                   pin.first, pin.last, o->cpus);
}

static int check_caps(const struct options *o, struct err *e)
{
    for ( unsigned int i = 0; i < o->nr_dom_configs; i++ )
        if ( o->dom_configs[i].cap && o->scheduler != SIM_CREDIT2 )
            return err_set(e, -EINVAL, "[domain %s]: a cap needs the scheduler "
                           "credit2", o->dom_configs[i].name);
    return 0;
}

static int check_pins(const struct options *o, struct err *e)
{
    int rc = 0;

    ASSERT(o->nr_dom_configs);
    for ( unsigned int i = 0; !rc && i < o->nr_dom_configs; i++ )
    {
        const struct dom_config *d = &o->dom_configs[i];

        rc = check_pin(o, d, "pin", d->pin, e);
        if ( !rc && d->repin )
            rc = check_pin(o, d, "new-pin", d->new_pin, e);
    }
    return rc;
}

/*
 * The null scheduler needs a pcpu for each vcpu, so the default counts are
 * small.
 */
static unsigned int default_dom0_vcpus(const struct options *o)
{
    if ( o->dom0_vcpus )
        return o->dom0_vcpus;
    return o->scheduler == SIM_NULL ? (o->cpus + 3) / 4 : min(o->cpus, 4u);
}

static unsigned int default_guests(const struct options *o)
{
    unsigned int rest = o->cpus - min(o->cpus, default_dom0_vcpus(o));

    if ( o->domains )
        return o->domains;
    if ( o->scheduler == SIM_NULL )
        return max(rest / o->vcpus, 1u);
    return min(o->cpus * 5 / 8 + 1, SIM_DOMAINS_MAX - 1u);
}

/*
 * Fill the table of domains: dom0 first, then the scenario's domains, or the
 * default guests if the scenario has none.
 */
static int configure_domains(struct options *o, struct err *e)
{
    const struct scenario *s = &o->file;
    unsigned int guests = default_guests(o);
    unsigned int nr_dom0 = has_dom0(s) ? 0 : 1;
    bool use_defaults = !s->nr_dom_configs;

    o->nr_dom_configs = nr_dom0 + s->nr_dom_configs +
                        (use_defaults ? guests : 0);
    o->dom_configs = calloc(o->nr_dom_configs, sizeof(*o->dom_configs));
    if ( !o->dom_configs )
        return err_set(e, -ENOMEM, "no memory");
    o->dom_configs[0] = dom0_default;
    if ( s->nr_dom_configs )
        memcpy(o->dom_configs + nr_dom0, s->dom_configs,
               s->nr_dom_configs * sizeof(*s->dom_configs));
    if ( !o->dom_configs[0].vcpus )
        o->dom_configs[0].vcpus = default_dom0_vcpus(o);
    for ( unsigned int i = 0; use_defaults && i < guests; i++ )
        configure_guest(o, &o->dom_configs[1 + i], i);
    return count_domains(o, e) ?: check_caps(o, e) ?: check_pins(o, e);
}
