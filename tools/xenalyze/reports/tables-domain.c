/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of the account: domains.
 */
#include "xenalyze/reports/table.h"

static void walk_domains(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_domains; i++ )
    {
        const struct summary_domain *d = a->summary->domains[i];

        EXPORT_ROW(x, export_number(d->id),
                   export_text(d->name[0] ? d->name : NULL),
                   export_optional(d->sched,
                                   d->sched ? d->sched->time.elapsed : 0));
    }
}

static const struct export_column domain_columns[] = {
    EXPORT_COLUMN("domain", COUNT, "the id of the domain"),
    EXPORT_OPTIONAL("name", TEXT, "the name of the domain, if known"),
    EXPORT_OPTIONAL("time", DURATION,
                    "the time from the first record of the domain to the end "
                    "of the trace"),
};

static void walk_domain_states(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_domains; i++ )
    {
        const struct summary_domain_sched *s = a->summary->domains[i]->sched;

        for ( unsigned int k = 0; s && k < DOMAIN_STATES; k++ )
            if ( stats_events(&s->state[k]) || s->time.open[k] )
                EXPORT_ROW(x, export_number(a->summary->domains[i]->id),
                           export_text(domain_state_name(k)),
                           export_number(s->time.open[k]),
                           export_series(&s->state[k]));
    }
}

static const struct export_column state_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_COLUMN("state", TEXT,
                  "the combined runstate of the vcpus; lost: all are unknown "
                  "because records were lost; no data: all are unknown after "
                  "the last records of their pcpus"),
    EXPORT_COLUMN("open", DURATION,
                  "the time in the state at the end of the trace, not included "
                  "in the other members"),
    EXPORT_STATE_STATISTICS,
};

/* --- exits of all vcpus --------------------------------------------------- */

typedef void exit_row_fn(struct export *x, const struct summary *s,
                         const struct exit_report_row *r);

static void export_exit(struct export *x, const struct summary *s,
                         const struct exit_report_row *r)
{
    char name[EXIT_REPORT_NAME];

    if ( r->handler == EXIT_REPORT_WHOLE )
        EXPORT_ROW(x, export_number(r->domain),
                   export_text(exit_report_name(r->cause, name)),
                   export_optional(r->cause != EXIT_OTHER,
                                   exit_reason(r->cause)),
                   export_number(summary_per_second(
                       s, stats_events(&r->cost))),
                   export_number(exit_report_in_xen(r)),
                   export_optional(r->domain != XT_DOMAIN_DEFAULT,
                                   r->off_cpu),
                   export_series(&r->cost));
}

static void export_handler(struct export *x, const struct summary *s,
                         const struct exit_report_row *r)
{
    char name[EXIT_REPORT_NAME], handler[SUMMARY_DETAIL_NAME];
    uint32_t vector;
    bool is_interrupt = summary_detail_vector(r->handler, &vector);

    if ( exit_report_has_handler(r) )
        EXPORT_ROW(x, export_number(r->domain),
                   export_text(exit_report_name(r->cause, name)),
                   export_optional(r->cause != EXIT_OTHER,
                                   exit_reason(r->cause)),
                   export_text(summary_detail_name(r->handler, handler)),
                   export_optional(is_interrupt, vector),
                   export_text(summary_detail_interrupt(r->handler)),
                   export_number(summary_per_second(
                       s, stats_events(&r->cost))),
                   export_number(exit_report_in_xen(r)),
                   export_optional(r->domain != XT_DOMAIN_DEFAULT,
                                   r->off_cpu),
                   export_series(&r->cost));
}

static void export_total(struct export *x, const struct summary *s,
                         const struct exit_report_row *r)
{
    if ( r->handler == EXIT_REPORT_DOMAIN )
        EXPORT_ROW(x, export_number(r->domain),
                   export_number(summary_per_second(
                       s, stats_events(&r->cost))),
                   export_number(exit_report_in_xen(r)),
                   export_optional(r->domain != XT_DOMAIN_DEFAULT,
                                   r->off_cpu),
                   export_series(&r->cost));
}

static void export_exits(struct export *x, struct summary *s,
                         exit_row_fn *export_one)
{
    struct exit_report exits = { 0 };
    int rc = exit_report_build(&exits, s);

    for ( size_t i = 0; !rc && i < exits.nr; i++ )
        if ( stats_events(&exits.rows[i].cost) )
            export_one(x, s, &exits.rows[i]);
    s->pool.failed |= rc != 0;
    exit_report_fini(&exits);
}

static void walk_exit_totals(struct export *x, void *state)
{
    struct account *a = state;

    export_exits(x, a->summary, export_total);
}

static void walk_domain_exits(struct export *x, void *state)
{
    struct account *a = state;

    export_exits(x, a->summary, export_exit);
}

static void walk_handlers(struct export *x, void *state)
{
    struct account *a = state;

    export_exits(x, a->summary, export_handler);
}

#define REASON \
    EXPORT_COLUMN("reason", TEXT, "the exit reason"), \
    EXPORT_OPTIONAL("reason_number", COUNT, \
                    "the hardware's number of the exit reason")

static const struct export_column total_columns[] = {
    EXPORT_DOMAIN_ID, REPORT_EXIT_TIMES, EXPORT_STATISTICS,
};

static const struct export_column exit_columns[] = {
    EXPORT_DOMAIN_ID, REASON, REPORT_EXIT_TIMES, EXPORT_STATISTICS,
};

