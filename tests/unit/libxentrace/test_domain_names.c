/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of domains in a trace, and their labels: hostile bytes, shared names,
 * names that look like something else, and cuts.
 */
#include "common/utf8.h"
#include "libxentrace/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/libxentrace/make-trace.h"
#include "tests/unit/libxentrace/unit.h"

#define NAME_EVENT 0x1f08cu

static struct make made;

/* Add part `part` of `parts` in a window of its own. */
static void put_part(unsigned int id, const char *text, unsigned int part,
                     unsigned int parts)
{
    size_t opened = make_open(&made, part % 2);

    make_record(&made, NAME_EVENT, 0, 7);
    memset(made.bytes + made.size - 28, 0, 28);
    memcpy(made.bytes + made.size - 28,
           &(uint32_t){ id | part << 16 | parts << 24 }, 4);
    memcpy(made.bytes + made.size - 24, text, strnlen(text, 24));
    make_close(&made, opened);
}

static void put_name(unsigned int id, const char *text)
{
    unsigned int parts = (strlen(text) + 23) / 24;

    for ( unsigned int i = 0; i < parts; i++ )
        put_part(id, text + 24 * i, i, parts);
}

/* Read the names of the trace made so far; XT_SOURCE_STREAM: as of a pipe. */
static void read_names(struct xt_domain_names *n, unsigned int flags)
{
    char path[] = "test_domain_names.XXXXXX";
    struct err e = ERR_INIT;
    struct xt_info info;
    struct xt_trace *t;
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, made.bytes, made.size), made.size);
    close(fd);
    ck_assert_int_eq(xt_trace_open(&t, path, flags, &e), 0);
    ck_assert_int_eq(xt_trace_info(t, &info, &e), 0);
    ck_assert_int_eq(xt_domain_names_init(n, t, &e), 0);
    xt_trace_close(t);
    unlink(path);
}

static void check_label(const struct xt_domain_names *n, unsigned int id,
                        const char *want)
{
    char text[XT_LABEL_MAX];

    ck_assert_str_eq(xt_domain_label(n, id, text), want);
}

START_TEST(labels)
{
    static const struct
    {
        unsigned int id;
        const char *name, *label;
    } rows[] = {
        { 0, "Domain-0", "Domain-0" },
        { 1, "web1", "web1" },
        { 2, "shared", "shared#2" },
        { 3, "shared", "shared#3" },
        { 4, "d5", "d5#4" },
        { 5, "1-3", "1-3#5" },
        { 6, "d1v0", "d1v0#6" },
        { 7, "idle", "idle#7" },
        { 8, "shared#2", "shared#2#8" },
        { 9, "a b,c\\d", "a\\x20b\\x2cc\\x5cd" },
        { 10, "?[31mred??", "?[31mred??" },
        { 11, "caf\xc3\xa9", "caf\xc3\xa9" },
        { 12, "???", "???" },
        { 13, "12345678901234567890123456", "12345678901234567890123456#13" },
        { 14, "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz" },
        { 15, "abcdefghijklmnopqrstuvwxyza", "abcdefghijklmnopqrstuvw~15" },
        { 16, "abcdefghijklmnopqrstuvwxyzb", "abcdefghijklmnopqrstuvw~16" },
        { 17, "        ", "\\x20\\x20\\x20\\x20\\x20~17" },
        { 18, "a/b\"c'<d>&%s", "a/b\"c'<d>&%s" },
        { 0x7fef, "last", "last" },
    };
    struct xt_domain_names n;

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
        put_name(rows[i].id, rows[i].name);
    put_name(10, "\x1b[31mred\x07\n");
    put_name(11, "caf\xc3\xa9");
    put_name(12, "\x7f\x80\xff");
    put_name(0x7ff0, "reserved");
    put_name(0x7fff, "an idle domain");
    read_names(&n, 0);
    ck_assert_uint_eq(n.nr, sizeof(rows) / sizeof(rows[0]));
    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        check_label(&n, rows[i].id, rows[i].label);
        ck_assert_str_eq(xt_domain_name(&n, rows[i].id), rows[i].name);
    }
    check_label(&n, 19, "d19");
    check_label(&n, 0x7fff, "d32767");
    ck_assert_ptr_null(xt_domain_name(&n, 0x7ff0));
    xt_domain_names_fini(&n);
}
END_TEST

