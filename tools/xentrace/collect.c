/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of things.
 *
 *   masks     before anything is traced, so that nothing else is
 *   set_size  makes rings where there are none, and then traces at once;
 *             refused where there are some, which is as good
 *   enable    so that rings which were there trace, too
 *   get_info  where the directory is; only now there surely is one
 *   map, VIRQ
 *   passes    until somebody asks to stop: sleep until half a ring is full
 *             or the time is up, and drain
 *   disable   and one more pass, which finds the rings at rest
 */
#include "xentrace/collect.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include <public/trace.h>

#include "common/fault.h"
#include "libxentrace/window.h"
#include "xentrace/drain.h"
#include "xentrace/mask.h"
#include "xentrace/stop.h"
#include "xentrace/tbuf.h"

/* --- before -------------------------------------------------------------- */

static int parse_cpus(struct collect *c, struct err *e)
{
    if ( !c->plan->cpus )
        return 0;
    c->cpu_bits = fault_calloc(1, (c->nr_cpus + 7) / 8);
    if ( !c->cpu_bits )
        return err_sys(e, -ENOMEM, "cannot make a pcpu mask");
    return mask_cpus(c->plan->cpus, c->nr_cpus, c->cpu_bits, e);
}

int collect_open(struct collect *c, const struct collect_plan *plan,
                 struct hv *hv, const struct log *log, struct err *e)
{
    struct hv_info info;
    int rc;

    *c = (struct collect){ .plan = plan, .hv = hv, .log = log, .virq = -1 };
    rc = hv->type->info(hv, &info, e);
    if ( rc )
        return err_sys(e, rc, "Xen does not say what it runs on");
    if ( !info.nr_cpus || info.nr_cpus > XT_MAX_CPUS )
        return err_set(e, -EPROTO, "Xen says that it has %u pcpus, and we "
                       "believe %u at most", info.nr_cpus, XT_MAX_CPUS);
    c->nr_cpus = info.nr_cpus;
    rc = parse_cpus(c, e);
    if ( rc )
        collect_close(c);
    return rc;
}

void collect_close(struct collect *c)
{
    if ( c->rings.hv )
        rings_close(&c->rings);
    free(c->cpu_bits);
    free(c->lost);
    *c = (struct collect){ .virq = -1 };
}

/* --- losses -------------------------------------------------------------- */

/* What Xen has counted so far, as a fresh array; NULL: it cannot tell. */
static uint64_t *count_lost(struct collect *c)
{
    uint64_t *lost = fault_calloc(c->nr_cpus, sizeof(*lost));
    struct err e = ERR_INIT;
    int rc = lost ? tbuf_state(c->hv, &c->state, lost, c->nr_cpus, &e)
                  : -ENOMEM;

    if ( !rc )
        return lost;
    /* Without the counts, a capture is still a capture. */
    if ( e.code )
        log_err(c->log, LOG_LEVEL_WARNING, &e);
    free(lost);
    return NULL;
}

/* Turn what was counted before into what was lost since. */
static void settle_lost(struct collect *c)
{
    uint64_t *before = c->lost;

    if ( !before )
        return;
    c->lost = count_lost(c);
    for ( unsigned int cpu = 0; c->lost && cpu < c->nr_cpus; cpu++ )
        c->lost[cpu] -= before[cpu];
    free(before);
}

/* --- start --------------------------------------------------------------- */

static int set_masks(struct collect *c, struct err *e)
{
    int rc = 0;

    if ( c->plan->evt_mask )
        rc = tbuf_set_evt_mask(c->hv, c->plan->evt_mask, e);
    if ( !rc && c->cpu_bits )
        rc = tbuf_set_cpu_mask(c->hv, c->cpu_bits, c->nr_cpus, e);
    return rc;
}

/*
 * That rings are there already is what most captures find, so the refusal
 * matters only if in the end there are none.
 */
static void make_rings(struct collect *c, struct err *why)
{
    unsigned int pages = c->plan->pages ? c->plan->pages : COLLECT_PAGES;

    if ( !tbuf_set_size(c->hv, pages, why) )
        c->tracing = true;
}

