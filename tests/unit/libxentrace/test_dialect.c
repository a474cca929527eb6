/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records that imply a dialect, and records that do not.
 */
#include "libxentrace/dialect.h"

#include "libxentrace/catalogue.h"
#include "tests/unit/libxentrace/unit.h"

static struct xt_dialect learn_one(struct xt_dialect d, uint32_t event,
                                   unsigned int nr, const uint32_t *words)
{
    struct xt_record r = { .event = event, .words = nr,
                           .payload = (const unsigned char *)words };

    xt_dialect_learn(&d, &r);
    return d;
}

static const struct
{
    uint32_t event;
    unsigned int nr;
    uint32_t words[7];
    uint16_t version;
    uint8_t hardware;
} rules[] = {
    { 0x8200f, 1, { 0xf0 }, 0, XT_HARDWARE_VMX },
    { 0x8200f, 0, { 0 }, 0, XT_HARDWARE_SVM },
    { 0x81002, 2, { 1 }, 0, 0 },
    { 0x81102, 3, { 0x80000021 }, 0, 0 },
    { 0x81102, 3, { 0x60 }, 0x0412, XT_HARDWARE_SVM },
    { 0x81002, 2, { 0x400 }, 0x0412, XT_HARDWARE_SVM },
    { 0x81002, 2, { 0xffffffff }, 0x0412, XT_HARDWARE_SVM },
    { 0x81402, 2, { 1 }, 0x0412, XT_HARDWARE_SVM },
    { 0x81002, 0, { 0 }, 0, 0 },
    { 0x81003, 2, { 1 }, 0x0413, XT_HARDWARE_SVM },
    { 0x81503, 3, { 1 }, 0x0413, XT_HARDWARE_SVM },
    { 0x10f010, 6, { 0, 0, 0, 0, 0x90001, 0 }, 0x0412, 0 },
    { 0x10f011, 6, { 0, 0, 0, 0, 1, 9 }, 0, 0 },
    { 0x10f005, 4, { 0, 0, 0x90001, 0 }, 0x0412, 0 },
    { 0x10f012, 4, { 0, 0, 1, 0 }, 0, 0 },
    { 0x10f005, 2, { 0, 0 }, 0, 0 },
    { 0x40f009, 2, { 0 }, 0x0412, 0 },
    { 0x40f20a, 5, { 0 }, 0x0413, 0 },
    { 0x40f209, 7, { 0 }, 0, 0 },
    { 0x40f206, 5, { 0 }, 0, 0 },
    { 0x28004, 2, { 0 }, 0, 0 },
    { 0x1f086, 5, { 0x00110004, 2 }, 0x0411, XT_HARDWARE_SVM },
    { 0x1f086, 1, { 0x00110004 }, 0, 0 },
};

START_TEST(a_rule)
{
    struct xt_dialect d = learn_one((struct xt_dialect){ 0 }, rules[_i].event,
                                    rules[_i].nr, rules[_i].words);

    ck_assert_uint_eq(d.version, rules[_i].version);
    ck_assert_uint_eq(d.hardware, rules[_i].hardware);
}
END_TEST

/* The first guess stays, unless metadata replaces it. */
START_TEST(who_wins)
{
    static const uint32_t xen[] = { 0x00140004, XT_HARDWARE_VMX };
    struct xt_dialect d = learn_one((struct xt_dialect){ 0 }, 0x8200f, 0, NULL);

    ck_assert(!xt_dialect_is_known(&d));
    d = learn_one(d, 0x8200f, 1, xen);
    ck_assert_uint_eq(d.hardware, XT_HARDWARE_SVM);
    d = learn_one(d, 0x1f086, 2, xen);
    ck_assert_uint_eq(d.hardware, XT_HARDWARE_VMX);
    ck_assert_uint_eq(d.version, 0x0414);
    ck_assert(xt_dialect_is_known(&d));
    d = learn_one(d, 0x81003, 0, NULL);
    ck_assert_uint_eq(d.hardware, XT_HARDWARE_VMX);
}
END_TEST

/* A dialect unknown to the metadata is learned; the user's values come last. */
START_TEST(not_known)
{
    static const uint32_t xen[] = { UINT32_MAX, UINT32_MAX };
    struct xt_dialect d = learn_one((struct xt_dialect){ 0 }, 0x1f086, 2, xen);

    ck_assert(!xt_dialect_is_known(&d));
    ck_assert(!d.version && !d.hardware);
    d = learn_one(d, 0x8200f, 0, NULL);
    xt_dialect_assume(&d, 0x0411, XT_HARDWARE_VMX);
    ck_assert_uint_eq(d.hardware, XT_HARDWARE_SVM);
    ck_assert_uint_eq(d.version, 0x0411);
    xt_dialect_assume(&d, 0, XT_HARDWARE_UNKNOWN);
    ck_assert_uint_eq(d.version, 0x0411);
}
END_TEST

UNIT_ROWS("dialect", { a_rule, sizeof(rules) / sizeof(rules[0]) },
          { who_wins, 1 }, { not_known, 1 })
