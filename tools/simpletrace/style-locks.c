/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting and holding times of QEMU's mutexes, from qemu_mutex_lock, _locked
 * and _unlock.  Without thread ids in the trace, a granted lock is attributed
 * to the thread that has waited longest.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "simpletrace/sink.h"
#include "tracetool/vec.h"

#define NR_BUCKETS 1024u
#define MAX_WAITERS 64u
#define MAX_PLACE 56u           /* bytes of "file.c:123" */

_Static_assert(MAX_PLACE > NUM_U64_MAX + 2, "room for a colon and a line");

enum { LOCK, LOCKED, UNLOCK };

struct waiter
{
    uint64_t time;
    uint32_t tid;
    char place[MAX_PLACE];      /* "": unknown */
};

struct lock
{
    struct lock *next;
    uint64_t mutex, nr[3], held_since;
    uint32_t pid;
    bool held;
    char held_at[MAX_PLACE];
    struct waiter waiters[MAX_WAITERS]; /* oldest first */
    size_t nr_waiters;
    struct tt_vec acquire, hold;    /* uint64_t, ns */
};

struct locks
{
    struct lock *head[NR_BUCKETS];
    struct tt_vec all;          /* struct lock * */
};

static void locks_init(struct st_print *p)
{
    p->state = arena_new(&p->arena, struct locks);
    p->no_memory = !p->state;
}

static struct lock *find_or_add_lock(struct st_print *p, uint64_t mutex,
                                     uint32_t pid)
{
    struct locks *s = p->state;
    struct lock **head = &s->head[(mutex * 0x9e3779b97f4a7c15u) >> 32 &
                                  (NR_BUCKETS - 1)];
    struct lock *l, **all;

    for ( l = *head; l; l = l->next )
        if ( l->mutex == mutex && l->pid == pid )
            return l;
    l = arena_new(&p->arena, struct lock);
    all = l ? tt_vec_add(&p->arena, &s->all, sizeof(*all)) : NULL;
    if ( !all )
        return NULL;
    l->mutex = mutex;
    l->pid = pid;
    l->next = *head;
    *head = *all = l;
    return l;
}

static void add_duration(struct st_print *p, struct tt_vec *v, uint64_t from,
                         uint64_t to)
{
    uint64_t *ns = tt_vec_add(&p->arena, v, sizeof(*ns));

    if ( ns )
        *ns = to > from ? to - from : 0;
    else
        p->no_memory = true;
}

/* File and line from the second and third argument; the end of a long path. */
static void read_place(const struct st_record *r, char place[MAX_PLACE])
{
    struct st_value values[ST_MAX_ARGS];
    int most = MAX_PLACE - NUM_U64_MAX - 2, length;
    const char *text;

    place[0] = '\0';
    if ( r->event->nr_args != 3 || st_record_values(r, values) ||
         !values[1].text )
        return;
    length = values[1].length < (size_t)most ? (int)values[1].length : most;
    text = values[1].text + values[1].length - length;
    snprintf(place, MAX_PLACE, "%.*s:%" PRIu64, length, text, values[2].word);
}

static void add_waiter(struct lock *l, const struct st_record *r)
{
    struct waiter *w = &l->waiters[l->nr_waiters];

    assert(l->nr_waiters <= MAX_WAITERS);
    if ( l->nr_waiters == MAX_WAITERS )
        return;
    *w = (struct waiter){ .time = r->time, .tid = r->tid };
    read_place(r, w->place);
    l->nr_waiters++;
}

static void mark_acquired(struct st_print *p, struct lock *l,
                          const struct st_record *r)
{
    size_t i = 0;

    while ( i < l->nr_waiters && l->waiters[i].tid != r->tid )
        i++;
    if ( i < l->nr_waiters )
    {
        add_duration(p, &l->acquire, l->waiters[i].time, r->time);
        l->nr_waiters--;
        memmove(&l->waiters[i], &l->waiters[i + 1],
                (l->nr_waiters - i) * sizeof(l->waiters[0]));
    }
    l->held = true;
    l->held_since = r->time;
    read_place(r, l->held_at);
}

static void mark_released(struct st_print *p, struct lock *l,
                          const struct st_record *r)
{
    if ( l->held )
        add_duration(p, &l->hold, l->held_since, r->time);
    l->held = false;
}

