/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flight recorder: the newest records are kept, and hidden from a reader
 * until freeze; then at least all pages but one of a lapped ring are visible.
 */
#include "tests/unit/xen/rig.h"

static struct rig rig;

/* Emit n records of all sizes, numbered from *number on. */
static void emit_record(uint32_t *number, unsigned int n)
{
    while ( n-- )
    {
        kit_emit(*number, 1 + *number % 7, *number % 3);
        ++*number;
    }
}

/* Read all published records, numbered without a gap up to `last`. */
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

static void check_empty(void)
{
    ck_assert_uint_eq(rig.reader.ring->cons, rig.reader.ring->prod);
}

/* ---- contents --------------------------------------------------------- */

START_TEST(not_full_yet)
{
    uint32_t number = 1;

    rig_start(&rig, 2);
    ck_assert_int_eq(kit_overwrite(), 0);
    emit_record(&number, 100);
    check_empty();
    ck_assert_int_eq(kit_freeze(), 0);
    read_up_to(number - 1);
    ck_assert_uint_eq(rig.reader.at, rig.reader.prod);
}
END_TEST

/* Freeze after each number of records. */
START_TEST(frozen_anywhere)
{
    unsigned int pages = _i, n, bytes;
    uint32_t number = 1;

    rig_start(&rig, pages);
    for ( n = 1; n < 400; n++ )
    {
        ck_assert_int_eq(kit_overwrite(), 0);
        emit_record(&number, 250 * pages + n);
        check_empty();
        ck_assert_int_eq(kit_freeze(), 0);
        bytes = read_up_to(number - 1);

        /* All pages but one, and less a record that began before. */
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
            check_empty();
    }
}
END_TEST

/* No record is lost, however many are written. */
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

/* ---- changes of mode -------------------------------------------------- */

/* Unread records are dropped, and an owed loss is reported. */
START_TEST(unread_is_dropped)
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

START_TEST(enable_continues_behind)
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

/* disable freezes too, as old tools expect. */
START_TEST(disable_freezes)
{
    struct xen_sysctl_tbuf_state s;

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

/* A second request starts again, at any position in the ring. */
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

/* enable has no effect while overwriting. */
START_TEST(enable_while_overwriting)
{
    uint32_t number = 1;

    rig_start(&rig, 1);
    ck_assert_int_eq(kit_overwrite(), 0);
    emit_record(&number, 200);
    ck_assert_int_eq(kit_enable(), 0);
    emit_record(&number, 200);
    check_empty();
    ck_assert_int_eq(kit_freeze(), 0);
    read_up_to(number - 1);
}
END_TEST

/* A resized ring starts in the normal mode. */
START_TEST(resize_ends_it)
{
    struct xen_sysctl_tbuf_state s;

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

/* A masked CPU keeps its records, and continues behind these. */
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

/* ---- a hostile reader ------------------------------------------------- */

/* While overwriting, cons and prod in the page are not read. */
START_TEST(shared_words_not_read)
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
    tcase_add_test(tests, unread_is_dropped);
    tcase_add_test(tests, enable_continues_behind);
    tcase_add_test(tests, disable_freezes);
    tcase_add_loop_test(tests, overwrite_twice, 0, 20);
    tcase_add_test(tests, overwrite_when_off);
    tcase_add_test(tests, enable_while_overwriting);
    tcase_add_test(tests, resize_ends_it);
    tcase_add_test(tests, masked_in_between);
    tcase_add_test(tests, shared_words_not_read);

    return rig_main(tests);
}
