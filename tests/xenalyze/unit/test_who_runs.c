/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who is on which pcpu, for the dump: what single records change, and what they
 * leave as notes; that what looks impossible is passed over once, and believed
 * when it goes on; and that who begins to look in the middle and knows enough
 * knows what one knows who saw all.
 */
#include <errno.h>
#include <string.h>

#include "common/fault.h"
#include "tests/unit/common/unit.h"
#include "xenalyze/lines/who-runs.h"

enum { RUNNING, RUNNABLE, BLOCKED };

#define IDLE 32767u
#define DEFAULT 32768u

static struct dump_state state;
static struct chunk chunk;
static uint64_t now;

static void begin(unsigned int cpus)
{
    now = 1000;
    ck_assert_int_eq(dump_state_init(&state), 0);
    ck_assert_int_eq(dump_state_cpus(&state, cpus), 0);
    ck_assert_int_eq(chunk_init(&chunk, false), 0);
    ck_assert_int_eq(chunk_cpus(&chunk, cpus), 0);
}

static void end(void)
{
    chunk_fini(&chunk);
    dump_state_fini(&state);
}

static uint32_t who(unsigned int domain, unsigned int vcpu)
{
    return domain << 16 | vcpu;
}

static int see_in(struct dump_state *s, struct chunk *c, unsigned int cpu,
                  uint32_t event, unsigned int nr, const uint32_t *words)
{
    struct xt_record r = {
        .event = event, .words = nr, .has_tsc = true, .tsc = now,
        .payload = (const unsigned char *)words,
    };

    if ( c )
        c->nr = 1;
    return dump_state_see(s, c, c, cpu, now, &r);
}

#define SEE(cpu, event, ...)                                                \
    do {                                                                    \
        const uint32_t words_[] = { __VA_ARGS__ };                          \
                                                                            \
        now += 10;                                                          \
        chunk.nr_notes = 0;                                                 \
        ck_assert_int_eq(see_in(&state, &chunk, cpu, event,                 \
                                sizeof(words_) / sizeof(words_[0]),         \
                                words_), 0);                                \
    } while ( 0 )

static uint32_t change(unsigned int from, unsigned int to)
{
    return 0x21001 | from << 8 | to << 4;
}

static void expect_face(unsigned int cpu, uint32_t id, char sign)
{
    const struct face *f = &state.pcpus[cpu].face;

    if ( f->who != id || f->sign != sign )
        ck_abort_msg("pcpu %u: %x '%c', not %x '%c'", cpu, f->who, f->sign, id,
                     sign);
}

/* Of the record that was seen last: when its vcpu had left the guest. */
static void expect_left(uint64_t left)
{
    ck_assert_uint_eq(chunk.left[0], left);
}

/* The only note but those of faces. */
static void expect_note(enum note_kind kind, uint64_t value)
{
    const struct note *found = NULL;

    for ( size_t i = 0; i < chunk.nr_notes; i++ )
        if ( chunk.notes[i].kind != NOTE_FACE )
        {
            ck_assert_ptr_null(found);
            found = &chunk.notes[i];
        }
    ck_assert_ptr_nonnull(found);
    ck_assert_int_eq(found->kind, kind);
    ck_assert_uint_eq(found->value, value);
}

/* --- faces ---------------------------------------------------------------- */

START_TEST(comes_and_goes)
{
    begin(2);
    expect_face(0, who(DEFAULT, 0), ' ');
    SEE(0, 0x28004, 1, 0);
    expect_face(0, who(DEFAULT, 0), '.');
    ck_assert(!dump_state_knows(&state));

    SEE(0, change(RUNNABLE, RUNNING), who(1, 2));
    expect_face(0, who(1, 2), '|');
    ck_assert(dump_state_knows(&state));        /* pcpu 1 does not show yet */
    SEE(0, change(RUNNING, BLOCKED), who(1, 2));
    expect_face(0, NOBODY, ' ');
    SEE(0, change(RUNNABLE, RUNNING), who(IDLE, 0));
    expect_face(0, who(IDLE, 0), '-');

    /* The first thing that is said of it: it was here, and is no more. */
    SEE(1, change(RUNNING, RUNNABLE), who(1, 3));
    expect_face(1, NOBODY, ' ');
    ck_assert(dump_state_knows(&state));

    dump_state_reset(&state);
    expect_face(1, who(DEFAULT, 1), '.');
    end();
}
END_TEST

START_TEST(wrong_and_right)
{
    begin(3);
    SEE(0, change(RUNNABLE, RUNNING), who(1, 0));
    /* It runs on pcpu 0: so it does not come from being blocked. */
    SEE(1, change(BLOCKED, RUNNABLE), who(1, 0));
    expect_face(0, who(1, 0), '|');
    /* But if all is as it should be from there on: nothing happened. */
    SEE(0, change(RUNNING, BLOCKED), who(1, 0));
    expect_face(0, NOBODY, ' ');
    /* One that does not run may turn up in any state. */
    SEE(2, change(RUNNABLE, RUNNING), who(1, 0));
    expect_face(2, who(1, 0), '|');
    end();
}
END_TEST