static int classify_event(const struct st_event *event)
{
    static const char *const names[] = {
        "qemu_mutex_lock", "qemu_mutex_locked", "qemu_mutex_unlock",
    };

    for ( int i = 0; i < 3; i++ )
        if ( !strcmp(event->name, names[i]) )
            return i;
    return -1;
}

static void locks_add_record(struct st_print *p, const struct st_record *record)
{
    int kind = classify_event(record->event);
    struct lock *l;

    /* The mutex is the first argument, whatever the others are. */
    if ( kind < 0 || record->bytes < 8 || p->no_memory )
        return;
    l = find_or_add_lock(p, st_record_word(record, 0), record->pid);
    if ( !l )
    {
        p->no_memory = true;
        return;
    }
    l->nr[kind]++;
    if ( kind == LOCK )
        add_waiter(l, record);
    else
        (kind == LOCKED ? mark_acquired : mark_released)(p, l, record);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static int compare_locks(const void *a, const void *b)
{
    const struct lock *x = *(struct lock *const *)a;
    const struct lock *y = *(struct lock *const *)b;

    return x->nr[LOCK] != y->nr[LOCK] ?
           (x->nr[LOCK] < y->nr[LOCK] ? 1 : -1) :
           x->mutex < y->mutex ? -1 : x->mutex > y->mutex;
}

static void print_times(struct st_out *out, const char *name, struct tt_vec *v)
{
    uint64_t *ns = v->items;
    double sum = 0;
    size_t i;

    if ( !v->nr )
        return;
    qsort(ns, v->nr, sizeof(*ns), compare_u64);
    for ( i = 0; i < v->nr; i++ )
        sum += ns[i];
    st_out_print(out, "  %s Time: min:%llu median:%llu avg:%.2f max:%llu\n",
                 name, (unsigned long long)ns[0],
                 (unsigned long long)(v->nr % 2 ? ns[v->nr / 2] :
                                      (ns[v->nr / 2 - 1] + ns[v->nr / 2]) / 2),
                 sum / v->nr, (unsigned long long)ns[v->nr - 1]);
}

static void print_place(struct st_out *out, const char *what,
                        const char *place)
{
    st_out_text(out, what);
    if ( !*place )
        return;
    st_out_text(out, " (");
    st_out_escaped(out, place, strlen(place));
    st_out_char(out, ')');
}

static void print_lock(struct st_out *out, struct lock *l)
{
    assert(l->nr_waiters <= MAX_WAITERS);
    st_out_print(out, "Lock: %#llx locks: %llu, locked: %llu, unlocked: "
                 "%llu", (unsigned long long)l->mutex,
                 (unsigned long long)l->nr[LOCK],
                 (unsigned long long)l->nr[LOCKED],
                 (unsigned long long)l->nr[UNLOCK]);
    if ( l->held )
        print_place(out, " LOCK HELD", l->held_at);
    if ( l->nr_waiters )
        print_place(out, " BLOCKED", l->waiters[0].place);
    st_out_char(out, '\n');
    print_times(out, "Acquire", &l->acquire);
    print_times(out, "Held", &l->hold);
}

static void locks_print(struct st_print *p)
{
    struct locks *s = p->state;
    uint64_t total[3] = { 0 };
    struct lock **all;
    size_t i, k;

    if ( p->no_memory )
        return;
    all = s->all.items;
    for ( i = 0; i < s->all.nr; i++ )
        for ( k = 0; k < 3; k++ )
            total[k] += all[i]->nr[k];
    st_out_print(&p->out, "Total locks: %llu, locked: %llu, unlocked: %llu\n\n",
                 (unsigned long long)total[LOCK],
                 (unsigned long long)total[LOCKED],
                 (unsigned long long)total[UNLOCK]);
    if ( s->all.nr )
        qsort(all, s->all.nr, sizeof(struct lock *), compare_locks);
    for ( i = 0; i < s->all.nr; i++ )
        print_lock(&p->out, all[i]);
}

const struct st_sink st_style_locks = {
    .name = "locks", .begin = locks_init, .record = locks_add_record,
    .end = locks_print,
};