static int start_tracing(struct collect *c, struct err *e)
{
    int rc = c->plan->start_disabled ? tbuf_disable(c->hv, e)
                                     : tbuf_enable(c->hv, e);

    if ( !rc )
        c->tracing = !c->plan->start_disabled;
    return rc;
}

/*
 * Xen keeps masks from one capture to the next, and one who does not know
 * wonders where his records are.
 */
static void notice_masks(const struct collect *c)
{
    if ( !c->plan->evt_mask && c->rings.evt_mask != TRC_ALL )
        log_warning(c->log, "the event mask is %#x since an earlier run: only "
                    "those events are traced; -e all takes all",
                    c->rings.evt_mask);
    if ( !c->cpu_bits && c->state.nr_masked )
        log_warning(c->log, "the pcpu mask leaves %u of %u pcpus out since an "
                    "earlier run; -c all takes all", c->state.nr_masked,
                    c->state.nr_online);
}

static int open_rings(struct collect *c, struct err *e)
{
    int rc = rings_open(&c->rings, c->hv, c->nr_cpus, e);

    if ( rc )
        return rc;
    drain_map(&c->rings, c->log);
    if ( !c->rings.nr_mapped )
        return err_set(e, -ENODEV, "no ring of any pcpu could be mapped");
    if ( c->plan->pages && c->plan->pages != c->rings.pages )
        log_warning(c->log, "the rings have %u pages, not %u: they were there "
                    "before, or that is all that Xen can make",
                    c->rings.pages, c->plan->pages);
    if ( c->plan->discard )
        drain_discard(&c->rings, c->log);
    notice_masks(c);
    return 0;
}

/* How enable and get_info fail where set_size could not make rings. */
static bool says_no_rings(const struct collect *c, int rc)
{
    return !c->rings.hv && (rc == -EINVAL || rc == -ENODEV);
}

static int start(struct collect *c, struct err *e)
{
    struct err no_rings = ERR_INIT;
    int rc = set_masks(c, e);

    if ( rc )
        return rc;
    c->lost = count_lost(c);
    make_rings(c, &no_rings);
    rc = start_tracing(c, e);
    if ( !rc )
        rc = open_rings(c, e);
    if ( rc && says_no_rings(c, rc) && no_rings.code )
    {
        *e = no_rings;
        rc = e->code;
    }
    if ( rc )
        return rc;
    rc = c->hv->type->bind_virq(c->hv, &c->virq, e);
    if ( rc )
        return err_sys(e, rc, "cannot bind VIRQ_TBUF");
    return stop_after(c->plan->time_ns, e);
}

/* --- the capture --------------------------------------------------------- */

static int passes(struct collect *c, struct writer *w, struct err *e)
{
    int rc;

    while ( !(rc = drain_all(&c->rings, w, c->log, e)) && !stop_asked() )
    {
        rc = stop_wait(c->virq, c->plan->sleep_ms, e);
        if ( rc > 0 )
            rc = c->hv->type->ack_virq(c->hv, e);
        if ( rc < 0 )
            break;
    }
    return rc;
}

/*
 * What is in the rings is worth having even if something went wrong; if it
 * was the writer, it refuses by itself.
 */
static int stop(struct collect *c, struct writer *w, struct err *e)
{
    int rc = 0, last;

    if ( !c->plan->leave_enabled )
        rc = tbuf_disable(c->hv, e);
    last = drain_all(&c->rings, w, c->log, e);
    settle_lost(c);
    return rc ? rc : last;
}

int collect_run(struct collect *c, struct writer *w, struct err *e)
{
    int rc = start(c, e), stopped;

    if ( rc )
    {
        struct err ignored = ERR_INIT;

        if ( c->tracing && !c->plan->leave_enabled )
            tbuf_disable(c->hv, &ignored);
        return rc;
    }
    rc = passes(c, w, e);
    stopped = stop(c, w, e);
    return rc ? rc : stopped;
}
