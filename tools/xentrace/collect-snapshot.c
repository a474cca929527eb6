/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots of what -M holds: when there is one to be taken, and of a flight
 * recorder, how Xen is made to offer what it has.
 */
#include "xentrace/collect-private.h"

#include <errno.h>

#include "xentrace/drain.h"
#include "xentrace/stop.h"

/* Make Xen offer what it has recorded, and take that. */
int collect_play_back(struct collect *c, struct err *e)
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
    int rc = c->recorder ? collect_play_back(c, e) : 0;

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
    collect_progress(c, &now);
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
int collect_snapshots(struct collect *c, uint64_t now, struct err *e)
{
    if ( stop_snapshot() )
        asked_by_signal(c);
    if ( c->plan->triggers && triggers_pass(c->plan->triggers, c->pass_tsc) )
        asked_by_trigger(c, now);
    return c->due_ms && c->due_ms <= now ? snapshot(c, e) : 0;
}

bool collect_is_enough(const struct collect *c)
{
    return c->plan->enough && c->snapshots >= c->plan->enough;
}
