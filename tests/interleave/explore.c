/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States and their successors: a recursive depth-first search.
 *
 * The data of this file lies in memory of its own outside of the program's
 * memory, otherwise it would be part of each state.
 */
#define _GNU_SOURCE             /* dl_iterate_phdr, MAP_ANONYMOUS */
#include "tests/interleave/explore.h"

#include <link.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/interleave/access.h"

#define THREADS_MAX 4u
#define REGIONS_MAX 16u
#define STACK_BYTES (64u << 10)
#define LATE_MAX 8u             /* late stores; when full, the oldest leaves */
#define TLS_MAX 256u
#define DEPTH_MAX 4000u
#define IMAGES_BYTES (512u << 20)       /* address space, not memory */

struct late
{
    char *at;
    uint64_t value;
    unsigned int bytes;
};

enum action { STEP, SIGNAL, LEAVE };    /* LEAVE: a late store leaves */

struct thread
{
    jmp_buf at;
    char *stack;
    char *low;                  /* the stack below is unused */
    void (*body)(void *arg);
    void *arg;
    bool has_signals, is_done;
    unsigned int signals;       /* delivered so far */
    unsigned int choices;       /* number for the next step; 0: an access */
    unsigned int chosen;
    bool is_signal;             /* the next step is a handler */
    bool is_in_run;             /* in a run of plain accesses */
    unsigned int nr_late;
    struct late late[LATE_MAX];
    char tls[TLS_MAX];
};

struct choice
{
    uint8_t thread, action, value;
};

struct region
{
    char *at;
    size_t size;
};

struct explorer
{
    const struct explore_plan *plan;
    jmp_buf at;                 /* in the search */
    ucontext_t context;
    unsigned int nr_threads, self;
    struct thread threads[THREADS_MAX];
    unsigned int nr_regions;
    struct region regions[REGIONS_MAX];
    struct region tls;          /* the program's, on this kernel thread */
    unsigned int depth;
    struct choice path[DEPTH_MAX];
    char *images, *image_end;
    size_t nr_seen, room;       /* room: a power of two */
    uint64_t (*seen)[2];
};

static struct explorer *ex;
extern char __data_start[], _end[];

/* ---- threads ------------------------------------------------------------ */

static void copy_tls(char *to, const char *from)
{
    memcpy(to, from, ex->tls.size);
}

/* Switch to the search, which returns when this thread is scheduled again. */
static void __attribute__((noinline)) switch_to_search(struct thread *t)
{
#if defined(__x86_64__)
    __asm__ __volatile__ ( "mov %%rsp, %0" : "=r" (t->low) );
#elif defined(__aarch64__)
    __asm__ __volatile__ ( "mov %0, sp" : "=r" (t->low) );
#else
    t->low = t->stack;
#endif
    copy_tls(t->tls, ex->tls.at);
    if ( !_setjmp(t->at) )
        _longjmp(ex->at, 1);
    copy_tls(ex->tls.at, t->tls);
}

static struct thread *current_thread(void)
{
    return ex && ex->self < ex->nr_threads ? &ex->threads[ex->self] : NULL;
}

static void run_thread(unsigned int nr)
{
    struct thread *t = &ex->threads[nr];

    switch_to_search(t);
    t->body(t->arg);
    t->is_done = true;
    for ( ; ; )
        switch_to_search(t);
}

unsigned int explore_self(void)
{
    return ex->self;
}

/* Accesses of a handler come here, too: so handlers nest. */
static void schedule_step(struct thread *t)
{
    for ( ; ; )
    {
        t->choices = 0;
        switch_to_search(t);
        if ( !t->is_signal )
            return;
        t->is_signal = false;
        t->signals++;
        ex->plan->handler();
    }
}

void access_step(void)
{
    struct thread *t = current_thread();

    if ( !t )
        return;
    schedule_step(t);
    t->is_in_run = false;
}

static bool is_in_region(const struct region *r, const void *at)
{
    return (const char *)at >= r->at && (const char *)at < r->at + r->size;
}

/*
 * The queue holds atomic stores only.  A plain store waits until the queue is
 * empty, and so does a plain load of a queued address.
 */
