/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a line of a trace-events file to words in a ring: the build generates
 * emitted.h and emitted-structs.h from emitted.trace-events; the test calls
 * these functions, and compares the records in the ring word by word, and by
 * name through the struct.
 *
 * Arguments are larger than their fields, and must not overflow into others.
 */
#include "tests/unit/xen/rig.h"

/* A definition as in an earlier header of Xen, which has to agree with ours. */
#define TRC_ALICE (TRC_HVM_HANDLER + 0xe01)

#include "tests/unit/tracetool/emitted.h"
#include "tests/unit/tracetool/emitted-structs.h"

static struct rig rig;

static void alice(void) { trace_alice(0xffffffffu); }
static void nothing(void) { trace_nothing(); }
static void no_time(void) { trace_no_time(1, 2); }
static void no_time_nothing(void) { trace_no_time_nothing(); }
static void halves(void) { trace_halves(0x1234, 0xfedc); }
static void quarters(void) { trace_quarters(1, -2, 0xff, -128); }
static void wide(void)
{
    trace_wide(7, 0x1122334455667788, -2, INT32_MIN);
}
static void bits(void) { trace_bits(0xabcdef12, 0xff, UINT32_MAX, -3, 1); }
static void seven(void) { trace_seven(1, 2, 3, 4, 5, 6, 7); }
static void seven_no_time(void)
{
    trace_seven_no_time(0x100000002, 0x300000004, 0x500000006, 7);
}
static void askew(void)
{
    trace_askew(0x11, 0x55443322, 0xddccbbaa99887766, -2,
                0x0807060504030201);
}
static void part(void) { trace_part(0xfedc); }
static void tail(void) { trace_tail(0x3f8, 0x41); }
static void tail_short(void) { trace_tail_short(0x3f8); }
static void change(void) { trace_change(0xfe, 0xfd, 0x8001); }
static void exit_32(void) { trace_exit(12, 0x80001000); }
static void exit_64(void) { trace_exit64(12, 0xffff800000001000); }
static void own(void) { trace_own(3); }
static void names(void) { trace_names(1, 2, 3, 4, 5); }
static void changed(void) { trace_changed(0x12345, 9); }

static const struct
{
    void (*emit)(void);
    uint32_t event;
    bool timed;
    unsigned int words;
    uint32_t word[KIT_MAX_WORDS];
} cases[] = {
    { alice,            0x82e01, true,  1, { 0xffffffff } },
    { nothing,          0x82e02, true,  0, {} },
    { no_time,          0x82e03, false, 2, { 1, 2 } },
    { no_time_nothing,  0x82e04, false, 0, {} },
    { halves,           0x82e05, true,  1, { 0xfedc1234 } },
    { quarters,         0x82e06, true,  1, { 0x80fffe01 } },
    { wide,             0x82e07, true,  6, { 7, 0x55667788, 0x11223344,
                                             0xfffffffe, 0xffffffff,
                                             0x80000000 } },
    { bits,             0x82e08, true,  2, { 0xfffdef12, 0x0d } },
    { seven,            0x82e09, true,  7, { 1, 2, 3, 4, 5, 6, 7 } },
    { seven_no_time,    0x82e0a, false, 7, { 2, 1, 4, 3, 6, 5, 7 } },
    { askew,            0x82e0b, true,  6, { 0x44332211, 0x88776655,
                                             0xccbbaa99, 0x01fffedd,
                                             0x05040302, 0x00080706 } },
    { part,             0x82e0c, true,  1, { 0xfedc } },
    { tail,             0x82e0d, true,  2, { 0x3f8, 0x41 } },
    { tail_short,       0x82e0d, true,  1, { 0x3f8 } },
    { change,           0x82211, true,  1, { 0x8001 } },
    { exit_32,          0x82e0e, true,  2, { 12, 0x80001000 } },
    { exit_64,          0x82f0e, true,  3, { 12, 0x00001000, 0xffff8000 } },
    { own,              0x82e0f, true,  1, { 3 } },
    { names,            0x82e11, true,  5, { 1, 2, 3, 4, 5 } },
    { changed,          0x82e12, true,  2, { 0x12345, 9 } },
};

