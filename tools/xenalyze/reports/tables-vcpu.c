/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of the account: scheduling of vcpus, and what PV guests asked for.
 */
#include "xenalyze/reports/table.h"

static uint64_t time_in_xen(const struct summary_hvm *h)
{
    uint64_t off_cpu = 0;

    for ( unsigned int i = 1; h && i <= h->nr_exits; i++ )
        off_cpu += summary_exit_off_cpu(h->exits[i]);
    return h ? summary_in_xen(h->exit_cycles, off_cpu) : 0;
}

static void walk_vcpus(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
    {
        const struct summary_vcpu *v = a->summary->vcpus[i];

        EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                   export_optional(v->sched,
                                   v->sched ? v->sched->time.elapsed : 0),
                   export_optional(v->sched,
                                   v->sched ? v->sched->migrations : 0),
                   export_optional(v->hvm,
                                   v->hvm ? v->hvm->guest_cycles : 0),
                   export_optional(v->hvm, time_in_xen(v->hvm)));
    }
}

static const struct export_column vcpu_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_OPTIONAL("time", DURATION,
                    "the time from the first record of the vcpu to the end of "
                    "the trace"),
    EXPORT_OPTIONAL("migrations", COUNT,
                    "the number of migrations to another pcpu"),
    EXPORT_OPTIONAL("in_guest", DURATION, "the time in guest mode"),
    EXPORT_OPTIONAL("in_xen", DURATION, "the time in VM exits, on a pcpu"),
};

static void walk_vcpu_states(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
    {
        const struct summary_vcpu *v = a->summary->vcpus[i];
        const struct summary_sched *s = v->sched;

        for ( unsigned int k = 0; s && k < STATES; k++ )
            if ( stats_events(&s->state[k]) || s->time.open[k] )
                EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                           export_text(state_name(k)),
                           export_number(s->time.open[k]),
                           export_series(&s->state[k]));
    }
}

static const struct export_column state_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("state", TEXT,
                  "the runstate: running, runnable, blocked or offline; lost: "
                  "unknown because records were lost; no data: unknown after "
                  "the last record of the pcpu"),
    EXPORT_COLUMN("open", DURATION,
                  "the time in the state at the end of the trace, or before "
                  "the first scheduling, not included in the other members"),
    EXPORT_STATE_STATISTICS,
};

static void walk_runnable(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
    {
        const struct summary_vcpu *v = a->summary->vcpus[i];

        for ( unsigned int k = WHY_WAKE; v->sched && k <= WHY_OTHER; k++ )
            if ( stats_events(&v->sched->by_reason[k]) )
                EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                           export_text(why_name(k)),
                           export_series(&v->sched->by_reason[k]));
    }
}

static const struct export_column runnable_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("reason", TEXT,
                  "the cause of the runstate: wake, preempt or other"),
    EXPORT_STATE_STATISTICS,
};

static void walk_residency(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
    {
        const struct summary_vcpu *v = a->summary->vcpus[i];
        struct stats_row **rows;

        if ( !v->sched )
            continue;
        if ( stats_events(&v->sched->residency) )
            EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                       export_optional(false, 0),
                       export_series(&v->sched->residency));
        rows = stats_map_by_key(&v->sched->by_pcpu, &a->summary->pool);
        for ( size_t k = 0; rows && k < v->sched->by_pcpu.used; k++ )
            EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                       export_optional(true, rows[k]->key),
                       export_series(&rows[k]->stats));
    }
}

static const struct export_column residency_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_OPTIONAL("pcpu", COUNT, "the pcpu; absent: all pcpus together"),
    EXPORT_STATISTICS,
};

/* --- PV guests ------------------------------------------------------------ */

static void walk_pv(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
    {
        const struct summary_vcpu *v = a->summary->vcpus[i];

        for ( unsigned int k = 0; v->pv && k < PV_KINDS; k++ )
            if ( v->pv->times[k] )
                EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                           export_text(pv_name(k)),
                           export_number(v->pv->times[k]));
    }
}

static const struct export_column pv_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("operation", TEXT, "the operation"),
    EXPORT_COLUMN("times", COUNT, "the number of occurrences"),
};

static void walk_hypercalls(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
    {
        const struct summary_vcpu *v = a->summary->vcpus[i];

        for ( unsigned int k = 0; v->pv && k <= SUMMARY_HYPERCALLS; k++ )
            if ( v->pv->hypercalls[k] )
                EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                           export_text(hypercall_name(k)),
                           export_optional(k < SUMMARY_HYPERCALLS, k),
                           export_number(v->pv->hypercalls[k]));
    }
}

_Static_assert(SUMMARY_HYPERCALLS == 64, "the text of column number");

static const struct export_column hypercall_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_OPTIONAL("hypercall", TEXT, "the name of the hypercall"),
    EXPORT_OPTIONAL("number", COUNT,
                    "the number of the hypercall; absent: 64 or higher"),
    EXPORT_COLUMN("times", COUNT, "the number of occurrences"),
};

static void walk_traps(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
    {
        const struct summary_vcpu *v = a->summary->vcpus[i];

        for ( unsigned int k = 0; v->pv && k <= SUMMARY_TRAPS; k++ )
            if ( v->pv->traps[k] )
                EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                           export_optional(k < SUMMARY_TRAPS, k),
                           export_number(v->pv->traps[k]));
    }
}

_Static_assert(SUMMARY_TRAPS == 32, "the text of column trap");

static const struct export_column trap_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_OPTIONAL("trap", COUNT,
                    "the number of the trap; absent: 32 or higher"),
    EXPORT_COLUMN("times", COUNT, "the number of occurrences"),
};

const struct export_table report_tables_vcpu[] = {
    { "vcpus", "Virtual CPUs.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(vcpu_columns), walk_vcpus },
    { "vcpu_states", "Runstates of a vcpu.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(state_columns), walk_vcpu_states },
    { "vcpu_runnable", "Periods in the runstate runnable, by cause.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(runnable_columns), walk_runnable },
    { "vcpu_residency", "Residency: periods of a vcpu on one pcpu.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(residency_columns), walk_residency },
    { "pv_operations", "Operations of Xen for a PV guest.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(pv_columns), walk_pv },
    { "hypercalls", "Hypercalls of a PV guest.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(hypercall_columns), walk_hypercalls },
    { "traps", "Traps of a PV guest.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(trap_columns), walk_traps },
    { .name = NULL },
};
