/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The simple back end: events are in the file, once and in order, or counted
 * as dropped at the place where they are missing.
 */
#include "events.h"
#include "tracefile.h"
#include "../common/runs-long.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "common/err.h"
#include "common/fault.h"
#include "libusertrace/thread-ring.h"

/* A child that traces starts a thread, which TSan has to be told to allow. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

EVENT(TRACE_TWO, "two", true, false);
EVENT(TRACE_TEXT, "text", true, false);
static TraceEvent *events[] = { &_TRACE_TWO_EVENT, &_TRACE_TEXT_EVENT, NULL };

static char folder[32];
static char reports[2048];      /* all lines so far */

static void keep_reports(const char *line, void *arg)
{
    (void)arg;
    snprintf(reports + strlen(reports), sizeof(reports) - strlen(reports),
             "%s\n", line);
}

static void init_program(void)
{
    scratch_begin(folder, sizeof(folder));
    usertrace_set_reporter(keep_reports, NULL);
    usertrace_use_backends("simple");
    trace_event_register_group(events);
    ck_assert(trace_init_backends());
}

static void begin_file_again(void)
{
    struct err e = ERR_INIT;

    ck_assert_msg(!usertrace_file(USERTRACE_FILE_ON, &e), "%s", e.text);
}

static void begin_file(const char *name)
{
    struct err e = ERR_INIT;

    init_program();
    ck_assert_msg(!usertrace_file_set(name, &e), "%s", e.text);
    begin_file_again();
}

static void end_file(void)
{
    struct err e = ERR_INIT;

    ck_assert_msg(!usertrace_file(USERTRACE_FILE_OFF, &e), "%s", e.text);
}

static off_t file_size(const char *name)
{
    struct stat st;

    ck_assert_int_eq(stat(name, &st), 0);
    return st.st_size;
}

/*
 * The same, with an event that the thread has already written.  A thread that
 * is starting may hold locks of malloc(), and under ASan a forked child would
 * inherit these forever; so tests that fork begin like this.
 */
static void begin_file_to_fork(const char *name)
{
    off_t before;

    begin_file(name);
    before = file_size(name);
    trace_two(0, 0, 0);
    ut_writer_wake();
    while ( file_size(name) == before )
        usleep(1000);
}

static void put_text(const char *text)
{
    uint32_t length = usertrace_simple_length(text);
    struct usertrace_record record;
    char *at = usertrace_simple_begin(&record, _TRACE_TEXT_EVENT.id,
                                      4 + length);

    ck_assert_ptr_nonnull(at);
    at = usertrace_simple_string(at, text, length);
    usertrace_simple_end(&record, at);
}

static bool is_traced(void)
{
    struct usertrace_record record;
    char *at = usertrace_simple_begin(&record, _TRACE_TWO_EVENT.id, 0);

    if ( at )
        usertrace_simple_end(&record, at);
    return at;
}

/* No names of rings are left; ls shows symbolic links, too. */
static void check_folder(const char *list)
{
    char command[128];

    snprintf(command, sizeof(command), "test \"$(ls | tr '\\n' ' ')\" = '%s'",
             list);
    ck_assert_msg(system(command) == 0, "%s", list);
}

START_TEST(a_file_says_what_it_is)
{
    struct tracefile t;
    struct item i;
    char number[32];

    begin_file("f");
    end_file();
    tracefile_open(&t, "f");
    ck_assert(tracefile_next(&t, &i));
    ck_assert_uint_eq(i.id, SIMPLE_CLOCK);
    ck_assert(tracefile_next(&t, &i));
    ck_assert_uint_eq(i.id, SIMPLE_PROCESS);
    ck_assert_int_eq(strncmp(i.bytes, "pid ", 4), 0);
    ck_assert(tracefile_next(&t, &i));
    ck_assert_uint_eq(i.id, SIMPLE_FILE);
    snprintf(number, sizeof(number), "%d 1", (int)getpid());
    ck_assert_uint_eq(i.length, strlen(number));
    ck_assert_int_eq(strncmp(i.bytes, number, i.length), 0);
    ck_assert(tracefile_next(&t, &i));
    ck_assert_uint_eq(i.id, 0);
    ck_assert_int_eq(strncmp(i.bytes, "two", i.length), 0);
    ck_assert(tracefile_next(&t, &i));
    ck_assert_uint_eq(i.id, 1);
    ck_assert(!tracefile_next(&t, &i));
    tracefile_close(&t);
    check_folder("f ");
    scratch_end(folder);
}
END_TEST

