/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits: failed allocations, bytes that are not text, very many errors,
 * several files.
 */
#include <errno.h>

#include "common/fault.h"
#include "tests/unit/tracetool/read.h"

static const char all_of_it[] =
    "class c 0x00021000 \"x\"\ntype t \"y\"\nenum s \"z\"\n1 one \"1\"\nend\n"
    "id=0x21001 family=64 e(t uint32_t a:3 @ 4, s reg_t b, [uint32_t d]) "
    "\"%u %s\" [ \"%x\" ]\n"
    "f(const char *s, uint64_t x) \"%s \" \"%\" PRIx64\n";

START_TEST(no_memory)
{
    struct read r;
    uint64_t n;

    for ( n = 1; ; n++ )
    {
        fault_arm(FAULT_ALLOC, n);
        read_bytes(&r, all_of_it, sizeof(all_of_it) - 1);
        read_done(&r);
        ck_assert_int_eq(fault_blocks(), 0);
        if ( !fault_fired(FAULT_ALLOC) )
            break;
        ck_assert_int_eq(r.rc, -ENOMEM);
    }
    fault_disarm();
    ck_assert_int_eq(r.rc, 0);
    ck_assert_uint_gt(n, 2);
}
END_TEST

/* A file that is cut anywhere is valid, or causes a message. */
START_TEST(cut_off)
{
    struct read r;
    size_t n;

    for ( n = 0; n < sizeof(all_of_it); n++ )
    {
        read_bytes(&r, all_of_it, n);
        ck_assert_int_eq(r.rc == 0, r.errors == 0);
        if ( n && all_of_it[n - 1] != '\n' )
            ck_assert_int_eq(r.rc, -EINVAL);
        read_done(&r);
    }
}
END_TEST

START_TEST(odd_bytes)
{
    static const char nul[] = "e(int a) \"%d\"\n\0\nf(int\0 a)\n\"\0\"\n";
    struct read r;

    read_bytes(&r, nul, sizeof(nul) - 1);
    ck_assert_uint_eq(r.errors, 3);
    ck_assert_ptr_nonnull(strstr(r.said, "2:1: a NUL byte"));
    ck_assert_ptr_nonnull(strstr(r.said, "3:6: a NUL byte"));
    ck_assert_ptr_nonnull(strstr(r.said, "4:1: a NUL byte or"));
    read_done(&r);
    read_badly(&r, "e(int a)\rf(int a)\n", "1:9: a carriage return");
    read_done(&r);
    read_badly(&r, "\xef\xbb\xbf\n", "1:1: byte 0xef");
    read_done(&r);
}
END_TEST

START_TEST(errors_without_end)
{
    char text[3001];
    struct read r;
    size_t i;

    for ( i = 0; i < sizeof(text) - 1; i += 3 )
        memcpy(text + i, "/\n", 3), text[i + 2] = '\n';
    text[i] = '\0';
    read_bytes(&r, text, i);
    ck_assert_int_eq(r.rc, -EINVAL);
    ck_assert_uint_eq(r.errors, 101);
    read_done(&r);
}
END_TEST

/* Longer than any buffer in the way. */
START_TEST(long_words)
{
    enum { LONG = 100000 };
    char *text = malloc(LONG + 64);
    struct read r;

    ck_assert_ptr_nonnull(text);
    memset(text, 'x', LONG);
    strcpy(text + LONG, "(int a) \"%d\"\n");
    read_well(&r, text);
    ck_assert_uint_eq(strlen(r.model.events[0].name), LONG);
    read_done(&r);
    strcpy(text + LONG, "(int a, int a) \"\\y\"\n");
    read_badly(&r, text, "1:100013: a second argument");
    read_done(&r);
    free(text);
}
END_TEST

static void count(void *ctx, const struct tt_place *at, const char *text)
{
    char *said = ctx;

    (void)text;
    sprintf(said + strlen(said), "%s:%u ", at->file, at->line);
}

/* Told in the order of the files, though found in another. */
START_TEST(several_files)
{
    static const char *const texts[] = {
        "e(word int a, int b) \"%d %d\"\nf(int a) \"%s\"\n",
        "type word \"x\"\ne(void)\n/\n",
    };
    struct tt_source sources[2];
    struct tt_model model;
    char said[200] = "";
    struct arena a;

    for ( size_t i = 0; i < 2; i++ )
        sources[i] = (struct tt_source){ .name = i ? "b" : "a",
                                         .text = texts[i],
                                         .length = strlen(texts[i]) };
    arena_init(&a, 0);
    ck_assert_int_eq(tt_parse(&a, sources, 2, &model, count, said), -EINVAL);
    ck_assert_str_eq(said, "a:2 b:2 b:3 ");
    arena_fini(&a);
}
END_TEST

UNIT_MAIN("limits", no_memory, cut_off, odd_bytes, errors_without_end,
          long_words, several_files)
