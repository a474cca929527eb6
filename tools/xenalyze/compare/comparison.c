/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of a comparison: a row for each measure of each vcpu, domain or
 * pcpu that both traces have events of.  The more rows the table has, the
 * stricter is the test of each row: RISK is the probability that a table of two
 * equal traces has any row with a change.
 *
 * The rank test compares all intervals, so a row with a change has it most of
 * the time.  A second test finds bursts, in the rows about shares of time: a
 * load that lasts for a part of a trace takes its time from somebody.
 */
#include "xenalyze/compare/comparison.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

#define RISK 0.05
#define BURST_RISK 0.01         /* the part of RISK for bursts */
#define LEAST_CHANGE 0.01       /* share of the larger value */

const char *comparison_class_name(enum measure_class class)
{
    static const char *const names[MEASURE_CLASSES] = {
        [MEASURE_SCHED] = "runstates of vcpus", [MEASURE_EXITS] = "VM exits",
        [MEASURE_HYPERCALLS] = "hypercalls and I/O",
        [MEASURE_INTERRUPTS] = "interrupts",
    };

    assert(class < MEASURE_CLASSES);
    return names[class];
}

const char *comparison_class_events(enum measure_class class)
{
    static const char *const events[MEASURE_CLASSES] = {
        [MEASURE_SCHED] = "sched:min", [MEASURE_EXITS] = "hvm:entryexit",
        [MEASURE_HYPERCALLS] = "pv,hvm:handler",
        [MEASURE_INTERRUPTS] = "hw:irq",
    };

    assert(class < MEASURE_CLASSES);
    return events[class];
}

const char *comparison_detail(const struct comparison_row *row,
                              char text[COMPARISON_DETAIL])
{
    uint32_t detail = figure_detail(row->keys[0]);
    const char *name;
    char reason[EXIT_REPORT_NAME];

    assert(figure_kind(row->keys[0]) == row->measure->kind);
    if ( row->measure->kind == FIGURE_EXITS )
        name = detail < EXIT_CAUSES ? exit_report_name(detail, reason) : NULL;
    else if ( row->measure->kind == FIGURE_HYPERCALLS )
        name = hypercall_name(detail);
    else
        return NULL;
    if ( name )
        snprintf(text, COMPARISON_DETAIL, "%s", name);
    else
        snprintf(text, COMPARISON_DETAIL, "%" PRIu32, detail);
    return text;
}

/* --- domains -------------------------------------------------------------- */

/* Store the domains of a profile, from the sorted array of figures. */
static size_t list_profile_domains(const struct profile *p, uint16_t *ids)
{
    size_t nr = 0;

    for ( size_t i = 0; i < p->figures.used; i++ )
    {
        uint16_t id = figure_domain(p->figures.sorted[i]->key);

        assert(id < XT_DOMAIN_IDLE || id == FIGURE_HOST);
        if ( id != FIGURE_HOST && (!nr || ids[nr - 1] != id) )
            ids[nr++] = id;
    }
    assert(nr <= XT_DOMAIN_IDLE);
    return nr;
}

/* Both sorted lists become the list of all ids; there is room for these. */
static void join_lists(uint16_t *a, size_t *nr_a, uint16_t *b, size_t *nr_b)
{
    bool present[XT_DOMAIN_IDLE] = { false };
    size_t nr = 0;

    for ( size_t i = 0; i < *nr_a; i++ )
        present[a[i]] = true;
    for ( size_t i = 0; i < *nr_b; i++ )
        present[b[i]] = true;
    for ( unsigned int id = 0; id < XT_DOMAIN_IDLE; id++ )
        if ( present[id] )
        {
            a[nr] = b[nr] = id;
            nr++;
        }
    assert(nr >= *nr_a && nr >= *nr_b);
    *nr_a = *nr_b = nr;
}

