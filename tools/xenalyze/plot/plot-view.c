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

static int compare_by_weight(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

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
        plot_name_series(&p->view.series[i], ranks[i].key, i, p->view.names);
    if ( named < nr )
        plot_name_series(&p->view.series[named],
                         PLOT_KEY(PLOT_OF_OTHERS, 0), named, NULL);
    p->view.nr_series = named + (named < nr);
    assert(p->view.nr_series <= PLOT_SERIES);
    for ( size_t i = 0; i < p->view.nr_marks; i++ )
    {
        assert(p->marks[i].series < nr);
        p->marks[i].series = place[p->marks[i].series];
    }
    free(ranks);
    free(place);
    return 0;
}

/* Rows in the order of their keys.  Too many rows are joined. */
static int name_rows(struct plot *p)
{
    struct rank *ranks = make_ranks(&p->rows);
    uint32_t nr = p->rows.nr, share = (nr + PLOT_MAX_ROWS - 1) / PLOT_MAX_ROWS;
    uint32_t *place = fault_malloc((nr + 1) * sizeof(*place));

    if ( !ranks || !place )
    {
        free(ranks);
        free(place);
        return -ENOMEM;
    }
    p->view.per_row = share;
    qsort(ranks, nr, sizeof(*ranks), compare_by_key);
    for ( uint32_t i = 0; i < nr; i++ )
        place[ranks[i].number] = i / share;
    for ( uint32_t i = 0; i < nr; i += share )
        plot_name_row(&p->view.rows[p->view.nr_rows++], p->about.unit,
                      ranks[i].key,
                      ranks[i + share <= nr ? i + share - 1 : nr - 1].key,
                      p->view.names);
    assert(p->view.nr_rows <= PLOT_MAX_ROWS);
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
