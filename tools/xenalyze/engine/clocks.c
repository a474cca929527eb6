/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks of pcpus that do not agree.
 *
 * Where two pcpus have to do with one vcpu (one wakes it, the other runs it),
 * their records have an order that does not depend on time: each begins with
 * the state with which the one before it ended.  If they come the other way
 * round, the second one's clock is ahead by at least the time between them.
 *
 * So the beginning of a trace is read for its runstates only, and what was the
 * wrong way round becomes conditions, `offset of after` >= `offset of before` +
 * lag.  The least offsets that meet all of them come from going round them, as
 * for longest paths.  Where that does not come to rest, some are wrong (far
 * apart, records of two wake-ups look as if they belonged together; clocks
 * drift, or jump): the condition that fewest records speak for is dropped.
 * With offsets, others may come the wrong way round that could not be seen
 * before: so it is done again, a few times.
 *
 * That puts causes before effects, no more: nothing tells how long a wake-up
 * took between two clocks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/engine/engine-private.h"

#define ROUNDS 8u
#define DROPS 64u
#define RECORDS 200000u         /* to look at, in all */
#define FIRST_RECORDS 100000u   /* without finding anything: enough */

static bool matters(uint32_t event)
{
    return event >> TRC_SUBCLS_SHIFT ==
           TRC_SCHED_MIN >> TRC_SUBCLS_SHIFT;
}

static int look_at_batch(struct analysis *a, const struct xt_batch *b)
{
    struct xt_record r;
    struct pcpu *p;
    int rc = 0;

    for ( size_t i = 0; !rc && i < b->nr; i++ )
    {
        xt_batch_record(b, &b->items[i], &r);
        /* What follows a loss is no proof of anything. */
        if ( r.event == TRC_LOST_RECORDS )
            return 1;
        if ( !matters(r.event) )
            continue;
        p = segment_pcpu(a, xt_item_cpu(&b->items[i]));
        if ( !p )
            return -ENOMEM;
        pcpu_record(p, &r, b->items[i].time);
        rc = segment_changes(a, p);
    }
    arena_reset(&a->shards[0].scratch[0]);
    return rc;
}

static int look(struct analysis *a, struct skews *s, struct err *e)
{
    uint64_t records = 0, most = FIRST_RECORDS;
    struct xt_batch b;
    int rc = 1;

    s->nr = 0;
    a->global.skews = s;
    while ( rc > 0 && records < most )
    {
        rc = xt_trace_next_batch(a->trace, &b, e);
        if ( rc <= 0 || b.segment )
            break;
        if ( !records )
            global_begin(&a->global, b.items[0].time);
        records += b.nr;
        rc = look_at_batch(a, &b) ? 0 : 1;
        most = s->nr ? RECORDS : FIRST_RECORDS;
    }
    a->global.skews = NULL;
    segment_drop(a);
    return rc < 0 ? rc : xt_trace_rewind(a->trace, e);
}

/* False: the conditions contradict each other. */
static bool solve(const struct skews *s, int64_t *offsets, unsigned int nr)
{
    bool changed = true;

    memset(offsets, 0, nr * sizeof(*offsets));

    /* No way over all pcpus is longer than there are conditions. */
    for ( unsigned int n = 0; changed && n <= s->nr; n++ )
    {
        changed = false;
        for ( unsigned int i = 0; i < s->nr; i++ )
        {
            const struct skew *k = &s->pairs[i];
            int64_t least = offsets[k->before] + (int64_t)k->lag;

            if ( offsets[k->after] < least )
            {
                offsets[k->after] = least;
                changed = true;
            }
        }
    }
    return !changed;
}

static void drop_weakest(struct skews *s)
{
    unsigned int weakest = 0;

    for ( unsigned int i = 1; i < s->nr; i++ )
        if ( s->pairs[i].times < s->pairs[weakest].times )
            weakest = i;
    s->pairs[weakest] = s->pairs[--s->nr];
}

static int set_offsets(struct analysis *a, const int64_t *offsets,
                       unsigned int nr, struct err *e)
{
    int rc = 0;

    for ( unsigned int i = 0; !rc && i < nr; i++ )
        rc = xt_trace_set_offset(a->trace, i,
                                 xt_trace_offset(a->trace, i) + offsets[i],
                                 e);
    return rc;
}

static int align(struct analysis *a, struct skews *s, unsigned int nr,
                 struct err *e)
{
    int64_t *offsets = fault_calloc(nr, sizeof(*offsets));
    int rc = offsets ? 0 : -ENOMEM;

    for ( unsigned int round = 0; !rc && round < ROUNDS; round++ )
    {
        rc = look(a, s, e);
        if ( rc || !s->nr )
            break;
        for ( unsigned int n = 0; !solve(s, offsets, nr) && n < DROPS; n++ )
            drop_weakest(s);
        if ( !solve(s, offsets, nr) )
            break;
        rc = set_offsets(a, offsets, nr, e);
    }
    free(offsets);
    return rc;
}

/* Nobody is told anything meanwhile. */
static int align_in_silence(struct analysis *a, struct skews *s,
                            unsigned int nr, struct err *e)
{
    struct emit loud = a->shards[0].emit;
    int rc = emit_init(&a->shards[0].emit, &a->arena, NULL, 0);

    a->global.emit = a->shards[0].emit;
    rc = rc ? rc : align(a, s, nr, e);
    a->global.emit = a->shards[0].emit = loud;
    return rc;
}

int analyze_clocks(struct analysis *a, struct err *e)
{
    struct err unmapped = ERR_INIT;
    struct skews *s;
    unsigned int nr;
    int rc = xt_trace_cpus(a->trace, &nr, &unmapped);

    if ( rc || nr < 2 )
        return rc == -ESPIPE ? 0 : rc;
    rc = xt_trace_rewind(a->trace, e);
    if ( rc )
        return rc;
    s = fault_malloc(sizeof(*s));
    rc = s ? align_in_silence(a, s, nr, e) : -ENOMEM;
    free(s);
    return rc;
}
