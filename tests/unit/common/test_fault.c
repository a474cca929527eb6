/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fault points: exactly the selected call fails. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/fault.h"
#include "unit.h"

START_TEST(unarmed_nothing_fails_or_counts)
{
    void *block;

    fault_disarm();
    block = fault_malloc(1);
    ck_assert_ptr_nonnull(block);
    free(block);
    ck_assert_uint_eq(fault_count(FAULT_ALLOC), 0);
}
END_TEST

START_TEST(only_the_nth_fails)
{
    unsigned int i;

    fault_arm(FAULT_READ, 3);
    for ( i = 1; i <= 6; i++ )
    {
        errno = 0;
        ck_assert_int_eq(fault_hit(FAULT_READ), i == 3);
        ck_assert_int_eq(errno, i == 3 ? EIO : 0);
        ck_assert(!fault_hit(FAULT_WRITE));
    }
    ck_assert_uint_eq(fault_count(FAULT_READ), 6);
    ck_assert_uint_eq(fault_fired(FAULT_READ), 1);
    ck_assert_uint_eq(fault_fired(FAULT_WRITE), 0);
}
END_TEST

START_TEST(from_the_nth_on_all_fail)
{
    unsigned int i;

    fault_arm_from(FAULT_WRITE, 2);
    for ( i = 1; i <= 5; i++ )
        ck_assert_int_eq(fault_hit(FAULT_WRITE), i >= 2);
    ck_assert_uint_eq(fault_fired(FAULT_WRITE), 4);
}
END_TEST

START_TEST(zero_only_counts)
{
    fault_arm(FAULT_OPEN, 0);
    ck_assert(!fault_hit(FAULT_OPEN));
    fault_arm_from(FAULT_MMAP, 0);
    ck_assert(!fault_hit(FAULT_MMAP));
    ck_assert_uint_eq(fault_count(FAULT_OPEN), 1);
    ck_assert_uint_eq(fault_count(FAULT_MMAP), 1);
}
END_TEST

START_TEST(arming_again_starts_afresh)
{
    fault_arm(FAULT_ALLOC, 1);
    ck_assert(fault_hit(FAULT_ALLOC));
    fault_arm(FAULT_ALLOC, 1);
    ck_assert_uint_eq(fault_count(FAULT_ALLOC), 0);
    ck_assert(fault_hit(FAULT_ALLOC));
    fault_disarm();
    ck_assert(!fault_hit(FAULT_ALLOC));
}
END_TEST

START_TEST(memory_wrappers)
{
    char *block, *copy;

    fault_arm_from(FAULT_ALLOC, 1);
    ck_assert_ptr_null(fault_malloc(1));
    ck_assert_int_eq(errno, ENOMEM);
    ck_assert_ptr_null(fault_calloc(1, 1));
    ck_assert_ptr_null(fault_strdup("x"));

    fault_arm(FAULT_ALLOC, 4);
    block = fault_calloc(2, 2);
    ck_assert_mem_eq(block, "\0\0\0\0", 4);
    block = fault_realloc(block, 8);
    ck_assert_ptr_nonnull(block);
    strcpy(block, "seventy");
    copy = fault_strdup(block);
    ck_assert_str_eq(copy, "seventy");
    /* A failed realloc leaves the old block as it was. */
    ck_assert_ptr_null(fault_realloc(block, 16));
    ck_assert_str_eq(block, "seventy");
    free(block);
    free(copy);
}
END_TEST

START_TEST(blocks_are_counted)
{
    void *a, *b, *old;

    fault_disarm();
    old = fault_malloc(1);
    fault_arm(FAULT_ALLOC, 3);
    a = fault_realloc(NULL, 1);
    b = fault_calloc(1, 1);
    ck_assert_ptr_null(fault_malloc(1));
    ck_assert_int_eq(fault_blocks(), 2);
    a = fault_realloc(a, 100);
    ck_assert_int_eq(fault_blocks(), 2);
    fault_free(a);
    fault_free(NULL);
    ck_assert_int_eq(fault_blocks(), 1);
    fault_arm(FAULT_ALLOC, 0);
    ck_assert_int_eq(fault_blocks(), 0);
    fault_disarm();
    fault_free(b);
    fault_free(old);
    ck_assert_int_eq(fault_blocks(), 0);
}
END_TEST

