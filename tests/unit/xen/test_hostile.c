/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dom0 that writes any value anywhere in its mapped pages, between any two
 * calls.  It can corrupt only its own reading:  Xen never writes outside of
 * that ring, stops another CPU, loops, or stops tracing.  Xen prints one
 * message, and the ring works again once the words are valid.
 *
 * Every frame but the ring's own is compared byte for byte: rings of other
 * CPUs, t_info, and free frames, which are poisoned and lie between those of
 * the ring.
 */
#include "tests/unit/xen/rig.h"

#include <stdlib.h>

#include <xen/cpu.h>

#define FRAMES 64
#define PAGES 3

#define VICTIM 1

static struct rig rig;
static char *before;        /* a copy of the arena */

static bool is_ring_frame(unsigned long mfn)
{
    unsigned int i;

    for ( i = 0; i < rig.reader.pages; i++ )
        if ( rig.reader.mfn[i] == mfn )
            return true;
    return false;
}

/* Two CPUs.  The rig's ring is the attacked one, and gets all calls. */
static void start_rings(void)
{
    const struct xensim_config config = {
        .cpus = 2, .frames = FRAMES, .loglevel = 3,
        .scatter = true, .poison = true,
    };

    ck_assert_int_eq(kit_start(&config), 0);
    ck_assert_int_eq(kit_set_size(PAGES), 0);
    rig_attach(&rig, VICTIM);
    xensim_become_cpu(VICTIM);
    xensim_capture_console();

    before = malloc(FRAMES * PAGE_SIZE);
    memcpy(before, xensim_arena, FRAMES * PAGE_SIZE);
}

static void check_other_frames(void)
{
    unsigned long mfn;

    for ( mfn = 0; mfn < FRAMES; mfn++ )
        if ( !is_ring_frame(mfn) && memcmp(before + mfn * PAGE_SIZE,
                                           xensim_arena + mfn * PAGE_SIZE,
                                           PAGE_SIZE) )
            ck_abort_msg("frame %lu was written to", mfn);
}

static void write_words(uint32_t cons, uint32_t prod)
{
    __atomic_store_n(&rig.reader.ring->cons, cons, __ATOMIC_RELAXED);
    __atomic_store_n(&rig.reader.ring->prod, prod, __ATOMIC_RELAXED);
}

/* Emit more than the ring holds, with any cons and prod. */
static void overfill_ring(void)
{
    unsigned int i;

    for ( i = 0; i < 3 * rig.reader.size / 12; i++ )
        kit_emit(i, 1 + i % 7, i % 2);
}

/*
 * The reader recovers: it sets cons to prod, the losses are reported, and the
 * ring works normally from then on.
 */
static void check_recovery(void)
{
    struct kit_reader *r = &rig.reader;

    kit_emit(0, 7, true); /* makes Xen rewrite prod */
    ck_assert_uint_lt(r->ring->prod, 2 * r->size);
    r->ring->cons = r->ring->prod;
    kit_forget(r);
    rig_play(&rig, "R12 ?");
    ck_assert_uint_eq(rig.record.bytes, 12);

    rig.lost = rig.read = rig.emitted = rig.last_number = 0;
    rig_expect(&rig, "@0 R40 r8 ?", "R40 r8");
    rig_expect(&rig, "@-4 R40 ?", "p4 R40");
    rig_expect(&rig, "@0 =-4 R40 ? r4 ?",
               rig_script("r32*%u r%u | p4 L1 r4", r->size / 32,
                          r->size % 32 - 4));
    rig_balance(&rig);
    ck_assert(tb_init_done);
    check_other_frames();
}

/* ---- invalid words ---------------------------------------------------- */

/* Values of cons out of range, alone or relative to prod (`ahead`). */
static const struct
{
    bool relative;
    uint32_t value;
} bad_values[] = {
    { false, 1 }, { false, 2 }, { false, 3 }, { false, 0x13 },
    { false, 2 * (PAGES * PAGE_SIZE - 8) },
    { false, 2 * (PAGES * PAGE_SIZE - 8) + 4 },
    { false, 0x7ffffffc }, { false, 0x80000000 }, { false, 0xfffffff0 },
    { false, 0xfffffffc }, { false, 0xffffffff },
    { true, 4 }, { true, 8 }, { true, 4096 },
    { true, PAGES * PAGE_SIZE - 8 - 4 },
};

