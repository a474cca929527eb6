/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory order of the ring between two CPUs, as Arm allows it: every order
 * of the accesses of two threads, for tests of a few accesses each.
 *
 * The model.  A store is visible to all other CPUs at once, as on Armv8 (the
 * architecture is multi-copy atomic).  Each thread performs its accesses one by
 * one, in any order that respects these rules for an access and a later one:
 *
 *      the same address        kept
 *      a load with acquire     kept before all later accesses
 *      a store with release    kept behind all earlier accesses
 *      two stores              kept if a store barrier (smp_wmb) lies between
 *      a load and a store      kept if a branch between them depends on the
 *                              load
 *
 * So a load behind a branch may be performed before the branch is decided, and
 * counts only if the branch goes there.
 *
 * Each test has an outcome that must not occur, and must occur as soon as any
 * single barrier, acquire, release or branch of the test is taken away: so each
 * of these is necessary, and the search does see what it prevents.
 */
#include <stdbool.h>
#include <stdio.h>

#define ACCESSES 8u             /* in a thread, at most */
#define PLACES 4u               /* addresses */

enum kind { END, LOAD, STORE };

/* Rules about an access. */
#define ACQUIRE 1u
#define RELEASE 2u
#define WMB 4u                  /* a store barrier before the access */
#define BRANCH 8u               /* the branch keeps a store behind the load */
#define RULES 4u
static const char *const rule_names[RULES] = {
    "acquire", "release", "wmb", "branch",
};

struct access
{
    enum kind kind;
    unsigned int place;
    int value;                  /* to store */
    unsigned int rules;
    unsigned int load;          /* 1 + index of the load that decides a branch;
                                   0: none */
    int wanted;                 /* the branch leads here if the load had this
                                   value */
};

/* Thread 1: the load `first` has `value`, and `second` not the `good` one. */
struct outcome { unsigned int first, second; int value, good; };

struct litmus
{
    const char *name;
    struct access threads[2][ACCESSES];
    struct outcome forbidden[2];
    unsigned int nr_forbidden;
};

enum { CELL, PROD, CONS };
enum { LIST, OFFSET };

static const struct litmus tests[] = {
    /*
     * Two records through a ring with room for one.  Thread 0 is the CPU that
     * traces, trace.c: the value of cons decides whether a record fits.  Thread
     * 1 is dom0, tools/xentrace/pcpu-ring.c: the value of prod decides whether
     * there is a record.  A thread ends where a branch leads elsewhere.
     */
    { "ring",
      { { { STORE, CELL, 1, 0, 0, 0 },
          { STORE, PROD, 1, WMB, 0, 0 },
          { LOAD, CONS, 0, 0, 0, 0 },
          { STORE, CELL, 2, BRANCH, 3, 1 },
          { STORE, PROD, 2, WMB, 3, 1 } },
        { { LOAD, PROD, 0, ACQUIRE, 0, 0 },
          { LOAD, CELL, 0, 0, 1, 1 },
          { STORE, CONS, 1, RELEASE, 1, 1 },
          { LOAD, PROD, 0, ACQUIRE, 1, 1 },
          { LOAD, CELL, 0, 0, 4, 2 } } },
      { { 0, 1, 1, 1 }, { 3, 4, 2, 2 } }, 2 },
    /*
     * The list of a new ring's pages, then its offset in t_info, by which
     * tools/xentrace/host-rings.c finds the list.
     */
    { "t_info",
      { { { STORE, LIST, 1, 0, 0, 0 }, { STORE, OFFSET, 1, WMB, 0, 0 } },
        { { LOAD, OFFSET, 0, ACQUIRE, 0, 0 }, { LOAD, LIST, 0, 0, 1, 1 } } },
      { { 0, 1, 1, 1 } }, 1 },
};

/* --- order ---------------------------------------------------------------- */

/* Some rules of the access `at` of a thread are broken. */
struct broken { unsigned int thread, at, rules; };

static unsigned int rules_of(const struct litmus *t, const struct broken *b,
                             unsigned int thread, unsigned int at)
{
    unsigned int rules = t->threads[thread][at].rules;

    return b->thread == thread && b->at == at ? rules & ~b->rules : rules;
}

static bool has_barrier_between(const struct litmus *t, const struct broken *b,
                                unsigned int thread, unsigned int first,
                                unsigned int second)
{
    for ( unsigned int i = first + 1; i <= second; i++ )
        if ( rules_of(t, b, thread, i) & WMB )
            return true;
    return false;
}

/* Must the access `first` of the thread be performed before `second`? */
static bool is_ordered(const struct litmus *t, const struct broken *b,
                       unsigned int thread, unsigned int first,
                       unsigned int second)
{
    const struct access *x = &t->threads[thread][first];
    const struct access *y = &t->threads[thread][second];
    unsigned int rules = rules_of(t, b, thread, second);

    if ( x->place == y->place || rules & RELEASE ||
         rules_of(t, b, thread, first) & ACQUIRE )
        return true;
    if ( x->kind == STORE )
        return y->kind == STORE &&
               has_barrier_between(t, b, thread, first, second);
    return y->load == first + 1 && rules & BRANCH;
}