static int open_scratch(void)
{
    FILE *f = tmpfile();
    int fd;

    ck_assert_ptr_nonnull(f);
    fd = dup(fileno(f));
    fclose(f);
    ck_assert_int_ge(fd, 0);
    return fd;
}

START_TEST(file_wrappers_fail)
{
    struct iovec iov = { (char *)"x", 1 };
    int fd = open_scratch();
    char c;

    fault_arm_from(FAULT_WRITE, 1);
    fault_arm_from(FAULT_READ, 1);
    ck_assert_int_eq(fault_write(fd, "x", 1), -1);
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert_int_eq(fault_pwrite(fd, "x", 1, 0), -1);
    ck_assert_int_eq(fault_writev(fd, &iov, 1), -1);
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), 0);
    ck_assert_int_eq(fault_read(fd, &c, 1), -1);
    ck_assert_int_eq(errno, EIO);
    ck_assert_int_eq(fault_pread(fd, &c, 1, 0), -1);
    fault_arm(FAULT_INTERRUPT, 1);
    fault_arm(FAULT_READ, 0);
    ck_assert_int_eq(fault_read(fd, &c, 1), -1);
    ck_assert_int_eq(errno, EINTR);
    close(fd);
}
END_TEST

START_TEST(file_wrappers_work)
{
    struct iovec iov[2] = { { (char *)"cd", 2 }, { (char *)"ef", 2 } };
    int fd = open_scratch();
    char text[8] = "";

    fault_disarm();
    ck_assert_int_eq(fault_write(fd, "ab", 2), 2);
    ck_assert_int_eq(fault_writev(fd, iov, 2), 4);
    ck_assert_int_eq(fault_pwrite(fd, "B", 1, 1), 1);
    ck_assert_int_eq(fault_pread(fd, text, sizeof(text), 0), 6);
    ck_assert_str_eq(text, "aBcdef");
    lseek(fd, 4, SEEK_SET);
    ck_assert_int_eq(fault_read(fd, text, sizeof(text)), 2);
    ck_assert_mem_eq(text, "ef", 2);
    close(fd);
}
END_TEST

START_TEST(short_transfers)
{
    struct iovec iov[3] = { { NULL, 0 }, { (char *)"bc", 2 },
                            { (char *)"d", 1 } };
    int fd = open_scratch();
    char text[8] = "";

    fault_arm_from(FAULT_SHORT_WRITE, 1);
    ck_assert_int_eq(fault_write(fd, "axx", 3), 1);
    ck_assert_int_eq(fault_writev(fd, iov, 3), 1);
    ck_assert_int_eq(fault_writev(fd, iov, 1), 0);
    ck_assert_int_eq(fault_writev(fd, iov, 0), 0);
    fault_arm(FAULT_SHORT_READ, 1);
    ck_assert_int_eq(fault_pread(fd, text, 2, 0), 1);
    ck_assert_int_eq(fault_pread(fd, text, 8, 0), 2);
    ck_assert_str_eq(text, "ab");
    close(fd);
}
END_TEST

START_TEST(open_and_mmap)
{
    void *at;
    int fd;

    fault_arm(FAULT_OPEN, 1);
    ck_assert_int_eq(fault_open("/dev/null", O_RDONLY, 0), -1);
    ck_assert_int_eq(errno, EMFILE);
    fd = fault_open("/dev/null", O_RDONLY, 0);
    ck_assert_int_ge(fd, 0);
    close(fd);

    fault_arm(FAULT_MMAP, 1);
    at = fault_mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(at == MAP_FAILED);
    ck_assert_int_eq(errno, ENOMEM);
    at = fault_mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(at != MAP_FAILED);
    munmap(at, 4096);
}
END_TEST

START_TEST(text_arms_several)
{
    struct err e = ERR_INIT;

    fault_disarm();
    ck_assert_int_eq(fault_arm_text("alloc:2,short-write:1+", &e), 0);
    ck_assert(!fault_hit(FAULT_ALLOC));
    ck_assert(fault_hit(FAULT_ALLOC));
    ck_assert(!fault_hit(FAULT_ALLOC));
    ck_assert(fault_hit(FAULT_SHORT_WRITE));
    ck_assert(fault_hit(FAULT_SHORT_WRITE));
    ck_assert_int_eq(e.code, 0);
}
END_TEST

