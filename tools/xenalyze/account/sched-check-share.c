/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RULE_SHARE: in each window of a second, vcpus that want a pcpu all the time
 * share the pcpus by weight.
 *
 * Their fair shares divide the time that they got together.  No share exceeds
 * the window, since a vcpu runs on one pcpu at a time: the rest goes to the
 * others.  Vcpus with a cap or with a hard affinity are left out.
 *
 * A vcpu that gets too little in consecutive windows starves: that is one case.
 */
#include <assert.h>
#include <stdlib.h>

#include "common/fault.h"
#include "libxentrace/internal.h"
#include "xenalyze/account/sched-check-rules.h"

/* A vcpu that wanted a pcpu in the whole window. */
struct contender
{
    struct sched_vcpu *vcpu;
    double weight;
};

static bool is_candidate(const struct sched_vcpu *v)
{
    return v->weight && !v->is_pinned &&
           (v->scheduler == XT_SCHEDULER_CREDIT ||
            v->scheduler == XT_SCHEDULER_CREDIT2);
}

/* By pool and domain. */
static int compare_by_domain(const void *a, const void *b)
{
    const struct contender *x = a, *y = b;

    if ( x->vcpu->pool != y->vcpu->pool )
        return x->vcpu->pool < y->vcpu->pool ? -1 : 1;
    if ( x->vcpu->domain != y->vcpu->domain )
        return x->vcpu->domain < y->vcpu->domain ? -1 : 1;
    return x->vcpu->id < y->vcpu->id ? -1 : x->vcpu->id > y->vcpu->id;
}

/* Heaviest first. */
static int compare_by_weight(const void *a, const void *b)
{
    const struct contender *x = a, *y = b;

    if ( x->weight != y->weight )
        return x->weight > y->weight ? -1 : 1;
    return compare_by_domain(a, b);
}

/* credit: the weight of a domain is for all of its vcpus together. */
static void divide_weights(struct contender *all, size_t nr)
{
    size_t i = 0;

    while ( i < nr )
    {
        size_t end = i + 1;

        while ( end < nr && all[end].vcpu->domain == all[i].vcpu->domain )
            end++;
        for ( size_t k = i; k < end; k++ )
        {
            all[k].weight = all[k].vcpu->weight;
            if ( all[k].vcpu->scheduler == XT_SCHEDULER_CREDIT )
                all[k].weight /= (double)(end - i);
        }
        i = end;
    }
}

void sched_share_close(struct sched_checks *c, struct sched_vcpu *v)
{
    const struct sched_starvation *s = &v->starvation;

    if ( !s->to )
        return;
    assert(s->from < s->to && s->fair > 0);
    c->rules[RULE_SHARE].tested++;
    sched_break_rule(c, RULE_SHARE, &(struct sched_case){
        100 - (uint64_t)(100 * s->got / s->fair), s->from, s->to, v->domain,
        v->id, FACT_NO_PCPU });
    v->starvation = (struct sched_starvation){ .to = 0 };
}

static void check_contender(struct sched_checks *c, struct sched_vcpu *v,
                            double fair)
{
    struct sched_starvation *s = &v->starvation;
    uint64_t begin = c->window_end - c->window;
    bool starves = (double)v->got * 100 < fair * SCHED_FAIR_PERCENT;

    assert(v->weight);
    if ( !starves || s->to != begin )
        sched_share_close(c, v);
    if ( !starves )
    {
        c->rules[RULE_SHARE].tested++;
        return;
    }
    if ( !s->to )
        s->from = begin;
    s->to = c->window_end;
    s->got += (double)v->got;
    s->fair += fair;
    s->window_fair = fair;
}

/* `nr` windows follow that are like the last one. */
static void repeat_window(struct sched_checks *c, uint64_t nr)
{
    for ( uint32_t i = 0; i < c->active.nr; i++ )
    {
        struct sched_vcpu *v = c->active.all[i];
        struct sched_starvation *s = &v->starvation;

        if ( s->to != c->window_end )
            continue;
        s->to += nr * c->window;
        s->got += (double)v->got * (double)nr;
        s->fair += s->window_fair * (double)nr;
    }
}

