/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-io, second part: accesses to emulated devices, with the share of
 * each part of their time.  Without such accesses the text is empty.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/num.h"
#include "common/utf8.h"
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

#define DOMAIN_WIDTH 12u
#define DEVICE_WIDTH 16
#define COUNT_WIDTH 6u

struct devices_report
{
    struct device_accesses accesses;
    struct model_parts model;   /* events of processes; needs their traces */
    bool has_model;
    const struct report_request *request;
};

static bool devices_are_requested(const struct report_config *c)
{
    return c->io;
}

static int devices_open(struct report_pass *p, void **state, struct err *e)
{
    struct devices_report *r = *state = fault_calloc(1, sizeof(*r));

    if ( !r )
        return -ENOMEM;
    device_accesses_init(&r->accesses);
    r->request = &p->request;
    report_add_sink(p, device_accesses_sink(&r->accesses));
    if ( !p->programs )
        return 0;
    r->has_model = true;
    r->accesses.model = &r->model;
    return model_parts_init(&r->model, p->programs, &r->accesses.pool, e);
}

static bool devices_have_failed(const void *state)
{
    const struct devices_report *r = state;

    return r->accesses.failed || r->accesses.pool.failed || r->model.failed;
}

static void devices_free(void *state)
{
    struct devices_report *r = state;

    if ( r )
    {
        device_accesses_fini(&r->accesses);
        model_parts_fini(&r->model);
    }
    free(r);
}

static int devices_close(struct report_pass *p, void *state)
{
    struct devices_report *r = state;

    (void)p;
    device_accesses_close(&r->accesses);
    if ( r->has_model )
        model_parts_close(&r->model);
    return r->accesses.failed || r->model.failed ? -ENOMEM : 0;
}

/* --- text ----------------------------------------------------------------- */

