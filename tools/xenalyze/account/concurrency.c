/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sink of struct fact_domain: every runstate change of a vcpu comes with a
 * census of the domain, so a table of time by number of running vcpus is a
 * plain sum.
 */
#include "xenalyze/account/concurrency.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/fault.h"
#include "common/grow.h"
#include "common/text-wrap.h"
#include "xenalyze/account/sort.h"

void concurrency_fini(struct concurrency *t)
{
    free(t->domains);
    t->domains = NULL;
    t->nr = 0;
}

static void note_domain_state(void *state, const struct fact_domain *f)
{
    struct concurrency *t = state;
    uint64_t cycles = f->to - f->from;
    uint32_t runnable = fact_census(f, CENSUS_RUNNABLE);
    uint32_t running = fact_census(f, CENSUS_RUNNING);
    uint32_t lost = f->nr_vcpus - running - runnable -
                    fact_census(f, CENSUS_BLOCKED);
    struct concurrency_domain *d;

    debug_assert(!t->closed);
    debug_assert(lost <= f->nr_vcpus && f->ended <= lost);
    if ( f->domain->id == XT_DOMAIN_IDLE || f->domain->id == XT_DOMAIN_DEFAULT )
        return;
    if ( !grow_to_index(&t->domains, &t->nr, f->domain->index, sizeof(*d)) )
    {
        t->failed = true;
        return;
    }
    d = &t->domains[f->domain->index];
    d->known = true;
    d->id = f->domain->id;
    if ( f->nr_vcpus > d->vcpus )
        d->vcpus = f->nr_vcpus;
    running += f->ended;
    /*
     * A vcpu that was running at the end of its pcpu's records counts as
     * running.
     */
    if ( lost > f->ended )
        d->lost += cycles;
    else
        d->cycles[running < CONCURRENCY_MAX ? running
                                            : CONCURRENCY_MAX] += cycles;
    if ( lost == f->ended && running && runnable )
        d->hazard += cycles;
}

static int concurrency_end(void *state, const struct fact_end *f, struct err *e)
{
    const struct concurrency *t = state;

    (void)f;
    return t->failed ? err_sys(e, -ENOMEM, "cannot keep the domains") : 0;
}

struct sink concurrency_sink(struct concurrency *t)
{
    static const struct sink_ops ops = {
        .name = "together", .end = concurrency_end,
        .domain = note_domain_state,
    };

    return (struct sink){ &ops, t };
}

static int compare_domain_ids(const void *a, const void *b)
{
    const struct concurrency_domain *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

void concurrency_close(struct concurrency *t)
{
    uint32_t n = 0;

    assert(!t->closed);
    t->closed = true;
    for ( uint32_t i = 0; i < t->nr; i++ )
        if ( t->domains[i].known )
            t->domains[n++] = t->domains[i];
    t->nr = n;
    if ( n )
        qsort(t->domains, n, sizeof(*t->domains), compare_domain_ids);
}

uint64_t concurrency_sum_time(const struct concurrency_domain *d)
{
    uint64_t sum = d->lost;

    for ( unsigned int i = 0; i <= CONCURRENCY_MAX; i++ )
        sum += d->cycles[i];
    return sum;
}

/* Omit numbers of vcpus that never ran at the same time. */
static void print_concurrency(const struct concurrency_domain *d,
                              const struct xt_domain_names *names, FILE *out)
{
    struct text_wrap w = text_wrap_begin(out);
    char name[XT_LABEL_MAX];
    uint64_t whole = concurrency_sum_time(d);
    const char *mark = ":";

    text_wrap_add(&w, "", "%s", xt_domain_label(names, d->id, name));
    for ( unsigned int i = 0; i <= CONCURRENCY_MAX; i++ )
    {
        if ( !d->cycles[i] )
            continue;
        text_wrap_add(&w, mark, "%u%s %.2f%%", i,
                      i == CONCURRENCY_MAX ? " or more" : "",
                      stats_share(d->cycles[i], whole));
        mark = ",";
    }
    if ( d->lost )
        text_wrap_add(&w, mark, "unknown %.2f%%",
                      stats_share(d->lost, whole));
    text_wrap_add(&w, ";", "some waited while others ran %.2f%%",
                  stats_share(d->hazard, whole));
    text_wrap_end(&w);
}

/* Running time of the domain: sum over all vcpus. */
static uint64_t sum_running_time(const struct concurrency_domain *d)
{
    uint64_t sum = 0;

    for ( unsigned int i = 1; i <= CONCURRENCY_MAX; i++ )
        sum += i * d->cycles[i];
    return sum;
}

int text_print_concurrency(const struct concurrency *t,
                           const struct report_request *request, FILE *out)
{
    struct sort_row *rows = fault_malloc((t->nr + 1) * sizeof(*rows));
    size_t n = 0;

    assert(t->closed);
    if ( !rows )
        return -ENOMEM;
    for ( uint32_t i = 0; i < t->nr; i++ )
        if ( t->domains[i].vcpus > 1 && concurrency_sum_time(&t->domains[i]) )
            rows[n++] = (struct sort_row){ sum_running_time(&t->domains[i]),
                                          i };
    n = sort_rows(request, rows, n);
    fprintf(out, "--- Vcpus of a domain that ran at the same time "
            "(share of time) ---\n");
    if ( !n )
        fprintf(out, " (no domain here has more than one vcpu)\n");
    for ( size_t i = 0; i < n; i++ )
        print_concurrency(&t->domains[rows[i].index], request->names, out);
    free(rows);
    return 0;
}