START_TEST(bad_text_arms_nothing)
{
    static const char *const bad[] = {
        "", "alloc", "alloc:", "alloc:0", "alloc:-1", "alloc:x", "alloc:1x",
        "alloc:1,", ",alloc:1", "allo:1", "allocs:1", "alloc:1,write:",
        "alloc:1 ", "alloc: 1", "alloc:1++", "alloc:99999999999999999999",
        "alloc,write:1",
    };
    unsigned int i;

    for ( i = 0; i < sizeof(bad) / sizeof(bad[0]); i++ )
    {
        struct err e = ERR_INIT;
        char text[256];

        fault_disarm();
        ck_assert_msg(fault_arm_text(bad[i], &e) == -EINVAL, "%s", bad[i]);
        ck_assert_msg(!fault_hit(FAULT_ALLOC), "%s", bad[i]);
        snprintf(text, sizeof(text), "FAULT=%s: not understood; it is KIND:N "
                 "or KIND:N+, more of them after a comma, such as "
                 "alloc:3,write:1+", bad[i]);
        ck_assert_str_eq(e.text, text);
    }
}
END_TEST

/*
 * The first use of a fault point reads the environment.  check forks for each
 * test, so this test is the first use.  (With CK_FORK=no it fails.)
 */
START_TEST(environment_is_found_unasked)
{
    setenv("FAULT", "open:2", 1);
    ck_assert(!fault_hit(FAULT_OPEN));
    ck_assert(fault_hit(FAULT_OPEN));
    ck_assert(!fault_hit(FAULT_OPEN));
}
END_TEST

START_TEST(bad_environment_is_told_to_main)
{
    struct err e = ERR_INIT;

    setenv("FAULT", "opne:2", 1);
    ck_assert(!fault_hit(FAULT_OPEN));
    ck_assert_int_eq(fault_arm_env(&e), -EINVAL);
    ck_assert_int_eq(e.code, -EINVAL);

    e = (struct err)ERR_INIT;
    setenv("FAULT", "", 1);
    ck_assert_int_eq(fault_arm_env(&e), 0);
    unsetenv("FAULT");
    ck_assert_int_eq(fault_arm_env(&e), 0);
}
END_TEST

/* Reading an empty environment keeps the points armed by the API. */
START_TEST(empty_environment_keeps_what_is_armed)
{
    unsetenv("FAULT");
    fault_arm(FAULT_ALLOC, 1);
    ck_assert_int_eq(fault_arm_env(NULL), 0);
    ck_assert(fault_hit(FAULT_ALLOC));
}
END_TEST

#define THREADS 4
#define HITS 10000

static void *hit_often(void *fired)
{
    unsigned int i;

    for ( i = 0; i < HITS; i++ )
        *(unsigned int *)fired += fault_hit(FAULT_ALLOC);
    return NULL;
}

START_TEST(one_of_many_threads_fails_once)
{
    unsigned int fired[THREADS] = { 0 }, i, sum = 0;
    pthread_t threads[THREADS];

    fault_arm(FAULT_ALLOC, THREADS * HITS / 2);
    for ( i = 0; i < THREADS; i++ )
        ck_assert(!pthread_create(&threads[i], NULL, hit_often, &fired[i]));
    for ( i = 0; i < THREADS; i++ )
    {
        pthread_join(threads[i], NULL);
        sum += fired[i];
    }
    ck_assert_uint_eq(sum, 1);
    ck_assert_uint_eq(fault_count(FAULT_ALLOC), THREADS * HITS);
}
END_TEST

UNIT_MAIN("fault", unarmed_nothing_fails_or_counts, only_the_nth_fails,
          from_the_nth_on_all_fail, zero_only_counts,
          arming_again_starts_afresh, memory_wrappers, blocks_are_counted,
          file_wrappers_fail,
          file_wrappers_work, short_transfers, open_and_mmap,
          text_arms_several, bad_text_arms_nothing,
          environment_is_found_unasked, bad_environment_is_told_to_main,
          empty_environment_keeps_what_is_armed,
          one_of_many_threads_fails_once)
