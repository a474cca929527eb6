/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main loop of a capture; collect-start.c has the steps before.
 *
 *   passes    until a stop is requested: sleep until a ring is half full or
 *             the time is up, then drain the rings; once a second, write
 *             records of the clocks and of losses
 *   disable   then drain until the rings, which no longer change, are empty
 *   the end   count the events that did not reach the file, and write the
 *             counts to the file
 */
#include "xentrace/collect.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include <public/trace.h>

#include "common/fault.h"
#include "libxentrace/libxentrace.h"
#include "xentrace/collect-private.h"
#include "xentrace/ring-drain.h"
#include "xentrace/mask.h"
#include "xentrace/service.h"
#include "xentrace/stop-signals.h"
#include "xentrace/tbuf.h"

/* --- open and close ------------------------------------------------------- */

static int parse_cpus(struct collect *c, struct err *e)
{
    if ( !c->plan->cpus )
        return 0;
    c->cpu_bits = fault_calloc(1, (c->nr_cpus + 7) / 8);
    if ( !c->cpu_bits )
        return err_sys(e, -ENOMEM, "cannot allocate a pcpu mask");
    return mask_cpus(c->plan->cpus, c->nr_cpus, c->cpu_bits, e);
}

static int open_counts(struct collect *c, struct err *e)
{
    c->lost_before = fault_calloc(c->nr_cpus, sizeof(*c->lost_before));
    c->lost = fault_calloc(c->nr_cpus, sizeof(*c->lost));
    if ( !c->lost_before || !c->lost )
        return err_sys(e, -ENOMEM,
                       "cannot allocate the counts of lost records");
    return 0;
}

int collect_open(struct collect *c, const struct collect_plan *plan,
                 struct hv *hv, const struct log *log, struct err *e)
{
    int rc;

    assert(!plan->flight_recorder || plan->memory);
    *c = (struct collect){ .plan = plan, .hv = hv, .log = log, .virq = -1 };
    c->hook = (struct snapshot_hook){ .command = plan->on_snapshot,
                                      .log = log };
    snapshot_policy_init(&c->policy, plan->every_ns / 1000000, plan->keep);
    rc = hv_query(hv, &c->info, e);
    if ( rc )
        return rc;
    c->nr_cpus = c->info.nr_cpus;
    rc = parse_cpus(c, e);
    if ( !rc )
        rc = open_counts(c, e);
    if ( !rc )
        rc = collect_bind_virq(c, e);
    if ( rc )
        collect_close(c);
    return rc;
}

void collect_close(struct collect *c)
{
    if ( c->pipeline_is_open )
        pipeline_close(&c->pipeline);
    if ( c->plan && c->plan->triggers )
        triggers_close(c->plan->triggers);
    if ( c->rings.hv )
        rings_close(&c->rings);
    snapshot_policy_fini(&c->policy);
    collect_free_masks(c);
    free(c->cpu_bits);
    free(c->lost_before);
    free(c->lost);
    *c = (struct collect){ .virq = -1 };
}

/* --- pipeline ------------------------------------------------------------- */

/* The bits are enum capture_flags of events/11-meta. */
static uint32_t capture_flags(const struct collect *c)
{
    return (c->plan->discard ? 1u << 0 : 0) |
           (c->plan->start_disabled ? 1u << 1 : 0) |
           (c->recorder ? 1u << 2 : 0) | (c->plan->memory ? 1u << 3 : 0) |
           (c->state.flags & XEN_TBUF_ENABLED ? 1u << 4 : 0) |
           (c->info.simulated ? 1u << 5 : 0);
}

/* Room for the largest ring, four times. */
static uint64_t buffer_size(const struct collect *c)
{
    uint64_t min_size = 4 * ((uint64_t)c->rings.pages * HV_PAGE_SIZE +
                             XT_WINDOW_HEADER);

    return c->plan->buffer > min_size ? c->plan->buffer : min_size;
}

/* The pcpu of all metadata windows: the first one that is traced. */
static unsigned int find_first_traced(const struct collect *c)
{
    assert(c->rings.nr_mapped > 0);
    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
        if ( c->rings.ring[cpu].buf &&
             (!c->cpu_bits || c->cpu_bits[cpu / 8] >> cpu % 8 & 1) )
            return cpu;
    return 0;
}

