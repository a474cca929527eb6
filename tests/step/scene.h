/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of a ring from which a writer is stepped, and what happens to
 * it in the middle: two tables, of which every row meets every other.
 */
#ifndef TESTS_STEP_SCENE_H
#define TESTS_STEP_SCENE_H

#include "tests/step/world.h"

/* Multiples of 4, in bytes. */
struct span
{
    uint32_t least, most;
};

struct scene
{
    const char *name;
    enum { ANYWHERE, BEFORE_END, BEFORE_PAGE_END } where;
    struct span left;       /* so many bytes before there */
    enum { UNREAD, FREE, BELOW_MARK } how_full;
    struct span bytes;      /* so many of them */
    bool owed;              /* a record was lost, nobody said so yet */
};

struct action
{
    const char *name;
    void (*act)(struct world *w);
};

/* The ith row; NULL: there are no more. */
const struct scene *scene_row(unsigned int i);
const struct action *action_row(unsigned int i);

void scene_prepare(struct world *w, const struct scene *scene);

#endif /* TESTS_STEP_SCENE_H */
