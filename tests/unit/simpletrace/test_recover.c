/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process traces and is killed: its trace and its rings become a complete
 * trace, or, if any step fails, no file at all.
 */
#include "../libusertrace/events.h"
#include "../libusertrace/tracefile.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "common/fault.h"
#include "simpletrace/trace-reader.h"
#include "simpletrace/recover.h"

enum { WRITERS = 2, EVENTS = 3000, LAST = 100, KILLS = 100 };

EVENT(TRACE_TWO, "two", true, false);
static TraceEvent *events[] = { &_TRACE_TWO_EVENT, NULL };

static void *write_some(void *arg)
{
    for ( uint64_t n = 0; n < EVENTS; n++ )
        trace_two(0, (uintptr_t)arg, n);
    return NULL;
}

static void run_victim(int ready)
{
    pthread_t threads[WRITERS];

    usertrace_use_backends("simple");
    trace_event_register_group(events);
    trace_init_backends();
    usertrace_ring_size(1, NULL);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    for ( uintptr_t i = 0; i < WRITERS; i++ )
        pthread_create(&threads[i], NULL, write_some, (void *)i);
    for ( int i = 0; i < WRITERS; i++ )
        pthread_join(threads[i], NULL);
    for ( uint64_t n = 0; n < LAST; n++ )
        trace_two(0, WRITERS, n);
    if ( write(ready, "", 1) == 1 )
        pause();
}

