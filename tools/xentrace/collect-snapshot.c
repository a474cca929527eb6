/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots of the memory buffer: when to take one, and how to get the records
 * out of a flight recorder.
 */
#include "xentrace/collect-private.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "xentrace/ring-drain.h"
#include "xentrace/stop-signals.h"

int collect_play_back(struct collect *c, struct err *e)
{
    int rc = tbuf_disable(c->hv, e);

    for ( unsigned int cpu = 0; cpu < c->rings.nr_cpus; cpu++ )
        ring_restart(&c->rings.ring[cpu]);
    drain_all(&c->rings, &c->pipeline.sink, true, c->log);
    return rc;
}

static int restart_recorder(struct collect *c, struct err *e)
{
    assert(c->recorder && c->pipeline.to_memory);
    memory_buffer_clear(&c->pipeline.memory);
    return tbuf_overwrite(c->hv, e);
}

static int write_snapshot(struct collect *c, struct err *e)
{
    struct snapshot_plan plan = {
        .nr = ++c->snapshots, .since = c->snapshot_since,
    };
    struct err ignored = ERR_INIT;
    int rc;

    plan.losses = collect_make_losses(c, &plan.nr_losses);
    metadata_read_tsc(c->hv, &plan.tsc, &ignored);
    rc = pipeline_write_snapshot(&c->pipeline, &plan, e);
    free(plan.losses);
    return rc;
}

/* A snapshot that cannot be written is a warning; the capture goes on. */
static int take_snapshot(struct collect *c, struct err *e)
{
    struct err why = ERR_INIT;
    int rc = c->recorder ? collect_play_back(c, e) : 0;

    assert(c->pipeline.to_memory);
    c->snapshot_due_ms = 0;
    if ( rc )
        return rc;
    if ( write_snapshot(c, &why) )
        log_err(c->log, LOG_LEVEL_WARNING, &why);
    else
        log_info(c->log, "snapshot %u is written", c->snapshots);
    c->snapshot_since = 0;
    return c->recorder ? restart_recorder(c, e) : 0;
}

/* SIGUSR1: take a snapshot; without a memory buffer, print the progress. */
static void handle_signal(struct collect *c)
{
    char text[STATS_TEXT];
    struct stats_now now;

    if ( c->pipeline.to_memory && c->pipeline.writer->is_own_file )
    {
        c->snapshot_due_ms = 1;
        return;
    }
    collect_get_progress(c, &now);
    stats_line_format(&c->stats, &now, text);
    log_info(c->log, "%s", text);
}

static void handle_trigger(struct collect *c, uint64_t now)
{
    const struct triggers *t = c->plan->triggers;
    uint64_t before = (unsigned __int128)c->plan->before_ns *
                      c->info.tsc_khz / 1000000;

    log_info(c->log, "%s", t->why);
    if ( c->snapshot_due_ms )
        return;
    c->snapshot_due_ms = now + c->plan->after_ns / 1000000 + 1;
    c->snapshot_since = 0;
    if ( c->plan->before_ns && before < t->tsc )
        c->snapshot_since = t->tsc - before;
}

int collect_check_snapshots(struct collect *c, uint64_t now, struct err *e)
{
    if ( stop_take_snapshot_request() )
        handle_signal(c);
    if ( c->plan->triggers && triggers_pass(c->plan->triggers, c->pass_tsc) )
        handle_trigger(c, now);
    if ( !c->snapshot_due_ms || c->snapshot_due_ms > now )
        return 0;
    return take_snapshot(c, e);
}

bool collect_has_enough_snapshots(const struct collect *c)
{
    return c->plan->max_snapshots && c->snapshots >= c->plan->max_snapshots;
}
