/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-interrupts: how long interrupts and events took from their cause to
 * the guest, which part took the time, and what their handlers cost.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/utf8.h"
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

struct interrupts
{
    struct interrupt_paths paths;
    struct interrupt_load load;
    const struct report_request *request;
};

/* A row of the text: a wake-up path of a vcpu. */
struct path_row
{
    const struct block_vcpu *vcpu;
    const struct block_waker *waker;
};

/* Another row: a vector of a vcpu. */
struct vector_row
{
    const struct path_vcpu *vcpu;
    const struct stats_row *vector;
};

static bool interrupts_are_requested(const struct report_config *c)
{
    return c->interrupts;
}

static int interrupts_open(struct report_pass *p, void **state, struct err *e)
{
    struct interrupts *s = *state = fault_calloc(1, sizeof(*s));
    struct sink sinks[INTERRUPT_PATH_SINKS];

    (void)e;
    if ( !s )
        return -ENOMEM;
    s->request = &p->request;
    interrupt_paths_init(&s->paths);
    interrupt_load_init(&s->load);
    interrupt_paths_get_sinks(&s->paths, sinks);
    for ( size_t i = 0; i < INTERRUPT_PATH_SINKS; i++ )
        report_add_sink(p, sinks[i]);
    report_add_sink(p, interrupt_load_sink(&s->load));
    return 0;
}

static bool interrupts_have_failed(const void *state)
{
    const struct interrupts *s = state;

    return s->paths.failed || s->paths.pool.failed ||
           s->paths.blocks.failed || s->paths.blocks.pool.failed ||
           s->load.failed || s->load.pool.failed;
}

static void interrupts_free(void *state)
{
    struct interrupts *s = state;

    if ( s )
    {
        interrupt_paths_fini(&s->paths);
        interrupt_load_fini(&s->load);
    }
    free(s);
}

static int interrupts_close(struct report_pass *p, void *state)
{
    struct interrupts *s = state;

    assert(s->request == &p->request);
    interrupt_paths_close(&s->paths);
    interrupt_load_close(&s->load);
    return 0;
}

/* NULL: the trace does not name the device. */
static const char *find_irq_device(const struct interrupts *s, uint64_t irq,
                                   char device[XT_IRQ_TEXT_MAX])
{
    const struct xt_domain_names *names = s->request->names;

    return names && irq <= UINT32_MAX &&
           xt_host_irq_device(&names->host, (uint32_t)irq, device)
           ? device : NULL;
}

/* --- text ----------------------------------------------------------------- */

#define VCPU_WIDTH 12u
#define CAUSE_WIDTH 15
#define COUNT_WIDTH 7u
#define CAUSE_MAX (XT_IRQ_TEXT_MAX + XT_LABEL_MAX)

static void irq_text(const struct interrupts *s, uint64_t irq,
                     char text[CAUSE_MAX])
{
    char device[XT_IRQ_TEXT_MAX];

    if ( find_irq_device(s, irq, device) )
        snprintf(text, CAUSE_MAX, "%" PRIu64 " %s", irq, device);
    else
        snprintf(text, CAUSE_MAX, "%" PRIu64, irq);
}

static void print_cause(const char *cause, FILE *out)
{
    char text[CAUSE_WIDTH + 1];

    utf8_shorten(cause, CAUSE_WIDTH, text);
    fprintf(out, " %-*s", utf8_width(text, CAUSE_WIDTH), text);
}

static void print_rows_left(size_t left, FILE *out)
{
    if ( left )
        fprintf(out, " and %zu more row%s\n", left, num_plural(left));
}

/* The interrupt with most of the time, or "several". */
static void vote_text(const struct interrupts *s, const struct load_vote *v,
                      uint64_t all_cycles, char text[CAUSE_MAX])
{
    if ( load_vote_is_clear(v, all_cycles) )
        irq_text(s, v->irq, text);
    else
        snprintf(text, CAUSE_MAX, "several");
}

