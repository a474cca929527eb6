/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Format h with back end xen: the expression of every kind of word.
 * test_emitted runs such code; this test checks its text.
 */
#include "tests/unit/tracetool/written.h"

#include <errno.h>

#define XEN .in_xen = true, .timed = true, .format = ""

static char *xen_header(const struct tt_event *e)
{
    struct tt_model model = { .events = e, .nr_events = 1 };

    return written(&tt_format_h, &tt_backend_xen, &model);
}

/* The header of one event has this text. */
static void header_has(const struct tt_event *e, const char *part)
{
    char *text = xen_header(e);

    expect_once(text, part);
    free(text);
}

START_TEST(alice_has_a_call_and_a_constant)
{
    static const struct tt_arg args[] = { WHOLE("uint32_t", "x", 32, 0) };
    static const struct tt_event e = {
        XEN, .name = "hvm_alice", .constant = "TRC_HVM_ALICE", ARGS(args),
        .id = 0x00082026, .words = 1, .max_words = 1,
    };

    header_has(&e, "#ifndef TRC_HVM_ALICE\n"
                   "#define TRC_HVM_ALICE 0x00082026\n"
                   "#elif TRC_HVM_ALICE != 0x00082026\n");
    header_has(&e, "#include <xen/trace.h>\n");
    header_has(&e, "#define TRACE_HVM_ALICE_ENABLED 1\n"
                   "#define TRACE_HVM_ALICE_BACKEND_DSTATE() \\\n"
                   "    (unlikely(tb_init_done) || false)\n");
    header_has(&e, "static inline void trace_hvm_alice(uint32_t x)\n{\n"
                   "    TRACE_1D(TRC_HVM_ALICE, x);\n}\n");
}
END_TEST

START_TEST(words_are_packed_as_the_layout_says)
{
    static const struct tt_arg args[] = {
        WHOLE("uint16_t", "vcpu", 16, 0),
        { .type = "int16_t", .name = "order", .width = 16, .bits = 16,
          .bit = 16, .is_signed = true, .present = -1 },
        WHOLE("uint64_t", "gfn", 64, 32),
        { .type = "int32_t", .name = "credit", .width = 32, .bits = 32,
          .bit = 96, .is_signed = true, .present = -1 },
        PART("uint32_t", "op", 32, 128, 20),
        PART("uint32_t", "rest", 32, 148, 12),
        WHOLE("uint8_t", "late", 8, 168),
        WHOLE("uint32_t", "askew", 32, 176),
    };
    struct tt_event e = {
        XEN, .name = "all", .id = 0x00082026, ARGS(args),
        .words = 7, .max_words = 7,
    };

    header_has(&e, "    TRACE_TIME(0x00082026,\n"
        "        (uint32_t)vcpu | (((uint32_t)order & 0xffffu) << 16),\n"
        "        (uint32_t)gfn,\n"
        "        (uint32_t)(gfn >> 32),\n"
        "        (uint32_t)credit,\n"
        "        ((uint32_t)op & 0xfffffu) | "
                 "(((uint32_t)rest & 0xfffu) << 20),\n"
        "        ((uint32_t)late << 8) | (uint32_t)((uint64_t)askew << 16),\n"
        "        (uint32_t)((uint64_t)askew >> 16));\n");
}
END_TEST

START_TEST(an_empty_word_is_zero)
{
    static const struct tt_arg args[] = { WHOLE("uint32_t", "x", 32, 32) };
    struct tt_event e = {
        XEN, .name = "bob", .id = 0x00082026, ARGS(args),
        .words = 2, .max_words = 2,
    };

    e.timed = false;
    header_has(&e, "    TRACE(0x00082026,\n        0,\n        x);\n");
}
END_TEST

START_TEST(fields_of_the_id_are_masked_into_it)
{
    static const struct tt_arg args[] = {
        { .type = "uint8_t", .name = "from", .width = 8, .bits = 2, .bit = 8,
          .in_id = true, .present = -1 },
        { .type = "uint8_t", .name = "to", .width = 8, .bits = 2, .bit = 4,
          .in_id = true, .present = -1 },
    };
    static const struct tt_event e = {
        XEN, .name = "change", .constant = "TRC_CHANGE", ARGS(args),
        .id = 0x00021001, .id_fields = 0x330,
    };

    header_has(&e, "    TRACE_0D(TRC_CHANGE | (((uint32_t)from & 0x3u) << 8) "
                   "| (((uint32_t)to & 0x3u) << 4));\n");
}
END_TEST

START_TEST(a_tail_has_a_short_form)
{
    static const struct tt_arg args[] = {
        WHOLE("uint32_t", "port", 32, 0),
        { .type = "uint32_t", .name = "data", .width = 32, .bits = 32,
          .bit = 32, .optional = true, .present = -1 },
    };
    static const struct tt_event e = {
        XEN, .name = "io", .id = 0x00082016, ARGS(args),
        .words = 1, .max_words = 2,
    };

    header_has(&e, "void trace_io(uint32_t port, uint32_t data)\n{\n"
                   "    TRACE_2D(0x00082016,\n        port,\n"
                   "        data);\n}\n");
    header_has(&e, "void trace_io_short(uint32_t port)\n{\n"
                   "    TRACE_1D(0x00082016, port);\n}\n");
}
END_TEST