/* The longest name that is kept, and one byte more. */
START_TEST(long_names)
{
    char longest[XT_NAME_MAX + 1];
    struct xt_domain_names n;

    memset(longest, 'x', XT_NAME_MAX);
    longest[XT_NAME_MAX] = '\0';
    put_name(7, longest);
    put_name(8, longest + 1);
    read_names(&n, 0);
    ck_assert_str_eq(xt_domain_name(&n, 7), longest + 1);
    ck_assert_str_eq(xt_domain_name(&n, 8), longest + 1);
    check_label(&n, 7, "xxxxxxxxxxxxxxxxxxxxxxxx~7");
    check_label(&n, 8, "xxxxxxxxxxxxxxxxxxxxxxxx~8");
    xt_domain_names_fini(&n);
}
END_TEST

START_TEST(columns)
{
    char text[XT_LABEL_MAX];
    struct xt_domain_names n;

    put_name(1, "web1");
    put_name(31000, "database-of-the-shop");
    read_names(&n, 0);
    ck_assert_str_eq(xt_vcpu_label(&n, 1, 15, text), "web1/15");
    ck_assert_str_eq(xt_vcpu_label(&n, 31000, 65535, text),
                     "database-of-the-shop/65535");
    ck_assert_str_eq(xt_vcpu_column(&n, 31000, 3, 12, text), "data~31000/3");
    ck_assert_str_eq(xt_vcpu_column(&n, 31000, 12, 12, text), "dat~31000/12");
    ck_assert_str_eq(xt_vcpu_column(&n, 31000, 12, 16, text),
                     "databas~31000/12");
    ck_assert_str_eq(xt_vcpu_column(&n, 31000, 4, 22, text),
                     "database-of-the-shop/4");
    /* Only a number that no vcpu of Xen has makes a column wider. */
    ck_assert_str_eq(xt_vcpu_column(&n, 31000, 65535, 12, text),
                     "dat~31000/65535");
    ck_assert_str_eq(xt_domain_column(&n, 31000, 12, text), "databa~31000");
    ck_assert_str_eq(xt_vcpu_column(&n, 2, 1, 12, text), "d2v1");
    ck_assert_str_eq(xt_vcpu_label(NULL, 2, 1, text), "d2v1");
    ck_assert_str_eq(xt_domain_label(NULL, 2, text), "d2");
    ck_assert_uint_eq(xt_vcpu_column_width(NULL, 10, 16), 10);
    ck_assert_uint_eq(xt_vcpu_column_width(&n, 10, 16), 16);
    ck_assert_uint_eq(xt_vcpu_column_width(&n, 10, 40), 23);
    xt_domain_names_fini(&n);
}
END_TEST

static size_t count_found(const struct xt_domain_names *n, const char *text)
{
    size_t at = 0, nr = 0;

    while ( xt_domain_names_find(n, text, strlen(text), &at) )
        nr++;
    return nr;
}