static void cause_text(const struct interrupts *s,
                       const struct block_source *source,
                       char text[CAUSE_MAX])
{
    char name[CAUSE_MAX];

    assert(!source->has_irq || !source->has_domain);
    if ( source->has_irq )
    {
        irq_text(s, source->irq, name);
        snprintf(text, CAUSE_MAX, "irq %.*s", CAUSE_MAX - 5, name);
    }
    else if ( source->has_domain )
    {
        xt_domain_column(s->request->names, source->domain, CAUSE_WIDTH, name);
        snprintf(text, CAUSE_MAX, "%.*s", CAUSE_MAX - 1, name);
    }
    else
        snprintf(text, CAUSE_MAX, "%s", block_reason_name(source->reason));
}

static void print_vcpu(const struct interrupts *s, uint16_t domain,
                       uint16_t id, FILE *out)
{
    char name[XT_LABEL_MAX];

    xt_vcpu_column(s->request->names, domain, id, VCPU_WIDTH, name);
    fprintf(out, " %-*s", utf8_width(name, VCPU_WIDTH), name);
}

/* Number, median, 99th percentile, maximum. */
static void print_lengths(const struct interrupts *s, const struct stats *stats,
                          FILE *out)
{
    const uint64_t columns[] = {
        stats_percentile(stats, 50), stats_percentile(stats, 99), stats->max,
    };
    char text[NUM_CLOCK_MAX];

    assert(stats_events(stats));
    *num_u64_fit(text, stats_events(stats), COUNT_WIDTH) = '\0';
    fprintf(out, " %s", text);
    for ( size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++ )
        fprintf(out, " %8s", text_duration(&s->load.clock, columns[i], text));
}

static void print_path(const struct interrupts *s, const struct path_row *row,
                       FILE *out)
{
    const struct wake_path *path = row->waker->path;
    char cause[CAUSE_MAX];

    assert(path && path->elsewhere <= stats_events(&path->whole));
    cause_text(s, &row->waker->source, cause);
    print_vcpu(s, row->vcpu->domain, row->vcpu->id, out);
    print_cause(cause, out);
    print_lengths(s, &path->whole, out);
    for ( unsigned int i = 0; i < PATH_PARTS; i++ )
        fprintf(out, " %3.0f", stats_share(path->parts[i].sum,
                                           path->whole.sum));
    fprintf(out, " %3.0f\n", stats_share(path->elsewhere,
                                         stats_events(&path->whole)));
}

static bool has_path(const struct block_waker *w)
{
    return w->path && stats_events(&w->path->whole);
}

static size_t count_paths(const struct interrupts *s)
{
    size_t n = 0;

    for ( uint32_t i = 0; i < s->paths.blocks.nr_vcpus; i++ )
        for ( const struct block_waker *w = s->paths.blocks.vcpus[i]->wakers;
              w; w = w->next )
            n += has_path(w);
    return n;
}

static void collect_paths(const struct interrupts *s, struct path_row *rows,
                          struct sort_row *order)
{
    size_t n = 0;

    for ( uint32_t i = 0; i < s->paths.blocks.nr_vcpus; i++ )
        for ( const struct block_waker *w = s->paths.blocks.vcpus[i]->wakers;
              w; w = w->next )
            if ( has_path(w) )
            {
                rows[n] = (struct path_row){ s->paths.blocks.vcpus[i], w };
                order[n] = (struct sort_row){
                    sort_value(s->request->sort, &w->path->whole), n };
                n++;
            }
}

/* The longest path, as an argument for --time. */
static void print_longest(const struct interrupts *s,
                          const struct path_row *rows, size_t n, FILE *out)
{
    const struct stats *longest = NULL;

    for ( size_t i = 0; i < n; i++ )
        if ( !longest || rows[i].waker->path->whole.max > longest->max )
            longest = &rows[i].waker->path->whole;
    if ( !longest )
        return;
    fprintf(out, " longest: ");
    text_print_span(&s->load.clock, longest->max_at,
                    longest->max_at + longest->max, out);
    fprintf(out, "\n");
}

