/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of reports, in output order; each report stands below the reports
 * in its `needs`.
 */
#include "xenalyze/reports/table.h"

const struct report *const report_table[] = {
    &report_picture,
    &report_viewers,
    &report_cr3,
    &report_scatter,
    &report_ipi_latency,
    &report_intervals,
    &report_host,
    &report_account,
    &report_summary,
    &report_pcpus,
    &report_exits,
    &report_storms,
    &report_quality,
    &report_latency,
    &report_wakeups,
    &report_migrations,
    &report_timers,
    &report_interrupts,
    &report_scheduler,
    &report_io,
    &report_devices,
    &report_why,
    &report_critical_path,
    &report_overview,
    &report_page,
};

_Static_assert(sizeof(report_table) / sizeof(report_table[0]) <= REPORT_MAX,
               "a pass has a state for each report");

const size_t report_table_size = sizeof(report_table) /
                                 sizeof(report_table[0]);
