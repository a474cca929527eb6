/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a ring does at each of its edges, told in rig.h's language.
 *
 * A ring of one page has 4088 bytes for records.  A record does not cross its
 * end: padding fills what is left.  When a record does not fit it is lost, and
 * the next one that fits brings a LOST record along, which takes 28 bytes.
 */
#include "tests/unit/xen/rig.h"

#include <stdio.h>

#define PAGE_END 4088   /* the byte of the ring at which page 1 begins */

static struct rig rig;

/* ---- scenes ----------------------------------------------------------- */

static const struct
{
    const char *script, *text;
} scenes[] = {
    /* Empty. */
    { "?", "" },
    { "r4 ? ?", "r4 |" },
    { "@0 ?", "" },

    /* Some, in their order; and all but some of them. */
    { "@0 r4 R12 r32 R40 ?", "r4 R12 r32 R40" },
    { "@0 r4 R12 r32 R40 ?1 ?2 ?", "r4 | R12 r32 | R40" },

    /* Full to the last byte. */
    { "@0 = ?", "r32*127 r24" },
    { "@100 = ?", "r32*124 r20 r32*3 r4" },

    /* Full: not one byte fits. */
    { "@0 = r4 ? r4 ?", "r32*127 r24 | L1 r4" },
    { "@0 = r4 R40 R12 ? r4 ?", "r32*127 r24 | L3 r4" },

    /* A smaller record would fit, but not behind LOST. */
    { "@0 =-16 R40 r16 ? r4 ?", "r32*127 r8 | p16 L2 r4" },
    { "@0 =-16 r16 ?", "r32*127 r8 r16" },

    /* LOST and the record fit, to the byte; four bytes less, and not. */
    { "@0 = r4 ?2 R36 ?", "r32*2 | r32*125 r24 L1 R36" },
    { "@0 = r4 ?2 R40 ?", "r32*2 | r32*125 r24" },
    { "@0 = r4 ?2 R40 ? r4 ?", "r32*2 | r32*125 r24 | L2 r4" },

    /* LOST is said once. */
    { "@0 = r4 r4 ? r4 r4 ?", "r32*127 r24 | L2 r4*2" },

    /* And anew after the next loss. */
    { "@0 = r4 ? r4 ? @0 = r8 r8 ? r8 ?",
      "r32*127 r24 | L1 r4 | r32*127 r24 | L2 r8" },

    /* A record ends where the ring does: no padding, the next is at 0. */
    { "@-40 R40 r4 ?", "R40 r4" },
    { "@-4 r4 r4 ?", "r4*2" },

    /* It would cross the end. */
    { "@-4 r8 ?", "p4 r8" },
    { "@-36 R40 ?", "P36 R40" },
    { "@-32 R40 ?", "p32 R40" },
    { "@-8 r32 r4 ?", "p8 r32 r4" },

    /* Room for the record and its padding; for the record alone: lost. */
    { "@40 =-48 R40 ?", "r32*126 r8 p8 R40" },
    { "@32 =-40 R40 ?", "r32*126 r16" },
};

START_TEST(scene)
{
    rig_start(&rig, 1);
    rig_expect(&rig, scenes[_i].script, scenes[_i].text);
    rig_balance(&rig);
}
END_TEST

/* ---- every distance to the end ---------------------------------------- */

/* "r8", "R40": the name of a record. */
static const char *name_of(unsigned int words, bool timed)
{
    static char name[2][8];
    static unsigned int turn;
    char *to = name[turn ^= 1];

    snprintf(to, sizeof(name[0]), "%c%u", timed ? 'R' : 'r',
             kit_size(words, timed));
    return to;
}

/* Padding of n bytes: eight words are more than a record has. */
static const char *pad_of(unsigned int n)
{
    static char name[8];

    snprintf(name, sizeof(name), "%c%u", n == 36 ? 'P' : 'p', n);
    return name;
}

/* Each record at 4, 8, ... bytes before the end: pads of 4 to 36 bytes. */
static void check_end(unsigned int words, bool timed)
{
    unsigned int left, bytes = kit_size(words, timed);
    const char *name = name_of(words, timed);

    for ( left = 4; left <= 48; left += 4 )
        if ( bytes > left )
        {
            rig_expect(&rig, rig_script("@-%u %s ?", left, name),
                       rig_script("%s %s", pad_of(left), name));
            ck_assert_uint_eq(rig.record.at, 0);
        }
        else
        {
            rig_expect(&rig, rig_script("@-%u %s ?", left, name), name);
            ck_assert_uint_eq(rig.record.at, rig.reader.size - left);
        }
}

START_TEST(pad_of_every_size)
{
    unsigned int words;

    rig_start(&rig, 1 + _i);
    for ( words = 0; words <= 7; words++ )
    {
        check_end(words, false);
        check_end(words, true);
    }
    rig_balance(&rig);
}
END_TEST

/* ---- lost, near the end ----------------------------------------------- */

/*
 * One record is lost, all are read, and the next one finds `left` bytes up
 * to the end of the ring.  What stands between there and the record?
 */