static int print_paths(struct interrupts *s, FILE *out)
{
    size_t n = count_paths(s), shown;
    struct path_row *rows = arena_array(&s->load.pool.arena, n + 1,
                                        sizeof(*rows), 8);
    struct sort_row *order = arena_array(&s->load.pool.arena, n + 1,
                                         sizeof(*order), 8);

    if ( !rows || !order )
        return -ENOMEM;
    collect_paths(s, rows, order);
    shown = sort_rows(s->request, order, n);
    assert(shown <= n);
    fprintf(out, "--- Wake-ups: from the interrupt or event to the guest, "
            "parts in percent ---\n"
            " %-*s %-*s %*s %8s %8s %8s %3s %3s %3s %3s\n",
            VCPU_WIDTH, "vcpu", CAUSE_WIDTH, "woken by", COUNT_WIDTH, "times",
            "p50", "p99", "max", "Xen", "wai", "ent", "far");
    for ( size_t i = 0; i < shown; i++ )
        print_path(s, &rows[order[i].index], out);
    print_rows_left(n - shown, out);
    print_longest(s, rows, n, out);
    if ( !n )
        fprintf(out, " No vcpu was woken; capture with xentrace -e "
                "sched,hvm,hw:irq.\n");
    return 0;
}

/* Returns the number of rows; without `rows` they are only counted. */
static size_t collect_vectors(struct interrupts *s, struct vector_row *rows,
                              struct sort_row *order)
{
    size_t n = 0;

    for ( uint32_t i = 0; i < s->paths.nr_vcpus; i++ )
    {
        struct path_vcpu *v = s->paths.vcpus[i];
        struct stats_row **all = rows ? stats_map_by_key(&v->vectors,
                                                         &s->paths.pool) : NULL;

        assert(v->vectors.used <= BLOCK_VECTORS);
        for ( size_t k = 0; all && k < v->vectors.used; k++ )
        {
            rows[n + k] = (struct vector_row){ v, all[k] };
            order[n + k] = (struct sort_row){
                sort_value(s->request->sort, &all[k]->stats), n + k };
        }
        n += !rows || all ? v->vectors.used : 0;
    }
    return n;
}

static void print_vector(const struct interrupts *s,
                         const struct vector_row *row, FILE *out)
{
    const struct stats *all = &row->vector->stats;
    const struct stats *masked = stats_map_find(&row->vcpu->masked,
                                                row->vector->key);

    print_vcpu(s, row->vcpu->domain, row->vcpu->id, out);
    fprintf(out, " 0x%02" PRIx64 "  ", row->vector->key);
    print_lengths(s, all, out);
    fprintf(out, " %6.1f\n", masked ? stats_share(masked->sum, all->sum) : 0);
}

static int print_vectors(struct interrupts *s, FILE *out)
{
    size_t n = collect_vectors(s, NULL, NULL), shown;
    struct vector_row *rows = arena_array(&s->load.pool.arena, n + 1,
                                          sizeof(*rows), 8);
    struct sort_row *order = arena_array(&s->load.pool.arena, n + 1,
                                         sizeof(*order), 8);

    if ( !rows || !order )
        return -ENOMEM;
    n = collect_vectors(s, rows, order);
    shown = sort_rows(s->request, order, n);
    if ( n )
        fprintf(out, "\n--- Interrupts of running vcpus: from the VM exit "
                "to the entry ---\n %-*s vector %*s %8s %8s %8s %6s\n",
                VCPU_WIDTH, "vcpu", COUNT_WIDTH, "times", "p50", "p99",
                "max", "masked");
    for ( size_t i = 0; i < shown; i++ )
        print_vector(s, &rows[order[i].index], out);
    print_rows_left(n - shown, out);
    return 0;
}

