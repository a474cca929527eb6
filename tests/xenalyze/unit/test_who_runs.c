/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The current vcpu of each pcpu: the effect of single records and the notes
 * that they leave; the plausibility rules; and that a state which began in the
 * middle of a trace and is complete equals the state of a full read.
 */
#include <errno.h>
#include <string.h>

#include "common/fault.h"
#include "tests/unit/common/unit.h"
#include "xenalyze/lines/who-runs.h"

enum { RUNNING, RUNNABLE, BLOCKED };

#define IDLE 32767u
#define DEFAULT 32768u

static struct who_runs state;
static struct chunk chunk;
static uint64_t now;

static void setup_state(unsigned int cpus)
{
    now = 1000;
    ck_assert_int_eq(who_runs_init(&state), 0);
    ck_assert_int_eq(who_runs_add_pcpus(&state, cpus), 0);
    ck_assert_int_eq(chunk_init(&chunk, false), 0);
    ck_assert_int_eq(chunk_set_cpus(&chunk, cpus), 0);
}

static void free_state(void)
{
    chunk_fini(&chunk);
    who_runs_fini(&state);
}

static uint32_t vcpu_id(unsigned int domain, unsigned int vcpu)
{
    return domain << 16 | vcpu;
}

static int apply_words(struct who_runs *s, struct chunk *c, unsigned int cpu,
                       uint32_t event, unsigned int nr, const uint32_t *words)
{
    struct xt_record r = {
        .event = event, .words = nr, .has_tsc = true, .tsc = now,
        .payload = (const unsigned char *)words,
    };

    if ( c )
        c->nr = 1;
    return who_runs_apply_slow(s, c, c, cpu, now, &r);
}

#define APPLY(cpu, event, ...)                                              \
    do {                                                                    \
        const uint32_t words_[] = { __VA_ARGS__ };                          \
                                                                            \
        now += 10;                                                          \
        chunk.nr_notes = 0;                                                 \
        ck_assert_int_eq(apply_words(&state, &chunk, cpu, event,            \
                                     sizeof(words_) / sizeof(words_[0]),    \
                                     words_), 0);                           \
    } while ( 0 )

static uint32_t change_event(unsigned int from, unsigned int to)
{
    return 0x21001 | from << 8 | to << 4;
}

static void expect_column(unsigned int cpu, uint32_t id, char sign)
{
    const struct column_state *f = &state.pcpus[cpu].column;

    if ( f->vcpu != id || f->sign != sign )
        ck_abort_msg("pcpu %u: %x '%c', not %x '%c'", cpu, f->vcpu, f->sign, id,
                     sign);
}

/* The exit time of the last record's vcpu. */
static void expect_exit_time(uint64_t exit_time)
{
    ck_assert_uint_eq(chunk.exit_times[0], exit_time);
}

/* The only note that is not of a column. */
static void expect_note(enum note_kind kind, uint64_t value)
{
    const struct note *found = NULL;

    for ( size_t i = 0; i < chunk.nr_notes; i++ )
        if ( chunk.notes[i].kind != NOTE_COLUMN_STATE )
        {
            ck_assert_ptr_null(found);
            found = &chunk.notes[i];
        }
    ck_assert_ptr_nonnull(found);
    ck_assert_int_eq(found->kind, kind);
    ck_assert_uint_eq(found->value, value);
}

/* --- columns -------------------------------------------------------------- */

