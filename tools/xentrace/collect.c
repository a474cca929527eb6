/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of things.
 *
 *   VIRQ      only one can have it: who comes second, changes nothing
 *   masks     before anything is traced, so that nothing else is
 *   set_size  makes rings where there are none, and then traces at once;
 *             refused where there are some, which is as good
 *   enable    so that rings which were there trace, too
 *   get_info  where the directory is; only now there surely is one
 *   map
 *   passes    until somebody asks to stop: sleep until half a ring is full
 *             or the time is up, and drain; once a second, say what the clocks
 *             show and what was lost
 *   disable   and passes until the rings are empty: they are at rest now
 *   the end   what did not get into the file is counted, and the file says so
 */
#include "xentrace/collect.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

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

static int open_counts(struct collect *c, struct err *e)
{
    c->before = fault_calloc(c->nr_cpus, sizeof(*c->before));
    c->lost = fault_calloc(c->nr_cpus, sizeof(*c->lost));
    return c->before && c->lost ? 0 : err_sys(e, -ENOMEM, "cannot count what "
                                              "is lost");
}

int collect_open(struct collect *c, const struct collect_plan *plan,
                 struct hv *hv, const struct log *log, struct err *e)
{
    int rc;

    *c = (struct collect){ .plan = plan, .hv = hv, .log = log, .virq = -1 };
    rc = hv->type->info(hv, &c->info, e);
    if ( rc )
        return err_sys(e, rc, "Xen does not say what it runs on");
    if ( !c->info.nr_cpus || c->info.nr_cpus > XT_MAX_CPUS )
        return err_set(e, -EPROTO, "Xen says that it has %u pcpus, and we "
                       "believe %u at most", c->info.nr_cpus, XT_MAX_CPUS);
    c->nr_cpus = c->info.nr_cpus;
    rc = parse_cpus(c, e);
    if ( !rc )
        rc = open_counts(c, e);
    if ( rc )
        collect_close(c);
    return rc;
}

void collect_close(struct collect *c)
{
    if ( c->flowing )
        flow_close(&c->flow);
    if ( c->rings.hv )
        rings_close(&c->rings);
    free(c->cpu_bits);
    free(c->before);
    free(c->lost);
    *c = (struct collect){ .virq = -1 };
}

/* --- losses -------------------------------------------------------------- */

/* Without the counts, a capture is still a capture. */
static void count_before(struct collect *c)
{
    struct err e = ERR_INIT;

    c->can_count = !tbuf_state(c->hv, &c->state, c->before, c->nr_cpus, &e);
    if ( e.code )
        log_err(c->log, LOG_LEVEL_WARNING, &e);
}

/* What was lost since: true if any of it is new. */
static bool count_lost(struct collect *c)
{
    uint64_t *now = fault_calloc(c->nr_cpus, sizeof(*now));
    struct err ignored = ERR_INIT;
    struct tbuf_state state;
    bool news = false;

    if ( now && c->can_count &&
         !tbuf_state(c->hv, &state, now, c->nr_cpus, &ignored) )
        for ( unsigned int cpu = 0; cpu < c->nr_cpus; cpu++ )
        {
            news |= c->lost[cpu].ring != now[cpu] - c->before[cpu];
            c->lost[cpu].ring = now[cpu] - c->before[cpu];
        }
    free(now);
    return news;
}

/* Records about what each pcpu has lost, at m: how many. */
static unsigned int lost_records(const struct collect *c, struct xt_meta *m)
{
    unsigned int nr = 0;

    for ( unsigned int cpu = 0; cpu < c->nr_cpus; cpu++ )
    {
        const struct collect_lost *l = &c->lost[cpu];
        const uint64_t by_reason[] = { l->ring, l->memory, l->output };

        for ( unsigned int why = 0; why < 3; why++ )
            if ( by_reason[why] )
                m[nr++] = (struct xt_meta){
                    .event = TRC_META_LOST,
                    .lost = { .cpu = cpu, .why = why,
                              .lost = by_reason[why] },
                };
    }
    return nr;
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
    int rc = c->hv->type->bind_virq(c->hv, &c->virq, e);

    if ( rc )
        return err_sys(e, rc, "cannot bind VIRQ_TBUF");
    rc = set_masks(c, e);
    if ( rc )
        return rc;
    count_before(c);
    make_rings(c, &no_rings);
    rc = start_tracing(c, e);
    if ( !rc )
        rc = open_rings(c, e);
    if ( rc && says_no_rings(c, rc) && no_rings.code )
    {
        *e = no_rings;
        rc = e->code;
    }
    return rc ? rc : stop_after(c->plan->time_ns, e);
}

