/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Something happens at the nth instruction of a writer; it may happen twice.
 * All the while what is published is read and checked, before each
 * instruction and (in half of the trials) after; in the end the books must
 * balance.
 */
#include "tests/step/kinds.h"

#include "tests/step/scene.h"
#include "tests/step/stepper.h"

#include <stdio.h>

#define WRITERS 4

struct trial
{
    struct world w;
    const struct action *action;
    unsigned long at;       /* the instruction where it happens */
    unsigned long gap;      /* so many later it does again; 0: not */
    unsigned long length;   /* of the writer: its instructions */
    bool happened;
    bool watch;             /* what comes afterwards, too */
};

static bool interrupt_writer(void *arg, unsigned long n)
{
    struct trial *t = arg;

    if ( n == t->at || (t->gap && n == t->at + t->gap) )
    {
        t->action->act(&t->w);
        t->happened = true;
    }
    world_look(&t->w);
    return n <= t->at + t->gap || t->watch;
}

/* Answers false when the writer was done before `at`. */
static bool run_writer(struct trial *t, const struct scene *scene,
                       struct tally *tally)
{
    struct world_record record;

    scene_prepare(&t->w, scene);
    record = world_draw(&t->w);
    t->happened = false;
    t->watch = t->gap || world_any(&t->w, 2);
    t->length = step(world_put, &record, interrupt_writer, t);
    tally->steps += t->length;
    tally->trials++;
    world_balance(&t->w);

    if ( t->w.fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault),
                 "%s; %s at instruction %lu (and %lu later): %s",
                 scene->name, t->action->name, t->at, t->gap, t->w.fault);
    return t->happened;
}

/* Each instruction of a writer, always the same one. */
static void run_through(struct trial *t, const struct scene *scene,
                        struct tally *tally)
{
    uint32_t random = t->w.random;

    t->at = 0;
    do
    {
        t->at++;
        t->w.random = random;
    } while ( run_writer(t, scene, tally) && !tally->fault[0] );
}

/* All instructions of a few writers, or some: a writer has 150 to 450. */
static void run_pair(struct trial *t, const struct scene *scene,
                     const struct plan *plan, struct tally *tally)
{
    unsigned int i, most = plan->full ? WRITERS : plan->trials;

    for ( i = 0; !tally->fault[0] && i < most; i++ )
        if ( plan->full )
            run_through(t, scene, tally);
        else
        {
            t->at = 1 + world_any(&t->w, 400);
            run_writer(t, scene, tally);
        }
}

/* Twice: most of all while it publishes, which is the last that it does. */
static void run_twice(struct trial *t, const struct scene *scene,
                      const struct plan *plan, struct tally *tally)
{
    unsigned int i, most = plan->full ? 600 : plan->trials;
    unsigned long behind;

    t->at = t->gap = 0;
    run_writer(t, scene, tally);
    for ( i = 0; !tally->fault[0] && i < most; i++ )
    {
        behind = plan->full ? 1 + i / 10 : 1 + world_any(&t->w, t->length);
        t->gap = 1 + (plan->full ? i % 10 : world_any(&t->w, 20));
        t->at = t->length > behind ? t->length - behind : 1;
        run_writer(t, scene, tally);
    }
    t->gap = 0;
}

static void each_pair(const struct plan *plan, struct tally *tally,
                      void (*pair)(struct trial *t, const struct scene *scene,
                                   const struct plan *plan,
                                   struct tally *tally))
{
    static struct trial t;
    const struct scene *scene;
    unsigned int i, j;

    world_start(&t.w, 1, plan->pages, plan->seed);
    for ( i = 0; (scene = scene_row(i)); i++ )
        for ( j = 0; (t.action = action_row(j)); j++ )
            if ( kind_wants(plan->first, scene->name) &&
                 kind_wants(plan->second, t.action->name) )
                pair(&t, scene, plan, tally);
}

void kind_writer(const struct plan *plan, struct tally *tally)
{
    each_pair(plan, tally, run_pair);
}

void kind_twice(const struct plan *plan, struct tally *tally)
{
    each_pair(plan, tally, run_twice);
}