START_TEST(a_file_can_be_plain)
{
    struct tracefile t;
    struct item i;

    init_program();
    usertrace_file_plain(true);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    trace_two(0, 7, 8);
    end_file();
    tracefile_open(&t, "f");
    for ( uint64_t id = 0; id < 2; id++ )
    {
        ck_assert(tracefile_next(&t, &i));
        ck_assert(i.type == SIMPLE_MAPPING && i.id == id);
    }
    ck_assert(tracefile_next(&t, &i));
    ck_assert(i.type == SIMPLE_EVENT && item_word(&i, 0) == 7);
    ck_assert(!tracefile_next(&t, &i));
    tracefile_close(&t);
    scratch_end(folder);
}
END_TEST

START_TEST(strings_are_kept)
{
    static const char *const texts[] = { "", "x", NULL, "\xc3\xbc\n\"'" };
    struct tracefile t;
    struct item i;
    char big[600];

    memset(big, 'b', sizeof(big));
    big[599] = '\0';
    begin_file("f");
    for ( size_t n = 0; n < 4; n++ )
        put_text(texts[n]);
    put_text(big);
    end_file();
    tracefile_open(&t, "f");
    for ( size_t n = 0; n < 4; n++ )
    {
        const char *text = texts[n] ? texts[n] : "";

        ck_assert(tracefile_event(&t, &i));
        ck_assert_uint_eq(i.pid, getpid());
        ck_assert_uint_eq(i.tid, getpid());
        ck_assert_uint_eq(i.length, 4 + strlen(text));
        ck_assert_int_eq(memcmp(i.bytes + 4, text, i.length - 4), 0);
    }
    ck_assert(tracefile_event(&t, &i));
    ck_assert_uint_eq(i.length, 4 + 512);
    ck_assert(!tracefile_event(&t, &i));
    tracefile_close(&t);
    scratch_end(folder);
}
END_TEST

/* ---- many at once ------------------------------------------------------- */

struct writer
{
    uint64_t who, nr;
};

static void *write_many(void *arg)
{
    const struct writer *w = arg;

    for ( uint64_t n = 0; n < w->nr; n++ )
        trace_two(_TRACE_TWO_EVENT.id, w->who, n);
    return NULL;
}

static void run_writers(unsigned int nr, uint64_t each)
{
    struct writer writers[MAX_WRITERS];
    pthread_t threads[MAX_WRITERS];

    for ( unsigned int i = 0; i < nr; i++ )
    {
        writers[i] = (struct writer){ i, each };
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_many,
                                        &writers[i]), 0);
    }
    for ( unsigned int i = 0; i < nr; i++ )
        pthread_join(threads[i], NULL);
}

/* Losses at the end are no gap: their number has to match all the same. */
static void check_tally(struct tally *tally, unsigned int writers,
                        uint64_t each)
{
    struct usertrace_counts counts;

    for ( unsigned int i = 0; i < writers; i++ )
        tally->gaps += each - tally->next[i];
    ck_assert_uint_eq(tally->events + tally->gaps, writers * each);
    ck_assert_uint_eq(tally->dropped, tally->gaps);
    usertrace_counts(&counts);
    ck_assert_uint_eq(counts.written, tally->events);
    ck_assert_uint_eq(counts.dropped, tally->dropped);
}

START_TEST(nobody_is_lost_without_a_count)
{
    static struct tally tally;

    init_program();
    ck_assert_int_eq(usertrace_ring_size(1, NULL), 0);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    run_writers(8, 20000);
    end_file();
    tally_file(&tally, "f");
    check_tally(&tally, 8, 20000);
    ck_assert_uint_gt(tally.events, 8 * 1000);
    scratch_end(folder);
}
END_TEST

START_TEST(threads_come_and_go)
{
    struct usertrace_counts counts;

    begin_file("f");
    for ( unsigned int i = 0; i < 10; i++ )
    {
        run_writers(40, 10);
        st_flush_trace_buffer();
    }
    st_flush_trace_buffer();
    usertrace_counts(&counts);
    ck_assert_uint_eq(counts.rings, 0);
    ck_assert_uint_eq(counts.written, 10 * 40 * 10);
    ck_assert_uint_eq(counts.dropped, 0);
    end_file();
    scratch_end(folder);
}
END_TEST

/* ---- threads that begin ------------------------------------------------- */

enum { TOGETHER = 64, SHORT_LIVED = 1000 };

static pthread_barrier_t all_are_there;

static void *write_behind_barrier(void *arg)
{
    pthread_barrier_wait(&all_are_there);
    return write_many(arg);
}

/* All threads live at the same time. */
static void *write_and_stay(void *arg)
{
    write_many(arg);
    pthread_barrier_wait(&all_are_there);
    return NULL;
}

static void *write_slowly(void *arg)
{
    const struct writer *w = arg;

    for ( uint64_t n = 0; n < w->nr; n++ )
    {
        trace_two(_TRACE_TWO_EVENT.id, w->who, n);
        usleep(10000);
    }
    return NULL;
}

