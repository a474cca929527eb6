/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start of a capture.
 *
 *   VIRQ      has one owner: a second capture fails here, before it changes
 *             anything in Xen or opens its file, or does without the VIRQ
 *             (--share-rings)
 *   masks     set before tracing starts, so that only wanted events are traced
 *   set_size  creates rings if there are none, and enables tracing at once;
 *             fails if there are rings, which is no error
 *   enable    starts tracing into rings that existed before
 *   get_info  returns the address of the directory, which exists by now
 *   map
 */
#include "xentrace/collect-private.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

#include <public/trace.h>

#include "common/num.h"
#include "xentrace/ring-drain.h"
#include "xentrace/competing-readers.h"
#include "xentrace/stop-signals.h"

/* Failure is not fatal: a capture works without the counts. */
static void read_initial_losses(struct collect *c)
{
    struct err e = ERR_INIT;

    c->can_count = !tbuf_state(c->hv, &c->state, c->lost_before, c->nr_cpus,
                               &e);
    if ( e.code )
        log_err(c->log, LOG_LEVEL_WARNING, &e);
}

/*
 * In most captures the rings exist, and set_size fails; *why matters only if
 * there are no rings in the end.
 */
static void create_rings(struct collect *c, struct err *why)
{
    unsigned int pages = c->plan->pages ? c->plan->pages : COLLECT_PAGES;

    assert(pages && !c->tracing);
    c->created_rings = !tbuf_set_size(c->hv, pages, why);
    c->tracing = c->created_rings;
}

/*
 * Drop the records in the rings?  New rings have records of this capture only,
 * and trace for a moment, even with --start-disabled.
 */
static bool is_discarded(const struct collect *c)
{
    return c->created_rings ? c->plan->start_disabled : c->plan->discard;
}

/* True: flight recorder mode is on, or *rc is the error. */
static bool start_flight_recorder(struct collect *c, int *rc, struct err *e)
{
    if ( !c->plan->flight_recorder )
        return false;
    *rc = tbuf_overwrite(c->hv, e);
    if ( *rc == -EOPNOTSUPP )
    {
        log_info(c->log, "this Xen has no flight recorder mode: keeping the "
                 "newest records in memory here instead");
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

static int open_rings(struct collect *c, struct err *e)
{
    int rc = rings_open(&c->rings, c->hv, c->nr_cpus, e);

    if ( rc )
        return rc;
    drain_map(&c->rings, c->log);
    if ( !c->rings.nr_mapped )
        return err_set(e, -ENODEV, "cannot map the ring of any pcpu");
    if ( c->plan->pages && c->plan->pages != c->rings.pages )
        log_warning(c->log, "the rings have %u page%s, not %u: they existed "
                    "before, or Xen's limit is lower", c->rings.pages,
                    num_plural(c->rings.pages), c->plan->pages);
    if ( is_discarded(c) && !c->recorder )
        drain_discard(&c->rings, c->lost_before, c->log);
    collect_warn_about_masks(c);
    return 0;
}

/* --- other readers -------------------------------------------------------- */

#define NAMES_MAX 200u

/* The directory of rings is memory that every reader maps. */
static bool find_readers(const struct collect *c, char names[NAMES_MAX])
{
    return competing_readers_find(c->rings.info, names, NAMES_MAX);
}

void collect_warn_shared(struct collect *c, const char *why)
{
    char names[NAMES_MAX];

    c->shared = true;
    if ( find_readers(c, names) )
        log_warning(c->log, "%s: %s; each reader gets only part of the records",
                    why, names);
    else
        log_warning(c->log, "%s; each reader gets only part of the records",
                    why);
}

static bool has_moved(const struct collect *c)
{
    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
        if ( c->rings.ring[cpu].cons_moves )
            return true;
    return false;
}

void collect_check_readers(struct collect *c)
{
    if ( !c->shared && has_moved(c) )
        collect_warn_shared(c, "another process reads records from the rings");
}

bool collect_is_shared(const struct collect *c)
{
    bool was_on = c->state.flags & XEN_TBUF_ENABLED;
    char names[NAMES_MAX];

    if ( (!was_on && !c->shared && !has_moved(c)) || !find_readers(c, names) )
        return false;
    log_info(c->log, "tracing stays on for %s", names);
    return true;
}

/* Readers that were there before this capture. */
static void check_first_readers(struct collect *c)
{
    char names[NAMES_MAX];

    assert(c->rings.info);
    if ( c->virq < 0 )
        collect_warn_shared(c, "another process reads the rings");
    else if ( c->state.flags & XEN_TBUF_ENABLED && find_readers(c, names) )
        collect_warn_shared(c, "another process seems to read the rings");
}

/* The VIRQ has an owner, who reads the rings. */
static int refuse_second_reader(struct collect *c, struct err *e)
{
    struct err ignored = ERR_INIT;
    char names[NAMES_MAX];

    rings_open(&c->rings, c->hv, c->nr_cpus, &ignored);
    if ( !find_readers(c, names) )
        snprintf(names, sizeof(names), "another program");
    return err_set(e, -EBUSY, "%s reads Xen's rings, and each record has one "
                   "reader: stop that program (see xentrace status), or give "
                   "--share-rings to read a part of the records", names);
}

/* Is rc the failure of enable and get_info after set_size created no rings? */
static bool means_no_rings(const struct collect *c, int rc)
{
    return !c->rings.hv && (rc == -EINVAL || rc == -ENODEV);
}

int collect_bind_virq(struct collect *c, struct err *e)
{
    int rc = c->hv->type->bind_virq(c->hv, &c->virq, e);

    if ( !rc )
        return 0;
    c->virq = -1;
    if ( rc != -EEXIST && rc != -EBUSY )
        return err_sys(e, rc, "cannot bind VIRQ_TBUF");
    return c->plan->share_rings ? 0 : refuse_second_reader(c, e);
}

/*
 * Rings are emptied one after the other, so the records of one pcpu would begin
 * later than those of another.  Therefore old rings are emptied before tracing
 * begins, unless it was on.
 */
static int open_and_start(struct collect *c, struct err *e)
{
    bool is_first = c->plan->discard && !c->created_rings &&
                    !c->plan->flight_recorder;
    int rc = is_first ? open_rings(c, e) : 0;

    rc = rc ? rc : start_tracing(c, e);
    return rc || is_first ? rc : open_rings(c, e);
}

int collect_start(struct collect *c, struct err *e)
{
    struct err no_rings = ERR_INIT;
    int rc;

    assert(!c->tracing);
    rc = collect_set_masks(c, e);
    if ( rc )
        return rc;
    read_initial_losses(c);
    create_rings(c, &no_rings);
    rc = open_and_start(c, e);
    if ( !rc )
        check_first_readers(c);
    if ( rc && means_no_rings(c, rc) && no_rings.code )
    {
        *e = no_rings;
        rc = e->code;
    }
    return rc ? rc : stop_after(c->plan->time_ns, e);
}
