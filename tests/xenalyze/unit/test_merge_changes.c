/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues of changes are applied in time order, by any algorithm: few pcpus,
 * many pcpus, and few pcpus over a span too long for merging.  The visible
 * effects are losses, which end at each second change.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/unit.h"
#include "xenalyze/engine/merge-changes.h"

#define MOST_QUEUES 40u
#define LONG 200u               /* changes in a queue, at most */

static struct
{
    unsigned int nr, disorders;
    uint64_t time;
    uint32_t pcpu;
} seen;

static void see_loss(void *state, const struct fact_loss *f)
{
    (void)state;
    seen.disorders += f->to < seen.time ||
                      (f->to == seen.time && f->pcpu < seen.pcpu);
    seen.time = f->to;
    seen.pcpu = f->pcpu;
    seen.nr++;
}

/* Add changes with rising times, many of them equal; returns the losses. */
static unsigned int fill(struct changes *q, uint32_t pcpu, uint64_t step,
                         uint64_t *seed)
{
    uint64_t time = step;
    unsigned int nr = unit_random(seed) % LONG;

    for ( unsigned int i = 0; i < nr; i++ )
    {
        struct change *c = changes_add(q);

        *c = (struct change){ .time = time, .pcpu = pcpu,
                              .kind = i % 2 ? CHANGE_FOUND : CHANGE_LOSS };
        time += unit_random(seed) % 3 * step;
    }
    return nr / 2;
}

static void merge_queues(unsigned int nr, uint64_t step, bool is_prepared,
                         uint64_t *seed)
{
    const struct sink_ops ops = { .loss = see_loss };
    const struct sink sink = { .ops = &ops };
    struct changes queues[MOST_QUEUES] = { 0 };
    struct change_merge merge;
    struct global global;
    struct arena arena;
    unsigned int expected = 0;

    memset(&seen, 0, sizeof(seen));
    memset(&global, 0, sizeof(global));
    arena_init(&arena, 0);
    ck_assert_int_eq(emit_init(&global.emit, &arena, &sink, 1), 0);
    ck_assert_int_eq(change_merge_init(&merge, nr), 0);
    for ( unsigned int i = 0; i < nr; i++ )
    {
        ck_assert_int_eq(global_add_pcpu(&global, i, 0), 0);
        expected += fill(&queues[i], i, step, seed);
        change_merge_add(&merge, &queues[i]);
    }
    if ( is_prepared )
        ck_assert_int_eq(change_merge_prepare(&merge), 0);
    ck_assert_uint_eq(seen.nr, 0);
    ck_assert_int_eq(change_merge_apply(&merge, &global), 0);
    ck_assert_uint_eq(seen.nr, expected);
    ck_assert_uint_eq(seen.disorders, 0);
    ck_assert_int_eq(change_merge_apply(&merge, &global), 0);
    ck_assert_uint_eq(seen.nr, expected);
    for ( unsigned int i = 0; i < nr; i++ )
        free(queues[i].items);
    global_fini(&global);
    change_merge_fini(&merge);
    arena_fini(&arena);
}

START_TEST(either_way)
{
    uint64_t seed = unit_seed();

    for ( unsigned int nr = 0; nr <= MOST_QUEUES; nr++ )
        for ( unsigned int is_prepared = 0; is_prepared < 2; is_prepared++ )
        {
            merge_queues(nr, 1, is_prepared, &seed);
            merge_queues(nr, UINT64_MAX / 3 / LONG, is_prepared, &seed);
        }
}
END_TEST

UNIT_MAIN("merge_changes", either_way)
