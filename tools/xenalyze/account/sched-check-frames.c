/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule of ARINC 653: a pcpu repeats a schedule of minor frames.  In each,
 * one vcpu may run, for a fixed time; together they are the major frame.
 *
 *      d1v0     d2v0  idle  d1v0     d2v0  idle
 *      |--------|-----|---- |--------|-----|----
 *      0        major frame                      end of the frame = the time of
 *                                                a record + its time slice
 *
 * The scheduler has no records of its own, so its pcpus are those where vcpus
 * of its cpupools run, and the schedule is unknown.  Each frame is compared
 * with the one before, the one before that ..., for each possible number of
 * frames; at the end the smallest number that explains most lengths counts.
 */
#include "xenalyze/account/sched-check-rules.h"

#include <assert.h>

#include "common/debug.h"
#include "libxentrace/internal.h"
#include "libxentrace/readers.h"

#define MAX_FRAMES 64u          /* Xen's limit for a major frame */

/* Most lengths: all but a quarter. */
#define EXPLAINS(r) ((r)->tested >= 4 * (r)->broken)

struct sched_frames
{
    uint64_t end;               /* of the current frame; 0: unknown */
    uint64_t lengths[MAX_FRAMES];       /* in a ring */
    uint64_t nr;                /* without a gap */
    struct sched_result by_number[MAX_FRAMES];  /* of frames, less 1 */
};

/* The vcpu is in a cpupool of ARINC 653; only the metadata has that. */
static bool has_frames(struct sched_checks *c,
                       const struct xt_rec_sched_switch_infnext *next)
{
    const struct vcpu *v = c->host && next->dom < XT_DOMAIN_IDLE
                           ? guests_get_vcpu(c->guests, next->dom, next->unit)
                           : NULL;
    const struct sched_vcpu *own = v ? sched_get_vcpu(c, v) : NULL;

    return own && own->scheduler == XT_SCHEDULER_ARINC653;
}

/* `how` has the frame; its excess is for each number of frames another. */
static void compare_frame(struct sched_checks *c, struct sched_frames *f,
                          struct sched_case *how)
{
    uint64_t length = how->to - how->from;

    for ( uint64_t k = 1; k <= MAX_FRAMES && k <= f->nr; k++ )
    {
        uint64_t other = f->lengths[(f->nr - k) % MAX_FRAMES];
        struct sched_result *r = &f->by_number[k - 1];

        how->excess = length > other ? length - other : other - length;
        r->tested++;
        if ( how->excess > c->late )
            sched_count_case(r, how);
    }
    f->lengths[f->nr++ % MAX_FRAMES] = length;
}

/* The decision ends a frame, unless it is one within the frame. */
static void add_minor_frame(struct sched_checks *c, struct sched_frames *f,
                            const struct fact_event *event,
                            const struct xt_rec_sched_switch_infnext *next)
{
    uint64_t end = event->time + xt_clock_cycles(&c->clock, next->slice);

    debug_assert(next->slice >= 0);
    if ( end + c->skew >= f->end && end <= f->end + c->skew )
        return;
    if ( f->end && event->time + c->skew >= f->end && end > f->end )
        compare_frame(c, f, &(struct sched_case){
            .from = f->end, .to = end, .domain = next->dom,
            .vcpu = next->unit, .pcpu = event->pcpu });
    else
        f->nr = 0;
    f->end = end;
}

void sched_frames_add(struct sched_checks *c, struct sched_pcpu *p,
                      const struct fact_event *f,
                      const struct xt_rec_sched_switch_infnext *next)
{
    if ( !p->frames && has_frames(c, next) )
    {
        p->frames = arena_new(&c->pool.arena, struct sched_frames);
        c->failed |= !p->frames;
    }
    if ( p->frames && next->slice >= 0 )
        add_minor_frame(c, p->frames, f, next);
}

void sched_frames_forget(struct sched_pcpu *p)
{
    if ( !p->frames )
        return;
    p->frames->end = 0;
    p->frames->nr = 0;
}

/* The number of frames that explains most lengths, or else the most. */
static const struct sched_result *find_schedule(const struct sched_frames *f)
{
    const struct sched_result *best = &f->by_number[0];

    for ( unsigned int i = 0; i < MAX_FRAMES && !EXPLAINS(best); i++ )
    {
        const struct sched_result *r = &f->by_number[i];

        if ( r->tested && (double)r->broken * (double)best->tested <
                          (double)best->broken * (double)r->tested )
            best = r;
    }
    return best;
}

void sched_frames_close(struct sched_checks *c)
{
    for ( uint32_t i = 0; i < c->nr_pcpus; i++ )
        if ( c->pcpus[i].frames )
            sched_add_result(&c->rules[RULE_FRAME],
                             find_schedule(c->pcpus[i].frames));
}