static uint32_t bad_cons(unsigned int i)
{
    const struct t_buf *ring = rig.reader.ring;

    if ( !bad_values[i].relative )
        return bad_values[i].value;
    return (ring->prod + bad_values[i].value) % (2 * rig.reader.size);
}

/* Xen treats the ring as full, prints one message, and recovers. */
START_TEST(invalid_cons)
{
    unsigned int again;
    uint32_t cons;

    start_rings();
    for ( again = 0; again < 3; again++ )
    {
        rig_play(&rig, "@-4"); /* the next record does not fit exactly */
        cons = bad_cons(_i);
        rig.reader.ring->cons = cons;
        overfill_ring();
        xensim_run_tasklets();
        overfill_ring();
        xensim_run_tasklets();

        rig_console(rig_script("and/or cons (%08x)\n", cons), 1);
        ck_assert_uint_eq(rig.reader.ring->cons, cons);
        check_recovery();
    }
}
END_TEST

/* The message names the CPU and the expected prod. */
START_TEST(message_contents)
{
    uint32_t prod;

    start_rings();
    rig_play(&rig, "@-40");
    prod = rig.reader.ring->prod;
    write_words(0x13, 0x12345);
    kit_emit(0, 7, true);
    rig_console("", 0); /* no message here: locks may be held */
    xensim_run_tasklets();
    rig_console(rig_script("trc#1: bogus prod (%08x) and/or cons (00000013)\n",
                           prod), 1);
}
END_TEST

/* A message that was printed is not repeated by later notifications. */
START_TEST(message_once)
{
    start_rings();
    rig_play(&rig, "@-40");
    rig.reader.ring->cons = 1;
    kit_emit(0, 7, true);
    xensim_run_tasklets();
    rig_console("trc#1: bogus", 1);
    check_recovery();
    rig_play(&rig, "@0 =");
    ck_assert_uint_ge(rig_virqs(), 1);
    rig_console("", 0);
}
END_TEST

/* A reader that sends cons out of range and back cannot flood the console. */
START_TEST(messages_are_limited)
{
    unsigned int i, messages = 0;
    const char *at;

    start_rings();
    for ( i = 0; i < 300; i++ )
    {
        rig.reader.ring->cons = 1;
        overfill_ring();
        xensim_run_tasklets();
        rig.reader.ring->cons = rig.reader.ring->prod;
        overfill_ring();
    }
    for ( at = xensim_capture_console(); (at = strstr(at, "bogus")); at++ )
        messages++;
    ck_assert_uint_ge(messages, 1);
    ck_assert_uint_le(messages, 30);
}
END_TEST

/* Losses meanwhile are counted, and reported afterwards. */
START_TEST(losses_are_counted)
{
    struct xen_tbuf_cpu cpu;
    unsigned int i;

    start_rings();
    rig_play(&rig, "@-40");
    rig.reader.ring->cons = 1;
    for ( i = 0; i < 50; i++ )
        kit_emit(0, 7, true);
    ck_assert_int_eq(kit_cpu_state(VICTIM, &cpu), 0);
    ck_assert_uint_eq(cpu.lost, 50);
    rig.reader.ring->cons = rig.reader.ring->prod;
    kit_forget(&rig.reader);
    rig_expect(&rig, "R12 ?", "L50 R12");
    ck_assert_uint_eq(rig.reader.ring->prod, rig.reader.ring->cons);
}
END_TEST

/* prod belongs to Xen: the next record overwrites any change. */
START_TEST(prod_is_not_read)
{
    static const uint32_t values[] = { 0, 1, 0x13, 8, 0xfffffff0, 0x7ffffffc };
    unsigned int i;

    start_rings();
    for ( i = 0; i < ARRAY_SIZE(values); i++ )
    {
        rig_play(&rig, "? R12");
        rig.reader.ring->prod = values[i];
        rig_expect(&rig, "R40 ?", "R12 R40");

        /* The same on the slow path. */
        rig_play(&rig, "@-4");
        rig.reader.ring->prod = values[i];
        rig_expect(&rig, "R40 ?", "p4 R40");
    }
    rig_console("", 0);
    check_recovery();
}
END_TEST

/* ---- random values at any time ---------------------------------------- */

static uint32_t random_word(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005 + 1442695040888963407;
    return state >> 32;
}

