/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --critical-path: what the time of one vcpu was needed for, through the vcpus
 * that it was blocked for.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/num.h"
#include "common/utf8.h"
#include "xenalyze/reports/table.h"
#include "xenalyze/reports/vcpu-word.h"
#include "xenalyze/text/text.h"

#define VCPU_WIDTH 16u
#define STATE_WIDTH 37u
#define COUNT_WIDTH 7u
#define STATE_MAX (XT_LABEL_MAX + XT_IRQ_TEXT_MAX + 32)
#define LONGEST_PARTS 10u
#define MOST_PARTS 10000u       /* with --top=0 */

struct path_report
{
    struct critical_path path;
    const struct report_request *request;
    const struct xt_domain_names *names;        /* or NULL */
    const struct report_pass *pass;     /* for timelines */
};

static bool path_is_requested(const struct report_config *c)
{
    return c->critical_path;
}

static int parse_target(struct path_report *r, const struct report_pass *p,
                        struct err *e)
{
    const char *text = p->config->critical_path;
    struct vcpu_word word;
    int rc = vcpu_word_parse(&word, "critical-path", text, p->names, e);

    if ( rc )
        return rc;
    if ( !word.has_vcpu )
        return err_usage(e, "--critical-path %s: name a vcpu, such as d1v0 or "
                         "web1/0", text);
    r->path.domain = word.domain;
    r->path.vcpu = word.id;
    return 0;
}

/* The parts to keep: of --top, where 0 asks for all that can be kept. */
static size_t count_parts(const struct report_pass *p)
{
    if ( !p->request.has_top )
        return LONGEST_PARTS;
    return p->request.top ? p->request.top : MOST_PARTS;
}

static void export_part(void *state, const struct critical_part *part);

static int path_open(struct report_pass *p, void **state, struct err *e)
{
    struct path_report *r = *state = fault_calloc(1, sizeof(*r));
    struct sink sinks[CRITICAL_PATH_SINKS];

    if ( !r )
        return -ENOMEM;
    r->request = &p->request;
    r->names = p->names;
    if ( critical_path_init(&r->path, count_parts(p)) )
        return -ENOMEM;
    r->pass = p;
    r->path.on_part = p->config->nr_exports ? export_part : NULL;
    r->path.on_part_arg = r;
    critical_path_get_sinks(&r->path, sinks);
    for ( size_t i = 0; i < CRITICAL_PATH_SINKS; i++ )
        report_add_sink(p, sinks[i]);
    return parse_target(r, p, e);
}

static bool path_has_failed(const void *state)
{
    const struct path_report *r = state;

    return r->path.failed || r->path.pool.failed || r->path.blocks.failed ||
           r->path.blocks.pool.failed;
}

static void path_free(void *state)
{
    struct path_report *r = state;

    if ( r )
        critical_path_fini(&r->path);
    free(r);
}

static int path_close(struct report_pass *p, void *state)
{
    struct path_report *r = state;

    (void)p;
    critical_path_close(&r->path);
    return r->path.failed ? -ENOMEM : 0;
}

/* The device of a row's interrupt; NULL: none, or unknown. */
static const char *find_row_device(const struct path_report *r,
                                   const struct critical_row *row,
                                   char device[XT_IRQ_TEXT_MAX])
{
    return row->has_irq && r->names &&
           xt_host_irq_device(&r->names->host, row->irq, device) ? device
                                                                 : NULL;
}

/* --- text ----------------------------------------------------------------- */

static const char *get_vcpu_label(const struct path_report *r, uint16_t domain,
                                  uint16_t id, char name[XT_LABEL_MAX])
{
    return xt_vcpu_column(r->names, domain, id, VCPU_WIDTH, name);
}