/* The contenders of one pool, sorted by domain. */
static void check_pool(struct sched_checks *c, struct contender *all, size_t nr)
{
    double time = 0, weights = 0;

    assert(nr);
    if ( nr < 2 )
        return;
    divide_weights(all, nr);
    qsort(all, nr, sizeof(*all), compare_by_weight);
    for ( size_t i = 0; i < nr; i++ )
    {
        time += (double)all[i].vcpu->got;
        weights += all[i].weight;
    }
    for ( size_t i = 0; i < nr; i++ )
    {
        double fair = time * all[i].weight / weights;

        if ( fair > (double)c->window )
            fair = (double)c->window;
        check_contender(c, all[i].vcpu, fair);
        time -= fair;
        weights -= all[i].weight;
    }
}

static void check_contenders(struct sched_checks *c, struct contender *all,
                             size_t nr)
{
    size_t i = 0;

    if ( nr )
        qsort(all, nr, sizeof(*all), compare_by_domain);
    while ( i < nr )
    {
        size_t end = i + 1;

        while ( end < nr && all[end].vcpu->pool == all[i].vcpu->pool )
            end++;
        check_pool(c, all + i, end - i);
        i = end;
    }
}

/* --- windows -------------------------------------------------------------- */

static void add_time(struct sched_checks *c, struct sched_vcpu *v,
                     unsigned int state, uint64_t from, uint64_t to)
{
    uint64_t begin = c->window_end - c->window;

    if ( v->window_end != c->window_end )
    {
        v->window_end = c->window_end;
        v->got = v->wanted = 0;
    }
    if ( from < begin )
        from = begin;
    if ( to <= from || !sched_is_wanting(state) )
        return;
    v->wanted += to - from;
    v->got += state == STATE_RUNNING ? to - from : 0;
}

/* Test the window, and drop the vcpus that want no pcpu any more. */
static void close_window(struct sched_checks *c)
{
    static const unsigned int least_percent = 99;
    struct contender *all = c->active.nr
                            ? fault_calloc(c->active.nr, sizeof(*all)) : NULL;
    uint32_t nr = 0, left = 0;

    c->failed |= c->active.nr && !all;
    for ( uint32_t i = 0; i < c->active.nr; i++ )
    {
        struct sched_vcpu *v = c->active.all[i];

        add_time(c, v, v->state, v->known_to, c->window_end);
        if ( all && v->wanted >= c->window / 100 * least_percent )
            all[nr++].vcpu = v;
        v->is_active = sched_is_wanting(v->state);
        if ( v->is_active )
            c->active.all[left++] = v;
    }
    c->active.nr = left;
    check_contenders(c, all, nr);
    free(all);
}

void sched_share_advance(struct sched_checks *c, uint64_t time)
{
    uint64_t more;

    /* Near the end of 64 bits, time stamps or frequency are damaged. */
    if ( !c->window || c->window > UINT64_MAX / 8 ||
         time > UINT64_MAX - 4 * c->window )
        return;
    if ( !c->window_end )
        c->window_end = time + c->window;
    assert(c->window_end >= c->window);
    if ( time < c->window_end )
        return;
    close_window(c);
    c->window_end += c->window;
    if ( time < c->window_end )
        return;
    /* A window without any change, then further ones that are like it. */
    close_window(c);
    more = (time - c->window_end) / c->window;
    repeat_window(c, more);
    c->window_end += (more + 1) * c->window;
    assert(c->window_end > time);
}

void sched_share_add(struct sched_checks *c, struct sched_vcpu *v,
                     const struct fact_runstate *f)
{
    if ( !is_candidate(v) )
        return;
    add_time(c, v, f->state, f->from, f->to);
    if ( !v->is_active && sched_is_wanting(f->next) )
        v->is_active = sched_list_add(c, &c->active, v);
}
