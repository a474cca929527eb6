/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of pcpus, domains and vcpus: by id, or by running time.  A domain
 * has the running time of all of its vcpus; idle vcpus come last.
 */
#include "xenalyze/text/text-private.h"

#include <assert.h>

#include "xenalyze/text/text.h"

/* Sort value of a state; `open` is the length of the unfinished state. */
static uint64_t value_of(const struct text *t, const struct stats *running,
                         uint64_t open)
{
    uint64_t value = sort_value(t->request->sort, running);

    return t->request->sort == SORT_TOTAL ? value + open : value;
}

static uint64_t vcpu_value(const struct text *t, const struct summary_vcpu *v)
{
    if ( !v->sched || summary_is_idle(v) )
        return 0;
    return value_of(t, &v->sched->state[STATE_RUNNING],
                    v->sched->time.open[STATE_RUNNING]);
}

/* Index of the first vcpu with this domain id or a higher one. */
static uint32_t first_of(const struct summary *b, uint32_t domain)
{
    uint32_t low = 0, high = b->nr_vcpus;

    while ( low < high )
    {
        uint32_t middle = low + (high - low) / 2;

        if ( b->vcpus[middle]->domain < domain )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t domain_value(const struct text *t,
                             const struct summary_domain *d)
{
    const struct summary *b = t->summary;
    struct stats running = { 0 };
    uint64_t open = 0;

    if ( t->request->sort == SORT_NAME )
        return 0;
    for ( uint32_t i = first_of(b, d->id);
          i < b->nr_vcpus && b->vcpus[i]->domain == d->id; i++ )
    {
        const struct summary_vcpu *v = b->vcpus[i];

        if ( !v->sched || summary_is_idle(v) )
            continue;
        running.weighted = v->sched->state[STATE_RUNNING].weighted;
        stats_merge(&running, &t->summary->pool,
                    &v->sched->state[STATE_RUNNING]);
        open += v->sched->time.open[STATE_RUNNING];
    }
    return value_of(t, &running, open);
}

static struct sort_row *rows_for(const struct text *t, size_t n)
{
    struct sort_row *rows = arena_array(&t->summary->pool.arena, n ? n : 1,
                                        sizeof(*rows), 8);

    t->summary->pool.failed |= !rows;
    return rows;
}

struct sort_row *text_vcpus(const struct text *t, uint32_t domain, size_t *n)
{
    const struct summary *b = t->summary;
    bool any = domain == TEXT_ANY;
    uint32_t from = any ? 0 : first_of(b, domain);
    uint32_t to = any ? b->nr_vcpus : first_of(b, domain + 1);
    struct sort_row *rows = rows_for(t, to - from);
    size_t nr = 0;

    assert(from <= to && to <= b->nr_vcpus);
    for ( uint32_t i = from; rows && i < to; i++ )
        rows[nr++] = (struct sort_row){ vcpu_value(t, b->vcpus[i]), i };
    *n = sort_rows(t->request, rows, nr);
    return rows;
}

struct sort_row *text_domains(const struct text *t, size_t *n)
{
    const struct summary *b = t->summary;
    struct sort_row *rows = rows_for(t, b->nr_domains);
    size_t nr = 0;

    for ( uint32_t i = 0; rows && i < b->nr_domains; i++ )
        if ( b->domains[i]->id != XT_DOMAIN_DEFAULT )
            rows[nr++] = (struct sort_row){
                domain_value(t, b->domains[i]), i,
            };
    *n = sort_rows(t->request, rows, nr);
    return rows;
}

struct sort_row *text_pcpus(const struct text *t, size_t *n)
{
    const struct summary *b = t->summary;
    struct sort_row *rows = rows_for(t, b->nr_pcpus);

    for ( uint32_t i = 0; rows && i < b->nr_pcpus; i++ )
        rows[i] = (struct sort_row){
            value_of(t, &b->pcpus[i]->state[PCPU_RUNNING], 0), i,
        };
    *n = sort_rows(t->request, rows, rows ? b->nr_pcpus : 0);
    return rows;
}

size_t text_counts(const struct text *t, const uint64_t *counts, size_t nr,
                   struct sort_row *rows)
{
    size_t n = 0;

    for ( size_t i = 0; i < nr; i++ )
        if ( counts[i] )
            rows[n++] = (struct sort_row){ counts[i], i };
    return sort_rows(t->request, rows, n);
}

void text_print_cut(bool was_cut, FILE *out)
{
    if ( was_cut )
        fprintf(out, "Long tables show the top %u rows; --top=0 prints all "
                "rows.\n", SORT_SCREEN_ROWS);
}
