/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No thread passes a barrier before all have reached the same round, whether
 * they arrive at once or one of them sleeps for so long that the others do.
 */
#include <pthread.h>
#include <time.h>

#include "tests/unit/common/unit.h"
#include "xenalyze/engine/barrier.h"

#define THREADS 5u
#define ROUNDS 2000u
#define LATE_EVERY 100u

static struct barrier barrier;
static unsigned int rounds[THREADS];    /* by thread, between barriers */
static unsigned int wrong[THREADS];

static void *run_thread(void *arg)
{
    const struct timespec late = { .tv_nsec = 1000000 };
    unsigned int me = (unsigned int *)arg - rounds;

    for ( unsigned int round = 1; round <= ROUNDS; round++ )
    {
        if ( round % LATE_EVERY == 0 && round / LATE_EVERY % THREADS == me )
            nanosleep(&late, NULL);
        rounds[me] = round;
        barrier_wait(&barrier);
        for ( unsigned int i = 0; i < THREADS; i++ )
            wrong[me] += rounds[i] != round;
        barrier_wait(&barrier);
    }
    return NULL;
}

START_TEST(rounds_are_common)
{
    pthread_t threads[THREADS];

    barrier_init(&barrier, THREADS);
    for ( unsigned int i = 0; i < THREADS; i++ )
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_thread,
                                        &rounds[i]), 0);
    for ( unsigned int i = 0; i < THREADS; i++ )
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    for ( unsigned int i = 0; i < THREADS; i++ )
    {
        ck_assert_uint_eq(rounds[i], ROUNDS);
        ck_assert_uint_eq(wrong[i], 0);
    }
    barrier_fini(&barrier);
}
END_TEST

START_TEST(one_thread_passes)
{
    barrier_init(&barrier, 1);
    for ( unsigned int round = 0; round < ROUNDS; round++ )
        barrier_wait(&barrier);
    ck_assert_uint_eq(atomic_load(&barrier.round), ROUNDS);
    barrier_fini(&barrier);
}
END_TEST

UNIT_MAIN("barrier", rounds_are_common, one_thread_passes)