START_TEST(names_that_are_taken_get_a_bar)
{
    static const struct tt_arg args[] = {
        WHOLE("uint32_t", "asm", 32, 0), WHOLE("uint32_t", "asm_", 32, 32),
        WHOLE("uint32_t", "NULL", 32, 64), WHOLE("uint32_t", "words_", 32, 96),
        WHOLE("uint32_t", "integer", 32, 128),
        WHOLE("uint32_t", "unlikely", 32, 160),
    };
    static const struct tt_event e = {
        XEN, .name = "odd", .id = 0x00082016, ARGS(args),
        .words = 6, .max_words = 6,
    };

    header_has(&e, "trace_odd(uint32_t asm_, uint32_t asm__, uint32_t NULL_, "
                   "uint32_t words__, uint32_t integer, uint32_t unlikely_)");
    header_has(&e, "        asm_,\n        asm__,\n        NULL_,\n"
                   "        words__,\n        integer,\n        unlikely_);\n");
}
END_TEST

START_TEST(disabled_and_nop_do_nothing)
{
    static const struct tt_arg args[] = { WHOLE("uint32_t", "x", 32, 0) };
    struct tt_event e = {
        XEN, .name = "off", .constant = "TRC_OFF", .id = 0x00082016,
        ARGS(args), .words = 1, .max_words = 1, .disabled = true,
    };
    struct tt_model model = { .events = &e, .nr_events = 1 };
    char *text;

    header_has(&e, "#define TRC_OFF 0x00082016\n");
    header_has(&e, "#define TRACE_OFF_ENABLED 0\n"
                   "#define TRACE_OFF_BACKEND_DSTATE() \\\n    (false)\n");
    header_has(&e, "trace_off(uint32_t x)\n{\n    (void)x;\n}\n");

    e.disabled = false;
    text = written(&tt_format_h, &tt_backend_nop, &model);
    expect_once(text, "#define TRACE_OFF_ENABLED 1\n"
                      "#define TRACE_OFF_BACKEND_DSTATE() \\\n    (false)\n");
    expect_once(text, "trace_off(uint32_t x)\n{\n    (void)x;\n}\n");
    expect_none(text, "xen/trace.h");
    free(text);
}
END_TEST

START_TEST(who_has_no_call_and_who_no_constant)
{
    static const struct tt_arg varying[] = {
        WHOLE("uint32_t", "has", 32, 0),
        { .type = "uint32_t", .name = "x", .width = 32, .bits = 32,
          .bit = 32, .present = 0 },
    };
    static const struct tt_event events[] = {
        { XEN, .name = "gone", .constant = "TRC_GONE", .id = 0x82001,
          .unused = true },
        { XEN, .name = "own", .constant = "TRC_OWN", .id = 0x82002,
          .is_private = true },
        { XEN, .name = "two", .constant = "TRC_TWO", .id = 0x82003,
          .until = 0x0412 },
        { XEN, .name = "two", .constant = "TRC_TWO", .id = 0x82003,
          .since = 0x0413 },
        { XEN, .name = "lvl_2", .constant = "TRC_LVL", .id = 0x82004 },
        { XEN, .name = "lvl_3", .constant = "TRC_LVL", .id = 0x82104 },
        { XEN, .name = "vary", .constant = "TRC_VARY", .id = 0x82105,
          ARGS(varying), .words = 1, .max_words = 3 },
    };
    struct tt_model model = { EVENTS(events) };
    char *text = written(&tt_format_h, &tt_backend_xen, &model);

    expect_once(text, "#define TRC_GONE 0x00082001\n");
    expect_none(text, "trace_gone");
    expect_once(text, "#define TRC_VARY 0x00082105\n");
    expect_none(text, "trace_vary");
    expect_none(text, "TRC_OWN");
    expect_once(text, "TRACE_0D(0x00082002);");
    expect_once(text, "#define TRC_TWO 0x00082003\n");
    expect_once(text, "trace_two(void)");
    expect_once(text, "#define TRC_LVL 0x00082004\n");
    expect_once(text, "TRACE_0D(TRC_LVL);");
    expect_once(text, "TRACE_0D(0x00082104);");
    free(text);
}
END_TEST

/* ---- refusals --------------------------------------------------------- */

static void refused(const struct tt_event *e, const char *text)
{
    struct err why = ERR_INIT;

    ck_assert_int_eq(tt_backend_xen.accepts(e, &why), -EINVAL);
    ck_assert_msg(strstr(why.text, text), "%s", why.text);
}

START_TEST(back_end_xen_says_what_it_cannot_serve)
{
    struct tt_event e = {
        XEN, .name = "bob",
    };

    e.in_xen = false;
    refused(&e, "back end xen: bob: an event of the hypervisor has an id");
    e.in_xen = true;
    e.name = "time";
    refused(&e, "has a function of this name");
    e.name = "bob";
    ck_assert_int_eq(tt_backend_xen.accepts(&e, NULL), 0);
}
END_TEST

UNIT_MAIN("tracetool: code", alice_has_a_call_and_a_constant,
          words_are_packed_as_the_layout_says, an_empty_word_is_zero,
          fields_of_the_id_are_masked_into_it, a_tail_has_a_short_form,
          names_that_are_taken_get_a_bar, disabled_and_nop_do_nothing,
          who_has_no_call_and_who_no_constant,
          back_end_xen_says_what_it_cannot_serve)
