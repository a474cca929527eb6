/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All lines are from metadata of the collector.  A value that is not in the
 * trace is "-".
 */
#include "xenalyze/lines/file-host.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include <public/trace.h>

#include "common/utf8.h"
#define NAME_WIDTH 16           /* column of names */

/* --- lines ---------------------------------------------------------------- */

static const char *plural(unsigned int nr)
{
    return nr == 1 ? "" : "s";
}

static void print_pool_time(const char *name, uint32_t us, FILE *out)
{
    if ( us != UINT32_MAX )
        fprintf(out, ", %s %" PRIu32 " us", name, us);
}

static void print_pool(const struct xt_host *h,
                       const struct xt_rec_meta_pool *p, FILE *out)
{
    const struct xt_rec_meta_pool_times *times = xt_host_pool_times(h,
                                                                    p->pool);
    const char *name = xt_scheduler_name(p->scheduler);

    if ( name )
        fprintf(out, "  scheduler: %s", name);
    else
        fprintf(out, "  scheduler: number %" PRIu32, p->scheduler);
    fprintf(out, ", pool %" PRIu32 " of %" PRIu32 " pcpu%s", p->pool, p->cpus,
            plural(p->cpus));
    if ( times )
    {
        print_pool_time("time slice", times->timeslice, out);
        print_pool_time("rate limit", times->ratelimit, out);
        print_pool_time("migration delay", times->migration_delay, out);
    }
    putc('\n', out);
}

int file_host_print(const struct xt_host *h, FILE *out)
{
    const struct xt_meta *m = NULL;
    struct xt_topology t;
    int rc = xt_host_count_units(h, &t);

    while ( (m = xt_host_next(h, TRC_META_POOL, m)) )
        print_pool(h, &m->pool, out);
    if ( t.cpus )
        fprintf(out, "  topology: %u pcpu%s, %u core%s, %u socket%s, %u "
                "node%s\n", t.cpus, plural(t.cpus), t.cores, plural(t.cores),
                t.sockets, plural(t.sockets), t.nodes, plural(t.nodes));
    return rc;
}

/* --- domains -------------------------------------------------------------- */

/* "0-3 (prefers 2)" of a vcpu, or of XT_VCPU_OTHERS; "": unknown. */
#define AFFINITY_MAX (2 * XT_AFFINITY_TEXT_MAX + 16)

static void format_affinity(const struct xt_host *h, unsigned int domain,
                            unsigned int vcpu, char text[AFFINITY_MAX])
{
    char hard[XT_AFFINITY_TEXT_MAX] = "", soft[XT_AFFINITY_TEXT_MAX];

    xt_host_affinity_text(h, domain, vcpu, XT_AFFINITY_HARD, hard);
    if ( xt_host_affinity_text(h, domain, vcpu, XT_AFFINITY_SOFT, soft) )
        snprintf(text, AFFINITY_MAX, "%s%s(prefers %s)", hard,
                 *hard ? " " : "", soft);
    else
        snprintf(text, AFFINITY_MAX, "%s", hard);
}

/* Vcpus in a row, or XT_VCPU_OTHERS, with the same affinity. */
struct pinned_vcpus
{
    int first, last;
    char text[AFFINITY_MAX];
};

/* Fill in the range that begins with `vcpu`.  Returns the vcpu behind it. */
static int find_range(const struct xt_host *h, unsigned int domain, int vcpu,
                      struct pinned_vcpus *range)
{
    char text[AFFINITY_MAX];

    range->first = vcpu;
    format_affinity(h, domain, vcpu, range->text);
    do
    {
        range->last = vcpu;
        vcpu = xt_host_next_pinned(h, domain, vcpu + 1);
        if ( vcpu == range->last + 1 && vcpu < XT_VCPU_OTHERS )
            format_affinity(h, domain, vcpu, text);
    }
    while ( vcpu == range->last + 1 && vcpu < XT_VCPU_OTHERS &&
            !strcmp(text, range->text) );
    return vcpu;
}

static void print_range(const struct pinned_vcpus *range, bool has_all,
                        FILE *out)
{
    if ( has_all )
        fputs("all: ", out);
    else if ( range->first == XT_VCPU_OTHERS )
        fputs("others: ", out);
    else if ( range->first == range->last )
        fprintf(out, "v%d: ", range->first);
    else
        fprintf(out, "v%d-v%d: ", range->first, range->last);
    fputs(range->text, out);
}

/* "all: 0-1", "v0-v3: 0-1; others: all"; "any": no vcpu is pinned. */
static void print_affinity(const struct xt_host *h,
                           const struct xt_rec_meta_domain *d, FILE *out)
{
    int vcpu = xt_host_next_pinned(h, d->dom, 0);
    struct pinned_vcpus range;
    unsigned int nr = 0;        /* vcpus with records of their own */

    fputs(vcpu < 0 ? "  -" : "  ", out);
    while ( vcpu >= 0 && (vcpu < XT_VCPU_OTHERS || !nr || nr < d->vcpus) )
    {
        bool is_first = !nr;
        bool has_all;

        vcpu = find_range(h, d->dom, vcpu, &range);
        if ( range.first < XT_VCPU_OTHERS )
            nr += range.last - range.first + 1;
        has_all = is_first && (range.first == XT_VCPU_OTHERS ||
                               (!range.first && nr >= d->vcpus));
        fputs(is_first ? "" : "; ", out);
        if ( has_all && !strcmp(range.text, "all") )
            fputs("any", out);
        else
            print_range(&range, has_all, out);
    }
}

