/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The account of the summary, --report-pcpu, --report-exits and the data
 * quality section: one set of numbers for all of these reports.  The account
 * exports tables and prints no text.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/reports/table.h"

static bool account_is_requested(const struct report_config *c)
{
    (void)c;
    return false;
}

static int account_open(struct report_pass *p, void **state, struct err *e)
{
    const struct report_request *r = &p->request;
    const struct summary_want want = {
        .eips = r->eips, .eip_vector = r->eip_vector,
        .histogram = r->histogram, .histogram_vector = r->histogram_vector,
        .off_cpu = p->config->exits || p->config->overview ||
                   report_page.is_requested(p->config) || p->exports_tables,
    };
    struct account *a = *state = fault_calloc(1, sizeof(*a));
    int rc;

    (void)e;
    if ( !a )
        return -ENOMEM;
    a->request = r;
    a->name = p->name;
    rc = summary_new(&a->summary, &want);
    if ( !rc )
        report_add_sink(p, summary_sink(a->summary));
    return rc;
}

static int account_close(struct report_pass *p, void *state)
{
    struct account *a = state;
    int rc = summary_close(a->summary);

    if ( p->request.cr3 )
        a->summary->cr3 = report_state(p, &report_cr3);
    return rc;
}

static bool account_has_failed(const void *state)
{
    const struct account *a = state;

    return a->summary->pool.failed;
}

static void account_free(void *state)
{
    struct account *a = state;

    if ( a )
        summary_free(a->summary);
    free(a);
}

struct summary *account_summary(const struct report_pass *p)
{
    struct account *a = report_state(p, &report_account);

    /* The caller has the account in its `needs`. */
    assert(a);
    return a->summary;
}

bool report_pass_found_svm(const struct report_pass *p)
{
    const struct account *a = report_state(p, &report_account);

    return a && a->summary->svm_exits[XT_HARDWARE_UNKNOWN];
}

bool report_pass_guessed_layout(const struct report_pass *p)
{
    const struct account *a = report_state(p, &report_account);

    return a && a->summary->layout_guesses;
}

const struct report report_account = {
    .name = "account", .kind = REPORT_AUXILIARY, .is_addition = true,
    .in_every_export = true, .is_requested = account_is_requested,
    .open = account_open, .close = account_close,
    .tables = { report_tables_trace, report_tables_domain,
                report_tables_vcpu, report_tables_guest },
    .has_failed = account_has_failed, .free = account_free,
};
