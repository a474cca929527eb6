/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer rotates its file far faster than the follower looks: each record is
 * read in order, or is in a file that was counted as deleted.
 * The records are numbered, and each file has the same number of them.
 */
#define _GNU_SOURCE             /* pipe2() */
#include "../libusertrace/events.h"
#include "../libusertrace/tracefile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "simpletrace/reader-private.h"

#include "made-trace.h"

#define PER_FILE 5u
#define DISPLACED 5u            /* calls without success */

struct plan
{
    unsigned int files, keep;   /* keep 0: all */
    bool numbered;              /* each file has SIMPLE_FILE */
    unsigned int sleep_us;      /* pause of the follower at times */
};

/* ---- the writer --------------------------------------------------------- */

static void format_number(char *path, unsigned int n)
{
    sprintf(path, n ? "f.%u" : "f", n);
}

/* As libusertrace and most scripts do: the highest number first. */
static void shift_files(unsigned int keep)
{
    char from[32], to[32];
    unsigned int n = 0;

    do
        format_number(from, n++);
    while ( (!keep || n <= keep) && !access(from, F_OK) );
    for ( n--; n; n-- )
    {
        format_number(from, n - 1);
        format_number(to, n);
        rename(from, to);
    }
}

static void write_file(const struct plan *plan, unsigned int nr)
{
    static struct made m;
    char text[64];
    size_t half;
    int fd = open("f", O_WRONLY | O_CREAT | O_TRUNC, 0600);

    made_begin(&m, 4, false);
    made_mapping(&m, 0, "first");
    sprintf(text, "1 %u", nr + 1);
    if ( plan->numbered )
        made_mapping(&m, SIMPLE_FILE, text);
    for ( unsigned int i = 0; i < PER_FILE; i++ )
    {
        made_event(&m, 0, nr, 1);
        made_u64(&m, (uint64_t)nr * PER_FILE + i);
        made_end(&m);
    }
    half = 24 + nr % (m.size - 24);
    if ( write(fd, m.bytes, half) != (ssize_t)half ||
         write(fd, m.bytes + half, m.size - half) != (ssize_t)(m.size - half) )
        _exit(1);
    close(fd);
}

static pid_t start_writer(const struct plan *plan)
{
    pid_t pid = fork();

    if ( pid )
        return pid;
    for ( unsigned int i = 1; i < plan->files; i++ )
    {
        shift_files(plan->keep);
        write_file(plan, i);
    }
    _exit(0);
}

/* ---- the follower ------------------------------------------------------- */

struct followed
{
    struct st_reader reader;
    uint64_t seen, missing, next;
};

static void take_value(struct followed *f, uint64_t value)
{
    ck_assert_msg(value >= f->next, "%llu again or late, before %llu",
                  (unsigned long long)value, (unsigned long long)f->next);
    f->missing += value - f->next;
    f->next = value + 1;
    f->seen++;
}

/*
 * Wait as the program does, but shorter.  A writer that another program has
 * displaced in the middle of a rotation gets the program's full patience.
 */
static void wait_a_little(const struct followed *f, unsigned int round,
                          const struct plan *plan)
{
    if ( f->reader.failures >= DISPLACED )
        usleep(100000);
    else if ( plan->sleep_us && round % 64 == 0 )
        usleep(plan->sleep_us);
    else
        sched_yield();
}

static pid_t follow_files(struct followed *f, const struct plan *plan)
{
    static const struct st_reader_options how = { .follow = true };
    uint64_t all = (uint64_t)plan->files * PER_FILE;
    struct st_events events;
    struct st_record record;
    struct err e = ERR_INIT;
    unsigned int round = 0;
    pid_t pid;
    int rc;

    write_file(plan, 0);
    *f = (struct followed){ .seen = 0 };
    st_events_init(&events);
    made_declare(&events, "first(uint64_t n) \"%\" PRIu64\n");
    ck_assert_msg(!st_reader_open(&f->reader, "f", &events, &how, &e), "%s",
                  e.text);
    pid = start_writer(plan);
    while ( f->next < all )
    {
        while ( (rc = st_reader_next(&f->reader, &record, &e)) > 0 )
            take_value(f, st_record_word(&record, 0));
        if ( !rc )
            rc = st_reader_follow(&f->reader, &how, &e);
        ck_assert_msg(rc >= 0, "%s", e.text);
        if ( !rc )
            wait_a_little(f, ++round, plan);
    }
    st_reader_close(&f->reader);
    st_events_fini(&events);
    ck_assert_uint_eq(f->reader.gaps, 0);
    ck_assert_uint_eq(f->seen + f->missing, all);
    return pid;
}

