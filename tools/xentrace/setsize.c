/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xentrace_setsize: print or change the size of the rings.
 *
 * Stock xentrace_setsize always fails, because it maps the directory of rings
 * writable, which Xen refuses.  Messages that scripts may parse are stock's;
 * but set_size enables tracing as a side effect, and here tracing is disabled
 * again.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <public/trace.h>

#include "common/err.h"
#include "common/fault.h"
#include "common/opts.h"
#include "xentrace/hypervisor.h"
#include "xentrace/host-rings.h"
#include "xentrace/tbuf.h"

struct config
{
    bool free;
    const char *hypervisor;
    struct hv_address address;
};

#define AT(field) .at = offsetof(struct config, field)

static const struct opt opts[] = {
    { .name = "free", .type = OPT_FLAG, AT(free),
      .help = "free the memory of the rings" },
    { .name = "hypervisor", .type = OPT_TEXT, .arg = "NAME", AT(hypervisor),
      .help = "use xen or xensim; default: the first one found" },
    { .name = "socket", .type = OPT_FILE, .arg = "PATH", AT(address.socket),
      .help = "socket of xensim, if not in its default place" },
};

static const struct program program = {
    .name = "xentrace_setsize",
    .version = PACKAGE_VERSION,
    .synopsis = "[OPTION...] [PAGES]",
    .summary = "show or set the size of Xen's trace buffers",
    .footer = "Without PAGES, the current size is printed.\n",
    .opts = opts,
    .nr_opts = sizeof(opts) / sizeof(opts[0]),
    .max_args = 1,
};

/* --- reading the state ---------------------------------------------------- */

/* The pages of each ring; 0: no rings. */
static int get_size(struct hv *hv, unsigned int *pages, struct err *e)
{
    struct err why = ERR_INIT;
    struct rings rings;
    int rc = rings_open(&rings, hv, 1, &why);

    *pages = rc ? 0 : rings.pages;
    if ( !rc )
        rings_close(&rings);
    if ( !rc || rc == -ENODEV )
        return 0;
    *e = why;
    return rc;
}

/* Read the state of tracing; *known is false if this Xen has none. */
static int get_state(struct hv *hv, struct tbuf_state *state, bool *known,
                     struct err *e)
{
    struct hv_info info;
    uint64_t *lost;
    int rc = hv_query(hv, &info, e);

    if ( rc )
        return rc;
    lost = fault_calloc(info.nr_cpus, sizeof(*lost));
    if ( !lost )
        return err_sys(e, -ENOMEM, "cannot allocate memory for Xen's state");
    rc = tbuf_state(hv, state, lost, info.nr_cpus, e);
    free(lost);
    *known = !rc;
    return rc == -EOPNOTSUPP ? 0 : rc;
}

static int print_state(struct hv *hv, const char *when, struct err *e)
{
    struct tbuf_state state;
    unsigned int pages;
    bool known = false;
    int rc = get_size(hv, &pages, e);

    if ( !rc )
        rc = get_state(hv, &state, &known, e);
    if ( rc )
        return rc;
    printf("%s tbuf size: 0x%x\n", when, pages);
    if ( known )
        printf("Tracing is %s, events %#x\n",
               state.flags & XEN_TBUF_ENABLED ? "on" : "off", state.evt_mask);
    return 0;
}

/* --- changing the size ---------------------------------------------------- */

static int request_change(struct hv *hv, uint32_t cmd, uint32_t pages)
{
    struct hv_tbuf op = { .cmd = cmd, .size = pages };
    struct err ignored = ERR_INIT;

    return hv->type->tbuf(hv, &op, &ignored);
}

static int explain_refusal(int rc, bool resized, struct err *e)
{
    if ( rc == -EINVAL && resized )
        return err_set(e, rc, "this Xen cannot resize its rings: reboot and "
                       "set the size before tracing, or set tbuf_size= on "
                       "Xen's command line");
    if ( rc == -EBUSY )
        return err_set(e, rc, "the rings are in use: stop their reader first");
    return err_sys(e, rc, "Xen refuses to change its rings");
}

/* Create or replace the rings, without enabling tracing. */
static int set_size(struct hv *hv, unsigned int pages, struct err *e)
{
    unsigned int now;
    int rc = get_size(hv, &now, e);

    assert(pages > 0);
    if ( rc || now == pages )
        return rc;
    rc = request_change(hv, now ? XEN_SYSCTL_TBUFOP_resize : HV_TBUF_SET_SIZE,
                        pages);
    if ( rc )
        return explain_refusal(rc, now, e);
    return now ? 0 : tbuf_disable(hv, e);
}

static int free_rings(struct hv *hv, struct err *e)
{
    unsigned int now;
    int rc = get_size(hv, &now, e);

    if ( rc || !now )
        return rc;
    rc = request_change(hv, XEN_SYSCTL_TBUFOP_free, 0);
    return rc ? explain_refusal(rc, true, e) : 0;
}

static int apply_command(struct hv *hv, const struct config *c, uint64_t pages,
                         struct err *e)
{
    int rc = print_state(hv, "Current", e);

    if ( rc || (!pages && !c->free) )
        return rc;
    rc = c->free ? free_rings(hv, e) : set_size(hv, pages, e);
    if ( rc )
        return rc;
    if ( !c->free )
        printf("set_size succeeded.\n");
    return print_state(hv, "New", e);
}

static int run_command(const struct config *c, const char *text, struct err *e)
{
    struct hv *hv = NULL;
    uint64_t pages = 0;
    int rc = 0;

    if ( text && (opts_number(text, &pages) || !pages || pages > 65535) )
        return err_usage(e, "\"%.80s\" is not a number of pages from 1 "
                         "to 65535", text);
    if ( text && c->free )
        return err_usage(e, "give either --free or a size, not both");
    rc = hv_open(&hv, c->hypervisor, &c->address, e);
    if ( !rc )
        rc = apply_command(hv, c, pages, e);
    hv_close(hv);
    if ( !rc && (fflush(stdout) || ferror(stdout)) )
        rc = err_sys(e, -errno, "cannot write to standard output");
    return rc;
}

int main(int argc, char **argv)
{
    struct config config = { .free = false };
    enum opts_next next = OPTS_RUN;
    struct err e = ERR_INIT;
    int first, rc;

    rc = fault_arm_env(&e);
    if ( !rc )
        rc = opts_parse(&program, argc, argv, &config, &first, &next, &e);
    if ( !rc && next == OPTS_RUN )
        rc = run_command(&config, first < argc ? argv[first] : NULL, &e);
    if ( rc )
        err_print(program.name, &e);
    return rc ? err_exit_code(&e) : EXIT_SUCCESS;
}
