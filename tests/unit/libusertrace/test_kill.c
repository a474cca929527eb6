/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kill -9, many times: everything traced before the kill is in the file or in
 * the rings, once, or counted as dropped.  Recovery is implemented here a
 * second time from the text of simple-format.h, which tests the text, too.
 *
 * $KILLS is the number of kills (100; 1,000 in ./check --full).
 */
#include "events.h"
#include "tracefile.h"
#include "../common/runs-long.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { WRITERS = 64 };

EVENT(TRACE_TWO, "two", true, false);
static TraceEvent *events[] = { &_TRACE_TWO_EVENT, NULL };

/* Shared with the process that will be killed. */
static struct progress
{
    uint64_t begun[WRITERS], done[WRITERS];
} *progress;

static void *write_for_ever(void *arg)
{
    uint64_t who = (uintptr_t)arg;

    for ( uint64_t n = 0; ; n++ )
    {
        __atomic_store_n(&progress->begun[who], n + 1, __ATOMIC_RELEASE);
        trace_two(0, who, n);
        __atomic_store_n(&progress->done[who], n + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void run_victim(unsigned int writers, bool rotating)
{
    pthread_t thread;

    usertrace_use_backends("simple");
    trace_event_register_group(events);
    trace_init_backends();
    usertrace_ring_size(1, NULL);
    if ( rotating )
        usertrace_file_rotate(100000, 0);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    for ( uintptr_t i = 0; i < writers; i++ )
        pthread_create(&thread, NULL, write_for_ever, (void *)i);
    pause();
}

/* ---- recovery ----------------------------------------------------------- */

static void *map_file(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY);
    struct stat st;
    void *bytes;

    ck_assert_msg(fd >= 0 && !fstat(fd, &st), "%s", path);
    *size = st.st_size;
    bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
    ck_assert_ptr_ne(bytes, MAP_FAILED);
    close(fd);
    return bytes;
}

static void put_mapping(FILE *out, uint64_t id, const char *text)
{
    uint64_t words[2] = { SIMPLE_MAPPING, id };
    uint32_t length = strlen(text);

    fwrite(words, sizeof(words), 1, out);
    fwrite(&length, sizeof(length), 1, out);
    fwrite(text, length, 1, out);
}

static void put_dropped(FILE *out, uint64_t nr)
{
    struct simple_head head = { .type = SIMPLE_EVENT, .id = SIMPLE_DROPPED,
                                .length = 32 };

    fwrite(&head, sizeof(head), 1, out);
    fwrite(&nr, sizeof(nr), 1, out);
}

static void put_tid(FILE *out, uint64_t tid)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)tid);
    put_mapping(out, SIMPLE_THREAD, text);
}

static void recover_ring(FILE *out, const struct simple_ring *ring, int side)
{
    uint64_t reported = ring->committed[side].reported_lost, total;
    uint64_t at = ring->committed[side].tail;
    const char *data = (const char *)ring + ring->data;
    struct simple_head head;
    char event[8192];

    put_tid(out, ring->committed[side].tid);
    while ( at < ring->at.head )
    {
        for ( size_t i = 0; i < sizeof(head) + 16; i++ )
            event[i] = data[(at + i) & ring->mask];
        memcpy(&head, event, sizeof(head));
        UNIT_CHECK(head.length + 8 <= sizeof(head) + 16);
        UNIT_CHECK(head.type == SIMPLE_EVENT);
        if ( head.id == SIMPLE_DROPPED )
        {
            memcpy(&total, event + sizeof(head), sizeof(total));
            if ( total > reported )
                put_dropped(out, total - reported);
            reported = total > reported ? total : reported;
        }
        else if ( head.id == SIMPLE_THREAD )
        {
            memcpy(&total, event + sizeof(head), sizeof(total));
            put_tid(out, total);
        }
        else
            fwrite(event, head.length + 8, 1, out);
        at += head.length + 8;
    }
    ck_assert_uint_eq(at, ring->at.head);
    if ( ring->lost > reported )
        put_dropped(out, ring->lost - reported);
}

