/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Snapshots of the memory buffer: when to take one, and how to get the records
 * out of a flight recorder.
 */
#include "xentrace/collect-private.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/fault.h"
#include "common/num.h"
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

/* --- writing -------------------------------------------------------------- */

#define MOMENT_MAX 64       /* bytes of a moment as text, with its 0 */

/* A snapshot to take. */
struct snapshot_order
{
    uint64_t since;                     /* first time stamp; 0: all */
    const struct trigger_cause *cause;  /* NULL: a signal or a request */
    const char *comment;                /* of a request; "": none */
    char reason[TRIGGER_TEXT_MAX];      /* of a trigger, for people */
};

/* A reading of both clocks; m.event is 0 if there is none. */
static struct xt_meta read_clocks(struct collect *c)
{
    struct err ignored = ERR_INIT;
    struct xt_meta m;

    return metadata_sample_clocks(c->hv, &m, &ignored) ? (struct xt_meta){ 0 }
                                                       : m;
}

/* Format the local time of a time stamp; "" if it is unknown. */
static const char *format_moment(const struct collect *c,
                                 const struct xt_meta *now, uint64_t tsc,
                                 const char *format, char *text)
{
    int64_t cycles = tsc - now->clock.tsc;
    time_t seconds;
    struct tm t;

    *text = '\0';
    if ( !now->event || !tsc || !c->info.tsc_khz )
        return text;
    seconds = ((__int128)cycles * 1000000 / c->info.tsc_khz +
               now->clock.wall) / 1000000000;
    if ( localtime_r(&seconds, &t) )
        strftime(text, MOMENT_MAX, format, &t);
    return text;
}

/* Set the reason of an order by a trigger, with the names of domains. */
static void set_reason(struct collect *c, struct snapshot_order *o)
{
    struct xt_domain_names names;
    struct err ignored = ERR_INIT;
    int rc;

    /* A domain may be new. */
    pipeline_poll_metadata(&c->pipeline, c->hv);
    rc = metadata_read_names(&c->pipeline.metadata, &names, &ignored);
    trigger_cause_format(o->cause, rc ? NULL : &names, o->reason);
    if ( !rc )
        xt_domain_names_fini(&names);
}

/* The reason of a snapshot for its metadata; NULL: a signal. */
static const char *format_cause(const struct collect *c,
                                const struct snapshot_order *o,
                                const struct xt_meta *now, char *text,
                                size_t size)
{
    char moment[MOMENT_MAX];

    if ( !o->cause )
        return NULL;
    format_moment(c, now, o->cause->tsc, ", %Y-%m-%d %H:%M:%S", moment);
    snprintf(text, size, "%s (--snapshot-on %.80s)%s, tsc %" PRIu64,
             o->reason, o->cause->trigger, moment, o->cause->tsc);
    return text;
}

/* "wrote wait.bin.3 (1.1 MiB, 14:03:07..14:03:09): web1/1 waited 275.7 ms" */
static void report_snapshot(const struct collect *c,
                            const struct snapshot_file *file,
                            const struct xt_meta *now, const char *why)
{
    char size[NUM_HUMAN_MAX + 4], from[MOMENT_MAX], to[MOMENT_MAX];

    *num_human_1024(size, file->bytes, "B") = '\0';
    format_moment(c, now, file->times.first, ", %H:%M:%S..", from);
    format_moment(c, now, file->times.last, "%H:%M:%S", to);
    log_info(c->log, "wrote %s (%s%s%s): %s", file->name, size, from, to, why);
}

/* The reason of a snapshot for messages and for --on-snapshot. */
static const char *get_reason(const struct snapshot_order *o)
{
    return o->cause ? o->reason : !o->comment ? "SIGUSR1" :
           *o->comment ? o->comment : "xentrace snapshot";
}

/* The absolute path of a snapshot. */
static void note_snapshot(struct collect *c, const char *name)
{
    control_output_path(c->last_snapshot, name);
}

static int write_snapshot(struct collect *c, const struct snapshot_order *o,
                          struct err *e)
{
    struct snapshot_file *file = fault_calloc(1, sizeof(*file));
    struct xt_meta now = read_clocks(c);
    struct snapshot_plan plan = {
        .nr = ++c->snapshots, .since = o->since, .tsc = now.clock.tsc,
        .comment = o->comment && *o->comment ? o->comment : NULL,
    };
    char text[384];
    int rc;

