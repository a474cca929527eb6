/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --why: why a vcpu is slow.  The text explains one vcpu, the tables have all.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/reports/table.h"
#include "xenalyze/reports/vcpu-word.h"
#include "xenalyze/text/text.h"

struct why_report
{
    struct wait_causes waits;
    struct block_reasons blocks;
    struct device_accesses accesses;
    struct co_stops co_stops;
    struct backend_waits backends;
    struct interrupt_load load;
    struct machine_stalls stalls;
    struct timers timers;
    struct silent_vcpus silent;
    const char *word;           /* the argument: in `waits`, if there is one */
    const struct xt_domain_names *names;    /* borrowed; or NULL */
    const struct fact_disorder *disorder;   /* the pass has it */
};

static bool why_is_requested(const struct report_config *c)
{
    return c->why;
}

/* --- the argument --------------------------------------------------------- */

static int parse_why(struct why_report *r, const struct report_pass *p,
                     struct err *e)
{
    struct vcpu_word word;
    int rc;

    r->names = p->names;
    r->disorder = &p->disorder;
    r->word = p->config->why_vcpu;
    if ( !r->word )
        return 0;
    rc = vcpu_word_parse(&word, "why", r->word, p->names, e);
    r->waits.has_domain = true;
    r->waits.has_vcpu = word.has_vcpu;
    r->waits.domain = word.domain;
    r->waits.id = word.id;
    return rc;
}

/* The waits to keep: of --top, where 0 asks for all that can be kept. */
static size_t count_longest(const struct report_pass *p)
{
    if ( !p->request.has_top )
        return WAIT_WORST;
    return p->request.top ? p->request.top : WAIT_MOST_WORST;
}

static int why_open(struct report_pass *p, void **state, struct err *e)
{
    struct why_report *r = *state = fault_calloc(1, sizeof(*r));
    struct sink backends[BACKEND_SINKS];

    if ( !r )
        return -ENOMEM;
    wait_causes_init(&r->waits);
    if ( wait_causes_keep_longest(&r->waits, count_longest(p)) )
        return -ENOMEM;
    r->waits.host = p->names ? &p->names->host : NULL;
    block_reasons_init(&r->blocks);
    device_accesses_init(&r->accesses);
    backend_waits_init(&r->backends);
    r->accesses.trips = &r->backends.trips;
    interrupt_load_init(&r->load);
    machine_stalls_init(&r->stalls);
    timers_init(&r->timers);
    backend_waits_get_sinks(&r->backends, backends);
    report_add_sink(p, wait_causes_sink(&r->waits));
    report_add_sink(p, block_reasons_sink(&r->blocks));
    report_add_sink(p, device_accesses_sink(&r->accesses));
    report_add_sink(p, co_stops_sink(&r->co_stops));
    report_add_sink(p, interrupt_load_sink(&r->load));
    report_add_sink(p, machine_stalls_sink(&r->stalls));
    report_add_sink(p, timers_sink(&r->timers));
    for ( size_t i = 0; i < BACKEND_SINKS; i++ )
        report_add_sink(p, backends[i]);
    return parse_why(r, p, e);
}

static bool why_has_failed(const void *state)
{
    const struct why_report *r = state;

    return r->waits.failed || r->waits.pool.failed || r->blocks.failed ||
           r->blocks.pool.failed || r->accesses.failed ||
           r->accesses.pool.failed || r->co_stops.failed ||
           r->backends.failed || r->backends.trips.failed ||
           r->backends.trips.pool.failed || r->load.failed ||
           r->load.pool.failed || r->stalls.failed ||
           r->stalls.pool.failed || timers_have_failed(&r->timers);
}

static void why_free(void *state)
{
    struct why_report *r = state;

    if ( r )
    {
        wait_causes_fini(&r->waits);
        block_reasons_fini(&r->blocks);
        device_accesses_fini(&r->accesses);
        co_stops_fini(&r->co_stops);
        backend_waits_fini(&r->backends);
        interrupt_load_fini(&r->load);
        machine_stalls_fini(&r->stalls);
        timers_fini(&r->timers);
    }
    free(r);
}

