/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Evidence for time stamps.  All of this is a cold path: a busy pcpu makes no
 * far steps, and only the last window of a pcpu is read for the horizon.
 */
#include "libxentrace/time-step.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

/* Time stamps, and records, behind a far step that are asked. */
#define MAX_VOTES 8u
#define LOOK_RECORDS 64u

/* Windows without a time stamp that are skipped for the bound of a window. */
#define MAX_UNTIMED 16u

/* A longer silence needs evidence from another pcpu. */
#define MAX_SILENCE (UINT64_C(1) << 48)

/* So many records of the only pcpu are evidence. */
#define ENOUGH_RECORDS 5u

/*
 * Do most of the next time stamps of the window contradict a step to `to`?
 * Damage may span some records, so the first one is not enough.
 */
static bool step_is_contradicted(const unsigned char *at,
                                 const unsigned char *end,
                                 const struct xt_correction *clock,
                                 uint64_t to)
{
    unsigned int before = 0, behind = 0;
    uint64_t time;
    struct xt_record r;
    size_t size;

    for ( unsigned int n = LOOK_RECORDS; n && before + behind < MAX_VOTES; n-- )
    {
        size = xt_record_decode(&r, at, end);
        if ( !size || !xt_record_is_possible(&r) )
            break;
        at += size;
        if ( !xt_record_is_timed(&r) )
            continue;
        time = xt_apply_offset(r.tsc, xt_correction_offset(clock, r.tsc));
        if ( time < to )
            before++;
        else if ( !before && !behind && !xt_step_is_far(to, time) )
            return false;
        else
            behind++;
    }
    return before > behind;
}

/* The bound of the time stamps of a window. */
static uint64_t find_bound(const struct xt_index *i,
                           const struct xt_index_entry *p)
{
    for ( unsigned int n = MAX_UNTIMED; n && p->next != XT_NOWHERE; n-- )
    {
        p = xt_index_get_entry(i, p->next);
        if ( p->timed )
            return p->time < i->horizon ? p->time : i->horizon;
    }
    return i->horizon;
}

bool xt_step_is_credible(const struct xt_index *i, uint64_t entry,
                         const unsigned char *at, const unsigned char *end,
                         uint64_t to)
{
    const struct xt_index_entry *p = xt_index_get_entry(i, entry);
    const struct xt_correction clock = xt_index_correction(i, p->cpu);

    assert(entry != XT_NOWHERE && at <= end);
    return to <= find_bound(i, p) &&
           !step_is_contradicted(at, end, &clock, to);
}

/* --- the horizon ---------------------------------------------------------- */

static uint64_t find_reach(uint64_t first, uint64_t time)
{
    uint64_t length = time > first ? time - first : 0;

    return length > MAX_SILENCE ? length : MAX_SILENCE;
}

void xt_latest_begin(struct xt_latest *l, uint64_t time)
{
    if ( !l->known || (l->nr < ENOUGH_RECORDS && time < l->time &&
                       l->time - time > MAX_SILENCE) )
        *l = (struct xt_latest){ .known = true, .time = time };
    if ( l->precedes_damage && time >= l->far )
        l->time = l->far;
    l->nr_far = l->precedes_damage ? 0 : l->nr_far;
    l->nr_step = 0;
    l->precedes_damage = false;
}

/*
 * The records that follow a far step are evidence if there are enough, and none
 * of them is far before the step.
 */
static void note_step(struct xt_latest *l, uint64_t time)
{
    if ( l->nr_step && l->nr_step < ENOUGH_RECORDS )
    {
        l->nr_step++;
        if ( time >= l->before_step && xt_step_is_far(time, l->time) )
        {
            l->time = time;
            l->nr_step = 0;
        }
    }
    else if ( xt_step_is_far(l->time, time) )
    {
        l->before_step = l->time;
        l->nr_step = 1;
    }
}

