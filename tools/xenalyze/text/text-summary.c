/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary in output order.  Stock prints headings without a line below
 * them, and scripts depend on these headings, so empty sections keep their
 * headings.
 */
#include "xenalyze/text/text-private.h"

#include <assert.h>
#include <inttypes.h>

#include "xenalyze/model/model.h"
#include "xenalyze/text/text.h"

/* Formats "2.40 GHz" like stock: a value equal to a unit uses the next one. */
static void print_hz(FILE *out, uint64_t hz)
{
    static const struct { uint64_t more_than; const char *unit; } units[] = {
        { 1000000000, "G" }, { 1000000, "M" }, { 1000, "k" }, { 0, " " },
    };
    unsigned int i = 0;

    while ( units[i].more_than && hz <= units[i].more_than )
        i++;
    assert(i < sizeof(units) / sizeof(units[0]));
    fprintf(out, "%1.2f %sHz", (double)hz /
            (double)(units[i].more_than ? units[i].more_than : 1),
            units[i].unit);
}

static void print_head(const struct text *t)
{
    fprintf(t->out, "Total time: %.2f seconds (using cpu speed ",
            stats_seconds(&t->scale, t->summary->total));
    print_hz(t->out, t->summary->hz);
    fprintf(t->out, ")\n");
}

static void print_domain_states(const struct text *t,
                                const struct summary_domain *d)
{
    char name[32];

    fprintf(t->out, "|-- Domain %u --|\n Runstates:\n", d->id);
    for ( unsigned int i = 0; d->sched && i < DOMAIN_STATES; i++ )
    {
        snprintf(name, sizeof(name), "  %8s", domain_state_name(i));
        stats_line_time(t->out, &t->scale, name, &d->sched->state[i]);
    }
}

static void print_whys(const struct text *t, const struct summary_sched *v)
{
    char name[32];

    for ( unsigned int i = WHY_WAKE; i <= WHY_OTHER; i++ )
    {
        snprintf(name, sizeof(name), "    %8s", why_name(i));
        stats_line_time(t->out, &t->scale, name, &v->by_reason[i]);
    }
}

static void print_states(const struct text *t, const struct summary_sched *v)
{
    char name[32];

    for ( unsigned int i = 0; i < STATES; i++ )
    {
        snprintf(name, sizeof(name), "  %8s", state_name(i));
        stats_line_time(t->out, &t->scale, name, &v->state[i]);
        if ( i == STATE_RUNNABLE )
            print_whys(t, v);
    }
}

static void print_stays(const struct text *t, const struct summary_sched *v)
{
    struct stats_row **rows = stats_map_by_key(&v->by_pcpu, &t->summary->pool);
    size_t n = sort_map(t->request, &t->summary->pool, rows, v->by_pcpu.used,
                        false);
    char name[32];

    stats_line_spread(t->out, &t->scale, " cpu affinity", &v->residency);
    for ( size_t i = 0; i < n; i++ )
    {
        snprintf(name, sizeof(name), "   [%" PRIu64 "]", rows[i]->key);
        stats_line_spread(t->out, &t->scale, name, &rows[i]->stats);
    }
}

static void print_vcpu(const struct text *t, const struct summary_vcpu *v)
{
    fprintf(t->out, "-- v%u --\n Runstates:\n", v->id);
    if ( v->sched )
    {
        print_states(t, v->sched);
        print_stays(t, v->sched);
    }
    if ( v->hvm )
        text_hvm(t, v);
    if ( v->pv )
        text_pv(t, v->pv);
}

static void print_eips(const struct text *t, const struct summary_domain *d)
{
    fprintf(t->out, "Emulate eip list\n");
    text_eips(t, &d->emulated);
    if ( !t->request->eips )
        return;
    fprintf(t->out, "Interrupt eip list (vector %u)\n",
            t->request->eip_vector);
    text_eips(t, &d->hit);
}

/*
 * The request for lists of blocks, of which there are `nr`.  (Tables in a block
 * have the request of the summary.)
 */
static struct report_request request_blocks(const struct text *t, uint32_t nr)
{
    struct report_request r = *t->request;

    if ( r.fits_screen )
        r.top = nr > r.top ? TEXT_BLOCKS : nr;
    return r;
}

static struct report_request request_domains(const struct text *t)
{
    return request_blocks(t, t->summary->nr_domains + t->summary->nr_vcpus);
}

/* On a terminal: the number of blocks that are left out. */
static void print_left_out(const struct text *t, const char *format,
                           size_t nr)
{
    if ( t->request->fits_screen && nr )
        fprintf(t->out, format, nr);
}

static uint32_t count_domain_vcpus(const struct summary *b, uint32_t domain)
{
    uint32_t nr = 0;

    for ( uint32_t i = 0; i < b->nr_vcpus; i++ )
        nr += b->vcpus[i]->domain == domain;
    return nr;
}

