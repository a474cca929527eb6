/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring compared with the model: every combination near the edges, and
 * random sequences of records, reads and fills.
 *
 * The seed is fixed; RING_SEED sets another.  A failure prints the seed.
 */
#include "tests/unit/xen/rig.h"

#include "tests/unit/xen/model.h"

#include <stdlib.h>

static struct rig rig;
static struct model model;

static const char *seed = "1";

static void play_both(const char *script)
{
    const char *real = rig_play(&rig, script);
    const char *ideal = model_play(&model, script);

    if ( strcmp(real, ideal) )
        ck_abort_msg("RING_SEED=%s, script %s\nring:  %s\nmodel: %s",
                     seed, script, real, ideal);
}

static void start_pair(unsigned int pages)
{
    rig_start(&rig, pages);
    model_start(&model, pages);
}

static const char *const shapes[] = {
    "r4", "r8", "r12", "r16", "r20", "r24", "r28", "r32",
    "R12", "R16", "R20", "R24", "R28", "R32", "R36", "R40",
};

/* ---- every edge ------------------------------------------------------- */

/* Fill the ring, with its head at this distance from the end. */
static void fill_up(unsigned int left, bool owed)
{
    unsigned int i;

    play_both(rig_script("? @-%u", left));
    for ( i = 0; i < 40; i++ )
        play_both("r4"); /* lost; a read makes room for one word */
    play_both(owed ? "= r4" : "=");
}

/*
 * A record at each distance from the end, with and without owed losses; with
 * exactly the needed room, with a word less and a word more.
 */
START_TEST(every_edge)
{
    const char *shape = shapes[_i];
    unsigned int left, owed;
    int more;

    start_pair(1);
    for ( left = 4; left <= 80; left += 4 )
        for ( owed = 0; owed <= 1; owed++ )
            for ( more = -1; more <= 1; more++ )
            {
                fill_up(left, owed);
                play_both(rig_script("?%d",
                                     model_total(&model, shape) / 4 + more));
                play_both(rig_script("%s ?", shape));
            }
    rig_balance(&rig);
}
END_TEST

/* ---- a walk ----------------------------------------------------------- */

static uint32_t state;

static uint32_t random_below(uint32_t below)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

/* Kinds of random walks: how many of 100 steps read all, some, fill, jump */
static const struct
{
    unsigned int pages, read, read_some, fill, jump;
} walks[] = {
    { 1, 1, 0, 0, 0 },    /* mostly full */
    { 1, 8, 0, 2, 0 },
    { 1, 0, 30, 2, 0 },   /* a reader that never catches up */
    { 1, 10, 10, 4, 2 },
    { 2, 1, 4, 1, 0 },
    { 2, 2, 0, 2, 1 },
    { 3, 1, 2, 1, 0 },
    { 5, 1, 1, 1, 1 },
};

#define STEPS 20000

static void do_step(unsigned int walk)
{
    uint32_t n = random_below(100), unread = rig_unread(&rig);

    if ( n < walks[walk].read )
        play_both("?");
    else if ( (n -= walks[walk].read) < walks[walk].read_some )
        play_both(rig_script("?%u", random_below(40)));
    else if ( (n -= walks[walk].read_some) < walks[walk].fill )
        play_both(rig_script("=%u",
                             unread + 4 * random_below(
                                 (rig.reader.size - unread) / 4 + 1)));
    else if ( (n -= walks[walk].fill) < walks[walk].jump )
        play_both(rig_script("@%u", random_below(rig.reader.size / 4) * 4));
    else
        play_both(shapes[random_below(ARRAY_SIZE(shapes))]);
}

START_TEST(walk)
{
    unsigned int i;

    seed = getenv("RING_SEED") ?: seed;
    state = strtoul(seed, NULL, 0) * 100 + _i;
    start_pair(walks[_i].pages);
    for ( i = 0; i < STEPS; i++ )
        do_step(_i);
    rig_balance(&rig);
}
END_TEST

/*
 * Dom0 is notified exactly once per crossing of the mark, if it reads all
 * records each time.
 */
START_TEST(crossings)
{
    unsigned int i, crossed, notified = 0;

    state = _i;
    start_pair(1 + _i);
    for ( i = 0; i < 100000; i++ )
    {
        crossed = model.crossings;
        play_both(random_below(rig.reader.size / 16)
                  ? shapes[random_below(ARRAY_SIZE(shapes))] : "?");
        if ( rig_virqs() != model.crossings - crossed )
            ck_abort_msg("told, and not crossed, or the other way");
        notified += model.crossings - crossed;
    }
    ck_assert_uint_gt(notified, 50);
    rig_balance(&rig);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("model");

    tcase_add_loop_test(tests, every_edge, 0, ARRAY_SIZE(shapes));
    tcase_add_loop_test(tests, walk, 0, ARRAY_SIZE(walks));
    tcase_add_loop_test(tests, crossings, 0, 3);

    return rig_main(tests);
}
