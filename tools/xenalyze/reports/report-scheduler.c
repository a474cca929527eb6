/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --check-scheduler: a table of the rules of schedulers, and a failure if one
 * is broken, so that a script can test a scheduler.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/num.h"
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

struct scheduler_report
{
    struct sched_checks checks;
    struct wait_causes waits;
    struct machine_stalls stalls;
    const struct report_request *request;
};

static const char *const summaries[SCHED_RULES] = {
    [RULE_ONE_PCPU] = "a vcpu runs on one pcpu at a time",
    [RULE_RUNSTATE] = "runstates change in Xen's order",
    [RULE_SLICE] = "no vcpu exceeds its time slice",
    [RULE_WORK] = "no wait beside an idle pcpu",
    [RULE_RATELIMIT] = "no preemption in the rate limit",
    [RULE_SHARE] = "shares follow the weights",
    [RULE_NO_WAIT] = "null: no vcpu waits",
    [RULE_EDF] = "RTDS: earliest deadline first",
    [RULE_BUDGET] = "RTDS: no vcpu exceeds its budget",
    [RULE_DEADLINE] = "RTDS: budget before the deadline",
    [RULE_FRAME] = "ARINC 653: minor frames repeat",
};

/* --- the report ----------------------------------------------------------- */

static bool scheduler_is_requested(const struct report_config *c)
{
    return c->check_scheduler;
}

static int scheduler_open(struct report_pass *p, void **state, struct err *e)
{
    struct scheduler_report *r = *state = fault_calloc(1, sizeof(*r));

    (void)e;
    if ( !r )
        return -ENOMEM;
    r->request = &p->request;
    r->checks.tolerance_ns = r->waits.long_ns = p->config->allow_late;
    r->checks.host = r->waits.host = p->names ? &p->names->host : NULL;
    assert(r->checks.tolerance_ns);
    sched_checks_init(&r->checks);
    wait_causes_init(&r->waits);
    machine_stalls_init(&r->stalls);
    report_add_sink(p, sched_checks_sink(&r->checks));
    report_add_sink(p, wait_causes_sink(&r->waits));
    report_add_sink(p, machine_stalls_sink(&r->stalls));
    return 0;
}

static bool scheduler_has_failed(const void *state)
{
    const struct scheduler_report *r = state;

    return r->checks.failed || r->checks.pool.failed || r->waits.failed ||
           r->waits.pool.failed || r->stalls.failed ||
           r->stalls.pool.failed;
}

static void scheduler_free(void *state)
{
    struct scheduler_report *r = state;

    if ( r )
    {
        sched_checks_fini(&r->checks);
        wait_causes_fini(&r->waits);
        machine_stalls_fini(&r->stalls);
    }
    free(r);
}

static int scheduler_close(struct report_pass *p, void *state)
{
    struct scheduler_report *r = state;

    (void)p;
    wait_causes_close(&r->waits);
    machine_stalls_close(&r->stalls);
    sched_checks_close(&r->checks, &r->waits, &r->stalls);
    return 0;
}

static unsigned int count_broken(const struct scheduler_report *r)
{
    unsigned int nr = 0;

    for ( unsigned int i = 0; i < SCHED_RULES; i++ )
        nr += r->checks.rules[i].broken != 0;
    return nr;
}

/* --- text ----------------------------------------------------------------- */

#define COUNT_WIDTH 7u

/* "d1v0 on pcpu 3, --time 1.2..1.3" */
static void print_case(const struct scheduler_report *r,
                       const struct sched_case *how, FILE *out)
{
    char name[XT_LABEL_MAX];

    fprintf(out, "      worst: %s",
            xt_vcpu_column(r->request->names, how->domain, how->vcpu,
                           LATENCY_WIDEST, name));
    if ( how->pcpu != FACT_NO_PCPU )
        fprintf(out, " on pcpu %" PRIu32, how->pcpu);
    fprintf(out, ", ");
    text_print_span(&r->checks.clock, how->from,
                    how->to > how->from ? how->to : how->from + 1, out);
    fprintf(out, "\n");
}

static const char *excess_text(const struct scheduler_report *r,
                               enum sched_rule rule, char text[NUM_CLOCK_MAX])
{
    const struct sched_result *result = &r->checks.rules[rule];

    if ( !result->broken || rule == RULE_RUNSTATE )
        return "-";
    if ( rule != RULE_SHARE )
        return text_duration(&r->checks.clock, result->worst.excess, text);
    assert(result->worst.excess <= 100);
    snprintf(text, NUM_CLOCK_MAX, "-%" PRIu64 " %%", result->worst.excess);
    return text;
}

static void print_rule(const struct scheduler_report *r, enum sched_rule rule,
                       FILE *out)
{
    const struct sched_result *result = &r->checks.rules[rule];
    char tested[NUM_CLOCK_MAX], broken[NUM_CLOCK_MAX], worst[NUM_CLOCK_MAX];

    if ( !result->tested )
    {
        fprintf(out, " %-33s %*s\n", summaries[rule], COUNT_WIDTH, "-");
        return;
    }
    *num_u64_fit(tested, result->tested, COUNT_WIDTH) = '\0';
    *num_u64_fit(broken, result->broken, COUNT_WIDTH) = '\0';
    fprintf(out, " %-33s %s %s %9s\n", summaries[rule], tested, broken,
            excess_text(r, rule, worst));
    if ( result->broken )
        print_case(r, &result->worst, out);
}