/* The buffer has to hold the contents of all rings of a flight recorder. */
static uint64_t memory_size(const struct collect *c)
{
    uint64_t rings = 2 * (uint64_t)c->rings.pages * HV_PAGE_SIZE *
                     (c->rings.nr_mapped + 1);

    return c->recorder && rings > c->plan->memory ? rings : c->plan->memory;
}

/* Called by the write thread. */
static void release_rings(void *collect)
{
    struct collect *c = collect;

    drain_release(&c->rings, &c->pipeline.sink);
}

static int open_pipeline(struct collect *c, struct writer *w, struct err *e)
{
    uint32_t mask = c->masks.evt;
    struct pipeline_plan plan = {
        .triggers = c->plan->triggers,
        .memory = memory_size(c),
        .queue = { .bytes = buffer_size(c), .safe = release_rings, .arg = c },
        .cpu = find_first_traced(c), .nr_cpus = c->nr_cpus,
        .start = { .evt_mask = mask ? mask : c->rings.evt_mask,
                   .pages = c->rings.pages, .cpus = c->rings.nr_mapped,
                   .flags = capture_flags(c),
                   .arguments = c->plan->arguments,
                   .comment = c->plan->comment },
    };
    int rc = 0;

    if ( c->plan->triggers )
        rc = triggers_open(c->plan->triggers, c->nr_cpus,
                           1000ull * c->info.tsc_khz, e);
    if ( !rc )
        rc = pipeline_open(&c->pipeline, &plan, w, c->hv, &c->info, e);
    c->pipeline_is_open = !rc;
    if ( !rc && c->plan->ready )
        c->plan->ready(c->plan->ready_arg);
    return rc;
}

/* --- passes --------------------------------------------------------------- */

uint64_t collect_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

/* Note the start of this pass for triggers; 0: some pcpus are not traced. */
static void note_pass_time(struct collect *c)
{
    struct err ignored = ERR_INIT;

    c->pass_tsc = 0;
    if ( c->plan->triggers && !c->cpu_bits && !c->state.nr_masked &&
         c->rings.nr_mapped >= c->info.nr_online )
        metadata_read_tsc(c->hv, &c->pass_tsc, &ignored);
}

static void run_pass(struct collect *c, uint64_t now)
{
    note_pass_time(c);
    if ( !c->recorder )
        drain_all(&c->rings, &c->pipeline.sink, false, c->log);
    collect_every_second(c, now);
    pipeline_publish(&c->pipeline);
}

#define HOOK_POLL_MS 1000u      /* longest sleep while a command runs */

static uint64_t choose_sleep(const struct collect *c)
{
    return hook_is_busy(&c->hook) && c->plan->sleep_ms > HOOK_POLL_MS
           ? HOOK_POLL_MS : c->plan->sleep_ms;
}

/* The control socket, or -1; *ms is lowered to its timeout. */
static int get_request_fd(const struct collect *c, uint64_t now, uint64_t *ms)
{
    uint64_t timeout;

    if ( !c->plan->requests )
        return -1;
    timeout = request_server_timeout(c->plan->requests, now);
    *ms = timeout < *ms ? timeout : *ms;
    return request_server_fd(c->plan->requests, now);
}

/* One sleep of at most ms; true: a pass is due. */
static bool sleep_once(struct collect *c, uint64_t now, uint64_t ms, int *rc,
                       struct err *e)
{
    uint64_t sleep_ms = ms;
    struct pollfd fds[] = {
        { .fd = c->virq, .events = POLLIN },
        { .fd = pipeline_fd(&c->pipeline), .events = POLLIN },
        { .fd = get_request_fd(c, now, &sleep_ms), .events = POLLIN },
    };

