/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols from text, and from the test program itself.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/fault.h"
#include "tests/unit/common/unit.h"
#include "xenalyze/model/symbols.h"

static int read_content(struct symbols **s, const char *content,
                        struct err *e)
{
    char path[] = "symbols-XXXXXX";
    int fd = mkstemp(path), rc;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, content, strlen(content)), strlen(content));
    close(fd);
    rc = symbols_read(s, path, e);
    unlink(path);
    return rc;
}

START_TEST(nearest_below)
{
    char text[SYMBOLS_TEXT_MAX];
    struct err e = ERR_INIT;
    struct symbols *s;

    ck_assert_int_eq(read_content(&s, "2000 T second\n1000 first\n\n", &e),
                     0);
    ck_assert_str_eq(symbols_text(s, 0xfff, text), "(ZERO +fff)");
    ck_assert_str_eq(symbols_text(s, 0x1000, text), "(first +0)");
    ck_assert_str_eq(symbols_text(s, 0x1fff, text), "(first +fff)");
    ck_assert_str_eq(symbols_text(s, UINT64_MAX, text),
                     "(second +ffffffffffffdfff)");
    ck_assert_str_eq(symbols_text(NULL, 5, text), "");
    symbols_free(s);
}
END_TEST

START_TEST(nonsense_is_told_by_line)
{
    struct err e = ERR_INIT;
    struct symbols *s;

    ck_assert_int_eq(read_content(&s, "1000 a\nnonsense\n", &e), -EINVAL);
    ck_assert_ptr_nonnull(strstr(e.text, "line 2"));
    ck_assert_ptr_null(s);
    e = (struct err)ERR_INIT;
    ck_assert_int_eq(symbols_read(&s, "/nowhere/at/all", &e), -ENOENT);
}
END_TEST

#ifdef HAVE_LIBELF
START_TEST(own_program)
{
    char text[SYMBOLS_TEXT_MAX];
    struct err e = ERR_INIT;
    struct symbols *s;

    ck_assert_int_eq(symbols_read(&s, "/proc/self/exe", &e), 0);
    symbols_text(s, UINT64_MAX, text);
    ck_assert_ptr_null(strstr(text, "ZERO"));
    symbols_free(s);
}
END_TEST

START_TEST(broken_elf)
{
    struct err e = ERR_INIT;
    struct symbols *s;
    int rc = read_content(&s, "\177ELF\2\1\1", &e);

    if ( rc == 0 )
        symbols_free(s);        /* a file without symbols is one, too */
    else
        ck_assert_int_eq(rc, -EINVAL);
}
END_TEST
#else
START_TEST(own_program)
{
    struct err e = ERR_INIT;
    struct symbols *s;

    ck_assert_int_eq(symbols_read(&s, "/proc/self/exe", &e), -EOPNOTSUPP);
}
END_TEST

START_TEST(broken_elf)
{
    struct err e = ERR_INIT;
    struct symbols *s;

    ck_assert_int_eq(read_content(&s, "\177ELF", &e), -EOPNOTSUPP);
}
END_TEST
#endif

START_TEST(no_memory)
{
    struct symbols *s;

    for ( uint64_t n = 1; ; n++ )
    {
        struct err e = ERR_INIT;
        int rc;

        fault_arm(FAULT_ALLOC, n);
        rc = read_content(&s, "1000 a\n2000 b\n", &e);
        if ( rc == 0 )
            symbols_free(s);
        if ( !fault_fired(FAULT_ALLOC) )
            break;
        ck_assert_int_eq(rc, -ENOMEM);
    }
    fault_disarm();
}
END_TEST

UNIT_MAIN("symbols", nearest_below, nonsense_is_told_by_line, own_program,
          broken_elf, no_memory)
