/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control on CPU 1 begins at the nth instruction of a writer on CPU 0, and
 * its IPI lands again behind each instruction from there on, until control
 * is content.  An operation that stops tracing has stopped it when it
 * returns: not a byte of the ring may change any more, wherever in its middle
 * the writer is.
 */
#include "tests/step/kinds.h"

#include "tests/step/beside.h"
#include "tests/step/scene.h"
#include "tests/step/stepper.h"

#include <stdio.h>

#define MOST_PAGES 3
#define PATIENCE 1000       /* turns that control may need without a writer */

static int mask_out(void)
{
    static const uint8_t one = 2;

    return kit_set_cpu_mask(&one, 8);
}

static int mask_in(void)
{
    static const uint8_t both = 3;

    return kit_set_cpu_mask(&both, 8);
}

static int freeze_and_enable(void)
{
    return kit_freeze() ?: kit_enable();
}

static int do_nothing(void)
{
    return 0;
}

static const struct operation
{
    const char *name;
    int (*operate)(void);
    int rc;
    int (*undo)(void);
    bool stops;             /* CPU 0 does not trace when it is done */
    bool settles;           /* losses that do not fit are not reported */
    bool gives_up;          /* what was unread */
} operations[] = {
    { "disable", kit_disable, 0, kit_enable, true, true, false },
    { "mask", mask_out, 0, mask_in, true, false, false },
    { "free, while mapped", kit_free, -EBUSY, do_nothing, false, false, false },
    { "enable", kit_enable, 0, do_nothing, false, false, false },
    { "overwrite", kit_overwrite, 0, freeze_and_enable, false, true, true },
};

struct trial
{
    struct world w;
    const struct operation *operation;
    unsigned long at;
    bool begun;
    bool stopped;           /* and `ring` is what it was like then */
    struct beside beside;
    unsigned char ring[MOST_PAGES * PAGE_SIZE];
};

static void look_at_ring(struct trial *t)
{
    if ( t->operation->gives_up )
        kit_forget(&t->w.reader);
    world_look(&t->w);
}

static void note_stop(struct trial *t)
{
    if ( t->stopped || !t->operation->stops )
        return;
    memcpy(t->ring, t->w.reader.ring, t->w.reader.pages * PAGE_SIZE);
    t->stopped = true;
}

static bool interrupt_beside(void *arg, unsigned long n)
{
    struct trial *t = arg;

    if ( n == t->at )
    {
        t->begun = true;
        beside_start(&t->beside, t->operation->operate);
    }
    if ( t->begun && beside_run(&t->beside) )
        note_stop(t);
    look_at_ring(t);
    return true;
}

/* A writer that saw the enable flag before it fell. */
static void write_late(struct trial *t)
{
    struct world *w = &t->w;
    size_t bytes = w->reader.pages * PAGE_SIZE;

    memcpy(t->ring, w->reader.ring, bytes);
    trace_record(TRACE_HEADER(KIT_EVENT, true, 0), NULL);
    if ( memcmp(t->ring, w->reader.ring, bytes) )
        world_fault(w, "a late record is written during %s",
                    t->operation->name);
}

/* The writer is out: now control must come to an end. */
static void finish_run(struct trial *t)
{
    struct world *w = &t->w;
    unsigned int turns = 0;

    if ( t->stopped && memcmp(t->ring, w->reader.ring,
                              w->reader.pages * PAGE_SIZE) )
        world_fault(w, "written to after %s", t->operation->name);
    while ( !beside_run(&t->beside) && turns++ < PATIENCE )
        ;
    if ( !t->beside.done )
        world_fault(w, "%s does not end", t->operation->name);
    else if ( t->beside.rc != t->operation->rc )
        world_fault(w, "%s: %d", t->operation->name, t->beside.rc);
}

/*
 * Without a writer: between its steps, and behind them if it stops tracing, a
 * late one finds the ring not live.
 */
static void play_alone(struct trial *t)
{
    beside_start(&t->beside, t->operation->operate);
    while ( !t->beside.done )
    {
        write_late(t);
        beside_run(&t->beside);
    }
    if ( t->operation->stops )
        write_late(t);
}

static void undo_change(struct trial *t)
{
    if ( t->operation->undo() )
        world_fault(&t->w, "%s cannot be undone", t->operation->name);
    if ( t->operation->settles )
        world_forgive(&t->w);
    world_balance(&t->w);
}

static void settle_threads(struct trial *t)
{
    if ( !t->operation->gives_up )
    {
        t->w.excused++;
        world_due(&t->w);
    }
    undo_change(t);
}

static bool run_beside(struct trial *t, const struct scene *scene,
                       struct tally *tally)
{
    struct world_record record;

    scene_prepare(&t->w, scene);
    record = world_draw(&t->w);
    t->begun = t->stopped = false;
    tally->steps += step(world_put, &record, interrupt_beside, t);
    tally->trials++;
    if ( t->begun )
    {
        finish_run(t);
        if ( !t->w.fault[0] )
            settle_threads(t);
    }
    else
        world_balance(&t->w);
    play_alone(t);
    undo_change(t);

    if ( t->w.fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault),
                 "%s; %s at instruction %lu: %s", scene->name,
                 t->operation->name, t->at, t->w.fault);
    return t->begun;
}

static void run_pair(struct trial *t, const struct scene *scene,
                     const struct plan *plan, struct tally *tally)
{
    uint32_t random = t->w.random;
    unsigned int i;

    for ( i = 1; !tally->fault[0] && (plan->full || i <= plan->trials); i++ )
    {
        t->at = plan->full ? i : 1 + world_any(&t->w, 300);
        if ( plan->full )
            t->w.random = random; /* always the same writer */
        if ( !run_beside(t, scene, tally) && plan->full )
            break;
    }
}

void kind_beside(const struct plan *plan, struct tally *tally)
{
    static struct trial t;
    const struct scene *scene;
    unsigned int i, j;

    ASSERT(plan->pages <= MOST_PAGES);
    world_start(&t.w, 2, plan->pages, plan->seed);
    for ( i = 0; (scene = scene_row(i)); i++ )
        for ( j = 0; j < ARRAY_SIZE(operations); j++ )
        {
            t.operation = &operations[j];
            if ( kind_wants(plan->first, scene->name) &&
                 kind_wants(plan->second, operations[j].name) )
                run_pair(&t, scene, plan, tally);
        }
}
