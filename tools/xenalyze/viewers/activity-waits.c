/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A wait joins its list if it is longer than the last one there; of waits of
 * the same length, the list keeps the first.
 */
#include "xenalyze/viewers/activity-waits.h"

#include <assert.h>
#include <string.h>

#include "common/debug.h"
#include "xenalyze/viewers/activity.h"

int activity_waits_init(struct activity_waits *w,
                        const struct xt_domain_names *names)
{
    assert(!w->nr_wakeups);
    wait_causes_init(&w->causes);
    w->causes.host = names ? &names->host : NULL;
    return wait_causes_keep_longest(&w->causes, ACTIVITY_WAITS);
}

void activity_waits_fini(struct activity_waits *w)
{
    wait_causes_fini(&w->causes);
}

/* --- wakers --------------------------------------------------------------- */

static uint64_t get_wait_length(const struct activity_wakeup *w)
{
    debug_assert(w->from <= w->to);
    return w->to - w->from;
}

void activity_waits_note(struct activity_waits *w, const struct fact_wait *f)
{
    const struct activity_wakeup new = {
        .vcpu = f->vcpu, .waker = f->waker, .from = f->from, .to = f->to,
        .woken = f->woken, .waker_pcpu = f->waker_pcpu,
    };
    unsigned int i = w->nr_wakeups;

    if ( f->why != WHY_WAKE || !f->waker || f->waker_pcpu == FACT_NO_PCPU )
        return;
    if ( i < ACTIVITY_WAITS )
        w->nr_wakeups++;
    else if ( get_wait_length(&w->wakeups[--i]) >= get_wait_length(&new) )
        return;
    for ( ; i && get_wait_length(&w->wakeups[i - 1]) < get_wait_length(&new);
          i-- )
        w->wakeups[i] = w->wakeups[i - 1];
    w->wakeups[i] = new;
}

static const struct activity_wakeup *
find_wakeup(const struct activity_waits *w, const struct vcpu *v,
            const struct wait_worst *wait)
{
    for ( unsigned int i = 0; i < w->nr_wakeups; i++ )
        if ( w->wakeups[i].vcpu == v && w->wakeups[i].from == wait->from )
            return &w->wakeups[i];
    return NULL;
}

/* An unknown waker, or one that is not selected, leaves the wait without. */
static void add_waker(struct activities *a, struct activity_wait *out,
                      const struct activity_wakeup *w)
{
    if ( !w || !activities_find_waker(a, w->waker, &out->waker) )
        return;
    out->is_wakeup = true;
    out->woken = activities_get_time(a, w->woken);
    out->waker_pcpu = activities_get_row(a, w->waker_pcpu);
    if ( out->woken > out->from )
        out->woken = out->from;
}

/* --- pieces --------------------------------------------------------------- */

/* Uses of the pcpu by no vcpu. */
static const char *const cause_texts[WAIT_CAUSES] = {
    [WAIT_RIVAL] = "another vcpu", [WAIT_SIBLING] = "another vcpu",
    [WAIT_RATELIMIT] = "another vcpu", [WAIT_PLACEMENT] = "another vcpu",
    [WAIT_CAP] = "cap or budget", [WAIT_SLEEP] = "sleep state",
    [WAIT_XEN] = "Xen", [WAIT_IDLE] = "idle", [WAIT_LOST] = "records lost",
    [WAIT_UNKNOWN] = "unknown",
};

static void name_piece(const struct activities *a, const struct wait_piece *p,
                       char *name, size_t size)
{
    char label[XT_LABEL_MAX];

    debug_assert(p->cause < WAIT_CAUSES);
    if ( p->has_rival )
        snprintf(name, size, "%s runs",
                 xt_vcpu_label(a->options->names, p->domain, p->vcpu, label));
    else
        snprintf(name, size, "%s", cause_texts[p->cause]);
}

/* Pieces of less than a nanosecond are left out. */
static void add_pieces(struct activities *a, struct activity_wait *out,
                       const struct wait_pieces *pieces)
{
    for ( uint32_t i = 0; i < pieces->nr; i++ )
    {
        struct activity_piece *p = &out->pieces[out->nr_pieces];

        p->from = activities_get_time(a, pieces->list[i].from);
        p->to = activities_get_time(a, pieces->list[i].to);
        if ( p->from >= p->to )
            continue;
        name_piece(a, &pieces->list[i], p->name, sizeof(p->name));
        out->nr_pieces++;
    }
    out->nr_shorter = pieces->nr_shorter;
    out->shorter = xt_clock_duration(&a->clock, pieces->shorter);
    assert(out->nr_pieces <= WAIT_PIECES);
}

/* --- the end of a segment ------------------------------------------------- */

/* A selection lacks the vcpus that others wait for. */
static bool is_selection(const struct activities *a)
{
    return a->options->wants_pcpu || a->options->wants_vcpu;
}

static void show_wait(struct activities *a, const struct wait_worst *wait,
                      const struct wait_pieces *pieces)
{
    const struct vcpu *v = guests_get_vcpu(a->waits->causes.guests,
                                           wait->domain, wait->vcpu);
    struct activity_wait out = {
        .from = activities_get_time(a, wait->from),
        .to = activities_get_time(a, wait->to),
        .pcpu = wait->is_complete ? activities_get_row(a, wait->pcpu) : 0,
        .is_complete = wait->is_complete,
    };

    out.vcpu = v ? activities_announce_waits(a, v, &out.is_first) : NULL;
    if ( !out.vcpu || out.from >= out.to )
        return;
    add_waker(a, &out, find_wakeup(a->waits, v, wait));
    if ( !is_selection(a) )
        add_pieces(a, &out, pieces);
    a->ops->wait(a->state, &out);
}

void activities_show_waits(struct activities *a)
{
    struct activity_waits *w = a->waits;

    assert(w && w->causes.nr_worst <= ACTIVITY_WAITS);
    for ( size_t i = 0; i < w->causes.nr_worst; i++ )
        show_wait(a, &w->causes.worst[i], &w->causes.pieces[i]);
    wait_causes_forget_longest(&w->causes);
    w->nr_wakeups = 0;
}
