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
    const struct report_request *request;
};

static bool devices_are_requested(const struct report_config *c)
{
    return c->io;
}

static int devices_open(struct report_pass *p, void **state, struct err *e)
{
    struct devices_report *r = *state = fault_calloc(1, sizeof(*r));

    (void)e;
    if ( !r )
        return -ENOMEM;
    device_accesses_init(&r->accesses);
    r->request = &p->request;
    report_add_sink(p, device_accesses_sink(&r->accesses));
    return 0;
}

static bool devices_have_failed(const void *state)
{
    const struct devices_report *r = state;

    return r->accesses.failed || r->accesses.pool.failed;
}

static void devices_free(void *state)
{
    struct devices_report *r = state;

    if ( r )
        device_accesses_fini(&r->accesses);
    free(r);
}

static int devices_close(struct report_pass *p, void *state)
{
    struct devices_report *r = state;

    (void)p;
    device_accesses_close(&r->accesses);
    return r->accesses.failed ? -ENOMEM : 0;
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
    return 0;
}

/* --- export --------------------------------------------------------------- */

static struct export_value range_kind(const struct access_range *r)
{
    return export_text(r->is_other ? "others" : r->is_port ? "port" : "memory");
}

static void walk_devices(struct export *x, void *state)
{
    const struct devices_report *r = state;

    for ( size_t i = 0; i < r->accesses.nr_ranges; i++ )
    {
        const struct access_range *range = r->accesses.ranges[i];

        EXPORT_ROW(x, export_number(range->domain), range_kind(range),
                   export_optional(!range->is_other, range->first),
                   export_optional(!range->is_other, range->last),
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
                       export_optional(!range->is_other, range->first),
                       export_text(access_part_name(k)),
                       export_series(&range->parts[k]));
        }
}

#define DEVICE_KIND \
    EXPORT_DOMAIN_ID, \
    EXPORT_COLUMN("kind", TEXT, "port or memory; others: all devices beyond " \
                  "the first 64 of the domain"), \
    EXPORT_OPTIONAL("first", COUNT, "the first address")

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

static const struct export_table tables[] = {
    { "emulated_devices", "Accesses to emulated devices, from the VM exit "
      "until the vcpu runs again (--report-io).", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(device_columns), walk_devices },
    { "emulated_parts", "The parts of these; their totals add up.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(part_columns), walk_parts },
    { .name = NULL },
};

const struct report report_devices = {
    .name = "emulated devices", .is_requested = devices_are_requested,
    .open = devices_open, .close = devices_close, .print = devices_print,
    .tables = { tables }, .has_failed = devices_have_failed,
    .free = devices_free,
};