static void run_together(void *(*body)(void *arg), uint64_t each)
{
    struct writer writers[TOGETHER];
    pthread_t threads[TOGETHER];

    pthread_barrier_init(&all_are_there, NULL, TOGETHER);
    for ( unsigned int i = 0; i < TOGETHER; i++ )
    {
        writers[i] = (struct writer){ i, each };
        ck_assert_int_eq(pthread_create(&threads[i], NULL, body, &writers[i]),
                         0);
    }
    for ( unsigned int i = 0; i < TOGETHER; i++ )
        pthread_join(threads[i], NULL);
}

static void check_complete(unsigned int writers, uint64_t each)
{
    static struct tally tally;

    end_file();
    memset(&tally, 0, sizeof(tally));
    tally_file(&tally, "f");
    check_tally(&tally, writers, each);
    ck_assert_uint_eq(tally.dropped, 0);
}

START_TEST(threads_that_begin_together_lose_nothing)
{
    begin_file("f");
    run_together(write_behind_barrier, 10);
    check_complete(TOGETHER, 10);
    scratch_end(folder);
}
END_TEST

START_TEST(slow_threads_lose_nothing)
{
    begin_file("f");
    run_together(write_slowly, 20);
    check_complete(TOGETHER, 20);
    scratch_end(folder);
}
END_TEST

/* The number of rings follows the threads that live at the same time. */
START_TEST(short_lived_threads_share_rings)
{
    struct usertrace_counts counts;
    struct writer writer = { 0, 10 };
    pthread_t thread;

    begin_file("f");
    for ( unsigned int i = 0; i < SHORT_LIVED; i++ )
    {
        ck_assert_int_eq(pthread_create(&thread, NULL, write_many, &writer), 0);
        pthread_join(thread, NULL);
    }
    ck_assert_uint_lt(file_size("f.rings"), 12 * (256 << 10));
    end_file();
    usertrace_counts(&counts);
    ck_assert_uint_eq(counts.written, SHORT_LIVED * 10);
    ck_assert_uint_eq(counts.dropped, 0);
    scratch_end(folder);
}
END_TEST

/* One thread after the other uses the same ring. */
enum { GONE = 1000, FLUSHES = 300 };

/* CPU time of this thread for an event and a pass, in ns; the minimum. */
static double pass_cost(void)
{
    double least = 1e12, cost;
    struct timespec from, to;

    for ( int round = 0; round < 10; round++ )
    {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        for ( int i = 0; i < FLUSHES; i++ )
        {
            trace_two(_TRACE_TWO_EVENT.id, 0, i);
            st_flush_trace_buffer();
        }
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        cost = (to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec);
        if ( cost < least )
            least = cost;
    }
    return least / FLUSHES;
}

/* Blocks of the rings' file, of 512 bytes */
static long ring_blocks(void)
{
    struct stat st;

    ck_assert_int_eq(stat("f.rings", &st), 0);
    return st.st_blocks;
}

/* A pass does not look at the rings of threads that ended. */
START_TEST(ended_threads_cost_nothing)
{
    static struct writer writer = { 0, 1 };
    static pthread_t threads[GONE];
    double before, after;

    init_program();
    ck_assert_int_eq(usertrace_ring_size(1, NULL), 0);
    st_set_trace_file("f");
    begin_file_again();
    before = pass_cost();
    pthread_barrier_init(&all_are_there, NULL, GONE);
    for ( int i = 0; i < GONE; i++ )
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_and_stay,
                                        &writer), 0);
    for ( int i = 0; i < GONE; i++ )
        pthread_join(threads[i], NULL);
    ck_assert_int_gt(ring_blocks(), GONE * 128);
    for ( int tries = 0; ring_blocks() > GONE * 16 && tries < 300; tries++ )
    {
        usleep(100000);
        st_flush_trace_buffer();
    }
    after = pass_cost();
    ck_assert_msg(after < 3 * before, "%.0f ns, then %.0f ns", before, after);
    end_file();
    scratch_end(folder);
}
END_TEST

START_TEST(each_event_has_its_thread)
{
    static struct tally tally;

    begin_file("f");
    for ( unsigned int i = 0; i < 100; i++ )
    {
        struct writer writer = { i, 3 };
        pthread_t thread;

        ck_assert_int_eq(pthread_create(&thread, NULL, write_many, &writer), 0);
        pthread_join(thread, NULL);
    }
    end_file();
    tally_file(&tally, "f");
    check_tally(&tally, 100, 3);
    for ( unsigned int i = 1; i < 100; i++ )
        ck_assert_uint_ne(tally.tid[i], 0);
    scratch_end(folder);
}
END_TEST