void xt_latest_add(struct xt_latest *l, uint64_t first, uint64_t time)
{
    if ( !l->known )
        xt_latest_begin(l, time);
    note_step(l, time);
    if ( time <= l->time || time - l->time <= find_reach(first, l->time) )
    {
        l->time = time > l->time ? time : l->time;
        l->nr_far = 0;
    }
    else if ( !l->nr_far++ || time > l->far )
        l->far = time;
    l->last = time;
    l->nr++;
}

bool xt_latest_is_steady(const struct xt_latest *l)
{
    return l->known && l->last == l->time && !l->nr_far &&
           (!l->nr_step || l->nr_step >= ENOUGH_RECORDS);
}

void xt_latest_add_near(struct xt_latest *l, unsigned int nr, uint64_t time)
{
    assert(xt_latest_is_steady(l) && time >= l->time);
    l->time = l->last = time;
    l->nr += nr;
}

/*
 * Does damage follow the record that ends at `at`?  The search for the next
 * window shortens a damaged one, so that it is smaller than its header says.
 */
static bool damage_follows(const struct xt_window *w, const unsigned char *at)
{
    const unsigned char *end = w->bytes + w->size;
    struct xt_header h;
    struct xt_record r;

    assert(at >= w->bytes && at <= end);
    if ( w->cut )
        return xt_record_decode(&r, at, end);
    memcpy(&h, w->bytes - XT_WINDOW_HEADER, sizeof(h));
    return at != end || h.size != w->size;
}

void xt_latest_end_window(struct xt_latest *l, const struct xt_window *w,
                          const unsigned char *at)
{
    if ( !l->nr_step || l->nr_step >= ENOUGH_RECORDS ||
         !damage_follows(w, at) )
        return;
    assert(l->known && l->nr >= l->nr_step);
    if ( !l->nr_far || l->time > l->far )
        l->far = l->time;
    l->nr_far = l->nr_step;
    l->time = l->before_step;
    l->precedes_damage = true;
}

/* A time that may be the horizon, in a sorted array. */
struct candidate
{
    uint64_t time;
    size_t cpu;
    bool is_doubtful;           /* without evidence from its own pcpu */
    bool precedes_damage;       /* no evidence for others, either */
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->time != y->time ? (x->time < y->time ? -1 : 1)
                              : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Is a time of another pcpu near candidate `n`? */
static bool is_confirmed(const struct candidate *c, size_t nr, size_t n)
{
    size_t from = n < 2 ? 0 : n - 2, to = nr - n < 3 ? nr : n + 3;

    assert(n < nr);
    for ( size_t k = from; k < to; k++ )
        if ( c[k].cpu != c[n].cpu && !c[k].precedes_damage &&
             (k < n ? c[n].time - c[k].time
                    : c[k].time - c[n].time) <= MAX_SILENCE )
            return true;
    return false;
}

/*
 * A pcpu has two candidates at most.  A few records of a pcpu without other
 * windows prove nothing.
 */
static size_t list_candidates(const struct xt_latest *l, size_t nr,
                              struct candidate *c)
{
    size_t cpus = 0, n = 0;

