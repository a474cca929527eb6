/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reports of a capture about itself: clock and loss records in the file,
 * messages to a service manager, and the lines of --stats.
 */
#include "xentrace/collect-private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include <public/trace.h>

#include "common/fault.h"
#include "xentrace/ring-drain.h"
#include "xentrace/service.h"
#include "xentrace/stop-signals.h"

/* --- losses --------------------------------------------------------------- */

/* Update the ring losses of all pcpus; true: a count has changed. */
static bool update_losses(struct collect *c)
{
    uint64_t *now = fault_calloc(c->nr_cpus, sizeof(*now));
    struct err ignored = ERR_INIT;
    struct tbuf_state state;
    bool is_new = false;

    assert(c->rings.nr_cpus <= c->nr_cpus);
    if ( now && c->can_count &&
         !tbuf_state(c->hv, &state, now, c->nr_cpus, &ignored) )
        for ( unsigned int cpu = 0; cpu < c->nr_cpus; cpu++ )
        {
            is_new |= c->lost[cpu].ring != now[cpu] - c->lost_before[cpu];
            c->lost[cpu].ring = now[cpu] - c->lost_before[cpu];
        }
    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
    {
        c->lost[cpu].reported = c->rings.ring[cpu].reported;
        is_new |= c->lost[cpu].taken != c->rings.ring[cpu].taken;
        c->lost[cpu].taken = c->rings.ring[cpu].taken;
    }
    free(now);
    return is_new;
}

#define REASONS 5u      /* enum lost_why of events/11-meta */

/*
 * Encode all non-zero losses as records at m; returns their number.  If Xen
 * counts its losses, there is at least one record.
 */
static unsigned int make_lost_records(const struct collect *c,
                                      struct xt_meta *m)
{
    unsigned int nr = 0;

    for ( unsigned int cpu = 0; cpu < c->nr_cpus; cpu++ )
    {
        const struct collect_lost *l = &c->lost[cpu];
        const uint64_t by_reason[REASONS] = {
            l->ring, l->memory, l->output, c->can_count ? l->reported : 0,
            l->taken,
        };

        for ( unsigned int why = 0; why < REASONS; why++ )
            if ( by_reason[why] || (c->can_count && !cpu && !why) )
                m[nr++] = (struct xt_meta){
                    .event = TRC_META_LOST,
                    .lost = { .cpu = cpu, .why = why,
                              .lost = by_reason[why] },
                };
    }
    assert(nr <= REASONS * c->nr_cpus);
    return nr;
}

/* --- tracing -------------------------------------------------------------- */

static void format_now(char *text, size_t size)
{
    time_t now = time(NULL);
    struct tm t;

    *text = '\0';
    if ( localtime_r(&now, &t) )
        strftime(text, size, "%H:%M:%S", &t);
}

void collect_check_tracing(struct collect *c)
{
    uint64_t *lost = fault_calloc(c->nr_cpus, sizeof(*lost));
    struct err ignored = ERR_INIT;
    struct tbuf_state state;
    char now[16];
    bool is_off;

    if ( !lost || !c->can_count || !c->tracing ||
         tbuf_state(c->hv, &state, lost, c->nr_cpus, &ignored) )
        goto out;
    is_off = !(state.flags & XEN_TBUF_ENABLED);
    if ( is_off == c->is_off )
        goto out;
    c->is_off = is_off;
    format_now(now, sizeof(now));
    if ( is_off )
        log_warning(c->log, "tracing was switched off at %s by another program:"
                    " no records until it is switched on again", now);
    else
        log_warning(c->log, "tracing was switched on again at %s", now);
 out:
    free(lost);
}

/* --- once a second -------------------------------------------------------- */

/* Write a clock record, and loss records if a count has changed. */
static void write_second(struct collect *c)
{
    struct xt_meta *m = fault_calloc(1 + REASONS * c->nr_cpus, sizeof(*m));
    struct err ignored = ERR_INIT;
    unsigned int nr = 0;

    if ( m && !metadata_sample_clocks(c->hv, m, &ignored) )
        nr = 1;
    if ( m && update_losses(c) )
        nr += make_lost_records(c, m + nr);
    if ( nr )
        pipeline_put_records(&c->pipeline, m, nr);
    free(m);
    pipeline_poll_metadata(&c->pipeline, c->hv);
}

/* The bytes of the newest records, which are not in the file yet. */
static void get_held(const struct collect *c, struct stats_now *now)
{
    const struct window_fifo *fifo = &c->pipeline.memory.fifo;

    now->holder = c->recorder ? HOLDER_RINGS
                  : c->pipeline.to_memory ? HOLDER_MEMORY : HOLDER_FILE;
    for ( unsigned int cpu = 0; c->recorder && cpu < c->rings.nr_cpus; cpu++ )
        now->room += c->rings.ring[cpu].data_size;
    if ( now->holder != HOLDER_MEMORY )
        return;
    now->room = fifo->size;
    now->held = fifo->head - fifo->tail;
    for ( unsigned int cpu = 0; cpu < c->nr_cpus; cpu++ )
        now->overwritten += c->pipeline.memory.dropped[cpu];
}