START_TEST(columns_follow_runstates)
{
    setup_state(2);
    expect_column(0, vcpu_id(DEFAULT, 0), ' ');
    APPLY(0, 0x28004, 1, 0);
    expect_column(0, vcpu_id(DEFAULT, 0), '.');
    ck_assert(!who_runs_is_complete(&state));

    APPLY(0, change_event(RUNNABLE, RUNNING), vcpu_id(1, 2));
    expect_column(0, vcpu_id(1, 2), '|');
    ck_assert(who_runs_is_complete(&state));    /* pcpu 1 is not shown yet */
    APPLY(0, change_event(RUNNING, BLOCKED), vcpu_id(1, 2));
    expect_column(0, NO_VCPU, ' ');
    APPLY(0, change_event(RUNNABLE, RUNNING), vcpu_id(IDLE, 0));
    expect_column(0, vcpu_id(IDLE, 0), '-');

    /* The first record of a vcpu that leaves: the pcpu was its own. */
    APPLY(1, change_event(RUNNING, RUNNABLE), vcpu_id(1, 3));
    expect_column(1, NO_VCPU, ' ');
    ck_assert(who_runs_is_complete(&state));

    who_runs_reset(&state);
    expect_column(1, vcpu_id(DEFAULT, 1), '.');
    free_state();
}
END_TEST

START_TEST(implausible_changes)
{
    setup_state(3);
    APPLY(0, change_event(RUNNABLE, RUNNING), vcpu_id(1, 0));
    /* Not plausible: the vcpu runs on pcpu 0, so it was not blocked. */
    APPLY(1, change_event(BLOCKED, RUNNABLE), vcpu_id(1, 0));
    expect_column(0, vcpu_id(1, 0), '|');
    /* The next record fits the old runstate: it is applied. */
    APPLY(0, change_event(RUNNING, BLOCKED), vcpu_id(1, 0));
    expect_column(0, NO_VCPU, ' ');
    /* A vcpu that does not run may change from any runstate. */
    APPLY(2, change_event(RUNNABLE, RUNNING), vcpu_id(1, 0));
    expect_column(2, vcpu_id(1, 0), '|');
    free_state();
}
END_TEST

START_TEST(losses)
{
    setup_state(2);
    APPLY(0, change_event(RUNNABLE, RUNNING), vcpu_id(1, 0));
    APPLY(1, change_event(RUNNABLE, RUNNING), vcpu_id(1, 1));
    APPLY(1, change_event(RUNNING, RUNNABLE), vcpu_id(1, 1));
    /* The LOST record names the current vcpu: the domain is the lower half. */
    APPLY(0, 0x1f001, 7, 0x00020001, 0, 0);
    expect_column(0, vcpu_id(1, 2), '|');
    /* During the loss, a vcpu that did not run may have changed runstate. */
    APPLY(1, change_event(BLOCKED, RUNNABLE), vcpu_id(1, 1));
    APPLY(1, change_event(RUNNABLE, RUNNING), vcpu_id(1, 1));
    expect_column(1, vcpu_id(1, 1), '|');
    free_state();
}
END_TEST

START_TEST(c_states)
{
    setup_state(1);
    state.show_power = true;
    APPLY(0, 0x801002, 2, 0, 0, 0);
    expect_column(0, vcpu_id(DEFAULT, 0), '.');
    APPLY(0, change_event(RUNNABLE, RUNNING), vcpu_id(IDLE, 0));
    APPLY(0, 0x801002, 2, 0, 0, 0);
    expect_column(0, vcpu_id(IDLE, 0), '2');
    APPLY(0, 0x801002, 10, 0, 0, 0);
    expect_column(0, vcpu_id(IDLE, 0), '2');
    APPLY(0, 0x801003, 2, 0, 0, 0, 0, 0);
    expect_column(0, vcpu_id(IDLE, 0), '-');
    free_state();
}
END_TEST

/* --- notes ---------------------------------------------------------------- */

#define EXIT TRC_HVM_VMEXIT64
#define ENTRY TRC_HVM_VMENTRY
#define CR_WRITE TRC_HVM_CR_WRITE64
#define TSC_READ TRC_HVM_RDTSC

