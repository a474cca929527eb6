/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model of valid files:  QEMU's grammar and ours.
 * tests/golden/tracetool/errors has the messages for invalid files.
 */
#include <inttypes.h>

#include "tests/unit/tracetool/read.h"

static const struct tt_event *only_event(const struct read *r)
{
    ck_assert_uint_eq(r->model.nr_events, 1);
    return &r->model.events[0];
}

/* Pieces as "text|%d=0|[text]" */
static void check_pieces(const struct tt_event *e, const char *expected)
{
    char text[512] = "";
    size_t used = 0, i;

    for ( i = 0; i < e->nr_pieces; i++ )
    {
        const struct tt_piece *p = &e->pieces[i];

        ck_assert_uint_eq(strlen(p->text), p->length);
        used += snprintf(text + used, sizeof(text) - used, "%s%s%s",
                         i ? "|" : "", p->optional ? "[" : "", p->text);
        if ( p->arg >= 0 )
            used += snprintf(text + used, sizeof(text) - used, "=%d", p->arg);
        ck_assert_uint_eq(p->optional, p->group != 0);
    }
    ck_assert_str_eq(text, expected);
}

START_TEST(nothing)
{
    static const char *const texts[] = {
        "", "\n", "# a comment\n", "  # another \\\n\t \n", "\r\n# x\r\n",
        "# \x80\xff \"\n",
    };
    struct read r;

    for ( size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++ )
    {
        read_well(&r, texts[i]);
        ck_assert_uint_eq(r.model.nr_events, 0);
        read_done(&r);
    }
}
END_TEST

START_TEST(event_of_a_program)
{
    const struct tt_event *e;
    struct read r;

    read_well(&r, "disable vcpu disable blk_9p(const char *name, "
              "unsigned long  long n,void*p) \"%s at 0x%llx\" \" (%p)\"\r\n");
    e = only_event(&r);
    ck_assert_str_eq(e->name, "blk_9p");
    ck_assert(e->disabled && e->vcpu && !e->in_xen && !e->constant);
    ck_assert_uint_eq(e->nr_args, 3);
    ck_assert_str_eq(e->args[0].type, "const char *");
    ck_assert_str_eq(e->args[0].name, "name");
    ck_assert_int_eq(e->args[0].kind, TT_STRING);
    ck_assert_str_eq(e->args[1].type, "unsigned long long");
    ck_assert_int_eq(e->args[1].kind, TT_INTEGER);
    ck_assert_uint_eq(e->args[1].width, 64);
    ck_assert(!e->args[1].is_signed);
    ck_assert_str_eq(e->args[2].type, "void *");
    ck_assert_int_eq(e->args[2].kind, TT_POINTER);
    ck_assert_str_eq(e->format, "\"%s at 0x%llx\" \" (%p)\"");
    check_pieces(e, "%s=0| at 0x|%llx=1| (|%p=2|)");
    ck_assert_uint_eq(e->at.line, 1);
    ck_assert_uint_eq(e->at.column, 22);
    ck_assert_uint_eq(e->args[2].at.column, 74);
    read_done(&r);
}
END_TEST

/* type text, kind, sign, width */
static const struct
{
    const char *written, *text;
    enum tt_kind kind;
    bool is_signed;
    unsigned int width;
} types[] = {
    { "int x", "int", TT_INTEGER, true, 32 },
    { "unsigned x", "unsigned", TT_INTEGER, false, 32 },
    { "long unsigned int x", "long unsigned int", TT_INTEGER, false, 0 },
    { "const uint8_t x", "const uint8_t", TT_INTEGER, false, 8 },
    { "int64_t x", "int64_t", TT_INTEGER, true, 64 },
    { "ssize_t x", "ssize_t", TT_INTEGER, true, 0 },
    { "intptr_t x", "intptr_t", TT_INTEGER, true, 0 },
    { "bool x", "bool", TT_BOOL, false, 8 },
    { "short x", "short", TT_INTEGER, true, 16 },
    { "signed char x", "signed char", TT_INTEGER, true, 8 },
    { "char  *x", "char *", TT_STRING, false, 0 },
    { "char const* x", "char const *", TT_STRING, false, 0 },
    { "char **x", "char **", TT_POINTER, false, 0 },
    { "const char * const * x", "const char * const *", TT_POINTER, false, 0 },
    { "unsigned char *x", "unsigned char *", TT_POINTER, false, 0 },
    { "uint64_t *x", "uint64_t *", TT_POINTER, false, 0 },
};

START_TEST(all_types)
{
    const struct tt_arg *arg;
    char text[128];
    struct read r;

    for ( size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++ )
    {
        snprintf(text, sizeof(text), "e(%s)\n", types[i].written);
        read_well(&r, text);
        arg = only_event(&r)->args;
        ck_assert_str_eq(arg->type, types[i].text);
        ck_assert_str_eq(arg->name, "x");
        ck_assert_int_eq(arg->kind, types[i].kind);
        ck_assert_int_eq(arg->is_signed, types[i].is_signed);
        ck_assert_uint_eq(arg->width, types[i].width);
        ck_assert_ptr_null(arg->sem);
        read_done(&r);
    }
}
END_TEST