void collect_get_progress(const struct collect *c, struct stats_now *now)
{
    *now = (struct stats_now){
        .ms = collect_now_ms(),
        .waiting = pipeline_pending_bytes(&c->pipeline),
    };
    get_held(c, now);
    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
    {
        const struct ring *r = &c->rings.ring[cpu];
        unsigned int full = r->data_size ? 100 * r->peak / r->data_size : 0;

        now->events += r->records;
        now->bytes += r->bytes;
        now->lost += c->can_count ? c->lost[cpu].ring : r->reported;
        now->full = full > now->full ? full : now->full;
    }
    assert(now->overwritten <= now->events);
}

static void notify_status(const struct stats_now *now)
{
    const char *read = now->holder == HOLDER_MEMORY ? " read" : "";

    if ( now->holder == HOLDER_RINGS )
        service_notify("WATCHDOG=1\nSTATUS=up to %llu bytes in Xen's rings, "
                       "%llu lost", (unsigned long long)now->room,
                       (unsigned long long)now->lost);
    else
        service_notify("WATCHDOG=1\nSTATUS=%llu events%s, %llu bytes%s, "
                       "%llu lost", (unsigned long long)now->events, read,
                       (unsigned long long)now->bytes, read,
                       (unsigned long long)now->lost);
}

static void report_second(struct collect *c)
{
    struct stats_now now;

    collect_get_progress(c, &now);
    if ( c->plan->stats )
        stats_line_print(&c->stats, &now);
    notify_status(&now);
}

void collect_every_second(struct collect *c, uint64_t now)
{
    if ( now < c->next_second )
        return;
    c->next_second = now + 1000;
    write_second(c);
    report_second(c);
    collect_check_tracing(c);
    collect_check_readers(c);
}

/* --- end of the capture --------------------------------------------------- */

/*
 * Update the counts of a pcpu: `left` events are still in its ring, and
 * `failed` records were copied, but are not in the file.  The events to be
 * written are those copied, or with a memory buffer those that it holds.
 */
static void count_written(struct collect *c, unsigned int cpu, uint64_t left,
                          const struct scan_counts *held,
                          const struct scan_counts *failed)
{
    struct collect_lost *l = &c->lost[cpu];
    uint64_t events = c->pipeline.to_memory ? held->events
                      : cpu < c->rings.nr_cpus ? c->rings.ring[cpu].records
                      : 0;

    assert(failed->events <= events);
    l->written = events - failed->events;
    l->output = left + failed->events;
    /* Other processes may have changed the ring after the copy. */
    l->reported -= failed->lost < l->reported ? failed->lost : l->reported;
}

/*
 * With -x, and if tracing stays on for another reader, records in the rings are
 * left for the next reader, not lost.  Loss records that are not in the file
 * report nothing.
 */
static void count_unwritten(struct collect *c, bool has_failed)
{
    struct scan_counts *held = fault_calloc(c->nr_cpus, sizeof(*held));
    struct scan_counts *failed = fault_calloc(c->nr_cpus, sizeof(*failed));
    uint64_t *left = fault_calloc(c->nr_cpus, sizeof(*left));

    if ( left && held && failed )
    {
        if ( !c->plan->leave_enabled && !c->left_on )
            drain_count(&c->rings, left);
        if ( c->pipeline.to_memory )
            memory_buffer_count(&c->pipeline.memory, 0, held);
        if ( has_failed )
            pipeline_count(&c->pipeline, failed, c->nr_cpus);
        for ( unsigned int cpu = 0; cpu < c->nr_cpus; cpu++ )
            count_written(c, cpu, left[cpu], &held[cpu], &failed[cpu]);
    }
    free(left);
    free(held);
    free(failed);
}

/* Events that left the memory buffer for newer ones. */
static void update_dropped(struct collect *c)
{
    for ( unsigned int cpu = 0; c->pipeline.to_memory && cpu < c->nr_cpus;
          cpu++ )
        c->lost[cpu].memory = c->pipeline.memory.dropped[cpu];
}

void collect_count_losses(struct collect *c, bool failed)
{
    update_losses(c);
    count_unwritten(c, failed);
    update_dropped(c);
}

struct xt_meta *collect_make_losses(struct collect *c, unsigned int *nr)
{
    struct xt_meta *m = fault_calloc(REASONS * c->nr_cpus, sizeof(*m));

    update_losses(c);
    update_dropped(c);
    *nr = m ? make_lost_records(c, m) : 0;
    return m;
}

/* The values are enum end_reason of events/11-meta. */
static uint32_t end_reason(const struct collect *c, int rc)
{
    if ( c->pipeline.writer->failed )
        return 5;
    if ( rc )
        return 6;
    return stop_by_time() ? 2 : collect_has_enough_snapshots(c) ? 4 : 1;
}

int collect_write_trailer(struct collect *c, int rc, struct err *e)
{
    struct xt_meta *m = fault_calloc(1 + REASONS * c->nr_cpus, sizeof(*m));
    struct writer *w = c->pipeline.writer;
    struct err ignored = ERR_INIT;
    unsigned int nr;
    uint64_t tsc = 0;
    int trailer_rc;

    if ( !m )
        return 0;
    nr = make_lost_records(c, m);
    metadata_read_tsc(c->hv, &tsc, &ignored);
    m[nr++] = (struct xt_meta){
        .event = TRC_META_END,
        .end = { .tsc = tsc, .bytes = w->bytes, .windows = w->windows,
                 .reason = end_reason(c, rc) },
    };
    writer_retry(w);
    trailer_rc = pipeline_write_trailer(&c->pipeline, m, nr, rc ? &ignored : e);
    free(m);
    return trailer_rc;
}