    *rc = stop_wait(fds, 3, sleep_ms, e);
    if ( !*rc && fds[1].revents )
        *rc = pipeline_ack(&c->pipeline, e);
    if ( !*rc && fds[0].revents )
        *rc = c->hv->type->ack_virq(c->hv, e);
    if ( *rc || fds[0].revents || stop_snapshot_is_requested() )
        return true;
    if ( (fds[2].revents || sleep_ms < ms) &&
         collect_serve_requests(c, collect_now_ms()) )
        return true;
    return !fds[1].revents && !fds[2].revents && sleep_ms == ms;
}

/* Sleep until the next pass; meanwhile, answer requests. */
static int wait_for_pass(struct collect *c, uint64_t until, struct err *e)
{
    uint64_t now;
    int rc = 0;

    while ( !stop_is_requested() && (now = collect_now_ms()) < until )
        if ( sleep_once(c, now, until - now, &rc, e) )
            break;
    return rc;
}

static int run_passes(struct collect *c, struct err *e)
{
    uint64_t now = collect_now_ms();
    int rc = 0;

    c->next_second = now + 1000;
    stats_line_begin(&c->stats, stderr, now);
    while ( !rc && !stop_is_requested() && !collect_has_enough_snapshots(c) )
    {
        run_pass(c, now);
        rc = collect_check_snapshots(c, now, e);
        if ( !rc && !collect_has_enough_snapshots(c) )
            rc = wait_for_pass(c, now + choose_sleep(c), e);
        now = collect_now_ms();
    }
    return rc;
}

/* --- end of the capture --------------------------------------------------- */

/* Drain until the rings are empty, or until the user forces a stop. */
static int run_last_passes(struct collect *c, struct err *e)
{
    struct pollfd fd = { .fd = pipeline_fd(&c->pipeline), .events = POLLIN };
    int rc = 0;

    while ( !drain_all(&c->rings, &c->pipeline.sink, true, c->log) && !rc &&
            !stop_is_forced() )
    {
        pipeline_publish(&c->pipeline);
        poll(&fd, 1, 50);
        rc = pipeline_ack(&c->pipeline, e);
    }
    pipeline_publish(&c->pipeline);
    return rc;
}

static int stop_tracing(struct collect *c, struct err *e)
{
    c->left_on = collect_is_shared(c);
    return c->left_on ? 0 : tbuf_disable(c->hv, e);
}

/*
 * Drain the rings even after an error: their records are still useful.  A
 * writer that has failed rejects further windows by itself.
 */
static int stop_capture(struct collect *c, int rc, struct err *e)
{
    int stop_rc = 0, drain_rc, write_rc;

    assert(c->pipeline_is_open);
    stats_line_end(&c->stats);
    service_notify("STOPPING=1");
    collect_check_tracing(c);
    if ( c->recorder )
        stop_rc = collect_play_back(c, e);
    else if ( !c->plan->leave_enabled )
        stop_rc = stop_tracing(c, e);
    collect_restore_masks(c);
    pipeline_poll_metadata(&c->pipeline, c->hv);
    drain_rc = run_last_passes(c, e);
    if ( c->recorder && c->plan->leave_enabled && !stop_rc )
        stop_rc = tbuf_overwrite(c->hv, e);
    write_rc = pipeline_end(&c->pipeline, stop_is_forced, e);
    drain_release(&c->rings, &c->pipeline.sink);
    collect_check_readers(c);
    collect_count_losses(c, write_rc);
    rc = rc ? rc : stop_rc ? stop_rc : drain_rc ? drain_rc : write_rc;
    write_rc = collect_write_trailer(c, rc, e);
    return rc ? rc : write_rc;
}

static int fail_to_start(struct collect *c, int rc)
{
    struct err ignored = ERR_INIT;

    if ( c->tracing && !c->plan->leave_enabled )
        tbuf_disable(c->hv, &ignored);
    collect_restore_masks(c);
    return rc;
}

int collect_run(struct collect *c, struct writer *w, struct err *e)
{
    int rc = collect_start(c, e);

    if ( !rc )
        rc = open_pipeline(c, w, e);
    if ( rc )
        return fail_to_start(c, rc);
    rc = run_passes(c, e);
    rc = stop_capture(c, rc, e);
    hook_end(&c->hook, stop_is_forced);
    return rc;
}
