/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-latency: how long vcpus waited for a pcpu, which vcpus ran instead,
 * and how many vcpus of a domain ran at the same time.
 */
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

#define WORST_WAITS 10u

static bool latency_is_requested(const struct report_config *c)
{
    return c->latency;
}

static int latency_open(struct report_pass *p, void **state, struct err *e)
{
    struct latency *l = NULL;
    int rc = latency_new(&l, p->config->request.top ? p->config->request.top
                                                   : WORST_WAITS);

    (void)e;
    *state = l;
    if ( rc )
        return rc;
    l->names = p->request.names;
    report_add_sink(p, latency_sink(l));
    report_add_sink(p, concurrency_sink(&l->concurrency));
    return 0;
}

static int close_latency(struct report_pass *p, void *state)
{
    (void)p;
    latency_close(state);
    return 0;
}

static int latency_print(struct report_pass *p, void *state)
{
    const struct latency *l = state;

    text_print_disorder(&p->disorder, &l->clock, p->out);
    return text_print_latency(state, &p->request, p->out);
}

static bool latency_has_failed(const void *state)
{
    const struct latency *l = state;

    return l->pool.failed;
}

static void free_latency(void *state)
{
    latency_free(state);
}

/* --- waits ---------------------------------------------------------------- */

static void walk_waits(struct export *x, void *state)
{
    const struct latency *l = state;

    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
        for ( unsigned int why = WHY_WAKE; why <= WHY_OTHER; why++ )
        {
            const struct latency_vcpu *v = l->vcpus[i];

            if ( stats_events(&v->wait[why]) )
                EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                           export_text(why_name(why)),
                           export_series(&v->wait[why]));
        }
}

static const struct export_column wait_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("reason", TEXT,
                  "the cause of the wait: wake, preempt or other"),
    EXPORT_STATISTICS,
};

static void export_rivals(struct export *x, struct latency *l,
                          const struct latency_vcpu *v,
                          const struct latency_rivals *r)
{
    const struct stats_map *m = &r->vcpus;
    struct stats_row **rows = stats_map_by_sum(m, &l->pool);
    char name[LATENCY_NAME];

    for ( size_t i = 0; rows && i < m->used; i++ )
        EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                   export_text(latency_name(rows[i]->key, name)),
                   export_series(&rows[i]->stats));
}

static void walk_rivals(struct export *x, void *state)
{
    struct latency *l = state;

    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
        export_rivals(x, l, l->vcpus[i], &l->vcpus[i]->rivals);
}

static void walk_preemptors(struct export *x, void *state)
{
    struct latency *l = state;

    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
        export_rivals(x, l, l->vcpus[i], &l->vcpus[i]->preemptors);
}

static const struct export_column rival_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("rival", TEXT,
                  "the competing vcpu that ran during the wait: d1v0, idle"),
    EXPORT_STATISTICS,
};

/* Row of a competing domain; a domain without cycles has no row. */
static void export_domain_rival(struct export *x, uint16_t domain,
                                const char *rival, uint64_t cycles)
{
    if ( cycles )
        EXPORT_ROW(x, export_number(domain), export_text(rival),
                   export_number(cycles));
}

static void walk_domain_rivals(struct export *x, void *state)
{
    const struct latency *l = state;
    char name[LATENCY_NAME];

    for ( size_t i = 0; i < l->nr_domains; i++ )
    {
        const struct latency_domain *d = &l->domains[i];

        for ( size_t k = 0; k < d->nr_rivals; k++ )
        {
            snprintf(name, sizeof(name), "d%u", d->rivals[k].id);
            export_domain_rival(x, d->id, d->rivals[k].id == XT_DOMAIN_IDLE
                                ? "idle" : name, d->rivals[k].cycles);
        }
        export_domain_rival(x, d->id, "others", d->others);
        export_domain_rival(x, d->id, "unknown", d->unknown);
    }
}

static const struct export_column domain_rival_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_COLUMN("rival", TEXT,
                  "the domain of vcpus that ran during the waits: d1, idle; "
                  "others: vcpus beyond the 16 that ran longest in a wait; "
                  "unknown: no running vcpu is known"),
    EXPORT_COLUMN("ran", DURATION,
                  "the time for which vcpus of the rival ran during the waits"),
};

static void export_rest(struct export *x, const struct latency_vcpu *v,
                        const char *table, const struct latency_rivals *r)
{
    if ( r->others || r->unknown )
        EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                   export_text(table), export_number(r->others),
                   export_number(r->unknown));
}

static void walk_rests(struct export *x, void *state)
{
    const struct latency *l = state;

    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
    {
        export_rest(x, l->vcpus[i], "wait_rivals", &l->vcpus[i]->rivals);
        export_rest(x, l->vcpus[i], "wait_preemptors",
                    &l->vcpus[i]->preemptors);
    }
}

