/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The simple back end: when there are rings, and when there is a file.
 *
 *     IDLE    no rings: an event is not even lost
 *     EARLY   something is on, and no file was ever open: rings keep the
 *             first events for the file that will come
 *     OPEN    a file; a thread that drains
 *     FORKED  the child of OPEN or EARLY: the first event begins anew
 *
 * One lock for all of it, held over passes, so a flush is a pass by whoever
 * asks, and needs no other thread to live.  It is taken before ut_lock().
 *
 * The process ends: a destructor closes the file.  It is killed: the rings
 * are still there (simple-format.h), and `simpletrace --recover` has them.
 */
#include "libusertrace/simple.h"

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
#include "libusertrace/drain.h"
#include "libusertrace/registry.h"
#include "libusertrace/say.h"

#define FOLDER_ENV "USERTRACE_RINGS"    /* where rings are to be */
#define RING_BYTES (256u << 10)
#define RING_MIN (64u << 10)            /* ten times the largest event */
#define RING_MAX (1u << 30)
#define PASS_EVERY 1000000000u          /* ns, at least */
#define QUIET_TRIES 100                 /* of a millisecond */

enum state { IDLE, EARLY, OPEN, FORKED };

struct simple
{
    enum state state, before_fork;
    struct ut_drain drain;
    char *name;                 /* NULL: the default */
    size_t ring_bytes;
    uint64_t rotate_bytes;
    unsigned int rotate_keep;
    bool has_key, has_thread, has_handlers;
    bool said_file, said_rings; /* that this file cannot be written ... */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct simple simple = {
    .drain.file = UT_FILE_INIT, .ring_bytes = RING_BYTES,
};

/* ---- names --------------------------------------------------------------- */

static int make_name(char *path, size_t size, struct err *e)
{
    int n = simple.name ? snprintf(path, size, "%s", simple.name) :
                          snprintf(path, size, "trace-%d", (int)getpid());

    if ( n < 0 || (size_t)n >= size )
        return err_set(e, -ENAMETOOLONG, "the name of the trace file is too "
                       "long: at most %zu bytes", size - 1);
    return 0;
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
 * In memory if we may: rings on a disk make trace points wait for it.  Without
 * any place for a name they are lost with the process, which is said.
 */
static int open_arena(const char *path, struct err *e)
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
        rc = ut_arena_open(&simple.drain.arena, folders[i], link,
                           simple.ring_bytes, &ignored);
    }
    if ( !rc )
        return 0;
    ut_say("warning: %s: if the program is killed, its last events are lost",
           ignored.text);
    return ut_arena_open(&simple.drain.arena, NULL, NULL, simple.ring_bytes,
                         e);
}

/* Those that have a ring finish with it; then nobody finds one. */
static void close_arena(void)
{
    ut_drain_close_rings(&simple.drain);
    if ( simple.drain.arena )
        ut_arena_close(simple.drain.arena);
    simple.drain.arena = NULL;
}

/* ---- the thread ---------------------------------------------------------- */

static void rotate(void);

static void complain(int rc)
{
    if ( !rc || simple.said_file )
        return;
    ut_say("trace file %s: %s: events that find no more room are dropped and "
           "counted", simple.drain.file.path, strerror(-rc));
    simple.said_file = true;
}

static int pass(void)
{
    struct err e = ERR_INIT;
    int rc = ut_drain_pass(&simple.drain);

    complain(rc);
    if ( ut_drain_tend(&simple.drain, &e) && !simple.said_rings )
    {
        ut_say("%s: its events are dropped and counted", e.text);
        simple.said_rings = true;
    }
    if ( !rc && simple.rotate_bytes &&
         simple.drain.file.bytes >= simple.rotate_bytes )
        rotate();
    return rc;
}