static const struct
{
    unsigned int left;
    const char *record, *text;
} owed_at_end[] = {
    /* LOST does not fit: padding before it. */
    { 4,  "r4",  "p4 L1 r4" },
    { 24, "R40", "p24 L1 R40" },
    /* LOST fits exactly: the record begins at 0. */
    { 28, "r4",  "L1 r4" },
    { 28, "R40", "L1 R40" },
    /* LOST fits, the record fits exactly behind it. */
    { 32, "r4",  "L1 r4" },
    { 68, "R40", "L1 R40" },
    /* LOST fits, the record does not: padding between the two. */
    { 32, "r8",  "L1 p4 r8" },
    { 60, "R40", "L1 p32 R40" },
    { 64, "R40", "L1 P36 R40" },
};

START_TEST(lost_and_wrap)
{
    rig_start(&rig, 1);
    rig_play(&rig, rig_script("@-%u = r4 ?", owed_at_end[_i].left));
    rig_expect(&rig, rig_script("%s ?", owed_at_end[_i].record),
               owed_at_end[_i].text);
    rig_balance(&rig);
}
END_TEST

/* ---- page ends inside the ring ---------------------------------------- */

START_TEST(across_pages)
{
    unsigned int page, before, words;

    rig_start(&rig, 3);
    for ( page = 0; page < 2; page++ )
        for ( before = 4; before <= 44; before += 4 )
            for ( words = 0; words <= 7; words++ )
            {
                unsigned int at = PAGE_END + page * PAGE_SIZE - before;
                const char *name = name_of(words, true);

                rig_expect(&rig, rig_script("@%u %s ?", at, name), name);
                ck_assert_uint_eq(rig.record.at, at);
            }
    rig_balance(&rig);
}
END_TEST

/* LOST across a page end, and the record behind it; and the other way. */
START_TEST(lost_across_pages)
{
    unsigned int before;

    rig_start(&rig, 2);
    for ( before = 4; before <= 72; before += 4 )
    {
        rig_play(&rig, rig_script("@%u = r4 ?", PAGE_END - before));
        rig_expect(&rig, "R40 ?", "L1 R40");
        ck_assert_uint_eq(rig.lost_record.at, PAGE_END - before);
    }
    rig_balance(&rig);
}
END_TEST

/* ---- what LOST says --------------------------------------------------- */

START_TEST(lost_record)
{
    const uint32_t *word = rig.lost_record.word;
    uint64_t before, after;

    rig_start(&rig, 1);
    rig_play(&rig, "@0 =");
    set_current(xensim_vcpu(3, 1));
    before = kit_clock();
    rig_play(&rig, "r4");
    after = kit_clock();
    rig_play(&rig, "r4 R40");

    /* The vcpu is the one that runs when it is said, the time the first's. */
    set_current(xensim_vcpu(0x7fef, 0x1234));
    rig_expect(&rig, "? R12 ?", "r32*127 r24 | L3 R12");
    ck_assert_uint_eq(word[0], 3);
    ck_assert_uint_eq(word[1], 0x12347fef);
    ck_assert_uint_gt(word[2] | (uint64_t)word[3] << 32, before);
    ck_assert_uint_le(word[2] | (uint64_t)word[3] << 32, after);
    ck_assert_uint_eq(rig.lost_record.tsc, rig.record.tsc);
}
END_TEST

/* Time stamps have 64 bits: in a record, in LOST, in its first loss. */
START_TEST(wide_clock)
{
    const uint64_t high = 0xfedcba9800000000;

    rig_start(&rig, 1);
    kit_set_clock(high);
    rig_expect(&rig, "R12 ? @0 = r4 ? R12 ?", "R12 | r32*127 r24 | L1 R12");
    ck_assert_uint_eq(rig.record.tsc >> 32, high >> 32);
    ck_assert_uint_eq(rig.lost_record.tsc >> 32, high >> 32);
    ck_assert_uint_eq(rig.lost_record.word[3], high >> 32);
}
END_TEST

/* ---- many passes ------------------------------------------------------ */

/* More passes than the private lap count has values. */
START_TEST(many_passes)
{
    unsigned int i, bytes = 0;

    rig_start(&rig, 1 + _i);
    for ( i = 0; bytes < 100 * rig.reader.size; i++ )
    {
        rig_play(&rig, rig_script("%s ?", name_of(i % 8, i % 3)));
        bytes += kit_size(i % 8, i % 3);
    }
    ck_assert_uint_eq(rig.lost, 0);
    rig_balance(&rig);
}
END_TEST

/* The two words stay below twice the ring, and visit both halves. */
START_TEST(both_halves)
{
    unsigned int pass, high = 0;

    rig_start(&rig, 2);
    for ( pass = 0; pass < 8; pass++ )
    {
        rig_play(&rig, "@0 @2000");
        high += rig.reader.ring->prod >= rig.reader.size;
        ck_assert_uint_eq(rig.reader.ring->prod % rig.reader.size, 2000);
    }
    ck_assert_uint_eq(high, 4);
}
END_TEST

int main(void)
{
    TCase *tests = tcase_create("ring");

    tcase_add_loop_test(tests, scene, 0, ARRAY_SIZE(scenes));
    tcase_add_loop_test(tests, pad_of_every_size, 0, 3);
    tcase_add_loop_test(tests, lost_and_wrap, 0, ARRAY_SIZE(owed_at_end));
    tcase_add_test(tests, across_pages);
    tcase_add_test(tests, lost_across_pages);
    tcase_add_test(tests, lost_record);
    tcase_add_test(tests, wide_clock);
    tcase_add_loop_test(tests, many_passes, 0, 3);
    tcase_add_test(tests, both_halves);

    return rig_main(tests);
}