/* Without memory for a ring, events count as lost, until there is memory. */
START_TEST(no_memory_for_a_ring)
{
    struct usertrace_counts counts;
    struct writer writer = { 0, 10 };
    pthread_t thread;

    begin_file("f");
    fault_arm_from(FAULT_MMAP, 1);
    run_together(write_and_stay, 10);
    fault_disarm();
    usertrace_counts(&counts);
    ck_assert_uint_gt(counts.dropped, 0);
    st_flush_trace_buffer();
    ck_assert_ptr_nonnull(strstr(reports, "cannot create a ring"));
    ck_assert(!pthread_create(&thread, NULL, write_many, &writer));
    pthread_join(thread, NULL);
    end_file();
    usertrace_counts(&counts);
    ck_assert_uint_eq(counts.written + counts.dropped, TOGETHER * 10 + 10);
    scratch_end(folder);
}
END_TEST

/* Each loss follows the earlier events of its thread. */
START_TEST(losses_are_in_their_place)
{
    struct tracefile t;
    struct item i;
    uint64_t next = 0;

    init_program();
    usertrace_ring_size(1, NULL);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    for ( uint64_t n = 0; n < 300000; n++ )
        trace_two(0, 0, n);
    end_file();
    tracefile_open(&t, "f");
    while ( tracefile_event(&t, &i) )
        if ( i.id == SIMPLE_DROPPED )
            next += item_word(&i, 0);
        else
        {
            ck_assert_uint_eq(item_word(&i, 1), next);
            next++;
        }
    ck_assert_uint_eq(next, 300000);
    tracefile_close(&t);
    scratch_end(folder);
}
END_TEST

/* ---- mode block ---------------------------------------------------------- */

START_TEST(blocking_threads_lose_nothing)
{
    static struct tally tally;

    init_program();
    usertrace_ring_size(1, NULL);
    usertrace_ring_mode(USERTRACE_BLOCK);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    run_writers(8, 20000);
    end_file();
    tally_file(&tally, "f");
    check_tally(&tally, 8, 20000);
    ck_assert_uint_eq(tally.dropped, 0);
    scratch_end(folder);
}
END_TEST

/* A program does not wait for a disk that stays full. */
START_TEST(blocking_ends_on_a_full_disk)
{
    struct usertrace_counts counts;

    init_program();
    usertrace_ring_size(1, NULL);
    usertrace_ring_mode(USERTRACE_BLOCK);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    fault_arm_from(FAULT_WRITE, 1);
    run_writers(4, 5000);
    usertrace_counts(&counts);
    ck_assert_uint_gt(counts.dropped, 0);
    fault_disarm();
    run_writers(4, 5000);
    end_file();
    usertrace_counts(&counts);
    ck_assert_uint_eq(counts.written + counts.dropped, 2 * 4 * 5000);
    scratch_end(folder);
}
END_TEST

static void *close_soon(void *arg)
{
    (void)arg;
    usleep(20000);
    end_file();
    return NULL;
}

/* Threads that wait continue when the file is closed. */
START_TEST(blocking_ends_with_the_file)
{
    pthread_t thread;

    init_program();
    usertrace_ring_size(1, NULL);
    usertrace_ring_mode(USERTRACE_BLOCK);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    ck_assert(!pthread_create(&thread, NULL, close_soon, NULL));
    run_writers(8, 100000);
    pthread_join(thread, NULL);
    scratch_end(folder);
}
END_TEST

static uint64_t ring_bytes(void)
{
    struct simple_rings head;
    FILE *in = fopen("f.rings", "rb");

    ck_assert_ptr_nonnull(in);
    ck_assert_uint_eq(fread(&head, sizeof(head), 1, in), 1);
    fclose(in);
    return head.ring_bytes;
}

START_TEST(rings_have_options)
{
    static const char *const wrong[] = {
        "ring=", "ring=x", "ring=1M2", "ring=2G", "ring=-1", "mode=",
        "mode=wait", "ring=99999999999999999999",
    };
    struct err e = ERR_INIT;

    init_program();
    for ( size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++ )
    {
        e = (struct err)ERR_INIT;
        ck_assert_int_lt(usertrace_option(wrong[i], &e), 0);
        ck_assert_msg(!strncmp(e.text, wrong[i], 5), "%s", e.text);
    }
    ck_assert_int_eq(usertrace_option("two,ring=1M,mode=block,file=f", &e), 0);
    ck_assert_int_eq(usertrace_option("mode=lossless", &e), 0);
    ck_assert_int_eq(usertrace_option("mode=drop", &e), 0);
    st_set_trace_file_enabled(true);
    ck_assert_uint_eq(ring_bytes(), 1 << 20);
    end_file();
    ck_assert_int_eq(usertrace_option("ring=100000", &e), 0);
    st_set_trace_file_enabled(true);
    ck_assert_uint_eq(ring_bytes(), 1 << 17);
    end_file();
    scratch_end(folder);
}
END_TEST

