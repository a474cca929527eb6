/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores that a weakly ordered CPU, as of Arm, may show another CPU in another
 * order.  Only a barrier between two stores keeps their order, so for each
 * store that publishes bytes (prod, or the offset of a list in t_info), a
 * barrier has to lie between it and each store to these bytes.
 *
 * This is all that a search through the allowed orders could find in a writer:
 * a reader that loads the publishing store first may miss exactly the stores
 * without such a barrier.  tests/model/litmus.c searches the orders of writer
 * and reader together.
 *
 * Stores are seen as changes of memory between two instructions, and barriers
 * as the marked instructions of xensim/include/asm/system.h.
 */
#include "tests/step/kinds.h"

#include "tests/step/ring-setup.h"
#include "tests/step/stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <xen/cpu.h>

/* Shared memory, and its bytes with a store behind the last barrier. */
struct watch
{
    const unsigned char *at;
    size_t bytes;
    unsigned char *copy;
    bool *is_unordered;
};

static void watch_begin(struct watch *w, const void *at, size_t bytes)
{
    *w = (struct watch){
        .at = at, .bytes = bytes, .copy = malloc(bytes),
        .is_unordered = calloc(bytes, sizeof(bool)),
    };
    memcpy(w->copy, at, bytes);
}

static void watch_end(struct watch *w)
{
    free(w->copy);
    free(w->is_unordered);
}

static void note_stores(struct watch *w)
{
    size_t i;

    if ( !memcmp(w->copy, w->at, w->bytes) )
        return;
    for ( i = 0; i < w->bytes; i++ )
        if ( w->copy[i] != w->at[i] )
            w->is_unordered[i] = true;
    memcpy(w->copy, w->at, w->bytes);
}

/* The next instruction is a barrier. */
static void note_barrier(struct watch *w)
{
    memset(w->is_unordered, 0, w->bytes * sizeof(bool));
}

/* ---- records ---------------------------------------------------------- */

struct order_trial
{
    struct step_state st;
    struct watch ring;
    uint32_t prod;          /* the last one, below twice the size */
    unsigned long at;       /* instruction where a nested writer begins */
    bool is_nested;         /* the nested writer runs, or has run */
    unsigned long steps, stores;
};

static void check_published(struct order_trial *t, uint32_t prod)
{
    uint32_t size = t->st.reader.size, at = t->prod;
    unsigned int offset;

    for ( ; at != prod; at = (at + 1) % (2 * size) )
    {
        offset = sizeof(struct t_buf) + at % size;
        if ( t->ring.is_unordered[offset] )
            state_fault(&t->st, "prod %u publishes byte %u of the ring, which "
                        "was stored behind the last barrier", prod, at % size);
    }
    t->prod = prod;
    t->stores++;
}

static bool watch_writer(void *arg, unsigned long n)
{
    struct order_trial *t = arg;
    struct test_record record;
    uint32_t prod;

    note_stores(&t->ring);
    prod = t->st.reader.ring->prod;
    if ( prod != t->prod )
        check_published(t, prod);
    if ( stepper_is_at_barrier() )
        note_barrier(&t->ring);
    t->steps++;
    if ( n != t->at || t->is_nested )
        return true;
    t->is_nested = true;
    record = state_draw_record(&t->st);
    step_function(write_test_record, &record, watch_writer, t);
    return true;
}

static void run_order(struct order_trial *t, const struct ring_setup *setup,
                      struct tally *tally)
{
    struct test_record record;

    setup_apply(&t->st, setup);
    watch_begin(&t->ring, t->st.reader.ring,
                t->st.reader.pages * PAGE_SIZE);
    t->prod = t->st.reader.ring->prod;
    t->is_nested = false;
    t->at = 1 + state_random(&t->st, 400);
    record = state_draw_record(&t->st);
    step_function(write_test_record, &record, watch_writer, t);
    watch_end(&t->ring);
    state_check_balance(&t->st);
    tally->trials++;
    if ( t->st.fault[0] && !tally->fault[0] )
        snprintf(tally->fault, sizeof(tally->fault), "%s; nested at %lu: %s",
                 setup->name, t->at, t->st.fault);
}

void kind_order(const struct plan *plan, struct tally *tally)
{
    static struct order_trial t;
    const struct ring_setup *setup;
    unsigned int i, j;

    state_init(&t.st, 1, plan->pages, plan->seed);
    for ( i = 0; (setup = setup_row(i)); i++ )
        for ( j = 0; j < plan->trials && !tally->fault[0]; j++ )
            if ( kind_matches(plan->first, setup->name) )
                run_order(&t, setup, tally);
    tally->steps = t.steps;
    /* A full ring publishes nothing. */
    if ( !tally->fault[0] && tally->trials && t.stores < tally->trials / 2 )
        snprintf(tally->fault, sizeof(tally->fault),
                 "%lu trials published only %lu times", tally->trials,
                 t.stores);
}

/* ---- a new ring in t_info --------------------------------------------- */

#define NEW_CPU 1

struct listing
{
    struct watch info;
    unsigned int pages;
    uint16_t offset;        /* 0: not listed yet */
    unsigned long steps;
    struct tally *tally;
};

static void check_listed(struct listing *l)
{
    const struct t_info *info = (const void *)l->info.at;
    size_t i, from = info->mfn_offset[NEW_CPU] * sizeof(uint32_t);

    l->offset = info->mfn_offset[NEW_CPU];
    for ( i = from; i < from + l->pages * sizeof(uint32_t); i++ )
        if ( l->info.is_unordered[i] )
            snprintf(l->tally->fault, sizeof(l->tally->fault),
                     "offset %u of a CPU is stored without a barrier behind "
                     "byte %zu of t_info", l->offset, i);
}

static bool watch_arrival(void *arg, unsigned long n)
{
    struct listing *l = arg;
    const struct t_info *info = (const void *)l->info.at;

    (void)n;
    l->steps++;
    note_stores(&l->info);
    if ( info->mfn_offset[NEW_CPU] != l->offset )
        check_listed(l);
    if ( stepper_is_at_barrier() )
        note_barrier(&l->info);
    return true;
}

static void bring_up(void *rc)
{
    *(int *)rc = cpu_up(NEW_CPU);
}

/* A CPU comes online while rings exist, as dom0 may read t_info meanwhile. */
void kind_listing(const struct plan *plan, struct tally *tally)
{
    const struct xensim_config config = {
        .cpus = 2, .online = 1, .frames = 64, .poison = true,
        .all_messages = true,
    };
    struct listing l = { .pages = plan->pages, .tally = tally };
    struct xen_sysctl_tbuf_op op;
    void *info = MAP_FAILED;
    int rc = -1;

    if ( !kit_start(&config) && !kit_set_size(plan->pages) &&
         !kit_get_info(&op) )
        info = mmap(NULL, op.size, PROT_READ, MAP_SHARED, xensim_arena_fd(),
                    (off_t)op.buffer_mfn * PAGE_SIZE);
    if ( info != MAP_FAILED )
    {
        watch_begin(&l.info, info, op.size);
        step_function(bring_up, &rc, watch_arrival, &l);
        watch_end(&l.info);
        munmap(info, op.size);
    }
    tally->trials = 1;
    tally->steps = l.steps;
    if ( !tally->fault[0] && (rc || !l.offset) )
        snprintf(tally->fault, sizeof(tally->fault),
                 "the ring of CPU %u is not listed: %d", NEW_CPU, rc);
}