static void print_handlers(struct interrupts *s, FILE *out)
{
    struct stats_row **rows = stats_map_by_sum(&s->load.handlers,
                                               &s->load.pool);
    char text[CAUSE_MAX], total[NUM_CLOCK_MAX];
    size_t n = rows ? sort_limit(s->request, s->load.handlers.used) : 0;

    if ( n )
        fprintf(out, "\n--- Handlers of the host's interrupts ---\n %-24s %*s "
                "%8s %8s %8s %8s\n", "irq", COUNT_WIDTH, "times", "p50", "p99",
                "max", "total");
    for ( size_t i = 0; i < n; i++ )
    {
        irq_text(s, rows[i]->key, text);
        fprintf(out, " %-24.24s", text);
        print_lengths(s, &rows[i]->stats, out);
        fprintf(out, " %8s\n", text_duration(&s->load.clock,
                                             rows[i]->stats.sum, total));
    }
    print_rows_left(rows ? s->load.handlers.used - n : 0, out);
}

static size_t collect_victims(const struct interrupts *s,
                              struct sort_row *order)
{
    enum sort_key key = s->request->sort;
    size_t n = 0;

    for ( uint32_t i = 0; i < s->load.nr_vcpus; i++ )
    {
        const struct load_vcpu *v = s->load.vcpus[i];
        uint64_t value = key == SORT_COUNT ? v->interrupts : v->lost;

        if ( v->lost )
            order[n++] = (struct sort_row){ key == SORT_NAME ? 0 : value, i };
    }
    return n;
}

static void print_victim(const struct interrupts *s, const struct load_vcpu *v,
                         FILE *out)
{
    char text[NUM_CLOCK_MAX], irq[CAUSE_MAX];

    print_vcpu(s, v->domain, v->id, out);
    *num_u64_fit(text, v->interrupts, COUNT_WIDTH) = '\0';
    fprintf(out, " %s", text);
    vote_text(s, &v->vote, v->lost, irq);
    fprintf(out, " %8s %.40s\n", text_duration(&s->load.clock, v->lost, text),
            irq);
}

static int print_victims(struct interrupts *s, FILE *out)
{
    struct sort_row *order = arena_array(&s->load.pool.arena,
                                         s->load.nr_vcpus + 1, sizeof(*order),
                                         8);
    size_t n = order ? collect_victims(s, order) : 0, shown;

    if ( !order )
        return -ENOMEM;
    shown = sort_rows(s->request, order, n);
    if ( n )
        fprintf(out, "\n--- Time of vcpus in handlers on their pcpu ---\n "
                "%-*s %*s %8s mostly irq\n", VCPU_WIDTH, "vcpu",
                COUNT_WIDTH, "times", "lost");
    for ( size_t i = 0; i < shown; i++ )
        print_victim(s, s->load.vcpus[order[i].index], out);
    print_rows_left(n - shown, out);
    return 0;
}

static void print_storms(const struct interrupts *s, FILE *out)
{
    size_t n = sort_limit(s->request, s->load.nr_storms);
    char irq[CAUSE_MAX];

    assert(s->load.nr_storms <= LOAD_STORMS && n <= s->load.nr_storms);
    if ( n )
        fprintf(out, "\n--- Storms: at least 50,000 interrupts per second for "
                "10 ms ---\n %4s %9s mostly irq\n", "pcpu", "times");
    for ( size_t i = 0; i < n; i++ )
    {
        const struct load_storm *storm = &s->load.storms[i];

        vote_text(s, &storm->vote, storm->cycles, irq);
        fprintf(out, " %4" PRIu32 " %9" PRIu64 " %-16.16s ", storm->pcpu,
                storm->interrupts, irq);
        text_print_span(&s->load.clock, storm->from, storm->to, out);
        fprintf(out, "\n");
    }
    print_rows_left(s->load.nr_storms - n, out);
}

