/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a capture begins.
 *
 *   VIRQ      only one can have it: who comes second, changes nothing
 *   masks     before anything is traced, so that nothing else is
 *   set_size  makes rings where there are none, and then traces at once;
 *             refused where there are some, which is as good
 *   enable    so that rings which were there trace, too
 *   get_info  where the directory is; only now there surely is one
 *   map
 */
#include "xentrace/collect-private.h"

#include <errno.h>

#include <public/trace.h>

#include "xentrace/ring-drain.h"
#include "xentrace/competing-readers.h"
#include "xentrace/stop-signals.h"

/* Without the counts, a capture is still a capture. */
static void read_initial_losses(struct collect *c)
{
    struct err e = ERR_INIT;

    c->can_count = !tbuf_state(c->hv, &c->state, c->lost_before, c->nr_cpus,
                               &e);
    if ( e.code )
        log_err(c->log, LOG_LEVEL_WARNING, &e);
}

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
static void create_rings(struct collect *c, struct err *why)
{
    unsigned int pages = c->plan->pages ? c->plan->pages : COLLECT_PAGES;

    c->created_rings = !tbuf_set_size(c->hv, pages, why);
    c->tracing = c->created_rings;
}

/*
 * Does what the rings hold by now count for nothing?  New ones have traced for
 * a moment, whether they were to or not.
 */
static bool is_discarded(const struct collect *c)
{
    return c->plan->discard || (c->plan->start_disabled && c->created_rings);
}

/* True: Xen is a flight recorder now, or has failed to become one. */
static bool start_flight_recorder(struct collect *c, int *rc, struct err *e)
{
    if ( !c->plan->flight_recorder )
        return false;
    *rc = tbuf_overwrite(c->hv, e);
    if ( *rc == -EOPNOTSUPP )
    {
        log_info(c->log, "this Xen is no flight recorder: the newest records "
                 "are kept in memory here instead");
        return false;
    }
    c->recorder = !*rc;
    return true;
}

static int start_tracing(struct collect *c, struct err *e)
{
    int rc;

    if ( !start_flight_recorder(c, &rc, e) )
        rc = c->plan->start_disabled ? tbuf_disable(c->hv, e)
                                     : tbuf_enable(c->hv, e);

    if ( !rc )
        c->tracing = !c->plan->start_disabled;
    return rc;
}

/*
 * Xen keeps masks from one capture to the next, and one who does not know
 * wonders where his records are.
 */
static void warn_about_masks(const struct collect *c)
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
    if ( is_discarded(c) && !c->recorder )
        drain_discard(&c->rings, c->log);
    warn_about_masks(c);
    return 0;
}

void collect_warn_shared(struct collect *c, const char *why)
{
    char names[200];

    c->shared = true;
    if ( competing_readers_find(names, sizeof(names)) )
        log_warning(c->log, "%s: %s; each gets only a part", why, names);
    else
        log_warning(c->log, "%s; each gets only a part", why);
}

static void check_competing_readers(struct collect *c)
{
    char names[200];

    if ( c->state.flags & XEN_TBUF_ENABLED &&
         competing_readers_find(names, sizeof(names)) )
        collect_warn_shared(c, "somebody else seems to read the rings");
}

/* How enable and get_info fail where set_size could not make rings. */
static bool means_no_rings(const struct collect *c, int rc)
{
    return !c->rings.hv && (rc == -EINVAL || rc == -ENODEV);
}

static int bind_virq(struct collect *c, struct err *e)
{
    int rc = c->hv->type->bind_virq(c->hv, &c->virq, e);
    char names[200];

    if ( rc && competing_readers_find(names, sizeof(names)) )
        log_warning(c->log, "these read Xen's rings, too: %s", names);
    return rc ? err_sys(e, rc, "cannot bind VIRQ_TBUF") : 0;
}

int collect_start(struct collect *c, struct err *e)
{
    struct err no_rings = ERR_INIT;
    int rc = bind_virq(c, e);

    if ( !rc )
        rc = set_masks(c, e);
    if ( rc )
        return rc;
    read_initial_losses(c);
    check_competing_readers(c);
    create_rings(c, &no_rings);
    rc = start_tracing(c, e);
    if ( !rc )
        rc = open_rings(c, e);
    if ( rc && means_no_rings(c, rc) && no_rings.code )
    {
        *e = no_rings;
        rc = e->code;
    }
    return rc ? rc : stop_after(c->plan->time_ns, e);
}