static int match_domains(struct comparison *c)
{
    uint16_t *ids = fault_malloc(2 * XT_DOMAIN_IDLE * sizeof(*ids));
    struct domain_list lists[2];
    int rc = -ENOMEM;

    for ( unsigned int i = 0; ids && i < 2; i++ )
        lists[i] = (struct domain_list){
            .ids = ids + i * XT_DOMAIN_IDLE,
            .nr = list_profile_domains(c->sides[i].profile,
                                       ids + i * XT_DOMAIN_IDLE),
            .names = c->sides[i].names,
        };
    /* A domain does not run in a part of the trace where it does not exist. */
    if ( ids && c->sides[0].is_part && c->sides[1].is_part )
        join_lists(ids, &lists[0].nr, ids + XT_DOMAIN_IDLE, &lists[1].nr);
    if ( ids )
        c->pairs = fault_calloc(lists[0].nr + lists[1].nr + 1,
                                sizeof(*c->pairs));
    if ( c->pairs )
        rc = domain_match(lists, c->pairs, &c->nr_pairs);
    free(ids);
    return rc;
}

static bool is_matched(const struct domain_pair *pair)
{
    return pair->ids[0] != DOMAIN_NO_MATCH && pair->ids[1] != DOMAIN_NO_MATCH;
}

#define LIST_MAX 100u

/* A list of the domains of a trace: "web1, db1 and others". */
static const char *list_side(const struct comparison *c, unsigned int side,
                             char text[LIST_MAX])
{
    char label[XT_LABEL_MAX];
    size_t used = 0;

    snprintf(text, LIST_MAX, "none");
    for ( size_t i = 0; i < c->nr_pairs; i++ )
    {
        uint16_t id = c->pairs[i].ids[side];

        if ( id == DOMAIN_NO_MATCH )
            continue;
        if ( used + XT_LABEL_MAX + sizeof(" and others") > LIST_MAX )
        {
            snprintf(text + used, LIST_MAX - used, " and others");
            break;
        }
        used += snprintf(text + used, LIST_MAX - used, "%s%s",
                         used ? ", " : "",
                         xt_domain_label(c->sides[side].names, id, label));
    }
    return text;
}

static int check_domains(const struct comparison *c, struct err *e)
{
    char a[LIST_MAX], b[LIST_MAX];

    for ( size_t i = 0; i < c->nr_pairs; i++ )
        if ( is_matched(&c->pairs[i]) )
            return 0;
    return err_set(e, -ENODATA, "%s and %s have no domain in common: the first "
                   "has %s, the second has %s", c->sides[0].name,
                   c->sides[1].name, list_side(c, 0, a), list_side(c, 1, b));
}

/* --- rows ----------------------------------------------------------------- */

static bool add_row(struct comparison *c, const struct measure *m,
                    uint64_t a, uint64_t b)
{
    size_t room = c->room ? 2 * c->room : 256;
    struct comparison_row *larger;

    /* The keys differ in the domain only. */
    assert(figure_with_domain(b, figure_domain(a)) == a);
    if ( c->nr == c->room )
    {
        larger = fault_realloc(c->rows, room * sizeof(*larger));
        if ( !larger )
            return false;
        c->rows = larger;
        c->room = room;
    }
    c->rows[c->nr++] = (struct comparison_row){ .measure = m,
                                                .keys = { a, b } };
    return true;
}

/* Return whether both traces have events of the class, and note the lack. */
static bool is_comparable(struct comparison *c, enum measure_class class)
{
    const bool *has = c->is_recorded[class];

    for ( unsigned int i = 0; i < 2; i++ )
        c->lacks[class][i] |= !has[i];
    return has[0] && has[1];
}

/* Add the rows of a figure, which the hash table of one profile may lack. */
static int add_measures(struct comparison *c, uint64_t a, uint64_t b)
{
    size_t nr;
    const struct measure *m = measure_table(&nr);
    bool is_host = figure_domain(a) == FIGURE_HOST;

    for ( size_t i = 0; i < nr; i++ )
        if ( m[i].kind == figure_kind(a) && m[i].is_host == is_host &&
             is_comparable(c, m[i].needs) && !add_row(c, &m[i], a, b) )
            return -ENOMEM;
    return 0;
}