static int why_close(struct report_pass *p, void *state)
{
    struct why_report *r = state;

    int rc = 0;

    wait_causes_close(&r->waits);
    if ( p->info )
        rc = silent_vcpus_find(&r->silent, &r->waits, p->info);
    block_reasons_close(&r->blocks);
    device_accesses_close(&r->accesses);
    co_stops_close(&r->co_stops);
    backend_waits_close(&r->backends);
    interrupt_load_close(&r->load);
    machine_stalls_close(&r->stalls);
    timers_close(&r->timers);
    return r->accesses.failed ? -ENOMEM : rc;
}

struct wait_causes *report_why_waits(const struct report_pass *p)
{
    struct why_report *r = report_state(p, &report_why);

    assert(r);
    return &r->waits;
}

/* --- text ----------------------------------------------------------------- */

static bool is_asked(const struct why_report *r, const struct wait_vcpu *v)
{
    return wait_is_asked(&r->waits, v->domain, v->id);
}

/* The vcpu of the domain that waited longest; NULL: there is none. */
static const struct wait_vcpu *find_longest_wait(const struct why_report *r,
                                                 uint16_t domain)
{
    const struct wait_vcpu *found = NULL;

    for ( uint32_t i = 0; i < r->waits.nr_vcpus; i++ )
    {
        const struct wait_vcpu *v = r->waits.vcpus[i];

        if ( v->domain == domain &&
             (!found || v->sums.waited > found->sums.waited) )
            found = v;
    }
    return found;
}

static struct verdict_facts get_facts(const struct why_report *r,
                                      const struct wait_vcpu *v)
{
    struct verdict_facts f = {
        .waits = &r->waits, .vcpu = v,
        .accesses = device_accesses_find(&r->accesses, v->domain, v->id),
        .backend = backend_waits_find(&r->backends, v->domain, v->id),
        .interrupts = interrupt_load_find(&r->load, v->domain, v->id),
        .stalls = machine_stalls_find(&r->stalls, v->domain, v->id),
        .timers = timers_find(&r->timers, v->domain, v->id),
        .spins = co_stops_find_spinner(&r->co_stops, v->domain, v->id),
        .clock_error = fact_disorder_error(r->disorder),
    };

    assert(r->disorder);
    if ( f.clock_error && f.backend )
        f.backend_slowest = find_longest_wait(r, f.backend->vote.domain);
    return f;
}

/*
 * Time lost, times its share of the time of wanting to run: by waiting, or by
 * the greatest other loss but that to a backend.
 */
static double suffering(const struct why_report *r, const struct wait_vcpu *v)
{
    struct verdict_facts f = get_facts(r, v);
    uint64_t lost = verdict_lost_time(&f, VERDICT_WAITS);

    for ( unsigned int i = 0; i < VERDICT_LOSSES; i++ )
        if ( i != VERDICT_BACKEND && verdict_lost_time(&f, i) > lost )
            lost = verdict_lost_time(&f, i);
    return stats_share(lost, lost + v->times[STATE_RUNNING]) * (double)lost;
}

/*
 * The order of vcpus: first those that lose time over the whole trace, by their
 * suffering or by the loss to a backend; then those with a stretch that hurts,
 * by its score; then all others, by their suffering.
 */
struct why_rank
{
    unsigned int class;         /* the greater, the worse */
    double value;
};

static struct why_rank get_rank(const struct why_report *r,
                                const struct wait_vcpu *v)
{
    struct verdict_facts f = get_facts(r, v);
    struct verdict_result verdict = verdict_judge(&f);
    struct why_rank rank = { 0, suffering(r, v) };

    assert(!verdict.is_stretch || verdict.rule);
    if ( !verdict.rule )
        return rank;
    if ( verdict.is_stretch )
        return (struct why_rank){
            1, verdict_find_stretch(&f, verdict.loss)->worst.score };
    /* The cause comes first: a backend that waits is another vcpu. */
    if ( verdict.loss == VERDICT_BACKEND )
        return (struct why_rank){ 2, (double)f.backend->waited };
    rank.class = 3;
    return rank;
}

static bool is_worse(const struct why_rank *a, const struct why_rank *b)
{
    return a->class != b->class ? a->class > b->class : a->value > b->value;
}

