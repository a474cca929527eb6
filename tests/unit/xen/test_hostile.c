/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A dom0 that writes anything anywhere in the pages it was given, between any
 * two calls.  It can spoil what it reads itself.  It cannot make Xen write
 * outside of that one ring, stop another CPU, loop, or stop tracing; Xen
 * complains once; and when the words make sense again the ring works again.
 *
 * Every frame but the ring's own is compared, byte for byte: other CPUs'
 * rings, t_info, and free frames, which are poisoned and stand between the
 * ring's.
 */
#include "tests/unit/xen/rig.h"

#include <stdlib.h>

#include <xen/cpu.h>

#define FRAMES 64
#define PAGES 3

#define VICTIM 1

static struct rig rig;
static char *before;        /* the arena, as it was */

static bool is_ours(unsigned long mfn)
{
    unsigned int i;

    for ( i = 0; i < rig.reader.pages; i++ )
        if ( rig.reader.mfn[i] == mfn )
            return true;
    return false;
}

/* Two CPUs.  The rig's ring is the victim's, and so are all calls. */
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

static void nothing_else_changed(void)
{
    unsigned long mfn;

    for ( mfn = 0; mfn < FRAMES; mfn++ )
        if ( !is_ours(mfn) && memcmp(before + mfn * PAGE_SIZE,
                                     xensim_arena + mfn * PAGE_SIZE,
                                     PAGE_SIZE) )
            ck_abort_msg("frame %lu was written to", mfn);
}

static void write_words(uint32_t cons, uint32_t prod)
{
    __atomic_store_n(&rig.reader.ring->cons, cons, __ATOMIC_RELAXED);
    __atomic_store_n(&rig.reader.ring->prod, prod, __ATOMIC_RELAXED);
}

/* More than the ring holds, whatever the words say. */
static void emit_plenty(void)
{
    unsigned int i;

    for ( i = 0; i < 3 * rig.reader.size / 12; i++ )
        kit_emit(i, 1 + i % 7, i % 2);
}

/*
 * The reader comes to its senses: it says that it has read all that there
 * is.  Some of it was lost meanwhile, and that is said, and from then on the
 * ring does what it should.
 */
static void heals_again(void)
{
    struct kit_reader *r = &rig.reader;

    kit_emit(0, 7, true); /* prod is written anew, by whom it belongs to */
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
    nothing_else_changed();
}

/* ---- nonsense --------------------------------------------------------- */

/* Out of range, by itself or seen from prod; `ahead` of prod. */
static const struct
{
    bool relative;
    uint32_t value;
} nonsense[] = {
    { false, 1 }, { false, 2 }, { false, 3 }, { false, 0x13 },
    { false, 2 * (PAGES * PAGE_SIZE - 8) },
    { false, 2 * (PAGES * PAGE_SIZE - 8) + 4 },
    { false, 0x7ffffffc }, { false, 0x80000000 }, { false, 0xfffffff0 },
    { false, 0xfffffffc }, { false, 0xffffffff },
    { true, 4 }, { true, 8 }, { true, 4096 },
    { true, PAGES * PAGE_SIZE - 8 - 4 },
};

static uint32_t nonsense_now(unsigned int i)
{
    const struct t_buf *ring = rig.reader.ring;

    if ( !nonsense[i].relative )
        return nonsense[i].value;
    return (ring->prod + nonsense[i].value) % (2 * rig.reader.size);
}

/* Xen takes it for a full ring; says so once; and recovers. */
START_TEST(nonsensical_cons)
{
    unsigned int again;
    uint32_t cons;

    start_rings();
    for ( again = 0; again < 3; again++ )
    {
        rig_play(&rig, "@-4"); /* the next record does not just fit */
        cons = nonsense_now(_i);
        rig.reader.ring->cons = cons;
        emit_plenty();
        xensim_run_tasklets();
        emit_plenty();
        xensim_run_tasklets();

        rig_console(rig_script("and/or cons (%08x)\n", cons), 1);
        ck_assert_uint_eq(rig.reader.ring->cons, cons);
        heals_again();
    }
}
END_TEST

/* The complaint names the CPU, and where prod ought to be. */
START_TEST(complaint)
{
    uint32_t prod;

    start_rings();
    rig_play(&rig, "@-40");
    prod = rig.reader.ring->prod;
    write_words(0x13, 0x12345);
    kit_emit(0, 7, true);
    rig_console("", 0); /* not from here: locks may be held */
    xensim_run_tasklets();
    rig_console(rig_script("trc#1: bogus prod (%08x) and/or cons (00000013)\n",
                           prod), 1);
}
END_TEST

/* What is lost meanwhile is counted, and told afterwards. */
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

/* prod is Xen's: whatever was written there is gone with the next record. */
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

        /* Where it takes the slow way, too. */
        rig_play(&rig, "@-4");
        rig.reader.ring->prod = values[i];
        rig_expect(&rig, "R40 ?", "p4 R40");
    }
    rig_console("", 0);
    heals_again();
}
END_TEST

/* ---- anything at any time --------------------------------------------- */

static uint32_t random_word(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005 + 1442695040888963407;
    return state >> 32;
}

/* Words that are wrong in a way that might be believed, and any others. */
static uint32_t evil_word(void)
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

/* Records that are being written, as well: Xen never reads them back. */
static void scribble_header(void)
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
            __atomic_store_n(&rig.reader.ring->cons, evil_word(),
                             __ATOMIC_RELAXED);
        if ( random_word() % 4 == 0 )
            __atomic_store_n(&rig.reader.ring->prod, evil_word(),
                             __ATOMIC_RELAXED);
        scribble_header();
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
        nothing_else_changed();
        ck_assert(tb_init_done);
    }
    xensim_run_tasklets();
    xensim_capture_console();
    heals_again();
}
END_TEST

static void emit_in_interrupt(void *unused)
{
    (void)unused;
    emit_storm(1);
}

/* Also from where nothing may be told. */
START_TEST(random_words_in_nmis)
{
    unsigned int i;

    start_rings();
    for ( i = 0; i < 20000; i++ )
        xensim_interrupt(random_word() % XENSIM_NR_VECTORS, emit_in_interrupt,
                         NULL);
    xensim_run_tasklets();
    heals_again();
}
END_TEST

/* The other CPU has a ring of its own, and an honest reader. */
START_TEST(others_go_on)
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

/* ---- control amid all that -------------------------------------------- */

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
    { kit_free, -EBUSY },   /* the hostile reader has it mapped */
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
        nothing_else_changed();
    }
    xensim_run_tasklets();
    heals_again();
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("hostile");

    tcase_add_loop_test(tests, nonsensical_cons, 0, ARRAY_SIZE(nonsense));
    tcase_add_test(tests, complaint);
    tcase_add_test(tests, losses_are_counted);
    tcase_add_test(tests, prod_is_not_read);
    tcase_add_loop_test(tests, random_words, 0, 4);
    tcase_add_test(tests, random_words_in_nmis);
    tcase_add_test(tests, others_go_on);
    tcase_add_loop_test(tests, control, 0, ARRAY_SIZE(operations));

    return rig_main(tests);
}
