/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of the report table, each defined in the file named after the row;
 * a header for the files of this folder only.
 */
#ifndef XENALYZE_REPORTS_TABLE_H
#define XENALYZE_REPORTS_TABLE_H

#include "xenalyze/reports/report.h"

extern const struct report report_picture;
extern const struct report report_viewers;
extern const struct report report_page;
extern const struct report report_cr3;
extern const struct report report_scatter;
extern const struct report report_ipi_latency;
extern const struct report report_intervals;
extern const struct report report_account;
extern const struct report report_summary;
extern const struct report report_overview;
extern const struct report report_pcpus;
extern const struct report report_exits;
extern const struct report report_storms;
extern const struct report report_quality;
extern const struct report report_latency;
extern const struct report report_wakeups;
extern const struct report report_migrations;
extern const struct report report_timers;
extern const struct report report_interrupts;
extern const struct report report_scheduler;
extern const struct report report_io;
extern const struct report report_devices;
extern const struct report report_why;
extern const struct report report_critical_path;
extern const struct report report_host;

/* The table, in output order. */
extern const struct report *const report_table[];
extern const size_t report_table_size;

/* The picture that takes the points instead of the output; or NULL. */
struct plot *report_plot(const struct report_pass *p);

/* Are timelines written, which show losses? */
bool report_viewers_show_losses(const struct report_pass *p);

/*
 * The error for a scatterplot without points, or with SCATTER_KINDS for an
 * empty timeline of pcpus.  Returns -ENODATA.
 */
int report_refuse_empty(const struct report_pass *p, enum scatter_kind kind,
                        struct err *e);

/* The same for facts from `source`, which need these classes of events. */
int report_refuse_source(const struct report_pass *p, const char *source,
                         const char *classes, struct err *e);

/*
 * Add a part of the critical path `path` to the open timelines; time stamps of
 * the current segment, in order.
 */
void report_viewers_add_path(const struct report_pass *p, uint64_t from,
                             uint64_t to, const char *path, const char *name);

/* State of report_account: the numbers that several reports print. */
struct account
{
    struct summary *summary;
    const struct report_request *request;
    const char *name;           /* file name of the trace */
};

/* The summary of the open account. */
struct summary *account_summary(const struct report_pass *p);

/* The closed causes of waits, by vcpu; the report on causes is open. */
struct wait_causes *report_why_waits(const struct report_pass *p);

/* Columns of exits: interrupt; rate, and the parts of their time. */
#define REPORT_EXIT_INTERRUPT \
    EXPORT_OPTIONAL("vector", COUNT, "the vector of the interrupt that the " \
                    "exit is for"), \
    EXPORT_OPTIONAL("interrupt", TEXT, "the name of the vector, if it is " \
                    "Xen's own")

#define REPORT_EXIT_TIMES \
    EXPORT_COLUMN("per_second", COUNT, "the number of exits per second of " \
                  "the trace, rounded"), \
    EXPORT_COLUMN("in_xen", DURATION, "the part of the total in Xen, on a " \
                  "pcpu"), \
    EXPORT_OPTIONAL("off_cpu", DURATION, "the rest of the total: time off " \
                    "the pcpu, since the vcpu blocked or was paused; " \
                    "absent: unknown, and part of in_xen")

/* Export tables of report_account, in tables-*.c. */
extern const struct export_table report_tables_trace[];
extern const struct export_table report_tables_domain[];
extern const struct export_table report_tables_vcpu[];
extern const struct export_table report_tables_guest[];

#endif /* XENALYZE_REPORTS_TABLE_H */
