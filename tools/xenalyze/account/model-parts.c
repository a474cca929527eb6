/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An access is added when its vcpu runs again, so later events have been read
 * by then, and the events of the access are searched among the recent ones.
 */
#include "xenalyze/account/model-parts.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/fault.h"
#include "common/grow.h"

int model_parts_init(struct model_parts *m, struct programs *programs,
                     struct stats_pool *pool, struct err *e)
{
    int rc = programs_copy(&m->programs, programs, e);

    assert(pool && !m->nr_recent);
    m->pool = pool;
    m->err = (struct err)ERR_INIT;
    if ( rc )
        return rc;
    m->recent = fault_calloc(MODEL_RECENT, sizeof(*m->recent));
    return m->recent ? 0 : err_sys(e, -ENOMEM, "cannot keep events");
}

void model_parts_fini(struct model_parts *m)
{
    programs_close(m->programs);
    free(m->recent);
    free(m->domains);
    free(m->rows);
    *m = (struct model_parts){ .programs = NULL };
}

void model_parts_end_segment(struct model_parts *m)
{
    m->ended = true;
    m->next = NULL;
    m->nr_recent = 0;
}

/* --- the recent events ---------------------------------------------------- */

static void read_model_event(struct model_parts *m)
{
    int rc = m->ended ? 0 : programs_next(m->programs, &m->next, &m->err);

    m->failed |= rc < 0;
    m->ended |= rc <= 0;
    if ( m->ended )
        m->next = NULL;
}

static void read_events_until(struct model_parts *m, uint64_t time)
{
    if ( !m->next )
        read_model_event(m);
    while ( m->next && m->next->time < time )
    {
        if ( !m->next->lost )
            m->recent[m->nr_recent++ % MODEL_RECENT] = (struct model_moment){
                m->next->time, m->next->process, m->next->name };
        read_model_event(m);
    }
}

static const struct model_moment *get_moment(const struct model_parts *m,
                                             uint64_t i)
{
    debug_assert(i < m->nr_recent && m->nr_recent - i <= MODEL_RECENT);
    return &m->recent[i % MODEL_RECENT];
}

