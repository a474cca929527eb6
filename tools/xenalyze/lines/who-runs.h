/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The current vcpu of each pcpu, followed record by record, for outputs that
 * print or filter records without the full state machines of machine/.
 *
 * A line of the dump depends on this state, so the rules are those of stock's
 * xenalyze: before its first runstate record a pcpu runs a vcpu of the default
 * domain, 32768; between a vcpu that left and its successor the pcpu runs
 * "d?v?".
 *
 * A LOST record ends a gap in the records of its pcpu and names the vcpu that
 * runs there now.  Any vcpu that was off the pcpus during the gap may have
 * changed state unseen, so its next runstate record is taken as true.
 */
#ifndef XENALYZE_LINES_WHO_RUNS_H
#define XENALYZE_LINES_WHO_RUNS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/debug.h"
#include "libxentrace/libxentrace.h"
#include "xenalyze/lines/chunk.h"
#include "xenalyze/model/model.h"

struct who_runs_vcpu
{
    uint32_t id;                /* domain << 16 | vcpu */
    uint8_t runstate;
    bool has_cr3, has_rdtsc;
    struct runstate_mismatch mismatch;
    uint32_t losses;            /* losses of the trace at the last change */
    uint32_t next;              /* hash chain: index + 1, or 0 */
    uint64_t exit_time;         /* time of the last VM exit, or IN_GUEST */
    uint64_t cr3, rdtsc;        /* the last values written and read */
};

struct who_runs_pcpu
{
    struct column_state column;
    bool shown;                 /* has a record, or is going to have one */
    uint32_t vcpu;              /* index of the current vcpu + 1, or 0 */
};

struct who_runs
{
    struct who_runs_pcpu *pcpus;
    unsigned int nr_cpus;       /* pcpus with a column */
    unsigned int room_cpus;
    struct who_runs_vcpu *vcpus;
    uint32_t nr_vcpus, room_vcpus;
    uint32_t *buckets;          /* hash table of vcpus by id: index + 1 */
    uint32_t nr_buckets;        /* a power of 2 */
    uint32_t losses;            /* LOST records so far */
    bool show_power;            /* show the C-state of an idle pcpu */
};

/* 0 or -ENOMEM. */
int who_runs_init(struct who_runs *s);
void who_runs_fini(struct who_runs *s);

/* Forget all vcpus; the pcpus keep their columns. */
void who_runs_reset(struct who_runs *s);

/* Give at least `nr` pcpus a column.  0 or -ENOMEM. */
int who_runs_add_pcpus(struct who_runs *s, unsigned int nr);

/* Show this pcpu from the first line on.  0 or -ENOMEM. */
int who_runs_show_pcpu(struct who_runs *s, unsigned int cpu);

/* True if the current vcpu, or its absence, is known of each shown pcpu. */
bool who_runs_is_complete(const struct who_runs *s);

/* The current vcpu of a pcpu, or NULL if no record has named one. */
static inline struct who_runs_vcpu *who_runs_current(struct who_runs *s,
                                                     unsigned int cpu)
{
    uint32_t number;

    debug_assert(cpu < s->nr_cpus);
    number = s->pcpus[cpu].vcpu;
    return number ? &s->vcpus[number - 1] : NULL;
}

/* The vcpu's exit time after a record of this event. */
static inline uint64_t who_runs_exit_time(uint64_t exit_time, uint32_t event,
                                          uint64_t time)
{
    bool passes = (event & ~0xfffu) == TRC_HVM_ENTRYEXIT;
    bool enters = (event & ~TRC_HVM_NESTEDFLAG) == TRC_HVM_VMENTRY;

    exit_time = passes ? time : exit_time;
    return enters ? IN_GUEST : exit_time;
}

/*
 * True if a record of this event may change more than the exit time.  Such
 * records are rare and follow no pattern, so the conditions are joined without
 * branches: the caller has one branch to mispredict instead of five.
 */
static inline bool who_runs_needs_slow(uint32_t event)
{
    uint32_t kind = event & ~0xfffu;

    return (kind == TRC_SCHED_MIN) | (kind == TRC_HW_PM) |
           (event == TRC_LOST_RECORDS) | (event == TRC_HVM_CR_WRITE64) |
           (event == TRC_HVM_RDTSC);
}

/*
 * Apply one record of a pcpu that has a column.  Changes become notes in the
 * chunk, unless `c` is NULL.  A record with a line (`shown`) has been counted
 * in c->nr, and also leaves the values that its line needs.  0 or -ENOMEM.
 */
int who_runs_apply_slow(struct who_runs *s, struct chunk *c, bool shown,
                        unsigned int cpu, uint64_t time,
                        const struct xt_record *r);

/*
 * Apply records from b->items[at] up to `end`, as long as each is shown, its
 * pcpu's current vcpu is known and only the exit time may change.  The records
 * are counted into the chunk, which has room for them.  Returns the index of
 * the first record that who_runs_apply_slow() has to handle, or `end`.
 */
static inline size_t who_runs_apply_fast(struct who_runs *s, struct chunk *c,
                                         const struct xt_batch *b, size_t at,
                                         size_t end)
{
    uint64_t *exit_time = c->exit_times + c->nr;
    const size_t begin = at;

    debug_assert(end <= b->nr && c->nr + (end - at) <= CHUNK_ITEMS);
    for ( ; at < end; at++ )
    {
        const struct xt_item *item = &b->items[at];
        uint32_t event = xt_batch_event(b, item);
        struct who_runs_vcpu *v;

        if ( who_runs_needs_slow(event) || xt_item_cpu(item) >= s->nr_cpus )
            break;
        v = who_runs_current(s, xt_item_cpu(item));
        if ( !v )
            break;
        *exit_time++ = v->exit_time;
        v->exit_time = who_runs_exit_time(v->exit_time, event, item->time);
    }
    c->nr += at - begin;
    return at;
}

#endif /* XENALYZE_LINES_WHO_RUNS_H */
