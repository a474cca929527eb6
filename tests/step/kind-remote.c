/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A control operation on CPU 1 starts at the nth instruction of a writer on
 * CPU 0, and its IPI is delivered again after each following instruction until
 * the operation finishes.  An operation that stops tracing has stopped all
 * writers when it returns: no byte of the ring may change afterwards, whichever
 * instruction the writer was interrupted at.
 */
#include "tests/step/kinds.h"

#include "tests/step/remote-op.h"
#include "tests/step/ring-setup.h"
#include "tests/step/stepper.h"

#include <stdio.h>

#define MAX_PAGES 3
#define MAX_RESUMES 1000    /* resumes of an operation without a writer */

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
    bool stops_tracing;     /* CPU 0 does not trace after the operation */
    bool drops_losses;      /* losses that do not fit are not reported */
    bool drops_unread;      /* discards unread records */
} operations[] = {
    { "disable", kit_disable, 0, kit_enable, true, true, false },
    { "mask", mask_out, 0, mask_in, true, false, false },
    { "free, while mapped", kit_free, -EBUSY, do_nothing, false, false, false },
    { "enable", kit_enable, 0, do_nothing, false, false, false },
    { "overwrite", kit_overwrite, 0, freeze_and_enable, false, true, true },
};

struct trial
{
    struct step_state st;
    const struct operation *operation;
    unsigned long at;
    bool started;
    bool stopped;           /* `ring` is a copy from that moment */
    struct remote_op remote_op;
    unsigned char ring[MAX_PAGES * PAGE_SIZE];
};

static void check_ring_now(struct trial *t)
{
    if ( t->operation->drops_unread )
        kit_forget(&t->st.reader);
    state_check(&t->st);
}

static void copy_stopped_ring(struct trial *t)
{
    if ( t->stopped || !t->operation->stops_tracing )
        return;
    memcpy(t->ring, t->st.reader.ring, t->st.reader.pages * PAGE_SIZE);
    t->stopped = true;
}

static bool start_or_resume(void *arg, unsigned long n)
{
    struct trial *t = arg;

    if ( n == t->at )
    {
        t->started = true;
        remote_op_start(&t->remote_op, t->operation->operate);
    }
    if ( t->started && remote_op_resume(&t->remote_op) )
        copy_stopped_ring(t);
    check_ring_now(t);
    return true;
}

/* A writer that read the enable flag before the flag was cleared. */
static void write_late(struct trial *t)
{
    struct step_state *st = &t->st;
    size_t bytes = st->reader.pages * PAGE_SIZE;

    memcpy(t->ring, st->reader.ring, bytes);
    trace_record(TRACE_HEADER(KIT_EVENT, true, 0), NULL);
    if ( memcmp(t->ring, st->reader.ring, bytes) )
        state_fault(st, "a late record is written during %s",
                    t->operation->name);
}

/* The writer has finished, so the control operation has to finish too. */
static void finish_run(struct trial *t)
{
    struct step_state *st = &t->st;
    unsigned int resumes = 0;

    if ( t->stopped && memcmp(t->ring, st->reader.ring,
                              st->reader.pages * PAGE_SIZE) )
        state_fault(st, "written to after %s", t->operation->name);
    while ( !remote_op_resume(&t->remote_op) && resumes++ < MAX_RESUMES )
        ;
    if ( !t->remote_op.done )
        state_fault(st, "%s does not end", t->operation->name);
    else if ( t->remote_op.rc != t->operation->rc )
        state_fault(st, "%s: %d", t->operation->name, t->remote_op.rc);
}

/*
 * Run the operation without a writer.  A late writer between the steps of the
 * operation, and after an operation that stops tracing, finds the ring not
 * live.
 */
static void run_without_writer(struct trial *t)
{
    remote_op_start(&t->remote_op, t->operation->operate);
    while ( !t->remote_op.done )
    {
        write_late(t);
        remote_op_resume(&t->remote_op);
    }
    if ( t->operation->stops_tracing )
        write_late(t);
}

static void undo_change(struct trial *t)
{
    if ( t->operation->undo() )
        state_fault(&t->st, "%s cannot be undone", t->operation->name);
    if ( t->operation->drops_losses )
        state_reset_counts(&t->st);
    state_check_balance(&t->st);
}

static void check_interrupted(struct trial *t)
{
    if ( !t->operation->drops_unread )
    {
        t->st.may_be_missing++;
        state_check_counts(&t->st);
    }
    undo_change(t);
}

static bool run_remote(struct trial *t, const struct ring_setup *setup,
                       struct tally *tally)
{
    struct test_record record;

    setup_apply(&t->st, setup);
    record = state_draw_record(&t->st);
    t->started = t->stopped = false;
    tally->steps += step_function(write_test_record, &record, start_or_resume,
                                  t);
    tally->trials++;
    if ( t->started )
    {
        finish_run(t);
        if ( !t->st.fault[0] )
            check_interrupted(t);
    }
    else
        state_check_balance(&t->st);
    run_without_writer(t);
    undo_change(t);

    if ( t->st.fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault),
                 "%s; %s at instruction %lu: %s", setup->name,
                 t->operation->name, t->at, t->st.fault);
    return t->started;
}

static void run_pair(struct trial *t, const struct ring_setup *setup,
                     const struct plan *plan, struct tally *tally)
{
    uint32_t random = t->st.random;
    unsigned int i;

    for ( i = 1; !tally->fault[0] && (plan->full || i <= plan->trials); i++ )
    {
        t->at = plan->full ? i : 1 + state_random(&t->st, 300);
        if ( plan->full )
            t->st.random = random; /* the same writer each time */
        if ( !run_remote(t, setup, tally) && plan->full )
            break;
    }
}

void kind_remote(const struct plan *plan, struct tally *tally)
{
    static struct trial t;
    const struct ring_setup *setup;
    unsigned int i, j;

    ASSERT(plan->pages <= MAX_PAGES);
    state_init(&t.st, 2, plan->pages, plan->seed);
    for ( i = 0; (setup = setup_row(i)); i++ )
        for ( j = 0; j < ARRAY_SIZE(operations); j++ )
        {
            t.operation = &operations[j];
            if ( kind_matches(plan->first, setup->name) &&
                 kind_matches(plan->second, operations[j].name) )
                run_pair(&t, setup, plan, tally);
        }
}
