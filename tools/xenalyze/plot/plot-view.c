/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of the series in the legend and of the rows, and their order.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"

/* A key with its number in plot_keys, for sorting. */
struct rank
{
    uint64_t key, weight;
    uint32_t number;
};

static bool is_never_joined(uint64_t key)
{
    return key >> 48 >= PLOT_OF_STATE;
}

static int compare_by_weight(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if ( is_never_joined(x->key) != is_never_joined(y->key) )
        return is_never_joined(x->key) ? -1 : 1;
    if ( x->weight != y->weight )
        return x->weight > y->weight ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static int compare_by_key(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static struct rank *make_ranks(const struct plot_keys *k)
{
    struct rank *ranks = fault_malloc((k->nr + 1) * sizeof(*ranks));

    for ( uint32_t i = 0; ranks && i < k->nr; i++ )
        ranks[i] = (struct rank){ k->keys[i], k->weights[i], i };
    return ranks;
}

/* With too many vcpus for the legend, the series are their domains. */
static int join_domains(struct plot *p)
{
    struct plot_keys *old = &p->series, domains = { 0 };
    uint32_t *number = fault_malloc((old->nr + 1) * sizeof(*number));

    if ( !number )
        return -ENOMEM;
    for ( uint32_t i = 0; i < old->nr; i++ )
    {
        uint64_t key = old->keys[i];

        if ( key >> 48 == PLOT_OF_VCPU )
            key = PLOT_KEY(PLOT_OF_DOMAIN, key >> 16 & 0xffff);
        number[i] = plot_keys_add(&domains, key, old->weights[i]);
    }
    for ( size_t i = 0; i < p->view.nr_marks; i++ )
    {
        assert(p->marks[i].series < old->nr);
        p->marks[i].series = number[p->marks[i].series];
    }
    free(number);
    plot_keys_fini(old);
    *old = domains;
    return domains.failed ? -ENOMEM : 0;
}

static unsigned int key_domain(uint64_t key)
{
    return key >> 48 == PLOT_OF_VCPU ? key >> 16 & 0xffff : key & 0xffff;
}

/* Returns the number of series from index `at` on for vcpus of a domain. */
static unsigned int count_vcpus(const struct plot_view *v, unsigned int at)
{
    unsigned int n = 1;

    while ( v->series[at].key >> 48 == PLOT_OF_VCPU && at + n < v->nr_series &&
            v->series[at + n].key >> 48 == PLOT_OF_VCPU &&
            key_domain(v->series[at + n].key) == key_domain(v->series[at].key) )
        n++;
    return n;
}

/* Each domain gets a hue, and each vcpu of the domain a shade. */
static void paint_series(struct plot_view *v)
{
    unsigned int domain = 0, nr;

    for ( unsigned int i = 0; i < v->nr_series; i += nr, domain++ )
    {
        nr = count_vcpus(v, i);
        for ( unsigned int k = 0; k < nr; k++ )
            v->series[i + k].paint =
                plot_series_paint(v->series[i + k].key, domain,
                                  nr > 1 ? (double)k / (nr - 1) : 0.4,
                                  !v->bars);
    }
}

static void add_series(struct plot_view *v, uint64_t key)
{
    struct plot_series *series = &v->series[v->nr_series++];

    assert(v->nr_series <= PLOT_SERIES);
    series->key = key;
    plot_name_series(series->name, key, v->names);
}

/* Name the series with the largest weights, in the order of their keys. */
static int name_series(struct plot *p)
{
    struct rank *ranks = make_ranks(&p->series);
    uint32_t nr = p->series.nr, named = nr;
    uint32_t *place = fault_malloc((nr + 1) * sizeof(*place));

    if ( !ranks || !place )
    {
        free(ranks);
        free(place);
        return -ENOMEM;
    }
    if ( nr > PLOT_SERIES )
        named = PLOT_SERIES - 1;
    qsort(ranks, nr, sizeof(*ranks), compare_by_weight);
    qsort(ranks, named, sizeof(*ranks), compare_by_key);
    for ( uint32_t i = 0; i < nr; i++ )
        place[ranks[i].number] = i < named ? i : named;
    for ( uint32_t i = 0; i < named; i++ )
        add_series(&p->view, ranks[i].key);
    if ( named < nr )
        add_series(&p->view, PLOT_KEY(PLOT_OF_OTHERS, nr - named));
    paint_series(&p->view);
    for ( size_t i = 0; i < p->view.nr_marks; i++ )
    {
        assert(p->marks[i].series < nr);
        p->marks[i].series = place[p->marks[i].series];
    }
    free(ranks);
    free(place);
    return 0;
}

/* --- rows ----------------------------------------------------------------- */

static bool is_other_group(const struct plot *p, const struct rank *ranks,
                           uint32_t i)
{
    return !i || (p->about.unit == PLOT_VCPUS &&
                  ranks[i].key >> 16 != ranks[i - 1].key >> 16);
}

/* Fill the array of rows, with at most `share` pcpus or vcpus each, and if
   `grouped` of one domain.  Returns the number of rows. */
static uint32_t share_rows(const struct plot *p, const struct rank *ranks,
                           uint32_t share, bool grouped, uint32_t *place)
{
    uint32_t rows = 0, members = 0;

    assert(share);
    for ( uint32_t i = 0; i < p->rows.nr; i++ )
    {
        if ( !i || members == share ||
             (grouped && is_other_group(p, ranks, i)) )
        {
            rows++;
            members = 0;
        }
        members++;
        place[ranks[i].number] = rows - 1;
    }
    return rows;
}

/* With more domains than rows, a row mixes domains. */
static void place_rows(const struct plot *p, const struct rank *ranks,
                       uint32_t *place)
{
    uint32_t nr = p->rows.nr, least = (nr + PLOT_MAX_ROWS - 1) / PLOT_MAX_ROWS;

    for ( uint32_t share = least; share && share < 2 * nr; share *= 2 )
        if ( share_rows(p, ranks, share, true, place) <= PLOT_MAX_ROWS )
            return;
    if ( nr )
        share_rows(p, ranks, least, false, place);
}

static void fill_rows(struct plot *p, const struct rank *ranks,
                      const uint32_t *place)
{
    struct plot_view *v = &p->view;
    uint32_t first = 0;

    for ( uint32_t i = 0; i < p->rows.nr; i++ )
    {
        struct plot_row *row = &v->rows[place[ranks[i].number]];

        if ( !row->members++ )
        {
            first = i;
            row->starts_group = is_other_group(p, ranks, i);
        }
        plot_name_row(row, p->about.unit, ranks[first].key, ranks[i].key,
                      v->names);
        v->nr_rows = place[ranks[i].number] + 1;
    }
    assert(v->nr_rows <= PLOT_MAX_ROWS);
    v->heat = p->about.unit == PLOT_PCPUS && v->nr_rows >= PLOT_HEAT_ROWS;
    v->grouped = p->about.unit == PLOT_VCPUS && v->nr_rows >= PLOT_HEAT_ROWS;
}

/* Rows in the order of their keys.  Too many rows are joined. */
static int name_rows(struct plot *p)
{
    struct rank *ranks = make_ranks(&p->rows);
    uint32_t nr = p->rows.nr;
    uint32_t *place = fault_malloc((nr + 1) * sizeof(*place));

    if ( !ranks || !place )
    {
        free(ranks);
        free(place);
        return -ENOMEM;
    }
    qsort(ranks, nr, sizeof(*ranks), compare_by_key);
    place_rows(p, ranks, place);
    fill_rows(p, ranks, place);
    for ( size_t i = 0; i < p->view.nr_marks; i++ )
    {
        assert(p->marks[i].value < nr);
        p->marks[i].value = place[p->marks[i].value];
    }
    free(ranks);
    free(place);
    return 0;
}

int plot_choose_series(struct plot *p)
{
    int rc = 0;

    assert(p->closed && !p->view.nr_series && !p->view.nr_rows);
    if ( p->series.failed || p->rows.failed )
        rc = -ENOMEM;
    if ( !rc && p->series.nr > PLOT_SERIES )
        rc = join_domains(p);
    rc = rc ? rc : name_series(p);
    if ( !rc && p->view.bars )
        rc = name_rows(p);
    return rc;
}