static void run_plan(struct followed *f, const struct plan *plan)
{
    char folder[32];
    int status;
    pid_t pid;

    scratch_begin(folder, sizeof(folder));
    pid = follow_files(f, plan);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
    scratch_end(folder);
}

/* ---- tests -------------------------------------------------------------- */

START_TEST(nothing_deleted)
{
    static struct followed f;

    for ( int numbered = 0; numbered < 2; numbered++ )
        for ( unsigned int sleep = 0; sleep < 20000; sleep += 10000 )
        {
            run_plan(&f, &(struct plan){ 150, 0, numbered, sleep });
            ck_assert_uint_eq(f.missing, 0);
            ck_assert_uint_eq(f.reader.deleted, 0);
            ck_assert_uint_eq(f.reader.unknown, 0);
        }
}
END_TEST

/* 10,000 rotations; the writer deletes most files while the follower sleeps. */
START_TEST(deleted_and_counted)
{
    static struct followed f;

    run_plan(&f, &(struct plan){ 10000, 4, true, 20000 });
    ck_assert_uint_eq(f.missing, f.reader.deleted * PER_FILE);
    ck_assert_uint_eq(f.reader.unknown, 0);
}
END_TEST

START_TEST(deleted_without_numbers)
{
    static struct followed f;

    run_plan(&f, &(struct plan){ 1500, 3, false, 20000 });
    ck_assert_uint_eq(f.reader.deleted, 0);
    ck_assert_uint_eq(f.missing % PER_FILE, 0);
    ck_assert(!f.missing || f.reader.unknown);
}
END_TEST

static uint64_t reported;

static void note_deleted(const struct st_reader *r, uint64_t files, void *arg)
{
    (void)r;
    (void)arg;
    reported += files;
}

/* Read all records that are there; wait for no more. */
static void read_rest(struct followed *f, unsigned int calls)
{
    static const struct st_reader_options how = { .follow = true };
    struct st_record record;
    struct err e = ERR_INIT;

    while ( calls-- )
    {
        while ( st_reader_next(&f->reader, &record, &e) > 0 )
            take_value(f, st_record_word(&record, 0));
        ck_assert_msg(st_reader_follow(&f->reader, &how, &e) >= 0, "%s",
                      e.text);
    }
}

/* A person deletes files that wait to be read: two, and later our own. */
START_TEST(deleted_by_hand)
{
    static const struct st_reader_options how = { .follow = true };
    static const struct plan plan = { .numbered = true };
    static struct followed f;
    struct st_events events;
    struct err e = ERR_INIT;
    char folder[32];

    reported = 0;
    scratch_begin(folder, sizeof(folder));
    st_events_init(&events);
    write_file(&plan, 0);
    ck_assert_int_eq(st_reader_open(&f.reader, "f", &events, &how, &e), 0);
    f.reader.report_deleted = note_deleted;
    read_rest(&f, 1);
    for ( unsigned int i = 1; i < 6; i++ )
    {
        shift_files(0);
        write_file(&plan, i);
    }
    unlink("f.4");
    unlink("f.3");
    read_rest(&f, 100);
    ck_assert_uint_eq(reported, 2);
    ck_assert_uint_eq(f.seen, 4 * PER_FILE);

    shift_files(0);
    write_file(&plan, 6);
    unlink("f.1");              /* ours */
    shift_files(0);
    write_file(&plan, 7);
    read_rest(&f, 100);
    ck_assert_uint_eq(reported, 2);
    ck_assert_uint_eq(f.seen, 6 * PER_FILE);
    ck_assert_uint_eq(f.reader.unknown, 0);
    st_reader_close(&f.reader);
    st_events_fini(&events);
    scratch_end(folder);
}
END_TEST

/*
 * The writer goes on between two reads of an incomplete event.  Each write to
 * the pipe is a read of the reader.
 */
START_TEST(written_between_reads)
{
    static const struct st_reader_options how = { .follow = true };
    static struct made m;
    struct st_reader r;
    struct st_events events;
    struct st_record record;
    struct err e = ERR_INIT;
    char path[32];
    int ends[2];

    for ( size_t cut = 1; cut < 40; cut++ )
    {
        made_begin(&m, 4, false);
        made_mapping(&m, 0, "first");
        made_event(&m, 0, 0, 1);
        made_u64(&m, 7);
        made_end(&m);
        ck_assert_int_eq(pipe2(ends, O_DIRECT), 0);
        ck_assert(write(ends[1], m.bytes, m.size - cut) > 0 &&
                  write(ends[1], m.bytes + m.size - cut, cut) > 0);
        close(ends[1]);
        st_events_init(&events);
        made_declare(&events, "first(uint64_t n) \"%\" PRIu64\n");
        sprintf(path, "/dev/fd/%d", ends[0]);
        ck_assert_int_eq(st_reader_open(&r, path, &events, &how, &e), 0);
        ck_assert_int_eq(st_reader_take_mappings(&r, &e), 0);
        for ( int reads = 0; reads < 3 && !r.records; reads++ )
            ck_assert_int_ge(st_reader_next(&r, &record, &e), 0);
        ck_assert_uint_eq(r.records, 1);
        ck_assert_uint_eq(st_record_word(&record, 0), 7);
        ck_assert_uint_eq(r.gaps, 0);
        st_reader_close(&r);
        st_events_fini(&events);
        close(ends[0]);
    }
}
END_TEST