/* The index of the first figure of a domain in the sorted array. */
static size_t find_first(const struct figures *f, uint16_t domain)
{
    uint64_t key = figure_key(domain, FIGURE_WHOLE, 0, 0);
    size_t low = 0, high = f->used;

    assert(f->sorted || !f->used);
    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( f->sorted[middle]->key < key )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The key at index `at`; UINT64_MAX behind the figures of the domain. */
static uint64_t key_at(const struct figures *f, size_t at, uint16_t domain)
{
    if ( at < f->used && figure_domain(f->sorted[at]->key) == domain )
        return f->sorted[at]->key;
    return UINT64_MAX;
}

/* Merge two sorted arrays: figures of a domain of A, and of a domain of B. */
static int add_pair(struct comparison *c, uint16_t a, uint16_t b)
{
    const struct figures *fa = &c->sides[0].profile->figures;
    const struct figures *fb = &c->sides[1].profile->figures;
    size_t i = find_first(fa, a), k = find_first(fb, b);
    int rc = 0;

    while ( !rc )
    {
        uint64_t x = key_at(fa, i, a), y = key_at(fb, k, b);
        uint64_t as_a = y == UINT64_MAX ? y : figure_with_domain(y, a);

        if ( x == UINT64_MAX && y == UINT64_MAX )
            break;
        i += x <= as_a;
        k += as_a <= x;
        if ( as_a < x )
            x = as_a;
        rc = add_measures(c, x, figure_with_domain(x, b));
    }
    return rc;
}

static int add_rows(struct comparison *c)
{
    int rc = 0;

    for ( size_t i = 0; !rc && i < c->nr_pairs; i++ )
        if ( is_matched(&c->pairs[i]) )
            rc = add_pair(c, c->pairs[i].ids[0], c->pairs[i].ids[1]);
    if ( !rc && c->sides[0].profile->options.has_host )
        rc = add_pair(c, FIGURE_HOST, FIGURE_HOST);
    return rc;
}

/* --- the test ------------------------------------------------------------- */

/*
 * True if ranks and values change in the same direction, by more than
 * LEAST_CHANGE: the rate of a timer has no noise at all, so that the last bits
 * of the length of a trace would be a change.
 */
static bool is_change(const struct shift *s, double a, double b)
{
    double least = LEAST_CHANGE * fmax(fabs(a), fabs(b));

    return s->is_known && ((s->low > least && b > a) ||
                           (s->high < -least && b < a));
}

/* The strictness of the tests of a row. */
struct row_tests
{
    double quantile;            /* for ranks */
    double burst_risk;
};

/* The shift by ranks; by bursts, if ranks show no change of the value. */
static struct shift find_shift(const struct comparison_row *row,
                               const struct measured m[2],
                               const struct row_tests *tests, bool with_loss)
{
    struct shift ranks = shift_between(&m[0].samples, &m[1].samples,
                                       tests->quantile, with_loss);
    struct shift bursts;

    if ( row->measure->unit != MEASURE_SHARE ||
         is_change(&ranks, m[0].value, m[1].value) )
        return ranks;
    bursts = shift_by_bursts(&m[0].parts, &m[1].parts, tests->burst_risk,
                             with_loss);
    return is_change(&bursts, m[0].value, m[1].value) ? bursts : ranks;
}

static void test_row(const struct comparison *c, struct comparison_row *row,
                     const struct row_tests *tests)
{
    struct measured m[2];
    struct shift guess;

    for ( unsigned int i = 0; i < 2; i++ )
    {
        measure_profile(row->measure, c->sides[i].profile, row->keys[i],
                        &m[i]);
        row->has_value[i] = m[i].has_value;
        row->values[i] = m[i].value;
    }
    row->shift = find_shift(row, m, tests, true);
    guess = find_shift(row, m, tests, false);
    row->cost = measure_cost(row->measure, &m[0], &m[1]);
    if ( is_change(&row->shift, m[0].value, m[1].value) )
        row->verdict = VERDICT_CHANGED;
    else if ( is_change(&guess, m[0].value, m[1].value) )
        row->verdict = VERDICT_LOST;
}

/* The relative change of a row, 0 to 1. */
static double get_change(const struct comparison_row *r)
{
    double most = fmax(fabs(r->values[0]), fabs(r->values[1]));

    return most > 0 ? fabs(r->values[1] - r->values[0]) / most : 0;
}

static int compare_doubles_down(double x, double y)
{
    return x > y ? -1 : x < y;
}

/* The order of the table: most expensive rows first. */
static int compare_costs(const void *a, const void *b)
{
    const struct comparison_row *x = a, *y = b;
    int order = (y->verdict == VERDICT_CHANGED) -
                (x->verdict == VERDICT_CHANGED);

    order = order ? order : compare_doubles_down(fabs(x->cost), fabs(y->cost));
    order = order ? order : compare_doubles_down(get_change(x), get_change(y));
    order = order ? order : (x->keys[0] > y->keys[0]) -
                            (x->keys[0] < y->keys[0]);
    return order ? order : (x->measure > y->measure) -
                           (x->measure < y->measure);
}

/*
 * Drop the length of events if a trace has no such event: the table has a row
 * for the number of events.
 */
static void drop_empty_rows(struct comparison *c)
{
    size_t nr = 0;

    for ( size_t i = 0; i < c->nr; i++ )
        if ( c->rows[i].has_value[0] && c->rows[i].has_value[1] )
            c->rows[nr++] = c->rows[i];
    c->nr = nr;
}

static void test_rows(struct comparison *c)
{
    size_t nr_shares = 0;
    struct row_tests tests;

    for ( size_t i = 0; i < c->nr; i++ )
        nr_shares += c->rows[i].measure->unit == MEASURE_SHARE;
    tests = (struct row_tests){
        .quantile = shift_quantile(RISK - BURST_RISK, c->nr),
        .burst_risk = BURST_RISK / (double)(nr_shares ? nr_shares : 1),
    };
    for ( size_t i = 0; i < c->nr; i++ )
        test_row(c, &c->rows[i], &tests);
    drop_empty_rows(c);
    if ( c->nr )
        qsort(c->rows, c->nr, sizeof(*c->rows), compare_costs);
}

/* --- the comparison ------------------------------------------------------- */

static int check_sides(const struct comparison *c, struct err *e)
{
    for ( unsigned int i = 0; i < 2; i++ )
    {
        const struct profile *p = c->sides[i].profile;

        if ( !c->is_recorded[MEASURE_SCHED][i] )
            return err_set(e, -ENODATA, "%s has no scheduler events: vcpus are "
                           "unknown; capture with xentrace -e sched:min,hvm",
                           c->sides[i].name);
        if ( p->figures.too_many || p->series.others )
            return err_set(e, -E2BIG, "%s has too many vcpus to compare at "
                           "once: select some with --domain or --vcpu",
                           c->sides[i].name);
    }
    return 0;
}

static int build_comparison(struct comparison *c, struct err *e)
{
    int rc = 0;

    for ( unsigned int i = 0; i < MEASURE_CLASSES; i++ )
        for ( unsigned int k = 0; k < 2; k++ )
            c->is_recorded[i][k] = measure_is_recorded(c->sides[k].profile, i);
    rc = check_sides(c, e);
    for ( unsigned int i = 0; !rc && i < 2; i++ )
        if ( !c->sides[i].profile->figures.sorted )
            rc = figures_sort(&c->sides[i].profile->figures);
    rc = rc ? rc : match_domains(c);
    rc = rc ? rc : check_domains(c, e);
    rc = rc ? rc : add_rows(c);
    if ( !rc )
        test_rows(c);
    return rc ? err_sys(e, rc, "cannot compare %s and %s", c->sides[0].name,
                        c->sides[1].name) : 0;
}

int comparison_new(struct comparison **c, const struct compare_side sides[2],
                   struct err *e)
{
    struct comparison *new = *c = fault_calloc(1, sizeof(*new));

    if ( !new )
        return err_sys(e, -ENOMEM, "cannot compare %s and %s", sides[0].name,
                       sides[1].name);
    assert(sides[0].profile && sides[1].profile);
    memcpy(new->sides, sides, sizeof(new->sides));
    return build_comparison(new, e);
}

void comparison_free(struct comparison *c)
{
    if ( !c )
        return;
    free(c->pairs);
    free(c->rows);
    free(c);
}