/* --- where it goes ------------------------------------------------------- */

/* See capture_flags of events/11-meta. */
static uint32_t capture_flags(const struct collect *c)
{
    return (c->plan->discard ? 1u << 0 : 0) |
           (c->plan->start_disabled ? 1u << 1 : 0) |
           (c->plan->memory ? 1u << 3 : 0) |
           (c->state.flags & XEN_TBUF_ENABLED ? 1u << 4 : 0) |
           (c->info.simulated ? 1u << 5 : 0);
}

/* The largest ring has to fit in, and a few more. */
static uint64_t buffer_size(const struct collect *c)
{
    uint64_t least = 4 * ((uint64_t)c->rings.pages * HV_PAGE_SIZE +
                          XT_WINDOW_HEADER);

    return c->plan->buffer > least ? c->plan->buffer : least;
}

/* The pcpu in whose windows we speak: the first one that is traced. */
static unsigned int first_traced(const struct collect *c)
{
    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
        if ( c->rings.ring[cpu].buf &&
             (!c->cpu_bits || c->cpu_bits[cpu / 8] >> cpu % 8 & 1) )
            return cpu;
    return 0;
}

static int open_flow(struct collect *c, struct writer *w, struct err *e)
{
    uint32_t mask = c->plan->evt_mask;
    struct flow_plan plan = {
        .memory = c->plan->memory, .buffer = buffer_size(c),
        .cpu = first_traced(c), .nr_cpus = c->nr_cpus,
        .start = { .evt_mask = mask ? mask : c->rings.evt_mask,
                   .pages = c->rings.pages, .cpus = c->rings.nr_mapped,
                   .flags = capture_flags(c),
                   .arguments = c->plan->arguments },
    };
    int rc = flow_open(&c->flow, &plan, w, c->hv, &c->info, e);

    c->flowing = !rc;
    return rc;
}

/* --- the capture --------------------------------------------------------- */

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

/* What the clocks show, and what was lost if that is news. */
static void say_second(struct collect *c)
{
    struct xt_meta *m = fault_calloc(1 + 3 * c->nr_cpus, sizeof(*m));
    struct err ignored = ERR_INIT;
    unsigned int nr = 0;

    if ( m && !about_clock(c->hv, m, &ignored) )
        nr = 1;
    if ( m && count_lost(c) )
        nr += lost_records(c, m + nr);
    if ( nr )
        flow_say(&c->flow, m, nr);
    free(m);
}

static void pass(struct collect *c, uint64_t now)
{
    drain_all(&c->rings, &c->flow.store, false, c->log);
    if ( now >= c->next_second )
    {
        say_second(c);
        c->next_second = now + 1000;
    }
    flow_publish(&c->flow);
}

/* Sleep until it is time for a pass; what is safe is given back meanwhile. */
static int wait_for_pass(struct collect *c, uint64_t until, struct err *e)
{
    struct pollfd fds[] = {
        { .fd = c->virq, .events = POLLIN },
        { .fd = flow_fd(&c->flow), .events = POLLIN },
    };
    uint64_t now;
    int rc = 0;

    while ( !rc && !stop_asked() && (now = now_ms()) < until )
    {
        rc = stop_wait(fds, 2, until - now, e);
        if ( !rc && fds[1].revents )
            rc = flow_ack(&c->flow, e);
        drain_release(&c->rings, &c->flow.store);
        if ( !rc && fds[0].revents )
            return c->hv->type->ack_virq(c->hv, e);
        if ( !fds[0].revents && !fds[1].revents )
            break;
    }
    return rc;
}