static bool must_flush(const struct thread *t, const void *at, bool is_write)
{
    bool has = is_write && t->nr_late;

    for ( unsigned int i = 0; i < t->nr_late; i++ )
        has |= t->late[i].at == at;
    return has;
}

void access_plain(const void *at, bool is_write)
{
    struct thread *t = current_thread();

    if ( !t )
        return;
    if ( !t->is_in_run || is_in_region(&ex->tls, at) )
        schedule_step(t);
    t->is_in_run = !is_in_region(&ex->tls, at);
    if ( must_flush(t, at, is_write) )
        access_drain();
}

unsigned int explore_choose(unsigned int nr)
{
    struct thread *t = current_thread();

    if ( !t )
        return 0;
    t->choices = nr;
    switch_to_search(t);
    return t->chosen;
}

bool access_is_shared(const void *at)
{
    bool is_shared = ex->plan->signals && is_in_region(&ex->tls, at);

    for ( unsigned int i = 0; i < ex->nr_regions; i++ )
        is_shared |= is_in_region(&ex->regions[i], at);
    return is_shared;
}

/* ---- stores that come late ---------------------------------------------- */

static void flush_oldest_store(struct thread *t)
{
    memcpy(t->late[0].at, &t->late[0].value, t->late[0].bytes);
    t->nr_late--;
    memmove(&t->late[0], &t->late[1], t->nr_late * sizeof(t->late[0]));
    memset(&t->late[t->nr_late], 0, sizeof(t->late[0]));
}

void access_drain(void)
{
    struct thread *t = current_thread();

    while ( t && t->nr_late )
        flush_oldest_store(t);
}

void access_store_late(void *at, uint64_t value, unsigned int bytes)
{
    struct thread *t = current_thread();

    if ( !t || !ex->plan->late_stores )
    {
        memcpy(at, &value, bytes);
        return;
    }
    if ( t->nr_late == LATE_MAX )
        flush_oldest_store(t);
    t->late[t->nr_late++] = (struct late){ at, value, bytes };
}

/* A thread sees its own stores at once. */
uint64_t access_load(const void *at, unsigned int bytes)
{
    struct thread *t = current_thread();
    uint64_t value = 0;

    memcpy(&value, at, bytes);
    for ( unsigned int i = 0; t && i < t->nr_late; i++ )
        if ( t->late[i].at == at )
            value = t->late[i].value;
    return value;
}

/* ---- states ------------------------------------------------------------- */

static char *append_bytes(char *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    return to + size;
}

static const char *read_bytes(const char *from, void *to, size_t size)
{
    memcpy(to, from, size);
    return from + size;
}

static struct region used_stack(const struct thread *t)
{
    return (struct region){ t->low, t->stack + STACK_BYTES - t->low };
}

/* Align images, so that hash_image() can read whole words. */
static char *align_image(char *to)
{
    while ( (to - ex->images) % 8 )
        *to++ = 0;
    return to;
}

static void save_state(void)
{
    char *to = ex->image_end;
    struct region stack;

    to = append_bytes(to, ex->threads, ex->nr_threads * sizeof(ex->threads[0]));
    to = append_bytes(to, __data_start, _end - __data_start);
    for ( unsigned int i = 0; i < ex->nr_regions; i++ )
        to = append_bytes(to, ex->regions[i].at, ex->regions[i].size);
    for ( unsigned int i = 0; i < ex->nr_threads; i++ )
    {
        stack = used_stack(&ex->threads[i]);
        to = append_bytes(to, stack.at, stack.size);
    }
    ex->image_end = align_image(to);
}

static void restore_state(const char *from)
{
    struct region stack;

    from = read_bytes(from, ex->threads,
                      ex->nr_threads * sizeof(ex->threads[0]));
    from = read_bytes(from, __data_start, _end - __data_start);
    for ( unsigned int i = 0; i < ex->nr_regions; i++ )
        from = read_bytes(from, ex->regions[i].at, ex->regions[i].size);
    for ( unsigned int i = 0; i < ex->nr_threads; i++ )
    {
        stack = used_stack(&ex->threads[i]);
        from = read_bytes(from, stack.at, stack.size);
    }
}