static void *drain_for_ever(void *arg)
{
    (void)arg;
    for ( ;; )
    {
        ut_ring_wait(PASS_EVERY);
        pthread_mutex_lock(&lock);
        if ( simple.state == OPEN )
            pass();
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* Signals are for the program's own threads. */
static int start_thread(struct err *e)
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
    rc = pthread_create(&thread, &attr, drain_for_ever, NULL);
    pthread_attr_destroy(&attr);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if ( rc )
        return err_sys(e, -rc, "no thread to write the trace file");
    simple.has_thread = true;
    return 0;
}

/* ---- states -------------------------------------------------------------- */

static void begin_early(void)
{
    struct err ignored = ERR_INIT;

    simple.drain.pid = getpid();
    if ( ut_arena_open(&simple.drain.arena, NULL, NULL, simple.ring_bytes,
                       &ignored) )
        return;
    ut_drain_tend(&simple.drain, &ignored);
    ut_rings_accept(true);
    simple.state = EARLY;
}

/* Rings of EARLY are closed, and drained into the new file. */
static int begin_open(const char *path, struct err *e)
{
    int rc = start_thread(e);

    simple.drain.pid = getpid();
    if ( rc )
        return rc;
    rc = ut_file_open(&simple.drain.file, path, e);
    if ( rc )
        return rc;
    close_arena();
    rc = open_arena(path, e);
    if ( !rc )
    {
        ut_drain_note_file(&simple.drain, path);
        rc = ut_drain_tend(&simple.drain, e);
    }
    if ( rc )
    {
        close_arena();
        ut_file_close(&simple.drain.file);
        simple.state = IDLE;
        ut_rings_accept(false);
        return rc;
    }
    ut_rings_accept(true);
    simple.state = OPEN;
    simple.said_file = simple.said_rings = false;
    simple.drain.counts.files++;
    pass();
    return 0;
}

/*
 * The whole name, since the process may change its folder before it rotates
 * files, or takes the link to the rings away; and for who recovers.
 */
static int open_file(struct err *e)
{
    char name[PATH_MAX], folder[PATH_MAX], path[PATH_MAX];
    int n, rc = make_name(name, sizeof(name), e);

    if ( rc )
        return rc;
    if ( *name == '/' || !getcwd(folder, sizeof(folder)) )
        return begin_open(name, e);
    n = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if ( n < 0 || (size_t)n >= sizeof(path) )
        return err_set(e, -ENAMETOOLONG, "trace file %.150s: its whole name is "
                       "too long", name);
    return begin_open(path, e);
}

static void wait_for_quiet(void)
{
    static const struct timespec millisecond = { .tv_nsec = 1000000 };
    int tries;

    for ( tries = 0; tries < QUIET_TRIES; tries++ )
    {
        if ( pass() || ut_drain_is_quiet(&simple.drain) )
            return;
        nanosleep(&millisecond, NULL);
    }
}

static int close_file(struct err *e)
{
    unsigned long long nr;
    int rc;

    ut_rings_accept(false);
    ut_drain_close_rings(&simple.drain);
    wait_for_quiet();
    rc = ut_drain_pass(&simple.drain);
    nr = ut_drain_give_up(&simple.drain);
    if ( rc )
        err_sys(e, rc, "trace file %.150s: its last %llu events are lost",
                simple.drain.file.path, nr);
    close_arena();
    ut_file_close(&simple.drain.file);
    ut_drain_tend(&simple.drain, NULL);
    simple.state = IDLE;
    return rc;
}

/* ---- another file -------------------------------------------------------- */

/* "path" or "path.N"; false: too long. */
static bool numbered(char *text, const char *path, unsigned int nr)
{
    int n = nr ? snprintf(text, PATH_MAX, "%s.%u", path, nr) :
                 snprintf(text, PATH_MAX, "%s", path);

    return n > 0 && n < PATH_MAX;
}

/* PATH.2 to PATH.3, PATH.1 to PATH.2, PATH to PATH.1 */
static void shift_names(const char *path)
{
    char from[PATH_MAX], to[PATH_MAX];
    unsigned int nr = 0;

    while ( (!simple.rotate_keep || nr < simple.rotate_keep) &&
            numbered(from, path, nr) && !access(from, F_OK) )
        nr++;
    for ( ; nr && numbered(from, path, nr - 1) && numbered(to, path, nr);
          nr-- )
        rename(from, to);
}

/*
 * The rings stay what they are: only the file changes, and the place that
 * says which one it is.
 */
static void rotate(void)
{
    struct ut_file next = UT_FILE_INIT;
    struct err e = ERR_INIT;
    char *path = fault_strdup(simple.drain.file.path);

    if ( path )
    {
        shift_names(path);
        if ( ut_file_open(&next, path, &e) )
        {
            ut_say("%s: the old file goes on", e.text);
            simple.rotate_bytes = 0;
        }
        else
        {
            ut_file_close(&simple.drain.file);
            simple.drain.file = next;
            simple.drain.counts.files++;
            ut_drain_note_file(&simple.drain, path);
        }
    }
    fault_free(path);
}

/* ---- fork ---------------------------------------------------------------- */

/* Between passes, so the child finds nothing half done. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    ut_lock();
}

static void after_fork(void)
{
    ut_unlock();
    pthread_mutex_unlock(&lock);
}

/* In the child's first event: anew, where the parent was. */
static void restart(void)
{
    struct err e = ERR_INIT;
    enum state before;

    pthread_mutex_lock(&lock);
    before = simple.before_fork;
    if ( simple.state == FORKED && before == EARLY )
        begin_early();
    else if ( simple.state == FORKED && open_file(&e) )
        ut_say("%s: this process is not traced", e.text);
    pthread_mutex_unlock(&lock);
}

/* "file" is the parent's; the child's is "file-PID". */
static void make_name_of_child(void)
{
    size_t room = simple.name ? strlen(simple.name) + 16 : 0;
    char *name = room ? fault_malloc(room) : NULL;

    if ( name )
        snprintf(name, room, "%s-%d", simple.name, (int)getpid());
    fault_free(simple.name);
    simple.name = name;
}

static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    ut_lock_after_fork();
    simple.has_thread = false;
    if ( simple.state == IDLE )
        return;
    if ( simple.state != FORKED )
        simple.before_fork = simple.state;
    ut_drain_forget(&simple.drain);
    ut_file_close(&simple.drain.file);
    simple.drain.counts = (struct usertrace_counts){ .written = 0 };
    if ( simple.before_fork == OPEN )
        make_name_of_child();
    simple.state = FORKED;
    ut_rings_forked(restart);
}