/* Of what a snapshot fails for, the capture does not. */
static void snapshot(struct collect *c)
{
    struct err e = ERR_INIT;

    if ( !c->flow.to_memory || !c->flow.writer->ours )
    {
        log_warning(c->log, "no snapshot: it needs -M, and a file to be named "
                    "after");
        return;
    }
    if ( flow_snapshot(&c->flow, ++c->snapshots, 0, &e) )
        log_err(c->log, LOG_LEVEL_WARNING, &e);
    else
        log_info(c->log, "snapshot %u is written", c->snapshots);
}

static int passes(struct collect *c, struct err *e)
{
    uint64_t now = now_ms();
    int rc = 0;

    c->next_second = now + 1000;
    while ( !rc && !stop_asked() )
    {
        pass(c, now);
        if ( stop_snapshot() )
            snapshot(c);
        rc = wait_for_pass(c, now + c->plan->sleep_ms, e);
        now = now_ms();
    }
    return rc;
}

/* --- the end ------------------------------------------------------------- */

/* Until the rings are empty, or nobody takes what is in them. */
static int last_passes(struct collect *c, struct err *e)
{
    struct pollfd fd = { .fd = flow_fd(&c->flow), .events = POLLIN };
    int rc = 0;

    while ( !drain_all(&c->rings, &c->flow.store, true, c->log) && !rc &&
            !stop_insisted() )
    {
        flow_publish(&c->flow);
        poll(&fd, 1, 50);
        rc = flow_ack(&c->flow, e);
    }
    flow_publish(&c->flow);
    return rc;
}

static void count_unwritten(struct collect *c, bool failed)
{
    uint64_t *left = fault_calloc(c->nr_cpus, sizeof(*left));

    if ( left )
    {
        drain_count(&c->rings, left);
        if ( failed )
            flow_count(&c->flow, left, c->nr_cpus);
        for ( unsigned int cpu = 0; cpu < c->nr_cpus; cpu++ )
            c->lost[cpu].output = left[cpu];
    }
    free(left);
    for ( unsigned int cpu = 0; c->flow.to_memory && cpu < c->nr_cpus; cpu++ )
        c->lost[cpu].memory = c->flow.memory.dropped[cpu];
}

/* See end_reason of events/11-meta. */
static uint32_t end_reason(const struct collect *c, int rc)
{
    if ( c->flow.writer->failed )
        return 5;
    return rc ? 6 : stop_by_time() ? 2 : 1;
}

/* The file's last window, if there is still a way to write one. */
static int say_last(struct collect *c, int rc, struct err *e)
{
    struct xt_meta *m = fault_calloc(1 + 3 * c->nr_cpus, sizeof(*m));
    struct writer *w = c->flow.writer;
    struct err ignored = ERR_INIT;
    unsigned int nr;
    uint64_t tsc = 0;
    int said = 0;

    if ( !m )
        return 0;
    nr = lost_records(c, m);
    about_now(c->hv, &tsc, &ignored);
    m[nr++] = (struct xt_meta){
        .event = TRC_META_END,
        .end = { .tsc = tsc, .bytes = w->bytes, .windows = w->windows,
                 .reason = end_reason(c, rc) },
    };
    writer_retry(w);
    said = flow_last(&c->flow, m, nr, rc ? &ignored : e);
    free(m);
    return said;
}

/*
 * What is in the rings is worth having even if something went wrong; if it
 * was the writer, it refuses by itself.
 */
static int stop(struct collect *c, int rc, struct err *e)
{
    int off = 0, taken, written;

    if ( !c->plan->leave_enabled )
        off = tbuf_disable(c->hv, e);
    taken = last_passes(c, e);
    written = flow_end(&c->flow, stop_insisted, e);
    drain_release(&c->rings, &c->flow.store);
    count_lost(c);
    count_unwritten(c, written);
    rc = rc ? rc : off ? off : taken ? taken : written;
    written = say_last(c, rc, e);
    return rc ? rc : written;
}

static int fail_to_start(struct collect *c, int rc)
{
    struct err ignored = ERR_INIT;

    if ( c->tracing && !c->plan->leave_enabled )
        tbuf_disable(c->hv, &ignored);
    return rc;
}

int collect_run(struct collect *c, struct writer *w, struct err *e)
{
    int rc = start(c, e);

    if ( !rc )
        rc = open_flow(c, w, e);
    if ( rc )
        return fail_to_start(c, rc);
    rc = passes(c, e);
    return stop(c, rc, e);
}
