/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Losses of records in pictures of dots: a strip below the dots.  Memory is
 * bounded: losses that lie close together are joined.  (In pictures of bars, a
 * loss is a bar.)
 */
#include "xenalyze/plot/plot-draw.h"

#include <assert.h>
#include <stdlib.h>

#include "common/fault.h"

#define MAX_LOSSES (1u << 14)

static int compare_losses(const void *a, const void *b)
{
    const struct plot_loss *x = a, *y = b;

    return (x->from > y->from) - (x->from < y->from);
}

/* Join losses with at most `gap` nanoseconds between them. */
static void join_losses(struct plot *p, uint64_t gap)
{
    size_t n = 0;

    if ( p->nr_losses )
        qsort(p->losses, p->nr_losses, sizeof(*p->losses), compare_losses);
    for ( size_t i = 0; i < p->nr_losses; i++ )
    {
        const struct plot_loss loss = p->losses[i];
        struct plot_loss *last = n ? &p->losses[n - 1] : NULL;

        if ( last && (loss.from <= last->to ||
                      (uint64_t)loss.from - (uint64_t)last->to <= gap) )
            last->to = loss.to > last->to ? loss.to : last->to;
        else
            p->losses[n++] = loss;
    }
    p->nr_losses = n;
}

/* Make room for another loss.  False: out of memory. */
static bool grow_losses(struct plot *p)
{
    size_t room = p->losses_room ? 2 * p->losses_room : 64;
    struct plot_loss *larger;

    assert(p->nr_losses == p->losses_room);
    if ( p->losses_room == MAX_LOSSES )
    {
        do
        {
            join_losses(p, p->losses_gap);
            p->losses_gap = p->losses_gap * 2 + 1;
        } while ( p->nr_losses > MAX_LOSSES / 2 );
        return true;
    }
    larger = fault_realloc(p->losses, room * sizeof(*larger));
    p->failed |= !larger;
    if ( !larger )
        return false;
    p->losses = larger;
    p->losses_room = room;
    return true;
}

void plot_add_loss(struct plot *p, int64_t from, int64_t to)
{
    assert(!p->view.bars && !p->closed);
    if ( from >= to || p->failed ||
         (p->nr_losses == p->losses_room && !grow_losses(p)) )
        return;
    p->losses[p->nr_losses++] = (struct plot_loss){ from, to };
}

void plot_close_losses(struct plot *p)
{
    struct plot_view *v = &p->view;
    size_t n = 0;

    assert(p->closed && v->first < v->last);
    join_losses(p, ((uint64_t)v->last - (uint64_t)v->first) / PLOT_COLUMNS);
    for ( size_t i = 0; i < p->nr_losses; i++ )
    {
        struct plot_loss loss = p->losses[i];

        loss.from = loss.from > v->first ? loss.from : v->first;
        loss.to = loss.to < v->last ? loss.to : v->last;
        if ( loss.from < loss.to )
            p->losses[n++] = loss;
    }
    p->nr_losses = n;
    v->losses = p->losses;
    v->nr_losses = n;
}

/* A short loss is visible: three pixels wide. */
void plot_draw_losses(const struct plot_view *v, const struct plot_pen *pen)
{
    for ( size_t i = 0; i < v->nr_losses; i++ )
    {
        double from = plot_x(v, v->losses[i].from);
        double width = plot_x(v, v->losses[i].to) - from;

        assert(!i || v->losses[i - 1].to < v->losses[i].from);
        pen->rectangle(pen->state, from, v->bottom + PLOT_LOSS_GAP,
                       width > 3 ? width : 3, PLOT_LOSS_HEIGHT, PAINT_LOST);
    }
}

/* A sink of losses only: they come in any kind of pass. */
static void losses_begin(void *state, const struct fact_begin *f)
{
    struct timeline *t = state;

    t->clock = *f->clock;
}

static void note_plot_loss(void *state, const struct fact_loss *f)
{
    struct timeline *t = state;

    plot_add_loss(t->plot, xt_clock_ns(&t->clock, f->from),
                  xt_clock_ns(&t->clock, f->to));
}

struct sink losses_sink(struct timeline *t)
{
    static const struct sink_ops ops = {
        .name = "losses", .begin = losses_begin, .loss = note_plot_loss,
    };

    return (struct sink){ &ops, t };
}