static void print_domain(const struct text *t, const struct summary_domain *d)
{
    const struct report_request request = request_domains(t);
    struct text blocks = *t;
    struct sort_row *vcpus;
    size_t n;

    blocks.request = &request;
    vcpus = text_vcpus(&blocks, d->id, &n);
    print_domain_states(t, d);
    text_memory(t, summary_get_memory(d));
    for ( size_t i = 0; i < n; i++ )
        print_vcpu(t, t->summary->vcpus[vcpus[i].index]);
    if ( vcpus && t->request->fits_screen )
        print_left_out(t, "-- %zu more vcpus --\n",
                       count_domain_vcpus(t->summary, d->id) - n);
    print_eips(t, d);
    text_cr3(t, d->id);
}

static const struct summary_vcpu *default_vcpu(const struct summary *b,
                                               uint32_t id)
{
    for ( uint32_t v = 0; v < b->nr_vcpus; v++ )
        if ( b->vcpus[v]->domain == XT_DOMAIN_DEFAULT && b->vcpus[v]->id == id )
            return b->vcpus[v];
    return NULL;
}

/*
 * The default domain stands for the vcpus that run before a record names a
 * vcpu. Printed on request, or if the trace has no other domain.
 */
static void print_default(const struct text *t)
{
    const struct summary *b = t->summary;
    bool known = b->nr_domains &&
                 b->domains[b->nr_domains - 1]->id == XT_DOMAIN_DEFAULT;

    if ( !t->request->show_default && (!known || b->nr_domains > 1) )
        return;
    fprintf(t->out, "|-- Default domain --|\n");
    for ( uint32_t i = 0; i < b->nr_pcpus; i++ )
    {
        const struct summary_vcpu *v = default_vcpu(b, b->pcpus[i]->id);

        if ( v )
            print_vcpu(t, v);
        else if ( t->request->show_default )
            fprintf(t->out, "-- v%u --\n Runstates:\n", b->pcpus[i]->id);
    }
}

/* Domains but for the default domain, which is the last. */
static uint32_t count_domains(const struct summary *b)
{
    return b->nr_domains - (b->nr_domains && b->domains[b->nr_domains - 1]->id
                                             == XT_DOMAIN_DEFAULT);
}

static void print_domains(const struct text *t)
{
    const struct report_request request = request_domains(t);
    struct text blocks = *t;
    struct sort_row *domains;
    size_t n;

    blocks.request = &request;
    domains = text_domains(&blocks, &n);
    print_default(t);
    for ( size_t i = 0; i < n; i++ )
        print_domain(t, t->summary->domains[domains[i].index]);
    if ( domains )
        print_left_out(t, "|-- %zu more domains --|\n",
                       count_domains(t->summary) - n);
}

static void print_volumes(const struct text *t)
{
    const uint32_t nr = t->summary->nr_pcpus;
    const struct report_request request = request_blocks(t, nr);
    struct text blocks = *t;

    blocks.request = &request;
    fprintf(t->out, "--- Log volume summary ---\n");
    if ( t->request->selects_domains )
        fprintf(t->out, " of all domains\n");
    text_volumes(&blocks);
    if ( nr > request.top )
        print_left_out(t, " - %zu more pcpus -\n", nr - request.top);
}

struct text text_of(struct summary *summary,
                    const struct report_request *request,
                    FILE *out)
{
    assert(summary->closed);
    return (struct text){
        .out = out,
        .summary = summary,
        .request = request,
        .scale = { .hz = summary->hz, .total = summary->total,
                   .samples = request->sample_size && !summary->pool.failed },
    };
}

void text_print_summary(struct summary *summary,
                        const struct report_request *request, FILE *out)
{
    const struct text t = text_of(summary, request, out);

    print_head(&t);
    print_volumes(&t);
    print_domains(&t);
}

void text_print_quality(struct summary *summary,
                        const struct report_request *request, FILE *out)
{
    const struct text t = text_of(summary, request, out);

    text_shares(&t);
    text_quality(&t);
}

/* The lines of stock. */
static void print_pcpu_lines(const struct text *t)
{
    static const char *const names[PCPU_STATES] = {
        " running", "    idle", "    lost", " unknown",
    };
    const struct summary *b = t->summary;
    unsigned int active = 0;
    size_t n;
    struct sort_row *rows = text_pcpus(t, &n);

    for ( size_t i = 0; i < n; i++ )
    {
        const struct summary_pcpu *p = b->pcpus[rows[i].index];

        fprintf(t->out, "pcpu %u\n", p->id);
        for ( unsigned int s = 0; s < PCPU_UNKNOWN; s++ )
            stats_line_time(t->out, &t->scale, names[s], &p->state[s]);
    }
    for ( uint32_t i = 0; i < b->nr_pcpus; i++ )
        active += b->pcpus[i]->state[PCPU_RUNNING].count != 0;
    fprintf(t->out, "Total active cpus: %u\n", active);
}

void text_print_pcpus(struct summary *summary,
                      const struct report_request *request, FILE *out)
{
    const struct text t = text_of(summary, request, out);

    assert(request->style <= STYLE_TABLE);
    if ( request->style == STYLE_STOCK )
    {
        print_pcpu_lines(&t);
        return;
    }
    fprintf(out, "--- Time of each pcpu (%%) ---\n");
    text_pcpu_shares(&t);
    if ( summary->nr_pcpus > 1 )
        text_pcpu_sum(&t);
}