/* The vcpu among those asked for that suffers most; NULL: there is none. */
static const struct wait_vcpu *find_slowest(const struct why_report *r)
{
    const struct wait_vcpu *found = NULL;
    struct why_rank most = { 0, 0 }, next;

    for ( uint32_t i = 0; i < r->waits.nr_vcpus; i++ )
    {
        const struct wait_vcpu *v = r->waits.vcpus[i];

        assert(v);
        if ( !is_asked(r, v) )
            continue;
        next = get_rank(r, v);
        if ( found && !is_worse(&next, &most) )
            continue;
        found = v;
        most = next;
    }
    return found;
}

static void print_verdict(const struct report_pass *p,
                          const struct why_report *r,
                          const struct wait_vcpu *v)
{
    struct text_why t = {
        .facts = get_facts(r, v), .is_asked = r->waits.has_domain,
        .blocks = block_reasons_find(&r->blocks, v->domain, v->id),
        .device = device_accesses_find_top(&r->accesses, v->domain),
        .co_stops = &r->co_stops, .stalls = &r->stalls,
        .captured = p->info ? p->info->captured : 0, .silent = &r->silent,
        .is_part = p->is_selection, .names = p->request.names, .out = p->out,
    };

    assert(is_asked(r, v));
    t.verdict = verdict_judge(&t.facts);
    if ( t.facts.backend )
    {
        uint16_t backend = t.verdict.is_stretch
                           ? t.facts.backend->worst.domain
                           : t.facts.backend->vote.domain;

        t.path = backend_waits_find_path(&r->backends, v->domain, backend);
        t.backend = find_longest_wait(r, backend);
    }
    text_print_why(&t);
}

static int why_print(struct report_pass *p, void *state)
{
    struct why_report *r = state;
    const struct wait_vcpu *v = find_slowest(r);

    if ( !v )
        return 0;
    text_print_disorder(r->disorder, &r->waits.clock, p->out);
    print_verdict(p, r, v);
    return p->request.has_top
           ? text_print_why_tables(&r->waits, &p->request, p->out) : 0;
}

/* No vcpu that is asked for has records. */
static int refuse_silent(const struct report_pass *p,
                         const struct why_report *r, struct err *e)
{
    static const char *const texts[] = {
        [SILENT_WAITING] = "waited for a pcpu, or was paused",
        [SILENT_BLOCKED] = "was blocked", [SILENT_OFFLINE] = "was offline",
        [SILENT_STOPPED] = "was paused with its domain",
    };
    const struct silent_vcpu *v =
        silent_vcpus_first(&r->silent, SILENT_WAITING);
    const char *what = r->waits.has_vcpu ? "vcpu" : "domain";
    char label[XT_LABEL_MAX];

    assert(r->word);
    if ( !v && r->silent.nr )
        v = &r->silent.all[0];
    if ( !v )
        return err_set(e, -ENOENT, "--why %s: %s has no records of this %s; "
                       "xenalyze summary lists all", r->word, p->name, what);
    return err_set(e, -ENOENT, "--why %s: %s has no records of this %s; when "
                   "tracing began, %s %s", r->word, p->name, what,
                   xt_vcpu_label(r->names, v->domain, v->id, label),
                   texts[v->state]);
}

static int why_check(struct report_pass *p, void *state, struct err *e)
{
    const struct why_report *r = state;

    /*
     * Empty tables are complete, unless a vcpu is asked for, and so is a page
     * without a verdict.
     */
    if ( !why_is_requested(p->config) || find_slowest(r) ||
         (p->export && !r->waits.has_domain) )
        return 0;
    if ( !r->waits.nr_vcpus )
        return err_set(e, -ENODATA, "--why: %s has no changes of runstates%s",
                       p->name, p->is_selection
                       ? " in the selected part"
                       : "; capture with xentrace -e sched,hw");
    return refuse_silent(p, r, e);
}

/* --- export --------------------------------------------------------------- */

static void walk_causes(struct export *x, void *state)
{
    const struct why_report *r = state;
    struct verdict_finding findings[WAIT_CAUSES];
    char help[VERDICT_HELP_MAX];

    for ( uint32_t i = 0; i < r->waits.nr_vcpus; i++ )
    {
        const struct wait_vcpu *v = r->waits.vcpus[i];
        size_t n = is_asked(r, v) ? verdict_find(v, findings) : 0;

        for ( size_t k = 0; k < n; k++ )
            EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                       export_text(wait_cause_name(findings[k].cause)),
                       export_number(findings[k].cycles),
                       export_number(findings[k].worst->from),
                       export_number(findings[k].worst->to),
                       export_text(findings[k].rule->name),
                       export_text(findings[k].rule->why),
                       export_text(verdict_write_help(
                           findings[k].rule, r->names, v->domain,
                           VERDICT_HELP_MAX, help)));
    }
}

