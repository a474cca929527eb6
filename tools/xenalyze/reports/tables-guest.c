/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of the account: VM exits of HVM and PVH guests, vcpu by vcpu.
 */
#include "xenalyze/reports/table.h"

#define REASON \
    EXPORT_COLUMN("reason", TEXT, "the exit reason"), \
    EXPORT_OPTIONAL("reason_number", COUNT, \
                    "the hardware's number of the exit reason")

static void walk_vcpu_exits(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
    {
        const struct summary_vcpu *v = a->summary->vcpus[i];

        for ( unsigned int k = 0; v->hvm && k < EXIT_CAUSES; k++ )
        {
            const struct summary_exit *e = summary_exit_find(v->hvm, k);
            uint64_t off_cpu = e ? summary_exit_off_cpu(e) : 0;
            char name[EXIT_REPORT_NAME];

            if ( e && stats_events(&e->cost) )
                EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                           export_text(exit_report_name(k, name)),
                           export_optional(k != EXIT_OTHER, exit_reason(k)),
                           export_number(summary_per_second(
                               a->summary, stats_events(&e->cost))),
                           export_number(summary_in_xen(e->cost.sum,
                                                        off_cpu)),
                           export_optional(v->domain != XT_DOMAIN_DEFAULT,
                                           off_cpu),
                           export_series(&e->cost));
        }
    }
}

static const struct export_column exit_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID, REASON, REPORT_EXIT_TIMES,
    EXPORT_STATISTICS,
};

static void export_handlers(struct export *x, const struct account *a,
                            const struct summary_vcpu *v,
                            const struct summary_exit *e)
{
    struct stats_row **rows = stats_map_by_key(&e->details,
                                               &a->summary->pool);
    char name[SUMMARY_DETAIL_NAME], reason[EXIT_REPORT_NAME];

    for ( size_t i = 0; rows && i < e->details.used; i++ )
    {
        uint64_t off_cpu = summary_detail_off_cpu(e, rows[i]->key);
        uint32_t vector;
        bool is_interrupt = summary_detail_vector(rows[i]->key, &vector);

        if ( stats_events(&rows[i]->stats) )
            EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                       export_text(exit_report_name(e->cause, reason)),
                       export_optional(e->cause != EXIT_OTHER,
                                       exit_reason(e->cause)),
                       export_text(summary_detail_name(rows[i]->key, name)),
                       export_optional(is_interrupt, vector),
                       export_text(summary_detail_interrupt(rows[i]->key)),
                       export_number(summary_per_second(
                           a->summary, stats_events(&rows[i]->stats))),
                       export_number(summary_in_xen(rows[i]->stats.sum,
                                                    off_cpu)),
                       export_optional(v->domain != XT_DOMAIN_DEFAULT,
                                       off_cpu),
                       export_series(&rows[i]->stats));
    }
}

static void walk_handlers(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
    {
        const struct summary_vcpu *v = a->summary->vcpus[i];

        for ( unsigned int k = 0; v->hvm && k < EXIT_CAUSES; k++ )
            if ( summary_exit_find(v->hvm, k) )
                export_handlers(x, a, v, summary_exit_find(v->hvm, k));
    }
}

static const struct export_column handler_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID, REASON,
    EXPORT_COLUMN("handler", TEXT, "the part of Xen that handled the exit"),
    REPORT_EXIT_INTERRUPT, REPORT_EXIT_TIMES, EXPORT_STATISTICS,
};

/* --- series by key -------------------------------------------------------- */

typedef void key_row_fn(struct export *x, const struct summary_vcpu *v,
                        struct export_value key, const struct stats *s);

static void export_series_row(struct export *x, const struct summary_vcpu *v,
                              struct export_value key, const struct stats *s)
{
    EXPORT_ROW(x, export_number(v->domain), export_number(v->id), key,
               export_series(s));
}

static void export_count_row(struct export *x, const struct summary_vcpu *v,
                             struct export_value key, const struct stats *s)
{
    EXPORT_ROW(x, export_number(v->domain), export_number(v->id), key,
               export_number(stats_events(s)));
}

/* The map has virtual addresses instead of cycles. */
static void export_virtual_row(struct export *x, const struct summary_vcpu *v,
                               struct export_value key, const struct stats *s)
{
    EXPORT_ROW(x, export_number(v->domain), export_number(v->id), key,
               export_number(s->min), export_number(stats_events(s)));
}

/* A row for each key of the map, and a row for keys beyond its limit. */
static void export_map(struct export *x, const struct account *a,
                       const struct summary_vcpu *v,
                       const struct stats_map *m, key_row_fn *export_key)
{
    struct stats_row **rows = stats_map_by_key(m, &a->summary->pool);

    for ( size_t i = 0; rows && i < m->used; i++ )
        export_key(x, v, export_number(rows[i]->key), &rows[i]->stats);
    if ( m->others && stats_events(m->others) )
        export_key(x, v, export_optional(false, 0), m->others);
}

#define HVM_MAP(walk_, member, export_key)                                  \
static void walk_(struct export *x, void *state)                            \
{                                                                           \
    const struct account *a = state;                                        \
                                                                            \
    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )                   \
        if ( a->summary->vcpus[i]->hvm )                                    \
            export_map(x, a, a->summary->vcpus[i],                          \
                       &a->summary->vcpus[i]->hvm->member, export_key);     \
}

