/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows are made when a report needs them: wait-explain.c counts by vcpu.
 */
#include "xenalyze/account/wait-matrix.h"

#include <assert.h>
#include <stdlib.h>

bool wait_is_asked(const struct wait_causes *w, uint16_t domain, uint16_t id)
{
    assert(w->has_domain || !w->has_vcpu);
    return (!w->has_domain || domain == w->domain) &&
           (!w->has_vcpu || id == w->id);
}

/* Another vcpu ran. */
static bool cause_has_rival(enum wait_cause cause)
{
    return cause == WAIT_RIVAL || cause == WAIT_SIBLING ||
           cause == WAIT_RATELIMIT || cause == WAIT_PLACEMENT;
}

static void add_cell(struct wait_matrix_row *row, uint16_t domain,
                     uint64_t cycles)
{
    if ( cycles )
        row->cells[row->nr_cells++] =
            (struct wait_matrix_cell){ domain, cycles };
}

/* The time of the vcpu's own domain is what other domains leave. */
static void add_vcpu_to_row(struct wait_matrix_row *row,
                            const struct wait_vcpu *v)
{
    const uint64_t *causes = v->sums.causes;
    uint64_t own = v->sums.others_ran - v->other_rivals;

    assert(v->sums.others_ran == causes[WAIT_RIVAL] + causes[WAIT_SIBLING] +
                                 causes[WAIT_RATELIMIT] +
                                 causes[WAIT_PLACEMENT]);
    row->waited += v->sums.waited;
    row->others += v->other_rivals;
    for ( unsigned int i = 0; i < WAIT_CAUSES; i++ )
        if ( !cause_has_rival(i) )
            row->causes[i] += causes[i];
    for ( const struct wait_rival *r = v->rivals; r; r = r->next )
    {
        add_cell(row, r->domain, r->cycles);
        own -= r->cycles;
    }
    add_cell(row, v->domain, own);
}

static int compare_cell_domains(const void *a, const void *b)
{
    const struct wait_matrix_cell *x = a, *y = b;

    return (int)x->domain - y->domain;
}

static int compare_cell_times(const void *a, const void *b)
{
    const struct wait_matrix_cell *x = a, *y = b;

    if ( x->cycles != y->cycles )
        return x->cycles > y->cycles ? -1 : 1;
    return compare_cell_domains(a, b);
}

/* One cell for each domain. */
static void merge_cells(struct wait_matrix_row *row)
{
    size_t nr = 0;

    if ( !row->nr_cells )
        return;
    qsort(row->cells, row->nr_cells, sizeof(*row->cells),
          compare_cell_domains);
    for ( size_t i = 0; i < row->nr_cells; i++ )
        if ( nr && row->cells[nr - 1].domain == row->cells[i].domain )
            row->cells[nr - 1].cycles += row->cells[i].cycles;
        else
            row->cells[nr++] = row->cells[i];
    row->nr_cells = nr;
    qsort(row->cells, nr, sizeof(*row->cells), compare_cell_times);
}

bool wait_matrix_next(struct wait_causes *w, uint32_t *index,
                      struct wait_matrix_row *row)
{
    uint32_t first = *index, end = first;
    size_t room = 0;

    assert(first < w->nr_vcpus);
    for ( ; end < w->nr_vcpus &&
            w->vcpus[end]->domain == w->vcpus[first]->domain; end++ )
        room += w->vcpus[end]->nr_rivals + 1;
    *index = end;
    *row = (struct wait_matrix_row){ .domain = w->vcpus[first]->domain };
    row->cells = arena_array(&w->pool.arena, room, sizeof(*row->cells), 8);
    w->failed |= !row->cells;
    if ( !row->cells )
        return false;
    for ( ; first < end; first++ )
        if ( wait_is_asked(w, row->domain, w->vcpus[first]->id) )
            add_vcpu_to_row(row, w->vcpus[first]);
    assert(row->nr_cells <= room);
    merge_cells(row);
    return true;
}