/* Why there is no verdict: waits are uncertain, or there is nothing wrong. */
static const char *no_verdict(const struct why_report *r,
                              const struct verdict_result *verdict)
{
    if ( !verdict->is_uncertain )
        return "calm";
    return r->disorder->nr_silent ? "pcpus" : "clocks";
}

static void walk_slow_vcpus(struct export *x, void *state)
{
    const struct why_report *r = state;

    for ( uint32_t i = 0; i < r->waits.nr_vcpus; i++ )
    {
        const struct wait_vcpu *v = r->waits.vcpus[i];
        struct verdict_facts f = get_facts(r, v);
        struct verdict_result verdict = verdict_judge(&f);

        if ( !is_asked(r, v) )
            continue;
        EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                   export_text(verdict.rule ? verdict.rule->name
                                            : no_verdict(r, &verdict)),
                   export_text(!verdict.rule ? NULL :
                               verdict.is_stretch ? "stretch" : "trace"),
                   export_number(verdict_known_time(v)),
                   export_number(v->times[STATE_RUNNING]),
                   export_number(v->sums.waited),
                   export_number(v->times[STATE_BLOCKED]),
                   export_number(v->sums.idle_elsewhere),
                   export_number(verdict_lost_time(&f, VERDICT_DEVICE)),
                   export_number(verdict_lost_time(&f, VERDICT_BACKEND)),
                   export_number(verdict_lost_time(&f, VERDICT_INTERRUPTS)),
                   export_number(verdict_lost_time(&f, VERDICT_STALLS)),
                   export_number(verdict_lost_time(&f, VERDICT_SPINS)),
                   export_number(verdict_lost_time(&f, VERDICT_TIMERS)),
                   export_series(&v->waits));
    }
}

static void export_stretch(struct export *x, const struct wait_vcpu *v,
                           const struct verdict_facts *f,
                           enum verdict_loss loss)
{
    const struct stretch_search *s = verdict_find_stretch(f, loss);
    bool is_backend = loss == VERDICT_BACKEND;

    if ( s )
        EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                   export_text(verdict_loss_name(loss)),
                   export_text(verdict_find_stretch_rule(f, loss)->name),
                   export_text(stretch_hurts(s) ? "yes" : "no"),
                   export_number(s->worst.from), export_number(s->worst.to),
                   export_number(s->worst.lost),
                   export_optional(is_backend, is_backend
                                   ? f->backend->worst.domain : 0),
                   export_number(s->nr), export_number(s->length),
                   export_number(s->total_lost));
}

static void walk_stretches(struct export *x, void *state)
{
    const struct why_report *r = state;

    for ( uint32_t i = 0; i < r->waits.nr_vcpus; i++ )
    {
        const struct wait_vcpu *v = r->waits.vcpus[i];
        struct verdict_facts f = get_facts(r, v);

        for ( unsigned int k = 0; is_asked(r, v) && k < VERDICT_LOSSES; k++ )
            export_stretch(x, v, &f, k);
    }
}

static void walk_rivals(struct export *x, void *state)
{
    const struct why_report *r = state;

    for ( uint32_t i = 0; i < r->waits.nr_vcpus; i++ )
        for ( const struct wait_rival *rival = r->waits.vcpus[i]->rivals; rival;
              rival = rival->next )
            if ( is_asked(r, r->waits.vcpus[i]) )
                EXPORT_ROW(x, export_number(r->waits.vcpus[i]->domain),
                           export_number(r->waits.vcpus[i]->id),
                           export_number(rival->domain),
                           export_number(rival->cycles));
}