/* Words that are wrong but nearly valid, and random ones. */
static uint32_t wrong_word(void)
{
    const struct t_buf *ring = rig.reader.ring;
    uint32_t size = rig.reader.size, near = random_word() % 256;

    switch ( random_word() % 8 )
    {
    case 0: return random_word();
    case 1: return random_word() % (2 * size);
    case 2: return random_word() % (2 * size) & ~3;
    case 3: return ring->prod + near;
    case 4: return (ring->prod + (near & ~3)) % (2 * size);
    case 5: return (ring->prod + size + (near & ~3)) % (2 * size);
    case 6: return 2 * size - near;
    default: return ring->prod - (near & ~3);
    }
}

/* Overwrite a header being written: Xen never reads records back. */
static void overwrite_header(void)
{
    uint32_t at = random_word() % rig.reader.size;

    ((unsigned char *)(rig.reader.ring + 1))[at] = random_word();
}

static void emit_storm(unsigned int calls)
{
    unsigned int i;

    for ( i = 0; i < calls; i++ )
    {
        if ( random_word() % 4 == 0 )
            __atomic_store_n(&rig.reader.ring->cons, wrong_word(),
                             __ATOMIC_RELAXED);
        if ( random_word() % 4 == 0 )
            __atomic_store_n(&rig.reader.ring->prod, wrong_word(),
                             __ATOMIC_RELAXED);
        overwrite_header();
        kit_emit(i, random_word() % 8, random_word() % 2);
    }
}

START_TEST(random_words)
{
    unsigned int i;

    start_rings();
    for ( i = 0; i < 100 * (_i + 1U); i++ )
    {
        emit_storm(500);
        xensim_run_tasklets();
        check_other_frames();
        ck_assert(tb_init_done);
    }
    xensim_run_tasklets();
    xensim_capture_console();
    check_recovery();
}
END_TEST

static void emit_in_interrupt(void *unused)
{
    (void)unused;
    emit_storm(1);
}

/* The same in NMIs, where no message may be printed. */
START_TEST(random_words_in_nmis)
{
    unsigned int i;

    start_rings();
    for ( i = 0; i < 20000; i++ )
        xensim_interrupt(random_word() % XENSIM_NR_VECTORS, emit_in_interrupt,
                         NULL);
    xensim_run_tasklets();
    check_recovery();
}
END_TEST

/* Another CPU with its own ring and an honest reader is not affected. */
START_TEST(others_unaffected)
{
    static struct rig other;
    unsigned int i;

    start_rings();
    rig_attach(&other, 0);
    for ( i = 0; i < 500; i++ )
    {
        emit_storm(20);
        xensim_become_cpu(0);
        rig_expect(&other, "@100 R40 r8 r32 ?", "R40 r8 r32");
        rig_expect(&other, "@-4 R12 ?", "p4 R12");
        xensim_become_cpu(VICTIM);
    }
    xensim_become_cpu(0);
    rig_balance(&other);
}
END_TEST

/* ---- control operations meanwhile ------------------------------------- */

static int down_and_up(void)
{
    int rc;

    xensim_become_cpu(0);
    rc = cpu_down(VICTIM) ?: cpu_up(VICTIM);
    xensim_become_cpu(VICTIM);
    return rc;
}

static int freeze_rings(void)
{
    int rc = kit_overwrite();

    emit_storm(1000);
    return rc ?: kit_freeze();
}

static const struct
{
    int (*operate)(void);
    int answer;
} operations[] = {
    { kit_disable, 0 },
    { freeze_rings, 0 },
    { kit_overwrite, 0 },
    { kit_free, -EBUSY },   /* mapped by the hostile reader */
    { down_and_up, 0 },
};

START_TEST(control)
{
    unsigned int i;

    start_rings();
    for ( i = 0; i < 300; i++ )
    {
        emit_storm(100);
        ck_assert_int_eq(operations[_i].operate(), operations[_i].answer);
        emit_storm(100);
        ck_assert_int_eq(kit_disable(), 0);
        emit_storm(10);
        ck_assert_int_eq(kit_enable(), 0);
        check_other_frames();
    }
    xensim_run_tasklets();
    check_recovery();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("hostile");

    tcase_add_loop_test(tests, invalid_cons, 0, ARRAY_SIZE(bad_values));
    tcase_add_test(tests, message_contents);
    tcase_add_test(tests, message_once);
    tcase_add_test(tests, messages_are_limited);
    tcase_add_test(tests, losses_are_counted);
    tcase_add_test(tests, prod_is_not_read);
    tcase_add_loop_test(tests, random_words, 0, 4);
    tcase_add_test(tests, random_words_in_nmis);
    tcase_add_test(tests, others_unaffected);
    tcase_add_loop_test(tests, control, 0, ARRAY_SIZE(operations));

    return rig_main(tests);
}