/* ---- for backends.c ------------------------------------------------------ */

static int begin_once(struct err *e)
{
    int rc = 0;

    if ( !simple.has_key )
        rc = ut_rings_begin();
    simple.has_key = !rc;
    if ( !rc && !simple.has_handlers )
        rc = -pthread_atfork(before_fork, after_fork, in_child);
    simple.has_handlers = !rc;
    return rc ? err_sys(e, rc, "no memory to trace") : 0;
}

int ut_simple_begin(struct err *e)
{
    int rc;

    pthread_mutex_lock(&lock);
    rc = begin_once(e);
    pthread_mutex_unlock(&lock);
    return rc;
}

void ut_simple_wanted(void)
{
    pthread_mutex_lock(&lock);
    if ( simple.state == IDLE && !simple.drain.counts.files &&
         !begin_once(NULL) )
        begin_early();
    pthread_mutex_unlock(&lock);
}

void ut_simple_peek(void (*show)(const char *record, size_t bytes, void *arg),
                    void *arg)
{
    pthread_mutex_lock(&lock);
    ut_drain_peek(&simple.drain, show, arg);
    pthread_mutex_unlock(&lock);
}

/* ---- for the program ----------------------------------------------------- */

/* A child whose file was not begun yet: it will not be. */
static void stay_idle(void)
{
    ut_rings_accept(false);
    simple.state = IDLE;
}

static int do_file(enum usertrace_file what, struct err *e)
{
    int rc = begin_once(e);

    if ( rc )
        return rc;
    if ( what == USERTRACE_FILE_ON )
        return simple.state == OPEN ? 0 : open_file(e);
    if ( what == USERTRACE_FILE_OFF && simple.state == FORKED )
        stay_idle();
    if ( simple.state != OPEN )
        return 0;
    if ( what == USERTRACE_FILE_OFF )
        return close_file(e);
    rc = pass();
    return rc ? err_sys(e, rc, "trace file %.150s", simple.drain.file.path) : 0;
}