static void read_one(struct kit_record *record)
{
    ck_assert(kit_snapshot(&rig.reader));
    ck_assert(kit_next(&rig.reader, record));
    ck_assert_uint_eq(kit_left(&rig.reader), 0);
    kit_consume(&rig.reader);
}

START_TEST(words_are_those_of_the_layout)
{
    struct kit_record record;

    rig_start(&rig, 1);
    cases[_i].emit();
    read_one(&record);
    ck_assert_uint_eq(record.event, cases[_i].event);
    ck_assert_uint_eq(record.timed, cases[_i].timed);
    ck_assert_uint_eq(record.words, cases[_i].words);
    for ( unsigned int i = 0; i < record.words; i++ )
        ck_assert_uint_eq(record.word[i], cases[_i].word[i]);
}
END_TEST

/* The struct's bytes are the record's. */
#define READ(type, emit)                                                \
    ({                                                                  \
        struct kit_record record_;                                      \
        struct type value_;                                             \
                                                                        \
        emit();                                                         \
        read_one(&record_);                                             \
        ck_assert_uint_eq(record_.words * 4, sizeof(value_));           \
        memcpy(&value_, record_.word, sizeof(value_));                  \
        value_;                                                         \
    })

START_TEST(structs_name_the_fields)
{
    rig_start(&rig, 1);

    struct xt_rec_halves h = READ(xt_rec_halves, halves);
    ck_assert_uint_eq(h.vcpu, 0x1234);
    ck_assert_uint_eq(h.dom, 0xfedc);

    struct xt_rec_wide w = READ(xt_rec_wide, wide);
    ck_assert_uint_eq(w.gfn, 0x1122334455667788);
    ck_assert_int_eq(w.delta, -2);
    ck_assert_int_eq(w.s, INT32_MIN);

    struct xt_rec_bits b = READ(xt_rec_bits, bits);
    ck_assert_uint_eq(b.op, 0xdef12);
    ck_assert_uint_eq(b.low, 3);
    ck_assert_uint_eq(b.high, 0x3ff);
    ck_assert_int_eq(b.a, -3);
    ck_assert_int_eq(b.b, 1);

    struct xt_rec_askew a = READ(xt_rec_askew, askew);
    ck_assert_uint_eq(a.b, 0x55443322);
    ck_assert_uint_eq(a.c, 0xddccbbaa99887766);
    ck_assert_int_eq(a.d, -2);
    ck_assert_uint_eq(a.e, 0x0807060504030201);

    struct xt_rec_names n = READ(xt_rec_names, names);
    ck_assert_uint_eq(n.asm_, 1);
    ck_assert_uint_eq(n.words__, 3);

    struct xt_rec_changed c = READ(xt_rec_changed, changed);
    ck_assert_uint_eq(c.dom, 0x12345);
    ck_assert_uint_eq(sizeof(struct xt_rec_changed_until_4_18), 4);
}
END_TEST

START_TEST(what_is_off_leaves_nothing)
{
    rig_start(&rig, 1);
    trace_off(1);
    ck_assert_uint_eq(rig_unread(&rig), 0);
    ck_assert(!TRACE_OFF_ENABLED);
    ck_assert(!TRACE_OFF_BACKEND_DSTATE());
    ck_assert(TRACE_ALICE_ENABLED);
    ck_assert(TRACE_ALICE_BACKEND_DSTATE());

    ck_assert_int_eq(kit_disable(), 0);
    trace_alice(1);
    ck_assert_uint_eq(rig_unread(&rig), 0);
    ck_assert(!TRACE_ALICE_BACKEND_DSTATE());
}
END_TEST

/* Constants, also of events without a call. */
_Static_assert(TRC_ALICE == 0x82e01, "what Xen's header said");
_Static_assert(TRC_HALVES == 0x82e05, "defined here");
_Static_assert(TRC_TAKEN == 0x82e13, "unused");
_Static_assert(TRC_EXIT64 == 0x82f0e, "a member of a family");
#ifdef TRC_OWN
#error "private"
#endif

int main(void)
{
    TCase *tests = tcase_create("emitted");

    tcase_add_loop_test(tests, words_are_those_of_the_layout, 0,
                        ARRAY_SIZE(cases));
    tcase_add_test(tests, structs_name_the_fields);
    tcase_add_test(tests, what_is_off_leaves_nothing);

    return rig_main(tests);
}