static void hash_image(const char *image, uint64_t sum[2])
{
    uint64_t a = 0x9e3779b97f4a7c15u, b = 0xc2b2ae3d27d4eb4fu, word;

    for ( ; image < ex->image_end; image += 8 )
    {
        memcpy(&word, image, 8);
        a = (a ^ word) * 0xff51afd7ed558ccdu;
        a ^= a >> 32;
        b = (b + word) * 0xc4ceb9fe1a85ec53u;
        b ^= b >> 29;
    }
    sum[0] = a;
    sum[1] = b | 1;
}

static bool find_state(uint64_t (*table)[2], size_t room, const uint64_t sum[2],
                       size_t *at)
{
    for ( *at = sum[0] & (room - 1); table[*at][1];
          *at = (*at + 1) & (room - 1) )
        if ( table[*at][0] == sum[0] && table[*at][1] == sum[1] )
            return true;
    return false;
}

static void grow_table(void)
{
    size_t room = ex->room ? 2 * ex->room : 1u << 16, at;
    uint64_t (*table)[2] = calloc(room, sizeof(*table));

    if ( !table )
        explore_fail(__FILE__, __LINE__, "memory");
    for ( size_t i = 0; i < ex->room; i++ )
        if ( ex->seen[i][1] && !find_state(table, room, ex->seen[i], &at) )
            memcpy(table[at], ex->seen[i], sizeof(*table));
    free(ex->seen);
    ex->seen = table;
    ex->room = room;
}

/* False: the state was seen before. */
static bool is_new_state(const char *image)
{
    uint64_t sum[2];
    size_t at;

    if ( 2 * ex->nr_seen >= ex->room )
        grow_table();
    hash_image(image, sum);
    if ( find_state(ex->seen, ex->room, sum, &at) )
        return false;
    memcpy(ex->seen[at], sum, sizeof(sum));
    ex->nr_seen++;
    return true;
}

/* ---- the search --------------------------------------------------------- */

/*
 * Clear the stack of finished calls; stale contents would make states differ.
 */
static void resume_thread(unsigned int nr)
{
    memset(ex->threads[nr].low - 1024, 0, 1024);
    ex->self = nr;
    if ( !_setjmp(ex->at) )
        _longjmp(ex->threads[nr].at, 1);
    ex->self = ex->nr_threads;
    ex->threads[nr].chosen = 0;
}

static void take_choice(struct choice c)
{
    struct thread *t = &ex->threads[c.thread];

    if ( c.action == LEAVE )
    {
        flush_oldest_store(t);
        return;
    }
    t->is_signal = c.action == SIGNAL;
    t->chosen = c.value;
    resume_thread(c.thread);
}

static bool is_possible(const struct thread *t, unsigned int action)
{
    switch ( action )
    {
    case STEP: return !t->is_done;
    case SIGNAL: return !t->is_done && !t->choices && t->has_signals &&
                        t->signals < ex->plan->signals;
    default: return t->nr_late;
    }
}

/*
 * Check the state in which a process is left that dies here: its late stores
 * become visible.
 */
static void check_state(void)
{
    bool is_end = true;

    for ( unsigned int i = 0; i < ex->nr_threads; i++ )
    {
        while ( ex->threads[i].nr_late )
            flush_oldest_store(&ex->threads[i]);
        is_end &= ex->threads[i].is_done;
    }
    ex->plan->check();
    if ( is_end )
        ex->plan->end();
}

static void search_states(void);

/* Collect all possible next steps in choices[]. */
static unsigned int list_choices(struct choice *choices)
{
    unsigned int nr = 0, i, action, value, values;

    for ( i = 0; i < ex->nr_threads; i++ )
        for ( action = STEP; action <= LEAVE; action++ )
        {
            values = !is_possible(&ex->threads[i], action) ? 0 :
                     action == STEP && ex->threads[i].choices ?
                     ex->threads[i].choices : 1;
            for ( value = 0; value < values; value++ )
                choices[nr++] = (struct choice){ i, action, value };
        }
    return nr;
}