START_TEST(exit_times)
{
    uint64_t exit_time;

    setup_state(2);
    APPLY(0, ENTRY, 0);
    expect_exit_time(IN_GUEST);
    APPLY(0, EXIT, 1, 0, 0);
    exit_time = now;
    APPLY(0, 0x82004, 0xef);            /* a handler's record */
    expect_exit_time(exit_time);
    APPLY(0, ENTRY, 0);
    expect_exit_time(exit_time);
    APPLY(0, 0x82004, 0xef);
    expect_exit_time(IN_GUEST);

    /* A vcpu that blocks in an exit keeps its exit time on the next pcpu. */
    APPLY(0, change_event(RUNNABLE, RUNNING), vcpu_id(1, 0));
    APPLY(0, EXIT, 1, 0, 0);
    exit_time = now;
    APPLY(0, change_event(RUNNING, BLOCKED), vcpu_id(1, 0));
    APPLY(1, change_event(BLOCKED, RUNNING), vcpu_id(1, 0));
    APPLY(1, ENTRY, 0);
    expect_exit_time(exit_time);
    /* A vcpu that was preempted does not. */
    APPLY(1, EXIT, 1, 0, 0);
    APPLY(1, change_event(RUNNING, RUNNABLE), vcpu_id(1, 0));
    APPLY(0, change_event(RUNNABLE, RUNNING), vcpu_id(1, 0));
    APPLY(0, ENTRY, 0);
    expect_exit_time(IN_GUEST);
    /* Without a current vcpu there is no exit time. */
    APPLY(0, change_event(RUNNING, BLOCKED), vcpu_id(1, 0));
    APPLY(0, EXIT, 1, 0, 0);
    APPLY(0, ENTRY, 0);
    expect_exit_time(IN_GUEST);
    free_state();
}
END_TEST

START_TEST(previous_values)
{
    setup_state(1);
    APPLY(0, change_event(RUNNABLE, RUNNING), vcpu_id(1, 0));
    APPLY(0, EXIT, 1, 0, 0);
    APPLY(0, CR_WRITE, 3, 0x1000, 5);
    ck_assert_uint_eq(chunk.nr_notes, 0);
    APPLY(0, CR_WRITE, 0, 0x2000, 0);   /* CR0 */
    ck_assert_uint_eq(chunk.nr_notes, 0);
    APPLY(0, CR_WRITE, 3, 0x3000, 0);
    expect_note(NOTE_VALUE, 0x500001000);

    APPLY(0, TSC_READ, 100, 1);
    ck_assert_uint_eq(chunk.nr_notes, 0);
    APPLY(0, TSC_READ, 101, 1);
    ck_assert_uint_eq(chunk.nr_notes, 0);
    APPLY(0, TSC_READ, 200, 0);
    expect_note(NOTE_VALUE, 0);
    free_state();
}
END_TEST

/* --- a start in the middle of a trace ------------------------------------- */

#define CPUS 4u
#define VCPUS 9u                /* the last CPUS of them are idle vcpus */

/* A random scheduler. */
struct play
{
    uint32_t current[CPUS];     /* vcpu, or VCPUS before the first */
    unsigned int state[VCPUS];
    uint64_t seed;
};

static uint32_t play_vcpu_id(uint32_t vcpu)
{
    return vcpu < VCPUS - CPUS ? vcpu_id(1, vcpu)
                               : vcpu_id(IDLE, vcpu - (VCPUS - CPUS));
}

static void apply_to_both(struct who_runs *late, unsigned int cpu,
                          uint32_t event, uint32_t word)
{
    now += 10;
    ck_assert_int_eq(apply_words(&state, NULL, cpu, event, 1, &word), 0);
    if ( late )
        ck_assert_int_eq(apply_words(late, NULL, cpu, event, 1, &word), 0);
}

