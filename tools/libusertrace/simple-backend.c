/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simple back end: when there are rings, and when there is a file.
 *
 *     IDLE    no rings: an event is not even lost
 *     EARLY   an event is on, and no file was ever open: rings keep the
 *             first events for the first file
 *     OPEN    a file is open; a thread drains the rings
 *     FORKED  the child of OPEN or EARLY: the first event starts again
 *
 * One lock protects all of this and is held during passes.  So a flush is a
 * pass by its caller, and does not depend on another thread.  Lock order: this
 * lock, then ut_lock().
 *
 * At exit, a destructor closes the file.  After a kill, the rings still exist
 * (simple-format.h), and `simpletrace --recover` reads them.
 */
#include "libusertrace/simple-backend.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/fault.h"
#include "libusertrace/event-drain.h"
#include "libusertrace/orphan-rings.h"
#include "libusertrace/registry.h"
#include "libusertrace/reporter.h"
#include "libusertrace/thread-slice.h"
#include "libusertrace/trace-name.h"

#define FOLDER_ENV "USERTRACE_RINGS"    /* folder for the rings */
#define RING_BYTES (256u << 10)
#define RING_MIN (64u << 10)    /* ten times the largest event */
#define RING_MAX (1u << 30)
#define PASS_EVERY 1000000000u  /* ns, at least */
#define QUIET_TRIES 100         /* of one millisecond */
#define IDLE_TRIES 1000
#define TRIM_EVERY 1000000000u  /* ns, at least */
#define SWEEP_FIRST 1000000000ull       /* ns after a fork */
#define SWEEP_LAST (64 * SWEEP_FIRST)

enum state { IDLE, EARLY, OPEN, FORKED };

