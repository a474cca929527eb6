/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace macros and functions for hypervisor code, in the syntax of Xen 4.17
 * and of current Xen, and the resulting records.
 *
 * Compiled twice: as Xen's debug build, and with NDEBUG as its release build,
 * where too large a size does not stop the machine.
 */
#include "tests/unit/xen/rig.h"

#include <signal.h>
#include <sys/mman.h>

static struct rig rig;

/* Read the only record in the ring, if any, perhaps behind padding. */
static bool read_single_record(struct kit_record *record)
{
    bool any;

    kit_snapshot(&rig.reader);
    do
        any = kit_next(&rig.reader, record);
    while ( any && record->event == TRC_TRACE_WRAP_BUFFER );
    ck_assert_uint_eq(kit_left(&rig.reader), 0);
    ck_assert_str_eq(rig.reader.fault, "");
    kit_consume(&rig.reader);
    return any;
}

static void emit_nothing(void)
{
    struct kit_record record;

    ck_assert(!read_single_record(&record));
}

/* Check for one record of the words 1, 2, ... n. */
static void check_counting_record(uint32_t event, bool timed,
                                  unsigned int words)
{
    struct kit_record record;
    unsigned int i;

    ck_assert(read_single_record(&record));
    ck_assert_uint_eq(record.event, event);
    ck_assert_uint_eq(record.timed, timed);
    ck_assert_uint_eq(record.words, words);
    for ( i = 0; i < words; i++ )
        ck_assert_uint_eq(record.word[i], i + 1);
}

/* ---- syntax ----------------------------------------------------------- */

#define EV TRC_HVM_CPUID

/* The syntax of 4.17's asm/hvm/trace.h. */
#define HVM_ND(event, modifier, cycles, ...)                            \
    do {                                                                \
        if ( unlikely(tb_init_done) )                                   \
        {                                                               \
            uint32_t d[] = { __VA_ARGS__ };                             \
            __trace_var(TRC_HVM_ ## event | (modifier), cycles,         \
                        sizeof(d), d);                                  \
        }                                                               \
    } while ( 0 )

static const uint32_t one_to_seven[] = { 1, 2, 3, 4, 5, 6, 7 };

static uint64_t opaque_long(uint64_t value)
{
    return value;
}

static void trace_0d(void) { TRACE_0D(EV); }
static void trace_1d(void) { TRACE_1D(EV, 1); }
static void trace_2d(void) { TRACE_2D(EV, 1, 2); }
static void trace_3d(void) { TRACE_3D(EV, 1, 2, 3); }
static void trace_4d(void) { TRACE_4D(EV, 1, 2, 3, 4); }
static void trace_5d(void) { TRACE_5D(EV, 1, 2, 3, 4, 5); }
static void trace_6d(void) { TRACE_6D(EV, 1, 2, 3, 4, 5, 6); }
static void var_d(void) { TRACE_varD(EV, 1, 2, 3); }
static void plain_0(void) { TRACE(EV); }
static void plain_timed(void) { TRACE(EV | TRC_HD_CYCLE_FLAG, 1); }
static void plain_7(void) { TRACE(EV, 1, 2, 3, 4, 5, 6, 7); }
static void time_0(void) { TRACE_TIME(EV); }
static void time_7(void) { TRACE_TIME(EV, 1, 2, 3, 4, 5, 6, 7); }
static void wide_args(void)
{
    TRACE(EV, opaque_long(0xff00000001), (uint8_t)2, opaque_long(3));
}
static void hvm_0(void) { HVM_ND(CPUID, 0, false); }
static void hvm_6(void) { HVM_ND(CPUID, 0, true, 1, 2, 3, 4, 5, 6); }
static void var_timed(void) { trace_var(EV, true, 8, one_to_seven); }
static void var_plain(void) { trace_var(EV, false, 28, one_to_seven); }
static void var_none(void) { __trace_var(EV, false, 0, NULL); }
static void trace_plain(void) { trace(EV, 12, one_to_seven); }
static void trace_none(void) { trace(EV, 0, NULL); }
static void trace_flag(void)
{
    trace(EV | TRC_HD_CYCLE_FLAG, 12, one_to_seven);
}
static void trace_timed(void) { trace_time(EV, 28, one_to_seven); }