static void format_wait(const struct path_report *r,
                        const struct critical_row *row, char text[STATE_MAX])
{
    char name[XT_LABEL_MAX];

    assert(row->state == CRITICAL_WAITS);
    if ( row->is_other_idle )
        snprintf(text, STATE_MAX, "waits, its pcpu is idle");
    else if ( !row->has_other )
        snprintf(text, STATE_MAX, "waits for a pcpu");
    else
        snprintf(text, STATE_MAX, "waits behind %s",
                 get_vcpu_label(r, row->other_domain, row->other_id, name));
}

static void format_sleep(const struct path_report *r,
                         const struct critical_row *row, char text[STATE_MAX])
{
    static const char *const names[] = {
        [BLOCK_TIMER] = "blocked: timer",
        [BLOCK_SIBLING] = "blocked: sibling",
        [BLOCK_EVENT] = "blocked: event of",
        [BLOCK_EMULATED] = "blocked: device model",
        [BLOCK_DEVICE] = "blocked: interrupt",
        [BLOCK_PAUSED] = "paused, or out of budget",
        [BLOCK_OPEN] = "blocked to the end",
        [BLOCK_UNKNOWN] = "blocked: reason unknown",
    };
    char name[XT_LABEL_MAX], device[XT_IRQ_TEXT_MAX];
    const char *found = find_row_device(r, row, device);

    assert(row->reason < BLOCK_REASONS);
    if ( found )
        snprintf(text, STATE_MAX, "%s %" PRIu32 ", %s", names[row->reason],
                 row->irq, found);
    else if ( row->has_irq )
        snprintf(text, STATE_MAX, "%s %" PRIu32, names[row->reason], row->irq);
    else if ( row->has_other )
        snprintf(text, STATE_MAX, "%s %s", names[row->reason],
                 get_vcpu_label(r, row->other_domain, row->other_id, name));
    else
        snprintf(text, STATE_MAX, "%s", names[row->reason]);
}

static void format_state(const struct path_report *r,
                         const struct critical_row *row, char text[STATE_MAX])
{
    static const char *const names[CRITICAL_STATES] = {
        [CRITICAL_RUNS] = "runs", [CRITICAL_UNKNOWN] = "unknown",
        [CRITICAL_DROPPED] = "unknown: too many changes",
    };

    assert(row->state < CRITICAL_STATES);
    if ( row->state == CRITICAL_WAITS )
        format_wait(r, row, text);
    else if ( row->state == CRITICAL_SLEEPS )
        format_sleep(r, row, text);
    else
        snprintf(text, STATE_MAX, "%s", names[row->state]);
}

static void print_critical_row(const struct path_report *r,
                               const struct critical_row *row, FILE *out)
{
    char name[XT_LABEL_MAX], state[STATE_MAX], text[NUM_CLOCK_MAX];

    assert(row->stats && row->stats->sum <= r->path.span);
    get_vcpu_label(r, row->domain, row->id, name);
    format_state(r, row, state);
    fprintf(out, " %-*s %-*.*s %8s", utf8_width(name, VCPU_WIDTH), name,
            utf8_width(state, STATE_WIDTH), (int)sizeof(state), state,
            text_duration(&r->path.clock, row->stats->sum, text));
    *num_u64_fit(text, stats_events(row->stats), COUNT_WIDTH) = '\0';
    fprintf(out, " %5.1f %s\n", stats_share(row->stats->sum, r->path.span),
            text);
}

static void print_longest_parts(const struct path_report *r, FILE *out)
{
    char name[XT_LABEL_MAX], state[STATE_MAX], text[NUM_CLOCK_MAX];

    fprintf(out, " longest parts:\n");
    for ( size_t i = 0; i < r->path.nr_longest; i++ )
    {
        const struct critical_part *part = &r->path.longest_parts[i];

        assert(part->from < part->to);
        format_state(r, &part->row, state);
        fprintf(out, " %8s ", text_duration(&r->path.clock,
                                            part->to - part->from, text));
        text_print_span(&r->path.clock, part->from, part->to, out);
        fprintf(out, "\n          %s %s\n",
                get_vcpu_label(r, part->row.domain, part->row.id, name),
                state);
    }
}