/* ---- libusertrace ------------------------------------------------------- */

EVENT(TRACE_TWO, "two", true, false);
static TraceEvent *two[] = { &_TRACE_TWO_EVENT, NULL };

enum { RECORDS = 200000 };

static void run_program(int go, int done)
{
    struct usertrace_counts counts;
    char c;

    usertrace_use_backends("simple");
    trace_event_register_group(two);
    trace_init_backends();
    usertrace_file_rotate(20000, 4);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    if ( write(done, "", 1) != 1 || read(go, &c, 1) != 1 )
        _exit(1);
    for ( uint64_t n = 0; n < RECORDS; n++ )
    {
        trace_two(0, 0, n);
        if ( n % 500 == 0 )
            usertrace_file(USERTRACE_FILE_FLUSH, NULL);
    }
    st_set_trace_file_enabled(false);
    usertrace_counts(&counts);
    if ( write(done, &counts, sizeof(counts)) != sizeof(counts) )
        _exit(1);
    _exit(0);
}

/* The follower sleeps until the program has ended. */
START_TEST(program)
{
    static const struct st_reader_options how = { .follow = true };
    static struct st_reader r;
    struct usertrace_counts counts;
    struct st_events events;
    struct st_record record;
    struct err e = ERR_INIT;
    char folder[32], c;
    int go[2], done[2];

    scratch_begin(folder, sizeof(folder));
    ck_assert(!pipe(go) && !pipe(done));
    if ( !fork() )
        run_program(go[0], done[1]);
    ck_assert_int_eq(read(done[0], &c, 1), 1);
    st_events_init(&events);
    ck_assert_int_eq(st_reader_open(&r, "f", &events, &how, &e), 0);
    while ( st_reader_next(&r, &record, &e) > 0 )
        ;
    ck_assert_int_eq(write(go[1], "", 1), 1);
    ck_assert_int_eq(read(done[0], &counts, sizeof(counts)), sizeof(counts));
    wait(NULL);
    do
        while ( st_reader_next(&r, &record, &e) > 0 )
            ;
    while ( st_reader_follow(&r, &how, &e) > 0 );
    ck_assert_uint_gt(counts.files, 100);
    ck_assert_uint_eq(r.file_number, counts.files);
    ck_assert_uint_eq(r.unknown, 0);
    ck_assert_uint_eq(r.deleted, counts.files - 6);
    st_reader_close(&r);
    st_events_fini(&events);
    scratch_end(folder);
}
END_TEST

/* ---- libusertrace, 10,000 rotations by several threads ------------------ */

enum { THREADS = 4, ROTATIONS = 10000 };

/* Shared by the program and the follower. */
struct rotation
{
    unsigned int keep;
    bool waits;                 /* the program waits for a late follower */
    _Atomic unsigned int followed, passes;
    _Atomic bool is_ended;
    uint64_t written[THREADS];
    struct usertrace_counts counts;
};

static struct rotation *rotation;

/* A few events of each thread between two rotations. */
static void *trace_some(void *arg)
{
    uint64_t *n = arg, who = n - rotation->written;

    while ( !rotation->is_ended )
    {
        unsigned int before = rotation->passes;

        for ( unsigned int i = 0; i <= before % 4; i++ )
            trace_two(0, who, (*n)++);
        while ( rotation->passes == before && !rotation->is_ended )
            usleep(100);
    }
    return NULL;
}

static void rotate_often(void)
{
    struct usertrace_counts *counts = &rotation->counts;

    for ( usertrace_counts(counts); counts->files <= ROTATIONS;
          usertrace_counts(counts) )
    {
        while ( rotation->waits &&
                counts->files + 4 > rotation->followed + rotation->keep )
            usleep(100);
        usertrace_file(USERTRACE_FILE_FLUSH, NULL);
        rotation->passes++;
    }
}