static void walk_worst(struct export *x, void *state)
{
    const struct why_report *r = state;

    for ( size_t i = 0; i < r->waits.nr_worst; i++ )
        for ( unsigned int k = 0; k < WAIT_CAUSES; k++ )
        {
            const struct wait_worst *w = &r->waits.worst[i];

            assert(k != WAIT_RIVAL || w->has_rival || !w->causes[k]);
            if ( w->causes[k] )
                EXPORT_ROW(x, export_number(w->domain), export_number(w->vcpu),
                           export_number(w->from), export_number(w->to),
                           export_text(wait_cause_name(k)),
                           export_number(w->causes[k]),
                           export_optional(k == WAIT_RIVAL && w->has_rival,
                                           w->rival));
        }
}

static void export_piece(struct export *x, const struct wait_worst *w,
                         const struct wait_piece *p)
{
    char rival[LATENCY_NAME];

    assert(p->from < p->to && p->limited + p->placed <= p->to - p->from);
    snprintf(rival, sizeof(rival), "d%uv%u", p->domain, p->vcpu);
    EXPORT_ROW(x, export_number(w->domain), export_number(w->vcpu),
               export_number(w->from), export_optional(true, p->from),
               export_text(p->has_rival ? rival : wait_cause_name(p->cause)),
               export_number(p->to - p->from), export_number(p->limited),
               export_number(p->placed));
}

static void walk_pieces(struct export *x, void *state)
{
    const struct why_report *r = state;

    for ( size_t i = 0; i < r->waits.nr_worst; i++ )
    {
        const struct wait_worst *w = &r->waits.worst[i];
        const struct wait_pieces *p = &r->waits.pieces[i];

        for ( uint32_t k = 0; k < p->nr; k++ )
            export_piece(x, w, &p->list[k]);
        if ( p->nr_shorter )
            EXPORT_ROW(x, export_number(w->domain), export_number(w->vcpu),
                       export_number(w->from), export_optional(false, 0),
                       export_text("shorter"), export_number(p->shorter),
                       export_number(0), export_number(0));
    }
}

/* A cell without cycles has no row. */
static void export_cell(struct export *x, uint16_t domain, const char *rival,
                        uint64_t cycles)
{
    if ( cycles )
        EXPORT_ROW(x, export_number(domain), export_text(rival),
                   export_number(cycles));
}

static void export_wait_row(struct export *x, const struct wait_matrix_row *row)
{
    char name[LATENCY_NAME];

    assert(row->waited || !row->nr_cells);
    for ( size_t i = 0; i < row->nr_cells; i++ )
    {
        snprintf(name, sizeof(name), "d%u", row->cells[i].domain);
        export_cell(x, row->domain, name, row->cells[i].cycles);
    }
    export_cell(x, row->domain, "others", row->others);
    for ( unsigned int i = 0; i < WAIT_CAUSES; i++ )
        export_cell(x, row->domain, wait_cause_name(i), row->causes[i]);
}

static void walk_domain_waits(struct export *x, void *state)
{
    struct why_report *r = state;
    struct wait_matrix_row row;

    for ( uint32_t i = 0; i < r->waits.nr_vcpus; )
        if ( wait_matrix_next(&r->waits, &i, &row) )
            export_wait_row(x, &row);
}

/* NULL: no interrupt, or an unknown device. */
static const char *find_device(const struct why_report *r,
                               const struct block_source *s,
                               char device[XT_IRQ_TEXT_MAX])
{
    return s->has_irq && r->names &&
           xt_host_irq_device(&r->names->host, s->irq, device) ? device : NULL;
}

static void walk_blocks(struct export *x, void *state)
{
    const struct why_report *r = state;
    char device[XT_IRQ_TEXT_MAX];

    for ( uint32_t i = 0; i < r->blocks.nr_vcpus; i++ )
    {
        const struct block_vcpu *v = r->blocks.vcpus[i];

        for ( const struct block_waker *w = v->wakers; w; w = w->next )
            if ( wait_is_asked(&r->waits, v->domain, v->id) )
                EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                           export_text(block_reason_name(w->source.reason)),
                           export_optional(w->source.has_domain,
                                           w->source.domain),
                           export_optional(w->source.has_irq, w->source.irq),
                           export_text(find_device(r, &w->source, device)),
                           export_series(&w->stats));
    }
}

