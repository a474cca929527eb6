/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks of pcpus that disagree.
 *
 * When two pcpus change the state of the same vcpu (pcpu A wakes it, pcpu B
 * runs it), their records have an order that does not depend on time: the old
 * state of each record is the new state of the previous one.  If the time
 * stamps contradict, the clock of the second pcpu in the trace is ahead by at
 * least the time between the two records.
 *
 * So the beginning of a trace is read for its runstates only, and each swapped
 * pair of records becomes a constraint, `offset of after` >= `offset of before`
 * + lag.  The smallest offsets that meet all constraints are longest paths,
 * found by Bellman-Ford iteration.  If the iteration does not converge, some
 * constraints are wrong (records of two different wake-ups can look like a
 * pair; clocks drift or jump): the constraint supported by the fewest records
 * is dropped.  New offsets can uncover more swapped pairs, so all is repeated a
 * few times.
 *
 * The result puts causes before effects, no more: the duration of a wake-up
 * between two clocks stays unknown.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/engine/engine-private.h"

#define MAX_ROUNDS 8u
#define MAX_DROPS 64u
#define MAX_RECORDS 200000u     /* to be read */
#define FIRST_RECORDS 100000u   /* to be read if no clock is ahead in them */

static bool is_runstate_event(uint32_t event)
{
    return event >> TRC_SUBCLS_SHIFT ==
           TRC_SCHED_MIN >> TRC_SUBCLS_SHIFT;
}

static int collect_batch_skews(struct analysis *a, const struct xt_batch *b)
{
    struct xt_record r;
    struct pcpu *p;
    int rc = 0;

    for ( size_t i = 0; !rc && i < b->nr; i++ )
    {
        xt_batch_record(b, &b->items[i], &r);
        /* Changes may be missing, so later records prove no order. */
        if ( r.event == TRC_LOST_RECORDS )
            return 1;
        if ( !is_runstate_event(r.event) )
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

static int collect_skews(struct analysis *a, struct skews *s, struct err *e)
{
    uint64_t records = 0, most = FIRST_RECORDS;
    struct xt_batch b;
    int rc = 1;

    assert(!a->nr_pcpus && !a->global.skews);
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
        rc = collect_batch_skews(a, &b) ? 0 : 1;
        most = s->nr ? MAX_RECORDS : FIRST_RECORDS;
    }
    a->global.skews = NULL;
    segment_drop(a);
    return rc < 0 ? rc : xt_trace_rewind(a->trace, e);
}

/* False: the constraints contradict each other. */
static bool solve_offsets(const struct skews *s, int64_t *offsets,
                          unsigned int nr)
{
    bool changed = true;

    assert(s->nr <= MAX_SKEWS);
    memset(offsets, 0, nr * sizeof(*offsets));

    /* Bellman-Ford: a longest path without a cycle has at most s->nr edges. */
    for ( unsigned int n = 0; changed && n <= s->nr; n++ )
    {
        changed = false;
        for ( unsigned int i = 0; i < s->nr; i++ )
        {
            const struct skew *k = &s->pairs[i];
            int64_t least = offsets[k->before] + (int64_t)k->lag;

            assert(k->before < nr && k->after < nr && k->lag <= MAX_LAG);
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

    assert(s->nr);
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
    {
        assert(offsets[i] >= 0);    /* the smallest solution, from 0 up */
        rc = xt_trace_set_offset(a->trace, i,
                                 xt_trace_offset(a->trace, i) + offsets[i],
                                 e);
    }
    return rc;
}

static int align_clocks(struct analysis *a, struct skews *s, unsigned int nr,
                        struct err *e)
{
    int64_t *offsets = fault_calloc(nr, sizeof(*offsets));
    int rc = offsets ? 0 : -ENOMEM;

    for ( unsigned int round = 0; !rc && round < MAX_ROUNDS; round++ )
    {
        rc = collect_skews(a, s, e);
        if ( rc || !s->nr )
            break;
        for ( unsigned int n = 0;
              !solve_offsets(s, offsets, nr) && n < MAX_DROPS; n++ )
            drop_weakest(s);
        if ( !solve_offsets(s, offsets, nr) )
            break;
        rc = set_offsets(a, offsets, nr, e);
    }
    free(offsets);
    return rc;
}

/* Without sinks: no facts are emitted. */
static int align_without_sinks(struct analysis *a, struct skews *s,
                               unsigned int nr, struct err *e)
{
    struct emit saved = a->shards[0].emit;
    int rc = emit_init(&a->shards[0].emit, &a->arena, NULL, 0);

    a->global.emit = a->shards[0].emit;
    rc = rc ? rc : align_clocks(a, s, nr, e);
    a->global.emit = a->shards[0].emit = saved;
    return rc;
}

int analyze_clocks(struct analysis *a, struct err *e)
{
    struct err unmapped = ERR_INIT;
    struct skews *s;
    unsigned int nr;
    int rc = xt_trace_cpus(a->trace, &nr, &unmapped);

    assert(!a->segment && !a->nr_pcpus);
    if ( rc || nr < 2 )
        return rc == -ESPIPE ? 0 : rc;
    rc = xt_trace_rewind(a->trace, e);
    if ( rc )
        return rc;
    s = fault_malloc(sizeof(*s));
    rc = s ? align_without_sinks(a, s, nr, e) : -ENOMEM;
    free(s);
    return rc;
}