/* Each pass ends the file. */
static void run_threads(int go, int done)
{
    pthread_t threads[THREADS];
    char c;

    usertrace_use_backends("simple");
    trace_event_register_group(two);
    trace_init_backends();
    usertrace_ring_mode(USERTRACE_BLOCK);
    usertrace_file_rotate(1, rotation->keep);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    if ( write(done, "", 1) != 1 || read(go, &c, 1) != 1 )
        _exit(1);
    for ( unsigned int i = 0; i < THREADS; i++ )
        pthread_create(&threads[i], NULL, trace_some, &rotation->written[i]);
    rotate_often();
    rotation->is_ended = true;
    for ( unsigned int i = 0; i < THREADS; i++ )
        pthread_join(threads[i], NULL);
    st_set_trace_file_enabled(false);
    usertrace_counts(&rotation->counts);
    _exit(0);
}

struct follower
{
    struct st_reader r;
    uint64_t next[THREADS], missing;
    uint64_t files, last_file;
};

static void check_record(struct follower *f, const struct st_record *record)
{
    uint64_t who = st_record_word(record, 0), n = st_record_word(record, 8);

    ck_assert_uint_lt(who, THREADS);
    ck_assert_msg(n >= f->next[who], "thread %llu: %llu again or late",
                  (unsigned long long)who, (unsigned long long)n);
    f->missing += n - f->next[who];
    f->next[who] = n + 1;
}

/* False: everything was read. */
static bool follow_once(struct follower *f)
{
    static const struct st_reader_options how = { .follow = true };
    struct st_record record;
    struct err e = ERR_INIT;
    int rc;

    while ( (rc = st_reader_next(&f->r, &record, &e)) > 0 )
        check_record(f, &record);
    if ( !rc )
        rc = st_reader_follow(&f->r, &how, &e);
    ck_assert_msg(rc >= 0, "%s", e.text);
    f->files += f->r.file_number != f->last_file;
    f->last_file = f->r.file_number;
    rotation->followed = f->r.file_number;
    return rc;
}

static void follow_threads(struct follower *f, pid_t writer)
{
    unsigned int round = 0;

    while ( waitpid(writer, NULL, WNOHANG) != writer )
        if ( !follow_once(f) )
            usleep(++round % 64 ? 100 : 2000);
    while ( follow_once(f) )
        ;
}

static void rotate_and_follow(struct follower *f, unsigned int keep, bool waits)
{
    static const struct st_reader_options how = { .follow = true };
    struct st_events events;
    struct err e = ERR_INIT;
    char folder[32], c;
    int go[2], done[2];
    pid_t writer;

    /* Renames take long on a disk. */
    if ( !access("/dev/shm", W_OK) )
        ck_assert_int_eq(chdir("/dev/shm"), 0);
    scratch_begin(folder, sizeof(folder));
    rotation = mmap(NULL, sizeof(*rotation), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(rotation != MAP_FAILED && !pipe(go) && !pipe(done));
    *rotation = (struct rotation){ .keep = keep, .waits = waits };
    writer = fork();
    if ( !writer )
        run_threads(go[0], done[1]);
    ck_assert_int_eq(read(done[0], &c, 1), 1);
    *f = (struct follower){ .files = 1, .last_file = 1 };
    st_events_init(&events);
    ck_assert_int_eq(st_reader_open(&f->r, "f", &events, &how, &e), 0);
    ck_assert_int_eq(write(go[1], "", 1), 1);
    follow_threads(f, writer);
    ck_assert_uint_gt(rotation->counts.files, ROTATIONS);
    ck_assert_uint_eq(rotation->counts.dropped, 0);
    ck_assert_uint_eq(f->files + f->r.deleted, rotation->counts.files);
    ck_assert_uint_eq(f->last_file, rotation->counts.files);
    ck_assert_uint_eq(f->r.unknown, 0);
    st_reader_close(&f->r);
    st_events_fini(&events);
    scratch_end(folder);
}

START_TEST(threads_and_nothing_deleted)
{
    static struct follower f;

    rotate_and_follow(&f, 10, true);
    ck_assert_uint_eq(f.r.deleted, 0);
    ck_assert_uint_eq(f.missing, 0);
    for ( unsigned int i = 0; i < THREADS; i++ )
        ck_assert_uint_eq(f.next[i], rotation->written[i]);
    /* A thread misses rotations on a loaded machine. */
    ck_assert_uint_gt(rotation->written[0], ROTATIONS / 100);
}
END_TEST

START_TEST(threads_and_deleted_files)
{
    static struct follower f;

    rotate_and_follow(&f, 3, false);
    ck_assert_uint_gt(f.r.deleted, 0);
    ck_assert_uint_gt(f.missing, 0);
}
END_TEST

UNIT_MAIN("follow", written_between_reads, nothing_deleted,
          deleted_and_counted, deleted_without_numbers, deleted_by_hand,
          program, threads_and_nothing_deleted, threads_and_deleted_files)