static void walk_co_stops(struct export *x, void *state)
{
    const struct why_report *r = state;

    for ( uint32_t i = 0; i < r->co_stops.nr_domains; i++ )
    {
        const struct co_stop_domain *d = &r->co_stops.domains[i];
        bool has_co_stop = d->times[DOMAIN_CONCURRENCY_HAZARD];

        if ( d->id == XT_DOMAIN_IDLE ||
             (r->waits.has_domain && d->id != r->waits.domain) )
            continue;
        EXPORT_ROW(x, export_number(d->id), export_number(d->nr_vcpus),
                   export_number(d->times[DOMAIN_FULL_RUN]),
                   export_number(d->times[DOMAIN_PARTIAL_RUN]),
                   export_number(d->times[DOMAIN_CONCURRENCY_HAZARD]),
                   export_number(d->times[DOMAIN_PARTIAL_CONTENTION]),
                   export_number(d->times[DOMAIN_FULL_CONTENTION]),
                   export_number(d->times[DOMAIN_BLOCKED]),
                   export_optional(has_co_stop, d->worst_from),
                   export_optional(has_co_stop, d->worst_to),
                   export_number(d->spins), export_number(d->spins_elsewhere),
                   export_number(d->spun),
                   export_text(co_stop_has_spun(&r->co_stops, d) ? "yes"
                                                                 : "no"));
    }
}

static void walk_stalls(struct export *x, void *state)
{
    const struct why_report *r = state;

    for ( uint32_t i = 0; i < r->stalls.nr_longest; i++ )
    {
        const struct machine_stall *s = &r->stalls.longest[i];

        assert(s->from < s->to && s->pcpus > 1);
        EXPORT_ROW(x, export_number(s->from), export_number(s->to),
                   export_number(s->pcpus));
    }
}

static void walk_silent(struct export *x, void *state)
{
    const struct why_report *r = state;

    for ( uint32_t i = 0; i < r->silent.nr; i++ )
        EXPORT_ROW(x, export_number(r->silent.all[i].domain),
                   export_number(r->silent.all[i].id),
                   export_text(silent_state_name(r->silent.all[i].state)));
}

static void walk_periods(struct export *x, void *state)
{
    const struct why_report *r = state;
    struct period_found found;

    if ( period_find(&r->stalls.period, &found) )
        EXPORT_ROW(x, export_text("stalls"), export_optional(false, 0),
                   export_optional(false, 0), export_number(found.cycles),
                   export_number(found.percent),
                   export_number(stats_events(&r->stalls.period.gaps)));
    for ( uint32_t i = 0; i < r->waits.nr_vcpus; i++ )
    {
        const struct wait_vcpu *v = r->waits.vcpus[i];

        if ( is_asked(r, v) && period_find(&v->period, &found) )
            EXPORT_ROW(x, export_text("waits"),
                       export_optional(true, v->domain),
                       export_optional(true, v->id),
                       export_number(found.cycles),
                       export_number(found.percent),
                       export_number(stats_events(&v->period.gaps)));
    }
}

static const struct export_column stall_columns[] = {
    EXPORT_COLUMN("from", MOMENT, "begin, estimated from the last record"),
    EXPORT_COLUMN("to", MOMENT, "end: the first record of any pcpu"),
    EXPORT_COLUMN("pcpus", COUNT, "pcpus that ran vcpus"),
};

static const struct export_column period_columns[] = {
    EXPORT_COLUMN("what", TEXT, "stalls: of the machine; waits: of the vcpu, "
                  "of 100 us and more"),
    EXPORT_OPTIONAL("domain", DOMAIN, "the domain"),
    EXPORT_OPTIONAL("vcpu", COUNT, "the number of the vcpu in the domain"),
    EXPORT_COLUMN("period", DURATION, "from one to the next"),
    EXPORT_COLUMN("percent", COUNT, "the share of them with this period"),
    EXPORT_COLUMN("times", COUNT, "their number"),
};

static const struct export_column silent_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("state", TEXT, "waiting: for a pcpu, or paused, which Xen "
                  "does not tell apart; blocked; offline; stopped: its domain "
                  "was paused or had shut down"),
};