START_TEST(find)
{
    struct xt_domain_names n;

    put_name(1, "web");
    put_name(2, "web");
    put_name(3, "a b");
    put_name(4, "caf\xc3\xa9");
    read_names(&n, 0);
    ck_assert_uint_eq(count_found(&n, "web"), 2);
    ck_assert_uint_eq(count_found(&n, "web#2"), 1);
    ck_assert_uint_eq(count_found(&n, "web#3"), 0);
    ck_assert_uint_eq(count_found(&n, "a b#3"), 1);
    ck_assert_uint_eq(count_found(&n, "a b#4"), 0);
    ck_assert_uint_eq(count_found(&n, "#3"), 0);
    ck_assert_uint_eq(count_found(&n, "a b"), 1);
    ck_assert_uint_eq(count_found(&n, "a\\x20b"), 1);
    ck_assert_uint_eq(count_found(&n, "caf\xc3\xa9"), 1);
    ck_assert_uint_eq(count_found(&n, "caf??"), 0);
    ck_assert_uint_eq(count_found(&n, "caf\xc3"), 0);
    ck_assert_uint_eq(count_found(&n, "we"), 0);
    ck_assert_uint_eq(count_found(&n, ""), 0);
    ck_assert_uint_eq(count_found(NULL, "web"), 0);
    xt_domain_names_fini(&n);
}
END_TEST

/* A cut name with its id is found at any width; the whole name, too. */
START_TEST(find_cut)
{
    static const char long_name[] = "guest with a long customer name";
    static const char escaped[] =
        "guest\\x20with\\x20a\\x20long\\x20customer\\x20name";
    char text[XT_WHOLE_NAME_MAX], column[XT_LABEL_MAX];
    struct xt_domain_names n;
    size_t at = 0;

    put_name(40, long_name);
    put_name(407, long_name);
    put_name(9, "guest~40");
    put_name(11, "web");
    put_name(12, "web");
    read_names(&n, 0);
    ck_assert_str_eq(xt_domain_whole_name(&n, 407, text), escaped);
    ck_assert_str_eq(xt_domain_whole_name(&n, 11, text), "web#11");
    ck_assert_str_eq(xt_domain_whole_name(&n, 13, text), "d13");
    ck_assert_uint_eq(count_found(&n, escaped), 2);
    for ( unsigned int width = 12; width < XT_LABEL_MAX; width++ )
    {
        xt_domain_column(&n, 407, width, column);
        at = 0;
        ck_assert_uint_eq(xt_domain_names_find(&n, column, strlen(column),
                                               &at)->id, 407);
        ck_assert_uint_eq(count_found(&n, column), 1);
    }
    ck_assert_uint_eq(count_found(&n, "guest with~407"), 1);
    ck_assert_uint_eq(count_found(&n, "guest~40"), 2);
    ck_assert_uint_eq(count_found(&n, "guest~41"), 0);
    ck_assert_uint_eq(count_found(&n, "gust~40"), 0);
    ck_assert_uint_eq(count_found(&n, "~40"), 0);
    xt_domain_names_fini(&n);
}
END_TEST

/* A new name replaces the old one; a name without all parts is no name. */
START_TEST(parts)
{
    struct xt_domain_names n;

    put_name(1, "old");
    put_part(2, "0123456789abcdefghijklmn", 0, 2);
    put_part(3, "other", 1, 2);
    put_part(2, "opq", 1, 2);
    put_part(4, "", 0, 1);
    put_part(5, "never", 0, 0);
    put_name(1, "new");
    read_names(&n, 0);
    ck_assert_uint_eq(n.nr, 1);
    check_label(&n, 1, "new");
    xt_domain_names_fini(&n);
}
END_TEST

/*
 * A file is walked to its end if it begins with metadata.  Of a stream, the
 * names in the first bytes are known.
 */
START_TEST(late_names)
{
    struct xt_domain_names n;

    put_name(1, "first");
    make_window(&made, 0, 1000);
    put_name(2, "second");
    read_names(&n, 0);
    check_label(&n, 1, "first");
    check_label(&n, 2, "second");
    xt_domain_names_fini(&n);
    read_names(&n, XT_SOURCE_STREAM);
    check_label(&n, 1, "first");
    xt_domain_names_fini(&n);
    made.size = 0;
    make_window(&made, 0, 1000);
    read_names(&n, 0);
    ck_assert_uint_eq(n.nr, 0);
    check_label(&n, 1, "d1");
    xt_domain_names_fini(&n);
}
END_TEST

