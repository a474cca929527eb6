/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of the HTML page, from the same statistics as the reports.  All
 * times are in nanoseconds.  The columns of each array are in html/tables.js.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "xenalyze/account/account.h"
#include "xenalyze/viewers/html.h"
#include "xenalyze/viewers/viewer-text.h"

struct numbers
{
    FILE *out;
    const struct viewer_numbers *from;
    const struct xt_domain_names *names;
    struct summary *summary;
    const struct latency *latency;
    bool has_row;               /* in the current array */
};

/* --- JSON ----------------------------------------------------------------- */

static void begin_array(struct numbers *n, const char *name)
{
    assert(*name);
    fprintf(n->out, ",\n\"%s\":[", name);
    n->has_row = false;
}

static void begin_row(struct numbers *n)
{
    fputs(n->has_row ? ",\n[" : "\n[", n->out);
    n->has_row = true;
}

static void put_cycles(const struct numbers *n, uint64_t cycles)
{
    fprintf(n->out, ",%" PRIu64,
            xt_clock_duration(&n->summary->clock, cycles));
}

/* Before the begin of the trace: 0. */
static void put_moment(const struct numbers *n, uint64_t tsc)
{
    int64_t ns = xt_clock_ns(&n->summary->clock, tsc);

    fprintf(n->out, ",%" PRId64, ns > 0 ? ns : 0);
}

static void put_key(const struct numbers *n, uint64_t key)
{
    char name[LATENCY_NAME];

    viewer_write_json(n->out, latency_label(n->names, key, 0, name));
}

/* --- vcpus and pcpus ------------------------------------------------------ */

static bool has_numbers(const struct summary_vcpu *v)
{
    return v->domain != XT_DOMAIN_IDLE && v->domain != XT_DOMAIN_DEFAULT;
}

static uint64_t count_exits(const struct summary_vcpu *v)
{
    uint64_t nr = 0;

    assert(has_numbers(v));
    for ( unsigned int i = 1; v->hvm && i <= v->hvm->nr_exits; i++ )
        nr += stats_events(&v->hvm->exits[i]->cost);
    return nr;
}

static void put_vcpu(struct numbers *n, const struct summary_vcpu *v)
{
    const struct summary_sched *s = v->sched;
    char label[XT_LABEL_MAX];

    begin_row(n);
    fprintf(n->out, "%u,%u,", v->domain, v->id);
    viewer_write_json(n->out, xt_domain_label(n->names, v->domain, label));
    for ( unsigned int i = 0; i < STATES; i++ )
        put_cycles(n, s ? summary_state_time(s->state, &s->time, i) : 0);
    fprintf(n->out, ",%" PRIu64 "]", count_exits(v));
}

static void write_vcpus(struct numbers *n)
{
    uint32_t nr = 0;

    begin_array(n, "vcpu_times");
    for ( uint32_t i = 0; i < n->summary->nr_vcpus && nr < HTML_MAX_VCPUS; i++ )
        if ( has_numbers(n->summary->vcpus[i]) )
        {
            put_vcpu(n, n->summary->vcpus[i]);
            nr++;
        }
    putc(']', n->out);
}

static void write_pcpus(struct numbers *n)
{
    uint64_t idle = 0, lost = 0, time = 0;

    for ( uint32_t i = 0; i < n->summary->nr_pcpus; i++ )
    {
        struct summary_pcpu_time t =
            summary_get_pcpu_time(n->summary, n->summary->pcpus[i]);

        idle += t.state[PCPU_IDLE];
        lost += t.state[PCPU_LOST];
        for ( unsigned int s = 0; s < PCPU_STATES; s++ )
            time += t.state[s];
    }
    fprintf(n->out, ",\n\"pcpu_times\":[%" PRIu32, n->summary->nr_pcpus);
    put_cycles(n, idle);
    put_cycles(n, lost);
    put_cycles(n, time);
    putc(']', n->out);
}

/* --- waits ---------------------------------------------------------------- */

static void write_wakes(struct numbers *n)
{
    static const unsigned int ranks[] = { 50, 95, 99 };

    begin_array(n, "wakes");
    for ( uint32_t i = 0; i < n->latency->nr_vcpus && i < HTML_MAX_VCPUS; i++ )
    {
        const struct latency_vcpu *v = n->latency->vcpus[i];
        const struct stats *s = &v->wait[WHY_WAKE];

        if ( !s->count )
            continue;
        begin_row(n);
        put_key(n, LATENCY_KEY(v->domain, v->id));
        fprintf(n->out, ",%" PRIu64, stats_events(s));
        for ( size_t k = 0; k < sizeof(ranks) / sizeof(ranks[0]); k++ )
            put_cycles(n, stats_percentile(s, ranks[k]));
        put_cycles(n, s->max);
        put_moment(n, s->max_at);
        putc(']', n->out);
    }
    putc(']', n->out);
}