START_TEST(format_of_literals_and_macros)
{
    const struct tt_event *e;
    struct read r;

    read_well(&r, "e(uint64_t a, uint8_t b, int c) \"100%%, \" \"a%\"PRIx64"
              "\"\\t\\\"\\x41\\102%\" PRIu8 \"%%%+05d\"\n");
    e = only_event(&r);
    check_pieces(e, "100%, a|%" PRIx64 "=0|\t\"AB|%" PRIu8 "=1|%|%+05d=2");
    ck_assert_str_eq(e->format, "\"100%%, \" \"a%\" PRIx64 "
                     "\"\\t\\\"\\x41\\102%\" PRIu8 \"%%%+05d\"");
    read_done(&r);

    read_well(&r, "e(const char *s, int n, uint64_t x) \"%.3s 0x%0*\" PRIx64"
              "\n");
    check_pieces(only_event(&r), "%.3s=0| 0x|%0*" PRIx64 "=2");
    read_done(&r);

    read_well(&r, "e(int a)\n");
    ck_assert_str_eq(only_event(&r)->format, "\"\"");
    ck_assert_uint_eq(r.model.events[0].nr_pieces, 0);
    read_done(&r);
}
END_TEST

/* Our keywords at the start of a line are names in QEMU's grammar. */
START_TEST(events_called_like_lines)
{
    static const char *const names[] = { "class", "type", "enum", "flags",
                                         "end", "disable", "id" };
    struct read r;

    read_well(&r, "class(void)\ntype (int type) \"%d\"\nenum(void)\n"
              "flags(void)\nend(void)\ndisable(void)\nvcpu id(void)\n");
    ck_assert_uint_eq(r.model.nr_events, 7);
    for ( size_t i = 0; i < 7; i++ )
        ck_assert_str_eq(r.model.events[i].name, names[i]);
    read_done(&r);
}
END_TEST

START_TEST(words)
{
    const struct tt_model *m;
    struct read r;

    read_well(&r, "e(dom uint16_t d, state int s, bits int b, int x) "
              "\"%d %d %d %d\"\n"        /* used above their declaration */
              "type dom \"a \\\"domain\\\"\"\n"
              "enum state \"of a vcpu\"\n"
              "  0x0 running\n  # a comment\n\n  1 blocked \"it waits\"\nend\n"
              "flags bits \"of a page\"\n63 top\nend\n");
    m = &r.model;
    ck_assert_uint_eq(m->nr_sems, 3);
    ck_assert_str_eq(m->sems[0].text, "a \"domain\"");
    ck_assert_uint_eq(m->sems[1].nr_values, 2);
    ck_assert_ptr_null(m->sems[1].values[0].text);
    ck_assert_uint_eq(m->sems[1].values[1].value, 1);
    ck_assert_str_eq(m->sems[1].values[1].name, "blocked");
    ck_assert_str_eq(m->sems[1].values[1].text, "it waits");
    ck_assert_int_eq(m->sems[2].meaning, TT_FLAGS);
    ck_assert_uint_eq(m->sems[2].values[0].value, 63);
    for ( size_t i = 0; i < 3; i++ )
        ck_assert_ptr_eq(m->events[0].args[i].sem, &m->sems[i]);
    ck_assert_ptr_null(m->events[0].args[3].sem);
    read_done(&r);
}
END_TEST

START_TEST(id_and_properties)
{
    const struct tt_event *e;
    struct read r;

    read_well(&r, "class hw 0x0080f000 \"hardware\"\n"
              "notime unused private since=4.18 until=4.19 \\\n"
              "    id=0x00801001 pm(uint32_t mhz) \"%llu\"\n"
              "class pv 0x00201000 \"guests\"\n"
              "class hw\n"
              "id=8392706 irq(void)\n");
    ck_assert_uint_eq(r.model.nr_events, 2);
    e = r.model.events;
    ck_assert(e->in_xen && !e->timed && e->unused && e->is_private);
    ck_assert_uint_eq(e->since, 0x0412);
    ck_assert_uint_eq(e->until, 0x0413);
    ck_assert_uint_eq(e->id, 0x00801001);
    ck_assert_uint_eq(e->at.line, 3);
    ck_assert_str_eq(e->constant, "TRC_PM");
    ck_assert_ptr_eq(e->class, &r.model.classes[0]);
    e++;
    ck_assert(e->timed && !e->unused && !e->is_private && !e->words);
    ck_assert_uint_eq(e->since, TT_ALWAYS);
    ck_assert_uint_eq(e->id, 0x00801002);
    ck_assert_ptr_eq(e->class, &r.model.classes[0]);
    read_done(&r);
}
END_TEST

/* A line end behind a backslash may stand between any two tokens. */
START_TEST(continued_lines)
{
    struct read r;

    read_well(&r, "e\\\n(int a)\nf\\\r\n(int b) \\\n\"%d\"\n");
    ck_assert_uint_eq(r.model.nr_events, 2);
    ck_assert_str_eq(r.model.events[0].name, "e");
    ck_assert_uint_eq(r.model.events[0].nr_args, 1);
    ck_assert_str_eq(r.model.events[1].name, "f");
    ck_assert_str_eq(r.model.events[1].format, "\"%d\"");
    read_done(&r);
}
END_TEST

/* One declaration per version of Xen; an id may later be another event's. */
START_TEST(versions)
{
    struct read r;

    read_well(&r, "until=4.17 id=0x10f004 e(uint32_t a) \"%u\"\n"
              "since=4.18 until=4.19 id=0x10f004 e(uint64_t a) \"%u\"\n"
              "since=4.20 id=0x10f004 f(void)\n");
    ck_assert_uint_eq(r.model.nr_events, 3);
    ck_assert_uint_eq(r.model.events[1].words, 2);
    read_done(&r);
}
END_TEST

UNIT_MAIN("parse", nothing, event_of_a_program, all_types,
          format_of_literals_and_macros, events_called_like_lines, words,
          id_and_properties, continued_lines, versions)