static int interrupts_print(struct report_pass *p, void *state)
{
    struct interrupts *s = state;
    int rc = print_paths(s, p->out);

    rc = rc ? rc : print_vectors(s, p->out);
    if ( !rc )
        print_handlers(s, p->out);
    rc = rc ? rc : print_victims(s, p->out);
    if ( !rc )
        print_storms(s, p->out);
    return rc;
}

/* --- export --------------------------------------------------------------- */

static void export_path(struct export *x, const struct interrupts *s,
                        const struct block_vcpu *v,
                        const struct block_waker *w)
{
    const struct block_source *source = &w->source;
    const struct stats *whole = &w->path->whole;
    char device[XT_IRQ_TEXT_MAX];

    EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
               export_text(block_reason_name(source->reason)),
               export_optional(source->has_domain, source->domain),
               export_optional(source->has_irq, source->irq),
               export_text(source->has_irq
                           ? find_irq_device(s, source->irq, device) : NULL),
               export_number(w->path->parts[PATH_HANDLER].sum),
               export_number(w->path->parts[PATH_WAIT].sum),
               export_number(w->path->parts[PATH_ENTRY].sum),
               export_number(w->path->elsewhere),
               export_number(w->path->unknown),
               export_optional(whole->max, whole->max_at),
               export_optional(whole->max, whole->max_at + whole->max),
               export_series(whole));
}

static void walk_paths(struct export *x, void *state)
{
    const struct interrupts *s = state;

    for ( uint32_t i = 0; i < s->paths.blocks.nr_vcpus; i++ )
        for ( const struct block_waker *w = s->paths.blocks.vcpus[i]->wakers;
              w; w = w->next )
            if ( w->path )
                export_path(x, s, s->paths.blocks.vcpus[i], w);
}

static void walk_vectors(struct export *x, void *state)
{
    struct interrupts *s = state;

    for ( uint32_t i = 0; i < s->paths.nr_vcpus; i++ )
    {
        struct path_vcpu *v = s->paths.vcpus[i];
        struct stats_row **rows = stats_map_by_key(&v->vectors,
                                                   &s->paths.pool);

        for ( size_t k = 0; rows && k < v->vectors.used; k++ )
        {
            const struct stats *masked = stats_map_find(&v->masked,
                                                        rows[k]->key);

            EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                       export_number(rows[k]->key),
                       export_number(masked ? masked->sum : 0),
                       export_series(&rows[k]->stats));
        }
    }
}

static void walk_irq_handlers(struct export *x, void *state)
{
    struct interrupts *s = state;
    struct stats_row **rows = stats_map_by_key(&s->load.handlers,
                                               &s->load.pool);
    char device[XT_IRQ_TEXT_MAX];

    for ( size_t i = 0; rows && i < s->load.handlers.used; i++ )
        EXPORT_ROW(x, export_number(rows[i]->key),
                   export_text(find_irq_device(s, rows[i]->key, device)),
                   export_series(&rows[i]->stats));
}

static void walk_victims(struct export *x, void *state)
{
    const struct interrupts *s = state;

    for ( uint32_t i = 0; i < s->load.nr_vcpus; i++ )
    {
        const struct load_vcpu *v = s->load.vcpus[i];

        if ( v->lost )
            EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                       export_number(v->interrupts), export_number(v->lost),
                       export_optional(load_vote_is_clear(&v->vote, v->lost),
                                       v->vote.irq));
    }
}

static void walk_storms(struct export *x, void *state)
{
    const struct interrupts *s = state;

    for ( uint32_t i = 0; i < s->load.nr_storms; i++ )
    {
        const struct load_storm *storm = &s->load.storms[i];

        assert(storm->from <= storm->to);
        EXPORT_ROW(x, export_number(storm->pcpu), export_number(storm->from),
                   export_number(storm->to), export_number(storm->interrupts),
                   export_optional(load_vote_is_clear(&storm->vote,
                                                      storm->cycles),
                                   storm->vote.irq));
    }
}