static const struct export_column rest_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("list", TEXT,
                  "the table: wait_rivals or wait_preemptors; the sums of its "
                  "rows and these two times add up to the length of the waits"),
    EXPORT_COLUMN("others", DURATION,
                  "the time of all vcpus beyond the 16 that ran longest in a "
                  "wait"),
    EXPORT_COLUMN("unknown", DURATION,
                  "the time for which no running vcpu is known"),
};

static void walk_wakers(struct export *x, void *state)
{
    struct latency *l = state;
    char name[LATENCY_NAME];

    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
    {
        const struct latency_vcpu *v = l->vcpus[i];
        struct stats_row **rows = stats_map_by_sum(&v->wakers, &l->pool);

        for ( size_t k = 0; rows && k < v->wakers.used; k++ )
            EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                       export_text(latency_name(rows[k]->key, name)),
                       export_number(stats_events(&rows[k]->stats)));
    }
}

static const struct export_column waker_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("waker", TEXT,
                  "the vcpu that ran on the pcpu of the wake-up; idle: an "
                  "interrupt"),
    EXPORT_COLUMN("wakeups", COUNT, "the number of wake-ups by the waker"),
};

static void walk_migrations(struct export *x, void *state)
{
    const struct latency *l = state;

    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
        if ( l->vcpus[i]->migrated )
            EXPORT_ROW(x, export_number(l->vcpus[i]->domain),
                       export_number(l->vcpus[i]->id),
                       export_number(l->vcpus[i]->migrated));
}

static const struct export_column migration_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("waits", COUNT,
                  "the number of waits after which the vcpu ran on another "
                  "pcpu"),
};

static void walk_open_waits(struct export *x, void *state)
{
    const struct latency *l = state;

    for ( uint32_t i = 0; i < l->nr_opens; i++ )
    {
        const struct latency_open *o = l->opens[i];

        EXPORT_ROW(x, export_number(o->domain), export_number(o->id),
                   export_number(o->times), export_number(o->no_begin),
                   export_number(o->no_end), export_number(o->cycles),
                   export_number(o->max), export_number(o->max_at));
    }
}

static const struct export_column open_wait_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("waits", COUNT, "the number of open waits"),
    EXPORT_COLUMN("no_begin", COUNT, "the number of those without a begin"),
    EXPORT_COLUMN("no_end", COUNT, "the number of those without an end"),
    EXPORT_COLUMN("time", DURATION, "the time of the open waits"),
    EXPORT_COLUMN("max", DURATION, "the time of the longest open wait"),
    EXPORT_COLUMN("max_at", MOMENT, "the start of the longest open wait"),
};

/* --- the longest waits ---------------------------------------------------- */

#define RANK \
    EXPORT_COLUMN("rank", COUNT, "the rank of the wait; 1 is the longest")

static void walk_longest(struct export *x, void *state)
{
    const struct latency *l = state;
    char waker[LATENCY_NAME];

    for ( size_t i = 0; i < l->nr_worst; i++ )
    {
        const struct latency_wait *w = &l->worst[i];

        EXPORT_ROW(x, export_number(i + 1), export_number(w->vcpu >> 16),
                   export_number(w->vcpu & 0xffff),
                   export_optional(!w->no_end, w->pcpu),
                   export_text(why_name(w->reason) ? why_name(w->reason)
                                                   : "other"),
                   export_text(w->reason == WHY_WAKE
                               ? latency_name(w->waker, waker) : NULL),
                   export_number(w->from), export_number(w->to - w->from),
                   export_text(latency_open_text(w)));
    }
}

static const struct export_column longest_columns[] = {
    RANK, EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_OPTIONAL("pcpu", COUNT,
                    "the pcpu on which the vcpu ran after the wait; absent: "
                    "no end"),
    EXPORT_COLUMN("reason", TEXT,
                  "the cause of the wait: wake, preempt or other"),
    EXPORT_OPTIONAL("waker", TEXT,
                    "the vcpu that ran on the pcpu of the wake-up; idle: an "
                    "interrupt"),
    EXPORT_COLUMN("start", MOMENT, "the start of the wait"),
    EXPORT_COLUMN("length", DURATION, "the length of the wait"),
    EXPORT_OPTIONAL("open", TEXT,
                    "what an open wait lacks: no begin, no end, or no begin or "
                    "end; absent: the wait is complete"),
};

static void export_longest_rival(struct export *x, size_t rank,
                                 const char *rival, uint64_t cycles)
{
    if ( cycles )
        EXPORT_ROW(x, export_number(rank), export_text(rival),
                   export_number(cycles));
}

