/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flight recorder: the newest records win, a reader finds nothing until
 * freeze, and then at least all pages but one of a ring that went round.
 */
#include "tests/unit/xen/rig.h"

static struct rig rig;

/* Emit so many records of all sizes, numbered from *number on. */
static void emit_record(uint32_t *number, unsigned int n)
{
    while ( n-- )
    {
        kit_emit(*number, 1 + *number % 7, *number % 3);
        ++*number;
    }
}

/* Read all that is published: numbers without a gap up to `last`. */
static uint32_t read_up_to(uint32_t last)
{
    struct kit_record record;
    uint32_t number, bytes, expected = 0;

    kit_forget(&rig.reader);
    kit_snapshot(&rig.reader);
    bytes = kit_left(&rig.reader);
    while ( kit_next(&rig.reader, &record) )
    {
        if ( record.event == TRC_TRACE_WRAP_BUFFER )
            continue;
        if ( !kit_is_emitted(&record, &number) ||
             (expected && number != expected) )
            ck_abort_msg("%u is no record, or not %u", number, expected);
        expected = number + 1;
    }
    ck_assert_str_eq(rig.reader.fault, "");
    kit_consume(&rig.reader);
    ck_assert_uint_eq(expected, last + 1);
    return bytes;
}

static void nothing_to_read(void)
{
    ck_assert_uint_eq(rig.reader.ring->cons, rig.reader.ring->prod);
}

/* ---- what is kept ----------------------------------------------------- */

START_TEST(not_full_yet)
{
    uint32_t number = 1;

    rig_start(&rig, 2);
    ck_assert_int_eq(kit_overwrite(), 0);
    emit_record(&number, 100);
    nothing_to_read();
    ck_assert_int_eq(kit_freeze(), 0);
    read_up_to(number - 1);
    ck_assert_uint_eq(rig.reader.at, rig.reader.prod);
}
END_TEST

/* Frozen after any number of records: each one more than the time before. */
START_TEST(frozen_anywhere)
{
    unsigned int pages = _i, n, bytes;
    uint32_t number = 1;

    rig_start(&rig, pages);
    for ( n = 1; n < 400; n++ )
    {
        ck_assert_int_eq(kit_overwrite(), 0);
        emit_record(&number, 250 * pages + n);
        nothing_to_read();
        ck_assert_int_eq(kit_freeze(), 0);
        bytes = read_up_to(number - 1);

        /* All pages but one, but for a record that began before it. */
        ck_assert_uint_ge(bytes + 40 + sizeof(struct t_buf),
                          (pages - 1) * PAGE_SIZE);
    }
}
END_TEST

/* Frozen after each record of a few passes. */
START_TEST(frozen_after_each)
{
    uint32_t number = 1;
    unsigned int n;

    rig_start(&rig, _i);
    for ( n = 0; n < 600; n++ )
    {
        ck_assert_int_eq(kit_overwrite(), 0);
        emit_record(&number, n);
        ck_assert_int_eq(kit_freeze(), 0);
        if ( n )
            read_up_to(number - 1);
        else
            nothing_to_read();
    }
}
END_TEST

/* Nothing is lost in it, however much is written. */
START_TEST(never_lost)
{
    struct xen_tbuf_cpu cpu;
    uint32_t number = 1;

    rig_start(&rig, 1 + _i);
    ck_assert_int_eq(kit_overwrite(), 0);
    emit_record(&number, 100000);
    ck_assert_int_eq(kit_cpu_state(0, &cpu), 0);
    ck_assert_uint_eq(cpu.lost, 0);
    ck_assert_int_eq(kit_freeze(), 0);
    read_up_to(number - 1);
}
END_TEST

/* ---- from one mode to the other --------------------------------------- */

/* What was unread is given up, and a loss that was owed is said. */
START_TEST(unread_is_given_up)
{
    rig_start(&rig, 1);
    rig_play(&rig, "@100 = r4 r4 ?2");
    ck_assert_int_eq(kit_overwrite(), 0);
    kit_forget(&rig.reader);
    rig_expect(&rig, "R12 ?", "");
    ck_assert_int_eq(kit_freeze(), 0);
    kit_forget(&rig.reader);
    rig_expect(&rig, "?", "R12");
}
END_TEST

START_TEST(enable_goes_on_behind)
{
    rig_start(&rig, 1);
    ck_assert_int_eq(kit_overwrite(), 0);
    rig_play(&rig, "R12");
    ck_assert_int_eq(kit_freeze(), 0);
    ck_assert(!tb_init_done);
    rig_play(&rig, "R16");
    rig.emitted--; /* off */
    ck_assert_int_eq(kit_enable(), 0);
    rig_expect(&rig, "R20 ?", "R12 R20");
    rig_expect(&rig, "@0 = r4 ? r4 ?", "r32*127 r24 | L1 r4");
}
END_TEST