static void write_longest_waits(struct numbers *n)
{
    begin_array(n, "waits");
    for ( size_t i = 0; i < n->latency->nr_worst && i < HTML_MAX_EXITS; i++ )
    {
        const struct latency_wait *w = &n->latency->worst[i];

        assert(w->from <= w->to);
        begin_row(n);
        put_key(n, w->vcpu);
        put_moment(n, w->from);
        put_cycles(n, w->to - w->from);
        if ( w->no_end )
            fputs(",null", n->out);
        else
            fprintf(n->out, ",%" PRIu32, w->pcpu);
        fprintf(n->out, ",\"%s\",",
                why_name(w->reason) ? why_name(w->reason) : "other");
        if ( w->nr_rivals )
            put_key(n, w->rivals[0].key);
        else
            fputs("null", n->out);
        put_cycles(n, w->nr_rivals ? w->rivals[0].cycles : 0);
        putc(']', n->out);
    }
    putc(']', n->out);
}

/* --- exits ---------------------------------------------------------------- */

static int compare_exit_rows(const void *a, const void *b)
{
    const struct exit_report_row *x = a, *y = b;
    bool x_is_whole = x->handler == EXIT_REPORT_WHOLE;

    assert(x && y);
    if ( x_is_whole != (y->handler == EXIT_REPORT_WHOLE) )
        return x_is_whole ? -1 : 1;
    if ( exit_report_in_xen(x) != exit_report_in_xen(y) )
        return exit_report_in_xen(x) < exit_report_in_xen(y) ? 1 : -1;
    if ( x->domain != y->domain )
        return x->domain < y->domain ? -1 : 1;
    return x->cause < y->cause ? -1 : x->cause > y->cause;
}

static void put_exit(struct numbers *n, const struct exit_report_row *r)
{
    char name[EXIT_REPORT_NAME], label[XT_LABEL_MAX];

    begin_row(n);
    viewer_write_json(n->out, r->domain == XT_DOMAIN_DEFAULT ? "unknown" :
                      xt_domain_label(n->names, r->domain, label));
    putc(',', n->out);
    viewer_write_json(n->out, exit_report_name(r->cause, name));
    fprintf(n->out, ",%" PRIu64, stats_events(&r->cost));
    put_cycles(n, exit_report_in_xen(r));
    put_cycles(n, r->off_cpu);
    putc(']', n->out);
}

static int write_exits(struct numbers *n)
{
    struct exit_report x = { .nr = 0 };
    int rc = exit_report_build(&x, n->summary);

    begin_array(n, "exits");
    if ( !rc && x.nr )
        qsort(x.rows, x.nr, sizeof(*x.rows), compare_exit_rows);
    for ( size_t i = 0; !rc && i < x.nr && i < HTML_MAX_EXITS &&
                        x.rows[i].handler == EXIT_REPORT_WHOLE; i++ )
        put_exit(n, &x.rows[i]);
    putc(']', n->out);
    exit_report_fini(&x);
    return rc;
}

/* --- the verdict, and the quality of the data ----------------------------- */

static void write_verdict(struct numbers *n)
{
    const char *text = n->from->verdict;

    begin_array(n, "verdict");
    while ( text && *text )
    {
        char line[VIEWER_TEXT_MAX];
        size_t length = strcspn(text, "\n");

        snprintf(line, sizeof(line), "%.*s", (int)length, text);
        fputs(n->has_row ? ",\n" : "\n", n->out);
        viewer_write_json(n->out, line);
        n->has_row = true;
        text += length + (text[length] == '\n');
    }
    putc(']', n->out);
}

static void write_quality(struct numbers *n)
{
    const struct summary *s = n->summary;

    begin_array(n, "contradictions");
    for ( unsigned int i = 0; i < ANOMALY_KINDS; i++ )
        if ( s->anomalies[i] )
        {
            begin_row(n);
            viewer_write_json(n->out, anomaly_name(i));
            fprintf(n->out, ",%" PRIu64 "]", s->anomalies[i]);
        }
    fprintf(n->out, "],\n\"lost\":[%" PRIu64 ",%" PRIu64, s->lost, s->losses);
    put_cycles(n, s->lost_cycles);
    fprintf(n->out, "],\"damage\":%" PRIu64 ",\"records\":%" PRIu64,
            xt_damage_times(&s->damage), s->records);
    fprintf(n->out, ",\"clock_error\":[%" PRIu32 ",%" PRIu32 ",%" PRIu64
            ",%u,%u]", s->disorder.pcpus[1], s->disorder.pcpus[0],
            xt_clock_duration(&s->clock, fact_disorder_error(&s->disorder)),
            s->disorder.nr_silent, s->disorder.nr_host);
    fprintf(n->out, ",\"clock_assumed\":%s,\"is_selection\":%s,\"length\":%"
            PRIu64, n->from->clock_assumed ? "true" : "false",
            n->from->is_selection ? "true" : "false",
            xt_clock_duration(&s->clock, s->total));
}

int html_write_numbers(FILE *out, const struct viewer_options *options)
{
    struct numbers n = {
        .out = out, .from = options->numbers, .names = options->names,
        .summary = options->numbers->summary,
        .latency = options->numbers->latency,
    };

    assert(n.summary && n.summary->closed && n.latency && n.latency->closed);
    write_vcpus(&n);
    write_pcpus(&n);
    write_wakes(&n);
    write_longest_waits(&n);
    write_verdict(&n);
    write_quality(&n);
    return write_exits(&n);
}