static const struct
{
    void (*emit)(void);
    bool timed;
    unsigned int words;
} spellings[] = {
    { trace_0d, true, 0 }, { trace_1d, true, 1 }, { trace_2d, true, 2 },
    { trace_3d, true, 3 }, { trace_4d, true, 4 }, { trace_5d, true, 5 },
    { trace_6d, true, 6 }, { var_d, true, 3 },
    { plain_0, false, 0 }, { plain_7, false, 7 }, { plain_timed, true, 1 },
    { time_0, true, 0 }, { time_7, true, 7 },
    { wide_args, false, 3 }, /* each argument becomes one word */
    { hvm_0, false, 0 }, { hvm_6, true, 6 },
    { var_timed, true, 2 }, { var_plain, false, 7 }, { var_none, false, 0 },
    { trace_plain, false, 3 }, { trace_none, false, 0 },
    { trace_flag, true, 3 }, { trace_timed, true, 7 },
};

START_TEST(spelling)
{
    rig_start(&rig, 1);
    spellings[_i].emit();
    check_counting_record(EV, spellings[_i].timed, spellings[_i].words);

    /* With tracing off, there is no record. */
    ck_assert_int_eq(kit_disable(), 0);
    spellings[_i].emit();
    emit_nothing();
}
END_TEST

static unsigned int evaluated;

static uint32_t evaluate_argument(void)
{
    return ++evaluated;
}

START_TEST(off_evaluates_nothing)
{
    rig_start(&rig, 1);
    ck_assert_int_eq(kit_disable(), 0);
    TRACE_1D(EV, evaluate_argument());
    TRACE(EV, evaluate_argument());
    ck_assert_uint_eq(evaluated, 0);
    ck_assert_int_eq(kit_enable(), 0);
    TRACE_1D(EV, evaluate_argument());
    ck_assert_uint_eq(evaluated, 1);
    check_counting_record(EV, true, 1);
}
END_TEST

/* An event has 28 bits; higher bits do not reach the header. */
START_TEST(event_bits)
{
    rig_start(&rig, 1);
    __trace_var(EV | 0xf0000000, false, 4, one_to_seven);
    check_counting_record(EV, false, 1);
    trace(EV | 0x70000000, 4, one_to_seven);
    check_counting_record(EV, false, 1);
}
END_TEST

/* ---- sizes ------------------------------------------------------------ */

/* Bytes 1 2 3 ..., before an unreadable page. */
static const void *at_page_end(unsigned int bytes)
{
    unsigned char *page = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *data = page + PAGE_SIZE - bytes;
    unsigned int i;

    ck_assert(page != MAP_FAILED);
    ck_assert_int_eq(mprotect(page + PAGE_SIZE, PAGE_SIZE, PROT_NONE), 0);
    for ( i = 0; i < bytes; i++ )
        data[i] = i + 1;
    return data;
}

/* __trace_var: round up to words, pad with zeroes, never over-read. */
START_TEST(any_size)
{
    unsigned char expected[28] = {};
    struct kit_record record;
    unsigned int i, timed;

    rig_start(&rig, 1);
    for ( i = 0; (int)i < _i; i++ )
        expected[i] = i + 1;

    for ( timed = 0; timed <= 1; timed++ )
    {
        __trace_var(EV, timed, _i, at_page_end(_i));
        ck_assert(read_single_record(&record));
        ck_assert_uint_eq(record.timed, timed);
        ck_assert_uint_eq(record.words, (_i + 3) / 4);
        ck_assert_mem_eq(record.word, expected, record.words * 4);
    }
    rig_console("", 0);
}
END_TEST

/* trace(): whole words, at most seven, or one message. */
START_TEST(trace_bad_size)
{
    static const unsigned int bad[] = { 1, 2, 3, 5, 27, 29, 32, 4096, ~0U };
    unsigned int i;

    rig_start(&rig, 1);
    for ( i = 0; i < ARRAY_SIZE(bad); i++ )
    {
        trace(EV, bad[i], one_to_seven);
        trace_time(EV, bad[i], one_to_seven);
    }
    emit_nothing();
    rig_console("Trace event 0x8200e bad size 1, discarding", 1);
}
END_TEST

/* __trace_var with more than seven words: a bug of the caller. */
START_TEST(too_many_bytes)
{
    static const unsigned int many[] = { 29, 31, 32, 4096, ~0U };

    rig_start(&rig, 1);
    __trace_var(EV, _i & 1, many[_i / 2], at_page_end(28));
#ifdef NDEBUG
    struct kit_record record;

    ck_assert(read_single_record(&record));
    ck_assert_uint_eq(record.timed, _i & 1);
    ck_assert_uint_eq(record.words, 7);
    ck_assert_mem_eq(record.word, at_page_end(28), 28);
#endif
}
END_TEST