/* disable ends it as well: an old tool finds the ring as it knows it. */
START_TEST(disable_freezes)
{
    struct xen_tbuf_state s;

    rig_start(&rig, 1);
    ck_assert_int_eq(kit_overwrite(), 0);
    rig_play(&rig, "R12 R16");
    ck_assert_int_eq(kit_disable(), 0);
    ck_assert_int_eq(kit_freeze(), -EINVAL);
    ck_assert_int_eq(kit_state(&s), 0);
    ck_assert_uint_eq(s.flags, 0);
    rig_expect(&rig, "?", "R12 R16");
    ck_assert_int_eq(kit_enable(), 0);
    rig_expect(&rig, "R20 ?", "R20");
}
END_TEST

/* Asking again begins anew, wherever in the ring. */
START_TEST(overwrite_twice)
{
    uint32_t number = 1;

    rig_start(&rig, 3);
    ck_assert_int_eq(kit_overwrite(), 0);
    emit_record(&number, 50 * _i);
    ck_assert_int_eq(kit_overwrite(), 0);
    rig_play(&rig, "R16");
    ck_assert_int_eq(kit_freeze(), 0);
    kit_forget(&rig.reader);
    rig_expect(&rig, "?", "R16");
}
END_TEST

START_TEST(overwrite_when_off)
{
    rig_start(&rig, 1);
    ck_assert_int_eq(kit_disable(), 0);
    ck_assert_int_eq(kit_overwrite(), 0);
    ck_assert(tb_init_done);
    rig_play(&rig, "R12");
    ck_assert_int_eq(kit_freeze(), 0);
    rig_expect(&rig, "?", "R12");
}
END_TEST

/* enable while it runs changes nothing. */
START_TEST(enable_while_overwriting)
{
    uint32_t number = 1;

    rig_start(&rig, 1);
    ck_assert_int_eq(kit_overwrite(), 0);
    emit_record(&number, 200);
    ck_assert_int_eq(kit_enable(), 0);
    emit_record(&number, 200);
    nothing_to_read();
    ck_assert_int_eq(kit_freeze(), 0);
    read_up_to(number - 1);
}
END_TEST

/* A ring that is exchanged starts as an ordinary one. */
START_TEST(resize_ends_it)
{
    struct xen_tbuf_state s;

    rig_start(&rig, 1);
    kit_close(&rig.reader);
    ck_assert_int_eq(kit_overwrite(), 0);
    ck_assert_int_eq(kit_resize(2), 0);
    ck_assert_int_eq(kit_state(&s), 0);
    ck_assert_uint_eq(s.flags, XEN_TBUF_ENABLED);
    rig_attach(&rig, 0);
    rig_expect(&rig, "R12 ?", "R12");
}
END_TEST

/* ---- masks ------------------------------------------------------------ */

/* A CPU that is masked out keeps what it has, and goes on behind it. */
START_TEST(masked_in_between)
{
    static const uint8_t none[1], all[1] = { 1 };

    rig_start(&rig, 1);
    ck_assert_int_eq(kit_overwrite(), 0);
    rig_play(&rig, "R12");
    ck_assert_int_eq(kit_set_cpu_mask(none, 8), 0);
    rig_play(&rig, "R16");
    ck_assert_int_eq(kit_set_cpu_mask(all, 8), 0);
    rig_play(&rig, "R20");
    ck_assert_int_eq(kit_freeze(), 0);
    rig_expect(&rig, "?", "R12 R20");
}
END_TEST

/* ---- a reader that meddles -------------------------------------------- */

/* It has no say: what it writes into the words is not read. */
START_TEST(words_are_not_read)
{
    uint32_t number = 1;
    unsigned int i;

    rig_start(&rig, 2);
    ck_assert_int_eq(kit_overwrite(), 0);
    for ( i = 0; i < 1000; i++ )
    {
        rig.reader.ring->cons = i * 0x01234567;
        rig.reader.ring->prod = i * 0x89abcdef;
        emit_record(&number, 1);
        ck_assert_uint_eq(rig.reader.ring->cons, i * 0x01234567);
        ck_assert_uint_eq(rig.reader.ring->prod, i * 0x89abcdef);
    }
    ck_assert_int_eq(kit_freeze(), 0);
    read_up_to(number - 1);
    rig_console("", 0);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("overwrite");

    tcase_add_test(tests, not_full_yet);
    tcase_add_loop_test(tests, frozen_anywhere, 1, 6);
    tcase_add_loop_test(tests, frozen_after_each, 1, 4);
    tcase_add_loop_test(tests, never_lost, 0, 5);
    tcase_add_test(tests, unread_is_given_up);
    tcase_add_test(tests, enable_goes_on_behind);
    tcase_add_test(tests, disable_freezes);
    tcase_add_loop_test(tests, overwrite_twice, 0, 20);
    tcase_add_test(tests, overwrite_when_off);
    tcase_add_test(tests, enable_while_overwriting);
    tcase_add_test(tests, resize_ends_it);
    tcase_add_test(tests, masked_in_between);
    tcase_add_test(tests, words_are_not_read);

    return rig_main(tests);
}
