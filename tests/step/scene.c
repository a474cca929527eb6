/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states from which a writer is stepped.  Each is an edge of the ring,
 * or two of them at once; where exactly, is drawn anew for every trial.
 */
#include "tests/step/scene.h"

static const struct scene scenes[] = {
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
    { "anywhere, nearly full, owed",
      ANYWHERE, { 0, 0 }, FREE, { 0, 120 }, true },
    { "anywhere, owed",
      ANYWHERE, { 0, 0 }, FREE, { 200, 800 }, true },
    { "page end, empty",
      BEFORE_PAGE_END, { 4, 80 }, UNREAD, { 0, 0 }, false },
    { "page end, nearly full, owed",
      BEFORE_PAGE_END, { 4, 80 }, FREE, { 20, 140 }, true },
    { "ring end, empty",
      BEFORE_END, { 4, 80 }, UNREAD, { 0, 0 }, false },
    { "ring end, below the mark",
      BEFORE_END, { 4, 60 }, BELOW_MARK, { 4, 60 }, false },
    { "ring end, nearly full",
      BEFORE_END, { 4, 60 }, FREE, { 0, 100 }, false },
    { "ring end, owed",
      BEFORE_END, { 4, 100 }, FREE, { 200, 800 }, true },
    { "ring end, nearly full, owed",
      BEFORE_END, { 4, 80 }, FREE, { 20, 160 }, true },
};

const struct scene *scene_row(unsigned int i)
{
    return i < ARRAY_SIZE(scenes) ? &scenes[i] : NULL;
}

static uint32_t draw_scene(struct world *w, struct span span)
{
    return span.least + 4 * world_any(w, (span.most - span.least) / 4 + 1);
}

/* The byte of the ring where the stepped writer shall begin. */
static uint32_t draw_place(struct world *w, const struct scene *s)
{
    uint32_t size = w->reader.size, left = draw_scene(w, s->left);
    uint32_t pages = w->reader.pages;

    if ( s->where == ANYWHERE )
        return 4 * world_any(w, size / 4);
    if ( s->where == BEFORE_PAGE_END )
        size -= PAGE_SIZE * world_any(w, pages); /* the last is the ring's */
    return size - left;
}

static uint32_t draw_unread(struct world *w, const struct scene *s)
{
    uint32_t size = w->reader.size, bytes = draw_scene(w, s->bytes);

    switch ( s->how_full )
    {
    case FREE: return size - bytes;
    case BELOW_MARK: return (size / 2 & ~3) - bytes;
    default: return bytes;
    }
}

/* Empty, and the next record goes there. */
static void go_to(struct world *w, uint32_t place)
{
    uint32_t size = w->reader.size, way, part;

    world_take_all(w);
    way = (place + size - world_place(w)) % size;
    for ( ; way; way -= part )
    {
        part = min(way, 1024U);
        world_fill(w, part);
        world_take_all(w);
    }
}

/*
 * From `place` round to it again: full.  One more is lost.  Then records are
 * taken until there is the room that is wanted.
 */
static void prepare_owed(struct world *w, uint32_t place, uint32_t unread)
{
    go_to(w, place);
    world_fill(w, w->reader.size);
    world_emit(w);
    while ( world_unread(w) > unread )
        world_take(w, 1);
}

void scene_prepare(struct world *w, const struct scene *scene)
{
    uint32_t size = w->reader.size;
    uint32_t place = draw_place(w, scene), unread = draw_unread(w, scene);

    if ( scene->owed )
        prepare_owed(w, place, unread);
    else
    {
        go_to(w, (place + size - unread) % size);
        world_fill(w, unread);
    }
    xensim_run_tasklets();
}
