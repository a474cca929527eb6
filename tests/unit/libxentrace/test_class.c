/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of classes, by name and by event.
 */
#include "libxentrace/class.h"

#include <string.h>

#include "libxentrace/catalogue.h"

#include "tests/unit/libxentrace/unit.h"

/* Subclasses follow their class, and have its bit and another one. */
START_TEST(table_is_in_order)
{
    const struct xt_class *c = xt_catalogue_classes, *class = NULL;
    const size_t nr = xt_catalogue_nr_classes;

    ck_assert_uint_gt(nr, 0);
    for ( size_t i = 0; i < nr; i++ )
    {
        const char *colon = strchr(c[i].name, ':');

        if ( !colon )
            class = &c[i];
        ck_assert_ptr_nonnull(class);
        if ( colon )
        {
            ck_assert_int_eq(strncmp(c[i].name, class->name,
                                     colon - c[i].name), 0);
            ck_assert_uint_eq(c[i].mask & ~class->mask, 0);
            ck_assert_uint_ne(c[i].mask, class->mask);
        }
        ck_assert_ptr_eq(xt_class_by_name(c[i].name, strlen(c[i].name)),
                         &c[i]);
    }
}
END_TEST

START_TEST(by_name)
{
    ck_assert_uint_eq(xt_class_by_name("hvm,x", 3)->mask, 0x8f000);
    ck_assert_uint_eq(xt_class_by_name("sched:verbose", 13)->mask, 0x28000);
    ck_assert_uint_eq(xt_class_by_name("all", 3)->mask, 0x0ffff000);
    ck_assert_ptr_null(xt_class_by_name("hv", 2));
    ck_assert_ptr_null(xt_class_by_name("HVM", 3));
    ck_assert_ptr_null(xt_class_by_name("", 0));
}
END_TEST

START_TEST(by_event)
{
    ck_assert_str_eq(xt_class_of(0x81002)->name, "hvm");
    ck_assert_str_eq(xt_class_of(0x0800f123)->name, "guest");
    ck_assert_str_eq(xt_class_of(0x1f001)->name, "gen");
    ck_assert_ptr_null(xt_class_of(0));
    ck_assert_ptr_null(xt_class_of(0x0003f000));
}
END_TEST

UNIT_MAIN("class", table_is_in_order, by_name, by_event)
