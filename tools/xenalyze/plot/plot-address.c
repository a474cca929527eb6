/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A piecewise linear axis of addresses.  A guest's user and kernel addresses
 * are so far apart that on one scale each would be a line.  So the axis is
 * split at the largest gaps between the addresses, into pieces with a scale
 * each.
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/fault.h"

#define GAP 28.0                /* pixels from piece to piece */
#define MIN_GAP 65536u          /* bytes */

static int compare_values(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Insert the gap before values[at] into `cuts`, the largest gaps in order. */
static void note_gap(const uint64_t *values, size_t at,
                     size_t cuts[PLOT_PIECES - 1], unsigned int *nr)
{
    uint64_t gap = values[at] - values[at - 1];
    unsigned int i = *nr;

    assert(at && *nr <= PLOT_PIECES - 1);
    if ( gap < MIN_GAP )
        return;
    while ( i && gap > values[cuts[i - 1]] - values[cuts[i - 1] - 1] )
    {
        if ( i < PLOT_PIECES - 1 )
            cuts[i] = cuts[i - 1];
        i--;
    }
    if ( i == PLOT_PIECES - 1 )
        return;
    cuts[i] = at;
    *nr += *nr < PLOT_PIECES - 1;
}

static int compare_places(const void *a, const void *b)
{
    const size_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Large pieces get more room, but not in proportion. */
static double piece_weight(const struct plot_piece *piece)
{
    return log2((double)(piece->high - piece->low) + 256);
}

static void place_pieces(struct plot_view *v)
{
    double weights = 0, bottom = v->bottom - GAP / 2;
    double room = bottom - PLOT_TOP - GAP / 2 - GAP * (v->nr_pieces - 1);

    assert(v->nr_pieces && v->nr_pieces <= PLOT_PIECES && room > 0);
    for ( unsigned int i = 0; i < v->nr_pieces; i++ )
        weights += piece_weight(&v->pieces[i]);
    for ( unsigned int i = 0; i < v->nr_pieces; i++ )
    {
        v->pieces[i].bottom = bottom;
        bottom -= room * piece_weight(&v->pieces[i]) / weights;
        v->pieces[i].top = bottom;
        bottom -= GAP;
    }
}

int plot_split_addresses(struct plot_view *v)
{
    uint64_t *values = fault_malloc((v->nr_marks + 1) * sizeof(*values));
    size_t cuts[PLOT_PIECES - 1], from = 0;
    unsigned int nr = 0;

    if ( !values )
        return -ENOMEM;
    values[0] = 0;
    for ( size_t i = 0; i < v->nr_marks; i++ )
        values[i] = (uint64_t)v->marks[i].value;
    qsort(values, v->nr_marks, sizeof(*values), compare_values);
    for ( size_t i = 1; i < v->nr_marks; i++ )
        note_gap(values, i, cuts, &nr);
    qsort(cuts, nr, sizeof(cuts[0]), compare_places);
    for ( unsigned int i = 0; i <= nr; i++ )
    {
        size_t end = i < nr ? cuts[i] : v->nr_marks ? v->nr_marks : 1;

        assert(from < end);
        v->pieces[i] = (struct plot_piece){ values[from], values[end - 1],
                                            0, 0 };
        from = end;
    }
    v->nr_pieces = nr + 1;
    free(values);
    place_pieces(v);
    return 0;
}

static double piece_y(const struct plot_piece *p, uint64_t value)
{
    double whole = (double)(p->high - p->low);
    double part = whole > 0 ? (double)(value - p->low) / whole : 0.5;

    return p->bottom - part * (p->bottom - p->top);
}

double plot_address_y(const struct plot_view *v, uint64_t value)
{
    unsigned int i = 0;

    assert(v->nr_pieces && v->nr_pieces <= PLOT_PIECES);
    while ( i + 1 < v->nr_pieces && value > v->pieces[i].high )
        i++;
    if ( value < v->pieces[i].low )
        value = v->pieces[i].low;
    if ( value > v->pieces[i].high )
        value = v->pieces[i].high;
    return piece_y(&v->pieces[i], value);
}

/* Ticks at the ends, if there is room, and at round addresses between. */
static unsigned int piece_ticks(const struct plot_piece *p,
                                struct plot_tick *ticks, unsigned int room)
{
    uint64_t step = 1, at;
    double high = p->bottom - p->top, before = p->bottom;
    unsigned int n = 0;

    while ( (p->high - p->low) / step > high / 70 )
        step *= 2;
    assert(p->low <= p->high && p->top <= p->bottom);
    for ( at = p->low; n < room; at = (at / step + 1) * step )
    {
        double y = piece_y(p, at);

        if ( n && before - y < 22 )
            break;
        ticks[n].at = before = y;
        snprintf(ticks[n++].text, PLOT_NAME, "%" PRIx64, at);
        if ( p->high - at < step || p->high / step == at / step )
            break;
    }
    if ( n < room && before - p->top >= 22 )
    {
        ticks[n].at = p->top;
        snprintf(ticks[n++].text, PLOT_NAME, "%" PRIx64, p->high);
    }
    return n;
}

unsigned int plot_address_ticks(const struct plot_view *v,
                                struct plot_tick ticks[PLOT_TICKS])
{
    unsigned int n = 0;

    for ( unsigned int i = 0; i < v->nr_pieces; i++ )
        n += piece_ticks(&v->pieces[i], ticks + n,
                         (PLOT_TICKS - n) / (v->nr_pieces - i));
    assert(n <= PLOT_TICKS);
    return n;
}