    if ( !file )
        return err_sys(e, -ENOMEM, "cannot take a snapshot");
    plan.cause = format_cause(c, o, &now, text, sizeof(text));
    plan.losses = collect_make_losses(c, &plan.nr_losses);
    rc = pipeline_write_snapshot(&c->pipeline, &plan, file, e);
    if ( !rc )
    {
        note_snapshot(c, file->name);
        report_snapshot(c, file, &now, get_reason(o));
        hook_run(&c->hook, file->name, get_reason(o), collect_now_ms());
    }
    free(plan.losses);
    free(file);
    return rc;
}

/* Write a file, and remove the one that makes room. */
static void rotate_snapshot(struct collect *c, const struct snapshot_order *o,
                            struct err *why)
{
    unsigned int victim;

    if ( write_snapshot(c, o, why) )
    {
        log_err(c->log, LOG_LEVEL_WARNING, why);
        return;
    }
    victim = snapshot_policy_keep(&c->policy, c->snapshots,
                                  o->cause ? o->cause->severity : 0);
    if ( victim )
        pipeline_remove_snapshot(&c->pipeline, victim);
}

/*
 * A snapshot that cannot be written is a warning, with its reason in *why; the
 * capture goes on.
 */
static int take_snapshot(struct collect *c, const struct snapshot_order *o,
                         struct err *why, struct err *e)
{
    int rc = c->recorder ? collect_play_back(c, e) : 0;

    assert(c->pipeline.to_memory);
    if ( rc )
        return rc;
    rotate_snapshot(c, o, why);
    return c->recorder ? restart_recorder(c, e) : 0;
}

/* --- reasons -------------------------------------------------------------- */

/* SIGUSR1: take a snapshot; without a memory buffer, print the progress. */
static int handle_signal(struct collect *c, struct err *e)
{
    const struct snapshot_order order = { .since = 0 };
    struct err why = ERR_INIT;
    char text[STATS_TEXT];
    struct stats_now now;

    if ( c->pipeline.to_memory && c->pipeline.writer->is_own_file )
        return take_snapshot(c, &order, &why, e);
    collect_get_progress(c, &now);
    stats_line_format(&c->stats, &now, text);
    log_info(c->log, "%s", text);
    return 0;
}

int collect_take_snapshot(struct collect *c, const char *comment,
                          struct err *why, struct err *e)
{
    const struct snapshot_order order = { .comment = comment };

    assert(comment);
    return take_snapshot(c, &order, why, e);
}

/* Schedule a snapshot; a firing before it is written only worsens its cause. */
static void handle_trigger(struct collect *c, uint64_t now, uint64_t firings)
{
    const struct trigger_cause *cause = &c->plan->triggers->cause;
    uint64_t before = (unsigned __int128)c->plan->before_ns *
                      c->info.tsc_khz / 1000000;
    char text[TRIGGER_TEXT_MAX];

    trigger_cause_format(cause, NULL, text);
    log_debug(c->log, "%s", text);
    if ( c->snapshot_due_ms )
    {
        if ( cause->severity > c->cause.severity )
            c->cause = *cause;
        return;
    }
    if ( !snapshot_policy_admit(&c->policy, now, cause->severity, firings) )
        return;
    c->snapshot_due_ms = now + c->plan->after_ns / 1000000 + 1;
    c->snapshot_since = before && before < cause->tsc ? cause->tsc - before : 0;
    c->cause = *cause;
}

static int take_due_snapshot(struct collect *c, struct err *e)
{
    struct snapshot_order order = { .since = c->snapshot_since,
                                    .cause = &c->cause };
    struct err why = ERR_INIT;
    int rc;

    assert(c->snapshot_due_ms && *c->cause.text);
    set_reason(c, &order);
    rc = take_snapshot(c, &order, &why, e);
    c->snapshot_due_ms = 0;
    snapshot_policy_cool(&c->policy, collect_now_ms(), c->cause.severity);
    return rc;
}

int collect_check_snapshots(struct collect *c, uint64_t now, struct err *e)
{
    struct triggers *t = c->plan->triggers;
    uint64_t firings = t ? triggers_pass(t, c->pass_tsc) : 0;
    int rc = 0;

    hook_poll(&c->hook, now);
    if ( firings )
        handle_trigger(c, now, firings);
    if ( stop_take_snapshot_request() )
        rc = handle_signal(c, e);
    if ( !rc )
        rc = collect_take_requested(c, e);
    if ( !rc && c->snapshot_due_ms && c->snapshot_due_ms <= now )
        rc = take_due_snapshot(c, e);
    return rc;
}

bool collect_has_enough_snapshots(const struct collect *c)
{
    return c->plan->max_snapshots && c->snapshots >= c->plan->max_snapshots;
}
