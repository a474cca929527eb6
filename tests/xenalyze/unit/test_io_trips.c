/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Round trips of I/O: facts in, numbers out.
 *
 * A script has a fact per line, in the order in which a sink gets them; dDvV is
 * a vcpu and dD a domain:
 *
 *     wake 110 112 130 d0v0 d1v0  d0v0 woken at 110, runnable from 112 to 130;
 *                                 by d1v0
 *     preempt 110 130 d0v0        runnable from 110 to 130
 *     resume 112 d1v0             offline until 112, then runnable
 *     send 100 d1v0               PV hypercall on event channels; or oldsend,
 *                                 subsend: other kinds of records
 *     call 100 d1v0               another PV hypercall
 *     trap 100 d1v0               a PV trap
 *     vmsend 100 95 120 d1v0      HVM hypercall on event channels at 100, in an
 *                                 exit from 95 to 120
 *     vmcall 100 95 120 d1v0      another HVM hypercall
 *     access 95 120 d1v0          an exit, for an emulated device
 *     exit 95 120 d1v0            ... and for something else
 *     map 140 d0v0 d1             d0v0 maps a grant of d1; or unmap, transfer
 *     loss
 *     end                         of the segment; another begins
 *     span 100 200                the same; of the other, this span is selected
 *
 * "send 101 116 d1v0" is a line for each time from 101 to 116, as is "halts
 * 170 185 d0v0" of waits without duration, after an interrupt.
 *
 * The expected text has a line for each path; a line for each of the worst
 * trips, with both vcpus, the begin, and the duration of each step; and a line
 * for each kind of unmatched events.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/fault.h"
#include "tests/xenalyze/unit/make-facts.h"
#include "xenalyze/account/account.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

#define EVENT_CHANNEL_OP 32u

struct io_test
{
    struct guests guests;
    struct io_trips trips;
    struct sink sink;
    struct stage stage;
    unsigned int segment;
};

struct io_line;

struct io_kind
{
    const char *name;
    void (*feed)(struct io_test *t, const struct io_line *l);
    uint8_t fact;               /* kind in the fact */
    uint32_t number;
};

/* A line of a script. */
struct io_line
{
    const struct io_kind *kind;
    uint64_t numbers[3];
    const struct vcpu *vcpus[2];
    const struct domain *domain;
};

/* --- facts ---------------------------------------------------------------- */

static void feed_wake(struct io_test *t, const struct io_line *l)
{
    t->sink.ops->wait(t->sink.state, &(struct fact_wait){
        .vcpu = l->vcpus[0], .waker = l->vcpus[1], .why = WHY_WAKE,
        .woken = l->numbers[0], .from = l->numbers[1], .to = l->numbers[2] });
}

static void feed_preempt(struct io_test *t, const struct io_line *l)
{
    t->sink.ops->wait(t->sink.state, &(struct fact_wait){
        .vcpu = l->vcpus[0], .why = WHY_PREEMPT, .woken = l->numbers[0],
        .from = l->numbers[0], .to = l->numbers[1] });
}

static void feed_resume(struct io_test *t, const struct io_line *l)
{
    t->sink.ops->runstate(t->sink.state, &(struct fact_runstate){
        .vcpu = l->vcpus[0], .to = l->numbers[0], .state = STATE_OFFLINE,
        .next = STATE_RUNNABLE, .next_why = WHY_WAKE });
}

/* An interrupt wakes the vcpu at each time. */
static void feed_halts(struct io_test *t, const struct io_line *l)
{
    const struct vcpu *idle = guests_get_vcpu(&t->guests, XT_DOMAIN_IDLE, 0);

    for ( uint64_t time = l->numbers[0]; time <= l->numbers[1]; time++ )
        t->sink.ops->wait(t->sink.state, &(struct fact_wait){
            .vcpu = l->vcpus[0], .waker = idle, .why = WHY_WAKE,
            .woken = time, .from = time, .to = time });
}

/* A fact for each time from the first number to the second. */
static void feed_pv(struct io_test *t, const struct io_line *l)
{
    uint64_t from = l->numbers[0], to = l->numbers[1] ? l->numbers[1] : from;

    for ( uint64_t time = from; time <= to; time++ )
        t->sink.ops->pv(t->sink.state, &(struct fact_pv){
            .vcpu = l->vcpus[0], .time = time, .kind = l->kind->fact,
            .number = l->kind->number });
}

static void feed_handle(struct io_test *t, const struct io_line *l)
{
    const struct fact_exit exit = {
        .vcpu = l->vcpus[0], .start = l->numbers[1],
        .cycles = l->numbers[2] - l->numbers[1],
    };

    t->sink.ops->handle(t->sink.state, &(struct fact_handle){
        .vcpu = exit.vcpu, .exit = l->numbers[2] ? &exit : NULL,
        .time = l->numbers[0], .kind = l->kind->fact,
        .at = l->kind->number });
}

/* The end of the blocked part of an exit. */
static void feed_exit(struct io_test *t, const struct io_line *l)
{
    const struct fact_exit exit = {
        .vcpu = l->vcpus[0], .start = l->numbers[0],
        .cycles = l->numbers[1] - l->numbers[0],
    };

    t->sink.ops->exit_block(t->sink.state, &(struct fact_exit_block){
        .exit = &exit, .is_access = l->kind->fact });
}

static void feed_grant(struct io_test *t, const struct io_line *l)
{
    t->sink.ops->memory(t->sink.state, &(struct fact_memory){
        .by = l->vcpus[0], .target = l->domain, .time = l->numbers[0],
        .kind = l->kind->fact });
}

static void feed_loss(struct io_test *t, const struct io_line *l)
{
    (void)l;
    t->sink.ops->loss(t->sink.state, &(struct fact_loss){ .records = 1 });
}

static int end_segment(struct io_test *t)
{
    struct err e = ERR_INIT;

    return t->sink.ops->end(t->sink.state, &(struct fact_end){
        .segment = t->segment }, &e);
}

static void feed_end(struct io_test *t, const struct io_line *l)
{
    ck_assert_int_eq(end_segment(t), 0);
    t->segment++;
    t->sink.ops->begin(t->sink.state, &(struct fact_begin){
        .segment = t->segment, .first = l->numbers[0],
        .until = l->numbers[1] });
}

/* --- scripts -------------------------------------------------------------- */

