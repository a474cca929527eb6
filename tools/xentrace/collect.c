/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of things, after the start (collect-start.c).
 *
 *   passes    until somebody asks to stop: sleep until half a ring is full
 *             or the time is up, and drain; once a second, say what the clocks
 *             show and what was lost
 *   disable   and passes until the rings are empty: they are at rest now
 *   the end   what did not get into the file is counted, and the file says so
 */
#include "xentrace/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include <public/trace.h>

#include "common/fault.h"
#include "libxentrace/window.h"
#include "xentrace/collect-private.h"
#include "xentrace/drain.h"
#include "xentrace/mask.h"
#include "xentrace/service.h"
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
    if ( c->plan && c->plan->triggers )
        triggers_close(c->plan->triggers);
    if ( c->rings.hv )
        rings_close(&c->rings);
    free(c->cpu_bits);
    free(c->before);
    free(c->lost);
    *c = (struct collect){ .virq = -1 };
}

/* --- losses -------------------------------------------------------------- */

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

/* --- where it goes ------------------------------------------------------- */

/* See capture_flags of events/11-meta. */
static uint32_t capture_flags(const struct collect *c)
{
    return (c->plan->discard ? 1u << 0 : 0) |
           (c->plan->start_disabled ? 1u << 1 : 0) |
           (c->recorder ? 1u << 2 : 0) | (c->plan->memory ? 1u << 3 : 0) |
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

/* A recorder's rings have to fit into the memory that takes what they hold. */
static uint64_t memory_size(const struct collect *c)
{
    uint64_t rings = 2 * (uint64_t)c->rings.pages * HV_PAGE_SIZE *
                     (c->rings.nr_mapped + 1);

    return c->recorder && rings > c->plan->memory ? rings : c->plan->memory;
}

static int open_flow(struct collect *c, struct writer *w, struct err *e)
{
    uint32_t mask = c->plan->evt_mask;
    struct flow_plan plan = {
        .triggers = c->plan->triggers,
        .memory = memory_size(c), .buffer = buffer_size(c),
        .cpu = first_traced(c), .nr_cpus = c->nr_cpus,
        .start = { .evt_mask = mask ? mask : c->rings.evt_mask,
                   .pages = c->rings.pages, .cpus = c->rings.nr_mapped,
                   .flags = capture_flags(c),
                   .arguments = c->plan->arguments },
    };
    int rc = 0;

    if ( c->plan->triggers )
        rc = triggers_open(c->plan->triggers, c->nr_cpus,
                           1000ull * c->info.tsc_khz, e);
    if ( !rc )
        rc = flow_open(&c->flow, &plan, w, c->hv, &c->info, e);
    c->flowing = !rc;
    if ( !rc && c->plan->ready )
        c->plan->ready(c->plan->ready_arg);
    return rc;
}

/* --- once a second ------------------------------------------------------- */

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
    flow_news(&c->flow, c->hv);
}

static void add_up(const struct collect *c, struct stats_now *now)
{
    *now = (struct stats_now){ .ms = now_ms(),
                               .waiting = flow_waiting(&c->flow) };
    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
    {
        const struct ring *r = &c->rings.ring[cpu];
        unsigned int full = r->data_size ? 100 * r->peak / r->data_size : 0;

        now->events += r->records;
        now->bytes += r->bytes;
        now->lost += c->lost[cpu].ring;
        now->full = full > now->full ? full : now->full;
    }
}

static void tell_second(struct collect *c)
{
    struct stats_now now;

    add_up(c, &now);
    if ( c->plan->stats )
        stats_print(&c->stats, &now);
    service_notify("WATCHDOG=1\nSTATUS=%llu events, %llu bytes, %llu lost",
                   (unsigned long long)now.events,
                   (unsigned long long)now.bytes,
                   (unsigned long long)now.lost);
}

static void every_second(struct collect *c, uint64_t now)
{
    if ( now < c->next_second )
        return;
    c->next_second = now + 1000;
    say_second(c);
    tell_second(c);
    for ( unsigned int cpu = 0; !c->shared && cpu < c->rings.nr_cpus; cpu++ )
        if ( c->rings.ring[cpu].others )
            collect_share(c, "somebody else takes records from the rings");
}

/* When this pass begins, for triggers; 0: not all pcpus are seen. */
static void note_time(struct collect *c)
{
    struct err ignored = ERR_INIT;

    c->pass_tsc = 0;
    if ( c->plan->triggers && !c->cpu_bits && !c->state.nr_masked &&
         c->rings.nr_mapped >= c->info.nr_online )
        about_now(c->hv, &c->pass_tsc, &ignored);
}