static const struct export_column handler_columns[] = {
    EXPORT_DOMAIN_ID, REASON,
    EXPORT_COLUMN("handler", TEXT, "the part of Xen that handled the exit"),
    REPORT_EXIT_INTERRUPT, REPORT_EXIT_TIMES, EXPORT_STATISTICS,
};

/* --- memory --------------------------------------------------------------- */

static void walk_memory(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_domains; i++ )
        for ( unsigned int k = 0; k < MEMORY_KINDS; k++ )
        {
            const struct summary_domain *d = a->summary->domains[i];
            const struct summary_memory *m = summary_get_memory(d);

            if ( m->done_by[k] || m->done_for[k] )
                EXPORT_ROW(x, export_number(d->id),
                           export_text(memory_name(k)),
                           export_number(m->done_by[k]),
                           export_number(m->done_for[k]));
        }
}

static const struct export_column memory_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_COLUMN("operation", TEXT, "the memory operation"),
    EXPORT_COLUMN("by_domain", COUNT, "the number of operations by the domain"),
    EXPORT_COLUMN("on_domain", COUNT,
                  "the number of operations on the memory of the domain"),
};

static void walk_populated(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_domains; i++ )
        for ( unsigned int k = 0; k < SUMMARY_ORDERS; k++ )
        {
            const struct summary_domain *d = a->summary->domains[i];
            const struct summary_memory *m = summary_get_memory(d);

            if ( m->populated[k] )
                EXPORT_ROW(x, export_number(d->id), export_number(9 * k),
                           export_number(m->populated[k]));
        }
}

static const struct export_column populated_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_COLUMN("order", COUNT,
                  "log2 of the number of pages in an operation"),
    EXPORT_COLUMN("times", COUNT, "the number of occurrences"),
};

static void walk_reclaimed(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_domains; i++ )
        for ( unsigned int k = 0; k < SUMMARY_ORDERS; k++ )
            for ( unsigned int c = 0; c < POD_CONTEXTS; c++ )
            {
                const struct summary_domain *d = a->summary->domains[i];
                const struct summary_memory *m = summary_get_memory(d);

                if ( m->contexts[c][k] )
                    EXPORT_ROW(x, export_number(d->id), export_number(9 * k),
                               export_text(pod_context_name(c)),
                               export_number(m->contexts[c][k]));
            }
}

static const struct export_column reclaimed_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_COLUMN("order", COUNT,
                  "log2 of the number of pages in an operation"),
    EXPORT_COLUMN("context", TEXT, "the part of Xen that reclaimed the pages"),
    EXPORT_COLUMN("times", COUNT, "the number of occurrences"),
};

/* --- addresses ------------------------------------------------------------ */

static void export_address(struct export *x, const struct account *a,
                           uint32_t domain, const struct stats_row *row)
{
    const struct symbols *symbols = a->request->symbols;
    char symbol[SYMBOLS_TEXT_MAX];

    EXPORT_ROW(x, export_number(domain), export_optional(true, row->key),
               export_text(symbols ? symbols_text(symbols, row->key, symbol)
                                   : NULL),
               export_series(&row->stats));
}

static void export_addresses(struct export *x, const struct account *a,
                             uint32_t domain, const struct stats_map *m)
{
    struct stats_row **rows = stats_map_by_key(m, &a->summary->pool);

    for ( size_t i = 0; rows && i < m->used; i++ )
        export_address(x, a, domain, rows[i]);
    if ( m->others && stats_events(m->others) )
        EXPORT_ROW(x, export_number(domain), export_optional(false, 0),
                   export_text("others"), export_series(m->others));
}

static void walk_emulated(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_domains; i++ )
        export_addresses(x, a, a->summary->domains[i]->id,
                         &a->summary->domains[i]->emulated);
}

static void walk_interrupted(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_domains; i++ )
        export_addresses(x, a, a->summary->domains[i]->id,
                         &a->summary->domains[i]->hit);
}

_Static_assert(STATS_MAP_MAX == 262144, "the text of column symbol");

static const struct export_column address_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_OPTIONAL("address", COUNT, "the guest address"),
    EXPORT_OPTIONAL("symbol", TEXT,
                    "the symbol of the address (--symbol-file); \"others\": "
                    "all addresses beyond the first 262,144"),
    EXPORT_STATISTICS,
};

const struct export_table report_tables_domain[] = {
    { "domains", "Domains.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(domain_columns), walk_domains },
    { "domain_states", "Combined runstates of the vcpus of a domain.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(state_columns), walk_domain_states },
    { "domain_exit_totals", "All VM exits of all vcpus of a domain.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(total_columns), walk_exit_totals },
    { "domain_exits", "VM exits of all vcpus of a domain, by reason.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(exit_columns), walk_domain_exits },
    { "domain_exit_handlers", "VM exits of all vcpus of a domain, by reason "
      "and handler.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(handler_columns), walk_handlers },
    { "memory_operations", "Operations on the memory of domains.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(memory_columns), walk_memory },
    { "pod_populated", "Populate-on-demand: memory given to a domain.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(populated_columns), walk_populated },
    { "pod_reclaimed", "Populate-on-demand: zero pages taken back.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(reclaimed_columns), walk_reclaimed },
    { "emulated_addresses", "Cost of emulations for shadow paging, by guest "
      "address.", EXPORT_IN_TABLES, EXPORT_COLUMNS(address_columns),
      walk_emulated },
    { "interrupted_addresses", "Cost of exits for an interrupt, by the "
      "interrupted guest address (--with-interrupt-eip-enumeration).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(address_columns), walk_interrupted },
    { .name = NULL },
};