/* The width of the column of domains. */
static int domain_width(const struct devices_report *r)
{
    size_t width = sizeof("domain") - 1;
    char name[XT_LABEL_MAX];

    for ( size_t i = 0; i < r->accesses.nr_ranges; i++ )
    {
        size_t length = utf8_columns(xt_domain_column(
            r->request->names, r->accesses.ranges[i]->domain, DOMAIN_WIDTH,
            name));

        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_device(const struct devices_report *r,
                         const struct access_range *range, int width,
                         FILE *out)
{
    char name[XT_LABEL_MAX], device[ACCESS_TEXT], text[NUM_CLOCK_MAX];

    assert(stats_events(&range->whole));
    *num_u64_fit(text, stats_events(&range->whole), COUNT_WIDTH) = '\0';
    xt_domain_column(r->request->names, range->domain, DOMAIN_WIDTH, name);
    fprintf(out, " %-*s %-*s %s", utf8_width(name, width), name,
            DEVICE_WIDTH, access_range_text(range, device), text);
    fprintf(out, " %8s", text_duration(&r->accesses.clock,
                                       stats_percentile(&range->whole, 99),
                                       text));
    fprintf(out, " %8s", text_duration(&r->accesses.clock, range->whole.sum,
                                       text));
    for ( unsigned int i = 0; i < ACCESS_PARTS; i++ )
        fprintf(out, " %*.1f", i == ACCESS_HELPER_WAITS ? 6 : 5,
                stats_share(range->parts[i].sum, range->whole.sum));
    fprintf(out, "\n");
}

#define HEADING_WORDS 9

static void print_heading(FILE *out, int width,
                          const char *const words[HEADING_WORDS])
{
    fprintf(out, " %-*s %-*s %6s %8s %8s %5s %6s %5s %5s\n", width, words[0],
            DEVICE_WIDTH, words[1], words[2], words[3], words[4], words[5],
            words[6], words[7], words[8]);
}

/* --- text: device models -------------------------------------------------- */

#define EVENT_WIDTH 38u

static const char *model_event_text(const struct model_parts *m,
                                    const struct model_row *row)
{
    if ( row->kind == MODEL_BEFORE )
        return "(before an event)";
    if ( row->kind == MODEL_WITHOUT )
        return "(no event)";
    return row->name == MODEL_OTHERS
           ? "(others)" : programs_event_name(m->programs, row->name);
}

static void put_program(const struct model_parts *m,
                        const struct model_row *row, char *text, size_t size)
{
    const struct program_process *process =
        programs_process(m->programs, row->process);

    if ( process->pid )
        snprintf(text, size, "%s/%" PRIu32, process->label, process->pid);
    else
        snprintf(text, size, "%s", process->label);
}

/* Sum of the cycles in the table rows of a domain. */
static uint64_t sum_domain(const struct model_parts *m,
                           const struct model_row *row)
{
    uint64_t sum = 0;

    for ( size_t i = 0; i < m->nr_rows; i++ )
        if ( m->rows[i].domain == row->domain )
            sum += m->rows[i].time->sum;
    return sum;
}

/* A name longer than the column is truncated, at a character of UTF-8. */
static void print_event_name(const char *name, FILE *out)
{
    char text[EVENT_WIDTH + 1];
    size_t length = utf8_cut(name, EVENT_WIDTH);

    memcpy(text, name, length);
    text[length] = '\0';
    fprintf(out, "  %-*s", utf8_width(text, EVENT_WIDTH), text);
}

static void print_model_row(const struct devices_report *r,
                            const struct model_row *row, FILE *out)
{
    const struct stats *s = row->time;
    char text[NUM_CLOCK_MAX];

    print_event_name(model_event_text(&r->model, row), out);
    *num_u64_fit(text, stats_events(s), COUNT_WIDTH) = '\0';
    fprintf(out, " %s", text);
    fprintf(out, " %9s", text_duration(&r->accesses.clock,
                                       stats_percentile(s, 99), text));
    fprintf(out, " %9s", text_duration(&r->accesses.clock, s->sum, text));
    fprintf(out, " %7.1f%%\n",
            stats_share(s->sum, sum_domain(&r->model, row)));
}

/* The heading of a domain: the label, and the process of its device model. */
static void print_model_domain(const struct devices_report *r,
                               const struct model_row *row, FILE *out)
{
    char name[XT_LABEL_MAX], program[64];

    put_program(&r->model, row, program, sizeof(program));
    fprintf(out, "%s through %s:\n",
            xt_domain_column(r->request->names, row->domain, DOMAIN_WIDTH,
                             name), program);
}

static void print_model(const struct devices_report *r, FILE *out)
{
    const struct model_parts *m = &r->model;

    if ( !m->nr_rows )
        return;
    fprintf(out, "--- Device models: from an event to the next one, or to the "
            "answer ---\n"
            "  %-*s %6s %9s %9s %8s\n", (int)EVENT_WIDTH, "event", "count",
            "p99", "total", "share");
    for ( size_t i = 0; i < m->nr_rows; i++ )
    {
        if ( !i || m->rows[i].domain != m->rows[i - 1].domain )
            print_model_domain(r, &m->rows[i], out);
        print_model_row(r, &m->rows[i], out);
    }
    if ( m->missed )
        fprintf(out, " accesses longer than %u events, whose first events are "
                "missing: %" PRIu64 "\n", MODEL_RECENT, m->missed);
}

static int devices_print(struct report_pass *p, void *state)
{
    static const char *const headings[2][HEADING_WORDS] = {
        { "domain", "device", "count", "p99", "total", "in", "helper",
          "model", "vcpu" },
        { "", "", "", "", "", "Xen", "waits", "works", "waits" },
    };
    struct devices_report *r = state;
    const struct device_accesses *d = &r->accesses;
    struct sort_row *order = arena_array(&r->accesses.pool.arena,
                                         d->nr_ranges + 1, sizeof(*order),
                                         _Alignof(struct sort_row));
    int width = domain_width(r);
    size_t n;

    if ( !order )
        return -ENOMEM;
    if ( !d->nr_ranges )
        return 0;
    for ( size_t i = 0; i < d->nr_ranges; i++ )
        order[i] = (struct sort_row){
            sort_value(r->request->sort, &d->ranges[i]->whole), i };
    n = sort_rows(r->request, order, d->nr_ranges);
    fprintf(p->out, "--- Emulated devices: from the VM exit to the guest's "
            "run, in percent ---\n");
    print_heading(p->out, width, headings[0]);
    print_heading(p->out, width, headings[1]);
    for ( size_t i = 0; i < n; i++ )
        print_device(r, d->ranges[order[i].index], width, p->out);
    print_model(r, p->out);
    return 0;
}

/* --- export --------------------------------------------------------------- */

static struct export_value range_kind(const struct access_range *r)
{
    return export_text(r->is_other ? "others" : r->is_port ? "port" : "memory");
}

static bool has_addresses(const struct access_range *r)
{
    return !r->is_other && !r->is_unknown;
}

static void walk_devices(struct export *x, void *state)
{
    const struct devices_report *r = state;

    for ( size_t i = 0; i < r->accesses.nr_ranges; i++ )
    {
        const struct access_range *range = r->accesses.ranges[i];

        EXPORT_ROW(x, export_number(range->domain), range_kind(range),
                   export_optional(has_addresses(range), range->first),
                   export_optional(has_addresses(range), range->last),
                   export_text(range->name), export_number(range->answered),
                   export_series(&range->whole));
    }
}

static void walk_parts(struct export *x, void *state)
{
    const struct devices_report *r = state;

    for ( size_t i = 0; i < r->accesses.nr_ranges; i++ )
        for ( unsigned int k = 0; k < ACCESS_PARTS; k++ )
        {
            const struct access_range *range = r->accesses.ranges[i];

            EXPORT_ROW(x, export_number(range->domain), range_kind(range),
                       export_optional(has_addresses(range), range->first),
                       export_text(access_part_name(k)),
                       export_series(&range->parts[k]));
        }
}

static const char *model_kind_name(enum model_kind kind)
{
    static const char *const names[] = {
        [MODEL_EVENT] = "event", [MODEL_BEFORE] = "before",
        [MODEL_WITHOUT] = "none",
    };

    assert(kind < sizeof(names) / sizeof(names[0]));
    return names[kind];
}

static void walk_model(struct export *x, void *state)
{
    const struct devices_report *r = state;
    const struct model_parts *m = &r->model;

    for ( size_t i = 0; i < m->nr_rows; i++ )
    {
        const struct model_row *row = &m->rows[i];
        const struct program_process *process =
            programs_process(m->programs, row->process);

        EXPORT_ROW(x, export_number(row->domain), export_text(process->label),
                   export_optional(process->pid, process->pid),
                   export_text(model_kind_name(row->kind)),
                   export_text(row->kind == MODEL_EVENT
                               ? model_event_text(m, row) : NULL),
                   export_series(row->time));
    }
}

#define DEVICE_KIND \
    EXPORT_DOMAIN_ID, \
    EXPORT_COLUMN("kind", TEXT, "port or memory; others: all devices beyond " \
                  "the first 64 of the domain"), \
    EXPORT_OPTIONAL("first", COUNT, "the first address, if known")

static const struct export_column device_columns[] = {
    DEVICE_KIND,
    EXPORT_OPTIONAL("last", COUNT, "the last address"),
    EXPORT_OPTIONAL("device", TEXT, "the usual device at these addresses"),
    EXPORT_COLUMN("answered", COUNT, "accesses for which the vcpu blocked, "
                  "until a device model answered"),
    EXPORT_STATISTICS,
};

static const struct export_column part_columns[] = {
    DEVICE_KIND,
    EXPORT_COLUMN("part", TEXT, "xen, helper waits, device model or vcpu "
                  "waits"),
    EXPORT_STATISTICS,
};

static const struct export_column model_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_COLUMN("program", TEXT, "the device model"),
    EXPORT_OPTIONAL("pid", COUNT, "its process"),
    EXPORT_COLUMN("kind", TEXT, "event: from the event to the next one, or to "
                  "the answer; before: until the first event; none: accesses "
                  "without an event"),
    EXPORT_OPTIONAL("event", TEXT, "the name of the event"),
    EXPORT_STATISTICS,
};

static const struct export_table tables[] = {
    { "emulated_devices", "Accesses to emulated devices, from the VM exit "
      "until the vcpu runs again (--report-io).", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(device_columns), walk_devices },
    { "emulated_parts", "The parts of these; their totals add up.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(part_columns), walk_parts },
    { "emulated_events", "The part \"device model\" of these by events of the "
      "program; with traces of programs beside the trace.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(model_columns), walk_model },
    { .name = NULL },
};

const struct report report_devices = {
    .name = "emulated devices", .is_requested = devices_are_requested,
    .open = devices_open, .close = devices_close, .print = devices_print,
    .tables = { tables }, .has_failed = devices_have_failed,
    .free = devices_free,
};