/* ---- handlers ----------------------------------------------------------- */

static volatile uint64_t handled;

static void on_alarm(int number)
{
    (void)number;
    trace_two(0, 1, handled);
    handled++;
}

START_TEST(handlers_trace_in_the_middle)
{
    struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0 }, { 0 } };
    static struct tally tally;
    uint64_t n;

    init_program();
    usertrace_ring_size(4 << 20, NULL);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    for ( n = 0; handled < 2000 && n < 50000000; n++ )
        trace_two(0, 0, n);
    setitimer(ITIMER_REAL, &never, NULL);
    end_file();
    tally_file(&tally, "f");
    ck_assert_uint_ge(handled, 2000);
    tally.gaps += n - tally.next[0] + handled - tally.next[1];
    ck_assert_uint_eq(tally.events + tally.gaps, n + handled);
    ck_assert_uint_eq(tally.gaps, tally.dropped);
    scratch_end(folder);
}
END_TEST

/* ---- files -------------------------------------------------------------- */

START_TEST(first_events_wait_for_the_file)
{
    static struct tally tally;
    char name[32];

    init_program();
    trace_two(0, 0, 100);       /* no event is on: not recorded */
    trace_event_set_state_dynamic(events[0], true);
    trace_two(0, 0, 0);
    trace_two(0, 0, 1);
    trace_init_file();
    trace_two(0, 0, 2);
    end_file();
    trace_two(0, 0, 3);
    snprintf(name, sizeof(name), "trace-%d", (int)getpid());
    tally_file(&tally, name);
    ck_assert_uint_eq(tally.events, 3);
    ck_assert_uint_eq(tally.gaps + tally.dropped, 0);
    scratch_end(folder);
}
END_TEST

START_TEST(off_is_off)
{
    static struct tally one, two;

    begin_file("one");
    trace_two(0, 0, 0);
    end_file();
    for ( unsigned int n = 0; n < 100000; n++ )
        trace_two(0, 0, 77);
    ck_assert_int_eq(usertrace_file_set("two", NULL), 0);
    ck_assert_int_eq(usertrace_file(USERTRACE_FILE_ON, NULL), 0);
    trace_two(0, 0, 0);
    ck_assert_int_eq(usertrace_file_set("three", NULL), 0);
    trace_two(0, 0, 1);
    end_file();
    tally_file(&one, "one");
    tally_file(&two, "two");
    ck_assert_uint_eq(one.events, 1);
    ck_assert_uint_eq(two.events, 1);
    tally_file(&two, "three");
    ck_assert_uint_eq(two.events, 2);
    ck_assert_uint_eq(one.dropped + two.dropped, 0);
    check_folder("one three two ");
    scratch_end(folder);
}
END_TEST

static pthread_barrier_t step;

static void *outlive_the_file(void *arg)
{
    (void)arg;
    put_text("in the file");
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step);    /* the file is closed */
    UNIT_CHECK(!is_traced());
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step);    /* another file is open */
    return NULL;
}

/* The ring is released at the first event after that, and only once. */
START_TEST(a_thread_outlives_the_file)
{
    pthread_t thread;

    begin_file("f");
    pthread_barrier_init(&step, NULL, 2);
    ck_assert(!pthread_create(&thread, NULL, outlive_the_file, NULL));
    pthread_barrier_wait(&step);
    end_file();
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step);
    ck_assert_int_eq(usertrace_file(USERTRACE_FILE_ON, NULL), 0);
    end_file();
    pthread_barrier_wait(&step);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(unlink("f"), 0);
    scratch_end(folder);
}
END_TEST

START_TEST(files_rotate)
{
    static struct tally tally;
    char name[16];

    begin_file("f");
    usertrace_file_rotate(20000, 0);
    for ( uint64_t n = 0; n < 5000; n++ )
    {
        trace_two(0, 0, n);
        if ( n % 250 == 0 )
            st_flush_trace_buffer();
    }
    end_file();
    for ( int nr = 12; nr >= 0; nr-- )
    {
        snprintf(name, sizeof(name), nr ? "f.%d" : "f", nr);
        if ( !access(name, F_OK) )
            tally_file(&tally, name);
    }
    ck_assert_int_eq(access("f.3", F_OK), 0);
    check_tally(&tally, 1, 5000);
    ck_assert_uint_eq(tally.dropped, 0);
    scratch_end(folder);
}
END_TEST

