/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options of xensim: one table, and what the table cannot say.
 */
#include "config.h"

#include "xensim/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>

#include "xensim/wire.h"

#include <xen/lib.h>

#define AT(field) offsetof(struct options, field)

static const struct opt opts[] = {
    { .type = OPT_GROUP, .help = "The machine" },
    { .name = "cpus", .letter = 'c', .type = OPT_UINT, .arg = "N",
      .at = AT(cpus), .min = 1, .max = NR_CPUS, .preset = "4",
      .help = "pcpus of the machine" },
    { .name = "online", .type = OPT_UINT, .arg = "N", .at = AT(online),
      .min = 0, .max = NR_CPUS, .preset = "0",
      .help = "pcpus that are up from the start (0: all)" },
    { .name = "memory", .type = OPT_SIZE, .arg = "SIZE", .at = AT(memory),
      .min = 1 << 20, .max = 1ull << 40, .preset = "1G",
      .help = "memory of the hypervisor (provided as it is touched)" },
    { .name = "boot", .letter = 'b', .type = OPT_TEXT, .arg = "PARAMETERS",
      .at = AT(boot),
      .help = "boot parameters, as \"tbuf_size=8 tevt_mask=0x2f000\"" },
    { .name = "scatter", .type = OPT_FLAG, .at = AT(scatter),
      .help = "give out frames so that a ring's are never neighbours" },
    { .name = "park", .type = OPT_FLAG, .at = AT(park),
      .help = "keep the per-CPU memory of pcpus that go offline" },

    { .type = OPT_GROUP, .help = "What happens on it" },
    { .name = "rate", .letter = 'r', .type = OPT_HZ, .arg = "RATE",
      .at = AT(rate), .min = 0, .max = 1000000000, .preset = "20k",
      .help = "records a second and pcpu (0: as many as possible)" },
    { .name = "interrupts", .letter = 'i', .type = OPT_HZ, .arg = "RATE",
      .at = AT(interrupts), .min = 0, .max = 1000000, .preset = "100",
      .help = "interrupts a second and pcpu" },
    { .name = "nmis", .letter = 'n', .type = OPT_HZ, .arg = "RATE",
      .at = AT(nmis), .min = 0, .max = 1000000, .preset = "1",
      .help = "NMIs a second and pcpu" },
    { .name = "hotplug", .type = OPT_TIME, .arg = "TIME", .at = AT(hotplug),
      .min = 0, .preset = "0",
      .help = "take a pcpu down or up this often (0: never)" },
    { .name = "seed", .type = OPT_U64, .arg = "N", .at = AT(seed),
      .min = 0, .max = UINT64_MAX, .preset = "1",
      .help = "of all that is random" },

    { .type = OPT_GROUP, .help = "Around it" },
    { .name = "socket", .letter = 's', .type = OPT_TEXT, .arg = "PATH",
      .at = AT(socket),
      .help = "where to listen" },
    { .name = "duration", .letter = 'T', .type = OPT_TIME, .arg = "TIME",
      .at = AT(duration), .min = 0, .preset = "0",
      .help = "end after this long (0: when told to)" },
    { .name = "report", .type = OPT_TEXT, .arg = "FILE", .at = AT(report),
      .help = "write at the end what each pcpu has emitted, as JSON" },
    { .name = "ready-fd", .type = OPT_UINT, .arg = "N", .at = AT(ready_fd),
      .min = 0, .max = INT32_MAX,
      .help = "write a byte to descriptor N once the socket listens" },
    { .name = "verbose", .letter = 'v', .type = OPT_FLAG, .at = AT(verbose),
      .help = "show all that the hypervisor says" },
};

static const struct program program = {
    .name = "xensim",
    .version = PACKAGE_VERSION,
    .synopsis = "[OPTION...] [-- COMMAND [ARG...]]",
    .summary = "play a Xen hypervisor whose trace rings can be read",
    .footer = "Without a COMMAND it plays until it gets SIGINT or SIGTERM.\n"
              "With one it plays while COMMAND runs, which finds it by\n"
              XENSIM_SOCKET_ENV " in its environment, and ends with\n"
              "COMMAND's exit code.\n\n"
              "Example: xensim --cpus 8 -- xentrace -T 5 trace.xt\n",
    .opts = opts,
    .nr_opts = ARRAY_SIZE(opts),
    .min_args = 0,
    .max_args = ~0u,
};

int options_parse(struct options *o, int argc, char **argv,
                  enum opts_next *next, struct err *e)
{
    int first, rc;

    *o = (struct options){ .ready_fd = NO_FD };
    rc = opts_parse(&program, argc, argv, o, &first, next, e);
    if ( rc || *next == OPTS_EXIT )
        return rc;

    if ( first < argc )
        o->command = argv + first;
    if ( o->online > o->cpus )
        return err_set(e, -EINVAL, "--online %u: there are only %u pcpus; "
                       "raise --cpus, or lower this", o->online, o->cpus);
    if ( o->ready_fd != NO_FD && fcntl(o->ready_fd, F_GETFD) < 0 )
        return err_set(e, -EBADF, "--ready-fd %u: not an open descriptor",
                       o->ready_fd);
    return 0;
}