    for ( size_t cpu = 0; cpu < nr; cpu++ )
    {
        assert(l[cpu].known || !l[cpu].nr);
        cpus += l[cpu].known;
    }
    for ( size_t cpu = 0; cpu < nr; cpu++ )
    {
        bool alone = cpus == 1 && l[cpu].nr_far >= ENOUGH_RECORDS;

        if ( l[cpu].known )
            c[n++] = (struct candidate){ l[cpu].time, cpu,
                                         !l[cpu].is_anchored &&
                                         l[cpu].nr < ENOUGH_RECORDS, false };
        if ( l[cpu].known && l[cpu].nr_far )
            c[n++] = (struct candidate){ l[cpu].far, cpu, !alone,
                                         l[cpu].precedes_damage };
    }
    return n;
}

/* The latest time with evidence; without any evidence, the latest time. */
static uint64_t choose_candidate(const struct candidate *c, size_t nr,
                                 uint64_t first)
{
    bool any = false;
    uint64_t time = 0;

    for ( size_t n = 0; n < nr; n++ )
    {
        if ( any && (c[n].precedes_damage
                     ? xt_step_is_far(time, c[n].time)
                     : c[n].is_doubtful && !is_confirmed(c, nr, n) &&
                       c[n].time - time > find_reach(first, time)) )
            continue;
        any |= !c[n].is_doubtful;
        time = c[n].time;
    }
    return time;
}

int xt_latest_find_horizon(const struct xt_latest *l, size_t nr,
                           uint64_t first, uint64_t *horizon)
{
    struct candidate *c = fault_calloc(2 * nr + 1, sizeof(*c));

    if ( !c )
        return -ENOMEM;
    nr = list_candidates(l, nr, c);
    if ( nr )
        qsort(c, nr, sizeof(*c), compare_candidates);
    *horizon = nr ? choose_candidate(c, nr, first) : UINT64_MAX;
    free(c);
    return 0;
}

/* --- the horizon of an index ---------------------------------------------- */

static void read_window(struct xt_latest *l, const struct xt_index *i,
                        const struct xt_index_entry *p,
                        const unsigned char *records)
{
    const struct xt_window w = xt_index_entry_window(p, records);
    const unsigned char *end = records + p->size;
    struct xt_record r;
    size_t size;

    for ( ; (size = xt_record_decode(&r, records, end)) &&
            xt_record_is_possible(&r); records += size )
        if ( xt_record_is_timed(&r) )
            xt_latest_add(l, i->first, xt_index_correct(i, p->cpu, r.tsc));
    xt_latest_end_window(l, &w, records);
}

/*
 * The latest times of a pcpu, from its last window with a time stamp on: the
 * last window of a capture often has metadata alone.  A stream has released the
 * bytes of a window that is done.
 */
static struct xt_latest get_latest(const struct xt_index *i, unsigned int cpu,
                                   const struct xt_view *v)
{
    const struct xt_cpu_windows *w = &i->cpus[cpu];
    struct xt_latest l = { .known = true, .time = w->time_before,
                           .is_anchored = w->time_before };
    uint64_t last = w->last_timed == XT_NOWHERE ? w->last : w->last_timed;
    const struct xt_index_entry *p;

    if ( last == XT_NOWHERE )
        return (struct xt_latest){ .known = false };
    if ( last < i->dropped || xt_index_get_entry(i, last)->done )
        return (struct xt_latest){ .known = w->time, .time = w->time,
                                   .is_anchored = true };
    p = xt_index_get_entry(i, last);
    if ( !l.time )
        l.time = p->time;
    l.last = p->time;
    read_window(&l, i, p, xt_view_at(v, p->at + XT_WINDOW_HEADER));
    return l;
}

static void set_ends(struct xt_index *i, const struct xt_latest *l)
{
    for ( unsigned int cpu = 0; cpu < i->nr_cpus; cpu++ )
        i->cpus[cpu].end = l[cpu].last <= i->horizon ? l[cpu].last :
                           l[cpu].time <= i->horizon ? l[cpu].time
                                                     : i->horizon;
}

/* A window that begins behind the horizon has a damaged time stamp. */
static void correct_entry_times(struct xt_index *i)
{
    uint64_t time = i->first;

    for ( size_t n = 0; n < i->nr; n++ )
    {
        struct xt_index_entry *p = &i->entries[n];

        if ( p->time > i->horizon )
            p->time = p->timed && i->cpus[p->cpu].time_before
                      ? i->cpus[p->cpu].time_before : time;
        time = p->time;
    }
}

int xt_index_set_horizon(struct xt_index *i, const struct xt_view *v)
{
    struct xt_latest *l;
    int rc;

    if ( i->first == UINT64_MAX )
        return 0;
    assert(i->nr_cpus);
    l = fault_calloc(i->nr_cpus, sizeof(*l));
    if ( !l )
        return -ENOMEM;
    for ( unsigned int cpu = 0; cpu < i->nr_cpus; cpu++ )
        l[cpu] = get_latest(i, cpu, v);
    rc = xt_latest_find_horizon(l, i->nr_cpus, i->first, &i->horizon);
    if ( !rc )
    {
        set_ends(i, l);
        correct_entry_times(i);
    }
    free(l);
    return rc;
}