/* ---- hypercalls ------------------------------------------------------- */

/* The recorded arguments of hypercalls; all others record none. */
static const struct
{
    unsigned long op;
    unsigned int args[2], n;
} hypercalls[] = {
    { 1,  { 1 }, 1 },       /* mmu_update: count */
    { 13, { 1 }, 1 },       /* multicall: count */
    { 20, { 0, 2 }, 2 },    /* grant_table_op: command, count */
    { 24, { 0, 1 }, 2 },    /* vcpu_op: command, vcpu */
    { 26, { 1 }, 1 },       /* mmuext_op: count */
    { 29, { 0 }, 1 },       /* sched_op: command */
};

static void check_hypercall(unsigned long op)
{
    const xen_ulong_t args[6] = {
        0x1111111111UL, 0x2222222222UL, 0x3333333333UL,
        0x4444444444UL, 0x5555555555UL, 0x6666666666UL,
    };
    uint32_t expected[3] = { op & 0xfffff };
    struct kit_record record;
    unsigned int i, j, n = 1;

    for ( i = 0; i < ARRAY_SIZE(hypercalls); i++ )
        for ( j = 0; hypercalls[i].op == op && j < hypercalls[i].n; j++ )
        {
            expected[0] |= 1U << (20 + 2 * hypercalls[i].args[j]);
            expected[n++] = args[hypercalls[i].args[j]];
        }

    __trace_hypercall(TRC_PV_HYPERCALL_V2, op, args);
    ck_assert(read_single_record(&record));
    ck_assert_uint_eq(record.event, 0x20100d);
    ck_assert(record.timed);
    ck_assert_uint_eq(record.words, n);
    ck_assert_mem_eq(record.word, expected, n * sizeof(*expected));
}

START_TEST(every_hypercall)
{
    unsigned long op;

    rig_start(&rig, 1);
    for ( op = 0; op < 256; op++ )
        check_hypercall(op);
    rig_console("", 0);
}
END_TEST

/* A guest may pass any op, which must not record arguments nor warn. */
START_TEST(garbage_hypercalls)
{
    unsigned int bit;

    rig_start(&rig, 1);
    for ( bit = 8; bit < 64; bit++ )
    {
        check_hypercall(1UL << bit);
        check_hypercall((1UL << bit) + 1);
        check_hypercall((1UL << bit) + 20);
        check_hypercall(-(1UL << bit));
    }
    check_hypercall(~0UL);
    rig_console("", 0);
}
END_TEST

/* ---- contexts --------------------------------------------------------- */

static void emit_one(void *unused)
{
    (void)unused;
    TRACE_1D(EV, 1);
}

START_TEST(any_context)
{
    rig_start(&rig, 1);
    xensim_interrupt(_i, emit_one, NULL);
    check_counting_record(EV, true, 1);
}
END_TEST

START_TEST(will_trace)
{
    static const uint8_t none[1];

    ck_assert_int_eq(kit_start_simple(1), 0);
    ck_assert_int_eq(trace_will_trace_event(EV), 0);
    ck_assert_int_eq(kit_set_size(1), 0);
    ck_assert_int_eq(trace_will_trace_event(EV), 1);
    ck_assert_int_eq(kit_set_evt_mask(TRC_SCHED), 0);
    ck_assert_int_eq(trace_will_trace_event(EV), 0);
    ck_assert_int_eq(kit_set_evt_mask(TRC_HVM), 0);
    ck_assert_int_eq(trace_will_trace_event(EV), 1);
    ck_assert_int_eq(kit_set_cpu_mask(none, 8), 0);
    ck_assert_int_eq(trace_will_trace_event(EV), 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("api");

    tcase_add_loop_test(tests, spelling, 0, ARRAY_SIZE(spellings));
    tcase_add_test(tests, off_evaluates_nothing);
    tcase_add_test(tests, event_bits);
    tcase_add_loop_test(tests, any_size, 0, 29);
    tcase_add_test(tests, trace_bad_size);
#ifdef NDEBUG
    tcase_add_loop_test(tests, too_many_bytes, 0, 10);
#else
    tcase_add_loop_test_raise_signal(tests, too_many_bytes, SIGABRT, 0, 10);
#endif
    tcase_add_test(tests, every_hypercall);
    tcase_add_test(tests, garbage_hypercalls);
    tcase_add_loop_test(tests, any_context, 0, XENSIM_NR_VECTORS);
    tcase_add_test(tests, will_trace);

    return rig_main(tests);
}