static const struct export_column co_stop_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_COLUMN("vcpus", COUNT, "the most vcpus that were known together"),
    EXPORT_COLUMN("full_run", DURATION, "all vcpus ran"),
    EXPORT_COLUMN("partial_run", DURATION, "some ran, the rest was blocked"),
    EXPORT_COLUMN("co_stop", DURATION, "some ran while others waited for a "
                  "pcpu: concurrency hazard"),
    EXPORT_COLUMN("partial_contention", DURATION, "some waited, none ran"),
    EXPORT_COLUMN("full_contention", DURATION, "all waited"),
    EXPORT_COLUMN("blocked", DURATION, "all were blocked or offline"),
    EXPORT_OPTIONAL("worst_from", MOMENT, "the longest co-stop began"),
    EXPORT_OPTIONAL("worst_to", MOMENT, "the longest co-stop ended"),
    EXPORT_COLUMN("spins", COUNT, "PAUSE exits and yields in co-stop"),
    EXPORT_COLUMN("spins_elsewhere", COUNT, "PAUSE exits and yields outside"),
    EXPORT_COLUMN("spun", DURATION, "each co-stop from its first PAUSE exit or "
                  "yield on"),
    EXPORT_COLUMN("spinning", TEXT, "yes: vcpus probably spun because others "
                  "of the domain waited; no"),
};

static const struct export_column block_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("reason", TEXT, "timer, sibling, event, emulated, device, "
                  "paused, open or unknown"),
    EXPORT_OPTIONAL("waker", COUNT, "the domain that ended it; absent: none, "
                    "or several"),
    EXPORT_OPTIONAL("irq", COUNT, "the interrupt that ended it, by Xen's "
                    "number; absent: none, or several"),
    EXPORT_OPTIONAL("device", TEXT, "the device of the interrupt"),
    EXPORT_STATISTICS,
};

static const struct export_column slow_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("verdict", TEXT,
                  "calm; clocks: their differences may hide a loss, or be the "
                  "reason for it; pcpus: so may those without records; or the "
                  "rule of the largest cause"),
    EXPORT_OPTIONAL("extent", TEXT, "trace, or stretch: only in a part of the "
                    "trace; absent: calm, clocks or pcpus"),
    EXPORT_COLUMN("known", DURATION, "the time in which its state is known"),
    EXPORT_COLUMN("ran", DURATION, "it ran"),
    EXPORT_COLUMN("waited", DURATION, "it waited: the sum of its causes"),
    EXPORT_COLUMN("blocked", DURATION, "it was blocked"),
    EXPORT_COLUMN("idle_elsewhere", DURATION, "others ran on its pcpu while "
                  "any other pcpu was idle"),
    EXPORT_COLUMN("emulated", DURATION, "emulated devices took, without its "
                  "waits for a pcpu"),
    EXPORT_COLUMN("backend", DURATION, "it was blocked for I/O while the "
                  "backend waited for a pcpu"),
    EXPORT_COLUMN("interrupts", DURATION, "Xen handled interrupts while it "
                  "ran"),
    EXPORT_COLUMN("stalls", DURATION, "the whole machine stood still while it "
                  "ran"),
    EXPORT_COLUMN("spins", DURATION, "it ran, but probably spun, since others "
                  "of its domain waited for a pcpu"),
    EXPORT_COLUMN("timers", DURATION, "it was blocked after its timer was due"),
    EXPORT_STATISTICS,
};

static const struct export_column cause_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("cause", TEXT, "rival, sibling, cap, ratelimit, placement, "
                  "sleep, xen, idle, lost or unknown"),
    EXPORT_COLUMN("waited", DURATION, "the time with this cause"),
    EXPORT_COLUMN("worst_from", MOMENT, "the wait with most of it began"),
    EXPORT_COLUMN("worst_to", MOMENT, "the wait with most of it ended"),
    EXPORT_COLUMN("rule", TEXT, "the rule of the verdict"),
    EXPORT_COLUMN("why", TEXT, "the cause in words"),
    EXPORT_COLUMN("helps", TEXT, "what usually helps"),
};

static const struct export_column stretch_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("loss", TEXT, "what took its time: waits, emulated, "
                  "backend, interrupts or stalls"),
    EXPORT_COLUMN("rule", TEXT, "the rule of the largest cause"),
    EXPORT_COLUMN("hurts", TEXT, "yes: a problem; no"),
    EXPORT_COLUMN("from", MOMENT, "begin of the worst stretch"),
    EXPORT_COLUMN("to", MOMENT, "end of the worst stretch"),
    EXPORT_COLUMN("lost", DURATION, "the time that the vcpu lost in it"),
    EXPORT_OPTIONAL("backend", COUNT, "the domain that serves its I/O"),
    EXPORT_COLUMN("stretches", COUNT, "stretches that hurt"),
    EXPORT_COLUMN("length", DURATION, "the length of all of these"),
    EXPORT_COLUMN("total_lost", DURATION, "the time lost in all of these"),
};

