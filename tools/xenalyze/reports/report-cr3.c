/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --with-cr3-enumeration: the CR3 values of guests.  Scatterplots of page
 * tables look up values in the same table.  The summary prints the table as
 * text.
 */
#include "xenalyze/reports/table.h"

static bool cr3_is_requested(const struct report_config *c)
{
    const bool *scatter = c->scatter;

    return c->request.cr3 || scatter[SCATTER_CR3_SWITCH] ||
           scatter[SCATTER_UNPIN_PROMOTE];
}

static int cr3_open(struct report_pass *p, void **state, struct err *e)
{
    struct cr3_table *table = NULL;
    int rc = cr3_table_new(&table);

    (void)e;
    *state = table;
    if ( !rc )
        report_add_sink(p, cr3_table_sink(table));
    return rc;
}

static void cr3_free(void *state)
{
    cr3_table_free(state);
}

/* --- tables --------------------------------------------------------------- */

#define FRAME EXPORT_COLUMN("frame", COUNT, "the page frame in CR3")

static void walk_frames(struct export *x, void *state)
{
    uint32_t nr;
    struct cr3_row *const *rows = cr3_table_rows(state, &nr);

    for ( uint32_t i = 0; i < nr; i++ )
    {
        const struct cr3_row *r = rows[i];

        EXPORT_ROW(x, export_number(r->domain), export_number(r->frame),
                   export_number(r->switches), export_number(r->flushes),
                   export_number(r->first),
                   export_optional(r->last, r->last));
    }
}

static const struct export_column frame_columns[] = {
    EXPORT_DOMAIN_ID, FRAME,
    EXPORT_COLUMN("switches", COUNT,
                  "the number of loads of the frame into CR3"),
    EXPORT_COLUMN("flushes", COUNT,
                  "the number of loads while the frame was in CR3 already"),
    EXPORT_COLUMN("first_loaded", MOMENT, "the first load of the frame"),
    EXPORT_OPTIONAL("last_replaced", MOMENT,
                    "the last replacement by another frame"),
};

static void export_part(struct export *x, const struct cr3_row *r,
                        const char *part, const struct stats *s)
{
    if ( stats_events(s) )
        EXPORT_ROW(x, export_number(r->domain), export_number(r->frame),
                   export_text(part), export_series(s));
}

static void walk_times(struct export *x, void *state)
{
    uint32_t nr;
    struct cr3_row *const *rows = cr3_table_rows(state, &nr);

    for ( uint32_t i = 0; i < nr; i++ )
    {
        export_part(x, rows[i], "total", &rows[i]->total);
        export_part(x, rows[i], "guest", &rows[i]->guest);
        export_part(x, rows[i], "hypervisor", &rows[i]->xen);
    }
}

static const struct export_column time_columns[] = {
    EXPORT_DOMAIN_ID, FRAME,
    EXPORT_COLUMN("part", TEXT,
                  "the part of the time: total, guest or hypervisor"),
    EXPORT_STATE_STATISTICS,
};

static void walk_cr3_exits(struct export *x, void *state)
{
    uint32_t nr;
    struct cr3_row *const *rows = cr3_table_rows(state, &nr);

    for ( uint32_t i = 0; i < nr; i++ )
        for ( unsigned int k = CATEGORY_NONE + 1; k < CATEGORIES; k++ )
            if ( rows[i]->by_category[k] )
                export_part(x, rows[i], category_name(k),
                            rows[i]->by_category[k]);
}

static const struct export_column exit_columns[] = {
    EXPORT_DOMAIN_ID, FRAME,
    EXPORT_COLUMN("category", TEXT, "the purpose of the exits"),
    EXPORT_STATE_STATISTICS,
};

static void walk_beyond(struct export *x, void *state)
{
    EXPORT_ROW(x, export_number(cr3_table_dropped_loads(state)));
}

static const struct export_column beyond_columns[] = {
    EXPORT_COLUMN("loads", COUNT,
                  "the number of loads of frames beyond the first 32,768"),
};

static const struct export_table cr3_tables[] = {
    { "cr3_frames", "Frames that guests loaded into CR3 "
      "(--with-cr3-enumeration).", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(frame_columns), walk_frames },
    { "cr3_times", "Periods with a frame in CR3.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(time_columns), walk_times },
    { "cr3_exits", "VM exits with a frame in CR3, by purpose.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(exit_columns), walk_cr3_exits },
    { "cr3_frames_beyond", "Loads of CR3 that are not in the other tables.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(beyond_columns), walk_beyond },
    { .name = NULL },
};

const struct report report_cr3 = {
    .name = "CR3", .kind = REPORT_AUXILIARY, .is_addition = true,
    .is_requested = cr3_is_requested, .open = cr3_open,
    .tables = { cr3_tables }, .free = cr3_free,
};