HVM_MAP(walk_other_exits, others, export_series_row)
HVM_MAP(walk_mmio_virtual, mmio_va, export_virtual_row)
HVM_MAP(walk_interrupts, interrupts, export_count_row)
HVM_MAP(walk_bars, bars, export_count_row)

_Static_assert(STATS_MAP_MAX == 262144, "the text of the key's column");

#define MAP_COLUMNS(name_, key, help, ...)                                  \
static const struct export_column name_[] = {                               \
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,                                       \
    EXPORT_OPTIONAL(key, COUNT, help "; absent: all beyond the first "      \
                    "262,144"),                                             \
    __VA_ARGS__,                                                            \
}

#define TIMES EXPORT_COLUMN("times", COUNT, "the number of occurrences")

MAP_COLUMNS(other_exit_columns, "reason_number",
            "the hardware's number of the exit reason", EXPORT_STATISTICS);
MAP_COLUMNS(virtual_columns, "address", "the guest-physical address",
            EXPORT_COLUMN("virtual_address", COUNT, "the lowest virtual "
                          "address of these accesses"), TIMES);
MAP_COLUMNS(interrupt_columns, "vector", "the vector of the interrupt", TIMES);
MAP_COLUMNS(bar_columns, "bar",
            "the guest address divided by the size of a bar", TIMES);

static void export_halts(struct export *x, const struct account *a,
                         const struct summary_vcpu *v, const char *when,
                         const struct stats_map *m)
{
    struct stats_row **rows = stats_map_by_key(m, &a->summary->pool);

    for ( size_t i = 0; rows && i < m->used; i++ )
        if ( stats_events(&rows[i]->stats) )
            EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                       export_text(when), export_number(rows[i]->key),
                       export_series(&rows[i]->stats));
}

static void walk_halts(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
    {
        const struct summary_vcpu *v = a->summary->vcpus[i];

        if ( !v->halts )
            continue;
        export_halts(x, a, v, "woke the vcpu alone", &v->halts->alone);
        export_halts(x, a, v, "woke the vcpu", &v->halts->any);
        export_halts(x, a, v, "while awake", &v->halts->other);
    }
}

static const struct export_column halt_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("when", TEXT, "whether the interrupt woke the vcpu"),
    EXPORT_COLUMN("vector", COUNT, "the vector of the interrupt"),
    EXPORT_STATISTICS,
};

/* --- accesses ------------------------------------------------------------- */

static void export_accesses(struct export *x, const struct account *a,
                            const struct summary_vcpu *v,
                            const struct stats_map *m)
{
    struct stats_row **rows = stats_map_by_key(m, &a->summary->pool);

    for ( size_t i = 0; rows && i < m->used; i++ )
        EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                   export_number(rows[i]->key / 2),
                   export_text(rows[i]->key & 1 ? "write" : "read"),
                   export_series(&rows[i]->stats));
    if ( m->others )
        EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                   export_optional(false, 0), export_text(NULL),
                   export_series(m->others));
}

static void walk_io(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
        if ( a->summary->vcpus[i]->hvm )
            export_accesses(x, a, a->summary->vcpus[i],
                            &a->summary->vcpus[i]->hvm->io);
}

static void walk_mmio(struct export *x, void *state)
{
    const struct account *a = state;

    for ( uint32_t i = 0; i < a->summary->nr_vcpus; i++ )
        if ( a->summary->vcpus[i]->hvm )
            export_accesses(x, a, a->summary->vcpus[i],
                            &a->summary->vcpus[i]->hvm->mmio);
}

_Static_assert(FACT_HANDLERS == 16, "the text of the key's column");

#define ACCESS_COLUMNS(name_, key, help)                                    \
static const struct export_column name_[] = {                               \
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,                                       \
    EXPORT_OPTIONAL(key, COUNT, help "; absent: all accesses beyond the "   \
                    "first 16 records in an exit, and beyond the first "    \
                    "262,144 rows"),                                        \
    EXPORT_OPTIONAL("access", TEXT, "the direction: read or write"),        \
    EXPORT_STATISTICS,                                                      \
}

ACCESS_COLUMNS(io_columns, "port", "the I/O port");
ACCESS_COLUMNS(mmio_columns, "address", "the guest-physical address");

const struct export_table report_tables_guest[] = {
    { "exits", "VM exits of a vcpu, by reason.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(exit_columns), walk_vcpu_exits },
    { "exit_handlers", "VM exits of a vcpu, by reason and handler.",
      EXPORT_IN_TABLES,
      EXPORT_COLUMNS(handler_columns), walk_handlers },
    { "other_exits", "VM exits with a reason that has no name.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(other_exit_columns),
      walk_other_exits },
    { "interrupts", "Interrupts delivered to a vcpu.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(interrupt_columns), walk_interrupts },
    { "interrupt_to_halt", "Time from an interrupt to the next halt of the "
      "vcpu.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(halt_columns), walk_halts },
    { "io_ports", "Cost of accesses to I/O ports: the time of an exit, in "
      "equal parts for its accesses.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(io_columns), walk_io },
    { "mmio_addresses", "Cost of accesses to emulated device memory: the time "
      "of an exit, in equal parts for its accesses.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(mmio_columns), walk_mmio },
    { "mmio_virtual_addresses", "Virtual addresses of the guest in accesses to "
      "emulated device memory, with shadow paging.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(virtual_columns), walk_mmio_virtual },
    { "interrupted_address_bars", "Exits for an interrupt, by parts of the "
      "guest's address space (--histogram-interrupt-eip).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(bar_columns), walk_bars },
    { .name = NULL },
};