START_TEST(losses)
{
    begin(2);
    SEE(0, change(RUNNABLE, RUNNING), who(1, 0));
    SEE(1, change(RUNNABLE, RUNNING), who(1, 1));
    SEE(1, change(RUNNING, RUNNABLE), who(1, 1));
    /* Pcpu 0 is back, and on it is what the record says: domain below. */
    SEE(0, 0x1f001, 7, 0x00020001, 0, 0);
    expect_face(0, who(1, 2), '|');
    /* Who was on none may have gone anywhere meanwhile. */
    SEE(1, change(BLOCKED, RUNNABLE), who(1, 1));
    SEE(1, change(RUNNABLE, RUNNING), who(1, 1));
    expect_face(1, who(1, 1), '|');
    end();
}
END_TEST

START_TEST(sleeps)
{
    begin(1);
    state.show_power = true;
    SEE(0, 0x801002, 2, 0, 0, 0);
    expect_face(0, who(DEFAULT, 0), '.');
    SEE(0, change(RUNNABLE, RUNNING), who(IDLE, 0));
    SEE(0, 0x801002, 2, 0, 0, 0);
    expect_face(0, who(IDLE, 0), '2');
    SEE(0, 0x801002, 10, 0, 0, 0);
    expect_face(0, who(IDLE, 0), '2');
    SEE(0, 0x801003, 2, 0, 0, 0, 0, 0);
    expect_face(0, who(IDLE, 0), '-');
    end();
}
END_TEST

/* --- notes ---------------------------------------------------------------- */

#define EXIT TRC_HVM_VMEXIT64
#define ENTRY TRC_HVM_VMENTRY
#define CR_WRITE TRC_HVM_CR_WRITE64
#define TSC_READ TRC_HVM_RDTSC

START_TEST(exits)
{
    uint64_t left;

    begin(2);
    SEE(0, ENTRY, 0);
    expect_left(IN_GUEST);
    SEE(0, EXIT, 1, 0, 0);
    left = now;
    SEE(0, 0x82004, 0xef);              /* a handler, inside */
    expect_left(left);
    SEE(0, ENTRY, 0);
    expect_left(left);
    SEE(0, 0x82004, 0xef);
    expect_left(IN_GUEST);

    /* A vcpu that blocks in an exit goes on elsewhere as if it had not. */
    SEE(0, change(RUNNABLE, RUNNING), who(1, 0));
    SEE(0, EXIT, 1, 0, 0);
    left = now;
    SEE(0, change(RUNNING, BLOCKED), who(1, 0));
    SEE(1, change(BLOCKED, RUNNING), who(1, 0));
    SEE(1, ENTRY, 0);
    expect_left(left);
    /* One that had to go does not. */
    SEE(1, EXIT, 1, 0, 0);
    SEE(1, change(RUNNING, RUNNABLE), who(1, 0));
    SEE(0, change(RUNNABLE, RUNNING), who(1, 0));
    SEE(0, ENTRY, 0);
    expect_left(IN_GUEST);
    /* Nobody is here. */
    SEE(0, change(RUNNING, BLOCKED), who(1, 0));
    SEE(0, EXIT, 1, 0, 0);
    SEE(0, ENTRY, 0);
    expect_left(IN_GUEST);
    end();
}
END_TEST

START_TEST(what_was_before)
{
    begin(1);
    SEE(0, change(RUNNABLE, RUNNING), who(1, 0));
    SEE(0, EXIT, 1, 0, 0);
    SEE(0, CR_WRITE, 3, 0x1000, 5);
    ck_assert_uint_eq(chunk.nr_notes, 0);
    SEE(0, CR_WRITE, 0, 0x2000, 0);     /* CR0 */
    ck_assert_uint_eq(chunk.nr_notes, 0);
    SEE(0, CR_WRITE, 3, 0x3000, 0);
    expect_note(NOTE_VALUE, 0x500001000);

    SEE(0, TSC_READ, 100, 1);
    ck_assert_uint_eq(chunk.nr_notes, 0);
    SEE(0, TSC_READ, 101, 1);
    ck_assert_uint_eq(chunk.nr_notes, 0);
    SEE(0, TSC_READ, 200, 0);
    expect_note(NOTE_VALUE, 0);
    end();
}
END_TEST

/* --- beginning in the middle --------------------------------------------- */

#define CPUS 4u
#define VCPUS 9u                /* of them the last CPUS are idle ones */

