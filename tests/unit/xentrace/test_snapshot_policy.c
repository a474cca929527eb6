/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which firings of triggers are written, and which files are kept.
 */
#include "xentrace/snapshot-policy.h"

#include "common/fault.h"

#include "tests/unit/libxentrace/unit.h"

START_TEST(cool_down)
{
    struct snapshot_policy p;

    snapshot_policy_init(&p, 1000, 0);
    ck_assert(snapshot_policy_admit(&p, 0, 1500, 3));
    snapshot_policy_cool(&p, 0, 1500);
    ck_assert(!snapshot_policy_admit(&p, 1, 1500, 1));
    ck_assert(!snapshot_policy_admit(&p, 999, 2999, 2));
    ck_assert(!snapshot_policy_admit(&p, 999, 0, 4));
    ck_assert_uint_eq(p.nr_cooled, 7);
    ck_assert_uint_eq(p.nr_milder, 0);

    /* Twice as bad: written, and the cool-down begins again. */
    ck_assert(snapshot_policy_admit(&p, 999, 3000, 1));
    snapshot_policy_cool(&p, 999, 3000);
    ck_assert(!snapshot_policy_admit(&p, 1998, 5999, 1));
    ck_assert(snapshot_policy_admit(&p, 1998, 6000, 1));
    ck_assert(snapshot_policy_admit(&p, 1999, 1, 1));
    snapshot_policy_fini(&p);
}
END_TEST

START_TEST(no_cool_down)
{
    struct snapshot_policy p;

    snapshot_policy_init(&p, 0, 0);
    for ( unsigned int i = 0; i < 3; i++ )
    {
        ck_assert(snapshot_policy_admit(&p, 5, 0, 1));
        snapshot_policy_cool(&p, 5, 0);
    }
    snapshot_policy_fini(&p);
}
END_TEST

/* An event has no measure: any measured case is worse. */
START_TEST(measured_case_after_an_event)
{
    struct snapshot_policy p;

    snapshot_policy_init(&p, 1000, 0);
    snapshot_policy_cool(&p, 0, 0);
    ck_assert(!snapshot_policy_admit(&p, 1, 0, 1));
    ck_assert(snapshot_policy_admit(&p, 1, 1001, 1));
    snapshot_policy_fini(&p);
}
END_TEST

/* Any order of severities leaves the worst ones. */
START_TEST(keep_the_worst)
{
    static const uint64_t severity[] = { 5, 90, 7, 90, 3, 8, 8, 100, 9 };
    bool there[sizeof(severity) / sizeof(severity[0]) + 1] = { false };
    struct snapshot_policy p;
    unsigned int nr = 0, victim;

    snapshot_policy_init(&p, 0, 3);
    for ( size_t i = 0; i < sizeof(severity) / sizeof(severity[0]); i++ )
        if ( snapshot_policy_admit(&p, i, severity[i], 1) )
        {
            victim = snapshot_policy_keep(&p, ++nr, severity[i]);
            ck_assert(!victim || there[victim]);
            there[victim] = false;
            there[nr] = true;
        }
    /* Written: 5, 90, 7, 90 for 5, 8 for 7, 100 for 8; not: 3, 8, 9. */
    ck_assert_uint_eq(nr, 6);
    ck_assert_uint_eq(p.nr_milder, 3);
    ck_assert(there[2] && there[4] && there[6]);
    ck_assert(!there[1] && !there[3] && !there[5]);
    snapshot_policy_fini(&p);
}
END_TEST

/* Signals and events never displace a measured case, nor the other way. */
START_TEST(keep_the_newest_without_a_measure)
{
    struct snapshot_policy p;

    snapshot_policy_init(&p, 0, 2);
    ck_assert_uint_eq(snapshot_policy_keep(&p, 1, 50), 0);
    ck_assert_uint_eq(snapshot_policy_keep(&p, 2, 0), 0);
    ck_assert_uint_eq(snapshot_policy_keep(&p, 3, 0), 0);
    ck_assert_uint_eq(snapshot_policy_keep(&p, 4, 0), 2);
    ck_assert_uint_eq(snapshot_policy_keep(&p, 5, 60), 0);
    ck_assert(snapshot_policy_admit(&p, 0, 0, 1));
    ck_assert(!snapshot_policy_admit(&p, 0, 50, 1));
    ck_assert_uint_eq(snapshot_policy_keep(&p, 6, 51), 1);
    ck_assert_uint_eq(snapshot_policy_keep(&p, 7, 0), 3);
    snapshot_policy_fini(&p);
}
END_TEST

START_TEST(keep_all)
{
    struct snapshot_policy p;

    snapshot_policy_init(&p, 0, 0);
    for ( unsigned int nr = 1; nr < 100; nr++ )
        ck_assert_uint_eq(snapshot_policy_keep(&p, nr, nr), 0);
    ck_assert_uint_eq(p.nr_kept, 0);
    snapshot_policy_fini(&p);
}
END_TEST

/* Without memory for the list, a file is kept. */
START_TEST(no_memory)
{
    struct snapshot_policy p;

    snapshot_policy_init(&p, 0, 20);
    fault_arm(FAULT_ALLOC, 1);
    ck_assert_uint_eq(snapshot_policy_keep(&p, 1, 5), 0);
    fault_disarm();
    for ( unsigned int nr = 2; nr <= 21; nr++ )
        ck_assert_uint_eq(snapshot_policy_keep(&p, nr, nr), 0);
    ck_assert_uint_eq(snapshot_policy_keep(&p, 22, 22), 2);
    snapshot_policy_fini(&p);
}
END_TEST

UNIT_MAIN("snapshot-policy", cool_down, no_cool_down,
          measured_case_after_an_event, keep_the_worst,
          keep_the_newest_without_a_measure, keep_all, no_memory)