struct simple
{
    enum state state, state_before_fork;
    struct ut_drain drain;
    struct ut_trace_name name;
    size_t ring_bytes;
    uint64_t rotate_bytes;
    unsigned int rotate_keep;
    bool has_key, has_thread, has_handlers;
    bool reported_file_error;   /* a write error of this file */
    bool reported_rings_error;  /* a failure to create rings */
    bool has_forked;            /* child processes may leave orphans */
    uint64_t trim_due;          /* monotonic ns */
    uint64_t sweep_due;         /* monotonic ns */
    uint64_t sweep_after;       /* ns; grows from sweep to sweep */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct simple simple = {
    .drain.file = UT_FILE_INIT, .ring_bytes = RING_BYTES,
};

/* A thread that waited for the drain with this lock would wait for ever. */
static void lock_state(void)
{
    ut_rings_set_draining(true);
    pthread_mutex_lock(&lock);
}

static void unlock_state(void)
{
    pthread_mutex_unlock(&lock);
    ut_rings_set_draining(false);
}

/* ---- rings --------------------------------------------------------------- */

/* "a/b" -> "a" */
static void make_folder(char *folder, const char *path)
{
    char *slash;

    snprintf(folder, PATH_MAX, "%s", path);
    slash = strrchr(folder, '/');
    if ( !slash )
        strcpy(folder, ".");
    else
        slash[slash == folder] = '\0';
}

/*
 * In memory if possible: with rings on a disk, trace points would wait for the
 * disk.  A nameless arena is the last resort, with a warning, since its events
 * are lost if the process is killed.
 */
static int open_arena(struct ut_arena **arena, const char *path, struct err *e)
{
    const char *asked = getenv(FOLDER_ENV);
    char link[PATH_MAX + 8], beside[PATH_MAX];
    const char *const folders[] = { asked ? asked : "/dev/shm", beside };
    struct err ignored = ERR_INIT;
    int rc = -ENOENT;

    make_folder(beside, path);
    snprintf(link, sizeof(link), "%s.rings", path);
    for ( size_t i = 0; i < 2 && rc; i++ )
    {
        ignored = (struct err)ERR_INIT;
        rc = ut_arena_open(arena, folders[i], link, simple.ring_bytes,
                           &ignored);
    }
    if ( !rc )
        return 0;
    ut_report("warning: %s: if the program is killed, its last events are lost",
              ignored.text);
    return ut_arena_open(arena, NULL, NULL, simple.ring_bytes, e);
}

static void sleep_millisecond(void)
{
    static const struct timespec millisecond = { .tv_nsec = 1000000 };

    nanosleep(&millisecond, NULL);
}

/*
 * False if a thread was stopped inside the arena: then the arena stays mapped.
 */
static bool wait_for_users(void)
{
    int tries;

    for ( tries = 0; !ut_rings_are_unused() && tries < IDLE_TRIES; tries++ )
        sleep_millisecond();
    return tries < IDLE_TRIES;
}

/*
 * Threads that hold a ring finish with it; no thread may acquire another in
 * this arena.  Returns the losses of threads without a ring.
 */
static uint64_t close_arena(bool is_unused)
{
    struct ut_arena *a = simple.drain.arena;
    uint64_t lost = __atomic_load_n(&a->head->lost, __ATOMIC_RELAXED);

    ut_drain_close_rings(&simple.drain);
    if ( is_unused )
        ut_arena_close(a);
    else
        ut_arena_unlink(a);
    ut_drain_set_arena(&simple.drain, NULL);
    return lost;
}

/*
 * From the rings of EARLY, if any, to those of a file, without a moment in
 * which threads find no ring.  The first pass drains the rings of EARLY.
 */
static void replace_arena(struct ut_arena *next, const char *path)
{
    struct ut_drain *d = &simple.drain;
    struct ut_arena *before = d->arena;
    uint64_t lost;

    ut_drain_set_arena(d, next);
    ut_drain_set_file(d, path);
    ut_rings_set_arena(next);
    if ( !before )
        return;
    ut_drain_set_arena(d, before);
    lost = close_arena(wait_for_users());
    __atomic_fetch_add(&next->head->lost, lost, __ATOMIC_RELAXED);
    ut_drain_set_arena(d, next);
}

/* ---- the thread ---------------------------------------------------------- */

static uint64_t read_monotonic(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

static void rotate_file(void);

static void report_write_error(int rc)
{
    if ( !rc || simple.reported_file_error )
        return;
    ut_report("trace file %s: %s: events that do not fit are dropped and "
              "counted", simple.drain.file.path, strerror(-rc));
    simple.reported_file_error = true;
}

/* Free rings that threads did not need for a while cost no memory. */
static void trim_rings(void)
{
    uint64_t now = read_monotonic();

    if ( now < simple.trim_due )
        return;
    simple.trim_due = now + TRIM_EVERY;
    ut_drain_trim_rings(&simple.drain, UT_RINGS_READY);
}

static int run_pass(void)
{
    struct err e = ERR_INIT;
    int rc = ut_drain_run_pass(&simple.drain);

    assert(simple.state == OPEN);
    report_write_error(rc);
    ut_rings_set_failing(rc);
    if ( ut_drain_recycle_rings(&simple.drain, &e) &&
         !simple.reported_rings_error )
    {
        ut_report("%s: its events are dropped and counted", e.text);
        simple.reported_rings_error = true;
    }
    if ( !rc )
        trim_rings();
    if ( !rc && simple.rotate_bytes &&
         simple.drain.file.bytes >= simple.rotate_bytes )
        rotate_file();
    return rc;
}

/* ---- orphans ------------------------------------------------------------- */

static void schedule_sweep(uint64_t after)
{
    simple.sweep_after = after;
    simple.sweep_due = read_monotonic() + after;
}

struct sweep
{
    char own[PATH_MAX], root[PATH_MAX];     /* own "": no sweep */
};

/*
 * Sweep once after a file was opened; after a fork repeatedly, since a child
 * may call exec(2) at any time.
 */
static void take_due_sweep(struct sweep *s)
{
    const char *path = simple.drain.file.path;
    char *root;

    s->own[0] = '\0';
    if ( simple.state != OPEN || !simple.drain.arena->path ||
         simple.sweep_due > read_monotonic() )
        return;
    if ( !simple.has_forked )
        simple.sweep_due = UINT64_MAX;
    else
        schedule_sweep(simple.sweep_after < SWEEP_LAST ?
                       2 * simple.sweep_after : SWEEP_LAST);
    root = ut_trace_name_make_root(&simple.name, path);
    if ( !root )
        return;
    snprintf(s->own, sizeof(s->own), "%s", simple.drain.arena->path);
    snprintf(s->root, sizeof(s->root), "%s", root);
    fault_free(root);
}

static bool run_sweep(const struct sweep *s)
{
    return !*s->own || ut_orphans_sweep(s->own, s->root);
}

/* A sweep takes long: without the lock. */
static void *run_drain_thread(void *arg)
{
    struct sweep sweep;
    bool is_complete = true;

    (void)arg;
    ut_thread_shorten_slice();
    for ( ;; )
    {
        ut_writer_wait(PASS_EVERY);
        lock_state();
        if ( simple.state == OPEN )
            run_pass();
        if ( !is_complete )
            simple.sweep_due = 0;
        take_due_sweep(&sweep);
        unlock_state();
        is_complete = run_sweep(&sweep);
    }
    return NULL;
}

/* Block all signals: handlers are for the program's own threads. */
static int start_drain_thread(struct err *e)
{
    pthread_attr_t attr;
    sigset_t all, before;
    pthread_t thread;
    int rc;

    if ( simple.has_thread )
        return 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    rc = pthread_create(&thread, &attr, run_drain_thread, NULL);
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if ( rc )
        return err_sys(e, -rc, "cannot start the thread that writes the trace "
                       "file");
    simple.has_thread = true;
    return 0;
}

/* ---- states -------------------------------------------------------------- */

static void enter_early(void)
{
    struct err ignored = ERR_INIT;
    struct ut_arena *a;

    assert(simple.state == IDLE || simple.state == FORKED);
    simple.drain.pid = getpid();
    if ( ut_arena_open(&a, NULL, NULL, simple.ring_bytes, &ignored) )
        return;
    ut_drain_set_arena(&simple.drain, a);
    ut_drain_recycle_rings(&simple.drain, &ignored);
    ut_rings_set_arena(a);
    simple.state = EARLY;
}

static void leave_early(void)
{
    ut_rings_set_arena(NULL);
    if ( simple.drain.arena )
        close_arena(wait_for_users());
    simple.state = IDLE;
}

/* The trace of a process that was killed is not overwritten. */
static void save_killed_trace(const char *path)
{
    uint64_t events;

    if ( !ut_orphan_save(path, &events) )
        return;
    ut_trace_name_shift(path, simple.rotate_keep);
    ut_report("%s: the last program that wrote this file was killed: its "
              "trace, with %llu events from memory, is now %s.1", path,
              (unsigned long long)events, path);
}

static int open_file_and_rings(const char *path, struct err *e)
{
    struct ut_arena *a;
    int rc;

    save_killed_trace(path);
    rc = ut_file_open(&simple.drain.file, path, simple.drain.counts.files + 1,
                      e);
    if ( rc )
        return rc;
    rc = open_arena(&a, path, e);
    if ( rc )
    {
        ut_file_close(&simple.drain.file);
        leave_early();
        return rc;
    }
    replace_arena(a, path);
    return 0;
}

static int enter_open(const char *path, struct err *e)
{
    int rc = start_drain_thread(e);

    assert(simple.state != OPEN && simple.drain.file.fd < 0);
    simple.drain.pid = getpid();
    if ( !rc )
        rc = open_file_and_rings(path, e);
    if ( rc )
        return rc;
    simple.state = OPEN;
    simple.reported_file_error = simple.reported_rings_error = false;
    simple.drain.counts.files++;
    simple.sweep_due = 0;
    run_pass();
    return 0;
}

/*
 * Use an absolute path: the process may change its working directory before it
 * rotates files or unlinks the rings, and recovery needs the path, too.
 */
static int open_file(struct err *e)
{
    char path[PATH_MAX];
    int rc = ut_trace_name_format_absolute(&simple.name, path, e);

    return rc ? rc : enter_open(path, e);
}

static void wait_for_idle(void)
{
    int tries;

    for ( tries = 0; tries < QUIET_TRIES; tries++ )
    {
        if ( run_pass() || ut_drain_is_idle(&simple.drain) )
            return;
        sleep_millisecond();
    }
}

static int close_file(struct err *e)
{
    unsigned long long nr;
    struct sweep sweep;
    bool is_unused;
    int rc;

    assert(simple.state == OPEN);
    if ( simple.has_forked )
        simple.sweep_due = 0;
    take_due_sweep(&sweep);
    ut_rings_set_arena(NULL);
    is_unused = wait_for_users();
    ut_drain_close_rings(&simple.drain);
    wait_for_idle();
    rc = ut_drain_run_pass(&simple.drain);
    nr = ut_drain_abandon_rings(&simple.drain);
    if ( rc )
        err_sys(e, rc, "trace file %.150s: its last %llu events are lost",
                simple.drain.file.path, nr);
    close_arena(is_unused);
    run_sweep(&sweep);
    ut_file_close(&simple.drain.file);
    ut_drain_recycle_rings(&simple.drain, NULL);
    simple.state = IDLE;
    return rc;
}

/* ---- another file -------------------------------------------------------- */

/*
 * The rings stay as they are.  Only the file changes, and with it the path and
 * inode in the header of the rings.
 */
static void rotate_file(void)
{
    struct ut_file next = UT_FILE_INIT;
    struct err e = ERR_INIT;
    char *path = fault_strdup(simple.drain.file.path);

    assert(simple.state == OPEN);
    if ( path )
    {
        ut_trace_name_shift(path, simple.rotate_keep);
        if ( ut_file_open(&next, path, simple.drain.counts.files + 1, &e) )
        {
            ut_report("%s: continuing with the old file", e.text);
            simple.rotate_bytes = 0;
        }
        else
        {
            ut_file_close(&simple.drain.file);
            simple.drain.file = next;
            simple.drain.counts.files++;
            ut_drain_set_file(&simple.drain, path);
        }
    }
    fault_free(path);
}

/* ---- fork ---------------------------------------------------------------- */

/* Taken between passes, so the child never sees half a pass. */
static void lock_before_fork(void)
{
    lock_state();
    ut_lock();
    ut_orphans_lock();
}

static void unlock_after_fork(void)
{
    if ( simple.state == OPEN )
    {
        simple.has_forked = true;
        schedule_sweep(SWEEP_FIRST);
    }
    ut_orphans_unlock();
    ut_unlock();
    unlock_state();
}

/* In the child's first event: return to the state of the parent. */
static void restart_after_fork(void)
{
    struct err e = ERR_INIT;
    enum state before;

    lock_state();
    before = simple.state_before_fork;
    if ( simple.state == FORKED && before == EARLY )
        enter_early();
    else if ( simple.state == FORKED && open_file(&e) )
        ut_report("%s: this process is not traced", e.text);
    unlock_state();
}

static void reset_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    ut_lock_reinit();
    ut_orphans_lock_reinit();
    simple.has_thread = false;
    if ( simple.state == IDLE )
        return;
    if ( simple.state != FORKED )
        simple.state_before_fork = simple.state;
    if ( simple.state == OPEN )
        ut_trace_name_set_child(&simple.name, simple.drain.file.path);
    ut_drain_free_in_child(&simple.drain);
    ut_file_close(&simple.drain.file);
    simple.drain.counts = (struct usertrace_counts){ .written = 0 };
    simple.has_forked = false;
    simple.state = FORKED;
    ut_rings_reset_in_child(restart_after_fork);
}

/* ---- for backends.c ------------------------------------------------------ */

static int init_once(struct err *e)
{
    int rc = 0;

    if ( !simple.has_key )
        rc = ut_rings_create_key();
    simple.has_key = !rc;
    if ( !rc && !simple.has_handlers )
        rc = -pthread_atfork(lock_before_fork, unlock_after_fork,
                             reset_in_child);
    simple.has_handlers = !rc;
    return rc ? err_sys(e, rc, "cannot initialize tracing") : 0;
}

int ut_simple_init(struct err *e)
{
    int rc;

    lock_state();
    rc = init_once(e);
    unlock_state();
    return rc;
}

void ut_simple_prepare(void)
{
    lock_state();
    if ( simple.state == IDLE && !simple.drain.counts.files &&
         !init_once(NULL) )
        enter_early();
    unlock_state();
}

void ut_simple_peek_records(ut_record_fn *show, void *arg)
{
    lock_state();
    ut_drain_peek_records(&simple.drain, show, arg);
    unlock_state();
}

bool ut_simple_has_name(void)
{
    bool has_name;

    lock_state();
    has_name = simple.name.given || simple.name.root;
    unlock_state();
    return has_name;
}

/* ---- for the program ----------------------------------------------------- */

/* In a child that has not opened its file yet: never open one. */
static void cancel_restart(void)
{
    assert(simple.state == FORKED);
    ut_rings_set_arena(NULL);
    simple.state = IDLE;
}

static int apply_file_action(enum usertrace_file what, struct err *e)
{
    int rc = init_once(e);

    if ( rc )
        return rc;
    if ( what == USERTRACE_FILE_ON )
        return simple.state == OPEN ? 0 : open_file(e);
    if ( what == USERTRACE_FILE_OFF && simple.state == FORKED )
        cancel_restart();
    if ( simple.state != OPEN )
        return 0;
    if ( what == USERTRACE_FILE_OFF )
        return close_file(e);
    rc = run_pass();
    return rc ? err_sys(e, rc, "trace file %.150s", simple.drain.file.path) : 0;
}

int usertrace_file(enum usertrace_file what, struct err *e)
{
    int rc;

    if ( !usertrace_has_backend("simple") )
        return err_set(e, -ENOTSUP, "there is no trace file: the program was "
                       "generated without back end simple");
    lock_state();
    rc = apply_file_action(what, e);
    unlock_state();
    return rc;
}

int usertrace_file_set(const char *path, struct err *e)
{
    char *name = path ? fault_strdup(path) : NULL;
    int rc = 0;
    bool open;

    if ( path && !name )
        return err_sys(e, -ENOMEM, "trace file %.150s", path);
    lock_state();
    open = simple.state == OPEN;
    if ( open )
        rc = close_file(e);
    ut_trace_name_set(&simple.name, name);
    if ( open )
        rc = open_file(rc ? NULL : e);
    unlock_state();
    return rc;
}

bool usertrace_file_status(char *path, size_t size)
{
    bool open;

    lock_state();
    open = simple.state == OPEN;
    if ( size && ut_trace_name_format(&simple.name, path, size, NULL) )
        path[size - 1] = '\0';
    unlock_state();
    return open;
}

void usertrace_file_rotate(uint64_t bytes, unsigned int keep)
{
    lock_state();
    simple.rotate_bytes = bytes;
    simple.rotate_keep = keep;
    unlock_state();
}

int usertrace_ring_size(size_t bytes, struct err *e)
{
    size_t size = RING_MIN;

    if ( bytes > RING_MAX )
        return err_set(e, -EINVAL, "a ring of %zu bytes is too large: at "
                       "most %u", bytes, RING_MAX);
    while ( size < bytes )
        size *= 2;
    lock_state();
    simple.ring_bytes = size;
    unlock_state();
    return 0;
}

void usertrace_ring_mode(enum usertrace_mode mode)
{
    ut_rings_set_blocking(mode == USERTRACE_BLOCK);
}

void usertrace_counts(struct usertrace_counts *counts)
{
    lock_state();
    *counts = simple.drain.counts;
    counts->dropped += ut_drain_count_unreported(&simple.drain);
    unlock_state();
}

/* ---- the end ------------------------------------------------------------- */

/*
 * Do not wait for ever: a signal handler that interrupted the lock's owner may
 * call exit().
 */
static void __attribute__((destructor)) close_at_exit(void)
{
    struct err e = ERR_INIT;
    struct timespec until;
    int rc = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    ut_rings_set_draining(true);
    if ( pthread_mutex_timedlock(&lock, &until) )
        return;
    if ( simple.state == OPEN )
        rc = close_file(&e);
    unlock_state();
    if ( rc )
        ut_report("%s", e.text);
}