static void kill_one(void)
{
    int ready[2];
    pid_t pid;
    char c;

    ck_assert_int_eq(pipe(ready), 0);
    pid = fork();
    if ( !pid )
    {
        run_victim(ready[1]);
        _exit(1);
    }
    ck_assert_int_eq(read(ready[0], &c, 1), 1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(ready[0]);
    close(ready[1]);
}

static void read_back(const char *path, struct st_reader *r, uint64_t *seen)
{
    static const struct st_reader_options how;
    struct st_events known;
    struct st_record record;
    struct err e = ERR_INIT;
    uint64_t last = 0;

    st_events_init(&known);
    ck_assert_msg(!st_reader_open(r, path, &known, &how, &e), "%s", e.text);
    *seen = 0;
    while ( st_reader_next(r, &record, &e) > 0 )
    {
        *seen += !record.is_dropped && !strcmp(record.event->name, "two");
        last = record.time;
    }
    ck_assert_uint_ne(last, 0);
    ck_assert_uint_eq(r->gaps, 0);
    st_reader_close(r);
    st_events_fini(&known);
}

static int count_files(void)
{
    DIR *folder = opendir(".");
    int nr = 0;

    while ( readdir(folder) )
        nr++;
    closedir(folder);
    return nr;
}

START_TEST(nothing_is_lost)
{
    struct st_recovered done;
    struct err e = ERR_INIT;
    struct st_reader r;
    char folder[32];
    uint64_t seen, late = 0;

    scratch_begin(folder, sizeof(folder));
    /* Repeat until the rings were not empty, which is the usual case. */
    for ( int i = 0; i < KILLS && late < 3 * LAST; i++ )
    {
        kill_one();
        ck_assert_msg(!st_recover_trace("f.rings", "r", &done, &e), "%s",
                      e.text);
        ck_assert_uint_eq(done.unread, 0);
        ck_assert_uint_eq(done.missing, 0);
        read_back("r", &r, &seen);
        ck_assert_uint_eq(seen + r.lost, WRITERS * EVENTS + LAST);
        late += done.events + done.lost;
    }
    ck_assert_uint_gt(late, 0);
    scratch_end(folder);
}
END_TEST

START_TEST(all_or_nothing)
{
    static const enum fault_kind kinds[] = {
        FAULT_ALLOC, FAULT_OPEN, FAULT_READ, FAULT_WRITE,
    };
    struct st_recovered done;
    char folder[32];
    int before, rc;
    uint64_t n;

    scratch_begin(folder, sizeof(folder));
    for ( size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++ )
    {
        kill_one();
        before = count_files();
        for ( n = 1; ; n++ )
        {
            struct err e = ERR_INIT;

            fault_disarm();
            fault_arm(kinds[i], n);
            rc = st_recover_trace("f.rings", "r", &done, &e);
            if ( !fault_fired(kinds[i]) )
            {
                fault_disarm();
                ck_assert_int_eq(unlink("r"), 0);
                break;
            }
            ck_assert_int_lt(rc, 0);
            ck_assert(e.text[0]);
            ck_assert_int_eq(count_files(), before);
        }
    }
    fault_disarm();
    scratch_end(folder);
}
END_TEST

/* Hostile contents of the rings are rejected or reported. */
START_TEST(hostile_rings)
{
    static char image[1 << 20];
    uint64_t seed = unit_seed(), odd[] = { 0, 1, UINT64_MAX, 1ull << 63, 4096 };
    size_t size, at, words = (sizeof(struct simple_rings) + 4095) / 4096 * 512;
    struct st_recovered done;
    char folder[32];
    FILE *file;

    scratch_begin(folder, sizeof(folder));
    kill_one();
    file = fopen("f.rings", "rb");
    size = fread(image, 1, sizeof(image), file);
    fclose(file);
    for ( int i = 0; i < 300; i++ )
    {
        uint64_t value = odd[unit_random(&seed) % 5], kept;

        at = i < 8 ? (size_t)i * 8 :
             unit_random(&seed) % (i % 2 ? words + 64 : 8) * 8;
        memcpy(&kept, image + at, 8);
        memcpy(image + at, &value, 8);
        file = fopen("bad.rings", "wb");
        ck_assert_uint_eq(fwrite(image, 1, size, file), size);
        fclose(file);
        st_recover_trace("bad.rings", "r", &done, NULL);
        memcpy(image + at, &kept, 8);
    }
    /* Remove the rings from shared memory. */
    ck_assert_int_eq(st_recover_trace("f.rings", "r", &done, NULL), 0);
    scratch_end(folder);
}
END_TEST

START_TEST(no_rings)
{
    struct st_recovered done;
    struct err e = ERR_INIT;

    ck_assert_int_eq(st_recover_trace("/dev/null", "r", &done, &e), -ENODATA);
    ck_assert_ptr_nonnull(strstr(e.text, ".rings"));
}
END_TEST

/* The process was killed before it created a ring, or named its trace. */
START_TEST(nothing_was_traced)
{
    static const struct simple_rings head = {
        .magic = SIMPLE_RINGS_MAGIC, .version = SIMPLE_RINGS_VERSION,
        .header_bytes = sizeof(head), .ring_header = 4096,
        .ring_bytes = 256 << 10,
    };
    struct st_recovered done;
    struct err e = ERR_INIT;
    char folder[32];
    FILE *file;

    scratch_begin(folder, sizeof(folder));
    file = fopen("f.rings", "wb");
    ck_assert_uint_eq(fwrite(&head, sizeof(head), 1, file), 1);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_lt(st_recover_trace("f.rings", "r", &done, &e), 0);
    ck_assert_ptr_nonnull(strstr(e.text, "before it traced anything"));
    scratch_end(folder);
}
END_TEST

/* The name of the trace is enough, and the rings are not needed later. */
START_TEST(rings_are_removed)
{
    char folder[32], rings[4096];
    struct st_recovered done;
    struct err e = ERR_INIT;
    ssize_t n;

    scratch_begin(folder, sizeof(folder));
    do
    {
        ck_assert_int_eq(system("rm -f f f.*"), 0);
        kill_one();
    } while ( !st_recover_find_more("f", &done) );

    ck_assert(!done.is_alive);
    n = readlink("f.rings", rings, sizeof(rings) - 1);
    ck_assert_int_gt(n, 0);
    rings[n] = '\0';
    ck_assert_msg(!st_recover_trace("f", "r", &done, &e), "%s", e.text);
    ck_assert_uint_gt(done.events + done.lost, 0);
    ck_assert(done.is_removed);
    ck_assert_int_ne(access(rings, F_OK), 0);
    ck_assert_int_eq(unlink("f"), 0);
    ck_assert_int_eq(unlink("r"), 0);
    ck_assert_int_eq(count_files(), 2);     /* . and .. */
    scratch_end(folder);
}
END_TEST

UNIT_MAIN("recover", nothing_is_lost, all_or_nothing, hostile_rings, no_rings,
          nothing_was_traced, rings_are_removed)
