/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The requests of the control socket, as the capture sees them: status, stop
 * and mark are answered at once, a snapshot after the next pass.
 */
#include "xentrace/collect-private.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/num.h"
#include "xentrace/ring-drain.h"

/* --- status --------------------------------------------------------------- */

struct status_text
{
    char text[CONTROL_MESSAGE_MAX - sizeof(CONTROL_OK)];
    size_t used;
};

/* Append a line; one that does not fit is left out. */
static void put_status_line(struct status_text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void put_status_line(struct status_text *t, const char *fmt, ...)
{
    size_t room = sizeof(t->text) - t->used;
    va_list args;
    int length;

    va_start(args, fmt);
    length = vsnprintf(t->text + t->used, room, fmt, args);
    va_end(args);
    if ( length < 0 || (size_t)length + 1 >= room )
    {
        t->text[t->used] = '\0';
        return;
    }
    for ( char *p = t->text + t->used; *p; p++ )
        if ( (unsigned char)*p < ' ' || *p == 0x7f )
            *p = '?';
    t->used += length;
    t->text[t->used++] = '\n';
    t->text[t->used] = '\0';
}

static void put_since(struct status_text *t, const struct collect *c,
                      uint64_t now_ms)
{
    uint64_t seconds = (now_ms - c->stats.begun_ms) / 1000;
    time_t begun = time(NULL) - seconds;
    char moment[64] = "", elapsed[NUM_HUMAN_MAX + 16];
    struct tm tm;

    assert(now_ms >= c->stats.begun_ms);
    if ( localtime_r(&begun, &tm) )
        strftime(moment, sizeof(moment), "%Y-%m-%d %H:%M:%S", &tm);
    *num_clock(elapsed, seconds) = '\0';
    put_status_line(t, "since: %s (%s)", moment, elapsed);
}

static void put_file_counts(struct status_text *t, const struct stats_now *now)
{
    char size[NUM_HUMAN_MAX + 4];

    *num_human_1024(size, now->bytes, "B") = '\0';
    put_status_line(t, "records: %" PRIu64, now->events);
    put_status_line(t, "bytes: %" PRIu64 " (%s)", now->bytes, size);
}

static void put_memory_counts(struct status_text *t,
                              const struct stats_now *now)
{
    char held[NUM_HUMAN_MAX + 4], room[NUM_HUMAN_MAX + 4];

    assert(now->overwritten <= now->events && now->held <= now->room);
    *num_human_1024(held, now->held, "B") = '\0';
    *num_human_1024(room, now->room, "B") = '\0';
    put_status_line(t, "records: %" PRIu64 " in memory, %" PRIu64 " older "
                    "overwritten", now->events - now->overwritten,
                    now->overwritten);
    put_status_line(t, "bytes: %" PRIu64 " (%s of %s in memory)", now->held,
                    held, room);
}

/* Xen hides the fill level of rings that it overwrites. */
static void put_ring_counts(struct status_text *t, const struct stats_now *now)
{
    char room[NUM_HUMAN_MAX + 4];

    *num_human_1024(room, now->room, "B") = '\0';
    put_status_line(t, "records: in Xen's rings, not counted before a "
                    "snapshot");
    put_status_line(t, "bytes: up to %" PRIu64 " (%s in Xen's rings)",
                    now->room, room);
}

static void put_counts(struct status_text *t, const struct collect *c)
{
    static void (*const put[])(struct status_text *,
                               const struct stats_now *) = {
        [HOLDER_FILE] = put_file_counts, [HOLDER_MEMORY] = put_memory_counts,
        [HOLDER_RINGS] = put_ring_counts,
    };
    struct stats_now now;

    collect_get_progress(c, &now);
    put[now.holder](t, &now);
    put_status_line(t, "lost: %s%" PRIu64, c->can_count ? "" : "at least ",
                    now.lost);
    if ( now.holder != HOLDER_RINGS )
        put_status_line(t, "rings: up to %u %% full", now.full);
}

static void put_snapshots(struct status_text *t, const struct collect *c)
{
    const struct triggers *triggers = c->plan->triggers;

    if ( c->pipeline.to_memory )
        put_status_line(t, "snapshots: %u%s%s", c->snapshots,
                        *c->last_snapshot ? ", the newest is " : "",
                        c->last_snapshot);
    for ( unsigned int i = 0; triggers && i < triggers->nr; i++ )
        put_status_line(t, "trigger: %s", triggers->list[i].text);
}

static void answer_status(const struct collect *c, struct request *r,
                          uint64_t now_ms)
{
    const char *output = c->plan->requests->output;
    struct status_text t = { .used = 0 };

    put_status_line(&t, "output: %s", *output ? output : "standard output");
    put_status_line(&t, "hypervisor: %s, %s, %u pcpu%s", c->hv->type->name,
                    c->info.version, c->info.nr_online,
                    num_plural(c->info.nr_online));
    put_status_line(&t, "mode: %s", c->recorder
                    ? "flight recorder in Xen's rings"
                    : c->pipeline.to_memory ? "newest records in memory"
                    : "to the file");
    if ( c->tracing && c->can_count )
        put_status_line(&t, "tracing: %s", c->is_off
                        ? "switched off by another program" : "on");
    put_since(&t, c, now_ms);
    put_counts(&t, c);
    put_snapshots(&t, c);
    request_server_answer(c->plan->requests, r, t.text, NULL);
}

/* --- mark ----------------------------------------------------------------- */

#define MARK_PARTS ((CONTROL_TEXT_MAX + XT_META_PART - 1) / XT_META_PART)

/* A clock record, the moment of the mark, and the parts of the text. */
struct mark_records
{
    struct xt_meta m[1 + MARK_PARTS];
    unsigned int nr;
};

static void put_mark_record(void *arg, const struct xt_meta *m)
{
    struct mark_records *r = arg;

    assert(r->nr < sizeof(r->m) / sizeof(r->m[0]));
    r->m[r->nr++] = *m;
}

/*
 * The records before the mark are drained first: a mark has no time stamp, and
 * is behind them in the file.
 */
static int write_mark(struct collect *c, const char *text, struct err *e)
{
    struct mark_records r = { .nr = 1 };
    int rc;

    if ( !*text )
        return err_set(e, -EINVAL, "the text of a mark is missing");
    if ( c->pipeline.plain )
        return err_set(e, -ENOTSUP, "a mark is metadata, which --plain omits");
    rc = metadata_sample_clocks(c->hv, &r.m[0], e);
    if ( rc )
        return err_sys(e, rc, "cannot read Xen's clock");
    metadata_put_text(put_mark_record, &r, TRC_META_TEXT, METADATA_TEXT_MARK,
                      text);
    if ( !c->recorder )
        drain_all(&c->rings, &c->pipeline.sink, false, c->log);
    if ( !pipeline_put_records(&c->pipeline, r.m, r.nr) )
        return err_set(e, -EAGAIN, "the disk is too slow: there is no room for "
                       "the mark; try again");
    pipeline_publish(&c->pipeline);
    log_info(c->log, "mark: %s", text);
    return 0;
}

static void answer_mark(struct collect *c, struct request *r)
{
    struct err e = ERR_INIT;
    int rc = write_mark(c, r->text, &e);

    request_server_answer(c->plan->requests, r, "the mark is in the trace",
                          rc ? &e : NULL);
}

/* --- snapshot ------------------------------------------------------------- */

static int check_snapshot(const struct collect *c, const char *text,
                          struct err *e)
{
    if ( !c->pipeline.to_memory )
        return err_set(e, -ENOTSUP, "all records are in the file: snapshots "
                       "need xentrace flight, -M or --snapshot-on");
    if ( !c->pipeline.writer->is_own_file )
        return err_set(e, -ENOTSUP, "the output is no file: a snapshot would "
                       "have no name");
    if ( *text && c->pipeline.plain )
        return err_set(e, -ENOTSUP, "a comment is metadata, which --plain "
                       "omits: take the snapshot without a text");
    return 0;
}

static int answer_snapshot(struct collect *c, struct request *r, struct err *e)
{
    struct request_server *s = c->plan->requests;
    struct err why = ERR_INIT;
    int rc;

    if ( check_snapshot(c, r->text, &why) )
    {
        request_server_answer(s, r, NULL, &why);
        return 0;
    }
    rc = collect_take_snapshot(c, r->text, &why, e);
    request_server_answer(s, r, c->last_snapshot,
                          why.code ? &why : rc ? e : NULL);
    return rc;
}

int collect_take_requested(struct collect *c, struct err *e)
{
    struct request_server *s = c->plan->requests;
    struct request *r;
    int rc = 0;

    while ( s && !rc && !collect_has_enough_snapshots(c) &&
            (r = request_server_find(s, REQUEST_SNAPSHOT)) )
        rc = answer_snapshot(c, r, e);
    return rc;
}

/* --- all kinds ------------------------------------------------------------ */

bool collect_serve_requests(struct collect *c, uint64_t now_ms)
{
    struct request_server *s = c->plan->requests;
    struct request *r;

    request_server_serve(s, now_ms);
    while ( (r = request_server_find(s, REQUEST_STATUS)) != NULL )
        answer_status(c, r, now_ms);
    while ( (r = request_server_find(s, REQUEST_MARK)) != NULL )
        answer_mark(c, r);
    /* As SIGTERM; the answer follows when the file is complete. */
    if ( request_server_find(s, REQUEST_STOP) )
        raise(SIGTERM);
    return request_server_find(s, REQUEST_SNAPSHOT) != NULL;
}