START_TEST(folders_may_change)
{
    char link[PATH_MAX];
    struct stat st;

    setenv("USERTRACE_RINGS", ".", 1);
    init_program();
    ck_assert_int_eq(mkdir("a", 0700), 0);
    st_set_trace_file("a/f");
    st_set_trace_file_enabled(true);
    ck_assert_int_gt(readlink("a/f.rings", link, sizeof(link)), 0);
    ck_assert_int_eq(stat("a/f.rings", &st), 0);
    usertrace_file_rotate(1000, 1);
    ck_assert_int_eq(chdir("a"), 0);
    for ( uint64_t n = 0; n < 100; n++ )
        trace_two(0, 0, n);
    st_flush_trace_buffer();
    end_file();
    check_folder("f f.1 ");
    ck_assert_int_eq(chdir(".."), 0);
    check_folder("a ");
    scratch_end(folder);
}
END_TEST

START_TEST(a_child_can_do_without)
{
    begin_file_to_fork("f");
    if ( !fork() )
    {
        end_file();
        trace_two(0, 0, 0);
        exit(0);
    }
    wait(NULL);
    end_file();
    check_folder("f ");
    scratch_end(folder);
}
END_TEST

START_TEST(old_files_go)
{
    begin_file("f");
    usertrace_file_rotate(5000, 2);
    for ( uint64_t n = 0; n < 2000; n++ )
    {
        trace_two(0, 0, n);
        if ( n % 100 == 0 )
            st_flush_trace_buffer();
    }
    end_file();
    check_folder("f f.1 f.2 ");
    scratch_end(folder);
}
END_TEST

START_TEST(a_child_has_its_own_file)
{
    static struct tally parent, child;
    char name[32];
    int status;
    pid_t pid;

    begin_file_to_fork("f");
    trace_two(0, 0, 1);
    pid = fork();
    if ( !pid )
    {
        trace_two(0, 0, 0);
        trace_two(0, 0, 1);
        exit(0);
    }
    waitpid(pid, &status, 0);
    ck_assert_int_eq(status, 0);
    trace_two(0, 0, 2);
    trace_two(0, 0, 3);
    end_file();
    snprintf(name, sizeof(name), "f-%d", (int)pid);
    tally_file(&parent, "f");
    tally_file(&child, name);
    ck_assert_uint_eq(parent.events, 4);
    /* The first event arrives before the ring exists, and is not lost. */
    ck_assert_uint_eq(child.events, 2);
    ck_assert_uint_eq(child.dropped, 0);
    ck_assert_uint_eq(child.tid[0], pid);
    scratch_end(folder);
}
END_TEST

/* ... in the folder of its parent, wherever the child goes. */
START_TEST(a_daemon_keeps_the_folder)
{
    static struct tally tally;
    char name[32];
    int pids[2];
    pid_t pid;

    begin_file_to_fork("f");
    ck_assert_int_eq(pipe(pids), 0);
    if ( !fork() )
    {
        if ( chdir("/") || fork() )
            _exit(0);
        trace_two(0, 0, 0);
        pid = getpid();
        UNIT_CHECK(write(pids[1], &pid, sizeof(pid)) == sizeof(pid));
        exit(0);
    }
    close(pids[1]);
    wait(NULL);
    ck_assert_int_eq(read(pids[0], &pid, sizeof(pid)), sizeof(pid));
    ck_assert_int_eq(read(pids[0], name, 1), 0);        /* until its end */
    snprintf(name, sizeof(name), "f-%d", (int)pid);
    tally_file(&tally, name);
    ck_assert_uint_eq(tally.events, 1);
    end_file();
    scratch_end(folder);
}
END_TEST

/* ---- orphans ------------------------------------------------------------ */

/* Number of rings in the folder. */
static unsigned int count_files(const char *pattern)
{
    char command[80];
    unsigned int nr = 0;
    FILE *out;

    snprintf(command, sizeof(command), "ls -d %s 2>/dev/null | wc -l", pattern);
    out = popen(command, "r");
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(fscanf(out, "%u", &nr), 1);
    pclose(out);
    return nr;
}

static unsigned int repeat_count(unsigned int nr)
{
    return runs_long() ? 1000 : nr;
}

/* The events are in the file of the child, and its rings are gone. */
START_TEST(exec_leaves_no_rings)
{
    unsigned int children = repeat_count(30);

    setenv("USERTRACE_RINGS", ".", 1);
    begin_file_to_fork("f");
    for ( unsigned int i = 0; i < children; i++ )
    {
        static struct tally tally;
        char name[32];
        pid_t pid = fork();

        if ( !pid )
        {
            trace_two(0, 0, 0);
            execl("/bin/true", "true", NULL);
            _exit(1);
        }
        waitpid(pid, NULL, 0);
        if ( i + 1 < children )
            continue;
        end_file();
        snprintf(name, sizeof(name), "f-%d", (int)pid);
        tally_file(&tally, name);
        ck_assert_uint_eq(tally.events, 1);
    }
    ck_assert_uint_eq(count_files("*.rings"), 0);
    ck_assert_uint_eq(count_files("f-*"), children);
    scratch_end(folder);
}
END_TEST

