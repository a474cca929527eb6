/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The initial states of stepped writers.  Each is an edge case of the ring, or
 * two at once; the exact position is random in every trial.
 */
#include "tests/step/ring-setup.h"

static const struct ring_setup setups[] = {
    { "anywhere, empty",
      ANYWHERE, { 0, 0 }, UNREAD, { 0, 0 }, false },
    { "anywhere, some unread",
      ANYWHERE, { 0, 0 }, UNREAD, { 40, 400 }, false },
    { "anywhere, below the mark",
      ANYWHERE, { 0, 0 }, BELOW_MARK, { 4, 60 }, false },
    { "anywhere, full",
      ANYWHERE, { 0, 0 }, FREE, { 0, 0 }, false },
    { "anywhere, nearly full",
      ANYWHERE, { 0, 0 }, FREE, { 0, 80 }, false },
    { "anywhere, nearly full, loss pending",
      ANYWHERE, { 0, 0 }, FREE, { 0, 120 }, true },
    { "anywhere, loss pending",
      ANYWHERE, { 0, 0 }, FREE, { 200, 800 }, true },
    { "page end, empty",
      BEFORE_PAGE_END, { 4, 80 }, UNREAD, { 0, 0 }, false },
    { "page end, nearly full, loss pending",
      BEFORE_PAGE_END, { 4, 80 }, FREE, { 20, 140 }, true },
    { "ring end, empty",
      BEFORE_END, { 4, 80 }, UNREAD, { 0, 0 }, false },
    { "ring end, below the mark",
      BEFORE_END, { 4, 60 }, BELOW_MARK, { 4, 60 }, false },
    { "ring end, nearly full",
      BEFORE_END, { 4, 60 }, FREE, { 0, 100 }, false },
    { "ring end, loss pending",
      BEFORE_END, { 4, 100 }, FREE, { 200, 800 }, true },
    { "ring end, nearly full, loss pending",
      BEFORE_END, { 4, 80 }, FREE, { 20, 160 }, true },
};

const struct ring_setup *setup_row(unsigned int i)
{
    return i < ARRAY_SIZE(setups) ? &setups[i] : NULL;
}

static uint32_t pick_from_span(struct step_state *st, struct span span)
{
    return span.min + 4 * state_random(st, (span.max - span.min) / 4 + 1);
}

/* A random offset in the ring for the record of the stepped writer. */
static uint32_t pick_position(struct step_state *st,
                              const struct ring_setup *s)
{
    uint32_t size = st->reader.size, distance = pick_from_span(st, s->distance);
    uint32_t pages = st->reader.pages;

    if ( s->anchor == ANYWHERE )
        return 4 * state_random(st, size / 4);
    if ( s->anchor == BEFORE_PAGE_END )
        size -= PAGE_SIZE * state_random(st, pages); /* 0: ring end */
    return size - distance;
}

static uint32_t pick_unread(struct step_state *st, const struct ring_setup *s)
{
    uint32_t size = st->reader.size, bytes = pick_from_span(st, s->bytes);

    switch ( s->amount_kind )
    {
    case FREE: return size - bytes;
    case BELOW_MARK: return (size / 2 & ~3) - bytes;
    default: return bytes;
    }
}

/* Empty the ring, with the next record at `position`. */
static void move_prod_to(struct step_state *st, uint32_t position)
{
    uint32_t size = st->reader.size, gap, part;

    state_consume_all(st);
    gap = (position + size - state_position(st)) % size;
    for ( ; gap; gap -= part )
    {
        part = min(gap, 1024U);
        state_fill(st, part);
        state_consume_all(st);
    }
}

/*
 * Fill the ring, starting and ending at `position`, lose one record, and
 * consume records until `unread` bytes are left.
 */
static void apply_with_loss(struct step_state *st, uint32_t position,
                            uint32_t unread)
{
    move_prod_to(st, position);
    state_fill(st, st->reader.size);
    state_emit(st);
    while ( state_unread(st) > unread )
        state_consume(st, 1);
}

void setup_apply(struct step_state *st, const struct ring_setup *setup)
{
    uint32_t size = st->reader.size;
    uint32_t position = pick_position(st, setup);
    uint32_t unread = pick_unread(st, setup);

    if ( setup->loss_pending )
        apply_with_loss(st, position, unread);
    else
    {
        move_prod_to(st, (position + size - unread) % size);
        state_fill(st, unread);
    }
    xensim_run_tasklets();
}
