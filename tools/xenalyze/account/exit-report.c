/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vcpus are sorted by domain and id, so the rows of a domain are consecutive,
 * and a backward search of the array stops at the first row of another domain.
 */
#include "xenalyze/account/exit-report.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/model/model.h"

static struct exit_report_row *get_report_row(struct exit_report *x,
                                              uint16_t domain, uint16_t cause,
                                              uint64_t handler)
{
    size_t room = x->room ? 2 * x->room : 64;
    struct exit_report_row *larger;

    assert(cause < EXIT_CAUSES && x->nr <= x->room);
    for ( size_t i = x->nr; i && x->rows[i - 1].domain == domain; i-- )
        if ( x->rows[i - 1].cause == cause &&
             x->rows[i - 1].handler == handler )
            return &x->rows[i - 1];
    if ( x->nr == x->room )
    {
        larger = fault_realloc(x->rows, room * sizeof(*larger));
        if ( !larger )
            return NULL;
        x->rows = larger;
        x->room = room;
    }
    x->rows[x->nr] = (struct exit_report_row){
        .domain = domain, .cause = cause, .handler = handler,
    };
    return &x->rows[x->nr++];
}

static int add_cost(struct exit_report *x, struct summary *b,
                    const struct summary_vcpu *v, unsigned int cause,
                    uint64_t handler, const struct stats *cost,
                    uint64_t off_cpu)
{
    struct exit_report_row *row = get_report_row(x, v->domain, cause, handler);

    if ( !row )
        return -ENOMEM;
    stats_merge(&row->cost, &b->pool, cost);
    row->off_cpu += off_cpu;
    return 0;
}

/* Skip parts of handlers, and handlers without cost: the summary has both. */
static int add_handlers(struct exit_report *x, struct summary *b,
                        const struct summary_vcpu *v, unsigned int cause)
{
    const struct summary_exit *exit = summary_exit_find(v->hvm, cause);
    const struct stats_map *m = &exit->details;
    struct stats_row **rows = stats_map_by_key(m, &b->pool);
    int rc = 0;

    for ( size_t i = 0; !rc && rows && i < m->used; i++ )
        if ( rows[i]->stats.count && !SUMMARY_DETAIL_PART(rows[i]->key) )
            rc = add_cost(x, b, v, cause, rows[i]->key, &rows[i]->stats,
                          summary_detail_off_cpu(exit, rows[i]->key));
    return rc;
}

static int add_cause(struct exit_report *x, struct summary *b,
                     const struct summary_vcpu *v, unsigned int cause)
{
    const struct summary_exit *exit = summary_exit_find(v->hvm, cause);
    uint64_t off_cpu;
    int rc;

    if ( !exit )
        return 0;
    off_cpu = summary_exit_off_cpu(exit);
    rc = add_cost(x, b, v, 0, EXIT_REPORT_DOMAIN, &exit->cost, off_cpu);
    rc = rc ? rc : add_cost(x, b, v, cause, EXIT_REPORT_WHOLE, &exit->cost,
                            off_cpu);
    return rc ? rc : add_handlers(x, b, v, cause);
}

int exit_report_build(struct exit_report *x, struct summary *summary)
{
    int rc = 0;

    assert(summary->closed && !x->nr);
    for ( uint32_t i = 0; i < summary->nr_vcpus; i++ )
    {
        const struct summary_vcpu *v = summary->vcpus[i];

        for ( unsigned int c = 0; !rc && v->hvm && c < EXIT_CAUSES; c++ )
            rc = add_cause(x, summary, v, c);
    }
    return summary->pool.failed ? -ENOMEM : rc;
}

void exit_report_fini(struct exit_report *x)
{
    assert(x->nr <= x->room);
    free(x->rows);
}

const char *exit_report_name(unsigned int cause, char name[EXIT_REPORT_NAME])
{
    assert(cause < EXIT_CAUSES);
    if ( exit_name(cause) )
        return exit_name(cause);
    if ( cause == EXIT_OTHER )
        return "(others)";
    snprintf(name, EXIT_REPORT_NAME, "%" PRIu32, exit_reason(cause));
    return name;
}