/* Write "r": the current file, and everything in the rings. */
static void recover_file(void)
{
    char file[SIMPLE_PATH_MAX + 4], *bytes;
    struct simple_rings *rings;
    size_t size, rings_size;
    FILE *out = fopen("r", "wb");
    struct stat st;
    int side;

    ck_assert_ptr_nonnull(out);
    rings = map_file("f.rings", &rings_size);
    ck_assert_uint_eq(rings->magic, SIMPLE_RINGS_MAGIC);
    side = rings->commit & 1;
    snprintf(file, sizeof(file), "%s", rings->committed[side].path);
    if ( stat(file, &st) || st.st_ino != rings->committed[side].inode )
        strcat(file, ".1");
    bytes = map_file(file, &size);
    ck_assert_uint_ge(size, rings->committed[side].bytes);
    fwrite(bytes, rings->committed[side].bytes, 1, out);
    for ( uint32_t i = 0; i < rings->nr_rings; i++ )
        recover_ring(out, (void *)((char *)rings + rings->header_bytes +
                     i * (rings->ring_header + rings->ring_bytes)), side);
    if ( rings->lost > rings->committed[side].reported_lost )
        put_dropped(out, rings->lost - rings->committed[side].reported_lost);
    ck_assert_int_eq(fclose(out), 0);
    munmap(rings, rings_size);
    munmap(bytes, size);
    /* Older files of a rotation keep their names; this one is the last. */
    ck_assert_int_eq(rename("r", file), 0);
}

/* ---- the loop ----------------------------------------------------------- */

enum { MAX_FILES = 3000 };

/* A kill in the middle of renaming leaves a gap in the numbers. */
static void tally_all(struct tally *tally)
{
    char name[16];
    struct stat st;

    for ( int nr = MAX_FILES; nr >= 0; nr-- )
    {
        snprintf(name, sizeof(name), nr ? "f.%d" : "f", nr);
        /* The newest file may be empty. */
        if ( !stat(name, &st) && st.st_size >= 24 )
            tally_file(tally, name);
    }
}

static void check_recovered(void)
{
    struct tally tally = { .gaps = 0 };
    uint64_t begun = 0, done = 0;

    recover_file();
    tally_all(&tally);
    for ( int i = 0; i < WRITERS; i++ )
    {
        begun += progress->begun[i];
        done += progress->done[i];
    }
    ck_assert_uint_le(done, tally.events + tally.dropped);
    ck_assert_uint_le(tally.events + tally.dropped, begun);
    /* No event follows the last losses, so they show no gap. */
    ck_assert_uint_le(tally.gaps, tally.dropped);
}

/* Threads start at the moment of many of the kills. */
static void kill_one(uint64_t *seed, bool rotating)
{
    unsigned int writers = 1 + unit_random(seed) % WRITERS;
    pid_t pid;

    memset(progress, 0, sizeof(*progress));
    pid = fork();
    if ( !pid )
    {
        run_victim(writers, rotating);
        _exit(1);
    }
    while ( !__atomic_load_n(&progress->done[0], __ATOMIC_ACQUIRE) )
        usleep(100);
    usleep(unit_random(seed) % 6000);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    check_recovered();
    ck_assert_int_eq(system("rm -f \"$(readlink f.rings)\" f f.*"), 0);
}

static void kill_many(bool rotating)
{
    const char *text = getenv("KILLS");
    unsigned long kills = text ? strtoul(text, NULL, 0) :
                          runs_long() ? 1000 : 100;
    uint64_t seed = unit_seed();
    char folder[32];

    progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(progress, MAP_FAILED);
    scratch_begin(folder, sizeof(folder));
    for ( unsigned long i = 0; i < kills / 2; i++ )
        kill_one(&seed, rotating);
    scratch_end(folder);
}

START_TEST(nothing_is_lost)
{
    kill_many(false);
}
END_TEST

START_TEST(nothing_is_lost_while_files_rotate)
{
    kill_many(true);
}
END_TEST

UNIT_MAIN("kill", nothing_is_lost, nothing_is_lost_while_files_rotate)