/* A scheduler: whoever runs goes, somebody else who can comes. */
struct play
{
    uint32_t on[CPUS];          /* vcpu, or VCPUS: nobody yet */
    unsigned int state[VCPUS];
    uint64_t seed;
};

static uint32_t id_of(uint32_t vcpu)
{
    return vcpu < VCPUS - CPUS ? who(1, vcpu)
                               : who(IDLE, vcpu - (VCPUS - CPUS));
}

static void both(struct dump_state *late, unsigned int cpu, uint32_t event,
                 uint32_t word)
{
    now += 10;
    ck_assert_int_eq(see_in(&state, NULL, cpu, event, 1, &word), 0);
    if ( late )
        ck_assert_int_eq(see_in(late, NULL, cpu, event, 1, &word), 0);
}

static void turn(struct play *p, struct dump_state *late)
{
    unsigned int cpu = unit_random(&p->seed) % CPUS;
    uint32_t v = unit_random(&p->seed) % (VCPUS - CPUS), prev = p->on[cpu];

    if ( p->state[v] == RUNNING )
        v = VCPUS - CPUS + cpu;
    if ( prev == v )
        return;
    if ( p->state[v] == BLOCKED )
        both(late, unit_random(&p->seed) % CPUS, change(BLOCKED, RUNNABLE),
             id_of(v));
    if ( prev < VCPUS )
    {
        p->state[prev] = prev < VCPUS - CPUS ? 1 + unit_random(&p->seed) % 2
                                             : RUNNABLE;
        both(late, cpu, change(RUNNING, p->state[prev]), id_of(prev));
    }
    both(late, cpu, change(RUNNABLE, RUNNING), id_of(v));
    p->state[v] = RUNNING;
    p->on[cpu] = v;
}

START_TEST(from_the_middle)
{
    unsigned int known = 0;

    for ( uint64_t seed = 1; seed <= 200; seed++ )
    {
        struct play p = { .seed = seed + unit_seed() * 1000 };
        struct dump_state late;

        begin(CPUS);
        ck_assert_int_eq(dump_state_init(&late), 0);
        for ( unsigned int cpu = 0; cpu < CPUS; cpu++ )
        {
            p.on[cpu] = VCPUS;
            ck_assert_int_eq(dump_state_show(&state, cpu), 0);
            ck_assert_int_eq(dump_state_show(&late, cpu), 0);
        }
        for ( uint32_t v = 0; v < VCPUS; v++ )
            p.state[v] = RUNNABLE;
        for ( unsigned int n = 0; n < 30 + seed % 20; n++ )
            turn(&p, NULL);
        for ( unsigned int n = 0; n < 40; n++ )
        {
            turn(&p, &late);
            if ( !dump_state_knows(&late) )
                continue;
            known++;
            for ( unsigned int cpu = 0; cpu < CPUS; cpu++ )
                expect_face(cpu, late.pcpus[cpu].face.who,
                            late.pcpus[cpu].face.sign);
        }
        dump_state_fini(&late);
        end();
    }
    ck_assert_uint_gt(known, 1000);
}
END_TEST

/* --- room ----------------------------------------------------------------- */

START_TEST(many)
{
    begin(1);
    for ( unsigned int round = 0; round < 2; round++ )
        for ( uint32_t v = 0; v < 3000; v++ )
        {
            SEE(0, change(RUNNABLE, RUNNING), who(v % 60, v / 60));
            expect_face(0, who(v % 60, v / 60), '|');
            SEE(0, change(RUNNING, RUNNABLE), who(v % 60, v / 60));
        }
    ck_assert_uint_eq(state.nr_vcpus, 3000);
    ck_assert_int_eq(dump_state_show(&state, 2000), 0);
    expect_face(2000, who(DEFAULT, 2000), '.');
    expect_face(1999, who(DEFAULT, 1999), ' ');
    end();
}
END_TEST

/* As many vcpus as make it grow, with the Nth piece of memory not there. */
static int fill(void)
{
    int rc = dump_state_init(&state);

    rc = rc ? rc : dump_state_cpus(&state, 1);
    for ( uint32_t v = 0; !rc && v < 300; v++ )
        rc = see_in(&state, NULL, 0, change(RUNNABLE, RUNNING), 1, &v);
    dump_state_fini(&state);
    return rc;
}

START_TEST(no_memory)
{
    unsigned int n = 0;
    bool failed;

    do
    {
        fault_arm(FAULT_ALLOC, ++n);
        failed = fill();
        ck_assert_int_eq(failed, fault_fired(FAULT_ALLOC) > 0);
    } while ( failed );
    fault_disarm();
    ck_assert_uint_gt(n, 5);
}
END_TEST

UNIT_MAIN("dump state", comes_and_goes, wrong_and_right, losses, sleeps, exits,
          what_was_before, from_the_middle, many, no_memory)