static const struct io_kind io_kinds[] = {
    { "wake", feed_wake, 0, 0 },
    { "preempt", feed_preempt, 0, 0 },
    { "resume", feed_resume, 0, 0 },
    { "halts", feed_halts, 0, 0 },
    { "send", feed_pv, PV_HYPERCALL_V2, EVENT_CHANNEL_OP },
    { "oldsend", feed_pv, PV_HYPERCALL, EVENT_CHANNEL_OP },
    { "subsend", feed_pv, PV_HYPERCALL_SUBCALL, EVENT_CHANNEL_OP },
    { "call", feed_pv, PV_HYPERCALL_V2, 1 },
    { "trap", feed_pv, PV_TRAP, EVENT_CHANNEL_OP },
    { "vmsend", feed_handle, HANDLE_HYPERCALL, EVENT_CHANNEL_OP },
    { "vmcall", feed_handle, HANDLE_HYPERCALL, 1 },
    { "access", feed_exit, true, 0 },
    { "exit", feed_exit, false, 0 },
    { "map", feed_grant, MEMORY_GRANT_MAP, 0 },
    { "unmap", feed_grant, MEMORY_GRANT_UNMAP, 0 },
    { "transfer", feed_grant, MEMORY_GRANT_TRANSFER, 0 },
    { "loss", feed_loss, 0, 0 },
    { "end", feed_end, 0, 0 },
    { "span", feed_end, 0, 0 },
};

static void read_word(struct io_test *t, struct io_line *l, const char *word)
{
    size_t n = 0, v = 0;
    unsigned int domain, id;

    while ( n < NR(l->numbers) - 1 && l->numbers[n] )
        n++;
    while ( v < NR(l->vcpus) - 1 && l->vcpus[v] )
        v++;
    if ( sscanf(word, "d%uv%u", &domain, &id) == 2 )
        l->vcpus[v] = guests_get_vcpu(&t->guests, domain, id);
    else if ( sscanf(word, "d%u", &domain) == 1 )
        l->domain = guests_get_domain(&t->guests, domain);
    else
        l->numbers[n] = strtoull(word, NULL, 10);
}

static void feed_line(struct io_test *t, char *text)
{
    struct io_line l = { .kind = NULL };
    char *rest, *word = strtok_r(text, " ", &rest);
    const char *name = word;
    size_t i = 0;

    while ( (word = strtok_r(NULL, " ", &rest)) )
        read_word(t, &l, word);
    while ( i < NR(io_kinds) && strcmp(io_kinds[i].name, name) )
        i++;
    ck_assert_msg(i < NR(io_kinds), "unknown fact: %s", name);
    l.kind = &io_kinds[i];
    l.kind->feed(t, &l);
}

static void feed_script(struct io_test *t, const char *script)
{
    char *copy = strdup(script), *rest, *line;

    ck_assert_ptr_nonnull(copy);
    for ( line = strtok_r(copy, "\n", &rest); line;
          line = strtok_r(NULL, "\n", &rest) )
        feed_line(t, line);
    free(copy);
}

static void io_test_init(struct io_test *t)
{
    *t = (struct io_test){ .segment = 0 };
    stage_init(&t->stage);
    ck_assert_int_eq(guests_init(&t->guests, 0, 0), 0);
    io_trips_init(&t->trips);
    t->sink = io_trips_sink(&t->trips);
    stage_begin(&t->stage, &t->sink, 0);
}

static void io_test_fini(struct io_test *t)
{
    io_trips_fini(&t->trips);
    guests_fini(&t->guests);
    stage_fini(&t->stage);
}

static void print_worst(const struct io_worst *w, FILE *out)
{
    fprintf(out, "d%uv%u d%uv%u %" PRIu64 ":", w->domain, w->vcpu, w->backend,
            w->backend_vcpu, w->from);
    for ( unsigned int i = 0; i < IO_STEPS; i++ )
        fprintf(out, " %" PRIu64, w->steps[i]);
    fprintf(out, "\n");
}

/* The steps add up to the whole. */
static void print_path(const struct io_path *p, FILE *out)
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < IO_STEPS; i++ )
    {
        sum += p->steps[i].sum;
        ck_assert_uint_eq(stats_events(&p->steps[i]), stats_events(&p->whole));
    }
    ck_assert_uint_eq(sum, p->whole.sum);
    fprintf(out, "d%u d%u%s: %" PRIu64 " trips %" PRIu64 " cycles %" PRIu64
            " grants", p->domain, p->backend,
            p->is_emulated ? " emulated" : "", stats_events(&p->whole),
            p->whole.sum, p->grants);
    if ( p->estimated )
        fprintf(out, " %" PRIu64 " estimated", p->estimated);
    fprintf(out, "\n");
}

static void print_trips(const struct io_trips *t, FILE *out)
{
    for ( size_t i = 0; i < t->nr_paths; i++ )
        print_path(t->paths[i], out);
    for ( size_t i = 0; i < t->nr_worst; i++ )
        print_worst(&t->worst[i], out);
    for ( unsigned int i = 0; i < IO_UNMATCHED; i++ )
        if ( t->unmatched[i] )
            fprintf(out, "%s: %" PRIu64 "\n", io_unmatched_name(i),
                    t->unmatched[i]);
}

#define NO_REQUEST "wake-ups by a backend without a request: 1\n"
#define NO_ANSWER "requests without an answer: 1\n"

struct io_row
{
    const char *what, *script, *expected;
};

static void check_rows(const struct io_row *rows, size_t nr)
{
    for ( size_t i = 0; i < nr; i++ )
    {
        struct io_test t;
        const char *text;

        io_test_init(&t);
        feed_script(&t, rows[i].script);
        ck_assert_int_eq(end_segment(&t), 0);
        print_trips(&t.trips, t.stage.out);
        text = stage_text(&t.stage);
        ck_assert_msg(!strcmp(text, rows[i].expected),
                      "%s:\n%s is not\n%s", rows[i].what, text,
                      rows[i].expected);
        io_test_fini(&t);
    }
}