static void print_weight(const struct xt_rec_meta_domain_weight *w, FILE *out)
{
    if ( !w )
        fprintf(out, " %6s %5s", "-", "-");
    else if ( w->cap )
        fprintf(out, " %6" PRIu32 " %4" PRIu32 "%%", w->weight, w->cap);
    else
        fprintf(out, " %6" PRIu32 " %5s", w->weight, "none");
}

/* May row number `nr` of a table be printed? */
static bool admits_row(const struct report_request *request, size_t nr)
{
    assert(request->style == STYLE_TABLE || !request->top);
    return sort_limit(request, nr + 1) > nr;
}

static void print_uuid(const struct xt_host *h, unsigned int domain, FILE *out)
{
    const struct xt_rec_meta_domain_uuid *uuid = xt_host_uuid(h, domain);
    char text[XT_UUID_TEXT] = "-";

    if ( uuid )
        xt_uuid_format(uuid, text);
    fprintf(out, "  %-36s", text);
}

/* The UUID stands in the same row (STYLE_STOCK), or in a table of its own. */
static void print_domain_row(const struct xt_host *h,
                             const struct xt_domain_names *names,
                             const struct xt_rec_meta_domain *d,
                             bool is_table, FILE *out)
{
    const char *name = xt_domain_name(names, d->dom);
    char id[8], label[XT_LABEL_MAX];

    if ( name && is_table )
        name = xt_domain_column(names, d->dom, NAME_WIDTH, label);
    snprintf(id, sizeof(id), "d%u", d->dom);
    name = name ? name : "-";
    fprintf(out, "%6s %-*s %-4s %5u", id, utf8_width(name, NAME_WIDTH), name,
            xt_host_domain_type(d), d->vcpus);
    print_weight(xt_host_weight(h, d->dom), out);
    if ( !is_table )
        print_uuid(h, d->dom, out);
    print_affinity(h, d, out);
    putc('\n', out);
}

static void print_domain_table(const struct xt_host *h,
                               const struct xt_domain_names *names,
                               const struct report_request *request, FILE *out)
{
    const struct xt_meta *m = xt_host_next(h, TRC_META_DOMAIN, NULL);
    bool is_table = request->style == STYLE_TABLE;

    if ( m )
        fprintf(out, "\ndomain %-*s %-4s %5s %6s %5s  %-*s%s\n",
                NAME_WIDTH, "name", "type", "vcpus", "weight", "cap",
                is_table ? 0 : 38, is_table ? "" : "uuid",
                "affinity (vcpus: pcpus)");
    for ( size_t nr = 0; m && admits_row(request, nr); nr++ )
    {
        print_domain_row(h, names, &m->domain, is_table, out);
        m = xt_host_next(h, TRC_META_DOMAIN, m);
    }
}

/* Whole names, of any length: this table is where a cut name is looked up. */
static void print_uuid_table(const struct xt_host *h,
                             const struct xt_domain_names *names,
                             const struct report_request *request, FILE *out)
{
    const struct xt_meta *m = xt_host_next(h, TRC_META_DOMAIN, NULL);
    char id[8], name[XT_WHOLE_NAME_MAX];

    if ( m )
        fprintf(out, "\ndomain  %-36s  name\n", "uuid");
    for ( size_t nr = 0; m && admits_row(request, nr); nr++ )
    {
        snprintf(id, sizeof(id), "d%u", m->domain.dom);
        fprintf(out, "%6s", id);
        print_uuid(h, m->domain.dom, out);
        fprintf(out, "  %s\n", xt_domain_whole_name(names, m->domain.dom,
                                                     name));
        m = xt_host_next(h, TRC_META_DOMAIN, m);
    }
}

static void print_budgets(const struct xt_host *h,
                          const struct report_request *request, FILE *out)
{
    const struct xt_meta *m = xt_host_next(h, TRC_META_VCPU_BUDGET, NULL);

    if ( m )
        fprintf(out, "\nvcpu            budget us    period us  extra time\n");
    for ( size_t nr = 0; m && admits_row(request, nr); nr++ )
    {
        const struct xt_rec_meta_vcpu_budget *b = &m->vcpu_budget;
        char id[16];

        snprintf(id, sizeof(id), "d%uv%u", b->dom, b->vcpu);
        fprintf(out, "%-12s %12" PRIu32 " %12" PRIu32 "  %s\n", id, b->budget,
                b->period, b->extra ? "yes" : "no");
        m = xt_host_next(h, TRC_META_VCPU_BUDGET, m);
    }
}

/* --- interrupts ----------------------------------------------------------- */

static void print_interrupts(const struct xt_host *h,
                             const struct report_request *request, FILE *out)
{
    const struct xt_meta *m = NULL;
    char text[XT_IRQ_TEXT_MAX];
    size_t nr = 0;

    while ( (m = xt_host_next(h, TRC_META_IRQ_NAME, m)) )
    {
        if ( m->irq_name.part ||
             !xt_host_irq_device(h, m->irq_name.irq, text) )
            continue;
        if ( !admits_row(request, nr) )
            break;
        fprintf(out, "%s%6u %s\n", nr++ ? "" : "\n   irq device\n",
                m->irq_name.irq, text);
    }
}

void file_host_print_tables(const struct xt_host *h,
                            const struct xt_domain_names *names,
                            const struct report_request *request, FILE *out)
{
    print_domain_table(h, names, request, out);
    if ( request->style == STYLE_TABLE )
        print_uuid_table(h, names, request, out);
    print_budgets(h, request, out);
    print_interrupts(h, request, out);
    if ( h->is_full )
        fputs("\nThe trace describes more domains and vcpus than are kept; the "
              "rest is left out.\n", out);
}