static void play_turn(struct play *p, struct who_runs *late)
{
    unsigned int cpu = unit_random(&p->seed) % CPUS;
    uint32_t v = unit_random(&p->seed) % (VCPUS - CPUS), prev = p->current[cpu];

    if ( p->state[v] == RUNNING )
        v = VCPUS - CPUS + cpu;
    if ( prev == v )
        return;
    if ( p->state[v] == BLOCKED )
        apply_to_both(late, unit_random(&p->seed) % CPUS,
                      change_event(BLOCKED, RUNNABLE), play_vcpu_id(v));
    if ( prev < VCPUS )
    {
        p->state[prev] = prev < VCPUS - CPUS ? 1 + unit_random(&p->seed) % 2
                                             : RUNNABLE;
        apply_to_both(late, cpu, change_event(RUNNING, p->state[prev]),
                      play_vcpu_id(prev));
    }
    apply_to_both(late, cpu, change_event(RUNNABLE, RUNNING), play_vcpu_id(v));
    p->state[v] = RUNNING;
    p->current[cpu] = v;
}

START_TEST(late_start)
{
    unsigned int known = 0;

    for ( uint64_t seed = 1; seed <= 200; seed++ )
    {
        struct play p = { .seed = seed + unit_seed() * 1000 };
        struct who_runs late;

        setup_state(CPUS);
        ck_assert_int_eq(who_runs_init(&late), 0);
        for ( unsigned int cpu = 0; cpu < CPUS; cpu++ )
        {
            p.current[cpu] = VCPUS;
            ck_assert_int_eq(who_runs_show_pcpu(&state, cpu), 0);
            ck_assert_int_eq(who_runs_show_pcpu(&late, cpu), 0);
        }
        for ( uint32_t v = 0; v < VCPUS; v++ )
            p.state[v] = RUNNABLE;
        for ( unsigned int n = 0; n < 30 + seed % 20; n++ )
            play_turn(&p, NULL);
        for ( unsigned int n = 0; n < 40; n++ )
        {
            play_turn(&p, &late);
            if ( !who_runs_is_complete(&late) )
                continue;
            known++;
            for ( unsigned int cpu = 0; cpu < CPUS; cpu++ )
                expect_column(cpu, late.pcpus[cpu].column.vcpu,
                              late.pcpus[cpu].column.sign);
        }
        who_runs_fini(&late);
        free_state();
    }
    ck_assert_uint_gt(known, 1000);
}
END_TEST

/* --- room ----------------------------------------------------------------- */

START_TEST(many_vcpus)
{
    setup_state(1);
    for ( unsigned int round = 0; round < 2; round++ )
        for ( uint32_t v = 0; v < 3000; v++ )
        {
            APPLY(0, change_event(RUNNABLE, RUNNING), vcpu_id(v % 60, v / 60));
            expect_column(0, vcpu_id(v % 60, v / 60), '|');
            APPLY(0, change_event(RUNNING, RUNNABLE), vcpu_id(v % 60, v / 60));
        }
    ck_assert_uint_eq(state.nr_vcpus, 3000);
    ck_assert_int_eq(who_runs_show_pcpu(&state, 2000), 0);
    expect_column(2000, vcpu_id(DEFAULT, 2000), '.');
    expect_column(1999, vcpu_id(DEFAULT, 1999), ' ');
    free_state();
}
END_TEST

/* Enough vcpus to grow the tables, with the Nth allocation failing. */
static int add_many_vcpus(void)
{
    int rc = who_runs_init(&state);

    rc = rc ? rc : who_runs_add_pcpus(&state, 1);
    for ( uint32_t v = 0; !rc && v < 300; v++ )
        rc = apply_words(&state, NULL, 0, change_event(RUNNABLE, RUNNING), 1,
                         &v);
    who_runs_fini(&state);
    return rc;
}

START_TEST(no_memory)
{
    unsigned int n = 0;
    bool failed;

    do
    {
        fault_arm(FAULT_ALLOC, ++n);
        failed = add_many_vcpus();
        ck_assert_int_eq(failed, fault_fired(FAULT_ALLOC) > 0);
    } while ( failed );
    fault_disarm();
    ck_assert_uint_gt(n, 5);
}
END_TEST

UNIT_MAIN("who runs", columns_follow_runstates, implausible_changes, losses,
          c_states, exit_times, previous_values, late_start, many_vcpus,
          no_memory)