/* A test of all rows of the table NAME_rows. */
#define IO_TEST(name)                                                   \
START_TEST(name)                                                        \
{                                                                       \
    check_rows(name##_rows, NR(name##_rows));                           \
}                                                                       \
END_TEST

/* --- steps ---------------------------------------------------------------- */

static const struct io_row steps_rows[] = {
    { "each step of a PV guest",
      "send 100 d1v0\nwake 110 112 130 d0v0 d1v0\nmap 135 d0v0 d1\n"
      "wake 145 146 154 d0v0 d32767v0\nunmap 157 d0v0 d1\nsend 160 d0v0\n"
      "wake 165 166 180 d1v0 d0v0\n",
      "d1 d0: 1 trips 80 cycles 2 grants\n"
      "d1v0 d0v0 100: 12 18 5 11 8 6 20\n" },
    { "each kind of hypercall",
      "subsend 100 d1v0\nwake 110 112 130 d0v0 d1v0\noldsend 160 d0v0\n"
      "wake 165 166 180 d1v0 d0v0\n",
      "d1 d0: 1 trips 80 cycles 0 grants\n"
      "d1v0 d0v0 100: 12 18 0 0 0 30 20\n" },
    { "the backend does not wait again",
      "send 100 d1v0\nwake 110 112 130 d0v0 d1v0\nmap 135 d0v0 d1\n"
      "unmap 157 d0v0 d1\nsend 160 d0v0\nwake 165 166 180 d1v0 d0v0\n",
      "d1 d0: 1 trips 80 cycles 2 grants\n"
      "d1v0 d0v0 100: 12 18 5 22 0 3 20\n" },
    { "the backend is preempted in each step",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\npreempt 111 115 d0v0\n"
      "map 120 d0v0 d1\npreempt 122 128 d0v0\n"
      "wake 145 145 155 d0v0 d32767v0\npreempt 157 160 d0v0\n"
      "send 163 d0v0\nwake 165 166 180 d1v0 d0v0\n",
      "d1 d0: 1 trips 80 cycles 1 grants\n"
      "d1v0 d0v0 100: 1 9 6 19 23 5 17\n" },
    { "the backend is preempted, and never woken",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\nmap 112 d0v0 d1\n"
      "preempt 113 120 d0v0\npreempt 121 130 d0v0\n"
      "preempt 131 150 d0v0\nsend 153 d0v0\nwake 155 156 170 d1v0 d0v0\n",
      "d1 d0: 1 trips 70 cycles 1 grants\n"
      "d1v0 d0v0 100: 1 9 2 3 35 3 17\n" },
    { "waits for the work of others, between two wake-ups",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\nmap 112 d0v0 d1\n"
      "preempt 113 115 d0v0\nwake 120 120 126 d0v0 d32767v0\n"
      "preempt 127 129 d0v0\nwake 140 140 145 d0v0 d32767v0\n"
      "preempt 147 150 d0v0\nsend 153 d0v0\nwake 155 156 170 d1v0 d0v0\n",
      "d1 d0: 1 trips 70 cycles 1 grants\n"
      "d1v0 d0v0 100: 1 9 2 26 10 5 17\n" },
    { "another vcpu answers: its waits since its last wake-up",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\nmap 112 d0v0 d1\n"
      "preempt 113 115 d0v1\nwake 120 120 126 d0v1 d32767v0\n"
      "preempt 127 129 d0v1\nsend 135 d0v1\nwake 136 136 150 d1v0 d0v1\n",
      "d1 d0: 1 trips 50 cycles 1 grants\n"
      "d1v0 d0v1 100: 1 9 2 8 8 7 15\n" },
    { "another vcpu answers, and has only been preempted",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\nmap 112 d0v0 d1\n"
      "preempt 105 115 d0v1\npreempt 117 120 d0v1\n"
      "preempt 127 129 d0v1\nsend 135 d0v1\nwake 136 136 150 d1v0 d0v1\n",
      "d1 d0: 1 trips 50 cycles 1 grants\n"
      "d1v0 d0v1 100: 1 9 2 12 5 6 15\n" },
    { "each step of an HVM guest",
      "vmsend 100 95 120 d1v0\nwake 110 112 130 d0v0 d1v0\nmap 135 d0v0 d1\n"
      "vmsend 160 155 170 d0v0\nwake 165 166 180 d1v0 d0v0\n",
      "d1 d0: 1 trips 80 cycles 1 grants\n"
      "d1v0 d0v0 100: 12 18 5 0 0 25 20\n" },
    { "an HVM hypercall without its exit",
      "vmsend 100 d1v0\nwake 100 112 130 d0v0 d1v0\n"
      "wake 165 166 180 d1v0 d0v0\n",
      "d1 d0: 1 trips 80 cycles 0 grants\n"
      "d1v0 d0v0 100: 12 18 0 0 0 35 15\n" },
    { "the backend runs again, and sends at once",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\nmap 120 d0v0 d1\n"
      "wake 145 145 160 d0v0 d32767v0\nsend 160 d0v0\n"
      "wake 165 166 180 d1v0 d0v0\n",
      "d1 d0: 1 trips 80 cycles 1 grants\n"
      "d1v0 d0v0 100: 1 9 10 25 15 0 20\n" },
    { "an event of the backend before its wake-up",
      "send 100 d1v0\nsend 105 d0v0\nwake 110 112 130 d0v0 d1v0\n"
      "wake 165 166 180 d1v0 d0v0\n",
      "d1 d0: 1 trips 80 cycles 0 grants\n"
      "d1v0 d0v0 100: 12 18 0 0 0 35 15\n" },
    { "grants before the wake-up, and of others",
      "send 100 d1v0\nmap 90 d0v0 d1\nwake 110 112 130 d0v0 d1v0\n"
      "map 135 d0v0 d2\nmap 136 d2v0 d1\nmap 137 d1v0 d1\n"
      "map 138 d32767v0 d1\nmap 139 d1\nmap 139 d0v0\n"
      "transfer 140 d0v0 d1\nwake 165 166 180 d1v0 d0v0\n",
      "d1 d0: 1 trips 80 cycles 0 grants\n"
      "d1v0 d0v0 100: 12 18 0 0 0 35 15\n" },
    { "a trip without duration",
      "send 100 d1v0\nwake 100 100 100 d0v0 d1v0\n"
      "wake 100 100 100 d1v0 d0v0\n",
      "d1 d0: 1 trips 0 cycles 0 grants\n"
      "d1v0 d0v0 100: 0 0 0 0 0 0 0\n" },
    { "further events of the guest belong to the trip",
      "send 100 d1v0\nwake 110 112 130 d0v0 d1v0\nsend 132 d1v0\n"
      "wake 165 166 180 d1v0 d0v0\n",
      "d1 d0: 1 trips 80 cycles 0 grants\n"
      "d1v0 d0v0 100: 12 18 0 0 0 35 15\n" },
    { "another event wakes the backend before the answer",
      "send 100 d1v0\nwake 110 112 130 d0v0 d1v0\nsend 140 d1v0\n"
      "wake 141 142 150 d0v0 d1v0\nwake 165 166 180 d1v0 d0v0\n",
      "d1 d0: 1 trips 40 cycles 0 grants\n"
      "d1v0 d0v0 140: 2 8 0 0 0 15 15\n" NO_ANSWER },
    { "two trips, one after the other",
      "send 100 d1v0\nwake 110 112 130 d0v0 d1v0\n"
      "wake 165 166 180 d1v0 d0v0\nsend 200 d1v0\n"
      "wake 210 212 230 d0v0 d1v0\nmap 231 d0v0 d1\n"
      "wake 265 266 290 d1v0 d0v0\n",
      "d1 d0: 2 trips 170 cycles 1 grants\n"
      "d1v0 d0v0 200: 12 18 1 0 0 34 25\n"
      "d1v0 d0v0 100: 12 18 0 0 0 35 15\n" },
};

IO_TEST(steps)

/* --- an awake backend ----------------------------------------------------- */

static const struct io_row awake_backend_rows[] = {
    { "the backend is awake",
      "send 100 d1v0\nmap 120 d0v0 d1\nunmap 140 d0v0 d1\nsend 150 d0v0\n"
      "wake 155 156 170 d1v0 d0v0\n",
      "d1 d0: 1 trips 70 cycles 2 grants\n"
      "d1v0 d0v0 100: 0 0 20 20 0 10 20\n" },
    { "the last event before the vcpu blocks",
      "send 90 100 d1v0\nmap 120 d0v0 d1\nwake 155 156 170 d1v0 d0v0\n",
      "d1 d0: 1 trips 70 cycles 1 grants\n"
      "d1v0 d0v0 100: 0 0 20 0 0 35 15\n" },
    { "the backend is preempted before it reacts",
      "send 100 d1v0\npreempt 105 125 d0v0\nmap 130 d0v0 d1\n"
      "wake 155 156 170 d1v0 d0v0\n",
      "d1 d0: 1 trips 70 cycles 1 grants\n"
      "d1v0 d0v0 100: 0 25 5 0 0 25 15\n" },
    { "the backend was preempted before the event",
      "preempt 80 95 d0v0\nsend 100 d1v0\nmap 130 d0v0 d1\n"
      "wake 155 156 170 d1v0 d0v0\n",
      "d1 d0: 1 trips 70 cycles 1 grants\n"
      "d1v0 d0v0 100: 0 0 30 0 0 25 15\n" },
    { "no grants",
      "send 100 d1v0\nwake 155 156 170 d1v0 d0v0\n",
      "d1 d0: 1 trips 70 cycles 0 grants\n"
      "d1v0 d0v0 100: 0 0 0 0 0 55 15\n" },
    { "no grants, and the guest is preempted before it blocks",
      "send 100 d1v0\npreempt 105 150 d1v0\nwake 160 161 170 d1v0 d0v0\n",
      "d1 d0: 1 trips 70 cycles 0 grants\n"
      "d1v0 d0v0 100: 0 0 0 0 0 60 10\n" },
    { "no grants, and the guest has run since",
      "send 100 d1v0\nwake 120 121 130 d1v0 d32767v0\n"
      "wake 160 161 170 d1v0 d0v0\n", NO_REQUEST },
    { "grants, and the guest has run since",
      "send 100 d1v0\nmap 110 d0v0 d1\nwake 120 121 130 d1v0 d32767v0\n"
      "wake 160 161 170 d1v0 d0v0\n",
      "d1 d0: 1 trips 70 cycles 1 grants\n"
      "d1v0 d0v0 100: 0 0 10 0 0 50 10\n" },
    { "the guest is preempted, and the backend woken",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\npreempt 105 150 d1v0\n"
      "wake 160 161 170 d1v0 d0v0\n",
      "d1 d0: 1 trips 70 cycles 0 grants\n"
      "d1v0 d0v0 100: 1 9 0 0 0 50 10\n" },
};

IO_TEST(awake_backend)

/* --- several vcpus -------------------------------------------------------- */

static const struct io_row several_vcpus_rows[] = {
    { "a second vcpu of the backend reacts",
      "send 100 d1v0\nwake 110 110 120 d0v0 d1v0\nwake 112 112 130 d0v1 d1v0\n"
      "map 135 d0v1 d1\nwake 155 156 170 d1v0 d0v1\n",
      "d1 d0: 1 trips 70 cycles 1 grants\n"
      "d1v0 d0v1 100: 10 10 15 0 0 20 15\n" },
    { "two vcpus overlap: each grant counts once",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\nsend 105 d1v1\n"
      "wake 106 106 115 d0v1 d1v1\nmap 112 d0v0 d1\nmap 120 d0v0 d1\n"
      "wake 130 131 140 d1v1 d0v1\nwake 150 151 160 d1v0 d0v0\n",
      "d1 d0: 2 trips 95 cycles 2 grants\n"
      "d1v0 d0v0 100: 1 9 2 8 0 30 10\nd1v1 d0v1 105: 1 9 5 0 0 10 10\n" },
    { "another vcpu gets the answer: the oldest trip ends",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\nsend 105 d1v1\n"
      "wake 106 106 115 d0v1 d1v1\nwake 130 131 140 d1v2 d0v1\n"
      "wake 150 151 160 d1v2 d0v1\nwake 170 171 180 d1v2 d0v1\n",
      "d1 d0: 2 trips 95 cycles 0 grants\n"
      "d1v1 d0v1 105: 1 9 0 0 0 35 10\nd1v0 d0v1 100: 1 9 0 0 0 20 10\n"
      NO_REQUEST },
    { "the oldest trip begins after the answer: the next one ends",
      "wake 101 102 105 d0v1 d1v1\nvmsend 120 118 124 d1v0\n"
      "wake 123 123 130 d0v0 d1v0\nvmsend 100 95 140 d1v1\n"
      "wake 110 111 150 d1v2 d0v1\nwake 160 160 170 d1v0 d0v0\n",
      "d1 d0: 2 trips 100 cycles 0 grants\n"
      "d1v1 d0v1 100: 2 3 0 0 0 5 40\nd1v0 d0v0 120: 3 7 0 0 0 30 10\n" },
    { "no answer before the request",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\n"
      "wake 90 91 140 d1v1 d0v1\n", NO_REQUEST
      "requests in progress at the end: 1\n" },
    { "no answer before the backend runs",
      "send 100 d1v0\nwake 101 101 130 d0v0 d1v0\n"
      "wake 120 121 140 d1v0 d0v1\nwake 150 151 160 d1v0 d0v0\n",
      "d1 d0: 1 trips 60 cycles 0 grants\n"
      "d1v0 d0v0 100: 1 29 0 0 0 20 10\n" NO_REQUEST },
};

IO_TEST(several_vcpus)

/* --- a selected span ------------------------------------------------------ */

/* A trip from 100 to 180, the backend's wait from 112 to 130. */
#define SPAN_TRIP "send 100 d1v0\nwake 110 112 130 d0v0 d1v0\n"            \
                  "map 135 d0v0 d1\nsend 160 d0v0\n"                       \
                  "wake 165 166 180 d1v0 d0v0\n"

static const struct io_row spans_rows[] = {
    { "the trip begins before the span", "span 150 200\n" SPAN_TRIP,
      "d1 d0: 1 trips 80 cycles 1 grants\n"
      "d1v0 d0v0 100: 12 18 5 0 0 25 20\n" },
    { "the trip fills the span", "span 100 180\n" SPAN_TRIP,
      "d1 d0: 1 trips 80 cycles 1 grants\n"
      "d1v0 d0v0 100: 12 18 5 0 0 25 20\n" },
    { "the trip ends before the span", "span 181 200\n" SPAN_TRIP, "" },
    { "the trip ends behind the span", "span 90 179\n" SPAN_TRIP,
      "requests in progress at the end: 1\n" },
    { "the trip begins behind the span", "span 50 99\n" SPAN_TRIP, "" },
    { "nothing answers behind the span",
      "span 90 150\nsend 100 d1v0\nwake 110 112 130 d0v0 d1v0\n",
      "requests in progress at the end: 1\n" },
    { "the vcpu does not wait for an answer behind the span",
      "span 90 150\nsend 100 d1v0\nwake 110 112 130 d0v0 d1v0\n"
      "send 190 d1v0\nwake 191 192 193 d0v0 d1v0\n",
      "requests in progress at the end: 1\n" },
    { "records are lost before the span",
      "span 150 200\nsend 100 d1v0\nwake 110 112 130 d0v0 d1v0\nloss\n"
      "wake 165 166 180 d1v0 d0v0\n",
      NO_REQUEST },
    { "no request: before, in and behind the span",
      "span 150 200\nsend 90 d0v0\nwake 91 92 93 d1v0 d0v0\n"
      "send 160 d0v0\nwake 161 162 163 d1v0 d0v0\n"
      "send 210 d0v0\nwake 211 212 213 d1v0 d0v0\n",
      NO_REQUEST },
};

IO_TEST(spans)

/* --- driver domains ------------------------------------------------------- */

static const struct io_row driver_domains_rows[] = {
    { "a domain that uses grants is a backend",
      "map 50 d2v0 d1\nsend 100 d1v0\nwake 101 101 110 d2v0 d1v0\n"
      "map 112 d2v0 d1\nwake 130 131 140 d1v0 d2v0\n",
      "d1 d2: 1 trips 40 cycles 1 grants\n"
      "d1v0 d2v0 100: 1 9 2 0 0 18 10\n" },
    { "another domain is not",
      "send 100 d1v0\nwake 101 101 110 d2v0 d1v0\n"
      "wake 130 131 140 d1v0 d2v0\n", "" },
    { "a backend is a guest of dom0, dom0 of none",
      "map 50 d2v0 d0\nsend 100 d2v0\nwake 101 101 110 d0v0 d2v0\n"
      "wake 130 131 140 d2v0 d0v0\ntrap 150 d2v0\n"
      "send 200 d0v0\nwake 201 201 210 d2v0 d0v0\n"
      "wake 230 231 240 d0v0 d2v0\n",
      "d2 d0: 1 trips 40 cycles 0 grants\n"
      "d2v0 d0v0 100: 1 9 0 0 0 20 10\n" NO_REQUEST },
    { "the idle domain is not",
      "map 50 d32767v0 d1\nsend 100 d1v0\nwake 155 156 170 d1v0 d32767v0\n",
      "" },
    { "a domain does not serve itself",
      "map 50 d2v0 d1\nsend 100 d2v0\nwake 101 101 110 d2v1 d2v0\n"
      "wake 130 131 140 d2v0 d2v1\n", "" },
    { "a trip to one backend, and an answer of another",
      "map 50 d2v0 d1\nsend 100 d1v0\nwake 101 101 110 d0v0 d1v0\n"
      "wake 130 131 140 d1v0 d2v0\nwake 150 151 160 d1v0 d0v0\n",
      "d1 d0: 1 trips 60 cycles 0 grants\n"
      "d1v0 d0v0 100: 1 9 0 0 0 40 10\n" NO_REQUEST },
    { "paths by guest, backend and kind",
      "map 50 d2v0 d1\nsend 100 d1v0\nwake 101 101 110 d2v0 d1v0\n"
      "wake 130 131 140 d1v0 d2v0\nsend 200 d1v0\n"
      "wake 201 201 210 d0v0 d1v0\nwake 230 231 239 d1v0 d0v0\n"
      "trap 240 d1v0\nwake 301 301 310 d0v0 d1v0\naccess 299 330 d1v0\n"
      "wake 330 331 340 d1v0 d0v0\nsend 400 d3v0\n"
      "wake 401 401 410 d0v0 d3v0\nwake 430 431 438 d3v0 d0v0\n",
      "d1 d2: 1 trips 40 cycles 0 grants\nd1 d0: 1 trips 39 cycles 0 grants\n"
      "d1 d0 emulated: 1 trips 39 cycles 0 grants\n"
      "d3 d0: 1 trips 38 cycles 0 grants\n"
      "d1v0 d2v0 100: 1 9 0 0 0 20 10\nd1v0 d0v0 200: 1 9 0 0 0 20 9\n"
      "d1v0 d0v0 301: 0 9 0 0 0 20 10\nd3v0 d0v0 400: 1 9 0 0 0 20 8\n" },
};

IO_TEST(driver_domains)

/* --- HVM exits, emulated devices and interrupts --------------------------- */

static const struct io_row late_sends_rows[] = {
    { "the backend runs before the exit ends",
      "wake 105 106 110 d0v0 d1v0\nvmsend 100 95 120 d1v0\nmap 125 d0v0 d1\n"
      "wake 150 151 160 d1v0 d0v0\n",
      "d1 d0: 1 trips 60 cycles 1 grants\n"
      "d1v0 d0v0 100: 6 4 15 0 0 25 10\n" },
    { "grants before the exit ends",
      "wake 105 106 110 d0v0 d1v0\nmap 112 d0v0 d1\n"
      "vmsend 100 95 120 d1v0\nmap 125 d0v0 d1\n"
      "wake 150 151 160 d1v0 d0v0\n",
      "d1 d0: 1 trips 60 cycles 2 grants\n"
      "d1v0 d0v0 100: 6 4 2 13 0 25 10\n" },
    { "the event is after the wake-up: another trip",
      "wake 105 106 110 d0v0 d1v0\nvmsend 107 95 120 d1v0\n"
      "map 125 d0v0 d1\nwake 150 151 160 d1v0 d0v0\n",
      "d1 d0: 1 trips 53 cycles 1 grants\n"
      "d1v0 d0v0 107: 0 3 15 0 0 25 10\n" },
    { "the exit ended before the wake-up",
      "wake 105 106 110 d0v0 d1v0\nvmsend 90 85 104 d1v0\nmap 125 d0v0 d1\n"
      "wake 150 151 160 d1v0 d0v0\n",
      "d1 d0: 1 trips 70 cycles 1 grants\n"
      "d1v0 d0v0 90: 0 20 15 0 0 25 10\n" },
    { "the event replaces a trip that has no answer",
      "vmsend 70 65 75 d1v0\nwake 71 72 74 d0v0 d1v0\n"
      "wake 105 106 110 d0v0 d1v0\nvmsend 100 95 120 d1v0\n"
      "wake 150 151 160 d1v0 d0v0\n",
      "d1 d0: 1 trips 60 cycles 0 grants\n"
      "d1v0 d0v0 100: 6 4 0 0 0 40 10\n" NO_ANSWER },
};

IO_TEST(late_sends)

static const struct io_row emulated_devices_rows[] = {
    { "a port",
      "call 50 d1v0\nwake 110 111 120 d0v0 d1v0\naccess 100 150 d1v0\n"
      "wake 150 151 160 d1v0 d0v0\n",
      "d1 d0 emulated: 1 trips 50 cycles 0 grants\n"
      "d1v0 d0v0 110: 1 9 0 0 0 30 10\n" },
    { "a port, and an answer of another backend",
      "map 50 d2v0 d1\ncall 50 d1v0\nwake 110 111 120 d0v0 d1v0\n"
      "access 100 150 d1v0\nwake 130 131 140 d1v0 d2v0\n"
      "wake 150 151 160 d1v0 d0v0\n",
      "d1 d0 emulated: 1 trips 50 cycles 0 grants\n"
      "d1v0 d0v0 110: 1 9 0 0 0 30 10\n" NO_REQUEST },
    { "memory, and an HVM hypercall before",
      "vmcall 50 45 55 d1v0\nwake 110 111 120 d0v0 d1v0\n"
      "access 110 110 d1v0\nwake 150 151 160 d1v0 d0v0\n",
      "d1 d0 emulated: 1 trips 50 cycles 0 grants\n"
      "d1v0 d0v0 110: 1 9 0 0 0 30 10\n" },
    { "an exit of another kind",
      "call 50 d1v0\nwake 110 111 120 d0v0 d1v0\nexit 100 150 d1v0\n"
      "wake 150 151 160 d1v0 d0v0\n", NO_REQUEST },
    { "exits before and after the wake-up, and no exit",
      "call 50 d1v0\nwake 110 111 120 d0v0 d1v0\naccess 100 109 d1v0\n"
      "access 111 150 d1v0\nwake 150 151 160 d1v0 d0v0\n",
      NO_REQUEST },
    { "a trace without hypercalls",
      "wake 110 111 120 d0v0 d1v0\nwake 150 151 160 d1v0 d0v0\n",
      "d1 d0 emulated: 1 trips 50 cycles 0 grants\n"
      "d1v0 d0v0 110: 1 9 0 0 0 30 10\n" },
    { "the device before the event",
      "send 100 d1v0\nwake 101 101 105 d0v0 d1v0\ntrap 106 d1v0\n"
      "wake 110 111 120 d0v0 d1v0\naccess 107 150 d1v0\n"
      "wake 150 151 160 d1v0 d0v0\nwake 170 171 180 d1v0 d0v0\n",
      "d1 d0 emulated: 1 trips 50 cycles 0 grants\n"
      "d1 d0: 1 trips 80 cycles 0 grants\n"
      "d1v0 d0v0 100: 1 4 0 6 9 50 10\nd1v0 d0v0 110: 1 9 0 0 0 30 10\n" },
    { "a device without an answer at the end",
      "call 50 d1v0\nwake 110 111 120 d0v0 d1v0\naccess 100 150 d1v0\n",
      "requests in progress at the end: 1\n" },
};

IO_TEST(emulated_devices)

static const struct io_row interrupts_rows[] = {
    { "an interrupt does not hide an event",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\ntrap 111 d1v0\n"
      "wake 120 121 125 d0v0 d1v0\nwake 150 151 160 d1v0 d0v0\n",
      "d1 d0: 1 trips 60 cycles 0 grants\n"
      "d1v0 d0v0 100: 1 9 0 11 4 25 10\n" },
    { "the first record after the event ends its hypercall",
      "send 100 d1v0\ntrap 103 d1v0\ntrap 112 d1v0\n"
      "wake 110 111 120 d0v0 d1v0\nmap 125 d0v0 d1\n"
      "wake 150 151 160 d1v0 d0v0\n",
      "d1 d0: 1 trips 60 cycles 1 grants\n"
      "d1v0 d0v0 100: 0 20 5 0 0 25 10\n" },
    { "a later wake-up is that of the device",
      "call 50 d1v0\nwake 110 111 120 d0v0 d1v0\n"
      "wake 130 131 140 d0v0 d1v0\naccess 122 150 d1v0\n"
      "wake 150 151 160 d1v0 d0v0\n",
      "d1 d0 emulated: 1 trips 30 cycles 0 grants\n"
      "d1v0 d0v0 130: 1 9 0 0 0 10 10\n" },
    { "an earlier wake-up, of a vcpu that runs later, is not",
      "call 50 d1v0\nwake 130 131 140 d0v0 d1v0\n"
      "wake 110 111 145 d0v1 d1v0\naccess 122 150 d1v0\n"
      "wake 150 151 160 d1v0 d0v0\n",
      "d1 d0 emulated: 1 trips 30 cycles 0 grants\n"
      "d1v0 d0v0 130: 1 9 0 0 0 10 10\n" },
    { "an interrupt is not a request at the end",
      "call 50 d1v0\nwake 110 111 120 d0v0 d1v0\n", "" },
};

IO_TEST(interrupts)

static const struct io_row no_answers_rows[] = {
    { "the toolstack ends a pause",
      "send 100 d1v0\nsend 110 d0v0\ncall 150 d0v0\nresume 152 d1v0\n"
      "wake 151 152 160 d1v0 d0v0\n", "" },
    { "the toolstack ends a pause, and the backend was woken before",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\nsend 120 d0v0\n"
      "call 150 d0v0\nresume 152 d1v0\nwake 151 152 160 d1v0 d0v0\n"
      "send 170 d0v0\nwake 171 172 180 d1v0 d0v0\n", NO_ANSWER NO_REQUEST },
    { "the guest's timer fires on the pcpu of the backend",
      "send 100 d1v0\ncall 145 d0v0\nwake 151 152 160 d1v0 d0v0\n", "" },
    { "a timer in a trip",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\ncall 120 d0v0\n"
      "wake 121 122 130 d1v0 d0v0\nsend 150 d0v0\n"
      "wake 151 152 160 d1v0 d0v0\n",
      "d1 d0: 1 trips 60 cycles 0 grants\n"
      "d1v0 d0v0 100: 1 9 0 0 0 40 10\n" },
    { "an event long before the interrupt",
      "send 100 d1v0\nsend 110 d0v0\n"
      "wake 200000 200001 200010 d1v0 d0v0\n", "" },
    { "an emulated device ends the time offline, no event does",
      "send 100 d1v0\nwake 101 101 105 d0v0 d1v0\ntrap 106 d1v0\n"
      "wake 110 111 120 d0v0 d1v0\naccess 107 150 d1v0\nsend 149 d0v0\n"
      "resume 151 d1v0\nwake 150 151 160 d1v0 d0v0\nsend 169 d0v0\n"
      "resume 171 d1v0\nwake 170 171 180 d1v0 d0v0\nsend 189 d0v0\n"
      "wake 190 191 200 d1v0 d0v0\n",
      "d1 d0 emulated: 1 trips 50 cycles 0 grants\n"
      "d1 d0: 1 trips 100 cycles 0 grants\n"
      "d1v0 d0v0 100: 1 4 0 6 9 69 11\nd1v0 d0v0 110: 1 9 0 0 0 29 11\n"
      NO_REQUEST },
};

IO_TEST(no_answers)

/* --- rings ---------------------------------------------------------------- */

/* A trip with a second wait, from 145 to 155; then the backend waits more. */
#define RING_TRIP \
    "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\nmap 120 d0v0 d1\n" \
    "wake 145 145 155 d0v0 d32767v0\nsend 160 d0v0\n"
#define RING_ANSWER "wake 165 165 400 d1v0 d0v0\n"
#define RING_PATH "d1 d0: 1 trips 300 cycles 1 grants\n"
#define RING_PATH_LOST "d1 d0: 1 trips 300 cycles 1 grants 1 estimated\n"

static const struct io_row rings_rows[] = {
    { "the backend waits while the guest waits", RING_TRIP
      "halts 201 201 d0v0\n" RING_ANSWER,
      RING_PATH "d1v0 d0v0 100: 1 9 10 25 10 5 240\n" },
    { "many waits, and many before", "halts 1 90 d0v0\n" RING_TRIP
      "halts 201 399 d0v0\n" RING_ANSWER,
      RING_PATH "d1v0 d0v0 100: 1 9 10 25 10 5 240\n" },
    { "old waits become one: the sum is right",
      RING_TRIP "halts 201 1400 d0v0\nwake 165 165 1500 d1v0 d0v0\n",
      "d1 d0: 1 trips 1400 cycles 1 grants 1 estimated\n"
      "d1v0 d0v0 100: 1 9 10 25 10 5 1340\n" },
    { "15 events of the backend",
      RING_TRIP "send 201 215 d0v0\n" RING_ANSWER,
      RING_PATH "d1v0 d0v0 100: 1 9 10 25 10 5 240\n" },
    { "16 events of the backend: the wake-up counts",
      RING_TRIP "send 201 216 d0v0\n" RING_ANSWER,
      RING_PATH_LOST "d1v0 d0v0 100: 1 9 10 25 10 10 235\n" },
    { "the counter of events wraps",
      "send 1 90 d0v0\n" RING_TRIP "send 201 215 d0v0\n" RING_ANSWER,
      RING_PATH "d1v0 d0v0 100: 1 9 10 25 10 5 240\n" },
    { "15 events of the guest before the backend runs",
      "send 100 115 d1v0\nwake 100 100 200 d0v0 d1v0\n"
      "wake 250 250 260 d1v0 d0v0\n",
      "d1 d0: 1 trips 160 cycles 0 grants\n"
      "d1v0 d0v0 100: 0 100 0 0 0 50 10\n" },
    { "16 events: the trip begins with the wake-up",
      "send 95 d1v0\nsend 101 116 d1v0\nwake 100 100 200 d0v0 d1v0\n"
      "wake 250 250 260 d1v0 d0v0\n",
      "d1 d0: 1 trips 160 cycles 0 grants 1 estimated\n"
      "d1v0 d0v0 100: 0 100 0 0 0 50 10\n" },
    { "16 events, and none before the wake-up",
      "send 101 116 d1v0\nwake 100 100 200 d0v0 d1v0\n"
      "wake 250 250 260 d1v0 d0v0\n",
      "d1 d0: 1 trips 144 cycles 0 grants\n"
      "d1v0 d0v0 116: 0 84 0 0 0 50 10\n" },
};

IO_TEST(rings)

/* --- losses and segments -------------------------------------------------- */

static const struct io_row ends_rows[] = {
    { "a loss ends all trips",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\nsend 102 d2v0\n"
      "wake 103 103 111 d0v0 d2v0\nsend 120 d3v0\nloss\n"
      "wake 150 151 160 d1v0 d0v0\n",
      NO_REQUEST "requests while records were lost: 2\n" },
    { "trips after a loss",
      "send 100 d1v0\nloss\nsend 200 d1v0\nwake 201 201 210 d0v0 d1v0\n"
      "wake 250 251 260 d1v0 d0v0\n",
      "d1 d0: 1 trips 60 cycles 0 grants\n"
      "d1v0 d0v0 200: 1 9 0 0 0 40 10\n" },
    { "the end of a segment ends all trips",
      "send 100 d1v0\nwake 101 101 110 d0v0 d1v0\nend\n"
      "wake 150 151 160 d1v0 d0v0\n",
      NO_REQUEST "requests in progress at the end: 1\n" },
    { "events and waits of the segment before do not count",
      "send 100 d1v0\nsend 100 d0v0\nhalts 45 45 d0v0\nend\n"
      "send 20 d1v0\nwake 30 31 40 d0v0 d1v0\nwake 50 51 60 d1v0 d0v0\nend\n"
      "wake 110 111 120 d0v0 d1v0\nwake 150 151 160 d1v0 d0v0\n",
      "d1 d0: 1 trips 40 cycles 0 grants\n"
      "d1v0 d0v0 20: 11 9 0 0 0 10 10\n" NO_REQUEST },
    { "backends and results of the segment before do",
      "map 50 d2v0 d1\nsend 100 d1v0\nwake 101 101 110 d2v0 d1v0\n"
      "wake 130 131 140 d1v0 d2v0\nend\nsend 10 d1v0\n"
      "wake 11 11 20 d2v0 d1v0\nwake 40 41 51 d1v0 d2v0\n",
      "d1 d2: 2 trips 81 cycles 0 grants\n"
      "d1v0 d2v0 10: 1 9 0 0 0 20 11\nd1v0 d2v0 100: 1 9 0 0 0 20 10\n" },
};

IO_TEST(ends)

/* --- sums ----------------------------------------------------------------- */

/* A trip of a domain, of `length` cycles. */
static void feed_trip(struct io_test *t, unsigned int domain, unsigned int at,
                      unsigned int length)
{
    char script[256];

    snprintf(script, sizeof(script), "send %u d%uv0\n"
             "wake %u %u %u d0v0 d%uv0\nwake %u %u %u d%uv0 d0v0\n", at, domain,
             at, at, at, domain, at, at, at + length, domain);
    feed_script(t, script);
}

/* Longest first, and the earliest of the same length. */
START_TEST(worst_trips_are_sorted)
{
    static const unsigned int lengths[] = {
        50, 20, 90, 50, 10, 30, 70, 50, 60, 40, 80, 40, 5, 100, 50,
        40,
    };
    struct io_test t;

    io_test_init(&t);
    for ( unsigned int i = 0; i < NR(lengths); i++ )
        feed_trip(&t, 1, 1000 + 100 * i, lengths[i]);
    for ( size_t i = 0; i < t.trips.nr_worst; i++ )
        fprintf(t.stage.out, "%" PRIu64 " at %" PRIu64 ";",
                io_worst_length(&t.trips.worst[i]),
                t.trips.worst[i].from);
    ck_assert_str_eq(stage_text(&t.stage),
                     "100 at 2300;90 at 1200;80 at 2000;70 at 1600;"
                     "60 at 1800;50 at 1000;50 at 1300;50 at 1700;"
                     "50 at 2400;40 at 1900;");
    ck_assert_uint_eq(stats_events(&t.trips.paths[0]->whole), NR(lengths));
    io_test_fini(&t);
}
END_TEST

START_TEST(hypercalls_are_counted)
{
    struct io_test t;

    io_test_init(&t);
    feed_script(&t, "send 1 d1v0\ncall 2 d1v0\ntrap 3 d1v0\nsubsend 4 d1v0\n"
                "oldsend 5 6 d0v0\nvmsend 7 7 8 d2v0\nvmcall 9 9 10 d2v0\n"
                "access 11 12 d2v0\n");
    ck_assert(t.trips.has_calls);
    ck_assert_uint_eq(t.trips.events, 5);
    io_test_fini(&t);
}
END_TEST

/* --- failures ------------------------------------------------------------- */

#define MANY_PATHS 40u          /* the array of paths grows twice */
#define MANY_TRIPS 2000u        /* the statistics grow */

static void feed_many_paths(struct io_test *t)
{
    feed_script(t, "map 50 d2v0 d1\nmap 51 d0v0 d3\n" RING_TRIP RING_ANSWER);
    for ( unsigned int i = 1; i <= MANY_PATHS; i++ )
        feed_trip(t, i, 1000 * i, 10);
    for ( unsigned int i = 1; i <= MANY_TRIPS; i++ )
        feed_trip(t, 1, 50000 + 5 * i, 977 * i);
    feed_script(t, "wake 50110 50111 70120 d0v0 d1v0\n"
                "access 50100 50150 d1v0\nloss\n");
}

/* Each failure is reported at the end, and nothing is read or leaked. */
START_TEST(failures_of_memory_are_reported)
{
    struct io_test t;
    uint64_t fired;
    int rc;

    for ( uint64_t n = 1; ; n++ )
    {
        io_test_init(&t);
        for ( unsigned int i = 0; i <= MANY_PATHS; i++ )
            ck_assert_ptr_nonnull(guests_get_vcpu(&t.guests, i, 0));
        ck_assert_ptr_nonnull(guests_get_vcpu(&t.guests, XT_DOMAIN_IDLE, 0));
        fault_arm(FAULT_ALLOC, n);
        feed_many_paths(&t);
        fired = fault_fired(FAULT_ALLOC);
        fault_disarm();
        rc = end_segment(&t);
        ck_assert_int_eq(rc, fired ? -ENOMEM : 0);
        if ( !fired )
            break;
        io_test_fini(&t);
    }
    ck_assert_uint_eq(t.trips.nr_paths, MANY_PATHS);
    io_test_fini(&t);
}
END_TEST

UNIT_MAIN("I/O trips", steps, awake_backend, several_vcpus, driver_domains,
          spans, late_sends, emulated_devices, interrupts, no_answers, rings,
          ends,
          worst_trips_are_sorted, hypercalls_are_counted,
          failures_of_memory_are_reported)