static void walk_longest_rivals(struct export *x, void *state)
{
    const struct latency *l = state;
    char name[LATENCY_NAME];

    for ( size_t i = 0; i < l->nr_worst; i++ )
    {
        const struct latency_wait *w = &l->worst[i];

        for ( unsigned int k = 0; k < w->nr_rivals; k++ )
            export_longest_rival(x, i + 1, latency_name(w->rivals[k].key, name),
                                 w->rivals[k].cycles);
        export_longest_rival(x, i + 1, "others", w->others);
        export_longest_rival(x, i + 1, "unknown", w->unknown);
    }
}

static const struct export_column longest_rival_columns[] = {
    RANK,
    EXPORT_COLUMN("rival", TEXT,
                  "a competing vcpu that ran during the wait; others: all "
                  "vcpus beyond the 16 that ran longest; unknown: no running "
                  "vcpu is known"),
    EXPORT_COLUMN("ran", DURATION,
                  "the time for which the rival ran during the wait"),
};

/* --- concurrency ---------------------------------------------------------- */

static void walk_concurrency(struct export *x, void *state)
{
    const struct latency *l = state;
    const struct concurrency *t = &l->concurrency;

    for ( uint32_t i = 0; i < t->nr; i++ )
        for ( unsigned int k = 0; k <= CONCURRENCY_MAX; k++ )
            if ( t->domains[i].cycles[k] )
                EXPORT_ROW(x, export_number(t->domains[i].id),
                           export_number(k),
                           export_number(t->domains[i].cycles[k]));
}

static const struct export_column concurrency_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_COLUMN("running", COUNT,
                  "the number of running vcpus; 64: 64 or more"),
    EXPORT_COLUMN("time", DURATION,
                  "the time with this number of running vcpus"),
};

static void walk_hazards(struct export *x, void *state)
{
    const struct latency *l = state;
    const struct concurrency *t = &l->concurrency;

    for ( uint32_t i = 0; i < t->nr; i++ )
        if ( t->domains[i].hazard || t->domains[i].lost )
            EXPORT_ROW(x, export_number(t->domains[i].id),
                       export_number(t->domains[i].hazard),
                       export_number(t->domains[i].lost));
}

static const struct export_column hazard_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_COLUMN("hazard", DURATION,
                  "the time for which some vcpus waited while others ran"),
    EXPORT_COLUMN("unknown", DURATION, "the time with missing records"),
};

/* The texts of the tables and columns name these numbers. */
_Static_assert(CONCURRENCY_MAX == 64, "column running");
_Static_assert(FACT_RIVALS == 16, "column rival");
_Static_assert(WORST_WAITS == 10, "table longest_waits");

static const struct export_table wait_tables[] = {
    { "waits", "Scheduling latency: time for which a vcpu was runnable before "
      "it ran.", EXPORT_IN_TABLES, EXPORT_COLUMNS(wait_columns), walk_waits },
    { "wait_rivals", "Vcpus that ran while a vcpu waited for a pcpu; one "
      "sample per wait.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(rival_columns), walk_rivals },
    { "wait_domain_rivals", "Domains that ran while vcpus of a domain waited "
      "for a pcpu.  The times add up to the length of the waits.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(domain_rival_columns),
      walk_domain_rivals },
    { "wait_preemptors", "Vcpus that ran while a vcpu waited after a "
      "preemption; one sample per wait.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(rival_columns), walk_preemptors },
    { "wait_rests", "Waiting time that has no row in wait_rivals or "
      "wait_preemptors.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(rest_columns), walk_rests },
    { "wait_wakers", "Wakers of a vcpu.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(waker_columns), walk_wakers },
    { "wait_migrations", "Waits that ended on another pcpu.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(migration_columns), walk_migrations },
    { "open_waits", "Waits without a known begin or end, which are in no other "
      "table but longest_waits: cut at an end of the trace or of --time, "
      "paused, or next to lost records.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(open_wait_columns), walk_open_waits },
    { "longest_waits", "The longest waits: 10, or the number given with --top.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(longest_columns), walk_longest },
    { "longest_wait_rivals", "Vcpus that ran during the longest waits.  The "
      "times add up to the length of the wait.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(longest_rival_columns), walk_longest_rivals },
    { .name = NULL },
};

static const struct export_table concurrency_tables[] = {
    { "concurrency", "Histogram of the number of vcpus of a domain that ran at "
      "the same time.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(concurrency_columns),
      walk_concurrency },
    { "concurrency_hazards", "Time in which vcpus of a domain may have waited "
      "for each other.", EXPORT_IN_TABLES, EXPORT_COLUMNS(hazard_columns),
      walk_hazards },
    { .name = NULL },
};

const struct report report_latency = {
    .name = "latency", REPORT_NEEDS_RUNSTATES,
    .in_every_export = true,
    .is_requested = latency_is_requested, .open = latency_open,
    .close = close_latency, .print = latency_print,
    .tables = { wait_tables, concurrency_tables },
    .has_failed = latency_has_failed, .free = free_latency,
};