static const struct export_column rival_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("rival", COUNT, "another domain"),
    EXPORT_COLUMN("ran", DURATION, "the time that it ran on the pcpu"),
};

static const struct export_column worst_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("from", MOMENT, "begin of the wait"),
    EXPORT_COLUMN("to", MOMENT, "end of the wait"),
    EXPORT_COLUMN("cause", TEXT, "as in why_causes"),
    EXPORT_COLUMN("waited", DURATION, "the part of the wait with this cause"),
    EXPORT_OPTIONAL("rival", COUNT, "the domain that ran longest"),
};

static const struct export_column domain_wait_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_COLUMN("pcpu_use", TEXT, "what had the pcpu: a domain as d1, which "
                  "may be the same one; others: the smaller ones, of a vcpu "
                  "with more than 64; or, as in why_causes, cap, sleep, xen, "
                  "idle, lost or unknown"),
    EXPORT_COLUMN("waited", DURATION, "the time that vcpus of the domain "
                  "waited meanwhile"),
};

static const struct export_column piece_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("wait", MOMENT, "begin of the wait"),
    EXPORT_OPTIONAL("from", MOMENT, "begin of the piece; absent: shorter "
                    "pieces"),
    EXPORT_COLUMN("pcpu_use", TEXT, "what had the pcpu: a vcpu as d1v0; or, as "
                  "in why_causes, cap, sleep, xen, idle, lost or unknown; or "
                  "shorter: all pieces but the 16 longest"),
    EXPORT_COLUMN("waited", DURATION, "the length of the piece"),
    EXPORT_COLUMN("ratelimit", DURATION, "the part with this cause"),
    EXPORT_COLUMN("placement", DURATION, "the part with this cause"),
};

/* The texts of the columns name these numbers. */
_Static_assert(WAIT_RIVALS == 64, "column pcpu_use");
_Static_assert(WAIT_PIECES == 16, "column pcpu_use");

static const struct export_table why_tables[] = {
    { "why_vcpus", "Verdict on each vcpu, and its waits (--why).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(slow_columns), walk_slow_vcpus },
    { "why_causes", "Time that vcpus waited, by cause (--why).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(cause_columns), walk_causes },
    { "why_stretches", "Worst parts of the trace, by loss (--why).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(stretch_columns), walk_stretches },
    { "why_rivals", "Domains that ran while a vcpu waited (--why).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(rival_columns), walk_rivals },
    { "why_domain_waits", "Time that vcpus of a domain waited, by what had the "
      "pcpu (--why).  The times add up to the waiting time.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(domain_wait_columns),
      walk_domain_waits },
    { "why_waits", "The longest waits of the vcpus asked for, by cause "
      "(--why): 10, or the number given with --top, at most 100.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(worst_columns), walk_worst },
    { "why_pieces", "The same waits in pieces, in the order of time (--why).  "
      "The pieces of a wait add up to its length.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(piece_columns), walk_pieces },
    { "why_blocks", "Time that vcpus were blocked, by reason (--why).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(block_columns), walk_blocks },
    { "why_domains", "How the vcpus of a domain got pcpus together (--why).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(co_stop_columns), walk_co_stops },
    { "why_stalls", "The longest times in which the whole machine stood still "
      "(--why).", EXPORT_IN_TABLES, EXPORT_COLUMNS(stall_columns),
      walk_stalls },
    { "why_periods", "Regular periods of stalls and long waits (--why).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(period_columns), walk_periods },
    { "why_silent", "Vcpus without records, and their states when tracing "
      "began (--why).", EXPORT_IN_TABLES, EXPORT_COLUMNS(silent_columns),
      walk_silent },
    { .name = NULL },
};

const struct report report_why = {
    .name = "why", .is_requested = why_is_requested, .open = why_open,
    .needs_all = "--why compares a vcpu with all others: name the vcpu or the "
                 "domain without an option, as in why web1",
    .close = why_close, .print = why_print, .tables = { why_tables },
    .check = why_check, .has_failed = why_has_failed, .free = why_free,
};