static const struct export_column path_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("reason", TEXT, "timer, sibling, event, emulated, device or "
                  "unknown"),
    EXPORT_OPTIONAL("waker", COUNT, "the domain that sent the event"),
    EXPORT_OPTIONAL("irq", COUNT, "the interrupt, by Xen's number"),
    EXPORT_OPTIONAL("device", TEXT, "the device of the interrupt"),
    EXPORT_COLUMN("handler", DURATION, "from the begin of the handler to the "
                  "wake-up; 0 without an interrupt of the host"),
    EXPORT_COLUMN("wait", DURATION, "from the wake-up to the run"),
    EXPORT_COLUMN("entry", DURATION, "from the run to the VM entry; 0 without "
                  "VM exits"),
    EXPORT_COLUMN("elsewhere", COUNT, "times that another pcpu handled it "
                  "than the vcpu ran on"),
    EXPORT_COLUMN("unknown", COUNT, "further times, with lost records"),
    EXPORT_OPTIONAL("worst_from", MOMENT, "begin of the longest"),
    EXPORT_OPTIONAL("worst_to", MOMENT, "end of the longest"),
    EXPORT_STATISTICS,
};

static const struct export_column vector_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("vector", COUNT, "the vector of the guest's interrupt"),
    EXPORT_COLUMN("masked", DURATION, "the part in which the guest ran with "
                  "the interrupt masked"),
    EXPORT_STATISTICS,
};

static const struct export_column handler_columns[] = {
    EXPORT_COLUMN("irq", COUNT, "the interrupt, by Xen's number"),
    EXPORT_OPTIONAL("device", TEXT, "the device of the interrupt"),
    EXPORT_STATISTICS,
};

static const struct export_column victim_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("interrupts", COUNT, "interrupts handled while the vcpu "
                  "ran"),
    EXPORT_COLUMN("lost", DURATION, "the time of their handlers; with VM "
                  "exits, of these"),
    EXPORT_OPTIONAL("irq", COUNT, "the interrupt with most of it; absent: "
                    "several"),
};

static const struct export_column storm_columns[] = {
    EXPORT_PCPU_ID,
    EXPORT_COLUMN("from", MOMENT, "begin of the storm"),
    EXPORT_COLUMN("to", MOMENT, "end of the storm"),
    EXPORT_COLUMN("interrupts", COUNT, "interrupts handled in it"),
    EXPORT_OPTIONAL("irq", COUNT, "the interrupt with most of their time; "
                    "absent: several"),
};

static const struct export_table tables[] = {
    { "interrupt_paths", "Wake-ups, from the interrupt or event to the guest "
      "(--report-interrupts).", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(path_columns), walk_paths },
    { "interrupt_vectors", "Interrupts of running vcpus of HVM guests, from "
      "the VM exit to the entry with the interrupt (--report-interrupts).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(vector_columns), walk_vectors },
    { "interrupt_handlers", "Handlers of the host's interrupts "
      "(--report-interrupts).", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(handler_columns), walk_irq_handlers },
    { "interrupt_victims", "Time of vcpus in handlers on their pcpu "
      "(--report-interrupts).", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(victim_columns), walk_victims },
    { "interrupt_storms", "The longest times of at least 50,000 interrupts "
      "per second, for 10 ms and more (--report-interrupts).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(storm_columns), walk_storms },
    { .name = NULL },
};

const struct report report_interrupts = {
    .name = "interrupts", .is_requested = interrupts_are_requested,
    .needs_all = "--report-interrupts follows wake-ups through all pcpus and "
                 "domains: select a part with --time",
    .open = interrupts_open, .close = interrupts_close,
    .print = interrupts_print, .tables = { tables },
    .has_failed = interrupts_have_failed, .free = interrupts_free,
};