static void search_states(void)
{
    struct choice choices[THREADS_MAX * 4];
    char *image = ex->image_end;
    unsigned int nr;

    if ( ex->depth == DEPTH_MAX )
        explore_fail(__FILE__, __LINE__, "no end");
    save_state();
    if ( is_new_state(image) )
    {
        nr = list_choices(choices);
        check_state();
        for ( unsigned int i = 0; i < nr; i++ )
        {
            restore_state(image);
            ex->path[ex->depth++] = choices[i];
            take_choice(choices[i]);
            search_states();
            ex->depth--;
        }
    }
    ex->image_end = image;
}

void explore_fail(const char *file, int line, const char *what)
{
    static const char letters[] = "sx-";

    printf("%s: %s:%d: %s\n  thread and step (s; x: a signal comes first; -: a "
           "late store leaves):\n ", ex->plan->name, file, line, what);
    for ( unsigned int i = 0; i < ex->depth; i++ )
        printf(" %u%c", ex->path[i].thread, letters[ex->path[i].action]);
    printf("\n");
    fflush(stdout);
    _Exit(1);
}

/* ---- the beginning ------------------------------------------------------ */

static void *map_memory(size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if ( at == MAP_FAILED )
    {
        perror("mmap");
        _Exit(1);
    }
    return at;
}

void explore_share(void *at, size_t size)
{
    ex->regions[ex->nr_regions++] = (struct region){ at, size };
}

void explore_spawn(void (*body)(void *arg), void *arg, bool has_signals)
{
    unsigned int nr = ex->nr_threads++;
    struct thread *t = &ex->threads[nr];

    t->body = body;
    t->arg = arg;
    t->has_signals = has_signals;
    t->stack = map_memory(STACK_BYTES);
    copy_tls(t->tls, ex->tls.at);
}

/* The only place that needs the kernel to switch contexts. */
static void init_thread(unsigned int nr)
{
    ucontext_t *context = &ex->context;

    getcontext(context);
    context->uc_stack.ss_sp = ex->threads[nr].stack;
    context->uc_stack.ss_size = STACK_BYTES;
    makecontext(context, (void (*)(void))run_thread, 1, nr);
    ex->self = nr;
    if ( !_setjmp(ex->at) )
        setcontext(context);
    ex->self = ex->nr_threads;
}

/*
 * The program is the first object, so its thread-local variables are in the
 * first TLS block.
 */
static int find_tls(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    for ( int i = 0; i < info->dlpi_phnum; i++ )
        if ( info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_tls_data )
            ex->tls = (struct region){ info->dlpi_tls_data,
                                       info->dlpi_phdr[i].p_memsz };
    return 1;
}

/* Save the program's memory, to restore it before the next plan. */
static void save_program(void)
{
    char *to = append_bytes(ex->image_end, __data_start, _end - __data_start);

    ex->image_end = align_image(append_bytes(to, ex->tls.at, ex->tls.size));
}

static void restore_program(void)
{
    const char *from = read_bytes(ex->images, __data_start,
                                  _end - __data_start);

    read_bytes(from, ex->tls.at, ex->tls.size);
}

size_t explore_run(const struct explore_plan *plan)
{
    size_t states;

    ex = map_memory(sizeof(*ex));
    ex->plan = plan;
    ex->self = THREADS_MAX;
    dl_iterate_phdr(find_tls, NULL);
    if ( ex->tls.size > TLS_MAX )
        explore_fail(__FILE__, __LINE__, "thread-local variables");
    ex->images = ex->image_end = map_memory(IMAGES_BYTES);
    save_program();
    plan->begin();
    ex->self = ex->nr_threads;
    for ( unsigned int i = 0; i < ex->nr_threads; i++ )
        init_thread(i);
    search_states();
    states = ex->nr_seen;
    restore_program();
    free(ex->seen);
    for ( unsigned int i = 0; i < ex->nr_threads; i++ )
        munmap(ex->threads[i].stack, STACK_BYTES);
    munmap(ex->images, IMAGES_BYTES);
    munmap(ex, sizeof(*ex));
    ex = NULL;
    return states;
}