static bool has_guest_records(const struct block_reasons *b)
{
    bool is_found = b->has_handlers;

    for ( uint32_t i = 0; !is_found && i < b->nr_vcpus; i++ )
        is_found = b->vcpus[i] && b->vcpus[i]->is_pv;
    return is_found;
}

/* The classes that would prove more interrupts; NULL: the trace has both. */
static const char *find_missing_classes(const struct path_report *r)
{
    bool has_guests = has_guest_records(&r->path.blocks);

    if ( r->path.blocks.has_irq )
        return has_guests ? NULL : "hvm,pv";
    return has_guests ? "hw:irq" : "hvm,pv,hw:irq";
}

static int path_print(struct report_pass *p, void *state)
{
    const struct path_report *r = state;
    size_t n = sort_limit(r->request, r->path.nr_rows);
    char name[XT_LABEL_MAX], text[NUM_CLOCK_MAX];

    if ( !r->path.span )
        return 0;
    fprintf(p->out, "--- Critical path of %s: %s ---\n",
            get_vcpu_label(r, r->path.domain, r->path.vcpu, name),
            text_duration(&r->path.clock, r->path.span, text));
    fprintf(p->out, " %-*s %-*s %8s %5s %*s\n", VCPU_WIDTH, "vcpu",
            STATE_WIDTH, "state", "time", "%", COUNT_WIDTH, "times");
    for ( size_t i = 0; i < n; i++ )
        print_critical_row(r, &r->path.rows[i], p->out);
    print_longest_parts(r, p->out);
    if ( find_missing_classes(r) )
        fprintf(p->out, " The trace lacks %s: a vcpu that an interrupt found "
                "running\n may be taken for a waker.\n",
                find_missing_classes(r));
    return 0;
}

static int path_check(struct report_pass *p, void *state, struct err *e)
{
    const struct path_report *r = state;

    if ( r->path.span )
        return 0;
    if ( !r->path.steps.dropped )
        return err_set(e, -ENODATA, "--critical-path: %s has no changes of "
                       "runstates%s", p->name, p->is_selection
                       ? " in the selected part"
                       : "; capture with xentrace -e sched,hvm,pv,hw:irq");
    return err_set(e, -ENOENT, "--critical-path %s: %s has no records of this "
                   "vcpu%s; xenalyze summary lists all",
                   p->config->critical_path, p->name,
                   p->is_selection ? " in the selected part" : "");
}

/* --- timelines ------------------------------------------------------------ */

/* The callback of the path: a slice, such as "d0v0 waits behind d1v1". */
static void export_part(void *state, const struct critical_part *part)
{
    const struct path_report *r = state;
    char name[XT_LABEL_MAX], what[STATE_MAX];
    char path[XT_LABEL_MAX + 32], text[XT_LABEL_MAX + STATE_MAX + 1];

    snprintf(path, sizeof(path), "critical path of %s",
             get_vcpu_label(r, r->path.domain, r->path.vcpu, name));
    format_state(r, &part->row, what);
    snprintf(text, sizeof(text), "%s %s",
             get_vcpu_label(r, part->row.domain, part->row.id, name), what);
    report_viewers_add_path(r->pass, part->from, part->to, path, text);
}

/* --- export --------------------------------------------------------------- */

static const char *get_reason(const struct critical_row *row)
{
    return row->state == CRITICAL_SLEEPS ? block_reason_name(row->reason)
                                         : NULL;
}

/* "d7v2"; NULL: no other vcpu. */
static const char *get_other(const struct critical_row *row,
                             char name[LATENCY_NAME])
{
    if ( !row->has_other && !row->is_other_idle )
        return NULL;
    return latency_name(row->is_other_idle ? LATENCY_IDLE
                        : LATENCY_KEY(row->other_domain, row->other_id), name);
}