/* --- all orders ----------------------------------------------------------- */

struct search
{
    const struct litmus *test;
    const struct broken *broken;
    int memory[PLACES];
    int value[2][ACCESSES];     /* results of loads */
    bool done[2][ACCESSES];
    bool guessed[2][ACCESSES];  /* stored before its branch was decided */
    unsigned long orders, forbidden;
};

/* Is the result of the access part of the outcome? */
static bool is_taken(const struct search *s, unsigned int thread,
                     unsigned int at)
{
    const struct access *x = &s->test->threads[thread][at];

    return !x->load || (is_taken(s, thread, x->load - 1) &&
                        s->value[thread][x->load - 1] == x->wanted);
}

/* A store was on a wrong guess: no CPU shows such a store to others. */
static bool is_impossible(const struct search *s)
{
    for ( unsigned int thread = 0; thread < 2; thread++ )
        for ( unsigned int i = 0; i < ACCESSES; i++ )
            if ( s->guessed[thread][i] && !is_taken(s, thread, i) )
                return true;
    return false;
}

static bool is_forbidden(const struct search *s)
{
    for ( unsigned int i = 0; i < s->test->nr_forbidden; i++ )
    {
        const struct outcome *o = &s->test->forbidden[i];

        if ( is_taken(s, 1, o->second) && s->value[1][o->first] == o->value &&
             s->value[1][o->second] != o->good )
            return true;
    }
    return false;
}

static bool may_perform(const struct search *s, unsigned int thread,
                        unsigned int at)
{
    if ( s->done[thread][at] )
        return false;
    for ( unsigned int i = 0; i < at; i++ )
        if ( !s->done[thread][i] &&
             is_ordered(s->test, s->broken, thread, i, at) )
            return false;
    return true;
}

static void explore(struct search *s);

static void perform(struct search *s, unsigned int thread, unsigned int at)
{
    const struct access *x = &s->test->threads[thread][at];
    struct search next = *s;

    next.done[thread][at] = true;
    if ( x->kind == LOAD )
        next.value[thread][at] = s->memory[x->place];
    else
    {
        next.guessed[thread][at] = x->load && !s->done[thread][x->load - 1];
        if ( next.guessed[thread][at] || is_taken(s, thread, at) )
            next.memory[x->place] = x->value;
    }
    explore(&next);
    s->orders = next.orders;
    s->forbidden = next.forbidden;
}

static void explore(struct search *s)
{
    bool is_end = true;

    for ( unsigned int thread = 0; thread < 2; thread++ )
        for ( unsigned int i = 0; i < ACCESSES; i++ )
        {
            if ( s->test->threads[thread][i].kind == END )
                continue;
            is_end &= s->done[thread][i];
            if ( may_perform(s, thread, i) )
                perform(s, thread, i);
        }
    if ( !is_end || is_impossible(s) )
        return;
    s->orders++;
    s->forbidden += is_forbidden(s);
}

static struct search search_orders(const struct litmus *t,
                                   const struct broken *b)
{
    struct search s = { .test = t, .broken = b };

    explore(&s);
    return s;
}

/* --- the tests ------------------------------------------------------------ */

static unsigned int wrong;

static void report(const struct litmus *t, const char *what,
                   const struct search *s, bool is_right)
{
    printf("%-8s %-28s %6lu orders, %6lu forbidden: %s\n", t->name, what,
           s->orders, s->forbidden, is_right ? "ok" : "WRONG");
    wrong += !is_right;
}

static void break_rule(const struct litmus *t, unsigned int thread,
                       unsigned int at, unsigned int rule)
{
    const struct broken b = { thread, at, 1u << rule };
    struct search s;
    char what[40];

    if ( !(t->threads[thread][at].rules & b.rules) )
        return;
    s = search_orders(t, &b);
    snprintf(what, sizeof(what), "without %s of T%u.%u", rule_names[rule],
             thread, at);
    report(t, what, &s, s.forbidden != 0);
}

static void run_test(const struct litmus *t)
{
    const struct broken none = { .rules = 0 };
    struct search s = search_orders(t, &none);

    report(t, "all rules", &s, s.orders > 1 && !s.forbidden);
    for ( unsigned int thread = 0; thread < 2; thread++ )
        for ( unsigned int i = 0; i < ACCESSES; i++ )
            for ( unsigned int rule = 0; rule < RULES; rule++ )
                break_rule(t, thread, i, rule);
}

int main(void)
{
    for ( size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++ )
        run_test(&tests[i]);
    return wrong != 0;
}