/* The next start saves the trace of a process that was killed. */
START_TEST(a_killed_trace_is_saved)
{
    unsigned int kills = repeat_count(20);
    char name[16];
    pid_t pid;

    setenv("USERTRACE_RINGS", ".", 1);
    init_program();
    for ( unsigned int i = 0; i < kills; i++ )
    {
        pid = fork();
        if ( !pid )
        {
            st_set_trace_file("f");
            st_set_trace_file_enabled(true);
            for ( uint64_t n = 0; n <= i; n++ )
                trace_two(0, 0, n);
            raise(SIGKILL);
        }
        waitpid(pid, NULL, 0);
        ck_assert_uint_eq(count_files("usertrace-*.rings"), 1);
    }
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    ck_assert_ptr_nonnull(strstr(reports, "f.1"));
    end_file();
    ck_assert_uint_eq(count_files("*.rings"), 0);
    for ( unsigned int i = 1; i <= kills; i++ )
    {
        static struct tally tally;

        memset(&tally, 0, sizeof(tally));
        snprintf(name, sizeof(name), "f.%u", i);
        tally_file(&tally, name);
        ck_assert_uint_eq(tally.events, kills + 1 - i);
        ck_assert_uint_eq(tally.dropped, 0);
    }
    scratch_end(folder);
}
END_TEST

/* A full disk does not destroy what is left of the trace. */
START_TEST(a_killed_trace_survives_a_full_disk)
{
    static struct tally tally;

    setenv("USERTRACE_RINGS", ".", 1);
    init_program();
    st_set_trace_file("f");
    if ( !fork() )
    {
        st_set_trace_file_enabled(true);
        for ( uint64_t n = 0; n < 10; n++ )
            trace_two(0, 0, n);
        raise(SIGKILL);
    }
    wait(NULL);
    fault_arm(FAULT_WRITE, 1);
    ck_assert_int_eq(usertrace_file(USERTRACE_FILE_ON, NULL), 0);
    fault_disarm();
    ck_assert_ptr_nonnull(strstr(reports, "cannot save"));
    end_file();
    /* Another start finds the rings without their link. */
    begin_file_again();
    for ( int i = 0; i < 5000 && count_files("usertrace-*.rings") > 1; i++ )
        usleep(1000);
    end_file();
    tally_file(&tally, "f.1");
    ck_assert_uint_eq(tally.events, 10);
    ck_assert_uint_eq(count_files("*.rings"), 0);
    scratch_end(folder);
}
END_TEST

START_TEST(a_child_that_traces_nothing_leaves_nothing)
{
    begin_file_to_fork("f");
    if ( !fork() )
        exit(0);
    wait(NULL);
    end_file();
    check_folder("f ");
    scratch_end(folder);
}
END_TEST

/* ---- failures ----------------------------------------------------------- */

START_TEST(a_full_disk_is_survived)
{
    static struct tally tally;
    struct usertrace_counts counts;
    struct err e = ERR_INIT;

    init_program();
    usertrace_ring_size(1, NULL);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    for ( uint64_t n = 0; n < 500; n++ )
        trace_two(0, 0, n);
    fault_arm_from(FAULT_WRITE, 1);
    for ( uint64_t n = 500; n < 10000; n++ )
        trace_two(0, 0, n);
    ck_assert_int_eq(usertrace_file(USERTRACE_FILE_FLUSH, &e), -ENOSPC);
    ck_assert_ptr_nonnull(strstr(reports, "/f: No space left"));
    usertrace_counts(&counts);
    ck_assert_uint_gt(counts.failed_writes, 0);
    fault_disarm();
    st_flush_trace_buffer();
    for ( uint64_t n = 10000; n < 10100; n++ )
        trace_two(0, 0, n);
    end_file();
    tally_file(&tally, "f");
    ck_assert_uint_gt(tally.dropped, 1000);
    check_tally(&tally, 1, 10100);
    scratch_end(folder);
}
END_TEST