/* The needs of rules that were not tested. */
static void print_needs(const struct scheduler_report *r, FILE *out)
{
    const struct sched_result *rules = r->checks.rules;
    uint32_t scheduler = sched_checks_scheduler(&r->checks);

    if ( !rules[RULE_SLICE].tested )
        fprintf(out, " Not tested: time slices, for which xentrace -e sched "
                "is needed.\n");
    if ( !r->checks.has_weights && (scheduler == XT_SCHEDULER_CREDIT ||
                                    scheduler == XT_SCHEDULER_CREDIT2) )
        fprintf(out, " Not tested: weights and rate limit, which are not in "
                "the metadata of the trace.\n");
}

/* Cases that are not the scheduler's. */
static void print_stalls(const struct scheduler_report *r, FILE *out)
{
    char longest[NUM_CLOCK_MAX];

    if ( r->checks.nr_stalled )
        fprintf(out, " Not counted: %" PRIu64 " late timer%s, since the whole "
                "machine stood still, for %s at most.\n",
                r->checks.nr_stalled, r->checks.nr_stalled == 1 ? "" : "s",
                text_duration(&r->checks.clock, r->stalls.lengths.max,
                              longest));
}

static int scheduler_print(struct report_pass *p, void *state)
{
    const struct scheduler_report *r = state;
    const char *name = xt_scheduler_name(sched_checks_scheduler(&r->checks));

    fprintf(p->out, "--- Rules of the scheduler%s%s ---\n %-33s %*s %*s %9s\n",
            name ? " " : "", name ? name : "", "rule", COUNT_WIDTH, "tested",
            COUNT_WIDTH, "broken", "worst by");
    for ( unsigned int i = 0; i < SCHED_RULES; i++ )
        print_rule(r, i, p->out);
    print_stalls(r, p->out);
    print_needs(r, p->out);
    return 0;
}

/* --- the exit code -------------------------------------------------------- */

static int scheduler_check(struct report_pass *p, void *state, struct err *e)
{
    const struct scheduler_report *r = state;
    unsigned int broken = count_broken(r), tested = 0;

    for ( unsigned int i = 0; i < SCHED_RULES; i++ )
        tested += r->checks.rules[i].tested != 0;
    if ( !tested )
        return err_set(e, -ENODATA, "%s has no scheduler events to check; "
                       "capture with xentrace -e sched", p->name);
    if ( !broken )
        return 0;
    return err_set(e, -ENODATA, "%s: %u of %u tested rules of the scheduler "
                   "%s broken", p->name, broken, tested,
                   broken == 1 ? "is" : "are");
}

/* --- export --------------------------------------------------------------- */

static void walk_rules(struct export *x, void *state)
{
    const struct scheduler_report *r = state;

    for ( unsigned int i = 0; i < SCHED_RULES; i++ )
    {
        const struct sched_result *result = &r->checks.rules[i];
        const struct sched_case *how = &result->worst;
        bool has_case = result->broken, is_share = i == RULE_SHARE;

        assert(result->broken <= result->tested);
        EXPORT_ROW(x, export_text(sched_rule_name(i)),
                   export_number(result->tested),
                   export_number(result->broken),
                   export_optional(has_case && !is_share &&
                                   i != RULE_RUNSTATE, how->excess),
                   export_optional(has_case && is_share, how->excess),
                   export_optional(has_case, how->domain),
                   export_optional(has_case, how->vcpu),
                   export_optional(has_case && how->pcpu != FACT_NO_PCPU,
                                   how->pcpu),
                   export_optional(has_case, how->from),
                   export_optional(has_case, how->to));
    }
}

static const struct export_column columns[] = {
    EXPORT_COLUMN("rule", TEXT, "one_pcpu: a vcpu runs on one pcpu at a time; "
                  "runstate: runstates change in Xen's order; slice: a vcpu "
                  "runs at most its time slice; work: no vcpu waits while a "
                  "pcpu that it may use is idle; ratelimit: credit and "
                  "credit2 preempt no vcpu within the rate limit; share: they "
                  "divide time by weight, where consecutive seconds in which "
                  "a vcpu gets too little are one case; no_wait: with null, "
                  "no vcpu waits; edf: RTDS runs the earliest deadline first; "
                  "budget: a vcpu runs at most its budget; deadline: a vcpu "
                  "that wants its budget gets it before the deadline; frame: "
                  "with ARINC 653 each minor frame is as long as in the major "
                  "frame before"),
    EXPORT_COLUMN("tested", COUNT, "cases in which the rule was tested; 0: "
                  "another scheduler, or the trace lacks the records"),
    EXPORT_COLUMN("broken", COUNT, "cases that broke the rule"),
    EXPORT_OPTIONAL("worst", DURATION, "by how much the worst case exceeded "
                    "the rule; not of runstate and share"),
    EXPORT_OPTIONAL("worst_missing", COUNT, "share: percent of the fair share "
                    "that the vcpu did not get"),
    EXPORT_OPTIONAL("worst_domain", DOMAIN, "the domain of the worst case"),
    EXPORT_OPTIONAL("worst_vcpu", COUNT, "the vcpu in the domain"),
    EXPORT_OPTIONAL("worst_pcpu", COUNT, "the physical CPU; absent: none, or "
                    "several"),
    EXPORT_OPTIONAL("worst_from", MOMENT, "the worst case began"),
    EXPORT_OPTIONAL("worst_to", MOMENT, "the worst case ended"),
};

static const struct export_table tables[] = {
    { "scheduler_rules", "Rules of schedulers (--check-scheduler).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(columns), walk_rules },
    { .name = NULL },
};

const struct report report_scheduler = {
    .name = "scheduler", .is_requested = scheduler_is_requested,
    .needs_all = "--check-scheduler needs all pcpus and vcpus: select a part "
                 "of the trace with --time",
    .open = scheduler_open, .close = scheduler_close,
    .print = scheduler_print, .tables = { tables },
    .has_failed = scheduler_has_failed, .check = scheduler_check,
    .free = scheduler_free,
};
