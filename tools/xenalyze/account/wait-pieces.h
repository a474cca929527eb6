/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pieces of a wait, in the order of time: in each, one vcpu had the pcpu,
 * or none for one cause.  A wait may have millions of pieces; the longest ones
 * are kept, and the rest is added up.
 */
#ifndef XENALYZE_ACCOUNT_WAIT_PIECES_H
#define XENALYZE_ACCOUNT_WAIT_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "xenalyze/model/model.h"

#define WAIT_PIECES 16u

struct wait_piece
{
    uint64_t from, to;
    bool has_rival;
    uint16_t domain, vcpu;      /* the rival */
    uint8_t cause;              /* enum wait_cause; without a rival */
    uint64_t limited, placed;   /* cycles of the rival with the causes
                                   WAIT_RATELIMIT and WAIT_PLACEMENT */
};

/* The times of all pieces and `shorter` add up to the wait. */
struct wait_pieces
{
    struct wait_piece list[WAIT_PIECES];        /* the longest, by time */
    uint32_t nr;
    struct wait_piece open;     /* may still grow; empty: from == to */
    uint64_t shorter;           /* cycles of all other pieces */
    uint64_t nr_shorter;
};

void wait_pieces_begin(struct wait_pieces *p, uint64_t from);

/* The next cycles of the wait.  `rival` NULL: no vcpu ran. */
void wait_pieces_add(struct wait_pieces *p, uint8_t cause,
                     const struct vcpu *rival, uint64_t cycles);

void wait_pieces_end(struct wait_pieces *p);

#endif /* XENALYZE_ACCOUNT_WAIT_PIECES_H */