static void put_uuid(unsigned int id, uint32_t word)
{
    size_t opened = make_open(&made, 0);

    make_record(&made, 0x1f090, 0, 5);
    memset(made.bytes + made.size - 20, 0, 20);
    memcpy(made.bytes + made.size - 20, &id, 4);
    memcpy(made.bytes + made.size - 4, &word, 4);
    make_close(&made, opened);
}

/* Another name with another UUID is that of another domain. */
START_TEST(reused_ids)
{
    static const struct { uint32_t uuid; const char *name, *label; } rows[] = {
        { 1, "web--incoming", "web--incoming" }, { 1, "web", "web" },
        { 2, "web", "web" }, { 3, "db", "web+db" }, { 3, "db2", "web+db2" },
        { 4, "mail", "web+db2+mail" }, { 1, "web", "web+db2+mail" },
    };
    struct xt_domain_names n;
    size_t at;

    for ( size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++ )
    {
        put_uuid(7, rows[i].uuid);
        put_name(7, rows[i].name);
        read_names(&n, 0);
        check_label(&n, 7, rows[i].label);
        at = 0;
        ck_assert_ptr_nonnull(xt_domain_names_find(&n, rows[i].name,
                                                   strlen(rows[i].name), &at));
        xt_domain_names_fini(&n);
    }
    put_name(8, "web+db2+mail");
    read_names(&n, 0);
    check_label(&n, 7, "web+db2+mail#7");
    at = 0;
    ck_assert_ptr_null(xt_domain_names_find(&n, "db", 2, &at));
    xt_domain_names_fini(&n);
}
END_TEST

/* Together, the names are as long as one name at most: then, the last one. */
START_TEST(long_reused_ids)
{
    struct xt_domain_names n;
    char name[2][130];

    for ( unsigned int i = 0; i < 2; i++ )
    {
        memset(name[i], 'a' + i, 128);
        name[i][128] = '\0';
        put_uuid(7, i);
        put_name(7, name[i]);
    }
    read_names(&n, 0);
    ck_assert_str_eq(xt_domain_name(&n, 7), name[1]);
    xt_domain_names_fini(&n);
}
END_TEST

/* Characters that a terminal prints, none of them a blank or a comma. */
static void check_characters(const char *text)
{
    unsigned int size;
    uint32_t code;

    for ( ; *text; text += size )
    {
        size = utf8_decode(text, &code);
        ck_assert_uint_gt(size, 0);
        ck_assert(utf8_is_visible(code) && code != ' ' && code != ',');
    }
}

/* Random parts: no label has a byte that could harm a terminal or a table. */
START_TEST(hostile)
{
    struct xt_domain_names n;
    char text[XT_LABEL_MAX];
    uint64_t seed = 5;

    for ( unsigned int i = 0; i < 4000; i++ )
    {
        char bytes[25] = "";

        for ( unsigned int k = 0; k < 24; k++ )
            bytes[k] = make_random(&seed) % 40 ? make_random(&seed) : 0;
        put_part(make_random(&seed) % 300, bytes, make_random(&seed) % 3,
                 make_random(&seed) % 4);
    }
    read_names(&n, 0);
    ck_assert_uint_gt(n.nr, 50);
    for ( unsigned int id = 0; id < 300; id++ )
    {
        size_t at = 0;

        xt_vcpu_column(&n, id, 127, 12 + id % 20, text);
        check_characters(text);
        xt_domain_label(&n, id, text);
        if ( xt_domain_name(&n, id) )
            ck_assert_uint_eq(xt_domain_names_find(&n, text, strlen(text),
                                                   &at)->id, id);
    }
    xt_domain_names_fini(&n);
}
END_TEST

UNIT_MAIN("domain-names", labels, long_names, columns, find, find_cut, parts,
          late_names, reused_ids, long_reused_ids, hostile)