/* Every loss counts at once, not only when the file has it. */
START_TEST(counts_are_true_while_the_disk_is_full)
{
    struct usertrace_counts counts;

    init_program();
    usertrace_ring_size(1, NULL);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    fault_arm_from(FAULT_WRITE, 1);
    for ( uint64_t n = 0; n < 100000; n++ )
        trace_two(0, 0, n);
    usertrace_counts(&counts);
    ck_assert_uint_eq(counts.written, 0);
    ck_assert_uint_gt(counts.dropped, 100000 - (64 << 10) / 48);
    ck_assert_uint_lt(counts.dropped, 100000);
    fault_disarm();
    end_file();
    usertrace_counts(&counts);
    ck_assert_uint_eq(counts.written + counts.dropped, 100000);
    scratch_end(folder);
}
END_TEST

/* Events that are not in the file are counted. */
START_TEST(a_disk_stays_full)
{
    struct usertrace_counts counts;
    struct err e = ERR_INIT;

    init_program();
    usertrace_ring_size(1, NULL);
    st_set_trace_file("f");
    st_set_trace_file_enabled(true);
    fault_arm_from(FAULT_WRITE, 1);
    for ( uint64_t n = 0; n < 10000; n++ )
        trace_two(0, 0, n);
    ck_assert_int_eq(usertrace_file(USERTRACE_FILE_OFF, &e), -ENOSPC);
    ck_assert_ptr_nonnull(strstr(e.text, "its last 10000 events are lost"));
    fault_disarm();
    usertrace_counts(&counts);
    ck_assert_uint_eq(counts.written, 0);
    ck_assert_uint_eq(counts.dropped, 10000);
    scratch_end(folder);
}
END_TEST

START_TEST(what_is_wrong_has_a_reason)
{
    struct err e = ERR_INIT;

    init_program();
    ck_assert_int_eq(usertrace_file_set("no/such/f", &e), 0);
    ck_assert_int_eq(usertrace_file(USERTRACE_FILE_ON, &e), -ENOENT);
    ck_assert_ptr_nonnull(strstr(e.text, "no/such/f: No such file or dir"));
    ck_assert(!usertrace_file_status(NULL, 0));
    ck_assert(!st_set_trace_file_enabled(true));
    ck_assert_ptr_nonnull(strstr(reports, "no/such/f"));
    trace_two(0, 0, 0);
    scratch_end(folder);
}
END_TEST

/*
 * Each call that opening makes fails in turn: opening reports the error, or
 * works without the call.
 */
START_TEST(opening_fails_whole)
{
    static const enum fault_kind kinds[] = {
        FAULT_ALLOC, FAULT_OPEN, FAULT_MMAP, FAULT_WRITE,
    };

    init_program();
    st_set_trace_file("f");
    for ( size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++ )
        for ( uint64_t n = 1; ; n++ )
        {
            struct err e = ERR_INIT;
            int rc;

            fault_arm(kinds[k], n);
            rc = usertrace_file(USERTRACE_FILE_ON, &e);
            trace_two(0, 0, n);
            if ( rc )
                ck_assert_str_ne(e.text, "");
            ck_assert_int_eq(usertrace_file_status(NULL, 0), !rc);
            if ( !fault_fired(kinds[k]) )
                break;
            fault_disarm();
            usertrace_file(USERTRACE_FILE_OFF, NULL);
            ck_assert_uint_lt(n, 500);
        }
    fault_disarm();
    end_file();
    check_folder("f ");
    scratch_end(folder);
}
END_TEST

START_TEST(without_the_back_end_there_is_no_file)
{
    struct err e = ERR_INIT;

    usertrace_use_backends("log");
    ck_assert_int_eq(usertrace_file(USERTRACE_FILE_ON, &e), -ENOTSUP);
    ck_assert_ptr_nonnull(strstr(e.text, "back end simple"));
}
END_TEST

UNIT_MAIN("simple", a_file_says_what_it_is, a_file_can_be_plain,
          strings_are_kept, nobody_is_lost_without_a_count,
          blocking_threads_lose_nothing, blocking_ends_on_a_full_disk,
          blocking_ends_with_the_file, rings_have_options,
          threads_come_and_go, threads_that_begin_together_lose_nothing,
          slow_threads_lose_nothing, short_lived_threads_share_rings,
          ended_threads_cost_nothing, each_event_has_its_thread,
          no_memory_for_a_ring, counts_are_true_while_the_disk_is_full,
          losses_are_in_their_place, handlers_trace_in_the_middle,
          first_events_wait_for_the_file, off_is_off,
          a_thread_outlives_the_file, files_rotate, old_files_go,
          folders_may_change, a_child_can_do_without, a_child_has_its_own_file,
          a_daemon_keeps_the_folder, exec_leaves_no_rings,
          a_killed_trace_is_saved, a_killed_trace_survives_a_full_disk,
          a_child_that_traces_nothing_leaves_nothing, a_full_disk_is_survived,
          a_disk_stays_full, what_is_wrong_has_a_reason, opening_fails_whole,
          without_the_back_end_there_is_no_file)