int usertrace_file(enum usertrace_file what, struct err *e)
{
    int rc;

    if ( !usertrace_has_backend("simple") )
        return err_set(e, -ENOTSUP, "there is no trace file: the program was "
                       "made without back end simple");
    pthread_mutex_lock(&lock);
    rc = do_file(what, e);
    pthread_mutex_unlock(&lock);
    return rc;
}

int usertrace_file_set(const char *path, struct err *e)
{
    char *name = path ? fault_strdup(path) : NULL;
    int rc = 0;
    bool open;

    if ( path && !name )
        return err_sys(e, -ENOMEM, "trace file %.150s", path);
    pthread_mutex_lock(&lock);
    open = simple.state == OPEN;
    if ( open )
        rc = close_file(e);
    fault_free(simple.name);
    simple.name = name;
    if ( open )
        rc = open_file(rc ? NULL : e);
    pthread_mutex_unlock(&lock);
    return rc;
}

bool usertrace_file_status(char *path, size_t size)
{
    bool open;

    pthread_mutex_lock(&lock);
    open = simple.state == OPEN;
    if ( size && make_name(path, size, NULL) )
        path[size - 1] = '\0';
    pthread_mutex_unlock(&lock);
    return open;
}

void usertrace_file_rotate(uint64_t bytes, unsigned int keep)
{
    pthread_mutex_lock(&lock);
    simple.rotate_bytes = bytes;
    simple.rotate_keep = keep;
    pthread_mutex_unlock(&lock);
}

int usertrace_ring_size(size_t bytes, struct err *e)
{
    size_t size = RING_MIN;

    if ( bytes > RING_MAX )
        return err_set(e, -EINVAL, "a ring of %zu bytes: at most %u", bytes,
                       RING_MAX);
    while ( size < bytes )
        size *= 2;
    pthread_mutex_lock(&lock);
    simple.ring_bytes = size;
    pthread_mutex_unlock(&lock);
    return 0;
}

void usertrace_counts(struct usertrace_counts *counts)
{
    pthread_mutex_lock(&lock);
    *counts = simple.drain.counts;
    pthread_mutex_unlock(&lock);
}

/* ---- by QEMU's names ----------------------------------------------------- */

bool st_set_trace_file_enabled(bool on)
{
    bool before = usertrace_file_status(NULL, 0);
    struct err e = ERR_INIT;

    if ( usertrace_file(on ? USERTRACE_FILE_ON : USERTRACE_FILE_OFF, &e) )
        ut_say("%s", e.text);
    return before;
}

void st_set_trace_file(const char *path)
{
    struct err e = ERR_INIT;

    if ( usertrace_file_set(path, &e) )
        ut_say("%s", e.text);
}

void st_flush_trace_buffer(void)
{
    struct err e = ERR_INIT;

    if ( usertrace_file(USERTRACE_FILE_FLUSH, &e) )
        ut_say("%s", e.text);
}

void st_print_trace_file_status(void)
{
    char path[PATH_MAX];
    bool on = usertrace_file_status(path, sizeof(path));

    printf("Trace file \"%s\" %s.\n", path, on ? "on" : "off");
}

/* A name or an event that is on: somebody wants a file. */
void trace_init_file(void)
{
    bool named;

    pthread_mutex_lock(&lock);
    named = simple.name != NULL;
    pthread_mutex_unlock(&lock);
    if ( usertrace_has_backend("simple") &&
         (named || __atomic_load_n(&trace_events_enabled_count,
                                   __ATOMIC_RELAXED)) )
        st_set_trace_file_enabled(true);
}

/* ---- the end ------------------------------------------------------------- */

/* exit() may come from a handler that interrupted whoever has the lock. */
static void __attribute__((destructor)) finish(void)
{
    struct err e = ERR_INIT;
    struct timespec until;
    int rc = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if ( pthread_mutex_timedlock(&lock, &until) )
        return;
    if ( simple.state == OPEN )
        rc = close_file(&e);
    pthread_mutex_unlock(&lock);
    if ( rc )
        ut_say("%s", e.text);
}
