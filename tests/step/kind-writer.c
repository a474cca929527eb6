/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Something happens at the nth instruction of a writer.  All the while what
 * is published is read and checked, before each instruction and (in half of
 * the trials) after; in the end the books must balance.
 */
#include "tests/step/kinds.h"

#include "tests/step/scene.h"
#include "tests/step/stepper.h"

#include <stdio.h>

struct trial
{
    struct world w;
    const struct action *action;
    unsigned long at;       /* the instruction where it happens */
    bool happened;
    bool watch;             /* what comes afterwards, too */
};

static bool interrupt(void *arg, unsigned long n)
{
    struct trial *t = arg;

    if ( n == t->at )
    {
        t->action->act(&t->w);
        t->happened = true;
    }
    world_look(&t->w);
    return !t->happened || t->watch;
}

/* Answers false when the writer was done before `at`. */
static bool run(struct trial *t, const struct scene *scene,
                struct tally *tally)
{
    struct world_record record;

    scene_prepare(&t->w, scene);
    record = world_draw(&t->w);
    t->happened = false;
    t->watch = world_any(&t->w, 2);
    tally->steps += step(world_put, &record, interrupt, t);
    tally->trials++;
    world_balance(&t->w);

    if ( t->w.fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault),
                 "%s; %s at instruction %lu: %s", scene->name,
                 t->action->name, t->at, t->w.fault);
    return t->happened;
}

/* All instructions, or some: a writer has 150 to 450. */
static void run_pair(struct trial *t, const struct scene *scene,
                     const struct plan *plan, struct tally *tally)
{
    unsigned int i;

    for ( i = 1; !tally->fault[0]; i++ )
    {
        t->at = plan->full ? i : 1 + world_any(&t->w, 400);
        if ( plan->full ? !run(t, scene, tally) : i > plan->trials )
            break;
        if ( !plan->full )
            run(t, scene, tally);
    }
}

void kind_writer(const struct plan *plan, struct tally *tally)
{
    static struct trial t;
    const struct scene *scene;
    unsigned int i, j;

    world_start(&t.w, 1, plan->pages, plan->seed);
    for ( i = 0; (scene = scene_row(i)); i++ )
        for ( j = 0; (t.action = action_row(j)); j++ )
            if ( kind_wants(plan->first, scene->name) &&
                 kind_wants(plan->second, t.action->name) )
                run_pair(&t, scene, plan, tally);
}