static void walk_critical_rows(struct export *x, void *state)
{
    const struct path_report *r = state;
    char device[XT_IRQ_TEXT_MAX], other[LATENCY_NAME];
    uint64_t sum = 0;

    for ( size_t i = 0; i < r->path.nr_rows; i++ )
    {
        const struct critical_row *row = &r->path.rows[i];

        EXPORT_ROW(x, export_number(row->domain), export_number(row->id),
                   export_text(critical_state_name(row->state)),
                   export_text(get_reason(row)),
                   export_text(get_other(row, other)),
                   export_optional(row->has_irq, row->irq),
                   export_text(find_row_device(r, row, device)),
                   export_series(row->stats));
        sum += row->stats->sum;
    }
    assert(sum == r->path.span || r->path.parts.others);
}

static void walk_critical_parts(struct export *x, void *state)
{
    const struct path_report *r = state;
    char other[LATENCY_NAME];

    for ( size_t i = 0; i < r->path.nr_longest; i++ )
    {
        const struct critical_part *part = &r->path.longest_parts[i];

        assert(part->from < part->to);
        EXPORT_ROW(x, export_number(part->row.domain),
                   export_number(part->row.id),
                   export_text(critical_state_name(part->row.state)),
                   export_text(get_reason(&part->row)),
                   export_text(get_other(&part->row, other)),
                   export_optional(part->row.has_irq, part->row.irq),
                   export_number(part->from), export_number(part->to));
    }
}

static void walk_critical_target(struct export *x, void *state)
{
    const struct path_report *r = state;

    if ( r->path.span )
        EXPORT_ROW(x, export_number(r->path.domain),
                   export_number(r->path.vcpu), export_number(r->path.span),
                   export_text(find_missing_classes(r)));
}

#define PATH_STATE_COLUMNS \
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID, \
    EXPORT_COLUMN("state", TEXT, "runs; waits: for a pcpu; sleeps: blocked " \
                  "or paused; unknown; dropped: unknown, with too many " \
                  "changes of states in between"), \
    EXPORT_OPTIONAL("reason", TEXT, "why it sleeps, as in why_blocks; a " \
                    "sibling, event or device model here is a waker whose " \
                    "path cannot be followed"), \
    EXPORT_OPTIONAL("other", TEXT, "the vcpu that ran longest during the " \
                    "whole wait, as d7v2 or idle, or the waker"), \
    EXPORT_OPTIONAL("irq", COUNT, "the interrupt that ended the sleep, by " \
                    "Xen's number")

static const struct export_column row_columns[] = {
    PATH_STATE_COLUMNS,
    EXPORT_OPTIONAL("device", TEXT, "the device of the interrupt"),
    EXPORT_STATISTICS,
};

static const struct export_column part_columns[] = {
    PATH_STATE_COLUMNS,
    EXPORT_COLUMN("from", MOMENT, "begin of the part"),
    EXPORT_COLUMN("to", MOMENT, "end of the part"),
};

static const struct export_column target_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("span", DURATION, "the length of the path"),
    EXPORT_OPTIONAL("lacks", TEXT, "classes without a record in the trace: a "
                    "vcpu that an interrupt found running may be taken for a "
                    "waker"),
};

static const struct export_table tables[] = {
    { "critical_path", "The critical path of a vcpu, by vcpu and state, most "
      "time first (--critical-path).  The times add up to the length of the "
      "path.", EXPORT_IN_TABLES, EXPORT_COLUMNS(row_columns),
      walk_critical_rows },
    { "critical_path_parts", "The longest parts of the path: 10, or the "
      "number given with --top.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(part_columns), walk_critical_parts },
    { "critical_path_of", "The vcpu whose path this is.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(target_columns), walk_critical_target },
    { .name = NULL },
};

const struct report report_critical_path = {
    .name = "critical path", .is_requested = path_is_requested,
    .open = path_open, .close = path_close, .print = path_print,
    .needs_all = "--critical-path goes through all vcpus; select a span with "
                 "--time",
    .tables = { tables }, .check = path_check, .has_failed = path_has_failed,
    .free = path_free,
};