/* The number of the first recent event from a time on. */
static uint64_t find_moment(const struct model_parts *m, uint64_t time)
{
    uint64_t high = m->nr_recent;
    uint64_t low = high > MODEL_RECENT ? high - MODEL_RECENT : 0;

    while ( low < high )
    {
        uint64_t middle = low + (high - low) / 2;

        if ( get_moment(m, middle)->time < time )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* --- rows in progress ----------------------------------------------------- */

static struct model_domain *get_model_domain(struct model_parts *m,
                                             const struct model_access *a)
{
    struct model_domain *d =
        grow_get_object(&m->domains, &m->nr_domains, a->index,
                        &m->pool->arena, sizeof(*d),
                        _Alignof(struct model_domain));

    m->failed |= !d;
    if ( d )
        d->id = a->domain;
    return d;
}

/* A new process has been in none of the domain's accesses so far. */
static struct model_process *add_model_process(struct model_parts *m,
                                               struct model_domain *d,
                                               uint32_t number)
{
    struct model_process *p;

    if ( d->nr_processes >= MODEL_PROCESSES )
        return NULL;
    p = arena_zalloc(&m->pool->arena, sizeof(*p), STATS_LINE);
    m->failed |= !p;
    if ( !p )
        return NULL;
    p->number = number;
    stats_merge(&p->without, m->pool, &d->all);
    p->next = d->processes;
    d->processes = p;
    d->nr_processes++;
    return p;
}

static struct model_process *get_model_process(struct model_parts *m,
                                               struct model_domain *d,
                                               uint32_t number)
{
    struct model_process *p = d->processes;

    while ( p && p->number != number )
        p = p->next;
    return p ? p : add_model_process(m, d, number);
}

static struct model_event *get_model_event(struct model_parts *m,
                                           struct model_process *p,
                                           uint32_t name)
{
    bool is_full = p->nr_events >= MODEL_EVENTS;
    struct model_event **at = &p->events, *event;

    /* The row of all others is last, behind those that are searched. */
    while ( *at && (*at)->name != name && (*at)->name != MODEL_OTHERS )
        at = &(*at)->next;
    if ( *at )
        return *at;
    event = arena_zalloc(&m->pool->arena, sizeof(*event), STATS_LINE);
    m->failed |= !event;
    if ( !event )
        return NULL;
    event->name = is_full ? MODEL_OTHERS : name;
    p->nr_events++;
    *at = event;
    return event;
}

/* --- one access ----------------------------------------------------------- */

/* The time from..to without waits, and at most what is left of the part. */
static uint64_t take_piece(const struct model_access *a, uint64_t from,
                           uint64_t to, uint64_t *left)
{
    uint64_t piece = to - from - a->waited(a->arg, from, to);

    debug_assert(from <= to);
    if ( piece > *left )
        piece = *left;
    *left -= piece;
    return piece;
}

/* Cut the access at the events first.. of the process of event first. */
static void cut_access(struct model_parts *m, struct model_domain *d,
                       const struct model_access *a, uint64_t first)
{
    uint32_t process = get_moment(m, first)->process;
    struct model_process *p = get_model_process(m, d, process);
    uint64_t from = get_moment(m, first)->time, left = a->cycles;
    struct model_event *event;

    if ( !p )
        return;
    p->accesses++;
    stats_add(&p->before, m->pool, take_piece(a, a->from, from, &left),
              a->from);
    event = get_model_event(m, p, get_moment(m, first)->name);
    for ( uint64_t i = first + 1; event && i < m->nr_recent; i++ )
    {
        const struct model_moment *moment = get_moment(m, i);

        if ( moment->time >= a->to )
            break;
        if ( moment->process != process )
            continue;
        stats_add(&event->time, m->pool,
                  take_piece(a, from, moment->time, &left), from);
        from = moment->time;
        event = get_model_event(m, p, moment->name);
    }
    if ( event )
        stats_add(&event->time, m->pool, left, from);
}

static bool has_number(const uint32_t *numbers, unsigned int nr,
                       uint32_t number)
{
    for ( unsigned int i = 0; i < nr; i++ )
        if ( numbers[i] == number )
            return true;
    return false;
}

/* Cut the access once for each process with an event in it. */
static unsigned int cut_for_processes(struct model_parts *m,
                                      struct model_domain *d,
                                      const struct model_access *a,
                                      uint32_t done[MODEL_SPLITS])
{
    uint64_t i = find_moment(m, a->from);
    unsigned int nr = 0;

    m->missed += i && m->nr_recent - i == MODEL_RECENT;
    for ( ; i < m->nr_recent && nr < MODEL_SPLITS; i++ )
    {
        const struct model_moment *moment = get_moment(m, i);

        if ( moment->time >= a->to )
            break;
        if ( has_number(done, nr, moment->process) )
            continue;
        done[nr++] = moment->process;
        cut_access(m, d, a, i);
    }
    return nr;
}

void model_parts_add(struct model_parts *m, const struct model_access *a)
{
    struct model_domain *d = get_model_domain(m, a);
    uint32_t done[MODEL_SPLITS];
    unsigned int nr;

    assert(a->from <= a->to && a->cycles <= a->to - a->from);
    if ( !d )
        return;
    read_events_until(m, a->to);
    nr = cut_for_processes(m, d, a, done);
    for ( struct model_process *p = d->processes; p; p = p->next )
        if ( !has_number(done, nr, p->number) )
            stats_add(&p->without, m->pool, a->cycles, a->from);
    stats_add(&d->all, m->pool, a->cycles, a->from);
}

/* --- rows ----------------------------------------------------------------- */

/* Does the process serve another domain more often? */
static bool serves_other(const struct model_parts *m,
                         const struct model_domain *own,
                         const struct model_process *process)
{
    for ( uint32_t i = 0; i < m->nr_domains; i++ )
    {
        const struct model_domain *d = m->domains[i];

        if ( !d || d == own )
            continue;
        for ( const struct model_process *p = d->processes; p; p = p->next )
            if ( p->number == process->number &&
                 p->accesses > process->accesses )
                return true;
    }
    return false;
}

static const struct model_process *choose_process(const struct model_parts *m,
                                                  const struct model_domain *d)
{
    const struct model_process *best = NULL;

    for ( const struct model_process *p = d->processes; p; p = p->next )
        if ( (!best || p->accesses > best->accesses ||
              (p->accesses == best->accesses && p->number < best->number)) &&
             !serves_other(m, d, p) )
            best = p;
    return best;
}

static void add_model_row(struct model_parts *m, const struct model_row *row)
{
    if ( stats_events(row->time) )
        m->rows[m->nr_rows++] = *row;
}

static void add_domain_rows(struct model_parts *m, const struct model_domain *d)
{
    const struct model_process *p = choose_process(m, d);
    struct model_row row = { .domain = d->id };

    if ( !p )
        return;
    row.process = p->number;
    row.time = &p->before;
    row.kind = MODEL_BEFORE;
    add_model_row(m, &row);
    row.time = &p->without;
    row.kind = MODEL_WITHOUT;
    add_model_row(m, &row);
    row.kind = MODEL_EVENT;
    for ( const struct model_event *event = p->events; event;
          event = event->next )
    {
        row.name = event->name;
        row.time = &event->time;
        add_model_row(m, &row);
    }
}

/* By domain; in a domain, the events by time, and the others before these. */
static int compare_model_rows(const void *a, const void *b)
{
    const struct model_row *x = a, *y = b;

    if ( x->domain != y->domain )
        return x->domain < y->domain ? -1 : 1;
    if ( x->kind != y->kind )
        return x->kind > y->kind ? -1 : 1;
    if ( x->time->sum != y->time->sum )
        return x->time->sum > y->time->sum ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

void model_parts_close(struct model_parts *m)
{
    size_t room = 1;

    for ( uint32_t i = 0; i < m->nr_domains; i++ )
        if ( m->domains[i] )
            room += MODEL_EVENTS + 3;
    m->rows = fault_calloc(room, sizeof(*m->rows));
    m->failed |= !m->rows;
    for ( uint32_t i = 0; m->rows && i < m->nr_domains; i++ )
        if ( m->domains[i] )
            add_domain_rows(m, m->domains[i]);
    assert(m->nr_rows < room);
    if ( m->nr_rows )
        qsort(m->rows, m->nr_rows, sizeof(*m->rows), compare_model_rows);
}