static void pass(struct collect *c, uint64_t now)
{
    note_time(c);
    if ( !c->recorder )
        drain_all(&c->rings, &c->flow.store, false, c->log);
    every_second(c, now);
    flow_publish(&c->flow);
}

/* --- snapshots ----------------------------------------------------------- */

/* Make Xen offer what it has recorded, and take that. */
static int play_back(struct collect *c, struct err *e)
{
    int rc = tbuf_disable(c->hv, e);

    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
        ring_forget(&c->rings.ring[cpu]);
    drain_all(&c->rings, &c->flow.store, true, c->log);
    return rc;
}

static int record_again(struct collect *c, struct err *e)
{
    memory_empty(&c->flow.memory);
    return tbuf_overwrite(c->hv, e);
}

/* Of what writing it fails for, the capture does not. */
static int snapshot(struct collect *c, struct err *e)
{
    struct err why = ERR_INIT;
    int rc = c->recorder ? play_back(c, e) : 0;

    c->due_ms = 0;
    if ( rc )
        return rc;
    if ( flow_snapshot(&c->flow, ++c->snapshots, c->since, &why) )
        log_err(c->log, LOG_LEVEL_WARNING, &why);
    else
        log_info(c->log, "snapshot %u is written", c->snapshots);
    c->since = 0;
    return c->recorder ? record_again(c, e) : 0;
}

/* SIGUSR1: a snapshot, or where there can be none, how it goes. */
static void asked_by_signal(struct collect *c)
{
    char text[STATS_TEXT];
    struct stats_now now;

    if ( c->flow.to_memory && c->flow.writer->ours )
    {
        c->due_ms = 1;
        return;
    }
    add_up(c, &now);
    stats_text(&c->stats, &now, text);
    log_info(c->log, "%s", text);
}

static void asked_by_trigger(struct collect *c, uint64_t now)
{
    const struct triggers *t = c->plan->triggers;
    uint64_t before = (unsigned __int128)c->plan->before_ns *
                      c->info.tsc_khz / 1000000;

    log_info(c->log, "%s", t->why);
    if ( c->due_ms )
        return;
    c->due_ms = now + c->plan->after_ns / 1000000 + 1;
    c->since = c->plan->before_ns && before < t->tsc ? t->tsc - before : 0;
}

/* Is there one to be taken now? */
static int snapshots(struct collect *c, uint64_t now, struct err *e)
{
    if ( stop_snapshot() )
        asked_by_signal(c);
    if ( c->plan->triggers && triggers_pass(c->plan->triggers, c->pass_tsc) )
        asked_by_trigger(c, now);
    return c->due_ms && c->due_ms <= now ? snapshot(c, e) : 0;
}

static bool is_enough(const struct collect *c)
{
    return c->plan->enough && c->snapshots >= c->plan->enough;
}

/* --- the capture --------------------------------------------------------- */

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

static int passes(struct collect *c, struct err *e)
{
    uint64_t now = now_ms();
    int rc = 0;

    c->next_second = now + 1000;
    stats_begin(&c->stats, stderr, now);
    while ( !rc && !stop_asked() && !is_enough(c) )
    {
        pass(c, now);
        rc = snapshots(c, now, e);
        if ( !rc && !is_enough(c) )
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

/* With -x, what is in the rings is there for whoever comes next. */
static void count_unwritten(struct collect *c, bool failed)
{
    uint64_t *left = fault_calloc(c->nr_cpus, sizeof(*left));

    if ( left )
    {
        if ( !c->plan->leave_enabled )
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
    if ( rc )
        return 6;
    return stop_by_time() ? 2 : is_enough(c) ? 4 : 1;
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

    stats_end(&c->stats);
    service_notify("STOPPING=1");
    if ( c->recorder )
        off = play_back(c, e);
    else if ( !c->plan->leave_enabled )
        off = tbuf_disable(c->hv, e);
    flow_news(&c->flow, c->hv);
    taken = last_passes(c, e);
    if ( c->recorder && c->plan->leave_enabled && !off )
        off = tbuf_overwrite(c->hv, e);
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
    int rc = collect_start(c, e);

    if ( !rc )
        rc = open_flow(c, w, e);
    if ( rc )
        return fail_to_start(c, rc);
    rc = passes(c, e);
    return stop(c, rc, e);
}
