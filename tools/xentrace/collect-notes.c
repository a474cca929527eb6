/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a capture says of itself: into the file, where it is windows of notes,
 * to a service manager, and to who asked for --stats.
 */
#include "xentrace/collect-private.h"

#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xentrace/drain.h"
#include "xentrace/service.h"
#include "xentrace/stop.h"

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

/* --- once a second ------------------------------------------------------- */

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

void collect_progress(const struct collect *c, struct stats_now *now)
{
    *now = (struct stats_now){ .ms = collect_now_ms(),
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

    collect_progress(c, &now);
    if ( c->plan->stats )
        stats_print(&c->stats, &now);
    service_notify("WATCHDOG=1\nSTATUS=%llu events, %llu bytes, %llu lost",
                   (unsigned long long)now.events,
                   (unsigned long long)now.bytes,
                   (unsigned long long)now.lost);
}

void collect_second(struct collect *c, uint64_t now)
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

/* --- the end ------------------------------------------------------------- */

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

void collect_count(struct collect *c, bool failed)
{
    count_lost(c);
    count_unwritten(c, failed);
}

/* See end_reason of events/11-meta. */
static uint32_t end_reason(const struct collect *c, int rc)
{
    if ( c->flow.writer->failed )
        return 5;
    if ( rc )
        return 6;
    return stop_by_time() ? 2 : collect_is_enough(c) ? 4 : 1;
}

/* The file's last window, if there is still a way to write one. */
int collect_last_words(struct collect *c, int rc, struct err *e)
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
