/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A piece is complete when the next one has another rival or cause.  Then it
 * joins the list; from a full list, the shortest piece is removed.
 */
#include "xenalyze/account/wait-pieces.h"

#include <assert.h>
#include <string.h>

#include "common/debug.h"
#include "xenalyze/account/wait-cause.h"

void wait_pieces_begin(struct wait_pieces *p, uint64_t from)
{
    p->nr = 0;
    p->shorter = p->nr_shorter = 0;
    p->open = (struct wait_piece){ .from = from, .to = from };
}

static uint64_t get_piece_length(const struct wait_piece *piece)
{
    debug_assert(piece->from <= piece->to);
    return piece->to - piece->from;
}

/* Pieces of the same length: the last one is removed. */
static void remove_shortest_piece(struct wait_pieces *p)
{
    uint32_t shortest = WAIT_PIECES;
    uint64_t length = get_piece_length(&p->open);

    assert(p->nr == WAIT_PIECES);
    for ( uint32_t i = WAIT_PIECES; i--; )
        if ( get_piece_length(&p->list[i]) < length )
        {
            shortest = i;
            length = get_piece_length(&p->list[i]);
        }
    p->shorter += length;
    p->nr_shorter++;
    if ( shortest == WAIT_PIECES )
        return;
    memmove(&p->list[shortest], &p->list[shortest + 1],
            (WAIT_PIECES - 1 - shortest) * sizeof(p->list[0]));
    p->list[WAIT_PIECES - 1] = p->open;
}

static void close_piece(struct wait_pieces *p)
{
    debug_assert(p->nr <= WAIT_PIECES);
    if ( !get_piece_length(&p->open) )
        return;
    if ( p->nr < WAIT_PIECES )
        p->list[p->nr++] = p->open;
    else
        remove_shortest_piece(p);
}

static bool piece_continues(const struct wait_piece *piece, uint8_t cause,
                            const struct vcpu *rival)
{
    debug_assert(cause < WAIT_CAUSES);
    if ( !rival )
        return !piece->has_rival && piece->cause == cause;
    return piece->has_rival && piece->domain == rival->domain->id &&
           piece->vcpu == rival->id;
}

void wait_pieces_add(struct wait_pieces *p, uint8_t cause,
                     const struct vcpu *rival, uint64_t cycles)
{
    uint64_t at = p->open.to;

    if ( !cycles )
        return;
    if ( !piece_continues(&p->open, cause, rival) )
    {
        close_piece(p);
        p->open = (struct wait_piece){
            .from = at, .cause = rival ? 0 : cause, .has_rival = rival,
            .domain = rival ? rival->domain->id : 0,
            .vcpu = rival ? rival->id : 0,
        };
    }
    p->open.to = at + cycles;
    p->open.limited += cause == WAIT_RATELIMIT ? cycles : 0;
    p->open.placed += cause == WAIT_PLACEMENT ? cycles : 0;
}

void wait_pieces_end(struct wait_pieces *p)
{
    close_piece(p);
    p->open.from = p->open.to;
}
